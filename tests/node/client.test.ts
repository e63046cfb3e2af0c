import assert from "node:assert/strict"
import { test } from "node:test"

import { SidecarClient } from "../../rpc_schema/typescript/client"
import { SidecarFailure } from "../../rpc_schema/typescript/failure"
import { Lines, line } from "../../rpc_schema/typescript/lines"
import { ErrorCodes } from "../../rpc_schema/typescript/types"
import { alive, file, ready, setting } from "./support"

async function failureOf(work: Promise<unknown>): Promise<SidecarFailure> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof SidecarFailure, `rejects with a SidecarFailure, not ${String(thrown)}`)
  return thrown
}

/** One client for the tests that leave its process as it was. */
const shared = ready(file)

test("nothing is started before the first request", async (t) => {
  const made = setting(t)
  const client = new SidecarClient(made.options)
  assert.equal(client.state, "idle")
  assert.equal(made.children.length, 0)
  await client.request("ping", {})
  assert.equal(client.state, "ready")
  assert.equal(made.children.length, 1)
  await client.stop()
})

test("the handshake identifies the server, and later requests are answered", async () => {
  const client = await shared
  assert.equal(client.server?.protocolVersion, 1)
  assert.equal(client.server?.serverInfo.name, "onecode-sidecar")
  const changed = await client.request("settings/update", { settings: { tokenMode: "low" } })
  const { settings } = await client.request("settings/get", {})
  assert.deepEqual(settings, changed.settings)
  assert.equal(settings.find((one) => one.name === "tokenMode")?.value, "low")
})

test("rpc.discover lists the methods the types know", async () => {
  const client = await shared
  const document = await client.request("rpc.discover", {})
  const names = (document.methods as { name: string }[]).map((method) => method.name)
  for (const name of ["initialize", "ping", "shutdown", "settings/get", "rpc.discover"]) assert.ok(names.includes(name))
})

test("an error answer rejects with its code, kind and hint", async () => {
  const client = await shared
  const wrong = await failureOf(client.request("settings/get", { projectPath: 7 } as never))
  assert.equal(wrong.reason, "refused")
  assert.equal(wrong.code, ErrorCodes.invalidParams)
  assert.equal(wrong.data?.kind, "invalidParams")
  const unknown = await failureOf(client.request("no/such" as never, {} as never))
  assert.equal(unknown.code, ErrorCodes.methodNotFound)
})

test("a hundred requests at once each get their own answer", async () => {
  const client = await shared
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => client.request(index % 2 ? "ping" : "settings/get", {})),
  )
  assert.ok(answers.every((answer, index) => "settings" in answer === (index % 2 === 0)))
})

test("a message that is too large is refused locally, and the next one is answered", async () => {
  const client = await shared
  const tooLarge = { projectPath: "/" + "x".repeat(17 * 1024 * 1024) }
  assert.equal((await failureOf(client.request("settings/get", tooLarge))).reason, "notSent")
  assert.deepEqual(await client.request("ping", {}), {})
})

test("what cannot be serialised as JSON is refused locally", async () => {
  const client = await shared
  const circular: Record<string, unknown> = {}
  circular.self = circular
  assert.equal((await failureOf(client.request("settings/get", circular as never))).reason, "notSent")
})

test("a character split between chunks does not lose the message", async () => {
  const client = await shared
  const failure = await failureOf(client.request("settings/get", { projectPath: "half \ud83d here" }))
  assert.equal(failure.reason, "refused")
  assert.equal(failure.data?.kind, "workspaceUnavailable")
})

test("a caller that aborts is answered at once, and the sidecar is notified", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  made.children[0]?.kill("SIGSTOP")
  const caller = new AbortController()
  const request = failureOf(client.request("settings/get", {}, { signal: caller.signal }))
  setImmediate(() => caller.abort())
  assert.equal((await request).reason, "aborted")
  made.children[0]?.kill("SIGCONT")
  assert.match(made.written.at(-1) ?? "", /"\$\/cancelRequest"/)
  assert.equal((await failureOf(client.request("ping", {}, { signal: AbortSignal.abort() }))).reason, "aborted")
})

test("stop ends the process in order, and the client stays stopped", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  const [child] = made.children
  await client.stop()
  assert.equal(alive(child?.pid), false)
  assert.equal(child?.exitCode, 0)
  assert.equal((await failureOf(client.request("ping", {}))).reason, "stopped")
  assert.equal(made.children.length, 1)
})

test("lines are assembled from chunks of any size, and a line over the limit is dropped", () => {
  const bytes = Buffer.from('{"a":"é"}\r\n\n' + "x".repeat(50) + "\n{}\nrest")
  for (let size = 1; size <= bytes.length; size += 1) {
    const lines = new Lines(20)
    const found: string[] = []
    for (let at = 0; at < bytes.length; at += size) found.push(...lines.feed(bytes.subarray(at, at + size)))
    assert.deepEqual(found, ['{"a":"é"}', "", "{}"])
  }
})

test("a message is one line, and only lone surrogates are replaced", () => {
  const text = line({ text: "a\n\ud83d b \u{1f600} \\ud800 \udc00" })
  assert.equal(text.indexOf("\n"), text.length - 1)
  assert.equal((JSON.parse(text) as { text: string }).text, "a\n\ufffd b \u{1f600} \\ud800 \ufffd")
})
