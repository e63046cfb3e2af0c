import type { StoredMessage } from "./runInput"
import type { PostRunParams, RunError, RunUsage, ToolError } from "./types"

export type Outcome = PostRunParams["outcome"]

/** How a run ended, for an app that knows more than its events show. */
export interface RunEnding {
  /** What was thrown. */
  error?: unknown
  /** The app's own category of the error. */
  errorCategory?: string
  /** The assistant's message as it was stored. */
  message?: StoredMessage
}

/** The app's error categories, the provider's error codes, and the beginnings of error texts that have no category. */
const ERROR_KINDS: Readonly<Record<string, RunError["kind"]>> = {
  AUTH_FAILURE: "auth",
  AUTH_FAILED_SDK: "auth",
  INVALID_API_KEY: "auth",
  INVALID_API_KEY_SDK: "auth",
  authentication_failed: "auth",
  invalid_api_key: "auth",
  oauth_org_not_allowed: "auth",
  RATE_LIMIT: "rateLimit",
  RATE_LIMIT_SDK: "rateLimit",
  rate_limit: "rateLimit",
  rate_limit_exceeded: "rateLimit",
  OVERLOADED_SDK: "overload",
  overloaded: "overload",
}

/** Errors of the app that come before the provider gets anything, and the one for a provider without an answer. */
const OUTCOMES_BY_TEXT: readonly (readonly [string, Outcome])[] = [
  ["Offline mode unavailable", "notStarted"],
  ["Failed to load Claude SDK", "notStarted"],
  ["Failed to start Claude query", "notStarted"],
  ["Empty response", "empty"],
]

const KINDS_BY_TEXT: readonly (readonly [RegExp, RunError["kind"]])[] = [
  [/\b401\b|\b403\b|unauthori[sz]ed|not logged in|authenticat|invalid.api.key/i, "auth"],
  [/\b429\b|rate.?limit|usage limit|quota/i, "rateLimit"],
  [/\b529\b|\b503\b|overload/i, "overload"],
]

const MAX_MESSAGE = 2_000
const MAX_TOOL_ERRORS = 100
const MAX_TOOL_ERROR = 100_000

type Fields = Readonly<Record<string, unknown>>

/**
 * How a run goes, read from what passes through the app's router: messages of Claude's SDK, chunks for the renderer,
 * and the message that is stored. The outcome is what came first: completing a run aborts its own signal.
 */
export class RunProgress {
  sessionId: string | null = null
  message: StoredMessage | null = null
  compactedAt: string | null = null
  usage: RunUsage | null = null
  private hasReached = false
  private hasContent = false
  private hasFinished = false
  private isAborted = false
  private failure: { outcome: Outcome; error: RunError | null } | null = null
  private readonly toolNames = new Map<string, string>()
  private readonly failedTools = new Map<string, ToolError>()

  get toolErrors(): ToolError[] {
    return [...this.failedTools.values()]
  }

  /** The run's signal was aborted; after its end this means nothing. */
  abort(): void {
    if (!this.hasFinished && !this.failure) this.isAborted = true
  }

  /** Take in an event; one of an unknown kind is ignored. `now` is RFC 3339. */
  observe(event: unknown, now: string): void {
    if (!isObject(event)) return
    if (event.role === "assistant" && Array.isArray(event.parts)) this.store(event)
    else if (isObject(event.message) || "session_id" in event) this.observeSdkMessage(event, now)
    else this.observeChunk(event)
  }

  /** Take in what the app adds at the end. */
  close({ error, errorCategory, message }: RunEnding): void {
    if (message) this.store(message)
    if (error !== undefined || errorCategory !== undefined) this.fail(textOf(error ?? errorCategory), errorCategory)
  }

  /** Return the outcome of a run that is over. */
  outcome(isSuperseded: boolean): { outcome: Outcome; error: RunError | null } {
    const because = (outcome: Outcome) => ({ outcome, error: null })
    if (isSuperseded && !this.hasFinished) return because(this.hasReached ? "superseded" : "notStarted")
    if (this.isAborted) return because(this.hasReached ? "aborted" : "notStarted")
    if (this.failure) return this.failure
    if (this.hasContent) return because("completed")
    return because(this.hasReached || this.hasFinished ? "empty" : "notStarted")
  }

  private observeSdkMessage(message: Fields, now: string): void {
    const { type, subtype, session_id: sessionId } = message
    this.hasReached = true
    if (typeof sessionId === "string" && sessionId !== "") this.sessionId = sessionId
    if (type === "system" && subtype === "compact_boundary") this.compactedAt = now
    if (type === "assistant") this.observeAnswer(message)
    if (type === "user") this.observeToolResults(contentOf(message))
    if (type === "result") {
      if (message.is_error === true) this.fail(textOf(message.result ?? subtype), undefined)
      this.hasFinished = true
      this.usage = usageOfResult(message)
    }
  }

