import { execFileSync, spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"
import type { TestContext } from "node:test"

import { SidecarClient } from "../../rpc_schema/typescript/client"
import type { ClientOptions } from "../../rpc_schema/typescript/client"
import type { Clock } from "../../rpc_schema/typescript/clock"
import type { Continuity } from "../../rpc_schema/typescript/continuity"
import type { Spawn } from "../../rpc_schema/typescript/process"

/** The sidecar's program, as the Python side installed it. */
export const SIDECAR = process.env.SIDECAR_COMMAND ?? ""

/** The end of a test, or of the whole file, after which something is removed. */
export type Scope = Pick<TestContext, "after">

/** For what the tests of a file share: it lasts until the last of them is over. */
export const file: Scope = { after: (run) => after(run as () => void) }

/** Makes a folder that is removed when the test is over. */
export function folder(t: Scope): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sidecar-client-")))
  t.after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

/** A git repository with a few files and a change. */
export function repository(t: Scope): string {
  const root = folder(t)
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd: root })
  mkdirSync(join(root, "src"))
  writeFileSync(join(root, "README.md"), "# Shop\n\nA small shop: carts, discounts, totals.\n")
  writeFileSync(join(root, "AGENTS.md"), "Prices are whole cents, never floats.\n")
  writeFileSync(join(root, "src", "cart.py"), "def total(cart):\n    return sum(item.price for item in cart)\n")
  writeFileSync(join(root, "src", "discount.py"), "def discount(total):\n    return total // 10\n")
  git("init", "--quiet")
  git("add", ".")
  git("commit", "--quiet", "-m", "A shop")
  writeFileSync(join(root, "src", "cart.py"), "def total(cart):\n    return sum(item.price for item in cart) - 0\n")
  return root
}

/** A client's options, a state folder of its own, and what it started. */
export interface Setting {
  options: ClientOptions
  children: ChildProcess[]
  log: string[]
  /** The messages written to the process's stdin, in order. */
  written: string[]
}

/** Options for a client of a program; every process it starts is killed when the test is over. */
export function setting(t: Scope, changes: Partial<ClientOptions> = {}): Setting {
  const state = folder(t)
  const children: ChildProcess[] = []
  const log: string[] = []
  const written: string[] = []
  const recording: Spawn = (command, args, options) => {
    const child = spawn(command, args, options)
    children.push(child)
    const write = child.stdin?.write.bind(child.stdin)
    if (child.stdin && write) {
      child.stdin.write = (text: string) => {
        written.push(text.trimEnd())
        return write(text)
      }
    }
    return child
  }
  t.after(() => children.forEach((child) => child.pid && child.kill("SIGKILL")))
  const initialize = { clientInfo: { name: "tests", version: "1" }, stateDir: join(state, "state") }
  const options = { command: SIDECAR, initialize, spawn: recording, onLog: (line: string) => log.push(line), ...changes }
  return { options, children, log, written }
}

/** A client of the real program, ready. */
export async function ready(t: Scope, made: Setting = setting(t)): Promise<SidecarClient> {
  const client = new SidecarClient(made.options)
  t.after(() => client.stopSync())
  await client.request("ping", {})
  return client
}

/** Gives pre-runs a deadline and a patience that a busy machine meets; the result gives them their own again. */
export function unhurried({ client }: Continuity): () => void {
  const own = client.request
  const request = own.bind(client) as (method: string, params: unknown, options?: object) => Promise<never>
  client.request = (method: string, params: unknown, options?: object) =>
    method === "continuity/preRun"
      ? request(method, { ...(params as object), deadlineMs: 20_000 }, { ...options, timeoutMs: 25_000 })
      : request(method, params, options)
  return () => {
    client.request = own
  }
}

/** Writes a Node script and gives the options that run it in the sidecar's place. */
export function script(t: Scope, source: string): Pick<ClientOptions, "command" | "args"> {
  const path = join(folder(t), "program.js")
  writeFileSync(path, source)
  return { command: process.execPath, args: [path] }
}

/** Waits until something holds; throws when it does not within the time. */
export async function until(holds: () => boolean, what: string, timeoutMs = 60_000): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Says whether a process is running; one that ended and was not yet collected by its new parent is not. */
export function alive(pid: number | undefined): boolean {
  if (pid === undefined) return false
  try {
    process.kill(pid, 0)
    return !(process.platform === "linux" && /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")))
  } catch {
    return false
  }
}

/** A clock that moves when a test says so. */
export class ManualClock implements Clock {
  private time = 0
  private timers: { at: number; run: () => void }[] = []

  now(): number {
    return this.time
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.time + ms, run }
    this.timers.push(timer)
    return () => {
      this.timers = this.timers.filter((one) => one !== timer)
    }
  }

  /** How long until each timer, the next one first. */
  get pending(): number[] {
    return this.timers.map((timer) => timer.at - this.time).sort((a, b) => a - b)
  }

  /** Lets time pass and runs what is due, in order. */
  advance(ms: number): void {
    const end = this.time + ms
    for (;;) {
      const due = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
      if (!due) break
      this.time = due.at
      this.timers = this.timers.filter((timer) => timer !== due)
      due.run()
    }
    this.time = end
  }
}
