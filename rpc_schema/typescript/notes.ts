import type { NotesSpan } from "./types"

/** An answer without its notes block, and the notes, which the app shows folded; empty if there are none. */
export interface SplitAnswer {
  answer: string
  notes: string
}

/** Splits the text that post-run was given at the place it answered with (`notesBlock`). */
export function splitNotes(text: string, place: NotesSpan | null | undefined): SplitAnswer {
  if (!place || place.start < 0 || place.end > text.length || place.start >= place.end) return { answer: text, notes: "" }
  const answer = text.slice(0, place.start).trimEnd() + text.slice(place.end)
  return { answer: answer.trimEnd(), notes: text.slice(place.start, place.end) }
}
