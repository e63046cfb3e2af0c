import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"

import { forClaude, forCodex, metadataOf } from "../../rpc_schema/typescript/compose"
import { Continuity } from "../../rpc_schema/typescript/continuity"
import type { PreRunOutcome } from "../../rpc_schema/typescript/continuity"
import type { PostRunParams, PreRunParams } from "../../rpc_schema/typescript/types"
import { ManualClock, file, folder, repository, script, setting, until } from "./support"
import type { Scope, Setting } from "./support"

const PROMPT = "Why does the cart's total ignore the discount?"
const UNTOUCHED = { systemAppend: null, content: [{ type: "text", text: PROMPT }] }

interface Made extends Setting {
  continuity: Continuity
  root: string
}

function made(t: Scope, given: Setting = setting(t), mode: "active" | "passive" = "active"): Made {
  given.options.initialize = { ...given.options.initialize, settings: { mode } }
  const continuity = new Continuity(given.options)
  t.after(() => continuity.client.stopSync())
  return { ...given, continuity, root: repository(t) }
}

/** The same with its process up and past its first pre-run, which loads most of its modules. */
async function up(t: Scope, mode: "active" | "passive" = "active"): Promise<Made> {
  const all = made(t, setting(t), mode)
  await all.continuity.client.request("continuity/preRun", preRun(all.root, { subChatId: "warm-up", deadlineMs: 20_000 }))
  all.written.length = 0
  return all
}

let runs = 0

/** One for the tests that leave its process as it was, each with a sub-chat of its own. */
const shared = up(file)

function preRun(cwd: string, changes: Partial<PreRunParams> = {}): PreRunParams {
  runs += 1
  const session = { id: null, willResume: false, isFork: false }
  const ids = { runId: `run-${runs}`, subChatId: "sub-1" }
  // A deadline that every test machine meets; the host's own timer still applies.
  return { ...ids, provider: "claude", mode: "agent", cwd, prompt: PROMPT, session, deadlineMs: 1_200, ...changes }
}

function postRun(before: PreRunParams, after: string | null, changes: Partial<PostRunParams> = {}): PostRunParams {
  const { runId, subChatId, provider, mode, cwd, prompt, session } = before
  const times = { startedAt: "2026-03-01T09:30:00.000Z", finishedAt: "2026-03-01T09:31:00.000Z" }
  const ended = { outcome: "completed" as const, session: { before: session.id, after } }
  return { runId, subChatId, provider, mode, cwd, prompt, ...ended, ...times, ...changes }
}

/** Asserts that the prompt goes out as the user wrote it, and says why. */
function untouched(outcome: PreRunOutcome): string {
  assert.equal(outcome.kind, "failedOpen")
  assert.deepEqual(forClaude(outcome.injection, PROMPT), UNTOUCHED)
  assert.deepEqual(forCodex(outcome.injection, PROMPT), UNTOUCHED.content)
  assert.deepEqual(metadataOf(outcome.result), {})
  return outcome.kind === "failedOpen" ? outcome.why : ""
}

test("an active pre-run injects before the user's text, and post-run stores the run", async () => {
  const { continuity, root } = await shared
  const params = preRun(root)
  const outcome = await continuity.beforeRun(params)
  assert.equal(outcome.kind, "answered", JSON.stringify(outcome))
  if (outcome.kind !== "answered") return
  assert.equal(outcome.result.action, "inject", String(outcome.result.reason))
  const image = { type: "image", data: "…" }
  const { systemAppend, content } = forClaude(outcome.injection, PROMPT, [image])
  assert.equal(content[0], image)
  assert.deepEqual(content.at(-1), { type: "text", text: PROMPT })
  assert.ok(systemAppend !== null || content.length > 2, "something is injected")
  const metadata = metadataOf(outcome.result)
  assert.deepEqual(Object.keys(metadata).sort(), [
    "continuityCacheHit",
    "continuityInjectedBytes",
    "continuityReusedPercent",
    "continuityStateIds",
  ])
  assert.ok((metadata.continuityInjectedBytes ?? 0) > 0)
  const stored = await continuity.afterRun(postRun(params, "session-1", { deliveryToken: outcome.result.deliveryToken }))
  assert.equal(stored.kind, "accepted", JSON.stringify(stored))
})

