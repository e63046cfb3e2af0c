import type { PreRunResult } from "./types"

/** A text content block, as Claude's SDK and the agent client protocol take it. */
export interface TextPart {
  type: "text"
  text: string
}

/** What the provider gets before and beside the user's text. */
export interface Injection {
  /** The text to append to the system prompt (Claude); the same bytes on every call of a provider session. */
  systemAppend: string | null
  /** The packs, in the order they are to be sent. */
  blocks: readonly string[]
}

/** Nothing is added. */
export const NOTHING: Injection = { systemAppend: null, blocks: [] }

/** The metadata of a stored message that the app's usage card understands. */
export interface ContinuityMetadata {
  continuityCacheHit?: boolean
  continuityInjectedBytes?: number
  continuityReusedPercent?: number
  continuityStateIds?: PreRunResult["metadata"]["stateIds"]
}

/** Takes out of a pre-run's answer what goes to the provider. */
export function injectionOf(result: PreRunResult): Injection {
  const blocks = result.action === "inject" ? result.blocks.map((block) => block.text) : []
  return { systemAppend: result.system?.text ?? null, blocks }
}

/** What Claude gets: images, packs, and the user's text last, where Claude Code looks for slash commands. */
export function forClaude<Image>(
  injection: Injection,
  userText: string,
  images: readonly Image[] = [],
): { systemAppend: string | null; content: (Image | TextPart)[] } {
  const content = [...images, ...injection.blocks.map(textPart), textPart(userText)]
  return { systemAppend: injection.systemAppend, content }
}

/** What Codex gets: packs, the user's text, then the files. It has no system channel. */
export function forCodex<File>(
  injection: Injection,
  userText: string,
  files: readonly File[] = [],
): (File | TextPart)[] {
  return [...injection.blocks.map(textPart), textPart(userText), ...files]
}

/** What is stored with the assistant's message; empty where the sidecar had no say. */
export function metadataOf(result: PreRunResult | null): ContinuityMetadata {
  if (!result) return {}
  const { cacheHit, injectedBytes, reusedPercent, stateIds } = result.metadata
  return {
    continuityCacheHit: cacheHit,
    continuityInjectedBytes: injectedBytes,
    continuityReusedPercent: reusedPercent,
    continuityStateIds: stateIds,
  }
}

function textPart(text: string): TextPart {
  return { type: "text", text }
}
