import { mentionsIn, withoutMarkers } from "./mentions"
import { splitNotes } from "./notes"
import { RunProgress } from "./outcome"
import type { Outcome, RunEnding } from "./outcome"
import { NOTHING, claudePrompt, claudeSystemPrompt, codexParts } from "./prompts"
import type { ClaudePrompt, ClaudeSystemPrompt, Injection } from "./prompts"
import { IDENTITY_KEY, lostFacts, storedSystemText } from "./sessionFacts"
import type { RunIdentity } from "./sessionFacts"
import type { FailureReason } from "./failure"
import type { ClaudeRunInput, CodexRunInput, RunInput, StoredMessage } from "./runInput"
import type {
  ArtifactReference,
  PostRunParams,
  PostRunResult,
  PreRunParams,
  PreRunResult,
  Remembered,
  SessionBefore,
  Withdrawn,
} from "./types"

const MAX_STRING = 256 * 1024
const TRANSCRIPT_FOLDER = "projects"

/** Rule files that the host itself sends; the anchor points at them and repeats nothing. */
const HOST_INJECTS = {
  claude: { agentsMd: true, claudeMd: true },
  codex: { agentsMd: true, claudeMd: false },
} as const

/** The user's own hooks for a terminal stay silent in an agent that the app starts. */
const HOSTED = { ONECODE_CONTINUITY_HOST: "1code" } as const

/** What became of a pre-run; whatever it is, the prompt can be sent. */
export type PreRunOutcome =
  | { kind: "answered"; result: PreRunResult; injection: Injection }
  | { kind: "failedOpen"; why: FailureReason | "breakerOpen"; detail: string; result: null; injection: Injection }

/** What became of a post-run. */
export type PostRunOutcome =
  | { kind: "accepted"; result: PostRunResult }
  | { kind: "failed"; why: FailureReason; detail: string }

/** What is stored with the assistant's message: the usage card's figures, and the run's identity. */
export interface RunMetadata {
  continuityCacheHit?: boolean
  continuityInjectedBytes?: number
  continuityReusedPercent?: number
  continuityStateIds?: PreRunResult["metadata"]["stateIds"]
  continuityRun?: RunIdentity
}

/** What is known once a run is stored; it can be shown below the answer. */
export interface RunReport {
  outcome: Outcome
  /** Whether the sidecar stored the run. */
  accepted: boolean
  /** Why it did not; null if it did, or if continuity is off. */
  failure: string | null
  /** The answer's text without its notes, and the notes, which the app shows folded. */
  answer: string
  notes: string
  /** "Remembered: …" with an undo (`memory/undo {id}`). */
  remembered: Remembered[]
  /** "No longer holds: …" with an undo (`memory/undo {id: replacedBy}`, or `memory/confirm {id}`). */
  withdrawn: Withdrawn[]
  artifacts: ArtifactReference[]
}

/** The session options of Claude's SDK. */
export interface ClaudeSessionOptions {
  resume?: string
  resumeSessionAt?: string
  forkSession?: true
  continue?: true
}

/** How a run is reported; absent where continuity is off. */
export interface RunRecorder {
  record(run: { params: PostRunParams; compactedAt: string | null }): Promise<PostRunOutcome>
  isSuperseded(): boolean
  now(): string
}

abstract class Run<Input extends RunInput> {
  readonly id: string
  /** To be stored with the assistant's message. */
  readonly metadata: RunMetadata
  /** Text that the chat shows where a fresh session begins; null without one. */
  readonly notice: string | null
  /** Whether the run begins a fresh session: nothing is resumed, continued or loaded. */
  readonly startsFresh: boolean
  /** What happened to the prompt, for the log. */
  readonly status: string
  /** What is added to the agent's environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Settles when the run is stored, at most 30 s after its end; never rejects. */
  readonly ended: Promise<RunReport>
  protected readonly injection: Injection
  private readonly progress = new RunProgress()
  private readonly startedAt: string
  private settle!: (report: RunReport | Promise<RunReport>) => void
  private hasEnded = false

