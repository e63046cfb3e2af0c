import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { test } from "node:test"

import { unhurried, until } from "../support"
import { WHY, anchorOf, edit, lastBody, lastTexts, makePlace, packs, systemText, toClaude, toCodex, world } from "./world"
import type { World } from "./world"

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const IMAGE = { base64Data: PIXEL, mediaType: "image/png" }
const POLICY = { status: 400, type: "invalid_request_error", message: "This may violate our Usage Policy." }
const DISCOUNT = "def discount(total):\n    return total // 20\n"

const claude = (prompt: string, more: object = {}) => ({ subChatId: "claude-1", prompt, ...more })
const codex = (prompt: string, more: object = {}) => ({ subChatId: "codex-1", prompt, ...more })

/** The outcomes that reached the sidecar, in order. */
function outcomes({ sidecar }: World): (string | undefined)[] {
  const messages = sidecar.written.map((text) => JSON.parse(text) as { method: string; params?: { outcome?: string } })
  return messages.filter(({ method }) => method === "continuity/postRun").map(({ params }) => params?.outcome)
}

test("small: an anchor that stays, packs once, and a second turn that adds nothing", async (t) => {
  const made = await world(t)
  assert.deepEqual(packs(await toClaude(made, claude(WHY))), ["context", "delta", "anchor"])
  assert.equal(lastTexts(made.claudeApi).at(-1), WHY, "the user's text is last")
  packs(await toClaude(made, claude("Go on.")))
  assert.deepEqual(lastTexts(made.claudeApi), ["Go on."])
  const [first, second] = made.claudeApi.requests
  assert.equal(systemText(first), systemText(second))
  assert.deepEqual(packs(await toCodex(made, codex(WHY))).slice(0, 2), ["anchor", "context"])
  const kinds = packs(await toCodex(made, codex("Go on.")))
  assert.deepEqual(lastTexts(made.codexApi), ["Go on."])
  assert.equal(kinds.filter((kind) => kind === "anchor").length, 1)
  assert.deepEqual(outcomes(made), ["completed", "completed", "completed", "completed"])
})

