import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { TestContext } from "node:test"

import { PlayedClaude, PlayedCodex } from "../../packaging/onecode/agents"
import type { Work } from "../../packaging/onecode/agents"
import type { Chat } from "../../packaging/onecode/chat"
import { promptClaude } from "../../packaging/onecode/claude"
import { promptCodex } from "../../packaging/onecode/codex"
import { newChat } from "../../packaging/onecode/host"
import { continuityOfTheApp, open, programIn, startSoon } from "../../packaging/onecode/lifetime"
import type { Place } from "../../packaging/onecode/lifetime"
import type { PreRunOutcome, TextPart } from "../../rpc_schema/typescript"
import { SIDECAR, alive, folder, repository, setting, until } from "../node/support"

const WHY = "Why does the total in src/cart.py ignore the discount?"
const MARKED = "Why does the total in @[file:local:src/cart.py] ignore the discount?"
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "…" } } as const
const MARKER = /^\[continuity:(\w+) ([0-9a-f]{12})\]/gm
const { signal } = new AbortController()

type Settings = NonNullable<Place["settings"]>

/** The app with its window open, a worktree, and what crossed the pipe. */
async function app(t: TestContext, settings: Settings = { mode: "active" }, env: NodeJS.ProcessEnv = {}) {
  const { options, children, log, written } = setting(t)
  const place = { program: SIDECAR, userData: folder(t), version: "1", settings, env: { ...process.env, ...env } }
  const continuity = open({ ...place, spawn: options.spawn, onLog: (line) => log.push(line) })
  t.after(() => continuity.client.stopSync())
  // A deadline that every test machine meets; the host's own timer still applies.
  const ask = continuity.beforeRun.bind(continuity)
  continuity.beforeRun = (params, aborted) => ask({ ...params, deadlineMs: 1_200 }, aborted)
  const cwd = repository(t)
  await continuity.client.request("codebase/state", { cwd })
  return { continuity, children, written, cwd }
}

type App = Awaited<ReturnType<typeof app>>

let runs = 0

/** A chat with Claude; `say` sends a prompt and returns the pre-run's outcome. */
function withClaude({ continuity, cwd }: App, work?: Work) {
  const [agent, chat] = [new PlayedClaude(work), newChat("claude", cwd)]
  const say = (prompt: string, images: (typeof IMAGE)[] = []) =>
    promptClaude(continuity, chat, { runId: `run-${++runs}`, prompt, images }, agent.ask, signal)
  return { agent, chat, say, sent: () => agent.queries.at(-1)?.content ?? [], appended: () => agent.queries.at(-1)?.append }
}

/** The same with Codex. */
function withCodex({ continuity, cwd }: App, work?: Work) {
  const [agent, chat] = [new PlayedCodex(work), newChat("codex", cwd)]
  const say = (prompt: string, files: { type: "file"; path: string }[] = []) =>
    promptCodex(continuity, chat, { runId: `run-${++runs}`, prompt, files }, agent.ask, signal)
  return { agent, chat, say, sent: () => agent.prompts.at(-1)?.parts ?? [] }
}

/** The methods that crossed the pipe for a sub-chat, in order. */
function methodsOf(written: readonly string[], subChatId: string): string[] {
  const messages = written.map((text) => JSON.parse(text) as { method: string; params?: { subChatId?: string } })
  return messages.filter((message) => message.params?.subChatId === subChatId).map((message) => message.method)
}

function edit(cwd: string, comments = 0): void {
  const lines = `# Round half up, run ${runs}.\n`.repeat(comments)
  writeFileSync(join(cwd, "src", "discount.py"), `${lines}def discount(total):\n    return total // ${11 + runs}\n`)
}

/** Asserts that no pack occurs twice in what an agent reads, and returns their kinds in order. */
function packs(read: string): string[] {
  const found = [...read.matchAll(MARKER)]
  assert.equal(new Set(found.map(([marker]) => marker)).size, found.length, read)
  return found.map(([, kind = ""]) => kind)
}

function injected(outcome: PreRunOutcome): number {
  assert.equal(outcome.kind, "answered", JSON.stringify(outcome))
  return outcome.result?.metadata.injectedBytes ?? 0
}

function texts(chat: Chat): unknown[] {
  return chat.messages.filter((message) => message.role === "user").map((message) => message.parts[0]?.text)
}

