#!/usr/bin/env node
/**
 * Puts the sidecar into a checkout of 1Code, or takes it out again.
 *
 *   node packaging/onecode/integrate.mjs CHECKOUT             write the integration
 *   node packaging/onecode/integrate.mjs CHECKOUT --dry-run   print what would change
 *   node packaging/onecode/integrate.mjs CHECKOUT --check     name what is missing; status 1 if anything is
 *   node packaging/onecode/integrate.mjs CHECKOUT --revert    restore the app's files
 *   --accept-version X.Y.Z                                    for a version that was not tried
 *
 * The calls are inserted at the anchors of anchors.mjs, found with the checkout's own TypeScript. Everything is computed
 * first: if an anchor is missing, nothing is written. No script of the checkout is run.
 */
import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import fs from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"

import { TRIED_VERSIONS, anchors } from "./anchors.mjs"

const HERE = path.dirname(fileURLToPath(import.meta.url))
const CLIENT = path.join(HERE, "..", "..", "rpc_schema", "typescript")
const OWN = path.join(HERE, "app")
const CLIENT_TARGET = "src/main/lib/continuity/client"
const RECORD = "src/main/lib/continuity/integration.json"
const APP_NAME = "21st-desktop"
const ANCHORS = sha256(fs.readFileSync(path.join(HERE, "anchors.mjs"), "utf8"))
const MAX_BYTES = 8 * 1024 * 1024

/** Files that a maintainer edits; an edited one is never replaced. */
const MAINTAINERS = [
  "src/main/lib/continuity/userChoices.ts",
  "src/shared/continuity-texts.ts",
  "scripts/continuity-sidecar.json",
]

/** A reason to stop that the user can act on. */
export class Refused extends Error {}

/** Runs the command; returns its exit status. */
export function main(args, print = console.log) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        "dry-run": { type: "boolean" },
        check: { type: "boolean" },
        revert: { type: "boolean" },
        "accept-version": { type: "string" },
      },
    })
    const chosen = ["dry-run", "check", "revert"].filter((name) => values[name])
    if (positionals.length !== 1 || chosen.length > 1) {
      throw new Refused("Name one checkout, and at most one of --dry-run, --check and --revert.")
    }
    const checkout = new Checkout(positionals[0])
    if (values.revert) return revert(checkout, print)
    if (values.check) return check(checkout, values["accept-version"], print)
    return integrate(checkout, values["accept-version"], values["dry-run"] ?? false, print)
  } catch (error) {
    if (!(error instanceof Refused) && error?.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") throw error
    print(`integrate: ${error.message}`)
    return 2
  }
}

function integrate(checkout, acceptedVersion, isDry, print) {
  checkout.requireVersion(acceptedVersion)
  const plan = planOf(checkout)
  if (plan.problems.length > 0) throw new Refused(`nothing is written:\n${plan.problems.join("\n")}`)
  const changes = changesOf(checkout, plan)
  if (isDry) {
    print(diffOf(changes) || "Nothing would change.")
    return 0
  }
  if (changes.length === 0) {
    print("The integration is complete; nothing is written.")
    return 0
  }
  checkout.requireClean()
  checkout.write(changes)
  for (const { name } of changes) print(`wrote ${name}`)
  print("Next: set the download in scripts/continuity-sidecar.json and the flag in src/main/lib/continuity/userChoices.ts.")
  return 0
}

function check(checkout, acceptedVersion, print) {
  const missing = []
  try {
    checkout.requireVersion(acceptedVersion)
  } catch (error) {
    missing.push(error.message)
  }
  const plan = planOf(checkout)
  const different = changesOf(checkout, plan).map(({ name, before }) =>
    before === null ? `missing file: ${name}` : `differs: ${name}`,
  )
  const lines = [...missing, ...plan.problems, ...different]
  for (const line of lines) print(line)
  if (lines.length === 0) print("The integration is complete.")
  return lines.length === 0 ? 0 : 1
}

