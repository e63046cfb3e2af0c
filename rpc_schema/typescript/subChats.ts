import type { RunInput } from "./input"
import type { PostRunParams, PreRunParams } from "./types"

const REMEMBERED = 256

/** Values by key, of which the ones set last are stored. */
class Recent<Value> {
  private readonly values = new Map<string, Value>()

  get(key: string): Value | undefined {
    return this.values.get(key)
  }

  set(key: string, value: Value): void {
    this.values.delete(key)
    this.values.set(key, value)
    const [oldest] = this.values.keys()
    if (this.values.size > REMEMBERED && oldest !== undefined) this.values.delete(oldest)
  }

  delete(key: string): void {
    this.values.delete(key)
  }
}

/** What the client remembers of each sub-chat while the app runs. */
export class SubChats {
  readonly systemTexts = new SystemTexts()
  private readonly latestRuns = new Recent<string>()
  private readonly ended = new Recent<{ sessionId: string; compactedAt: string | null }>()

  /** Note that a run begins: an earlier one that has not ended is superseded. */
  begin(subChatId: string, runId: string): void {
    this.latestRuns.set(subChatId, runId)
  }

  /** Whether a later run of the sub-chat began. */
  isSuperseded(subChatId: string, runId: string): boolean {
    const latest = this.latestRuns.get(subChatId)
    return latest !== undefined && latest !== runId
  }

  /** Note the session that a run ended in, and whether it was compacted. */
  end(params: PostRunParams, compactedAt: string | null): void {
    this.systemTexts.continued(params)
    const sessionId = params.session.after
    if (sessionId === null) return
    const known = this.ended.get(params.subChatId)
    const earlier = known?.sessionId === sessionId ? known.compactedAt : null
    this.ended.set(params.subChatId, { sessionId, compactedAt: compactedAt ?? earlier })
  }

  /** Return whether the input's session had a run of its sub-chat, and when it was compacted last. */
  facts(input: RunInput): { isOwn: boolean; compactedAt: string | null } {
    const known = this.ended.get(input.subChatId)
    const isOwn = known !== undefined && known.sessionId === input.sessionId
    return { isOwn, compactedAt: isOwn ? known.compactedAt : null }
  }

  /** Forget a sub-chat. */
  forget(subChatId: string): void {
    this.latestRuns.delete(subChatId)
    this.ended.delete(subChatId)
  }
}

interface SessionText {
  sessionId: string | null
  runId: string
  text: string | null
}

/**
 * The system text that each sub-chat's provider session was given last.
 * A system prompt is not part of the provider's transcript: leaving the text out of one call, because the
 * sidecar does not answer, would take it away from the agent and break the provider's prompt cache.
 */
export class SystemTexts {
  private readonly bySubChat = new Recent<SessionText>()

  /** Store what a call was given. */
  given(params: PreRunParams, text: string | null): void {
    const sessionId = params.session.willResume && !params.session.isFork ? params.session.id : null
    this.bySubChat.set(params.subChatId, { sessionId, runId: params.runId, text })
  }

  /** Store, after a run, which session the text went to. */
  continued(params: PostRunParams): void {
    const known = this.bySubChat.get(params.subChatId)
    if (known?.runId === params.runId) this.bySubChat.set(params.subChatId, { ...known, sessionId: params.session.after })
  }

  /** Return the text for a call of the same session; null for a new, forked or unknown one. */
  known(params: PreRunParams): string | null {
    const known = this.bySubChat.get(params.subChatId)
    const { id, willResume, isFork } = params.session
    return known && willResume && !isFork && id !== null && known.sessionId === id ? known.text : null
  }
}
