/** `packaging/onecode/integrate.mjs` on a small made-up checkout that has the app's anchors. */
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import fs from "node:fs"
import Module, { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"

import { main } from "../../packaging/onecode/integrate.mjs"

const HERE = path.dirname(fileURLToPath(import.meta.url))
const MODULES = process.env.NODE_MODULES
const CLAUDE = "src/main/lib/trpc/routers/claude.ts"

function git(root, ...args) {
  return execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd: root, encoding: "utf8" })
}

/** The made-up app as a clean git checkout with TypeScript installed. */
function checkout(t, prepare = () => undefined) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "checkout-")))
  t.after(() => fs.rmSync(root, { recursive: true, force: true }))
  fs.cpSync(path.join(HERE, "checkout"), root, { recursive: true })
  prepare(root)
  git(root, "init", "--quiet")
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "-m", "An app")
  fs.symlinkSync(MODULES, path.join(root, "node_modules"), "junction")
  return root
}

function run(root, ...args) {
  const lines = []
  const status = main([root, ...args], (line) => lines.push(line))
  return { status, text: lines.join("\n") }
}

const read = (root, name) => fs.readFileSync(path.join(root, name), "utf8")
const write = (root, name, text) => fs.writeFileSync(path.join(root, name), text)
const replace = (root, name, from, to) => {
  assert.ok(read(root, name).includes(from))
  write(root, name, read(root, name).replace(from, to))
}

/** Every file of a checkout with its content. */
function contents(root) {
  const names = git(root, "ls-files", "--cached", "--others", "--exclude-standard").split("\n").filter(Boolean)
  const isFile = (name) => fs.lstatSync(path.join(root, name), { throwIfNoEntry: false })?.isFile()
  return Object.fromEntries(names.filter(isFile).map((name) => [name, read(root, name)]))
}

/** Refused with a sentence that names something, and nothing is written. */
function assertRefused(root, named, ...args) {
  const before = contents(root)
  const { status, text } = run(root, ...args)
  assert.equal(status, 2, text)
  for (const name of [named].flat()) assert.ok(text.includes(name), text)
  assert.deepEqual(contents(root), before)
}

/** The integrated app, compiled once for all tests, and for later runs until a file of it, an option or a package changes. */
const compiled = { root: null, stop: [] }
after(() => compiled.stop.forEach((stop) => stop()))
function integrated() {
  if (compiled.root) return compiled.root
  const root = checkout({ after: (stop) => compiled.stop.push(stop) })
  run(root)
  const options = ["--noEmit", "false", "--outDir", "out", "--module", "CommonJS", "--moduleResolution", "node10"]
  const inputs = [contents(root), options, fs.readFileSync(path.join(MODULES, ".installed-from"), "utf8")]
  const digest = createHash("sha256").update(JSON.stringify(inputs)).digest("hex")
  const [store, out] = [process.env.COMPILED, path.join(root, "out")]
  if (store && fs.existsSync(path.join(store, digest))) fs.cpSync(path.join(store, digest), out, { recursive: true })
  else {
    // Without optimizing, which does not pay in so short a run, it takes half the processor time.
    const compiler = ["--no-opt", "--max-semi-space-size=64", path.join(MODULES, "typescript", "bin", "tsc")]
    execFileSync(process.execPath, [...compiler, "--project", root, ...options], { cwd: root, stdio: "pipe" })
    if (store) {
      fs.rmSync(store, { recursive: true, force: true })
      fs.cpSync(out, path.join(store, "unfinished"), { recursive: true })
      fs.renameSync(path.join(store, "unfinished"), path.join(store, digest))
    }
  }
  return (compiled.root = root)
}

