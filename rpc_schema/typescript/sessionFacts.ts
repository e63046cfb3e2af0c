import type { ClaudeRunInput, RunInput, StoredMessage } from "./input"
import type { SessionBefore } from "./types"

/**
 * The identity of a run, stored with the assistant's message. A fork copies its messages and a rollback drops some, so
 * the last one that is left says whose session goes on, and up to where.
 */
export interface RunIdentity {
  runId: string
  subChatId: string
  /** When its prompt was ready to be sent. */
  sentAt: string
}

/** The key of a run's identity in the metadata of a stored message. */
export const IDENTITY_KEY = "continuityRun"

/** The part that the app stores for a compaction of Claude's. */
const COMPACT_PART = "tool-Compact"

/**
 * Return the session that a prompt goes to, with what happened to it since its last run.
 * `isOwn` is whether the session had a run of this sub-chat in this process, `compactedAt` a compaction seen in it.
 */
export function sessionFacts(input: RunInput, isOwn: boolean, compactedAt: string | null): SessionBefore {
  const id = input.sessionId || null
  const last = [...input.messages].reverse().find((message) => message.role === "assistant")
  const identity = last ? identityOf(last) : null
  const isForeign = identity !== null && identity.subChatId !== input.subChatId && !isOwn
  const cutAt = input.provider === "claude" && id !== null && !input.isLocalModel && restoresMessage(input)
  const compaction = compactedAt ?? lastCompaction(input.messages)
  return {
    id,
    // Without a stored id the app lets Claude go on with whatever session the sub-chat's folder has.
    willResume: id !== null || input.provider === "claude",
    isFork: input.provider === "claude" && cutAt && Boolean(input.forkAt),
    ...(isForeign && id !== null ? { forkedFrom: { subChatId: identity.subChatId, sessionId: sessionOf(last) ?? id } } : {}),
    ...(cutAt || (isForeign && id !== null) ? { truncatedToMessageId: identity?.runId ?? null } : {}),
    ...(compaction !== null && id !== null ? { compactedAt: compaction } : {}),
  }
}

/** Return the identity of the run that a stored message answers; null for a message from before continuity. */
export function identityOf(message: StoredMessage): RunIdentity | null {
  const identity = message.metadata?.[IDENTITY_KEY] as Partial<RunIdentity> | undefined
  const { runId, subChatId, sentAt } = identity ?? {}
  return typeof runId === "string" && typeof subChatId === "string" && typeof sentAt === "string"
    ? { runId, subChatId, sentAt }
    : null
}

function restoresMessage(input: ClaudeRunInput): boolean {
  return Boolean(input.forkAt ?? input.rollbackTo)
}

function sessionOf(message: StoredMessage | undefined): string | null {
  const id = message?.metadata?.sessionId
  return typeof id === "string" && id !== "" ? id : null
}

/** Return when the session was compacted last, as far as the stored messages show it. */
function lastCompaction(messages: readonly StoredMessage[]): string | null {
  const compacted = [...messages].reverse().find((message) => message.parts?.some(isCompaction))
  return compacted ? (identityOf(compacted)?.sentAt ?? null) : null
}

function isCompaction(part: unknown): boolean {
  const { type, state } = (part ?? {}) as { type?: unknown; state?: unknown }
  return type === COMPACT_PART && state === "result"
}
