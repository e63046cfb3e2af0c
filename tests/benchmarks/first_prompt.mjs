// Sends first prompts to a sidecar over stdio, as the 1Code main process would, and measures them.
// argv: a JSON plan {command, stateDir, repository, folder, prompts, cases: {name: commit}, checkout: [commit, commit], rounds}.
// Prints the measurements as JSON: times in milliseconds, sizes in bytes.
import { execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

const plan = JSON.parse(process.argv[2])
const now = () => Number(process.hrtime.bigint()) / 1e6
const git = (cwd, ...args) => execFileSync("git", args, { cwd, stdio: ["ignore", "pipe", "ignore"] })
let chats = 0

class Sidecar {
  constructor(stateDir) {
    this.child = spawn(plan.command[0], plan.command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    this.stateDir = stateDir
    this.waiting = new Map()
    this.ids = 0
    let rest = ""
    this.child.stdout.setEncoding("utf8")
    this.child.stdout.on("data", (chunk) => {
      rest += chunk
      for (let end; (end = rest.indexOf("\n")) >= 0; rest = rest.slice(end + 1)) {
        const message = JSON.parse(rest.slice(0, end))
        const settle = this.waiting.get(message.id)
        this.waiting.delete(message.id)
        if (message.error) throw new Error(JSON.stringify(message.error))
        settle?.(message.result)
      }
    })
  }

  request(method, params) {
    const id = this.ids++
    return new Promise((resolve) => {
      this.waiting.set(id, resolve)
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    })
  }

  initialize() {
    const clientInfo = { name: "benchmark", version: "1" }
    return this.request("initialize", { protocolVersion: 1, clientInfo, stateDir: this.stateDir, settings: { mode: "active" } })
  }

  async preRun(cwd, prompt, deadlineMs = 60_000, chat = `chat-${chats++}`) {
    const session = { id: null, willResume: false, isFork: false }
    const run = { runId: `run-${chats}-${this.ids}`, subChatId: chat, provider: "claude", mode: "agent", cwd }
    const start = now()
    const result = await this.request("continuity/preRun", { ...run, projectPath: plan.repository, prompt, session, deadlineMs })
    const ms = now() - start
    return { ms, partial: result.metadata.partial || result.reason === "deadline", text: text(result) }
  }

  // Processor time of the sidecar and of its ended children, in steps of 10 ms.
  processor() {
    try {
      const fields = readFileSync(`/proc/${this.child.pid}/stat`, "latin1").split(") ")[1].split(" ")
      return 10 * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
    } catch {
      return 0 // this system has no /proc
    }
  }

  resident() {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, "latin1"))[1]) * 1024
    } catch {
      return 0 // this system has no /proc
    }
  }

  async end() {
    const ended = new Promise((resolve) => this.child.on("exit", resolve))
    this.child.stdin.end()
    await ended
  }
}

const text = (result) => JSON.stringify([result.system?.text, result.blocks.map((block) => block.text)])
let asked = 0
const prompt = () => plan.prompts[asked++ % plan.prompts.length] // no measured prompt was asked before

function status(cwd) {
  const start = now()
  git(cwd, "status", "--porcelain=v2", "-z")
  return now() - start
}

function addWorktree(name, commit) {
  const path = `${plan.folder}/${name}`
  git(plan.repository, "worktree", "add", "--quiet", "--detach", path, commit)
  return path
}

const removeWorktree = (path) => git(plan.repository, "worktree", "remove", "--force", path)

function empty() {
  return { times: [], status: [], partial: 0, processor: 0 }
}

async function record(into, from, cwd, ...params) {
  const before = from.processor()
  const answer = await from.preRun(cwd, ...params)
  into.processor += from.processor() - before
  into.times.push(answer.ms)
  into.partial += answer.partial
  into.status.push(status(cwd))
  return answer
}

const measured = { cases: {}, checkout: empty(), process: empty(), initialize: [] }

// A cold repository: an empty state, then the same prompt until the answer is whole.
const cold = new Sidecar(plan.stateDir)
await cold.initialize()
const begun = now()
const firstPrompt = prompt()
let answer = await cold.preRun(plan.repository, firstPrompt, 800)
measured.cold = { first: answer.ms, partial: answer.partial }
while (answer.partial) answer = await cold.preRun(plan.repository, firstPrompt)
measured.cold.whole = now() - begun
await cold.end()

// Every content is analysed once; then new worktrees appear.
const sidecar = new Sidecar(plan.stateDir)
await sidecar.initialize()
await sidecar.request("codebase/index", { cwd: plan.repository })
for (let round = 0; round < 5; round++) await sidecar.preRun(plan.repository, prompt())
for (const commit of [...Object.values(plan.cases), ...plan.checkout]) {
  const path = addWorktree("warm", commit)
  await sidecar.request("codebase/index", { cwd: path })
  removeWorktree(path)
}
await sleep(3_000)
measured.resident = { one: sidecar.resident() }
const derived = []
for (const [name, commit] of Object.entries(plan.cases)) {
  const into = (measured.cases[name] = empty())
  for (let round = 0; round < plan.rounds; round++) {
    const path = addWorktree(`${name}-${round}`, commit)
    await sleep(200)
    const question = prompt()
    const { text } = await record(into, sidecar, path, question, 60_000, `${name}-${round}`)
    if (round === 0) derived.push({ into, path, text, question, chat: `${name}-0` })
    else if (round > 8) removeWorktree(path)
    if (round === 8 && derived.length === 1) measured.resident.ten = sidecar.resident()
  }
}

// A checkout of another commit in a known worktree.
const known = addWorktree("known", plan.checkout[0])
for (let round = 0; round < 2; round++) await sidecar.preRun(known, prompt(), 60_000, "known")
for (let round = 0; round < plan.rounds; round++) {
  await sleep(1_000)
  git(known, "checkout", "--quiet", "--detach", plan.checkout[(round + 1) % 2])
  await record(measured.checkout, sidecar, known, prompt(), 60_000, "known")
}
measured.resident.end = sidecar.resident()
await sidecar.end()

// New processes on the state of the earlier ones; the prompt follows the handshake at once.
for (let round = 0; round < plan.rounds; round++) {
  const next = new Sidecar(plan.stateDir)
  const start = now()
  await next.initialize()
  measured.initialize.push(now() - start)
  await record(measured.process, next, plan.repository, prompt())
  await next.end()
}

// What was derived must equal what a process with an empty state answers.
for (const [number, { into, path, text, question, chat }] of derived.entries()) {
  const scratch = new Sidecar(`${plan.stateDir}-${number}`)
  await scratch.initialize()
  await scratch.request("codebase/index", { cwd: path })
  into.equal = (await scratch.preRun(path, question, 60_000, chat)).text === text
  await scratch.end()
}
console.log(JSON.stringify(measured))