test("the integrated app type-checks", () => {
  const claude = read(integrated(), CLAUDE)
  assert.match(claude, /finally \{\s+continuityRun\?\.end\(\)/)
  assert.match(claude, /\.\.\.continuity\.sessionOptions,\s+model:/)
  assert.equal(claude.match(/passMessage\(continuity, assistantMessage\)/g)?.length, 2)
  assert.doesNotMatch(claude, /continue: true/)
})

test("twice is once", (t) => {
  const root = checkout(t)
  assert.equal(run(root).status, 0)
  const once = contents(root)
  assert.deepEqual([run(root), run(root, "--check").status], [{ status: 0, text: "The integration is complete; nothing is written." }, 0])
  assert.deepEqual(contents(root), once)
})

test("a revert restores every byte, committed or not", (t) => {
  const root = checkout(t)
  const before = contents(root)
  run(root)
  assert.equal(run(root, "--revert").status, 0)
  assert.deepEqual(contents(root), before)
  assert.equal(git(root, "status", "--porcelain"), "")
  run(root)
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "-m", "Continuity")
  assert.equal(run(root, "--revert").status, 0)
  assert.deepEqual(contents(root), before)
  assertRefused(root, "no integration", "--revert")
})

test("a revert refuses files that were changed since, by name", (t) => {
  const root = checkout(t)
  run(root)
  replace(root, CLAUDE, "some-model", "another-model")
  assertRefused(root, CLAUDE, "--revert")
})

test("a dry run prints the diff and writes nothing", (t) => {
  const root = checkout(t)
  const before = contents(root)
  const { status, text } = run(root, "--dry-run")
  assert.equal(status, 0)
  assert.match(text, /^\+ {2}startContinuity\(\)$/m)
  assert.match(text, /^\+ {4}case "continuity":$/m)
  assert.deepEqual(contents(root), before)
})

test("a missing or doubled anchor is named, and nothing is written", (t) => {
  const root = checkout(t, (folder) => {
    replace(folder, CLAUDE, "systemPrompt: systemPromptConfig,", "systemPrompt: { ...systemPromptConfig },")
    replace(folder, "src/main/index.ts", "app.whenReady()", "app.whenReady().then(() => undefined)\napp.whenReady()")
    fs.rmSync(path.join(folder, "src/renderer/features/settings/settings-sidebar.tsx"))
  })
  const named = [`systemPrompt in ${CLAUDE}`, "whenReady in src/main/index.ts", "missing file: src/renderer/features/settings/settings-sidebar.tsx"]
  assertRefused(root, named)
  const checked = run(root, "--check")
  assert.equal(checked.status, 1)
  for (const name of named) assert.ok(checked.text.includes(name))
})

test("an unknown version is named, and accepted only by name", (t) => {
  const root = checkout(t, (folder) => replace(folder, "package.json", "0.0.72", "9.9.9"))
  assertRefused(root, "9.9.9")
  assertRefused(root, "9.9.9", "--accept-version", "0.0.73")
  assert.equal(run(root, "--accept-version", "9.9.9").status, 0)
})

test("a tree with other changes, another package and a folder below the top are refused", (t) => {
  const root = checkout(t)
  write(root, "note.txt", "mine")
  assertRefused(root, "note.txt")
  fs.rmSync(path.join(root, "note.txt"))
  write(path.join(root, "src"), "package.json", '{"name": "21st-desktop", "version": "0.0.72"}')
  assert.equal(run(path.join(root, "src")).status, 2)
  fs.rmSync(path.join(root, "src", "package.json"))
  replace(root, "package.json", "21st-desktop", "another")
  assertRefused(root, "another")
})

test("no link is followed and no other file is replaced", { skip: process.platform === "win32" }, (t) => {
  const elsewhere = fs.mkdtempSync(path.join(tmpdir(), "elsewhere-"))
  t.after(() => fs.rmSync(elsewhere, { recursive: true, force: true }))
  const linked = checkout(t, (folder) => fs.symlinkSync(elsewhere, path.join(folder, "src/shared")))
  assertRefused(linked, "src/shared is a link")
  assert.deepEqual(fs.readdirSync(elsewhere), [])
  const own = checkout(t, (folder) => write(folder, "src/main/lib/trpc/routers/continuity.ts", "export const mine = 1\n"))
  assertRefused(own, "is the app's own file: src/main/lib/trpc/routers/continuity.ts")
})

test("a failed write leaves every file as it was", (t) => {
  const root = checkout(t)
  const before = contents(root)
  const rename = fs.renameSync
  let left = 5
  t.mock.method(fs, "renameSync", (from, to) => {
    if ((left -= 1) === 0) throw new Error("the disk is full")
    rename(from, to)
  })
  assert.equal(run(root).status, 2)
  t.mock.restoreAll()
  assert.deepEqual(contents(root), before)
})

