// Calls continuity/preRun on a sidecar over stdio, as the 1Code main process would, and measures it.
// argv: a JSON plan {command, stateDir, cwd, prompt, followUps, edited, rounds, edits, deadlineMs, other?}.
// Prints the measurements as JSON: times in milliseconds, sizes in bytes.
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

const plan = JSON.parse(process.argv[2])
const child = spawn(plan.command[0], plan.command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
const waiting = new Map()
let rest = ""
let ids = 0
const measured = { incomplete: 0 }
child.stdout.setEncoding("utf8")
child.stdout.on("data", (chunk) => {
  rest += chunk
  let end
  while ((end = rest.indexOf("\n")) >= 0) {
    const message = JSON.parse(rest.slice(0, end))
    rest = rest.slice(end + 1)
    const settle = waiting.get(message.id)
    if (settle === undefined) continue
    waiting.delete(message.id)
    if (message.error) throw new Error(JSON.stringify(message.error))
    settle(message.result)
  }
})

function request(method, params) {
  const id = ids++
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
  })
}

const now = () => Number(process.hrtime.bigint()) / 1e6

async function timed(action) {
  const start = now()
  const result = await action()
  return { ms: now() - start, result }
}

function preRun(chat, prompt, deadlineMs = 20_000) {
  const session = { id: chat.session, willResume: chat.session !== null, isFork: false }
  const run = { runId: `run-${ids}`, subChatId: chat.id, provider: "claude", mode: "agent", cwd: chat.cwd }
  return request("continuity/preRun", { ...run, prompt, session, deadlineMs })
}

async function deliver(chat, prompt) {
  const before = await preRun(chat, prompt)
  const at = new Date().toISOString()
  await request("continuity/postRun", {
    runId: `run-${ids - 1}`, subChatId: chat.id, provider: "claude", mode: "agent", cwd: chat.cwd, prompt,
    deliveryToken: before.deliveryToken, outcome: "completed", startedAt: at, finishedAt: at,
    session: { before: chat.session, after: `session-${chat.id}` },
  })
  chat.session = `session-${chat.id}`
}

async function untilWatched(chat, prompt) {
  const start = now()
  while ((await preRun(chat, prompt)).metadata.proof !== "watch") {
    if (now() - start > 120_000) throw new Error("the worktree was not watched")
    await sleep(100)
  }
}

async function rounds(count, action) {
  const times = []
  for (let round = 0; round < count; round++) {
    const { ms, result } = await timed(() => action(round))
    times.push(ms)
    if (result.action !== "inject" || result.metadata.partial) measured.incomplete++
  }
  return times
}

// The total size of the sidecar and its worker processes.
function resident(pid = child.pid) {
  const sizes = { now: 0, own: 0, peak: 0 }
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1")
    sizes.own = sizes.now = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
    sizes.peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
    for (const own of readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean)) {
      sizes.now += resident(Number(own)).now
    }
  } catch {
    // this system has no /proc, or the process has ended
  }
  return sizes
}

async function indexed(cwd, sizes) {
  let done = false
  const whole = timed(() => request("codebase/index", { cwd })).finally(() => (done = true))
  while (!done) {
    sizes.largest = Math.max(sizes.largest ?? 0, resident().now)
    await Promise.race([whole, sleep(100)])
  }
  return whole
}

const chat = { id: "chat", cwd: plan.cwd, session: null }
await request("initialize", {
  protocolVersion: 1,
  clientInfo: { name: "benchmark", version: "1" },
  stateDir: plan.stateDir,
  settings: { mode: "active" },
})
if (plan.other) {
  const other = { id: "other", cwd: plan.other, session: null }
  await indexed(plan.other, {})
  await deliver(other, plan.prompt)
  await untilWatched(other, plan.prompt)
  measured.idle = await rounds(plan.rounds, () => preRun(other, plan.prompt))
  let done = false
  const whole = request("codebase/index", { cwd: plan.cwd }).finally(() => (done = true))
  measured.duringIndex = []
  while (!done) measured.duringIndex.push(...(await rounds(1, () => preRun(other, plan.prompt))))
  await whole
} else {
  const cold = await timed(() => preRun(chat, plan.prompt, plan.deadlineMs))
  measured.cold = cold.ms
  measured.coldResult = { action: cold.result.action, reason: cold.result.reason, partial: cold.result.metadata.partial }
  measured.coldResult.files = cold.result.blocks.filter((block) => block.kind === "context").length
  const sizes = {}
  measured.index = (await indexed(plan.cwd, sizes)).ms
  await deliver(chat, plan.prompt)
  await untilWatched(chat, plan.prompt)
  measured.indexed = resident().now
  measured.unchanged = await rounds(plan.rounds, () => preRun(chat, plan.prompt))
  measured.followUps = await rounds(plan.followUps.length, (round) => preRun(chat, plan.followUps[round]))
  const before = readFileSync(plan.edited)
  let count = 0
  await untilWatched(chat, plan.prompt)
  measured.edited = await rounds(plan.edits, (round) => {
    writeFileSync(plan.edited, `${before}\n${plan.comment} ${round}\n`)
    count++
    return preRun(chat, plan.prompt)
  })
  writeFileSync(plan.edited, before)
  measured.after = resident().now
  measured.peak = Math.max(resident().peak, sizes.largest ?? 0)
}
console.log(JSON.stringify(measured))
child.stdin.end()
