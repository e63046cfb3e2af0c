import type { ClaudeRunInput, CodexRunInput } from "../../rpc_schema/typescript"
import type { ClaudeRun, CodexRun } from "../../rpc_schema/typescript"

export const PROMPT = "Why does the cart's total ignore the discount?"
export const SESSION = "9d3c0f6e-0000-4000-8000-000000000001"
export const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }

/** What a router has at hand for the first prompt of a sub-chat with Claude. */
export function claudeInput(cwd: string, changes: Partial<ClaudeRunInput> = {}): ClaudeRunInput {
  const prompt = changes.prompt ?? changes.typedPrompt ?? PROMPT
  return {
    provider: "claude",
    ...{ subChatId: "sub-1", chatId: "chat-1", mode: "agent", cwd, projectPath: cwd, typedPrompt: prompt, prompt },
    ...{ messages: [], sessionId: null, rollbackTo: null, forkAt: null, images: [], isLocalModel: false },
    signal: new AbortController().signal,
    ...changes,
  }
}

/** The same for Codex. */
export function codexInput(cwd: string, changes: Partial<CodexRunInput> = {}): CodexRunInput {
  const prompt = changes.prompt ?? changes.typedPrompt ?? PROMPT
  return {
    provider: "codex",
    ...{ subChatId: "sub-1", chatId: "chat-1", mode: "agent", cwd, projectPath: cwd, typedPrompt: prompt, prompt },
    ...{ messages: [], sessionId: null, files: [] },
    signal: new AbortController().signal,
    ...changes,
  }
}

/** Plays the provider's messages of a run that completes. */
export function play(run: ClaudeRun | CodexRun, sessionId: string = SESSION, text = "Done."): void {
  run.observe({ type: "system", subtype: "init", session_id: sessionId })
  run.observe({ type: "assistant", session_id: sessionId, message: { role: "assistant", content: [{ type: "text", text }] } })
  run.observe({ type: "result", subtype: "success", is_error: false, result: text, session_id: sessionId })
  const metadata = { sessionId, ...run.metadata }
  run.observe({ id: "answer", role: "assistant", parts: [{ type: "text", text }], metadata })
}

/** The content blocks that a prompt for Claude's SDK has; a plain text is one block. */
export async function contentOf(run: ClaudeRun): Promise<object[]> {
  const { prompt } = run
  if (typeof prompt === "string") return [{ type: "text", text: prompt }]
  for await (const { message } of prompt) return message.content
  return []
}