function revert(checkout, print) {
  const { record } = checkout
  if (!record) throw new Refused(`there is no integration in ${checkout.root}.`)
  const changed = checkout.changedSince()
  if (changed.length > 0) {
    throw new Refused(`nothing is written; these files were changed since the integration:\n${changed.join("\n")}`)
  }
  const files = Object.entries(record.files)
  const changes = [...files, [RECORD, {}]].map(([name, entry]) => {
    const before = checkout.read(name)
    return { name, before, after: entry.edits ? withoutEdits(before, entry.edits) : null }
  })
  checkout.requireClean()
  checkout.write(changes)
  for (const { name, after } of changes) print(`${after === null ? "removed" : "restored"} ${name}`)
  return 0
}

/** What the integration consists of: the new content of each file, and what hinders it. */
function planOf(checkout) {
  const { ts } = checkout
  const problems = []
  const files = new Map()
  for (const [name, edits] of Object.entries(anchors(ts))) {
    const base = checkout.base(name)
    if (base === null) problems.push(`missing file: ${name}`)
    else if (checkout.hasOurCalls(name)) files.set(name, checkout.asItIs(name))
    else files.set(name, edited(ts, name, base, edits, problems))
  }
  for (const [name, content] of ownFiles()) {
    const existing = checkout.read(name)
    const written = checkout.record?.files[name]?.sha256
    if (MAINTAINERS.includes(name) && existing !== null && !checkout.isAsWritten(name)) {
      const lacking = name.endsWith(".ts") ? lackingNames(ts, content, existing) : []
      if (lacking.length > 0) problems.push(`${name} lacks what this version uses, add it: ${lacking.join(", ")}`)
      files.set(name, { content: existing, written: written ?? sha256(content) })
      continue
    }
    if (existing !== null && written === undefined && existing !== content) problems.push(`is the app's own file: ${name}`)
    files.set(name, { content })
  }
  for (const name of checkout.changedSince()) {
    if (files.has(name) || checkout.read(name) === null) continue
    if (!checkout.isAppFile(name)) problems.push(`is no longer needed but was edited, remove it: ${name}`)
    else if (checkout.hasAnyCall(name)) problems.push(`needs no calls any more but was changed since, take them out: ${name}`)
  }
  return { files, problems }
}

/** The names that our version of a file exports, or has in an object that it exports, and the maintainer's has not. */
function lackingNames(ts, ours, theirs) {
  const names = (content) => {
    const isExported = (node) => node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
    const exported = parsed(ts, "maintainers.ts", content).statements.filter(isExported)
    return exported.flatMap((node) => (node.declarationList?.declarations ?? [node]).flatMap(namesOf))
  }
  const namesOf = (node) => {
    let value = node.initializer
    while (value?.expression && !value.properties) value = value.expression
    return [node.name, ...(value?.properties ?? []).map(({ name }) => name)].map((name) => name.getText())
  }
  const known = new Set(names(theirs))
  return names(ours).filter((name) => !known.has(name))
}

/** The files that are copied into the app, by their name there. */
function ownFiles() {
  const own = listed(OWN).map((name) => [name, fs.readFileSync(path.join(OWN, name), "utf8")])
  const client = listed(CLIENT)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [`${CLIENT_TARGET}/${name}`, fs.readFileSync(path.join(CLIENT, name), "utf8")])
  return [...own, ...client]
}

function listed(folder) {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = entries.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
  return names.map((name) => name.split(path.sep).join("/")).sort()
}

/** Insert a file's calls. An anchor that is missing, or ambiguous, is a problem; so is a result that does not parse. */
function edited(ts, name, base, fileAnchors, problems) {
  const newLine = base.includes("\r\n") ? "\r\n" : "\n"
  const source = parsed(ts, name, base)
  const found = Object.entries(fileAnchors).map(([anchor, locate]) => [anchor, locate({ source, newLine })])
  const lost = found.filter(([, edits]) => !edits)
  for (const [anchor] of lost) problems.push(`missing anchor: ${anchor} in ${name}`)
  const edits = found.flatMap(([, places]) => places || []).sort((a, b) => b.start - a.start || b.end - a.end)
  let content = base
  for (const { start, end, text } of edits) content = content.slice(0, start) + text + content.slice(end)
  if (lost.length === 0 && parsed(ts, name, content).parseDiagnostics.length > source.parseDiagnostics.length) {
    problems.push(`the result does not parse: ${name}`)
  }
  return { content, edits: recorded(base, edits) }
}

