#!/usr/bin/env node
/**
 * Downloads the continuity sidecar into resources/bin/<platform>-<arch>/onecode-sidecar/.
 *
 *   node scripts/download-continuity-sidecar.mjs                    for this platform
 *   node scripts/download-continuity-sidecar.mjs --all              for all pinned platforms
 *   node scripts/download-continuity-sidecar.mjs --platform KEY     for one, such as darwin-arm64
 *   node scripts/download-continuity-sidecar.mjs --from FOLDER      take the archives from a folder
 *   node scripts/download-continuity-sidecar.mjs --pin MANIFEST …   pin version and checksums of a release
 *
 * scripts/continuity-sidecar.json has the origin, which the maintainer sets, and the SHA-256 of each archive. An archive
 * is checked before it is unpacked, and the program checks itself before it replaces the previous one.
 */
import { spawnSync } from "node:child_process"
import crypto from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import zlib from "node:zlib"

const HERE = path.dirname(fileURLToPath(import.meta.url))
const PINS = path.join(HERE, "continuity-sidecar.json")
const BIN = path.join(HERE, "..", "resources", "bin")
const NAME = "onecode-sidecar"
const MARKER = ".onecode-sidecar-asset.sha256"
const BLOCK = 512
const SELFCHECK_MS = 120_000

/** A sentence for the user; what was installed before stays. */
class Failed extends Error {}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean" },
      platform: { type: "string" },
      from: { type: "string" },
      pin: { type: "boolean" },
    },
  })
  const pins = JSON.parse(fs.readFileSync(PINS, "utf8"))
  if (values.pin) return pin(pins, positionals)
  if (!values.from && !pins.origin) {
    console.log("continuity: no origin is set in scripts/continuity-sidecar.json; the app is built without the sidecar.")
    return
  }
  const current = `${process.platform}-${process.arch}`
  const keys = values.all ? Object.keys(pins.platforms) : [values.platform ?? current]
  for (const key of keys) {
    if (!pins.platforms[key]) throw new Failed(`no archive is pinned for ${key}`)
    await install(key, pins, values.from)
  }
}

/** Take over what a release's manifests state; the origin stays. */
function pin(pins, manifests) {
  if (manifests.length === 0) throw new Failed("--pin needs the release's manifest.json")
  const read = manifests.map((file) => JSON.parse(fs.readFileSync(file, "utf8")))
  const versions = new Set(read.map(({ version }) => version))
  if (versions.size !== 1) throw new Failed(`the manifests are of different versions: ${[...versions].join(", ")}`)
  const platforms = Object.assign({}, ...read.map((manifest) => manifest.platforms))
  const [version] = versions
  fs.writeFileSync(PINS, `${JSON.stringify({ origin: pins.origin, version, platforms }, null, 2)}\n`)
  console.log(`continuity: pinned ${version} for ${Object.keys(platforms).join(", ")}`)
}

async function install(key, { origin, version, platforms }, folder) {
  const { file, checksum, size } = platforms[key]
  const target = path.join(BIN, key)
  const marker = path.join(target, MARKER)
  if (readIfPresent(marker) === checksum && fs.existsSync(path.join(target, NAME))) {
    console.log(`continuity: ${key} is already downloaded and verified`)
    return
  }
  const archive = folder ? fs.readFileSync(path.join(folder, file)) : await download(origin, version, file, size)
  const actual = crypto.createHash("sha256").update(archive).digest("hex")
  if (actual !== checksum) throw new Failed(`${file} has the SHA-256 ${actual}, pinned is ${checksum}`)
  const members = file.endsWith(".zip") ? zipMembers(archive) : tarMembers(zlib.gunzipSync(archive))
  fs.mkdirSync(target, { recursive: true })
  const fresh = fs.mkdtempSync(path.join(target, `.${NAME}-`))
  try {
    unpack(checkedMembers(members), fresh)
    if (key === `${process.platform}-${process.arch}`) selfcheck(path.join(fresh, NAME))
    replace(path.join(fresh, NAME), path.join(target, NAME), path.join(fresh, "previous"))
    fs.writeFileSync(marker, `${checksum}\n`)
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
  }
  console.log(`continuity: ${key} ${version} is verified and installed`)
}

async function download(origin, version, file, size) {
  const url = new URL(`${version}/${file}`, origin.endsWith("/") ? origin : `${origin}/`)
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  if (url.protocol !== "https:" && !isLocal) throw new Failed(`the origin must be an https address: ${origin}`)
  console.log(`continuity: downloading ${url}`)
  const response = await fetch(url).catch((error) => {
    throw new Failed(`${url} cannot be reached: ${error.cause?.message ?? error.message}`)
  })
  if (!response.ok) throw new Failed(`${url} answered with status ${response.status}`)
  const chunks = []
  let received = 0
  for await (const chunk of response.body) {
    received += chunk.length
    if (received > size) break
    chunks.push(chunk)
  }
  if (received !== size) throw new Failed(`${url} does not have the pinned ${size} bytes`)
  return Buffer.concat(chunks)
}

