import assert from "node:assert/strict"
import { test } from "node:test"

import { splitNotes } from "../../rpc_schema/typescript/notes"

const NOTES = "Notes for next time:\n- Rule: use pnpm"

test("the notes block is split off an answer, with emoji before it and an offer after it", () => {
  const text = `Done 🎉.\n\n${NOTES}\n\nAnything else?`
  const start = text.indexOf("Notes")
  const split = splitNotes(text, { start, end: start + NOTES.length })
  assert.deepEqual(split, { answer: "Done 🎉.\n\nAnything else?", notes: NOTES })
})

test("an answer without notes stays as it is", () => {
  assert.deepEqual(splitNotes("Done. ", null), { answer: "Done. ", notes: "" })
  assert.deepEqual(splitNotes("Done.", undefined), { answer: "Done.", notes: "" })
})

test("a place outside of the text splits nothing: the app may have changed the text", () => {
  assert.deepEqual(splitNotes("Done.", { start: 2, end: 90 }), { answer: "Done.", notes: "" })
})
