import assert from "node:assert/strict"
import { test } from "node:test"

import { mentionsIn, withoutMarkers } from "../../rpc_schema/typescript/mentions"
import { RunProgress } from "../../rpc_schema/typescript/outcome"
import { claudePrompt } from "../../rpc_schema/typescript/prompts"
import { lostFacts, sessionFacts } from "../../rpc_schema/typescript/sessionFacts"
import { ClaudeRun, CodexRun, preRunParams, runWithoutContinuity } from "../../rpc_schema/typescript/run"
import type { ClaudeRunInput, ClaudeUserMessage, PreRunResult, RunInput, StoredMessage } from "../../rpc_schema/typescript"
import { IMAGE, PROMPT, SESSION, claudeInput, codexInput, contentOf, play } from "./inputs"

const NOW = "2026-03-01T09:30:00.000Z"
const INIT = { type: "system", subtype: "init", session_id: SESSION }
const ANSWER = { type: "assistant", session_id: SESSION, message: { content: [{ type: "text", text: "Done." }] } }
const RESULT = { type: "result", subtype: "success", is_error: false, session_id: SESSION }

/** An answer as a sub-chat stored it. */
function answer(runId: string, changes: { subChatId?: string; sentAt?: string; parts?: object[] } = {}): StoredMessage {
  const { subChatId = "sub-1", sentAt = NOW, parts = [{ type: "text", text: "Done." }] } = changes
  return { role: "assistant", parts, metadata: { sessionId: SESSION, continuityRun: { runId, subChatId, sentAt } } }
}

function facts(changes: Partial<ClaudeRunInput>, isOwn = false, compactedAt: string | null = null) {
  return sessionFacts(claudeInput("/w", { sessionId: SESSION, ...changes }), isOwn, compactedAt)
}

/** Returns the outcome after some events; "abort" is the signal. */
function outcomeOf(events: readonly (object | "abort")[], isSuperseded = false): string {
  const progress = new RunProgress()
  for (const event of events) {
    if (event === "abort") progress.abort()
    else progress.observe(event, NOW)
  }
  const { outcome, error } = progress.outcome(isSuperseded)
  return error ? `${outcome} ${error.kind}` : outcome
}

test("an outcome is what came first: completing a run aborts its own signal", () => {
  assert.equal(outcomeOf([INIT, ANSWER, RESULT, "abort"]), "completed")
  assert.equal(outcomeOf([INIT, ANSWER, "abort", { type: "finish" }]), "aborted")
  assert.equal(outcomeOf(["abort", { type: "finish" }]), "notStarted")
  assert.equal(outcomeOf([INIT, RESULT]), "empty")
  assert.equal(outcomeOf([]), "notStarted")
  assert.equal(outcomeOf([INIT, ANSWER, "abort", { type: "finish" }], true), "superseded")
  assert.equal(outcomeOf([INIT, ANSWER, RESULT], true), "completed")
  const chunks = [{ type: "start" }, { type: "text-delta", delta: "D" }, { type: "finish" }]
  assert.equal(outcomeOf([...chunks, "abort"]), "completed", "Codex")
})

test("the app's error categories become the contract's kinds", () => {
  const kinds = {
    AUTH_FAILED_SDK: "auth",
    INVALID_API_KEY: "auth",
    RATE_LIMIT_SDK: "rateLimit",
    OVERLOADED_SDK: "overload",
    NETWORK_ERROR: "other",
    UNKNOWN: "other",
  }
  for (const [category, kind] of Object.entries(kinds)) {
    const chunk = { type: "error", errorText: "No.", debugInfo: { category } }
    assert.equal(outcomeOf([INIT, chunk, { type: "finish" }, "abort"]), `error ${kind}`)
  }
  assert.equal(outcomeOf([INIT, { type: "auth-error", errorText: "No." }]), "error auth")
  assert.equal(outcomeOf([INIT, { type: "error", errorText: "stream error: 429" }]), "error rateLimit")
  for (const [text, outcome] of [
    ["Empty response: No response received", "empty"],
    ["Failed to load Claude SDK: x", "notStarted"],
    ["Unexpected error: x", "notStarted other"],
  ]) {
    assert.equal(outcomeOf([{ type: "error", errorText: text }, { type: "finish" }]), outcome)
  }
})

test("an error that is silently repeated is none", () => {
  const refused = { ...ANSWER, error: "invalid_request" }
  assert.equal(outcomeOf([INIT, refused, INIT, ANSWER, RESULT]), "completed")
})

