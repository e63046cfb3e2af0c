import { randomUUID } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { runWithoutContinuity } from "../../../rpc_schema/typescript"
import type { ClaudeRunInput, CodexRunInput, Continuity, RunReport } from "../../../rpc_schema/typescript"
import { AcpProvider } from "./acp"
import type { AcpUpdate } from "./acp"

/** A sub-chat's row. The messages are JSON, as in the app's database. */
export interface Row {
  id: string
  messages: string
  sessionId: string | null
  mode: "plan" | "agent"
}

export interface Message {
  id: string
  role: "user" | "assistant"
  parts: Part[]
  metadata?: Record<string, unknown>
}

export type Part = Record<string, unknown>
export type Chunk = { type: string } & Record<string, unknown>
export type Image = { base64Data: string; mediaType: string }

/** What a run is called with: the client's own object, or what the app sends without it. */
type ClaudeCall = Pick<
  Awaited<ReturnType<typeof runWithoutContinuity>> & { prompt: unknown },
  "metadata" | "observe" | "end" | "ended" | "environment"
> & {
  prompt: string | AsyncIterable<unknown>
  sessionOptions: object
  systemPrompt(own?: string): object
}

/** A program of Claude's SDK. */
export type Query = (call: { prompt: string | AsyncIterable<unknown>; options: object }) => AsyncIterable<SdkMessage>
type SdkMessage = { type: string; session_id?: string; uuid?: string; error?: string } & Record<string, unknown>

/** How the app is set up. */
export interface AppOptions {
  continuity: Continuity | null
  /** Whether the routers are the app's own, without any line of ours. */
  isOriginal?: boolean
  /** Whether messages have ids at which sessions can be rolled back and forked; off is the app's default. */
  historyEnabled?: boolean
  userData: string
  cwd: string
  projectPath: string
  query: Query
  codexProgram: string
  claudeEnv: NodeJS.ProcessEnv
  codexEnv: NodeJS.ProcessEnv
  /** How long a silent retry waits. */
  retryMs?: number
}

/** A prompt in a sub-chat, as the renderer sends it. */
export interface Prompt {
  subChatId: string
  prompt: string
  images?: readonly Image[]
  isLocalModel?: boolean
  appManagedKey?: boolean
  /** What the user chose for the chat. */
  continuityMode?: "off" | "passive" | "active"
}

/** A prompt's subscription. */
export interface Subscription {
  /** Settles when the router's work is over, with what the renderer got. */
  done: Promise<Chunk[]>
  /** Settles when the run is stored; null without continuity. */
  report: Promise<RunReport | null>
  /** The user's Stop: the renderer unsubscribes. */
  stop(): void
}

const POLICY_RETRIES = 2
const MARKER = /@\[(file|folder):(local|external):([^\]]+)\]/g

/**
 * The app around its agents: rows, subscriptions, retries, forks and rollbacks in the order in which the app does them.
 * Its agents are the real programs.
 */
export class App {
  readonly rows = new Map<string, Row>()
  /** The sessions that the renderer remembers; they win over the rows. */
  readonly rendererSessions = new Map<string, string>()
  readonly runIds: string[] = []
  private readonly activeSessions = new Map<string, AbortController>()
  private readonly activeStreams = new Map<string, { runId: string; controller: AbortController }>()
  private readonly providers = new Map<string, { provider: AcpProvider; key: boolean }>()

  constructor(private readonly options: AppOptions) {}

  /** The folder of Claude's configuration that belongs to a sub-chat alone. */
  configFolder(subChatId: string): string {
    return join(this.options.userData, "claude-sessions", subChatId)
  }

  createSubChat(id: string): Row {
    const row: Row = { id, messages: "[]", sessionId: null, mode: "agent" }
    this.rows.set(id, row)
    return row
  }

  messagesOf(subChatId: string): Message[] {
    return JSON.parse(this.row(subChatId).messages) as Message[]
  }