/** The members of a tar archive: files, folders and symbolic links. */
function tarMembers(tar) {
  const members = []
  let extended = {}
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK)
    const field = (start, length) => header.toString("utf8", start, start + length).replace(/\0.*$/s, "")
    const size = Number(extended.size ?? parseInt(field(124, 12).trim() || "0", 8))
    const data = tar.subarray(at + BLOCK, at + BLOCK + size)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    const kind = field(156, 1) || "0"
    if (kind === "x") {
      extended = paxRecords(data)
      continue
    }
    const prefix = field(345, 155)
    const name = extended.path ?? (prefix ? `${prefix}/${field(0, 100)}` : field(0, 100))
    const mode = parseInt(field(100, 8).trim() || "0", 8)
    if (kind === "0") members.push({ name, data, isProgram: (mode & 0o100) !== 0 })
    else if (kind === "5") members.push({ name, isFolder: true })
    else if (kind === "2") members.push({ name, link: extended.linkpath ?? field(157, 100) })
    else throw new Failed(`the archive contains ${name}, which is neither a file nor a folder nor a symbolic link`)
    extended = {}
  }
  return members
}

function paxRecords(data) {
  const records = {}
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at)
    const length = parseInt(data.toString("utf8", at, space), 10)
    if (!(length > 0)) throw new Failed("the archive has a damaged header")
    const [, name, value] = /^([^=]*)=(.*)\n$/s.exec(data.toString("utf8", space + 1, at + length)) ?? []
    if (name) records[name] = value
    at += length
  }
  return records
}

/** The members of a zip archive, as the Windows release is one. */
function zipMembers(zip) {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"))
  if (end < 0) throw new Failed("the archive is not a zip file")
  const members = []
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Failed("the archive has a damaged directory")
    const [method, packed, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)]
    const lengths = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)]
    const mode = zip.readUInt32LE(at + 38) >>> 16
    const name = zip.toString("utf8", at + 46, at + 46 + lengths[0])
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const raw = zip.subarray(start, start + packed)
    at += 46 + lengths[0] + lengths[1] + lengths[2]
    if (name.endsWith("/")) {
      members.push({ name, isFolder: true })
      continue
    }
    if ((mode & 0o170000) === 0o120000 || ![0, 8].includes(method)) throw new Failed(`${name} cannot be unpacked`)
    const data = method === 0 ? raw : zlib.inflateRawSync(raw, { maxOutputLength: Math.max(1, size) })
    members.push({ name, data, isProgram: (mode & 0o100) !== 0 })
  }
  return members
}

/** The members, all of them inside the program's own folder; refused otherwise. */
function checkedMembers(members) {
  const links = new Set()
  const seen = new Set()
  for (const { name, link } of members) {
    const parts = name.replace(/\/$/, "").split("/")
    const isPlain = parts[0] === NAME && parts.every((part) => part !== "" && part !== "." && part !== "..")
    if (!isPlain || /[\\:\0]/.test(name)) throw new Failed(`the archive's member ${name} is outside of ${NAME}/`)
    const key = parts.join("/").toLowerCase()
    if (seen.has(key)) throw new Failed(`the archive contains ${name} twice`)
    seen.add(key)
    if (link === undefined) continue
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(name), link))
    if (path.posix.isAbsolute(link) || /[\\:\0]/.test(link) || !target.startsWith(`${NAME}/`)) {
      throw new Failed(`the archive's link ${name} leads out of ${NAME}/`)
    }
    links.add(key)
  }
  for (const { name } of members) {
    const parts = name.toLowerCase().split("/")
    const passes = parts.slice(1, -1).some((_, index) => links.has(parts.slice(0, index + 2).join("/")))
    if (passes) throw new Failed(`the archive's member ${name} is below a link`)
  }
  return members
}

function unpack(members, folder) {
  for (const { name, data, isFolder, isProgram, link } of members) {
    const file = path.join(folder, ...name.split("/"))
    fs.mkdirSync(isFolder ? file : path.dirname(file), { recursive: true })
    if (link !== undefined) fs.symlinkSync(link, file)
    else if (!isFolder) fs.writeFileSync(file, data, { flag: "wx", mode: isProgram ? 0o755 : 0o644 })
  }
}

function selfcheck(folder) {
  const program = path.join(folder, process.platform === "win32" ? `${NAME}.exe` : NAME)
  const done = spawnSync(program, ["selfcheck"], { encoding: "utf8", timeout: SELFCHECK_MS, windowsHide: true })
  if (done.status !== 0) throw new Failed(`the program's selfcheck failed: ${done.error?.message ?? done.stdout.trim()}`)
}

/** Put the new folder in the old one's place; the old one comes back if that fails. */
function replace(fresh, target, previous) {
  const isReplaced = fs.existsSync(target)
  if (isReplaced) fs.renameSync(target, previous)
  try {
    fs.renameSync(fresh, target)
  } catch (error) {
    if (isReplaced) fs.renameSync(previous, target)
    throw error
  }
}

function readIfPresent(file) {
  try {
    return fs.readFileSync(file, "utf8").trim()
  } catch {
    return null
  }
}

main().catch((error) => {
  console.error(`continuity: ${error.message}; what was installed before is unchanged.`)
  process.exitCode = 1
})
