import { forClaude } from "../../rpc_schema/typescript"
import type { Continuity, PreRunOutcome, TextPart } from "../../rpc_schema/typescript"
import { begun, postRunOf, preRunOf, storeAnswer, storePrompt, told } from "./chat"
import type { Chat, Reply } from "./chat"
import { expanded } from "./mentions"

/** An image block of a prompt. */
export interface Image {
  type: "image"
  source: { type: "base64"; media_type: string; data: string }
}

/** One call of Claude's SDK, as far as continuity touches it. */
export interface ClaudeQuery {
  content: (Image | TextPart)[]
  /** `systemPrompt: {type: "preset", preset: "claude_code", append}`. */
  append: string
  resume: string | undefined
  continue: true | undefined
  forkSession: boolean
  /** What is added to the environment of Claude Code. */
  env: Record<string, string>
  signal: AbortSignal
}

/** Asks Claude; a reply is an outcome too when it failed. */
export type AskClaude = (query: ClaudeQuery) => Promise<Reply>

/** What the app has always appended to the system prompt. */
const OWN_APPEND = "You work in 1Code."
const ATTEMPTS = 2

/** The hooks that the user may have for Claude Code in a terminal stay silent where the app sends the packs. */
const HOSTED = { ONECODE_CONTINUITY_HOST: "1code" }

/** One prompt in a chat with Claude, in the order of `claude.ts`; gives what pre-run said, for the chat to show. */
export async function promptClaude(
  continuity: Continuity,
  chat: Chat,
  input: { runId: string; prompt: string; images?: readonly Image[] },
  ask: AskClaude,
  signal: AbortSignal,
): Promise<PreRunOutcome> {
  storePrompt(chat, input.runId, input.prompt)
  const { text, mentions } = expanded(input.prompt)
  const run = begun(chat, input.runId, text, mentions)

  // Before the query and outside the retry loop: a retry sends the same bytes.
  const asked = preRunOf(chat, run)
  const before = await continuity.beforeRun(asked, signal)
  const { systemAppend, content } = forClaude(before.injection, text, input.images)
  const isFresh = before.result?.governor.startFreshSession ?? false
  const query: ClaudeQuery = {
    content,
    append: [OWN_APPEND, systemAppend].filter(Boolean).join("\n\n"),
    resume: isFresh ? undefined : (chat.sessionId ?? undefined),
    // Without `continue` only a fresh session is one: clearing the session's id alone goes on in the last one.
    continue: isFresh ? undefined : true,
    forkSession: chat.forksNext && !isFresh,
    env: HOSTED,
    signal,
  }
  const reply = await answered(query, ask)

  storeAnswer(chat, run, before, reply)
  // After the final save and at every error exit, not awaited: the sub-chat's next pre-run waits for it.
  void told(continuity, chat, postRunOf(chat, run, asked, before, reply), reply)
  return before
}

async function answered(query: ClaudeQuery, ask: AskClaude): Promise<Reply> {
  const nothing = { sessionId: null, text: "", parts: [] }
  if (query.signal.aborted) return { ...nothing, outcome: "notStarted" }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const reply = await ask(query)
      if (reply.error?.kind !== "overload" || attempt === ATTEMPTS) return reply
    } catch (error) {
      return { ...nothing, outcome: "error", error: { kind: "other", message: String(error) } }
    }
  }
}