  private observeAnswer(message: Fields): void {
    // An answer with an error may be followed by a silent repetition: only what the app shows counts.
    if (message.error) return
    for (const block of contentOf(message)) {
      if (block.type === "text" || block.type === "tool_use") this.hasContent = true
      if (typeof block.id === "string" && typeof block.name === "string") this.toolNames.set(block.id, block.name)
    }
  }

  private observeToolResults(blocks: readonly Fields[]): void {
    for (const { type, is_error: isError, tool_use_id: id, content } of blocks) {
      if (type === "tool_result" && isError === true) this.failTool(id, textOf(content))
    }
  }

  private observeChunk(chunk: Fields): void {
    switch (chunk.type) {
      case "error":
      case "auth-error": {
        const category = isObject(chunk.debugInfo) ? chunk.debugInfo.category : undefined
        this.fail(textOf(chunk.errorText), chunk.type === "auth-error" ? "AUTH_FAILURE" : category)
        break
      }
      case "text-delta":
      case "tool-input-available":
        this.hasReached = this.hasContent = true
        if (typeof chunk.toolCallId === "string" && typeof chunk.toolName === "string") {
          this.toolNames.set(chunk.toolCallId, chunk.toolName)
        }
        break
      case "tool-output-error":
        this.failTool(chunk.toolCallId, textOf(chunk.errorText))
        break
      case "message-metadata":
      case "start":
      case "finish":
        this.observeMetadata(chunk.messageMetadata)
        if (chunk.type === "finish" && this.hasReached && !this.isAborted) this.hasFinished = true
    }
  }

  private observeMetadata(metadata: unknown): void {
    if (isObject(metadata) && typeof metadata.sessionId === "string") this.sessionId = metadata.sessionId
  }

  private store(message: StoredMessage): void {
    this.message = message
    const { parts = [], metadata } = message
    if (parts.some(isContent)) this.hasReached = this.hasContent = true
    this.observeMetadata(metadata)
    if (metadata) this.usage = usageOfMetadata(metadata)
  }

  private fail(text: string, category: unknown): void {
    if (this.isAborted || this.hasFinished) return
    const known = OUTCOMES_BY_TEXT.find(([beginning]) => text.startsWith(beginning))
    if (known) {
      this.failure = { outcome: known[1], error: null }
      return
    }
    const kind =
      (typeof category === "string" ? ERROR_KINDS[category] : undefined) ??
      (category === undefined ? KINDS_BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] : undefined)
    const error = { kind: kind ?? "other", message: text.slice(0, MAX_MESSAGE) }
    this.failure = { outcome: this.hasReached || kind !== undefined ? "error" : "notStarted", error }
  }

  private failTool(id: unknown, text: string): void {
    if (typeof id !== "string" || this.failedTools.size >= MAX_TOOL_ERRORS) return
    const toolName = this.toolNames.get(id) ?? null
    this.failedTools.set(id, { toolCallId: id, toolName, text: text.slice(-MAX_TOOL_ERROR) })
  }
}

function contentOf(message: Fields): readonly Fields[] {
  const content = isObject(message.message) ? message.message.content : undefined
  return Array.isArray(content) ? content.filter(isObject) : []
}

function isContent(part: unknown): boolean {
  if (!isObject(part)) return false
  return part.type === "text" ? typeof part.text === "string" && part.text.trim() !== "" : true
}

function usageOfResult({ usage, total_cost_usd: cost, duration_ms: duration }: Fields): RunUsage {
  const tokens = isObject(usage) ? usage : {}
  return {
    inputTokens: numberOf(tokens.input_tokens),
    outputTokens: numberOf(tokens.output_tokens),
    cacheReadTokens: numberOf(tokens.cache_read_input_tokens),
    cacheCreationTokens: numberOf(tokens.cache_creation_input_tokens),
    costUsd: numberOf(cost),
    durationMs: numberOf(duration),
  }
}

function usageOfMetadata(metadata: Fields): RunUsage {
  return {
    inputTokens: numberOf(metadata.inputTokens),
    outputTokens: numberOf(metadata.outputTokens),
    cacheReadTokens: numberOf(metadata.cacheReadInputTokens),
    cacheCreationTokens: numberOf(metadata.cacheCreationInputTokens),
    costUsd: numberOf(metadata.totalCostUsd),
    durationMs: numberOf(metadata.durationMs),
  }
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null
}

/** Return the text of an error, of a tool's output, or of whatever else came. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value
  if (value instanceof Error) return value.message
  if (Array.isArray(value)) return value.map((block) => (isObject(block) ? textOf(block.text) : "")).join("\n")
  return value === undefined || value === null ? "" : String(value)
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null
}
