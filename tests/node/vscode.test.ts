import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { test } from "node:test"

import {
  CancellationTokenSource,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
} from "vscode-jsonrpc/node"
import type { MessageConnection } from "vscode-jsonrpc/node"

import { ErrorCodes, PROTOCOL_VERSION } from "../../rpc_schema/typescript/types"
import type { ErrorData, InitializeResult, PreRunResult, SettingsGetResult } from "../../rpc_schema/typescript/types"
import { SIDECAR, file, folder, repository } from "./support"
import type { Scope } from "./support"

/** A connection by a library that knows nothing of this project, with `Content-Length` framing. */
function connection(t: Scope): { rpc: MessageConnection; exited: Promise<number | null> } {
  const child = spawn(SIDECAR, ["serve"], { stdio: ["pipe", "pipe", "ignore"] })
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve))
  const rpc = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin))
  rpc.listen()
  t.after(() => {
    rpc.dispose()
    child.kill("SIGKILL")
  })
  return { rpc, exited }
}

async function initialized(t: Scope): Promise<ReturnType<typeof connection> & { greeting: InitializeResult }> {
  const made = connection(t)
  const greeting = await made.rpc.sendRequest<InitializeResult>("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "vscode-jsonrpc", version: "8" },
    processId: process.pid,
    stateDir: join(folder(t), "state"),
  })
  return { ...made, greeting }
}

async function errorOf(work: Promise<unknown>): Promise<ResponseError<ErrorData>> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof ResponseError, `an error answer, not ${String(thrown)}`)
  return thrown as ResponseError<ErrorData>
}

/** One connection for the tests that leave its process as it was. */
const shared = initialized(file)

test("initialize, ping and settings/get are answered, shutdown and exit end the process with status 0", async (t) => {
  const { rpc, exited, greeting } = await initialized(t)
  assert.equal(greeting.protocolVersion, PROTOCOL_VERSION)
  assert.deepEqual(await rpc.sendRequest("ping"), {})
  const { settings } = await rpc.sendRequest<SettingsGetResult>("settings/get", {})
  assert.equal(settings[0]?.name, "mode")
  assert.deepEqual(await rpc.sendRequest("shutdown"), {})
  await rpc.sendNotification("exit")
  assert.equal(await exited, 0)
})

test("a method before initialize is answered with -32002", async (t) => {
  const { rpc } = connection(t)
  assert.equal((await errorOf(rpc.sendRequest("ping"))).code, ErrorCodes.notInitialized)
})

test("unknown methods, wrong params and positional params get the standard's codes", async () => {
  const { rpc } = await shared
  assert.equal((await errorOf(rpc.sendRequest("no/such"))).code, -32601)
  const wrong = await errorOf(rpc.sendRequest("settings/update", { settings: { mode: "loud" } }))
  assert.equal(wrong.code, -32602)
  assert.equal(wrong.data?.kind, "invalidParams")
  assert.equal((await errorOf(rpc.sendRequest("settings/get", "one", "two"))).code, -32602)
})

test("a cancelled request is answered with -32800, and the next one normally", async () => {
  const { rpc } = await shared
  const source = new CancellationTokenSource()
  // The library sends the cancellation right after the request. Whichever comes first, there is one answer.
  const request = rpc.sendRequest("rpc.discover", {}, source.token)
  source.cancel()
  assert.equal((await errorOf(request)).code, ErrorCodes.cancelled)
  assert.deepEqual(await rpc.sendRequest("ping"), {})
})

test("an unknown notification is ignored", async () => {
  const { rpc } = await shared
  await rpc.sendNotification("no/such", { a: 1 })
  assert.deepEqual(await rpc.sendRequest("ping"), {})
})

test("a prompt of a megabyte in other scripts arrives whole", async () => {
  const { rpc } = await shared
  const wrong = await errorOf(rpc.sendRequest("settings/get", { projectPath: "/" + "шаг🚀".repeat(150_000) }))
  assert.equal(wrong.code, -32602)
  assert.deepEqual(await rpc.sendRequest("ping"), {})
})

test("continuity/preRun is answered with blocks in send order and a delivery token", async (t) => {
  const { rpc } = await shared
  await rpc.sendRequest("settings/update", { settings: { mode: "active" } })
  const result = await rpc.sendRequest<PreRunResult>("continuity/preRun", {
    runId: "run-1",
    subChatId: "sub-1",
    provider: "codex",
    mode: "agent",
    cwd: repository(t),
    prompt: "Where is the discount?",
    session: { id: null, willResume: false, isFork: false },
    deadlineMs: 20_000,
  })
  assert.equal(result.action, "inject", String(result.reason))
  assert.equal(result.system, null)
  assert.equal(result.blocks[0]?.kind, "anchor")
  assert.ok(result.blocks.every((block) => block.bytes === Buffer.byteLength(block.text)))
  assert.ok(result.prompt.endsWith("Where is the discount?"))
  assert.ok(result.deliveryToken)
  const injected = result.blocks.reduce((sum, block) => sum + block.bytes, 0)
  assert.equal(result.metadata.injectedBytes, injected)
})
