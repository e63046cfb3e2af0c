import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { test } from "node:test"

import { SidecarClient } from "../../rpc_schema/typescript/client"
import { SidecarFailure } from "../../rpc_schema/typescript/failure"
import { ManualClock, SIDECAR, alive, folder, ready, script, setting, until } from "./support"

const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: unknown) => (error instanceof SidecarFailure ? error.reason : String(error)),
  )

test("a sidecar killed in the middle of a request fails it at once, and the next one is served", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  const [child] = made.children
  child?.kill("SIGSTOP")
  const request = reasonOf(client.request("settings/get", {}))
  await until(() => made.written.some((text) => text.includes("settings/get")), "the request is written")
  child?.kill("SIGKILL")
  assert.equal(await request, "exited")
  assert.equal(await reasonOf(client.request("ping", {}, { waitsFor: "start" })), "notReady")
  assert.deepEqual(await client.request("ping", {}), {}, "after a restart")
  assert.equal(made.children.length, 2)
})

test("a request to a hanging sidecar times out and is cancelled", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  made.children[0]?.kill("SIGSTOP")
  assert.equal(await reasonOf(client.request("settings/get", {}, { timeoutMs: 100 })), "timeout")
  assert.match(made.written.at(-1) ?? "", /"\$\/cancelRequest"/)
  made.children[0]?.kill("SIGCONT")
  assert.deepEqual(await client.request("ping", {}), {})
  assert.equal(made.children.length, 1)
})

test("a sidecar that does not react to three requests is replaced", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  made.children[0]?.kill("SIGSTOP")
  for (let count = 0; count < 3; count += 1) await reasonOf(client.request("ping", {}, { timeoutMs: 50 }))
  assert.deepEqual(await client.request("ping", {}), {})
  assert.equal(made.children.length, 2)
  assert.equal(alive(made.children[0]?.pid), false)
})

test("a missing program is tried five more times, then disabled until a reset", async (t) => {
  const clock = new ManualClock()
  const made = setting(t, { command: join(folder(t), "missing"), clock, random: () => 0.5 })
  const client = new SidecarClient(made.options)
  const waiting = reasonOf(client.request("ping", {}, { timeoutMs: 60_000 }))
  const delays: number[] = []
  while (client.state !== "off") {
    await until(() => client.state === "waiting" || client.state === "off", "the start failed")
    if (client.state !== "waiting") break
    const delay = clock.pending[0] ?? 0
    delays.push(delay)
    clock.advance(delay)
  }
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000])
  assert.equal(await waiting, "switchedOff")
  assert.equal(await reasonOf(client.request("ping", {})), "switchedOff")
  assert.ok(made.log.some((text) => text.includes("ENOENT")))
  client.reset()
  assert.equal(client.state, "starting")
  client.stopSync()
})

test("a failed start signals no process, in particular not the host's process group", async (t) => {
  const client = join(__dirname, "../../rpc_schema/typescript/client.js")
  const program = script(
    t,
    `const { SidecarClient } = require(${JSON.stringify(client)})
     const initialize = { clientInfo: { name: "host", version: "1" }, stateDir: "/nowhere" }
     // Every timer fires at once: the client gives up on the handshake, and kills, before Node reports the failed start.
     const clock = { now: () => 0, after: (ms, run) => (queueMicrotask(run), () => undefined) }
     const client = new SidecarClient({ command: "/missing/sidecar", initialize, clock })
     client.request("ping", {}).catch(() => setTimeout(() => process.exit(7), 300))`,
  )
  const host = spawn(program.command, program.args ?? [], { stdio: "inherit", detached: true })
  assert.deepEqual(await new Promise((resolve) => host.on("exit", (code, signal) => resolve([code, signal]))), [7, null])
})

test("a folder in the program's place does not crash the client", async (t) => {
  const client = new SidecarClient(setting(t, { command: folder(t) }).options)
  assert.equal(await reasonOf(client.request("ping", {}, { timeoutMs: 200 })), "timeout")
  client.stopSync()
})