  /** Sends a prompt to Claude. */
  claude(input: Prompt): Subscription {
    return this.subscribe((emit, complete, report) => {
      this.activeSessions.get(input.subChatId)?.abort()
      const controller = new AbortController()
      this.activeSessions.set(input.subChatId, controller)
      const teardown = () => {
        controller.abort()
        this.activeSessions.delete(input.subChatId)
      }
      const work = this.claudeRun(input, controller, emit, complete, report)
      return { teardown, work }
    })
  }

  /** Sends a prompt to Codex. */
  codex(input: Prompt): Subscription {
    return this.subscribe((emit, complete, report) => {
      const existing = this.activeStreams.get(input.subChatId)
      if (existing) {
        existing.controller.abort()
        this.cleanupProvider(input.subChatId)
      }
      const controller = new AbortController()
      const runId = randomUUID()
      this.activeStreams.set(input.subChatId, { runId, controller })
      const work = this.codexRun(input, runId, controller, emit, complete, report)
      return { teardown: () => controller.abort(), work }
    })
  }

  /** Copies a sub-chat up to a message; its session's files are copied whole, and the copy has the same session id. */
  fork(subChatId: string, newId: string, messageIndex = Number.POSITIVE_INFINITY): Row {
    const source = this.row(subChatId)
    const messages = this.messagesOf(subChatId).slice(0, messageIndex + 1)
    const last = messages.filter((message) => message.role === "assistant").at(-1)
    const copies = messages.map((message, index) => {
      const canFork = message === last && message.metadata?.sdkMessageUuid !== undefined
      const metadata = { ...message.metadata, shouldResume: undefined, ...(canFork ? { shouldForkResume: true } : {}) }
      return { ...message, id: `fork-${Date.now()}-${index}-${randomUUID().slice(0, 5)}`, metadata }
    })
    const row = { ...source, id: newId, messages: JSON.stringify(copies) }
    this.rows.set(newId, row)
    const folder = join(this.configFolder(subChatId), "projects")
    if (existsSync(folder)) cpSync(folder, join(this.configFolder(newId), "projects"), { recursive: true })
    return row
  }

  /** Drops the messages after one, which needs the provider's id of that message. */
  rollBack(subChatId: string, messageIndex: number): void {
    const kept = this.messagesOf(subChatId).slice(0, messageIndex + 1)
    const last = kept.at(-1)
    if (last?.metadata?.sdkMessageUuid === undefined) throw new Error("The app rolls back to messages with an id only.")
    last.metadata = { ...last.metadata, shouldResume: true }
    this.row(subChatId).messages = JSON.stringify(kept)
  }

  /** Ends what the app runs for its sub-chats. */
  close(): void {
    for (const subChatId of [...this.providers.keys()]) this.cleanupProvider(subChatId)
  }

  private row(subChatId: string): Row {
    return this.rows.get(subChatId) ?? this.createSubChat(subChatId)
  }

  /** An observable: completing it tears it down, exactly as leaving it does. */
  private subscribe(
    start: (
      emit: (chunk: Chunk) => boolean,
      complete: () => void,
      report: (report: Promise<RunReport>) => void,
    ) => { teardown: () => void; work: Promise<void> },
  ): Subscription {
    const chunks: Chunk[] = []
    let isActive = true
    let settle: (report: RunReport | null | Promise<RunReport>) => void = () => undefined
    const report = new Promise<RunReport | null>((resolve) => (settle = resolve))
    const emit = (chunk: Chunk) => {
      if (isActive) chunks.push(chunk)
      return isActive
    }
    const stop = () => {
      if (!isActive) return
      isActive = false
      started.teardown()
    }
    const started = start(emit, stop, settle)
    const done = started.work.then(() => (settle(null), chunks))
    return { done, report, stop }
  }

