import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"

import { Continuity } from "../../rpc_schema/typescript"
import type { Clock } from "../../rpc_schema/typescript/clock"
import { systemClock } from "../../rpc_schema/typescript/clock"
import type { ClaudeRun, ClaudeRunInput, PostRunParams, PreRunParams } from "../../rpc_schema/typescript"
import { IMAGE, PROMPT, SESSION, claudeInput, codexInput, contentOf, play } from "./inputs"
import { ManualClock, file, folder, repository, script, setting, unhurried, until } from "./support"
import type { Scope, Setting } from "./support"

interface Made extends Setting {
  continuity: Continuity
  root: string
  /** Lets pre-runs time out as in the app: where the process does not answer. */
  hurry: () => void
}

function made(t: Scope, given: Setting = setting(t), mode: "active" | "passive" = "active"): Made {
  given.options.initialize = { ...given.options.initialize, settings: { mode } }
  const continuity = new Continuity(given.options)
  t.after(() => continuity.client.stopSync())
  return { ...given, continuity, root: repository(t), hurry: unhurried(continuity) }
}

/** The same with its process up and the repository indexed. */
async function up(t: Scope, mode: "active" | "passive" = "active", given: Setting = setting(t)): Promise<Made> {
  const all = made(t, given, mode)
  const session = { id: null, willResume: false, isFork: false }
  const warmUp = { runId: "warm-up", subChatId: "warm-up", provider: "claude", mode: "agent" } as const
  await all.continuity.client.request("codebase/index", { cwd: all.root })
  const params = { ...warmUp, cwd: all.root, prompt: PROMPT, session, deadlineMs: 20_000 }
  await all.continuity.client.request("continuity/preRun", params)
  all.written.length = 0
  return all
}

/** The same with its process up and nothing else: for the tests in which it answers no pre-run. */
async function running(t: Scope): Promise<Made> {
  const all = made(t)
  await all.continuity.client.request("ping", {})
  all.written.length = 0
  return all
}

/** A clock on which the client waits twenty times as long, so that a busy machine answers in time. */
const leisurely: Clock = { now: () => systemClock.now() / 20, after: (ms, run) => systemClock.after(ms * 20, run) }

/** One for the tests that leave its process as it was, each with a sub-chat of its own. */
const shared = up(file)

/** The messages that crossed the pipe with a method. */
function sent<Params>(written: readonly string[], method: string): Params[] {
  const messages = written.map((text) => JSON.parse(text) as { method: string; params: Params })
  return messages.filter((message) => message.method === method).map((message) => message.params)
}

/** Asserts that the prompt goes out as the user wrote it, and returns why. */
async function untouched(run: ClaudeRun | Promise<ClaudeRun>): Promise<string> {
  const { prompt, status, metadata, systemPrompt } = await run
  assert.equal(prompt, PROMPT)
  assert.deepEqual(systemPrompt.call(await run), { type: "preset", preset: "claude_code" })
  assert.deepEqual(Object.keys(metadata), ["continuityRun"])
  return status
}