test("the maintainer's decisions and the app's own work survive an update", (t) => {
  const root = checkout(t)
  run(root)
  const choices = "src/main/lib/continuity/userChoices.ts"
  replace(root, choices, "ON_BY_DEFAULT = false", "ON_BY_DEFAULT = true")
  replace(root, CLAUDE, "some-model", "another-model")
  replace(root, "src/main/lib/continuity/client/failure.ts", "export", "// old\nexport")
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "-m", "Continuity")
  assert.match(run(root, "--check").text, /^differs: src\/main\/lib\/continuity\/client\/failure.ts/)
  assert.equal(run(root).status, 0)
  assert.match(read(root, choices), /ON_BY_DEFAULT = true/)
  assert.match(read(root, CLAUDE), /another-model/)
  assert.doesNotMatch(read(root, "src/main/lib/continuity/client/failure.ts"), /^\/\/ old/m)
  replace(root, CLAUDE, "continuityRun?.end()", "")
  assertRefused(root, CLAUDE)
})

test("an unedited file of the maintainer follows an update, and an edited one that lacks a name is named", (t) => {
  const root = checkout(t)
  run(root)
  const [texts, record] = ["src/shared/continuity-texts.ts", "src/main/lib/continuity/integration.json"]
  const [current, older] = [read(root, texts), read(root, texts).replace(/^  report: .*\n/m, "")]
  write(root, texts, older)
  const stored = JSON.parse(read(root, record))
  stored.files[texts].sha256 = createHash("sha256").update(older).digest("hex")
  write(root, record, JSON.stringify(stored))
  assert.equal(run(root).status, 0)
  assert.equal(read(root, texts), current)
  write(root, texts, `${older}// ours\n`)
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "-m", "Texts of ours")
  assertRefused(root, [texts, "report"])
})

test("a file that is no longer needed goes, and an edited one is named", (t) => {
  const root = checkout(t)
  run(root)
  const [former, record] = ["src/main/lib/continuity/former.ts", "src/main/lib/continuity/integration.json"]
  const stored = JSON.parse(read(root, record))
  stored.files[former] = { sha256: createHash("sha256").update("export {}\n").digest("hex") }
  write(root, record, JSON.stringify(stored))
  write(root, former, "export {}\n// ours\n")
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "-m", "A file of ours")
  assertRefused(root, former)
  write(root, former, "export {}\n")
  assert.equal(run(root).status, 0)
  assert.ok(!fs.existsSync(path.join(root, former)))
  assert.equal(run(root, "--check").status, 0)
})

test("a file of the app that needs no calls any more is restored, never deleted, and one changed since is named", (t) => {
  const root = checkout(t)
  const [former, record] = ["src/main/former.ts", "src/main/lib/continuity/integration.json"]
  const [without, inserted] = ["export const former = 1\n", "startFormer()\n"]
  run(root)
  const stored = JSON.parse(read(root, record))
  stored.files[former] = {
    sha256: createHash("sha256").update(without + inserted).digest("hex"),
    edits: [{ at: without.length, inserted, removed: "" }],
  }
  write(root, record, JSON.stringify(stored))
  write(root, former, `${without}${inserted}// the app's\n`)
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "-m", "A file of the app")
  assertRefused(root, ["take them out", former])
  write(root, former, without + inserted)
  assert.equal(run(root).status, 0)
  assert.equal(read(root, former), without)
  assert.equal(run(root, "--check").status, 0)
  write(root, record, JSON.stringify(stored))
  write(root, former, `${without}// the app's\n`)
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "-m", "Its calls taken out by hand")
  assert.equal(run(root).status, 0)
  assert.equal(read(root, former), `${without}// the app's\n`)
})

test("a file with Windows line ends stays one", (t) => {
  const root = checkout(t, (folder) => write(folder, CLAUDE, read(folder, CLAUDE).replaceAll("\n", "\r\n")))
  assert.equal(run(root).status, 0)
  assert.doesNotMatch(read(root, CLAUDE), /[^\r]\n/)
})