  private async claudeRun(
    input: Prompt,
    controller: AbortController,
    emit: (chunk: Chunk) => boolean,
    complete: () => void,
    report: (report: Promise<RunReport>) => void,
  ): Promise<void> {
    const { historyEnabled = false, cwd, retryMs = 0 } = this.options
    const { subChatId, images = [], isLocalModel = false } = input
    let run: ClaudeCall | null = null
    const safeEmit = (chunk: Chunk) => {
      run?.observe(chunk)
      return emit(chunk)
    }
    try {
      const row = this.row(subChatId)
      const existing = this.messagesOf(subChatId)
      const last = existing.filter((message) => message.role === "assistant").at(-1)
      const uuid = last?.metadata?.sdkMessageUuid as string | undefined
      const rollbackTo = last?.metadata?.shouldResume ? (uuid ?? null) : null
      const forks = last?.metadata?.shouldForkResume === true
      if (forks) {
        delete last.metadata?.shouldForkResume
        row.messages = JSON.stringify(existing)
      }
      const messages = this.storePrompt(row, existing, input)
      const finalPrompt = input.prompt.replace(MARKER, "$3").trim()
      const resumeSessionId = this.rendererSessions.get(subChatId) ?? row.sessionId ?? undefined
      run = await this.beginClaude({
        ...this.placeOf(input, existing, controller.signal),
        provider: "claude",
        prompt: finalPrompt,
        sessionId: resumeSessionId,
        rollbackTo,
        forkAt: forks ? (uuid ?? null) : null,
        images: images.map((image) => imageBlock(image)),
        isLocalModel,
        transcriptFolder: this.configFolder(subChatId),
        isCurrent: () => [undefined, controller].includes(this.activeSessions.get(subChatId)),
      })
      report(run.ended)
      mkdirSync(this.configFolder(subChatId), { recursive: true })
      let prompt = run.prompt
      if (isLocalModel && typeof prompt === "string") prompt = withHistory(existing, prompt)
      const call = {
        prompt,
        options: {
          abortController: controller,
          cwd,
          systemPrompt: run.systemPrompt(this.ownSystemText()),
          env: { ...this.options.claudeEnv, ...run.environment, CLAUDE_CONFIG_DIR: this.configFolder(subChatId) },
          permissionMode: "bypassPermissions",
          allowDangerouslySkipPermissions: true,
          includePartialMessages: true,
          ...(isLocalModel ? {} : { settingSources: ["project", "user"] }),
          stderr: () => undefined,
          ...run.sessionOptions,
        },
      }
      await this.stream({ input, row, messages, call, run, controller, safeEmit, complete, historyEnabled, retryMs })
    } catch (error) {
      safeEmit({ type: "error", errorText: `Unexpected error: ${String(error)}` })
      safeEmit({ type: "finish" })
      complete()
    } finally {
      run?.end()
      this.activeSessions.delete(subChatId)
    }
  }

