import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"

import { Lines } from "../../../rpc_schema/typescript/lines"

const MAX_LINE = 32 * 1024 * 1024

/** How a provider of the app is made. */
export interface AcpOptions {
  command: string
  env: NodeJS.ProcessEnv
  cwd: string
  /** The session to load; without one a new session begins. */
  existingSessionId?: string
}

/** An update that the agent sends while it works on a prompt. */
export interface AcpUpdate {
  sessionUpdate: string
  content?: { type: string; text?: string }
  toolCallId?: string
  title?: string
  status?: string
  rawInput?: unknown
  rawOutput?: unknown
}

interface Reply {
  result?: { sessionId?: string; stopReason?: string }
  error?: { message: string; data?: unknown }
}

/** The real agent for Codex as the app uses it: one process and one session, which it keeps for the sub-chat. */
export class AcpProvider {
  private child: ChildProcess | null = null
  private sessionId: string | null = null
  private lastId = 0
  private readonly replies = new Map<number, (reply: Reply) => void>()
  private onUpdate: (update: AcpUpdate) => void = () => undefined

  constructor(private readonly options: AcpOptions) {}

  getSessionId(): string | null {
    return this.sessionId
  }

  /** Sends a prompt and settles with the reason why the agent stopped. */
  async prompt(parts: readonly object[], onUpdate: (update: AcpUpdate) => void, signal: AbortSignal): Promise<string> {
    await this.connect()
    this.onUpdate = onUpdate
    const { sessionId } = this
    const cancel = () => this.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })
    if (signal.aborted) return "cancelled"
    signal.addEventListener("abort", cancel)
    const { stopReason } = await this.call("session/prompt", { sessionId, prompt: parts })
    signal.removeEventListener("abort", cancel)
    return stopReason ?? "end_turn"
  }

  /** Ends the process; the session stays on disk. */
  cleanup(): void {
    this.child?.kill("SIGKILL")
    this.child = null
  }

  private async connect(): Promise<void> {
    if (this.child) return
    const { command, env, cwd, existingSessionId } = this.options
    this.child = spawn(command, [], { env, cwd, stdio: ["pipe", "pipe", "ignore"] })
    const lines = new Lines(MAX_LINE)
    this.child.stdout?.on("data", (chunk: Uint8Array) => lines.feed(chunk).forEach((line) => this.receive(line)))
    this.child.stdin?.on("error", () => undefined)
    this.child.on("exit", () => {
      for (const settle of this.replies.values()) settle({ error: { message: "the agent ended" } })
      this.replies.clear()
    })
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    await this.call("initialize", { protocolVersion: 1, clientCapabilities })
    const session = { cwd, mcpServers: [] }
    if (existingSessionId) await this.call("session/load", { ...session, sessionId: existingSessionId })
    else this.sessionId = (await this.call("session/new", session)).sessionId ?? null
    this.sessionId ??= existingSessionId ?? null
  }

  private async call(method: string, params: object): Promise<NonNullable<Reply["result"]>> {
    const id = ++this.lastId
    const reply = await new Promise<Reply>((resolve) => {
      this.replies.set(id, resolve)
      this.send({ jsonrpc: "2.0", id, method, params })
    })
    if (reply.error) throw new Error(`${reply.error.message} ${JSON.stringify(reply.error.data ?? "")}`)
    return reply.result ?? {}
  }

  private send(message: object): void {
    this.child?.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  private receive(line: string): void {
    if (line === "") return
    const message = JSON.parse(line) as Reply & { id?: number; method?: string; params?: { update?: AcpUpdate } }
    if (message.method === "session/update" && message.params?.update) this.onUpdate(message.params.update)
    else if (message.method !== undefined && message.id !== undefined) {
      const outcome = { outcome: "selected", optionId: "approved" }
      this.send({ jsonrpc: "2.0", id: message.id, result: { outcome } })
    } else if (message.id !== undefined) {
      this.replies.get(message.id)?.(message)
      this.replies.delete(message.id)
    }
  }
}