/** The integrated app's continuity in a new process of the app, with a stand-in for Electron. */
function started(t) {
  const root = integrated()
  const out = path.join(root, "out")
  const userData = fs.mkdtempSync(path.join(tmpdir(), "user-data-"))
  t.after(() => fs.rmSync(userData, { recursive: true, force: true, maxRetries: 5 }))
  const events = { listeners: {}, quits: 0, prevented: 0, log: [] }
  const electron = {
    app: {
      isPackaged: false,
      getAppPath: () => root,
      getPath: () => userData,
      getVersion: () => "0.0.72",
      on: (name, listener) => (events.listeners[name] = listener),
      quit: () => (events.quits += 1),
    },
  }
  const load = Module._load
  t.mock.method(Module, "_load", (name, ...rest) => (name === "electron" ? electron : load(name, ...rest)))
  t.mock.method(console, "warn", (line) => events.log.push(line))
  t.mock.method(console, "log", () => undefined)
  const require = createRequire(import.meta.url)
  for (const file of Object.keys(require.cache)) if (file.startsWith(out)) delete require.cache[file]
  const continuity = require(path.join(out, "main", "lib", "continuity", "index.js"))
  const choices = require(path.join(out, "main", "lib", "continuity", "userChoices.js"))
  const bin = path.join(root, "resources", "bin", `${process.platform}-${process.arch}`, "onecode-sidecar")
  return { root, continuity, choices, events, bin }
}

const input = (cwd) => ({
  ...{ provider: "claude", subChatId: "sub", chatId: "chat", mode: "agent", cwd, projectPath: cwd, images: [] },
  ...{ typedPrompt: "Go on", prompt: "Go on", messages: [], isLocalModel: false, rollbackTo: null, forkAt: null },
  ...{ sessionId: undefined, signal: new AbortController().signal },
})

test("switched off, or without its program, the app is untouched and says so once", async (t) => {
  const { root, continuity, choices, events } = started(t)
  for (const isOn of [false, true]) {
    if (isOn) choices.storeEnabled(true)
    for (let count = 0; count < 2; count += 1) {
      const begun = await continuity.beginRun(input(root))
      assert.deepEqual([begun.prompt, begun.sessionOptions, begun.metadata], ["Go on", { continue: true }, {}])
      begun.end()
    }
    continuity.startContinuity()
    events.listeners["before-quit"]({ preventDefault: () => (events.prevented += 1) })
    assert.deepEqual([events.log.length, events.prevented], [isOn ? 1 : 0, 0])
  }
  await continuity.stopContinuity()
})

test("with its program the app's runs are stored, and a quit with an update waits for its end", { skip: process.platform === "win32" }, async (t) => {
  const { root, continuity, choices, events, bin } = started(t)
  fs.mkdirSync(bin, { recursive: true })
  fs.writeFileSync(path.join(bin, "onecode-sidecar"), `#!/bin/sh\nexec ${process.env.SIDECAR_COMMAND} "$@"\n`, { mode: 0o755 })
  choices.storeEnabled(true)
  const { client } = continuity.continuity()
  t.after(() => client.stopSync())
  await client.request("ping", {})
  const begun = await continuity.beginRun(input(root))
  const chunk = { type: "message-metadata", messageMetadata: { sessionId: "s" } }
  continuity.passChunk(begun, chunk)
  assert.equal(chunk.messageMetadata.continuityRun.runId, begun.id)
  const message = { role: "assistant", parts: [{ type: "text", text: "Done." }], metadata: { sessionId: "s" } }
  continuity.passMessage(begun, message)
  assert.deepEqual(Object.keys(message.metadata).filter((key) => key === "sessionId" || key === "continuityRun").length, 2)
  begun.end()
  assert.equal((await continuity.recentRun(begun.id).ended).accepted, true)
  const sent = t.mock.method(client, "request").mock
  for (const mode of ["off", null]) {
    choices.storeChatMode("chat", mode)
    await continuity.beginRun(input(root))
  }
  assert.deepEqual(sent.calls.map(({ arguments: [, params] }) => params.continuityMode), ["off", undefined])
  assert.equal(choices.isEnabled(), true)
  continuity.startContinuity()
  continuity.expectUpdate()
  events.listeners["before-quit"]({ preventDefault: () => (events.prevented += 1) })
  while (events.quits === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual([events.prevented, client.state], [1, "stopped"])
  events.listeners["before-quit"]({ preventDefault: () => (events.prevented += 1) })
  assert.equal(events.prevented, 1)
})
