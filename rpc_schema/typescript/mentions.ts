import type { Mentions } from "./types"

const MARKER = /@\[(file|folder|skill|agent|tool):([^\]\n]{1,2000})\]/g
const ORIGIN = /^[a-z]{2,}:(?=.)/
const MOST = 200

/**
 * Return what the markers of a typed prompt point at. The app writes `@[file:local:path]` for a file of the worktree
 * and `@[file:external:/path]` for any other.
 */
export function mentionsIn(typedPrompt: string): Mentions {
  const files = new Set<string>()
  const folders = new Set<string>()
  for (const [, kind, place = ""] of typedPrompt.matchAll(MARKER)) {
    if (kind === "file") files.add(pathOf(place))
    else if (kind === "folder") folders.add(pathOf(place))
  }
  return { files: [...files].slice(0, MOST), folders: [...folders].slice(0, MOST) }
}

/** Return a typed prompt as a person reads it: files and folders as paths, without the other markers. */
export function withoutMarkers(typedPrompt: string): string {
  const isPath = (kind: string) => kind === "file" || kind === "folder"
  return typedPrompt.replace(MARKER, (_, kind: string, place: string) => (isPath(kind) ? pathOf(place) : "")).trim()
}

/** Return a path without its origin; a single letter is the drive of a Windows path. */
function pathOf(place: string): string {
  return place.replace(ORIGIN, "")
}