test("for Codex packs come first and files last", async () => {
  const { continuity, root } = await shared
  const outcome = await continuity.beforeRun(preRun(root, { provider: "codex", subChatId: "sub-codex" }))
  assert.equal(outcome.kind, "answered")
  assert.equal(outcome.injection.systemAppend, null, "Codex has no system channel")
  const file = { type: "file", path: "a" }
  const parts = forCodex(outcome.injection, PROMPT, [file])
  assert.ok(parts.length > 2)
  assert.deepEqual(parts.slice(-2), [{ type: "text", text: PROMPT }, file])
})

test("a passive pre-run reports that it leaves the prompt unchanged", async (t) => {
  const { continuity, root } = await up(t, "passive")
  const outcome = await continuity.beforeRun(preRun(root))
  assert.equal(outcome.kind, "answered")
  assert.equal(outcome.result?.reason, "passive")
  assert.deepEqual(forClaude(outcome.injection, PROMPT), UNTOUCHED)
})

test("without the program the prompt is sent at once", async (t) => {
  const { continuity, root } = made(t, setting(t, { command: join(folder(t), "missing") }))
  const started = performance.now()
  assert.equal(untouched(await continuity.beforeRun(preRun(root))), "notReady")
  assert.ok(performance.now() - started < 500)
})

test("with only garbage on stdout the prompt is sent at once", async (t) => {
  const program = script(t, `setInterval(() => process.stdout.write("garbage\\n{}\\n[]\\n"), 5)`)
  const { continuity, root, log } = made(t, setting(t, program))
  continuity.client.start()
  await until(() => log.length > 3, "it spoke")
  assert.equal(untouched(await continuity.beforeRun(preRun(root))), "notReady")
})

test("while the sidecar starts, a chat does not wait for it", async (t) => {
  const { continuity, root } = made(t)
  assert.equal(untouched(await continuity.beforeRun(preRun(root))), "notReady")
  assert.equal(continuity.client.state, "starting")
})

test("when the sidecar dies during a pre-run the prompt is sent at once", async (t) => {
  const { continuity, root, children, written } = await up(t)
  children[0]?.kill("SIGSTOP")
  const outcome = continuity.beforeRun(preRun(root))
  await until(() => written.some((text) => text.includes("continuity/preRun")), "the request is sent")
  children[0]?.kill("SIGKILL")
  assert.equal(untouched(await outcome), "exited")
})

test("a hanging sidecar costs 1.5 s, is replaced after three failures, and is then no longer called", async (t) => {
  const { continuity, root, children } = await up(t)
  children[0]?.kill("SIGSTOP")
  const started = performance.now()
  const answers = ["a", "b", "c"].map((subChatId) => continuity.beforeRun(preRun(root, { subChatId })))
  assert.deepEqual((await Promise.all(answers)).map(untouched), ["timeout", "timeout", "timeout"])
  const took = performance.now() - started
  assert.ok(took >= 1_450 && took < 2_500, `took ${Math.round(took)} ms`)
  assert.equal(untouched(await continuity.beforeRun(preRun(root))), "breakerOpen")
  await until(() => children.length === 2 && continuity.client.state === "ready", "another process is up")
  assert.equal(untouched(await continuity.beforeRun(preRun(root))), "breakerOpen")
  continuity.reset()
  assert.equal((await continuity.beforeRun(preRun(root))).kind, "answered")
})

test("params that the sidecar refuses do not delay the prompt or open the breaker", async () => {
  const { continuity, root } = await shared
  for (let count = 0; count < 4; count += 1) {
    assert.equal(untouched(await continuity.beforeRun(preRun(root, { provider: "other" as never }))), "refused")
  }
  assert.equal((await continuity.beforeRun(preRun(root))).kind, "answered")
})

test("no argument of the host throws", async () => {
  const { continuity, root } = await shared
  const circular = preRun(root) as unknown as Record<string, unknown>
  circular.mentions = circular
  assert.equal(untouched(await continuity.beforeRun(circular as never)), "notSent")
  assert.equal((await continuity.afterRun(circular as never)).kind, "failed")
  assert.equal((await continuity.beforeRun(null as never)).kind, "failedOpen")
  assert.equal((await continuity.afterRun(null as never)).kind, "failed")
})