  /** The loop around the SDK's query, with the silent retry. */
  private async stream(work: {
    input: Prompt
    row: Row
    messages: Message[]
    call: Parameters<Query>[0]
    run: ClaudeCall
    controller: AbortController
    safeEmit: (chunk: Chunk) => boolean
    complete: () => void
    historyEnabled: boolean
    retryMs: number
  }): Promise<void> {
    const { row, messages, call, run, controller, safeEmit, complete, historyEnabled, retryMs } = work
    const { signal } = controller
    let metadata: Record<string, unknown> = { ...run.metadata }
    const parts: Part[] = []
    let retries = 0
    for (let repeats = true; repeats; ) {
      repeats = false
      let count = 0
      let lastUuid: string | undefined
      try {
        for await (const message of this.options.query(call)) {
          run.observe(message)
          if (signal.aborted) break
          count += 1
          if (message.type === "error" || message.error) {
            const text = textOf(message) || String(message.error)
            const category = categoryOf(message.error ?? "", text)
            if (category === "USAGE_POLICY_VIOLATION" && retries < POLICY_RETRIES) {
              retries += 1
              repeats = true
              break
            }
            safeEmit({ type: "error", errorText: text, debugInfo: { category } })
            safeEmit({ type: "finish" })
            complete()
            return
          }
          if (message.session_id) metadata.sessionId = message.session_id
          if (message.type === "assistant" && message.uuid) lastUuid = message.uuid
          if (message.type === "result" && historyEnabled && lastUuid && !signal.aborted) metadata.sdkMessageUuid = lastUuid
          for (const chunk of chunksOf(message)) {
            if (!safeEmit(chunk)) break
            addPart(parts, chunk)
            if (chunk.type === "message-metadata") metadata = { ...metadata, ...(chunk.messageMetadata as object) }
          }
        }
      } catch (error) {
        if (!signal.aborted) safeEmit({ type: "error", errorText: String(error), debugInfo: { category: "PROCESS_CRASH" } })
        this.save(row, messages, parts, metadata, run)
        safeEmit({ type: "finish" })
        complete()
        return
      }
      if (count === 0 && !repeats && !signal.aborted) {
        safeEmit({ type: "error", errorText: "Empty response: No response received from Claude" })
        safeEmit({ type: "finish" })
        complete()
        return
      }
      if (repeats) await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
    this.save(row, messages, parts, metadata, run)
    safeEmit({ type: "finish" })
    complete()
  }

  private save(row: Row, messages: Message[], parts: Part[], metadata: Record<string, unknown>, run: ClaudeCall): void {
    if (parts.length > 0) {
      const message: Message = { id: randomUUID(), role: "assistant", parts, metadata }
      row.messages = JSON.stringify([...messages, message])
      run.observe(message)
    }
    // The database leaves out what is undefined.
    if (typeof metadata.sessionId === "string") {
      row.sessionId = metadata.sessionId
      this.rendererSessions.set(row.id, metadata.sessionId)
    }
  }

  private async codexRun(
    input: Prompt,
    runId: string,
    controller: AbortController,
    emit: (chunk: Chunk) => boolean,
    complete: () => void,
    report: (report: Promise<RunReport>) => void,
  ): Promise<void> {
    const { subChatId, images = [], appManagedKey = false } = input
    const isAuthoritative = () => [undefined, runId].includes(this.activeStreams.get(subChatId)?.runId)
    let run: Awaited<ReturnType<App["beginCodex"]>> | null = null
    const safeEmit = (chunk: Chunk) => {
      run?.observe(chunk)
      return emit(chunk)
    }
    try {
      const row = this.row(subChatId)
      const existing = this.messagesOf(subChatId)
      const messages = this.storePrompt(row, existing, input)
      const held = this.providers.get(subChatId)
      const isHeld = held !== undefined && held.key === appManagedKey
      const stored = appManagedKey ? undefined : lastSessionId(existing)
      run = await this.beginCodex({
        ...this.placeOf(input, existing, controller.signal),
        provider: "codex",
        runId,
        prompt: input.prompt,
        sessionId: (isHeld ? held.provider.getSessionId() : null) ?? stored,
        files: images.map(({ base64Data, mediaType }) => ({ type: "image", mimeType: mediaType, data: base64Data })),
        isCurrent: isAuthoritative,
      })
      report(run.ended)
      if (run.startsFresh || !isHeld) this.cleanupProvider(subChatId)
      const provider = this.provider(subChatId, appManagedKey, run.startsFresh ? undefined : stored)
      const parts: Part[] = []
      const onUpdate = (update: AcpUpdate) => {
        for (const chunk of chunksOfUpdate(update)) {
          addPart(parts, chunk)
          safeEmit(chunk)
        }
      }
      const reason = await provider.prompt(run.parts, onUpdate, controller.signal)
      const sessionId = provider.getSessionId() ?? undefined
      const message: Message = { id: randomUUID(), role: "assistant", parts, metadata: { ...run.metadata, sessionId } }
      if (parts.length > 0 && isAuthoritative()) {
        row.messages = JSON.stringify([...messages, message])
        run.observe(message)
      }
      safeEmit({ type: "finish", messageMetadata: { sessionId, resultSubtype: reason } })
      complete()
    } catch (error) {
      safeEmit({ type: "error", errorText: String(error) })
      safeEmit({ type: "finish" })
      complete()
    } finally {
      run?.end()
      const active = this.activeStreams.get(subChatId)
      if (active?.runId === runId) {
        if (controller.signal.aborted) this.cleanupProvider(subChatId)
        this.activeStreams.delete(subChatId)
      }
    }
  }

  private placeOf(input: Prompt, messages: readonly Message[], signal: AbortSignal) {
    const { cwd, projectPath } = this.options
    const { subChatId, prompt, continuityMode } = input
    const place = { continuityMode, subChatId, chatId: "chat-1", mode: this.row(subChatId).mode, cwd, projectPath }
    return { ...place, typedPrompt: prompt, messages, signal }
  }

  private async beginClaude(input: ClaudeRunInput): Promise<ClaudeCall> {
    const { continuity, isOriginal } = this.options
    if (isOriginal) return originalCall(input)
    const run = continuity ? await continuity.beginRun(input) : runWithoutContinuity(input)
    this.runIds.push(run.id)
    return run
  }

  private async beginCodex(input: CodexRunInput) {
    const { continuity, isOriginal } = this.options
    const run = continuity ? await continuity.beginRun(input) : runWithoutContinuity(input)
    this.runIds.push(run.id)
    const { metadata, ended, startsFresh } = run
    const parts = isOriginal ? [{ type: "text", text: input.prompt }, ...input.files] : run.parts
    return { metadata, ended, startsFresh, parts, observe: run.observe.bind(run), end: run.end.bind(run) }
  }

  private provider(subChatId: string, key: boolean, existingSessionId: string | undefined): AcpProvider {
    const held = this.providers.get(subChatId)
    if (held) return held.provider
    const { codexProgram, codexEnv, cwd } = this.options
    const provider = new AcpProvider({ command: codexProgram, env: codexEnv, cwd, existingSessionId })
    this.providers.set(subChatId, { provider, key })
    return provider
  }

  private cleanupProvider(subChatId: string): void {
    this.providers.get(subChatId)?.provider.cleanup()
    this.providers.delete(subChatId)
  }

  private storePrompt(row: Row, existing: Message[], { prompt, images = [] }: Prompt): Message[] {
    const last = existing.at(-1)
    if (last?.role === "user" && last.parts.find((part) => part.type === "text")?.text === prompt) return existing
    const pictures = images.map((data) => ({ type: "data-image", data }))
    const message: Message = { id: randomUUID(), role: "user", parts: [{ type: "text", text: prompt }, ...pictures] }
    const messages = [...existing, message]
    row.messages = JSON.stringify(messages)
    return messages
  }

  private ownSystemText(): string | undefined {
    const path = join(this.options.cwd, "AGENTS.md")
    if (!existsSync(path)) return undefined
    const text = readFileSync(path, "utf8")
    return text.trim() === "" ? undefined : `\n\n# AGENTS.md\nThe project's instructions:\n\n${text}`
  }
}

/** What the app sends without continuity: a one-shot generator wherever there is an image. */
function originalCall(input: ClaudeRunInput): ClaudeCall {
  const run = runWithoutContinuity(input)
  const { prompt, images } = input
  const content = [...images, ...(prompt.trim() ? [{ type: "text", text: prompt }] : [])]
  async function* once() {
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null }
  }
  const append = (own?: string) => ({ type: "preset", preset: "claude_code", ...(own ? { append: own } : {}) })
  const { metadata, environment, ended, sessionOptions } = run
  const ignore = () => undefined
  const call = { prompt: images.length > 0 ? once() : prompt, systemPrompt: append, sessionOptions }
  return { ...call, metadata, environment, ended, observe: ignore, end: () => run.end() }
}