test("Claude: one system text for the whole session, packs between images and the user's text, nothing twice", async (t) => {
  const made = await app(t)
  const { agent, chat, say, sent, appended } = withClaude(made)
  const first = injected(await say(MARKED, [IMAGE]))
  assert.equal(sent()[0], IMAGE)
  assert.deepEqual(sent().at(-1), { type: "text", text: WHY }, "the mention is expanded")
  const anchored = appended()
  assert.match(anchored ?? "", /^You work in 1Code\.\n\n\[continuity:anchor /)
  for (let turn = 0; turn < 3; turn += 1) {
    edit(made.cwd)
    assert.ok(injected(await say("And after my edit?")) < first, "what the session has is not sent again")
    assert.equal(appended(), anchored, "the provider's cached prefix stays")
  }
  const kinds = packs(agent.read)
  assert.equal(kinds[0], "anchor")
  assert.equal(kinds.filter((kind) => kind === "anchor").length, 1)
  assert.ok(kinds.includes("delta"), kinds.join())
  assert.deepEqual([...agent.sessions.keys()], ["claude-1"])
  assert.ok(agent.queries.every((query) => query.env.ONECODE_CONTINUITY_HOST === "1code"), "hooks stay silent")
  assert.deepEqual(texts(chat).slice(0, 2), [MARKED, "And after my edit?"], "the stored prompt is the user's own")
})

test("Codex: the anchor first in the first prompt, markers raw, files last, nothing twice", async (t) => {
  const made = await app(t)
  const { agent, chat, say, sent } = withCodex(made)
  const file = { type: "file", path: "notes.txt" } as const
  const first = injected(await say(MARKED, [file]))
  assert.match((sent()[0] as TextPart).text, /^\[continuity:anchor /)
  assert.deepEqual(sent().slice(-2), [{ type: "text", text: MARKED }, file])
  edit(made.cwd)
  assert.ok(injected(await say("And after my edit?")) < first)
  const kinds = packs(agent.sessions.get("codex-1")?.join("\n") ?? "")
  assert.equal(kinds.indexOf("anchor"), 0)
  assert.equal(kinds.lastIndexOf("anchor"), 0)
  assert.deepEqual(texts(chat), [MARKED, "And after my edit?"])
})

test("a slash command reaches both agents as a command, and after a compaction the packs are sent again", async (t) => {
  const made = await app(t)
  const [claude, codex] = [withClaude(made), withCodex(made)]
  for (const agent of [claude, codex]) {
    await agent.say(WHY)
    assert.equal((await agent.say("/compact")).result?.reason, "slashCommand")
    assert.deepEqual(agent.sent(), [{ type: "text", text: "/compact" }])
    assert.deepEqual(agent.agent.commands, ["/compact"])
    assert.ok(injected(await agent.say(WHY)) > 0)
  }
  assert.match(claude.appended() ?? "", /\[continuity:anchor /, "the system text was there throughout")
  assert.equal(new Set(claude.agent.queries.map((query) => query.append)).size, 1)
  assert.match((codex.sent()[0] as TextPart).text, /^\[continuity:anchor /)
})

test("the usage card reads what is stored with an answer", async (t) => {
  const { chat, say } = withClaude(await app(t), () => ({ usage: { inputTokens: 1_200, outputTokens: 80 } }))
  const bytes = injected(await say(WHY))
  const { continuityStateIds, ...metadata } = chat.messages.at(-1)?.metadata ?? { sessionId: null }
  assert.deepEqual(metadata, {
    ...{ sessionId: "claude-1", inputTokens: 1_200, outputTokens: 80 },
    ...{ continuityCacheHit: false, continuityInjectedBytes: bytes, continuityReusedPercent: 0 },
  })
  assert.match(continuityStateIds?.anchorPackId ?? "", /^[0-9a-f]{12}$/)
})

test("an answer arrives before its post-run is processed, and the next pre-run follows it", async (t) => {
  const made = await app(t)
  const { chat, say } = withClaude(made, () => {
    if (chat.messages.length === 1) made.children[0]?.kill("SIGSTOP")
    return {}
  })
  await say(WHY)
  assert.equal(chat.messages.length, 2, "the sidecar hangs, and the chat has its answer")
  const next = say("Go on.")
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.deepEqual(methodsOf(made.written, "claude"), ["continuity/preRun", "continuity/postRun"])
  made.children[0]?.kill("SIGCONT")
  assert.equal((await next).kind, "answered")
  await until(() => methodsOf(made.written, "claude").length === 4, "both runs are sent")
})

test("a fresh session is requested once: neither resumed nor continued, with a carry-over", async (t) => {
  const made = await app(t, { mode: "active", rehydrate: true })
  const { agent, chat, say, sent } = withClaude(made, () => (edit(made.cwd, 300), {}))
  let fresh: PreRunOutcome | null = null
  for (let turn = 0; turn < 16 && !fresh; turn += 1) {
    const outcome = await say(WHY)
    if (outcome.result?.governor.startFreshSession) fresh = outcome
  }
  assert.ok(fresh, "the governor asks for it")
  assert.ok(fresh.result?.governor.marker, "the chat has something to show")
  const query = agent.queries.at(-1)
  assert.deepEqual([query?.resume, query?.continue, query?.forkSession], [undefined, undefined, false])
  assert.ok(sent().some((block) => block.type === "text" && block.text.startsWith("[continuity:carryover ")))
  assert.equal(chat.sessionId, "claude-2")
  const before = agent.queries.length
  await say("Go on.")
  assert.equal(agent.queries[before]?.resume, "claude-2", "from then on the chat is in the new session")
  assert.ok(texts(chat).length === agent.queries.length, "and none of its messages is lost")
})

test("every outcome of a run is reported correctly", async (t) => {
  const made = await app(t)
  const stop = new AbortController()
  const chat = newChat("claude", made.cwd)
  const sent = () => made.written.map((text) => JSON.parse(text) as { method: string; params: { outcome?: string } })
  const say = (work: Work) =>
    promptClaude(made.continuity, chat, { runId: `run-${++runs}`, prompt: WHY }, new PlayedClaude(work).ask, stop.signal)
  await say(() => ({ outcome: "aborted", text: "I was about" }))
  await say(() => ({ outcome: "error", error: { kind: "rateLimit", message: "try later" }, text: "" }))
  await say(() => ({ outcome: "empty", text: "" }))
  await say(() => Promise.reject(new Error("the network is down")))
  await say(() => ((chat.runId = "a newer prompt"), {}))
  stop.abort()
  await say(() => assert.fail("the user stopped before"))
  const expected = ["aborted", "error", "empty", "error", "superseded", "notStarted"]
  await until(() => sent().filter((message) => message.params?.outcome).length === expected.length, "all are sent")
  assert.deepEqual(sent().flatMap((message) => message.params?.outcome ?? []), expected)
})

test("while the sidecar is down prompts are sent with the session's system text, and it recovers", async (t) => {
  const made = await app(t)
  const { say, sent, appended } = withClaude(made)
  await say(WHY)
  const anchored = appended()
  await until(() => methodsOf(made.written, "claude").length === 2, "post-run is sent")
  made.children[0]?.kill("SIGKILL")
  await until(() => made.continuity.client.state !== "ready", "its end is noticed")
  const outcome = await say("Go on.")
  assert.equal(outcome.kind === "failedOpen" && outcome.why, "notReady")
  assert.equal(appended(), anchored)
  assert.deepEqual(sent(), [{ type: "text", text: "Go on." }])
  edit(made.cwd)
  await made.continuity.client.request("codebase/state", { cwd: made.cwd })
  injected(await say("And after my edit?"))
  assert.equal(appended(), anchored)
})

test("the rollout: passive changes nothing, active injects, and the kill switch overrides every setting", async (t) => {
  const made = await app(t, { mode: "passive" })
  const { say, sent, appended } = withClaude(made)
  const plain = [{ type: "text", text: WHY }]
  const passive = await say(WHY)
  assert.deepEqual([appended(), sent()], ["You work in 1Code.", plain])
  assert.ok((passive.result?.metadata.wouldInjectBytes ?? 0) > 0, "it is measured all the same")
  await made.continuity.client.request("settings/update", { settings: { mode: "active" } })
  assert.ok(injected(await say(WHY)) > 0)
  const { passive: measured } = await made.continuity.client.request("metrics/summary", {})
  assert.equal(measured.calls, 1)
  const killed = await app(t, { mode: "active" }, { ONECODE_CONTINUITY_MODE: "off" })
  const off = withClaude(killed)
  assert.equal((await off.say(WHY)).result?.reason, "off")
  assert.deepEqual([off.appended(), off.sent()], ["You work in 1Code.", plain])
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
  const [quitting, updating] = [await app(t), await app(t)]
  await withClaude(quitting).say(WHY)
  quitting.continuity.client.stopSync()
  const left = quitting.children[0]?.pid
  await until(() => !alive(left), "stdin's end is enough", 5_000)
  await withClaude(updating).say(WHY)
  await updating.continuity.client.stop()
  assert.equal(alive(updating.children[0]?.pid), false, "its files may be replaced now")
  assert.equal(updating.children[0]?.exitCode, 0)
})
