import { Restarts } from "./breaker"
import { systemClock } from "./clock"
import type { Clock } from "./clock"
import { SidecarFailure, asFailure } from "./failure"
import { line } from "./lines"
import { SidecarProcess, systemSpawn } from "./process"
import type { Spawn } from "./process"
import { Requests } from "./requests"
import type { Sending } from "./requests"
import { ErrorCodes, PROTOCOL_VERSION } from "./types"
import type { ClientNotifications, InitializeParams, InitializeResult, Methods, Notifications } from "./types"

const HANDSHAKE_MS = 5_000
const SHUTDOWN_MS = 1_000
const TIMEOUT_MS = 30_000
const SILENT_TIMEOUTS = 3

/** What a client is created with. */
export interface ClientOptions {
  /** The sidecar's program. */
  command: string
  /** Its arguments; `["serve"]` if absent. */
  args?: readonly string[]
  /** Its environment; the host's if absent. */
  env?: NodeJS.ProcessEnv
  /** What `initialize` sends; the protocol's version and the host's process id are added. */
  initialize: Omit<InitializeParams, "protocolVersion" | "processId">
  /** Receives each line the sidecar writes to stderr, and what happens to the process. */
  onLog?: (line: string) => void
  clock?: Clock
  /** The time of day; the machine's own if absent. */
  today?: () => Date
  random?: () => number
  spawn?: Spawn
}

/** `waiting` is the pause before a restart; `off` lasts until `reset()`, `stopped` for ever. */
export type ClientState = "idle" | "starting" | "ready" | "waiting" | "off" | "stopped"

export interface RequestOptions extends Partial<Sending> {
  /**
   * What a request waits for, within its timeout: a process that is starting, or also one that is to be started again
   * after a pause; `restart` if absent.
   */
  waitsFor?: "start" | "restart"
}

type Listener<M extends keyof Notifications> = (params: Notifications[M]) => void

interface Waiter {
  waitsFor: "start" | "restart"
  resolve(): void
  reject(failure: SidecarFailure): void
}

/** The sidecar as the host sees it: started when first needed, started again when it ends. */
export class SidecarClient {
  private current: ClientState = "idle"
  private child: SidecarProcess | null = null
  private requests: Requests | null = null
  private greeting: InitializeResult | null = null
  private startedAt = 0
  private cancelRestart: () => void = () => undefined
  private readonly clock: Clock
  private readonly restarts: Restarts
  private readonly waiters = new Set<Waiter>()
  private readonly listeners = new Map<string, Set<(params: never) => void>>()

  constructor(private readonly options: ClientOptions) {
    this.clock = options.clock ?? systemClock
    this.restarts = new Restarts(options.random ?? Math.random)
  }

  get state(): ClientState {
    return this.current
  }

  /** The handshake's result; null while the sidecar is not ready. */
  get server(): InitializeResult | null {
    return this.greeting
  }

  /** Starts the process unless that happened already; nothing waits for it. */
  start(): void {
    if (this.current === "idle") this.launch()
  }

  /** Calls a method; rejects with a `SidecarFailure` and with nothing else. */
  async request<M extends keyof Methods>(
    method: M,
    params: Methods[M]["params"],
    options: RequestOptions = {},
  ): Promise<Methods[M]["result"]> {
    const { timeoutMs = TIMEOUT_MS, waitsFor = "restart", signal, onProgress } = options
    const giveUpAt = this.clock.now() + timeoutMs
    try {
      if (signal?.aborted) throw new SidecarFailure("aborted", `${method}: the caller gave up`)
      if (!this.requests || this.current !== "ready") await this.available(timeoutMs, waitsFor, signal)
      const left = Math.max(0, giveUpAt - this.clock.now())
      return (await this.exchange(method, params, { timeoutMs: left, signal, onProgress })) as Methods[M]["result"]
    } catch (thrown) {
      throw asFailure(thrown)
    }
  }

