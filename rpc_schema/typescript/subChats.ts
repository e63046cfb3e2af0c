import type { RunInput } from "./runInput"
import type { PostRunParams } from "./types"

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
