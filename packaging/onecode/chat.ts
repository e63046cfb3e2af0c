import { metadataOf } from "../../rpc_schema/typescript"
import type {
  Continuity,
  ContinuityMetadata,
  Mentions,
  NotesSpan,
  PostRunParams,
  PreRunOutcome,
  PreRunParams,
  Remembered,
  RunError,
  RunUsage,
  SessionBefore,
} from "../../rpc_schema/typescript"

/** What the app keeps with an answer, beside what the usage card shows. */
export interface AnswerMetadata {
  sessionId: string | null
  inputTokens?: number
  outputTokens?: number
  notesBlock?: NotesSpan
  remembered?: Remembered[]
}

/** A message as the app stores it. */
export interface StoredMessage {
  id: string
  role: "user" | "assistant"
  parts: Record<string, unknown>[]
  metadata?: AnswerMetadata & ContinuityMetadata
}

/** A sub-chat: what the app's database and its renderer know of it. */
export interface Chat {
  subChatId: string
  chatId: string
  provider: "claude" | "codex"
  mode: "plan" | "agent"
  /** The chat's git worktree. */
  cwd: string
  /** The project it was made from. */
  projectPath: string
  /** The provider's session; null before the first run. */
  sessionId: string | null
  /** Whether the next run forks that session. */
  forksNext: boolean
  /**
   * What the app knows of that session, stored with the sub-chat: the origin of a fork, the last message that a
   * rollback left (until a run has ended), the last compaction, the first run that failed without a session id.
   */
  facts: Pick<SessionBefore, "forkedFrom" | "truncatedToMessageId" | "compactedAt" | "continues">
  /** The run that works on the chat now; another id means that a newer prompt took its place. */
  runId: string | null
  messages: StoredMessage[]
}

/** One prompt on its way. */
export interface Run {
  id: string
  startedAt: string
  /** As it goes to the provider: mentions expanded for Claude, raw for Codex. */
  prompt: string
  mentions?: Mentions
}

/** What came of asking the agent. */
export interface Reply {
  outcome: "completed" | "aborted" | "error" | "empty" | "notStarted"
  /** Null where the run never learnt its session. */
  sessionId: string | null
  text: string
  parts: Record<string, unknown>[]
  error?: RunError
  /** What failed tools printed, which the stored parts do not have. */
  toolErrors?: { toolName: string; text: string; exitCode?: number }[]
  usage?: RunUsage
  /** Whether the provider compacted its session meanwhile. */
  compacted?: boolean
}

/** Which rule files the host itself sends; the anchor points at them and repeats nothing. */
const HOST_INJECTS = {
  claude: { agentsMd: true, claudeMd: true },
  codex: { agentsMd: true, claudeMd: false },
} as const

/** Begins a run: from here on it is the chat's one. */
export function begun(chat: Chat, id: string, prompt: string, mentions?: Mentions): Run {
  chat.runId = id
  return { id, startedAt: new Date().toISOString(), prompt, mentions }
}

/** What pre-run is asked. The deadline (800 ms) and the host's timer (1,500 ms) are the client's own. */
export function preRunOf(chat: Chat, run: Run): PreRunParams {
  const { subChatId, chatId, provider, mode, cwd, projectPath, sessionId, forksNext, facts } = chat
  const willResume = sessionId !== null || facts.continues != null
  const session = { id: sessionId, willResume, isFork: forksNext, ...facts }
  const { id: runId, prompt, mentions } = run
  const hostInjects = HOST_INJECTS[provider]
  return { runId, subChatId, chatId, provider, mode, cwd, projectPath, prompt, mentions, session, hostInjects }
}

/** What post-run is told. */
export function postRunOf(chat: Chat, run: Run, asked: PreRunParams, before: PreRunOutcome, reply: Reply): PostRunParams {
  const { runId, subChatId, chatId, provider, mode, cwd, projectPath, prompt } = asked
  const { text, parts, error, toolErrors, usage } = reply
  return {
    ...{ runId, subChatId, chatId, provider, mode, cwd, projectPath, prompt, error, toolErrors, usage },
    deliveryToken: before.result?.deliveryToken ?? null,
    outcome: chat.runId === run.id ? reply.outcome : "superseded",
    session: { before: asked.session.id, after: reply.sessionId },
    assistant: { messageId: `${runId}-answer`, text, parts: parts.filter((part) => part.type !== "data-image") },
    startedAt: run.startedAt,
    finishedAt: new Date().toISOString(),
  }
}

/** Tells post-run, and then what happened to the session. Nobody waits for it but the sub-chat's next pre-run. */
export async function told(continuity: Continuity, chat: Chat, params: PostRunParams, reply: Reply): Promise<void> {
  const outcome = await continuity.afterRun(params)
  const answer = chat.messages.find((message) => message.id === params.assistant?.messageId)
  if (outcome.kind === "accepted" && answer?.metadata) {
    const { notesBlock, remembered } = outcome.result
    // The stored text stays whole; the chat shows `splitNotes(text, place)`, the notes folded.
    if (notesBlock) answer.metadata.notesBlock = notesBlock
    // The chat shows "Remembered: …" below the answer; its undo calls `memory/undo {id}` when the user clicks.
    if (remembered?.length) answer.metadata.remembered = remembered
  }
  if (!reply.compacted) return
  chat.facts.compactedAt = params.finishedAt
  const { cwd, subChatId, provider, session } = params
  const what = { event: "compacted", cwd, subChatId, provider, sessionId: session.after } as const
  continuity.client.notify("continuity/sessionEvent", what)
}

/** Keeps the prompt as the user wrote it: the duplicate test and the transcript go by it. */
export function storePrompt(chat: Chat, runId: string, prompt: string): void {
  chat.messages.push({ id: `${runId}-prompt`, role: "user", parts: [{ type: "text", text: prompt }] })
}

/** Keeps the answer with what the usage card shows; false where there is nothing to keep. */
export function storeAnswer(chat: Chat, run: Run, before: PreRunOutcome, reply: Reply): boolean {
  if (chat.runId !== run.id) return false
  // The renderer's copy of the session id wins over the database: both have to learn the new one.
  if (reply.sessionId) {
    const { forkedFrom, compactedAt } = chat.facts
    Object.assign(chat, { sessionId: reply.sessionId, forksNext: false, facts: { forkedFrom, compactedAt } })
  } else if (chat.sessionId === null && (reply.outcome === "error" || reply.outcome === "aborted")) {
    // The provider may have stored the prompt all the same, and goes on with it next time.
    chat.facts.continues = run.id
  }
  if (reply.text === "" && reply.parts.length === 0) return false
  const { inputTokens, outputTokens } = reply.usage ?? {}
  const tokens = { inputTokens: inputTokens ?? undefined, outputTokens: outputTokens ?? undefined }
  const metadata = { sessionId: reply.sessionId, ...tokens, ...metadataOf(before.result) }
  const parts = [...reply.parts, { type: "text", text: reply.text }]
  chat.messages.push({ id: `${run.id}-answer`, role: "assistant", parts, metadata })
  return true
}
