import type { Attachment } from "./runInput"
import type { PreRunResult } from "./types"

/** A text content block, as Claude's SDK and the agent client protocol take it. */
export interface TextPart {
  type: "text"
  text: string
}

/** A user message as Claude's SDK takes it in a stream. */
export interface ClaudeUserMessage {
  type: "user"
  message: { role: "user"; content: (Attachment | TextPart)[] }
  parent_tool_use_id: null
}

/** A prompt for Claude's SDK. The stream can be read again: the app repeats a refused query silently. */
export type ClaudePrompt = string | AsyncIterable<ClaudeUserMessage>

/** What a pre-run adds for the provider. */
export interface Injection {
  /** The text to append to the system prompt (Claude); the same bytes on every call of a provider session. */
  systemAppend: string | null
  /** The packs, in send order. */
  blocks: readonly string[]
}

export const NOTHING: Injection = { systemAppend: null, blocks: [] }

/** The `systemPrompt` option of Claude's SDK. */
export interface ClaudeSystemPrompt {
  type: "preset"
  preset: "claude_code"
  append?: string
}

/** Return what a pre-run's answer adds. */
export function injectionOf(result: PreRunResult): Injection {
  const blocks = result.action === "inject" ? result.blocks.map((block) => block.text) : []
  return { systemAppend: result.system?.text ?? null, blocks }
}

/**
 * Return a prompt for Claude: images, packs, and the user's text last, where Claude Code looks for a slash command.
 * Without images and packs it is the text itself. A blank text is left out: the API refuses a blank block that it is
 * to cache, and the session would repeat it with every later call. A query that is repeated in a session that
 * `hasPacks` from the first attempt gets the user's own part alone.
 */
export function claudePrompt(
  packs: readonly string[],
  text: string,
  images: readonly Attachment[],
  hasPacks: () => boolean = () => false,
): ClaudePrompt {
  if (packs.length === 0 && images.length === 0) return text
  return {
    async *[Symbol.asyncIterator]() {
      const own = [...images, ...textParts([text])]
      const content = own.length > 0 && hasPacks() ? own : [...images, ...textParts([...packs, text])]
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null }
    },
  }
}

/** Return the parts of a prompt for Codex: packs, the user's text, files. Without packs they are the app's own. */
export function codexParts(
  packs: readonly string[],
  text: string,
  files: readonly Attachment[],
): (Attachment | TextPart)[] {
  return [...(packs.length === 0 ? [textPart(text)] : textParts([...packs, text])), ...files]
}

/** Return the system prompt with the app's own text first; without a text of ours it is the app's own. */
export function claudeSystemPrompt(own: string | undefined, ours: string | null): ClaudeSystemPrompt {
  const append = ours === null ? own : [own, ours].filter(Boolean).join("\n\n")
  return { type: "preset", preset: "claude_code", ...(append ? { append } : {}) }
}

function textParts(texts: readonly string[]): TextPart[] {
  return texts.filter((text) => text.trim() !== "").map(textPart)
}

function textPart(text: string): TextPart {
  return { type: "text", text }
}