function imageBlock({ base64Data, mediaType }: Image): object {
  return { type: "image", source: { type: "base64", media_type: mediaType, data: base64Data } }
}

function withHistory(messages: readonly Message[], prompt: string): string {
  const lines = messages.map(({ role, parts }) => `${role}: ${parts.map((part) => String(part.text ?? "")).join("")}`)
  return `[CONVERSATION HISTORY]\n${lines.join("\n")}\n[/CONVERSATION HISTORY]\n\n[CURRENT REQUEST]\n${prompt}\n[/CURRENT REQUEST]`
}

function lastSessionId(messages: readonly Message[]): string | undefined {
  const id = messages.filter((message) => message.role === "assistant").at(-1)?.metadata?.sessionId
  return typeof id === "string" ? id : undefined
}

function categoryOf(code: string, text: string): string {
  if (code === "authentication_failed" || text.includes("authentication")) return "AUTH_FAILURE"
  if (code === "rate_limit_exceeded" || text.includes("rate")) return "RATE_LIMIT_SDK"
  if (code === "overloaded" || text.includes("overload")) return "OVERLOADED_SDK"
  if (code === "invalid_request" || text.includes("Usage Policy")) return "USAGE_POLICY_VIOLATION"
  return "SDK_ERROR"
}

function contentOf(message: SdkMessage): Record<string, unknown>[] {
  const content = (message.message as { content?: unknown } | undefined)?.content
  return Array.isArray(content) ? (content as Record<string, unknown>[]) : []
}