test("a tool that failed, the session and the compaction are read from the provider's messages", () => {
  const progress = new RunProgress()
  const use = { type: "tool_use", id: "tool-1", name: "Bash", input: {} }
  const failed = { type: "tool_result", tool_use_id: "tool-1", is_error: true, content: [{ type: "text", text: "E" }] }
  for (const event of [
    { ...ANSWER, message: { content: [use] } },
    { type: "user", session_id: SESSION, message: { content: [failed] } },
    { type: "tool-output-error", toolCallId: "tool-1", errorText: "E" },
    { type: "system", subtype: "compact_boundary", session_id: SESSION },
  ]) {
    progress.observe(event, NOW)
  }
  assert.deepEqual(progress.toolErrors, [{ toolCallId: "tool-1", toolName: "Bash", text: "E" }])
  assert.deepEqual([progress.sessionId, progress.compactedAt], [SESSION, NOW])
})

test("a prompt of an image alone has no blank text", async () => {
  const image = runWithoutContinuity(claudeInput("/w", { prompt: "", images: [IMAGE] }))
  assert.deepEqual(await contentOf(image), [IMAGE])
  const read: object[] = []
  for await (const { message } of claudePrompt(["pack\n"], " \n", [IMAGE]) as AsyncIterable<never>) read.push(message)
  assert.deepEqual(read, [{ role: "user", content: [IMAGE, { type: "text", text: "pack\n" }] }])
})

test("a fresh session is neither resumed nor continued nor loaded, and the chat has something to show", () => {
  const governor = { action: "rehydrate", reasons: [], startFreshSession: true, marker: "A fresh session." }
  const metadata = { cacheHit: true, injectedBytes: 60, reusedPercent: 99, stateIds: {} }
  const result = { action: "inject", reason: null, blocks: [], governor, metadata } as unknown as PreRunResult
  const outcome = { kind: "answered", result, injection: { systemAppend: null, blocks: ["carry-over\n"] } } as const
  const [claude, codex] = [claudeInput("/w", { sessionId: SESSION }), codexInput("/w", { sessionId: SESSION })]
  const preRun = (input: RunInput) => {
    const params = preRunParams(input, "run-1", sessionFacts(input, true, null))
    return { params, outcome, startedAt: NOW }
  }
  const run = new ClaudeRun(claude, preRun(claude), null)
  assert.deepEqual([run.sessionOptions, run.startsFresh, run.notice], [{}, true, "A fresh session."])
  assert.equal(new CodexRun(codex, preRun(codex), null).sessionId, undefined)
  const { continuityRun, ...card } = run.metadata
  const figures = { continuityCacheHit: true, continuityInjectedBytes: 60, continuityReusedPercent: 99 }
  assert.deepEqual([card, continuityRun?.runId], [{ ...figures, continuityStateIds: {} }, "run-1"])
})

test("a repeated query has the packs only where its session does not have them", async () => {
  const read = async (hasPacks: boolean, text = "Go on.") => {
    const contents: object[] = []
    for await (const { message } of claudePrompt(["pack\n"], text, [], () => hasPacks) as AsyncIterable<ClaudeUserMessage>) {
      contents.push(...message.content)
    }
    return contents
  }
  const [pack, own] = [{ type: "text", text: "pack\n" }, { type: "text", text: "Go on." }]
  assert.deepEqual([await read(false), await read(true), await read(true, "")], [[pack, own], [own], [pack]])
})

test("without continuity a run is what the app itself sends", async () => {
  const off = (changes: Partial<ClaudeRunInput>) => runWithoutContinuity(claudeInput("/w", changes))
  assert.equal(off({}).prompt, PROMPT)
  assert.deepEqual(off({}).sessionOptions, { continue: true })
  assert.deepEqual(off({ sessionId: SESSION }).sessionOptions, { resume: SESSION, continue: true })
  assert.deepEqual(off({ sessionId: SESSION, rollbackTo: "u" }).sessionOptions, { resume: SESSION, resumeSessionAt: "u" })
  const forked = { resume: SESSION, resumeSessionAt: "u", forkSession: true }
  assert.deepEqual(off({ sessionId: SESSION, forkAt: "u" }).sessionOptions, forked)
  assert.deepEqual(off({ sessionId: SESSION, forkAt: "u", isLocalModel: true }).sessionOptions, { resume: SESSION, continue: true })
  const codex = runWithoutContinuity(codexInput("/w", { prompt: "", files: [IMAGE] }))
  assert.deepEqual(codex.parts, [{ type: "text", text: "" }, IMAGE], "the app's own parts")
  play(codex)
  codex.end()
  assert.deepEqual([codex.metadata, codex.environment, (await codex.ended).outcome], [{}, {}, "completed"])
})

