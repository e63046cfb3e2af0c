import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"

import { continuityOfTheApp, open, programIn, startSoon } from "../../packaging/onecode/lifetime"
import { claudeInput, codexInput, contentOf, play } from "../node/inputs"
import { SIDECAR, alive, folder, repository, setting, unhurried, until } from "../node/support"
import type { Scope } from "../node/support"

/** The app with its window open and a worktree. */
function app(t: Scope, env: NodeJS.ProcessEnv = {}) {
  const { options, children } = setting(t)
  const place = { program: SIDECAR, userData: folder(t), version: "1", settings: { mode: "active" } as const }
  const continuity = open({ ...place, spawn: options.spawn, env: { ...process.env, ...env } })
  unhurried(continuity, 20_000, 25_000)
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

test("the app has one continuity, which starts once the windows are open, unless the app quits before", async (t) => {
  const program = programIn(join("resources", "bin"))
  assert.match(program, /^resources.bin.onecode-sidecar.onecode-sidecar(\.exe)?$/)
  const { options } = setting(t)
  const place = { program: SIDECAR, userData: folder(t), version: "1", spawn: options.spawn }
  let placed = 0
  const continuity = continuityOfTheApp(() => ((placed += 1), place))
  t.after(() => continuity.client.stopSync())
  assert.equal(continuity, continuityOfTheApp(() => assert.fail("it is made already")))
  assert.equal(placed, 1)
  t.mock.timers.enable({ apis: ["setTimeout"] })
  startSoon(continuity)()
  t.mock.timers.tick(60_000)
  assert.equal(continuity.client.state, "idle")
  startSoon(continuity)
  t.mock.timers.tick(2_999)
  assert.equal(continuity.client.state, "idle")
  t.mock.timers.tick(1)
  assert.equal(continuity.client.state, "starting")
  t.mock.timers.reset()
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