  constructor(
    protected readonly input: Input,
    private readonly preRun: { params: PreRunParams; outcome: PreRunOutcome; startedAt: string } | null,
    private readonly recorder: RunRecorder | null,
  ) {
    const result = preRun?.outcome.result ?? null
    this.id = preRun?.params.runId ?? input.runId ?? ""
    this.injection = preRun?.outcome.injection ?? NOTHING
    this.startedAt = preRun?.startedAt ?? ""
    this.startsFresh = result?.governor.startFreshSession ?? false
    this.notice = this.startsFresh ? (result?.governor.marker ?? null) : null
    this.environment = preRun ? HOSTED : {}
    this.status = statusOf(preRun?.outcome ?? null)
    const lost = preRun && lostFacts(preRun.params.session, result)
    const identity = { runId: this.id, subChatId: input.subChatId, sentAt: recorder?.now() ?? "" }
    const text = this.newSystemText()
    const stored = { ...identity, ...(lost ? { lostFacts: lost } : {}), ...(text === null ? {} : { systemText: text }) }
    this.metadata = preRun ? { ...figuresOf(result), [IDENTITY_KEY]: stored } : {}
    this.ended = new Promise((resolve) => (this.settle = resolve))
    const { signal } = input
    if (signal?.aborted) this.progress.abort()
    signal?.addEventListener("abort", () => this.progress.abort(), { once: true })
  }

  /**
   * Take in what passes through the router: every message of Claude's SDK, every chunk for the renderer, the message
   * that is stored. The order and the rest do not matter; an event of an unknown kind is ignored.
   */
  observe(event: unknown): void {
    try {
      this.progress.observe(event, this.recorder?.now() ?? "")
    } catch {
      // Whatever the event is, the run goes on.
    }
  }

  /** Report the run. It is safe in `finally`: it returns at once, throws nothing, and the second call does nothing. */
  end(ending: RunEnding = {}): void {
    if (this.hasEnded) return
    this.hasEnded = true
    try {
      this.progress.close(ending)
      this.settle(this.report())
    } catch (error) {
      this.settle(reportOf("error", "", { kind: "failed", why: "notSent", detail: String(error) }))
    }
  }

  /** Whether the provider began to work on the prompt. */
  protected get isInSession(): boolean {
    return this.progress.sessionId !== null
  }

  /** Return the system text if the stored messages do not have it for the session that the run ends in. */
  private newSystemText(): string | null {
    const { systemAppend } = this.injection
    if (!this.preRun || systemAppend === null) return null
    const isStored = !this.preRun.params.session.isFork && systemAppend === storedSystemText(this.input)
    return isStored ? null : systemAppend
  }

  private async report(): Promise<RunReport> {
    const { recorder, progress } = this
    const isSuperseded = (this.input.isCurrent?.() === false || recorder?.isSuperseded()) ?? false
    const { outcome, error } = progress.outcome(isSuperseded)
    const parts = progress.message?.parts ?? []
    const text = lastText(parts)
    if (!recorder || !this.preRun) return reportOf(outcome, text, null)
    const { params, outcome: before } = this.preRun
    const { runId, subChatId, chatId, provider, mode, cwd, projectPath, session } = params
    const after = outcome === "notStarted" ? null : progress.sessionId
    const postRun: PostRunParams = {
      ...{ runId, subChatId, chatId, provider, mode, cwd, projectPath, outcome, error },
      deliveryToken: before.result?.deliveryToken ?? null,
      prompt: withoutMarkers(this.input.typedPrompt),
      session: { before: session.id, after },
      assistant: { messageId: runId, text, parts: storable(parts) },
      toolErrors: progress.toolErrors,
      transcriptPath: after === null ? null : this.transcriptOf(after),
      usage: progress.usage,
      startedAt: this.startedAt,
      finishedAt: recorder.now(),
    }
    return reportOf(outcome, text, await recorder.record({ params: postRun, compactedAt: progress.compactedAt }))
  }

  protected abstract transcriptOf(sessionId: string): string | null
}

/** A run with Claude: what its SDK is called with. */
export class ClaudeRun extends Run<ClaudeRunInput> {
  /** The prompt: the text itself, or a stream that can be read repeatedly. */
  get prompt(): ClaudePrompt {
    const { prompt, images } = this.input
    // A refused prompt stays in the session, and `continue` goes on there; any other option starts from before it.
    const hasPacks = () => this.isInSession && this.sessionOptions.continue === true
    return claudePrompt(this.injection.blocks, prompt, images, hasPacks)
  }

  /** The options that resume, continue or fork the session; empty for a fresh one. */
  get sessionOptions(): ClaudeSessionOptions {
    const { sessionId, forkAt, rollbackTo, isLocalModel } = this.input
    if (this.startsFresh) return {}
    if (!sessionId) return { continue: true }
    if (forkAt && !isLocalModel) return { resume: sessionId, resumeSessionAt: forkAt, forkSession: true }
    if (rollbackTo && !isLocalModel) return { resume: sessionId, resumeSessionAt: rollbackTo }
    return { resume: sessionId, continue: true }
  }