test("mentions are read with the app's prefixes", () => {
  const typed = "See @[file:local:src/a b.py], @[file:external:/etc/hosts] and @[folder:local:src]; @[agent:reviewer] fix it"
  assert.deepEqual(mentionsIn(typed), { files: ["src/a b.py", "/etc/hosts"], folders: ["src"] })
  assert.equal(withoutMarkers(typed), "See src/a b.py, /etc/hosts and src;  fix it")
  assert.deepEqual(mentionsIn("@[file:external:C:\\a.py] @[file:b:\\a.py]").files, ["C:\\a.py", "b:\\a.py"])
})

test("a resumed session has no facts but its id", () => {
  assert.deepEqual(facts({ messages: [answer("run-1")] }), { id: SESSION, willResume: true, isFork: false })
  assert.deepEqual(facts({ sessionId: null }), { id: null, willResume: true, isFork: false })
  const codex = sessionFacts(codexInput("/w", {}), false, null)
  assert.deepEqual(codex, { id: null, willResume: false, isFork: false })
})

test("a fork is recognised by its messages, with the app's history off and on", () => {
  const messages = [answer("run-1", { subChatId: "origin" }), { role: "user", parts: [] }]
  const origin = { forkedFrom: { subChatId: "origin", sessionId: SESSION }, truncatedToMessageId: "run-1" }
  const off = { id: SESSION, willResume: true, isFork: false, ...origin }
  assert.deepEqual(facts({ messages }), off)
  assert.deepEqual(facts({ messages, forkAt: "uuid" }), { ...off, isFork: true })
  assert.deepEqual(facts({ messages }, true), { id: SESSION, willResume: true, isFork: false }, "it ran here already")
})

test("a fork that the provider does not cut has the whole session, as it was when it was copied", () => {
  const copy = { ...answer("run-1", { subChatId: "origin" }), id: `fork-${Date.parse(NOW)}-1-a1b2c` }
  const forkedFrom = { subChatId: "origin", sessionId: SESSION, copiedAt: NOW }
  assert.deepEqual(facts({ messages: [copy] }), { id: SESSION, willResume: true, isFork: false, forkedFrom })
  const cut = facts({ messages: [copy], forkAt: "uuid" })
  assert.deepEqual([cut.truncatedToMessageId, cut.forkedFrom?.copiedAt], ["run-1", undefined])
})

test("the user's choice for a chat goes with its prompts", () => {
  const params = (input: RunInput) => preRunParams(input, "run-1", sessionFacts(input, true, null))
  assert.equal(params(claudeInput("/w", { continuityMode: "off" })).continuityMode, "off")
  assert.ok(!("continuityMode" in params(codexInput("/w", { continuityMode: null }))))
})

test("a rollback states the last message that is left", () => {
  const messages = [answer("run-1"), answer("run-2")]
  assert.equal(facts({ messages, rollbackTo: "uuid" }).truncatedToMessageId, "run-2")
  assert.equal(facts({ messages: [], rollbackTo: "uuid" }).truncatedToMessageId, null)
  assert.ok(!("truncatedToMessageId" in facts({ messages, rollbackTo: "uuid", isLocalModel: true })))
})

test("a rollback that the sidecar did not hear of is stated again, until it does", () => {
  const session = facts({ messages: [answer("run-1")], rollbackTo: "uuid" })
  const lost = lostFacts(session, null)
  assert.deepEqual(lost, { truncatedToMessageId: "run-1" })
  assert.deepEqual(lostFacts(session, { action: "passthrough", reason: "passive" } as PreRunResult), lost)
  assert.equal(lostFacts(session, { action: "inject", reason: null } as PreRunResult), null)
  assert.equal(lostFacts(facts({ messages: [answer("run-1")] }), null), null)
  const continuityRun = { runId: "run-3", subChatId: "sub-1", sentAt: NOW, lostFacts: lost }
  const next = [answer("run-1"), { role: "assistant", parts: [], metadata: { sessionId: SESSION, continuityRun } }]
  assert.equal(facts({ messages: next }).truncatedToMessageId, "run-1")
  assert.equal(facts({ messages: next, rollbackTo: "uuid" }).truncatedToMessageId, "run-1")
})

test("a compaction is known from this process or from the stored messages", () => {
  const compact = { type: "tool-Compact", state: "result" }
  const messages = [answer("run-1", { parts: [compact] }), answer("run-2", { sentAt: "2026-03-01T09:40:00.000Z" })]
  assert.equal(facts({ messages }).compactedAt, NOW)
  assert.equal(facts({ messages }, true, "2026-03-01T09:45:00.000Z").compactedAt, "2026-03-01T09:45:00.000Z")
})
