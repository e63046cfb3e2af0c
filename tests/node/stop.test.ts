import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { test } from "node:test"

import type { Clock } from "../../rpc_schema/typescript/clock"
import { systemClock } from "../../rpc_schema/typescript/clock"
import { SidecarClient } from "../../rpc_schema/typescript/client"
import { SIDECAR, alive, folder, ready, script, setting, until } from "./support"

/** A clock on which the client's patience before SIGTERM, two seconds, is a tenth; before SIGKILL it has four. */
const hasty: Clock = {
  now: systemClock.now,
  after: (ms, run) => systemClock.after(ms <= 2_000 ? ms / 10 : ms, run),
}

test("a hanging sidecar is killed in the end", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  made.children[0]?.kill("SIGSTOP")
  const started = performance.now()
  await client.stop()
  const took = performance.now() - started
  assert.equal(made.children[0]?.signalCode, "SIGKILL")
  assert.ok(took > 4_900 && took < 8_000, `1 s for shutdown, 2 s, 2 s more; took ${Math.round(took)} ms`)
})

test("a program that ignores the end of stdin gets SIGTERM", async (t) => {
  const program = script(
    t,
    `process.stdin.on("data", (chunk) => {
       for (const text of String(chunk).trim().split("\\n")) {
         const { id } = JSON.parse(text)
         const result = { protocolVersion: 1, limits: { maxMessageBytes: 1000000 } }
         process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
       }
     })
     setInterval(() => undefined, 1000)`,
  )
  const made = setting(t, { ...program, clock: hasty })
  const client = new SidecarClient(made.options)
  for (let tries = 0; client.state !== "ready" && tries < 100; tries += 1) {
    await client.request("ping", {}).catch(() => undefined)
  }
  await client.stop()
  assert.equal(made.children.at(-1)?.signalCode, "SIGTERM")
})

test("stopping a client that never started, or twice, has no effect", async (t) => {
  const made = setting(t)
  const client = new SidecarClient(made.options)
  await client.stop()
  await client.stop()
  client.stopSync()
  assert.equal(made.children.length, 0)
  assert.equal(client.state, "stopped")
})

test("stop during the start ends the process", async (t) => {
  const made = setting(t)
  const client = new SidecarClient(made.options)
  client.start()
  await client.stop()
  assert.equal(alive(made.children[0]?.pid), false)
  assert.equal(client.state, "stopped")
})

test("stop during the pause before a restart prevents the restart", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  made.children[0]?.kill("SIGKILL")
  await until(() => client.state === "waiting", "it waits to restart")
  await client.stop()
  await new Promise((resolve) => setTimeout(resolve, 800))
  assert.equal(made.children.length, 1)
})

test("stopSync rejects pending requests and ends the process", async (t) => {
  const made = setting(t)
  const client = await ready(t, made)
  const request = client.request("settings/get", {})
  client.stopSync()
  await assert.rejects(request, { name: "SidecarFailure", reason: "stopped" })
  await until(() => !alive(made.children[0]?.pid), "the process has ended", 10_000)
})

test("a host that calls stopSync and exits leaves no sidecar behind", async (t) => {
  const client = join(__dirname, "../../rpc_schema/typescript/client.js")
  const program = script(
    t,
    `const { SidecarClient } = require(${JSON.stringify(client)})
     const client = new SidecarClient({
       command: ${JSON.stringify(SIDECAR)},
       initialize: { clientInfo: { name: "host", version: "1" }, stateDir: ${JSON.stringify(join(folder(t), "state"))} },
     })
     client.request("ping", {}).then(() => {
       process.stdout.write(String(client.child.child.pid))
       client.stopSync()
       if (process.argv[2] === "exit") process.exit(0)
     })`,
  )
  for (const way of ["exit", "drain"]) {
    const host = spawn(program.command, [...(program.args ?? []), way], { stdio: ["ignore", "pipe", "inherit"] })
    let output = ""
    host.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const code = await new Promise((resolve) => host.on("exit", resolve))
    assert.equal(code, 0)
    assert.ok(Number(output) > 0, "the host printed the sidecar's process id")
    await until(() => !alive(Number(output)), `the sidecar has ended (${way})`, 10_000)
  }
})