test("garbage on stdout is skipped", async (t) => {
  const program = script(
    t,
    `const { spawn } = require("node:child_process")
     const garbage = ["garbage", "{", "[]", "null", "42", '"text"', '{"id":1}', '{"jsonrpc":"2.0","id":999,"result":{}}',
       '{"jsonrpc":"2.0","id":"1","result":{}}', '{"jsonrpc":"2.0","method":"$/progress","params":null}', "\\u0000\\u0001", ""]
     process.stdout.write(Buffer.concat([Buffer.from(garbage.slice(0, 6).join("\\n") + "\\n"), Buffer.from([0xff, 0xfe, 0x0a])]))
     const real = spawn(${JSON.stringify(SIDECAR)}, ["serve"], { stdio: ["pipe", "pipe", "inherit"] })
     process.stdin.pipe(real.stdin)
     real.stdout.on("data", (chunk) => { process.stdout.write(chunk); process.stdout.write(garbage.slice(7).join("\\n") + "\\n") })
     real.on("exit", (code) => process.exit(code ?? 1))`,
  )
  const made = setting(t, program)
  const client = await ready(t, made)
  const { settings } = await client.request("settings/get", {})
  assert.ok(settings.length > 10)
  assert.ok(made.log.some((text) => text.includes("not a message: garbage")))
  await client.stop()
})

test("a program that prints only garbage fails the handshake and is killed", async (t) => {
  const clock = new ManualClock()
  const program = script(t, `setInterval(() => process.stdout.write("garbage\\n"), 5)`)
  const made = setting(t, { ...program, clock })
  const client = new SidecarClient(made.options)
  const waiting = reasonOf(client.request("ping", {}, { timeoutMs: 5_200 }))
  await until(() => made.log.some((text) => text.includes("garbage")), "it spoke")
  clock.advance(5_000)
  await until(() => client.state === "waiting", "it was killed")
  assert.equal(made.children[0]?.signalCode, "SIGKILL")
  clock.advance(200)
  assert.equal(await waiting, "timeout")
  client.stopSync()
})

test("a program that refuses our params is disabled at once, because a retry would not help", async (t) => {
  const made = setting(t)
  made.options.initialize = { ...made.options.initialize, stateDir: "" }
  const client = new SidecarClient(made.options)
  assert.equal(await reasonOf(client.request("ping", {})), "switchedOff")
  assert.equal(made.children.length, 1)
})

test("a program that closed its stdin does not kill the host", async (t) => {
  const program = script(
    t,
    `require("node:fs").closeSync(0)
     setInterval(() => undefined, 1000)`,
  )
  const made = setting(t, program)
  const client = new SidecarClient(made.options)
  const requests = Array.from({ length: 5 }, () => reasonOf(client.request("ping", {}, { timeoutMs: 400 })))
  assert.deepEqual(await Promise.all(requests), Array.from({ length: 5 }, () => "timeout"))
  client.stopSync()
})

test("a million bytes on stderr do not block the sidecar", async (t) => {
  const program = script(
    t,
    `process.stderr.write("x".repeat(500_000) + "\\n" + "y".repeat(500_000) + "\\n", () => {
       require("node:child_process").spawn(${JSON.stringify(SIDECAR)}, ["serve"], { stdio: "inherit" })
         .on("exit", (code) => process.exit(code ?? 1))
     })`,
  )
  const made = setting(t, program)
  const client = await ready(t, made)
  assert.ok(made.log.some((text) => text.length === 500_000))
  await client.stop()
})

test("a host listener that throws has no effect on the client", async (t) => {
  const made = setting(t, {
    onLog: () => {
      throw new Error("the host's own fault")
    },
  })
  const client = await ready(t, made)
  assert.deepEqual(await client.request("ping", {}), {})
})
