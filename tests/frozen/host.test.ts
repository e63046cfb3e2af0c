import assert from "node:assert/strict"
import { test } from "node:test"

import { Continuity } from "../../rpc_schema/typescript"
import { claudeInput, codexInput, contentOf, play } from "../node/inputs"
import { alive, repository, setting, unhurried, until } from "../node/support"
import type { Scope } from "../node/support"

/** The app with its window open and a worktree. */
function app(t: Scope, env: NodeJS.ProcessEnv = {}) {
  const { options, children } = setting(t)
  const initialize = { ...options.initialize, settings: { mode: "active" } as const }
  const continuity = new Continuity({ ...options, initialize, env: { ...process.env, ...env } })
  unhurried(continuity)
  t.after(() => continuity.client.stopSync())
  return { continuity, children, cwd: repository(t) }
}

test("the built program adds packs for both providers, and nothing with the kill switch", async (t) => {
  const { continuity, cwd } = app(t)
  const claude = await continuity.beginRun(claudeInput(cwd))
  assert.match(claude.systemPrompt().append ?? "", /^\[continuity:anchor /)
  assert.ok((await contentOf(claude)).length > 1)
  play(claude)
  claude.end()
  assert.equal((await claude.ended).accepted, true)
  const codex = await continuity.beginRun(codexInput(cwd, { subChatId: "sub-2" }))
  assert.match(JSON.stringify(codex.parts[0]), /\[continuity:anchor /)
  const killed = app(t, { ONECODE_CONTINUITY_MODE: "off" })
  assert.equal((await killed.continuity.beginRun(claudeInput(killed.cwd))).status, "off")
})

test("when the app quits no process remains, and an update can wait for its end", async (t) => {
  const [quitting, updating] = [app(t), app(t)]
  await quitting.continuity.beginRun(claudeInput(quitting.cwd))
  quitting.continuity.client.stopSync()
  const left = quitting.children[0]?.pid
  await until(() => !alive(left), "stdin's end is enough", 5_000)
  await updating.continuity.beginRun(claudeInput(updating.cwd))
  await updating.continuity.client.stop()
  assert.equal(alive(updating.children[0]?.pid), false, "its files may be replaced now")
  assert.equal(updating.children[0]?.exitCode, 0)
})