function textOf(message: SdkMessage): string {
  return String(contentOf(message)[0]?.text ?? "")
}

/** The chunks for the renderer. A tool that failed leaves no output in the stored parts. */
function* chunksOf(message: SdkMessage): Generator<Chunk> {
  if (message.type === "assistant") {
    for (const block of contentOf(message)) {
      if (block.type === "text") yield { type: "text-delta", delta: block.text }
      if (block.type === "tool_use") {
        yield { type: "tool-input-available", toolCallId: block.id, toolName: block.name, input: block.input }
      }
    }
  }
  if (message.type === "user") {
    for (const block of contentOf(message)) {
      if (block.type !== "tool_result") continue
      const { tool_use_id: toolCallId, is_error: isError, content } = block
      if (isError) yield { type: "tool-output-error", toolCallId, errorText: JSON.stringify(content) }
      else yield { type: "tool-output-available", toolCallId, output: message.tool_use_result ?? content }
    }
  }
  if (message.type === "system" && message.subtype === "compact_boundary") {
    yield { type: "tool-input-available", toolCallId: "compact", toolName: "Compact", input: {} }
    yield { type: "tool-output-available", toolCallId: "compact", output: { status: "compacted" } }
  }
  if (message.type === "result") {
    yield { type: "message-metadata", messageMetadata: { sessionId: message.session_id, resultSubtype: message.subtype } }
  }
}

function* chunksOfUpdate(update: AcpUpdate): Generator<Chunk> {
  const { sessionUpdate, content, toolCallId, title, status, rawInput, rawOutput } = update
  if (sessionUpdate === "agent_message_chunk") yield { type: "text-delta", delta: content?.text ?? "" }
  if (sessionUpdate === "tool_call") yield { type: "tool-input-available", toolCallId, toolName: "Bash", input: rawInput ?? { title } }
  if (sessionUpdate === "tool_call_update" && status === "completed") {
    yield { type: "tool-output-available", toolCallId, output: rawOutput }
  }
}

function addPart(parts: Part[], chunk: Chunk): void {
  if (chunk.type === "text-delta") {
    const last = parts.at(-1)
    if (last?.type === "text") last.text = String(last.text) + String(chunk.delta)
    else parts.push({ type: "text", text: chunk.delta })
  } else if (chunk.type === "tool-input-available") {
    const { toolCallId, toolName, input } = chunk
    parts.push({ type: `tool-${String(toolName)}`, toolCallId, toolName, input, state: "call" })
  } else if (chunk.type === "tool-output-available") {
    const part = parts.find((each) => each.toolCallId === chunk.toolCallId)
    if (part) Object.assign(part, { output: chunk.output, state: "result" })
  }
}