function parsed(ts, name, text) {
  const kind = name.endsWith(".json") ? ts.ScriptKind.JSON : name.endsWith(".tsx") ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind)
}

/** Edits as they are undone: where the inserted text begins in the new content, and what was there. */
function recorded(base, edits) {
  let shift = 0
  return [...edits].reverse().map(({ start, end, text }) => {
    const place = { at: start + shift, inserted: text, removed: base.slice(start, end) }
    shift += text.length - (end - start)
    return place
  })
}

/** Take recorded edits out of an unchanged file. */
function withoutEdits(content, edits) {
  let text = content
  for (const { at, inserted, removed } of [...edits].reverse()) {
    text = text.slice(0, at) + removed + text.slice(at + inserted.length)
  }
  return text
}

/** The files whose content differs from the plan's, and the record of what was done. */
function changesOf(checkout, plan) {
  const files = {}
  for (const [name, { content, edits, written }] of plan.files) {
    files[name] = { sha256: written ?? sha256(content), ...(edits ? { edits } : {}) }
  }
  const record = `${JSON.stringify({ app: checkout.version, anchors: ANCHORS, files }, null, 2)}\n`
  const contents = [...[...plan.files].map(([name, { content }]) => [name, content]), [RECORD, record]]
  const left = Object.keys(checkout.record?.files ?? {}).filter((name) => !plan.files.has(name))
  return [...contents, ...left.map((name) => [name, checkout.isAppFile(name) ? checkout.base(name) : null])]
    .map(([name, after]) => ({ name, before: checkout.read(name), after }))
    .filter(({ before, after }) => before !== after)
}

