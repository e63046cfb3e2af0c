import type { PostRunParams, PreRunParams } from "./types"

const REMEMBERED = 256

interface Remembered {
  sessionId: string | null
  runId: string
  text: string | null
}

/**
 * The system text each sub-chat's provider session was given last.
 * A system prompt is not kept in the provider's transcript: leaving the text out of one call, because the
 * sidecar does not answer, would take it away from the agent and break the provider's prompt cache.
 */
export class SystemTexts {
  private readonly bySubChat = new Map<string, Remembered>()

  /** Learns what a call was given. */
  given(params: PreRunParams, text: string | null): void {
    const sessionId = params.session.willResume && !params.session.isFork ? params.session.id : null
    this.remember(params.subChatId, { sessionId, runId: params.runId, text })
  }

  /** Learns, after a run, which session the text went to. */
  continued(params: PostRunParams): void {
    const known = this.bySubChat.get(params.subChatId)
    if (known?.runId === params.runId) this.remember(params.subChatId, { ...known, sessionId: params.session.after })
  }

  /** Gives the text for a call of the same session; null for a new, forked or unknown one. */
  known(params: PreRunParams): string | null {
    const known = this.bySubChat.get(params?.subChatId)
    const session = params?.session
    const continues = session?.willResume && !session.isFork && session.id !== null
    return known && continues && known.sessionId === session.id ? known.text : null
  }

  private remember(subChatId: string, entry: Remembered): void {
    this.bySubChat.delete(subChatId)
    this.bySubChat.set(subChatId, entry)
    const [oldest] = this.bySubChat.keys()
    if (this.bySubChat.size > REMEMBERED && oldest !== undefined) this.bySubChat.delete(oldest)
  }
}
