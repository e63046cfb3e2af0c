import { forCodex } from "../../rpc_schema/typescript"
import type { Continuity, PreRunOutcome, TextPart } from "../../rpc_schema/typescript"
import { begun, postRunOf, preRunOf, storeAnswer, storePrompt, told } from "./chat"
import type { Chat, Reply } from "./chat"

/** A file of a prompt. */
export interface FilePart {
  type: "file"
  path: string
}

/** One prompt over the agent client protocol, as far as continuity touches it. */
export interface CodexPrompt {
  parts: (FilePart | TextPart)[]
  /** The session to load; without it a new one is made. */
  sessionId: string | undefined
  signal: AbortSignal
}

/** Asks Codex; a failed tool may throw. */
export type AskCodex = (prompt: CodexPrompt) => Promise<Reply>

/** One prompt in a chat with Codex, in the order of `codex.ts`; gives what pre-run said, for the chat to show. */
export async function promptCodex(
  continuity: Continuity,
  chat: Chat,
  input: { runId: string; prompt: string; files?: readonly FilePart[] },
  ask: AskCodex,
  signal: AbortSignal,
): Promise<PreRunOutcome> {
  storePrompt(chat, input.runId, input.prompt)
  // Mention markers stay as they are: the sidecar reads them itself.
  const run = begun(chat, input.runId, input.prompt)

  // Beside the look-up of MCP servers: neither waits for the other.
  const asked = preRunOf(chat, run)
  const [before] = await Promise.all([continuity.beforeRun(asked, signal), mcpServers()])
  const isFresh = before.result?.governor.startFreshSession ?? false
  const parts = forCodex(before.injection, input.prompt, input.files)
  const reply = await answered({ parts, sessionId: isFresh ? undefined : (chat.sessionId ?? undefined), signal }, ask)

  // Only what was kept is told; without an answer there is nothing that counts as delivered.
  if (storeAnswer(chat, run, before, reply)) {
    void told(continuity, chat, postRunOf(chat, run, asked, before, reply), reply)
  }
  return before
}

/** The servers the chat's session gets; this app has none. */
function mcpServers(): Promise<readonly string[]> {
  return Promise.resolve([])
}

async function answered(prompt: CodexPrompt, ask: AskCodex): Promise<Reply> {
  const nothing = { sessionId: null, text: "", parts: [] }
  if (prompt.signal.aborted) return { ...nothing, outcome: "notStarted" }
  try {
    return await ask(prompt)
  } catch (error) {
    return { ...nothing, outcome: "error", error: { kind: "other", message: String(error) } }
  }
}
