import type { ClaudeRunInput, RunInput, StoredMessage } from "./runInput"
import type { PreRunResult, SessionBefore } from "./types"

/**
 * The identity of a run, stored with the assistant's message. A fork copies its messages and a rollback drops some, so
 * the last one that is left shows whose session goes on, and up to where.
 */
export interface RunIdentity {
  runId: string
  subChatId: string
  /** When its prompt was ready to be sent. */
  sentAt: string
  /** A fork or a rollback that its pre-run stated in vain, to be stated again. */
  lostFacts?: LostFacts
  /** The system text of the session that began with the run. */
  systemText?: string
}

type LostFacts = Pick<SessionBefore, "forkedFrom" | "truncatedToMessageId">

/** The key of a run's identity in the metadata of a stored message. */
export const IDENTITY_KEY = "continuityRun"

/** The id of a message that a fork copied: the time of the copy in milliseconds, and the message's number. */
const COPIED_ID = /^fork-(\d{13})-\d/

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
  const isCopy = isForeign && id !== null
  // A copy that the provider does not cut has all messages that the origin had then, whichever ones the fork shows.
  const copiedAt = cutAt ? null : copyTime(last)
  const lost = identity?.lostFacts ?? {}
  const compaction = compactedAt ?? lastCompaction(input.messages)
  return {
    id,
    // Without a stored id the app lets Claude go on with whatever session the sub-chat's folder has.
    willResume: id !== null || input.provider === "claude",
    isFork: input.provider === "claude" && cutAt && Boolean(input.forkAt),
    ...(isCopy ? { forkedFrom: { ...originOf(identity, last, id), ...(copiedAt === null ? {} : { copiedAt }) } } : {}),
    ...(cutAt || (isCopy && copiedAt === null) ? { truncatedToMessageId: identity?.runId ?? null } : {}),
    ...(id !== null ? lost : {}),
    ...(compaction !== null && id !== null ? { compactedAt: compaction } : {}),
  }
}

/** Return the facts that a pre-run stated in vain: the sidecar did not answer, or has no ledger of what is sent. */
export function lostFacts({ forkedFrom, truncatedToMessageId }: SessionBefore, result: PreRunResult | null): LostFacts | null {
  const isStored = result?.action === "inject" || result?.reason === "nothingToSend"
  if (isStored || (forkedFrom === undefined && truncatedToMessageId === undefined)) return null
  return {
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(truncatedToMessageId === undefined ? {} : { truncatedToMessageId }),
  }
}

/** Return the identity of the run that a stored message answers; null for a message from before continuity. */
export function identityOf(message: StoredMessage): RunIdentity | null {
  const identity = message.metadata?.[IDENTITY_KEY] as Partial<RunIdentity> | undefined
  const isIdentity = [identity?.runId, identity?.subChatId, identity?.sentAt].every((text) => typeof text === "string")
  return isIdentity ? (identity as RunIdentity) : null
}

/**
 * Return the system text that the input's session was given; null for a new session, or without one. A system prompt is
 * not part of the provider's transcript: leaving the text out of one call, because the sidecar does not answer or the
 * app was restarted, would take it away from the agent and break the provider's prompt cache.
 */
export function storedSystemText({ messages, sessionId }: RunInput): string | null {
  const ofSession = messages.filter((message) => sessionId && sessionOf(message) === sessionId)
  const texts = ofSession.map((message) => identityOf(message)?.systemText)
  return texts.filter((text) => text !== undefined).at(-1) ?? null
}

function restoresMessage(input: ClaudeRunInput): boolean {
  return Boolean(input.forkAt ?? input.rollbackTo)
}

function originOf({ subChatId }: RunIdentity, last: StoredMessage | undefined, id: string) {
  return { subChatId, sessionId: sessionOf(last) ?? id }
}

/** Return when a fork's messages were copied, which the app writes into their ids; null if they do not show it. */
function copyTime(message: StoredMessage | undefined): string | null {
  const at = COPIED_ID.exec(message?.id ?? "")?.[1]
  return at === undefined ? null : new Date(Number(at)).toISOString()
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