  /** Return the `systemPrompt` option with the app's own text, if it has any, before the session's system text. */
  systemPrompt(own?: string): ClaudeSystemPrompt {
    return claudeSystemPrompt(own, this.injection.systemAppend)
  }

  protected transcriptOf(sessionId: string): string | null {
    const { transcriptFolder, cwd } = this.input
    if (!transcriptFolder) return null
    return [transcriptFolder, TRANSCRIPT_FOLDER, cwd.replace(/[^a-zA-Z0-9]/g, "-"), `${sessionId}.jsonl`].join("/")
  }
}

/** A run with Codex: what its provider is called with. */
export class CodexRun extends Run<CodexRunInput> {
  /** The parts of the prompt. */
  get parts(): object[] {
    return codexParts(this.injection.blocks, this.input.prompt, this.input.files)
  }

  /** The session to load; undefined for a new one. A provider in memory has to be dropped for a fresh session. */
  get sessionId(): string | undefined {
    return this.startsFresh ? undefined : (this.input.sessionId ?? undefined)
  }

  protected transcriptOf(): string | null {
    return null
  }
}

/** Return the params of a run's pre-run. The deadline is set when it is sent. */
export function preRunParams(input: RunInput, runId: string, session: SessionBefore): PreRunParams {
  const { subChatId, chatId, provider, mode, cwd, projectPath, prompt } = input
  return {
    ...{ runId, subChatId, chatId, provider, mode, cwd, projectPath, prompt, session },
    ...(input.continuityMode ? { continuityMode: input.continuityMode } : {}),
    ...(input.model ? { model: input.model } : {}),
    mentions: mentionsIn(input.typedPrompt),
    hostInjects: HOST_INJECTS[provider],
    isLocalModel: input.provider === "claude" && input.isLocalModel,
  }
}

/** Return a run to which nothing is added and which is not recorded: for an app in which continuity is switched off. */
export function runWithoutContinuity(input: ClaudeRunInput): ClaudeRun
export function runWithoutContinuity(input: CodexRunInput): CodexRun
export function runWithoutContinuity(input: RunInput): ClaudeRun | CodexRun
export function runWithoutContinuity(input: RunInput): ClaudeRun | CodexRun {
  return input.provider === "claude" ? new ClaudeRun(input, null, null) : new CodexRun(input, null, null)
}

function statusOf(outcome: PreRunOutcome | null): string {
  if (!outcome) return "off"
  if (outcome.kind === "failedOpen") return `failed open: ${outcome.why}: ${outcome.detail}`
  return outcome.result.reason ?? outcome.result.action
}

function figuresOf(result: PreRunResult | null): RunMetadata {
  if (!result) return {}
  const { cacheHit, injectedBytes, reusedPercent, stateIds } = result.metadata
  return {
    continuityCacheHit: cacheHit,
    continuityInjectedBytes: injectedBytes,
    continuityReusedPercent: reusedPercent,
    continuityStateIds: stateIds,
  }
}

function reportOf(outcome: Outcome, text: string, stored: PostRunOutcome | null): RunReport {
  const result = stored?.kind === "accepted" ? stored.result : null
  return {
    outcome,
    accepted: result?.accepted ?? false,
    failure: stored?.kind === "failed" ? `${stored.why}: ${stored.detail}` : null,
    ...splitNotes(text, result?.notesBlock),
    remembered: result?.remembered ?? [],
    withdrawn: result?.withdrawn ?? [],
    artifacts: result?.artifacts ?? [],
  }
}

/** Return the text that ends an answer. */
function lastText(parts: readonly unknown[]): string {
  const texts = parts.filter((part): part is { text: string } => {
    const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown }
    return type === "text" && typeof text === "string" && text.trim() !== ""
  })
  return texts.at(-1)?.text ?? ""
}

/** Return the parts of a message without images, and with the ends of long texts. */
function storable(parts: NonNullable<StoredMessage["parts"]>): Record<string, unknown>[] {
  const isImage = (part: unknown) => (part as { type?: unknown } | null)?.type === "data-image"
  const shortened = (_key: string, value: unknown) =>
    typeof value === "string" && value.length > MAX_STRING ? value.slice(-MAX_STRING) : value
  try {
    return JSON.parse(JSON.stringify(parts.filter((part) => !isImage(part)), shortened)) as Record<string, unknown>[]
  } catch {
    return []
  }
}