function diffOf(changes) {
  const folder = fs.mkdtempSync(path.join(tmpdir(), "integrate-"))
  try {
    for (const { name, before, after } of changes) {
      for (const [side, content] of [["a", before], ["b", after]]) {
        if (content === null) continue
        fs.mkdirSync(path.dirname(path.join(folder, side, name)), { recursive: true })
        fs.writeFileSync(path.join(folder, side, name), content)
      }
    }
    for (const side of ["a", "b"]) fs.mkdirSync(path.join(folder, side), { recursive: true })
    return git(folder, ["diff", "--no-index", "--no-color", "--no-prefix", "a", "b"], [0, 1])
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** A checkout of the app: what is read from it, and how it is written. */
class Checkout {
  constructor(folder) {
    if (!fs.existsSync(path.join(folder, "package.json"))) throw new Refused(`there is no package.json in ${folder}.`)
    this.root = fs.realpathSync(folder)
    const top = git(this.root, ["rev-parse", "--show-toplevel"]).trim()
    if (fs.realpathSync(top) !== this.root) throw new Refused(`${folder} is not the top of a git checkout.`)
    const { name, version } = JSON.parse(this.read("package.json"))
    if (name !== APP_NAME) throw new Refused(`${folder} is not a checkout of 1Code: its package is called ${name}.`)
    this.version = version
    const stored = this.read(RECORD)
    this.record = stored === null ? null : JSON.parse(stored)
  }

  /** The checkout's own TypeScript. */
  get ts() {
    try {
      return createRequire(path.join(this.root, "package.json"))("typescript")
    } catch {
      throw new Refused("TypeScript is not installed in the checkout; install its packages first.")
    }
  }

  requireVersion(accepted) {
    if (TRIED_VERSIONS.includes(this.version) || accepted === this.version) return
    throw new Refused(
      `version ${this.version} of 1Code was not tried (${TRIED_VERSIONS.join(", ")} was); ` +
        `nothing is written without --accept-version ${this.version}.`,
    )
  }

  /** Refuse uncommitted changes other than the integration's own. */
  requireClean() {
    const changed = git(this.root, ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]).split("\0")
    const names = changed.filter(Boolean).map((line) => line.slice(3))
    const foreign = names.filter((name) => name !== RECORD && !this.isAsWritten(name))
    if (foreign.length > 0) throw new Refused(`nothing is written; commit or stash these changes first:\n${foreign.join("\n")}`)
  }

  /** Files of the integration that are no longer as it wrote them. */
  changedSince() {
    return Object.keys(this.record?.files ?? {}).filter((name) => !this.isAsWritten(name))
  }

  isAsWritten(name) {
    const content = this.read(name)
    return content !== null && this.record?.files[name]?.sha256 === sha256(content)
  }

  /** A file of the app as it is without the integration; null if there is none. */
  base(name) {
    const content = this.read(name)
    const edits = this.record?.files[name]?.edits
    return content !== null && edits && this.isAsWritten(name) ? withoutEdits(content, edits) : content
  }

  /** Whether the app went on to change a file that has all of today's calls. */
  hasOurCalls(name) {
    const entry = this.record?.files[name]
    if (!entry?.edits || this.isAsWritten(name)) return false
    const content = this.read(name)
    if (this.record.anchors === ANCHORS && entry.edits.every(({ inserted }) => content.includes(inserted))) return true
    throw new Refused(`nothing is written; ${name} was changed since the integration, and its calls are not today's.`)
  }

  isAppFile(name) {
    return Boolean(this.record?.files[name]?.edits)
  }

  /** Whether a file of the app still has a call that was inserted. */
  hasAnyCall(name) {
    const content = this.read(name)
    return this.record.files[name].edits.some(({ inserted }) => content.includes(inserted))
  }

  asItIs(name) {
    const { edits, sha256: written } = this.record.files[name]
    return { content: this.read(name), edits, written }
  }

  /** The content of a regular file; null if there is none. */
  read(name) {
    const file = this.placeOf(name)
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (!stat) return null
    if (!stat.isFile()) throw new Refused(`${name} is not a regular file.`)
    if (stat.size > MAX_BYTES) throw new Refused(`${name} is larger than ${MAX_BYTES} bytes.`)
    return fs.readFileSync(file, "utf8")
  }

  /** Write all files, each atomically; after a failure those that were written are as before. */
  write(changes) {
    const done = []
    try {
      for (const change of changes) {
        this.put(change.name, change.after)
        done.push(change)
      }
    } catch (error) {
      for (const { name, before } of done.reverse()) this.put(name, before)
      throw new Refused(`nothing is changed: ${error.message}`)
    }
  }

  put(name, content) {
    const file = this.placeOf(name)
    const folder = path.dirname(file)
    if (content === null) {
      fs.rmSync(file, { force: true })
      this.removeEmpty(folder)
      return
    }
    fs.mkdirSync(folder, { recursive: true })
    const mode = fs.lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644
    const fresh = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString("hex")}`)
    try {
      fs.writeFileSync(fresh, content, { flag: "wx", mode: mode & 0o777, flush: true })
      fs.renameSync(fresh, file)
    } catch (error) {
      fs.rmSync(fresh, { force: true })
      this.removeEmpty(folder)
      throw error
    }
  }

  removeEmpty(folder) {
    for (let current = folder; current !== this.root; current = path.dirname(current)) {
      if (!fs.existsSync(current) || fs.readdirSync(current).length > 0) return
      fs.rmdirSync(current)
    }
  }

  /** The path of a file inside the checkout; refused if a link leads out of it. */
  placeOf(name) {
    const file = path.join(this.root, name)
    const relative = path.relative(this.root, file)
    if (relative === "" || relative.startsWith("..") || path.isAbsolute(relative)) throw new Refused(`${name} is outside of the checkout.`)
    for (let folder = path.dirname(file); folder !== this.root; folder = path.dirname(folder)) {
      if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
        throw new Refused(`${path.relative(this.root, folder)} is a link; the integration follows none.`)
      }
    }
    return file
  }
}

function git(folder, args, allowed = [0]) {
  try {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" }
    const options = { cwd: folder, encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 * MAX_BYTES }
    return execFileSync("git", ["-c", "core.quotePath=false", ...args], options)
  } catch (error) {
    if (allowed.includes(error.status)) return error.stdout
    throw new Refused(`git ${args[0]} failed in ${folder}: ${String(error.stderr || error.message).trim()}`)
  }
}

function sha256(text) {
  return createHash("sha256").update(text, "utf8").digest("hex")
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  process.exitCode = main(process.argv.slice(2))
}
