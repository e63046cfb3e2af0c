import type { AskClaude, ClaudeQuery } from "./claude"
import type { AskCodex, CodexPrompt } from "./codex"
import type { Reply } from "./chat"

/** What an agent does with a prompt; whatever is left out is as in a run that completed. */
export type Work = (prompt: string) => Partial<Reply> | Promise<Partial<Reply>>

/** What a provider's session holds: each text it was ever given, replayed on every later turn. */
export type Transcript = string[]

const COMPACTED = "A summary of the conversation so far."

/** Claude, as far as sessions, the system prompt and slash commands go; what it does is scripted. */
export class PlayedClaude {
  readonly queries: ClaudeQuery[] = []
  readonly commands: string[] = []
  readonly sessions = new Map<string, Transcript>()
  private latest: string | null = null

  constructor(private readonly work: Work = () => ({})) {}

  readonly ask: AskClaude = async (query) => {
    this.queries.push(query)
    const texts = query.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
    const resumed = query.resume ?? (query.continue ? this.latest : null)
    const sessionId = this.sessionFor(resumed, query.forkSession)
    // Claude Code looks for a command in the last text block.
    const asked = texts.at(-1) ?? ""
    if (asked.startsWith("/")) return commanded(this, sessionId, asked)
    this.sessions.get(sessionId)?.push(...texts)
    return replied(sessionId, await this.work(asked))
  }

  /** Everything Claude reads on its last call, the system prompt first. */
  get read(): string {
    return [this.queries.at(-1)?.append ?? "", ...(this.sessions.get(this.latest ?? "") ?? [])].join("\n")
  }

  private sessionFor(resumed: string | null, fork: boolean): string {
    const known = resumed === null ? undefined : this.sessions.get(resumed)
    const isNew = !known || fork
    const sessionId = isNew || resumed === null ? `claude-${this.sessions.size + 1}` : resumed
    if (isNew) this.sessions.set(sessionId, [...(known ?? [])])
    this.latest = sessionId
    return sessionId
  }
}

/** Codex, likewise: it has no system channel, and what it loads is the session it is named. */
export class PlayedCodex {
  readonly prompts: CodexPrompt[] = []
  readonly commands: string[] = []
  readonly sessions = new Map<string, Transcript>()

  constructor(private readonly work: Work = () => ({})) {}

  readonly ask: AskCodex = async (prompt) => {
    this.prompts.push(prompt)
    const texts = prompt.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
    const sessionId = prompt.sessionId ?? `codex-${this.sessions.size + 1}`
    const transcript = this.sessions.get(sessionId) ?? []
    this.sessions.set(sessionId, transcript)
    // codex-acp looks for a command in the first item.
    const [first = ""] = texts
    if (first.startsWith("/")) return commanded(this, sessionId, first)
    transcript.push(...texts)
    return replied(sessionId, await this.work(texts.at(-1) ?? ""))
  }
}

function commanded(agent: PlayedClaude | PlayedCodex, sessionId: string, command: string): Reply {
  agent.commands.push(command)
  const compacted = command === "/compact"
  if (compacted) agent.sessions.set(sessionId, [COMPACTED])
  return replied(sessionId, { text: `${command} is done.`, compacted })
}

function replied(sessionId: string, reply: Partial<Reply>): Reply {
  return { outcome: "completed", sessionId, text: "Done.", parts: [], ...reply }
}
