import type { Clock } from "./clock"
import { SidecarFailure } from "./failure"
import { line } from "./lines"
import type { ErrorData, Progress } from "./types"

/** How one request is sent. */
export interface Sending {
  /** Milliseconds until the request is given up and cancelled. */
  timeoutMs: number
  /** Aborting it cancels the request. */
  signal?: AbortSignal
  /** Hears how far a job is. */
  onProgress?: (value: Progress) => void
}

interface Pending {
  resolve(result: unknown): void
  reject(failure: SidecarFailure): void
  release(): void
  onProgress?: (value: Progress) => void
}

/** The requests of one process that have no answer yet. */
export class Requests {
  /** The largest message the sidecar takes, in bytes. */
  maxBytes = 16 * 1024 * 1024
  private readonly pending = new Map<number, Pending>()
  private lastId = 0
  private unheard = 0

  constructor(
    private readonly clock: Clock,
    private readonly write: (text: string) => boolean,
  ) {}

  /** How many requests in a row timed out without one message from the process. */
  get timeoutsInSilence(): number {
    return this.unheard
  }

  /** Sends a request and returns its result; rejects with a `SidecarFailure`. */
  exchange(method: string, params: unknown, sending: Sending): Promise<unknown> {
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      const problem = this.problemSending(line({ jsonrpc: "2.0", id, method, params }))
      if (problem) throw new SidecarFailure("notSent", `${method}: ${problem}`)
      const { timeoutMs, signal, onProgress } = sending
      const timedOut = () => {
        this.unheard += 1
        this.giveUp(id, new SidecarFailure("timeout", `${method}: no answer within ${Math.round(timeoutMs)} ms`))
      }
      const aborted = () => this.giveUp(id, new SidecarFailure("aborted", `${method}: the caller gave up`))
      const cancelTimer = this.clock.after(timeoutMs, timedOut)
      const release = () => {
        cancelTimer()
        signal?.removeEventListener("abort", aborted)
      }
      this.pending.set(id, { resolve, reject, release, onProgress })
      signal?.addEventListener("abort", aborted)
      if (signal?.aborted) aborted()
    })
  }

  /** Takes a message that has an `id`, or a progress notification. */
  take(message: Record<string, unknown>): void {
    this.unheard = 0
    if (message.method === "$/progress") this.progress(message.params)
    else if (message.method === undefined && typeof message.id === "number") this.answer(message.id, message)
  }

  /** Fails everything that is waiting. */
  failAll(failure: SidecarFailure): void {
    for (const id of [...this.pending.keys()]) this.remove(id)?.reject(failure)
  }

  private answer(id: number, message: Record<string, unknown>): void {
    const pending = this.remove(id)
    if (!pending) return
    if (isError(message.error)) {
      const { code, message: text, data } = message.error
      pending.reject(new SidecarFailure("refused", text, code, data))
    } else {
      pending.resolve(message.result)
    }
  }

  private progress(params: unknown): void {
    const { token, value } = (params ?? {}) as { token?: unknown; value?: Progress }
    const pending = typeof token === "number" ? this.pending.get(token) : undefined
    if (value) pending?.onProgress?.(value)
  }

  /** The answer to a message that is too large has no id, so it could not be matched with its request. */
  private problemSending(text: string): string | null {
    if (Buffer.byteLength(text) > this.maxBytes) return `the message is over ${this.maxBytes} bytes`
    return this.write(text) ? null : "the sidecar does not take the message"
  }

  private giveUp(id: number, failure: SidecarFailure): void {
    const pending = this.remove(id)
    if (!pending) return
    this.write(line({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } }))
    pending.reject(failure)
  }

  private remove(id: number): Pending | undefined {
    const pending = this.pending.get(id)
    this.pending.delete(id)
    pending?.release()
    return pending
  }
}

function isError(value: unknown): value is { code: number; message: string; data?: ErrorData } {
  const error = value as { code?: unknown; message?: unknown } | null | undefined
  return typeof error?.code === "number" && typeof error.message === "string"
}
