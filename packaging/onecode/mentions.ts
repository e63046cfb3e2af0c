import type { Mentions } from "../../rpc_schema/typescript"

const MARKER = /@\[(file|folder):[^:\]\n]*:([^\]\n]{1,2000})\]/g

/** A prompt as Claude gets it, and what the markers that are gone from it pointed at. */
export interface Expanded {
  text: string
  mentions: Mentions
}

/**
 * Replaces mention markers by their paths, as `claude.ts` does before the query.
 * After that nobody can read them from the prompt: they go to pre-run beside it.
 */
export function expanded(prompt: string): Expanded {
  const files: string[] = []
  const folders: string[] = []
  const text = prompt.replace(MARKER, (_marker, kind: string, path: string) => {
    ;(kind === "file" ? files : folders).push(path)
    return path
  })
  return { text, mentions: { files, folders } }
}