test("an active pre-run injects before the user's text, and the run is stored", async () => {
  const { continuity, root, written } = await shared
  const run = await continuity.beginRun(claudeInput(root, { subChatId: "sub-active", images: [IMAGE] }))
  assert.equal(run.status, "inject")
  const content = await contentOf(run)
  assert.equal(content[0], IMAGE)
  assert.deepEqual(content.at(-1), { type: "text", text: PROMPT })
  assert.deepEqual(await contentOf(run), content, "the prompt can be read again")
  const own = run.systemPrompt("The app's own text.")
  assert.match(own.append ?? "", /^The app's own text\.\n\n\[continuity:anchor /)
  assert.ok((run.metadata.continuityInjectedBytes ?? 0) > 0)
  assert.equal(run.metadata.continuityRun?.runId, run.id)
  play(run)
  run.end()
  const { outcome, accepted, answer } = await run.ended
  assert.deepEqual([outcome, accepted, answer], ["completed", true, "Done."])
  const [params] = sent<PostRunParams>(written, "continuity/postRun")
  assert.ok(params?.deliveryToken)
  assert.deepEqual(params?.session, { before: null, after: SESSION })
})

test("for Codex packs come first and files last, and a blank text is left out", async () => {
  const { continuity, root } = await shared
  const part = { type: "file", path: "a" }
  const run = await continuity.beginRun(codexInput(root, { subChatId: "sub-codex", files: [part] }))
  assert.equal(run.status, "inject")
  assert.deepEqual(run.parts.slice(-2), [{ type: "text", text: PROMPT }, part])
  assert.ok(run.parts.length > 3)
  const blank = { subChatId: "sub-codex-image", prompt: "", typedPrompt: "", files: [part] }
  const picture = await continuity.beginRun(codexInput(root, blank))
  assert.ok(picture.parts.every((each) => !("text" in each) || String(each.text).trim() !== ""))
})

test("a passive pre-run leaves the prompt unchanged", async (t) => {
  const { continuity, root } = await up(t, "passive")
  const run = await continuity.beginRun(claudeInput(root))
  assert.deepEqual([run.status, run.prompt, run.systemPrompt()], ["passive", PROMPT, { type: "preset", preset: "claude_code" }])
  assert.deepEqual(run.systemPrompt("own"), { type: "preset", preset: "claude_code", append: "own" })
})

test("the first prompt waits for the process that it starts", async (t) => {
  const { continuity, root } = made(t)
  const run = await continuity.beginRun(claudeInput(root))
  assert.doesNotMatch(run.status, /failed open/)
  assert.equal(continuity.client.state, "ready")
})

test("without the program the prompt is sent at once", async (t) => {
  const { continuity, root } = made(t, setting(t, { command: join(folder(t), "missing") }))
  assert.match(await untouched(continuity.beginRun(claudeInput(root))), /notReady/)
  assert.match(await untouched(continuity.beginRun(claudeInput(root))), /notReady/, "nor in the pause before a restart")
})

test("with only garbage on stdout the prompt is sent after 1.5 s", async (t) => {
  const program = script(t, `setInterval(() => process.stdout.write("garbage\\n{}\\n[]\\n"), 5)`)
  const { continuity, root, hurry } = made(t, setting(t, program))
  hurry()
  assert.match(await untouched(continuity.beginRun(claudeInput(root))), /timeout.* 1[45]\d\d ms/)
})

test("when the sidecar dies during a pre-run the prompt is sent at once", async (t) => {
  const { continuity, root, children, written } = await running(t)
  children[0]?.kill("SIGSTOP")
  const run = continuity.beginRun(claudeInput(root))
  await until(() => written.some((text) => text.includes("continuity/preRun")), "the request is sent")
  children[0]?.kill("SIGKILL")
  assert.match(await untouched(run), /exited/)
})

test("a hanging sidecar costs 1.5 s, is replaced after three failures, and is then no longer called", async (t) => {
  const { continuity, root, children, hurry } = await running(t)
  children[0]?.kill("SIGSTOP")
  hurry()
  const started = performance.now()
  const runs = ["a", "b", "c"].map((subChatId) => continuity.beginRun(claudeInput(root, { subChatId })))
  for (const run of runs) assert.match(await untouched(run), /timeout/)
  assert.ok(performance.now() - started >= 1_450)
  assert.match(await untouched(continuity.beginRun(claudeInput(root))), /breakerOpen/)
  await until(() => children.length === 2 && continuity.client.state === "ready", "another process is up")
  assert.match(await untouched(continuity.beginRun(claudeInput(root))), /breakerOpen/)
  continuity.reset()
  assert.doesNotMatch((await continuity.beginRun(claudeInput(root))).status, /breakerOpen/)
})

test("params that the sidecar refuses do not delay the prompt or open the breaker", async () => {
  const { continuity, root } = await shared
  for (let count = 0; count < 4; count += 1) {
    assert.match(await untouched(continuity.beginRun(claudeInput(root, { mode: "other" as never }))), /refused/)
  }
  assert.doesNotMatch((await continuity.beginRun(claudeInput(root, { subChatId: "sub-refused" }))).status, /failed open/)
})

test("no argument of the host throws", async () => {
  const { continuity, root } = await shared
  const circular: Record<string, unknown> = { toString: () => assert.fail() }
  circular.chatId = circular
  assert.match(await untouched(continuity.beginRun(claudeInput(root, circular as never))), /notSent/)
  const run = await continuity.beginRun(claudeInput(root, { subChatId: "sub-odd", messages: [null, 1, { metadata: 7 }] as never }))
  for (const event of [null, undefined, 7, "text", [], { type: "error" }, { role: "assistant", parts: [null, 1] }]) run.observe(event)
  run.observe({ role: "assistant", parts: [circular], metadata: null })
  run.end({ error: circular })
  run.end()
  assert.ok(await run.ended)
  const nothing = await continuity.beginRun({ provider: "claude" } as never)
  nothing.end()
  assert.equal((await nothing.ended).accepted, false)
})

test("a post-run precedes the next pre-run of the same sub-chat only", async (t) => {
  const { continuity, root, children, written } = await up(t, "active", setting(t, { clock: leisurely }))
  const first = await continuity.beginRun(claudeInput(root))
  written.length = 0
  children[0]?.kill("SIGSTOP")
  play(first)
  first.end()
  const same = continuity.beginRun(claudeInput(root, { sessionId: SESSION }))
  const other = continuity.beginRun(claudeInput(root, { subChatId: "sub-2" }))
  await until(() => written.length === 2, "post-run and the other sub-chat's pre-run are sent")
  await new Promise((resolve) => setTimeout(resolve, 150))
  const subChats = written.map((text) => (JSON.parse(text) as { params: PreRunParams }).params.subChatId)
  assert.deepEqual(subChats, ["sub-1", "sub-2"])
  children[0]?.kill("SIGCONT")
  assert.equal((await first.ended).accepted, true)
  assert.doesNotMatch((await same).status, /failed open/)
  assert.doesNotMatch((await other).status, /failed open/)
  const methods = written.map((text) => (JSON.parse(text) as { method: string }).method)
  assert.deepEqual(methods, ["continuity/postRun", "continuity/preRun", "continuity/preRun"])
})

test("a post-run whose sidecar dies is sent to the next sidecar", async (t) => {
  const { continuity, root, children, written } = await up(t)
  const run = await continuity.beginRun(claudeInput(root))
  children[0]?.kill("SIGSTOP")
  play(run)
  run.end()
  await until(() => written.some((text) => text.includes("continuity/postRun")), "it was sent")
  children[0]?.kill("SIGKILL")
  assert.equal((await run.ended).accepted, true)
  assert.equal(children.length, 2)
})

test("a post-run without a sidecar fails silently after 30 s", async (t) => {
  const clock = new ManualClock()
  const { continuity, root } = made(t, setting(t, { command: join(folder(t), "missing"), clock }))
  const beginning = continuity.beginRun(claudeInput(root))
  await until(() => continuity.client.state === "waiting", "the start failed")
  const run = await beginning
  run.end()
  await until(() => clock.pending.includes(30_000), "it waits for a process")
  clock.advance(30_000)
  const { accepted, failure } = await run.ended
  assert.equal(accepted, false)
  assert.match(failure ?? "", /timeout|switchedOff/)
})

test("the system text of a session stays when the sidecar does not answer", async (t) => {
  const { continuity, root, children, hurry } = await up(t)
  const first = await continuity.beginRun(claudeInput(root))
  const given = first.systemPrompt()
  assert.ok(given.append, "Claude is given the anchor as system text")
  play(first)
  first.end()
  assert.equal((await first.ended).accepted, true)
  const stored = { role: "assistant", parts: [], metadata: { sessionId: SESSION, ...first.metadata } }
  children[0]?.kill("SIGSTOP")
  hurry()
  const next = (changes: Partial<ClaudeRunInput>) => {
    return continuity.beginRun(claudeInput(root, { messages: [stored], ...changes }))
  }
  const [same, other, fresh] = await Promise.all([
    next({ sessionId: SESSION }),
    next({ sessionId: "another", subChatId: "sub-2" }),
    next({ subChatId: "sub-3" }),
  ])
  assert.deepEqual([same.prompt, same.systemPrompt()], [PROMPT, given])
  assert.equal(same.metadata.continuityRun?.systemText, undefined, "it is stored once")
  await untouched(other)
  await untouched(fresh)
})

test("a deleted sub-chat is deleted for both providers", async () => {
  const { continuity, root, written } = await shared
  continuity.deleted({ subChatId: "sub-deleted", cwd: root })
  await until(() => sent(written, "continuity/sessionEvent").length === 2, "both are sent")
  const events = sent<{ event: string; provider: string }>(written, "continuity/sessionEvent")
  assert.deepEqual(events.map(({ event, provider }) => [event, provider]), [["deleted", "claude"], ["deleted", "codex"]])
})