test("passive, off and without continuity are byte-identical to the app without us", async (t) => {
  const place = makePlace(t)
  const bodies = new Map<string, string[]>()
  for (const mode of ["original", "absent", "off", "passive"] as const) {
    const isOriginal = mode === "original"
    const userData = `${place.home}/${mode}`
    const made = await world(t, { place, mode: isOriginal ? "absent" : mode, isOriginal, userData })
    await toClaude(made, claude(WHY))
    await toClaude(made, claude("And this?", { images: [IMAGE] }))
    await toCodex(made, codex(WHY))
    await toCodex(made, codex("And this?", { images: [IMAGE] }))
    // Ids are random, and each sub-chat has a folder of its own.
    const requests = [...made.claudeApi.requests, ...made.codexApi.requests]
    const ids = /[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
    bodies.set(mode, requests.map(({ text }) => text.replace(ids, "ID").replaceAll(userData, "USER_DATA")))
  }
  assert.equal(bodies.get("original")?.length, 4)
  for (const mode of ["absent", "off", "passive"]) assert.deepEqual(bodies.get(mode), bodies.get("original"), mode)
})

test("a prompt of an image alone leaves the session alive", async (t) => {
  const made = await world(t)
  const picture = { images: [IMAGE] }
  assert.ok(packs(await toClaude(made, claude("", picture))).includes("anchor"))
  await toClaude(made, claude(WHY))
  assert.ok(packs(await toCodex(made, codex("", picture))).includes("anchor"))
  assert.ok(lastTexts(made.codexApi).every((text) => text.trim() !== "" || text === ""))
  await toCodex(made, codex(WHY))
  assert.deepEqual(outcomes(made), ["completed", "completed", "completed", "completed"])
})

test("the silent retry sends the prompt again", async (t) => {
  const made = await world(t)
  made.claudeApi.answers.push({ refusal: POLICY })
  const body = await toClaude(made, claude(WHY, { images: [IMAGE] }))
  assert.ok(packs(body).includes("context"))
  assert.equal(lastTexts(made.claudeApi).at(-1), WHY)
  assert.deepEqual(outcomes(made), ["completed"])
  packs(await toClaude(made, claude("Go on.")))
  assert.deepEqual(lastTexts(made.claudeApi), ["Go on."])
})

test("a first prompt that fails goes on in the same session, and its packs are not sent again", async (t) => {
  const made = await world(t)
  made.claudeApi.answers.push(...[1, 2, 3].map(() => ({ refusal: POLICY })))
  await toClaude(made, claude(WHY))
  assert.deepEqual([outcomes(made), made.app.rows.get("claude-1")?.sessionId], [["error"], null])
  const body = await toClaude(made, claude("Again, please."))
  assert.ok(packs(body).includes("anchor"))
  assert.match(body, /Why does the total/)
})

for (const historyEnabled of [false, true]) {
  test(`a fork is right in both chats, history ${historyEnabled ? "on" : "off"}`, async (t) => {
    const made = await world(t, { historyEnabled })
    await toClaude(made, claude(WHY))
    const original = made.app.fork("claude-1", "fork-1")
    assert.equal(original.sessionId, made.app.rows.get("claude-1")?.sessionId, "the copy has the same session id")
    edit(made, "src/discount.py", DISCOUNT)
    const sent = new Set<string>()
    // With history off the copy was made at the fork: what the original gets afterwards is not in it.
    for (const subChatId of historyEnabled ? ["fork-1", "claude-1"] : ["claude-1", "fork-1"]) {
      const body = await toClaude(made, { subChatId, prompt: "And after my edit?" })
      packs(body)
      assert.match(lastTexts(made.claudeApi).join("\n"), /total \/\/ 20/, `${subChatId} learns of the edit`)
      sent.add(anchorOf(made.claudeApi.requests.at(-1)))
      packs(await toClaude(made, { subChatId, prompt: "Go on." }))
      assert.deepEqual(lastTexts(made.claudeApi), ["Go on."], `${subChatId} has it all`)
    }
    assert.deepEqual([...sent], [anchorOf(made.claudeApi.requests[0])], "one anchor for both")
  })
}

test("with history off a fork from an earlier message has the whole session, and no pack twice", async (t) => {
  const made = await world(t)
  await toClaude(made, claude("What is this project?"))
  await toClaude(made, claude(WHY))
  made.app.fork("claude-1", "fork-1", 1)
  assert.match(packs(await toClaude(made, { subChatId: "fork-1", prompt: WHY })).join(), /context/)
  assert.deepEqual(lastTexts(made.claudeApi), [WHY])
})

test("a chat that the user switched off is the app without us, and one that is on has packs", async (t) => {
  const made = await world(t, { mode: "passive" })
  assert.deepEqual(packs(await toClaude(made, claude(WHY))), [])
  const chosen = await toClaude(made, { subChatId: "claude-2", prompt: WHY, continuityMode: "active" })
  assert.ok(packs(chosen).includes("context"))
  assert.deepEqual(packs(await toCodex(made, codex(WHY, { continuityMode: "off" }))), [])
})

test("a fork from an earlier message lacks nothing that the messages after it were given", async (t) => {
  const made = await world(t, { historyEnabled: true })
  await toClaude(made, claude("What is this project?"))
  await toClaude(made, claude(WHY))
  made.app.fork("claude-1", "fork-1", 1)
  const body = await toClaude(made, { subChatId: "fork-1", prompt: WHY })
  assert.match(body, /def total\(cart\)/)
  packs(body)
})

test("a rollback while the sidecar is down takes no pack away for good", async (t) => {
  const made = await world(t, { historyEnabled: true })
  await toClaude(made, claude("What is this project?"))
  await toClaude(made, claude(WHY))
  assert.match(lastBody(made.claudeApi), /def total\(cart\)/)
  made.sidecar.children[0]?.kill("SIGKILL")
  made.app.rollBack("claude-1", 1)
  await toClaude(made, claude("Wait."))
  await until(() => made.sidecar.children.length === 2 && made.continuity?.client.state === "ready", "it is back")
  assert.match(packs(await toClaude(made, claude(WHY))).join(), /context/)
  assert.match(lastBody(made.claudeApi), /def total\(cart\)/)
  packs(await toClaude(made, claude("Go on.")))
  assert.deepEqual(lastTexts(made.claudeApi), ["Go on."])
})

test("the first prompt after an app restart has the session's anchor, before any handshake", async (t) => {
  const made = await world(t)
  await toClaude(made, claude(WHY))
  await made.continuity?.client.stop()
  const again = made.restarted()
  assert.equal(again.continuity?.client.state, "idle")
  await toClaude(again, claude("Go on."))
  assert.equal(anchorOf(made.claudeApi.requests.at(-1)), anchorOf(made.claudeApi.requests[0]))
  packs(lastBody(made.claudeApi))
})

test("a local model has the app's own history block, and nothing of ours", async (t) => {
  const made = await world(t)
  await toClaude(made, claude(WHY, { isLocalModel: true }))
  const body = await toClaude(made, claude("Go on.", { isLocalModel: true }))
  assert.match(lastTexts(made.claudeApi).at(-1) ?? "", /^\[CONVERSATION HISTORY\]\nuser: Why does/)
  assert.deepEqual(packs(body), [])
})

test("mentions are understood with the app's prefixes", async (t) => {
  const made = await world(t)
  const prompt = "Explain @[file:local:src/discount.py] and @[file:external:/etc/hosts]."
  const body = await toClaude(made, claude(prompt))
  assert.equal(lastTexts(made.claudeApi).at(-1), "Explain src/discount.py and /etc/hosts.")
  assert.match(body, /def discount\(total\)/)
  const preRun = made.sidecar.written.filter((text) => text.includes("continuity/preRun")).at(-1) ?? "{}"
  const { params } = JSON.parse(preRun) as { params: { mentions: object } }
  assert.deepEqual(params.mentions, { files: ["src/discount.py", "/etc/hosts"], folders: [] })
  assert.match(await toCodex(made, codex(prompt)), /def discount\(total\)/)
  const [stored] = made.app.messagesOf("claude-1")
  assert.equal(stored?.parts[0]?.text, prompt, "the stored prompt is the user's own")
})

test("a newer prompt supersedes the one that runs, and packs are there once", async (t) => {
  const made = await world(t)
  made.claudeApi.answers.push({ hangs: "after the first words" })
  const arrived = made.claudeApi.nextRequest()
  const first = made.app.claude(claude(WHY))
  await arrived
  const second = made.app.claude(claude("Rather explain it."))
  await Promise.all([first.done, second.done])
  await Promise.all([first.report, second.report])
  assert.deepEqual(outcomes(made).sort(), ["completed", "superseded"])
  packs(await toClaude(made, claude("Go on.")))
})

test("Stop at five moments is told apart, and no pack is lost or doubled", async (t) => {
  const made = await world(t)
  const { claudeApi, sidecar } = made
  const stopped = async (subChatId: string, moment: (stop: () => void) => Promise<void>) => {
    const arrived = claudeApi.nextRequest()
    const run = made.app.claude({ subChatId, prompt: WHY })
    await moment(async () => (await arrived, run.stop()))
    await run.done
    const report = await run.report
    const body = await toClaude(made, { subChatId, prompt: `${WHY} Again.` })
    assert.ok(packs(body).includes("context"), `${report?.outcome}: the agent has the packs`)
    return report?.outcome
  }
  const duringPreRun = async () => {
    sidecar.children[0]?.kill("SIGSTOP")
    const run = made.app.claude({ subChatId: "stop-1", prompt: WHY })
    setTimeout(() => run.stop(), 100)
    await run.done
    sidecar.children[0]?.kill("SIGCONT")
    const report = await run.report
    assert.ok(packs(await toClaude(made, { subChatId: "stop-1", prompt: WHY })).includes("context"))
    return report?.outcome
  }
  assert.equal(await duringPreRun(), "notStarted")
  claudeApi.answers.push({ hangs: "before" })
  assert.equal(await stopped("stop-2", async (stop) => stop()), "aborted")
  claudeApi.answers.push({ hangs: "after the first words" })
  assert.equal(await stopped("stop-3", async (stop) => stop()), "aborted")
  claudeApi.answers.push({ tool: { name: "Bash", input: { command: "sleep 30", description: "Wait" } } })
  const later = async (stop: () => void) => void setTimeout(stop, 1_000)
  assert.equal(await stopped("stop-4", later), "aborted")
  const run = made.app.claude({ subChatId: "stop-5", prompt: WHY })
  await run.done
  run.stop()
  assert.equal((await run.report)?.outcome, "completed")
  packs(await toClaude(made, { subChatId: "stop-5", prompt: WHY }))
})

test("Codex: a session loaded after a restart, a compaction, and a fresh session with an app-managed key", async (t) => {
  const made = await world(t)
  await toCodex(made, codex(WHY))
  const again = made.restarted()
  if (again.continuity) unhurried(again.continuity)
  made.app.close()
  packs(await toCodex(again, codex("Go on.")))
  assert.deepEqual(lastTexts(made.codexApi), ["Go on."])
  made.codexApi.answers.push({ text: "A summary." })
  await toCodex(again, codex("/compact"))
  const body = await toCodex(again, codex(WHY))
  const joined = lastBody(made.codexApi)
  assert.doesNotMatch(joined.replaceAll("\\n", "\n"), /[^\n"]\[continuity:/, "joined parts are separate lines")
  assert.match(body, /continuity:anchor/)
  const keyed = await toCodex(again, codex(WHY, { appManagedKey: true }))
  assert.deepEqual(packs(keyed).slice(0, 2), ["anchor", "context"], "no session is loaded with an app-managed key")
})

test("a failing command, an error and a worktree are known after the run", async (t) => {
  const made = await world(t)
  made.claudeApi.answers.push({ tool: { name: "Bash", input: { command: "echo broken >&2; exit 3", description: "x" } } })
  await toClaude(made, claude(WHY))
  const runs = made.sidecar.written.map((text) => JSON.parse(text) as { method: string; params: Record<string, unknown> })
  const params = runs.find(({ method }) => method === "continuity/postRun")?.params
  const [failed] = params?.toolErrors as { toolName: string; text: string }[]
  assert.equal(failed?.toolName, "Bash")
  assert.match(failed?.text ?? "", /broken/)
  assert.ok(existsSync(String(params?.transcriptPath)), "the session's transcript is found")
  const { projects } = (await made.continuity?.client.request("state/status", {})) ?? { projects: [] }
  assert.equal(projects.length, 1, "the worktree belongs to its project")
  assert.equal(execFileSync("git", ["status", "--porcelain"], { cwd: made.cwd, encoding: "utf8" }), "")
})