  /** Sends a notification; one for a process that is not ready is dropped. */
  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]): void {
    if (this.current === "ready") this.child?.send(line({ jsonrpc: "2.0", method, params }))
  }

  /** Subscribes to a notification of the sidecar; returns the function that ends the subscription. */
  on<M extends keyof Notifications>(method: M, listener: Listener<M>): () => void {
    const listeners = this.listeners.get(method) ?? new Set()
    this.listeners.set(method, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /** Allows a client that switched itself off to start again, because the user asked for it. */
  reset(): void {
    if (this.current !== "off" && this.current !== "waiting") return
    this.cancelRestart()
    this.restarts.reset()
    this.launch()
  }

  /** Ends the process in order: `shutdown` (1 s), stdin closed, after 2 s SIGTERM, after 2 s more SIGKILL. */
  async stop(): Promise<void> {
    const { child, requests } = this
    const wasReady = this.current === "ready"
    this.leave("stopped", new SidecarFailure("stopped", "the client was stopped"))
    if (wasReady) await requests?.exchange("shutdown", {}, { timeoutMs: SHUTDOWN_MS }).catch(() => undefined)
    await child?.end()
    requests?.failAll(new SidecarFailure("stopped", "the client was stopped"))
  }

  /** The same for a host that cannot wait (Electron's `before-quit`): stdin is closed before this returns. */
  stopSync(): void {
    const failure = new SidecarFailure("stopped", "the client was stopped")
    this.leave("stopped", failure)
    this.child?.abandon()
    this.requests?.failAll(failure)
  }

  private async exchange(method: string, params: unknown, sending: Sending): Promise<unknown> {
    const { child, requests } = this
    if (!child || !requests) throw new SidecarFailure("notReady", `${method}: the sidecar is not running`)
    try {
      return await requests.exchange(method, params, sending)
    } finally {
      if (requests.timeoutsInSilence >= SILENT_TIMEOUTS) this.replace(child)
    }
  }

  private replace(child: SidecarProcess): void {
    if (this.child !== child || this.current !== "ready") return
    this.log(`no sign of life in ${SILENT_TIMEOUTS} requests: killed`)
    this.current = "waiting"
    this.greeting = null
    child.kill("SIGKILL")
  }

  private launch(): void {
    this.current = "starting"
    this.startedAt = this.clock.now()
    const { command, args = ["serve"], env = process.env } = this.options
    const child = new SidecarProcess({ command, args, env }, this.options.spawn ?? systemSpawn, this.clock, {
      message: (message) => this.receive(message, requests),
      log: (text) => this.log(text),
      exit: (why) => this.ended(child, requests, why),
    })
    const requests: Requests = new Requests(this.clock, (text) => child.send(text))
    this.child = child
    this.requests = requests
    this.greet(child, requests).catch((thrown: unknown) => this.refused(child, asFailure(thrown)))
  }

  private async greet(child: SidecarProcess, requests: Requests): Promise<void> {
    const params: InitializeParams = {
      ...this.options.initialize,
      protocolVersion: PROTOCOL_VERSION,
      processId: process.pid,
    }
    const result = await requests.exchange("initialize", params, { timeoutMs: HANDSHAKE_MS })
    if (this.child !== child || this.current !== "starting") return
    this.greeting = result as InitializeResult
    requests.maxBytes = this.greeting.limits.maxMessageBytes
    this.current = "ready"
    for (const waiter of this.waiters) waiter.resolve()
    this.waiters.clear()
  }

  /** A sidecar that does not take our params will not take them next time either; any other failure may pass. */
  private refused(child: SidecarProcess, failure: SidecarFailure): void {
    if (this.child !== child || this.current !== "starting") return
    this.log(`handshake failed: ${failure.message}`)
    if (failure.code === ErrorCodes.invalidParams) {
      this.leave("off", new SidecarFailure("switchedOff", failure.message, failure.code, failure.data))
    }
    child.kill("SIGKILL")
  }

  private ended(child: SidecarProcess, requests: Requests, why: string): void {
    this.log(`the process ${why}`)
    requests.failAll(new SidecarFailure("exited", `the sidecar ${why}`))
    if (this.child !== child) return
    this.child = null
    this.requests = null
    this.greeting = null
    if (this.current === "stopped" || this.current === "off") return
    const now = this.clock.now()
    const delay = this.restarts.next(now, now - this.startedAt)
    if (delay === null) {
      this.leave("off", new SidecarFailure("switchedOff", `the sidecar ended too often; last it ${why}`))
      return
    }
    this.current = "waiting"
    for (const waiter of this.waiters) {
      if (waiter.waitsFor === "start") waiter.reject(new SidecarFailure("notReady", `the sidecar ${why}`))
    }
    this.cancelRestart = this.clock.after(delay, () => this.launch())
  }

  private leave(state: "off" | "stopped", failure: SidecarFailure): void {
    this.cancelRestart()
    this.current = state
    this.greeting = null
    for (const waiter of this.waiters) waiter.reject(failure)
    this.waiters.clear()
  }

  private available(timeoutMs: number, waitsFor: Waiter["waitsFor"], signal?: AbortSignal): Promise<void> {
    this.start()
    return new Promise((resolve, reject) => {
      if (this.current === "stopped") return reject(new SidecarFailure("stopped", "the client was stopped"))
      if (this.current === "off") return reject(new SidecarFailure("switchedOff", "the sidecar is switched off"))
      if (waitsFor === "start" && this.current !== "starting") {
        return reject(new SidecarFailure("notReady", `the sidecar is ${this.current}`))
      }
      const release = () => {
        cancelTimer()
        signal?.removeEventListener("abort", aborted)
        this.waiters.delete(waiter)
      }
      const waiter: Waiter = {
        waitsFor,
        resolve: () => (release(), resolve()),
        reject: (failure) => (release(), reject(failure)),
      }
      const aborted = () => waiter.reject(new SidecarFailure("aborted", "the caller gave up"))
      const cancelTimer = this.clock.after(timeoutMs, () =>
        waiter.reject(new SidecarFailure("timeout", `the sidecar was not ready within ${Math.round(timeoutMs)} ms`)),
      )
      signal?.addEventListener("abort", aborted)
      this.waiters.add(waiter)
    })
  }

  private receive(message: Record<string, unknown>, requests: Requests): void {
    requests.take(message)
    if (typeof message.method !== "string" || message.id !== undefined) return
    for (const listener of this.listeners.get(message.method) ?? []) {
      try {
        listener(message.params as never)
      } catch (error) {
        this.log(`a listener of ${message.method} failed: ${String(error)}`)
      }
    }
  }

  private log(text: string): void {
    try {
      this.options.onLog?.(text)
    } catch {
      // The host's own listener failed; the sidecar's life does not depend on it.
    }
  }
}
