import { spawn } from "node:child_process"
import type { ChildProcess, SpawnOptions } from "node:child_process"
import { Socket } from "node:net"

import type { Clock } from "./clock"
import { Lines } from "./lines"

const MAX_LINE_BYTES = 32 * 1024 * 1024
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
const DRAIN_MS = 250
const PATIENCE_MS = 2_000

/** Starts a program; `child_process.spawn` fits. */
export type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess

export const systemSpawn: Spawn = (command, args, options) => spawn(command, args, options)

/** Which program to run. */
export interface Program {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
}

/** The events of a process. */
export interface ProcessEvents {
  /** A line of stdout that is a JSON object. */
  message(message: Record<string, unknown>): void
  /** A line of stdout that is not, or a line of stderr; for the host's log. */
  log(line: string): void
  /** The process ended or could not be started; called once, after its last message. */
  exit(why: string): void
}

/** One run of the sidecar's program: its pipes, and its end. */
export class SidecarProcess {
  /** Settles when the process has ended. */
  readonly gone: Promise<void>
  private readonly child: ChildProcess | null
  private settleGone: () => void = () => undefined
  private ended = false

  constructor(
    program: Program,
    start: Spawn,
    private readonly clock: Clock,
    private readonly events: ProcessEvents,
  ) {
    this.gone = new Promise((resolve) => (this.settleGone = resolve))
    this.child = this.spawned(program, start)
  }

  /** Writes one message's line; false when the process does not take it. */
  send(text: string): boolean {
    const stdin = this.child?.stdin
    if (this.ended || !stdin || !stdin.writable || stdin.writableLength > MAX_UNREAD_BYTES) return false
    stdin.write(text)
    return true
  }

  /** Ends the process: stdin is closed, after 2 s it gets SIGTERM, after 2 s more SIGKILL. */
  async end(): Promise<void> {
    this.child?.stdin?.end()
    const cancelTerm = this.clock.after(PATIENCE_MS, () => this.kill("SIGTERM"))
    const cancelKill = this.clock.after(2 * PATIENCE_MS, () => this.kill("SIGKILL"))
    await this.gone
    cancelTerm()
    cancelKill()
  }

  /** Closes stdin at once, which is enough to end the sidecar, and lets the host process go. */
  abandon(): void {
    this.child?.stdin?.destroy()
    this.child?.unref()
    for (const pipe of [this.child?.stdout, this.child?.stderr]) if (pipe instanceof Socket) pipe.unref()
  }

  /** Sends a signal; none to a process that has ended. */
  kill(signal: NodeJS.Signals): void {
    // A child that could not be started has the process id 0 until Node reports it, a tick later; a signal to 0
    // goes to the host's whole process group.
    if (!this.ended && this.child?.pid) this.child.kill(signal)
  }

  private spawned(program: Program, start: Spawn): ChildProcess | null {
    try {
      const child = start(program.command, program.args, {
        env: program.env,
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      })
      this.listen(child)
      return child
    } catch (error) {
      this.clock.after(0, () => this.finish(`could not be started: ${String(error)}`))
      return null
    }
  }

  private listen(child: ChildProcess): void {
    const { stdin, stdout, stderr } = child
    child.on("error", (error) => {
      if (child.pid === undefined) this.finish(`could not be started: ${error.message}`)
    })
    child.on("exit", (code, signal) => {
      const why = `ended with ${signal ?? `status ${code}`}`
      // `close` comes when the pipes are drained; a grandchild may hold them open, so do not wait for long.
      this.clock.after(DRAIN_MS, () => this.finish(why))
      child.on("close", () => this.finish(why))
    })
    // Without a listener, writing to a process that has just ended (EPIPE) would end the host.
    for (const stream of [stdin, stdout, stderr]) stream?.on("error", (error) => this.events.log(error.message))
    const out = new Lines(MAX_LINE_BYTES)
    stdout?.on("data", (chunk: Uint8Array) => out.feed(chunk).forEach((line) => this.read(line)))
    const err = new Lines(MAX_LINE_BYTES)
    stderr?.on("data", (chunk: Uint8Array) => err.feed(chunk).forEach((line) => this.events.log(line)))
  }

  private read(line: string): void {
    if (line === "") return
    const message = parsed(line)
    if (message) this.events.message(message)
    else this.events.log(`not a message: ${line.slice(0, 200)}`)
  }

  private finish(why: string): void {
    if (this.ended) return
    this.ended = true
    this.settleGone()
    this.events.exit(why)
  }
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