test("a post-run precedes the next pre-run of the same sub-chat only", async (t) => {
  const { continuity, root, children, written } = await up(t)
  const first = preRun(root)
  await continuity.beforeRun(first)
  written.length = 0
  children[0]?.kill("SIGSTOP")
  const recorded = continuity.afterRun(postRun(first, "session-1"))
  const same = continuity.beforeRun(preRun(root, { session: { id: "session-1", willResume: true, isFork: false } }))
  const other = continuity.beforeRun(preRun(root, { subChatId: "sub-2" }))
  await until(() => written.length === 2, "post-run and the other sub-chat's pre-run are sent")
  await new Promise((resolve) => setTimeout(resolve, 150))
  const subChats = written.map((text) => (JSON.parse(text) as { params: PreRunParams }).params.subChatId)
  assert.deepEqual(subChats, ["sub-1", "sub-2"])
  children[0]?.kill("SIGCONT")
  assert.equal((await recorded).kind, "accepted")
  assert.equal((await same).kind, "answered")
  assert.equal((await other).kind, "answered")
  const sent = written.map((text) => (JSON.parse(text) as { method: string }).method)
  assert.deepEqual(sent, ["continuity/postRun", "continuity/preRun", "continuity/preRun"])
})

test("a post-run whose sidecar dies is sent to the next sidecar", async (t) => {
  const { continuity, root, children, written } = await up(t)
  const params = preRun(root)
  await continuity.beforeRun(params)
  children[0]?.kill("SIGSTOP")
  const recorded = continuity.afterRun(postRun(params, "session-1"))
  await until(() => written.some((text) => text.includes("continuity/postRun")), "it was told")
  children[0]?.kill("SIGKILL")
  assert.equal((await recorded).kind, "accepted")
  assert.equal(children.length, 2)
  const again = await continuity.afterRun(postRun(params, "session-1"))
  assert.ok(again.kind === "accepted" && again.result.duplicate)
})

test("a post-run without a sidecar fails silently after 30 s", async (t) => {
  const clock = new ManualClock()
  const { continuity, root } = made(t, setting(t, { command: join(folder(t), "missing"), clock }))
  const recorded = continuity.afterRun(postRun(preRun(root), null))
  await until(() => clock.pending.includes(30_000), "it waits for a process")
  clock.advance(30_000)
  assert.deepEqual((({ kind, why }) => [kind, why])((await recorded) as { kind: string; why: string }), ["failed", "timeout"])
})

test("the system text of a session stays when the sidecar does not answer", async (t) => {
  const { continuity, root, children } = await up(t)
  const first = preRun(root)
  const outcome = await continuity.beforeRun(first)
  const given = outcome.injection.systemAppend
  assert.ok(given, "Claude is given the anchor as system text")
  assert.equal((await continuity.afterRun(postRun(first, "session-1"))).kind, "accepted")
  children[0]?.kill("SIGSTOP")
  const resumed = { id: "session-1", willResume: true, isFork: false }
  const [same, forked, fresh] = await Promise.all([
    continuity.beforeRun(preRun(root, { session: resumed })),
    continuity.beforeRun(preRun(root, { session: { ...resumed, isFork: true } })),
    continuity.beforeRun(preRun(root)),
  ])
  assert.equal(same.kind, "failedOpen")
  assert.deepEqual(forClaude(same.injection, PROMPT), { ...UNTOUCHED, systemAppend: given })
  untouched(forked)
  untouched(fresh)
})

test("withContinuity runs between pre-run and post-run and passes the delivery token", async () => {
  const { continuity, root, written } = await shared
  written.length = 0
  const params = preRun(root, { subChatId: "sub-with" })
  const value = await continuity.withContinuity(params, (outcome) => {
    assert.equal(outcome.kind, "answered")
    return Promise.resolve({ value: 42, postRun: postRun(params, "session-1") })
  })
  assert.equal(value, 42)
  await until(() => written.some((text) => text.includes("continuity/postRun")), "the run was told")
  const recorded = written.map((text) => JSON.parse(text) as { method: string; params: PostRunParams }).at(-1)
  assert.ok(recorded?.params.deliveryToken)
})

test("an error of the run reaches the host", async (t) => {
  const { continuity, root } = made(t, setting(t, { command: join(folder(t), "missing") }))
  const failing = continuity.withContinuity(preRun(root), () => Promise.reject(new Error("the host's own")))
  await assert.rejects(failing, /the host's own/)
})
