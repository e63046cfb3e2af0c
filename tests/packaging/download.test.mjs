/** `scripts/download-continuity-sidecar.mjs`: only a pinned, contained and working program is installed. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import fs from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import zlib from "node:zlib"

const SCRIPTS = fileURLToPath(new URL("../../packaging/onecode/app/scripts/", import.meta.url))
const HERE = `${process.platform}-${process.arch}`
const WORKING = '#!/bin/sh\necho "{\\"ok\\": true}"\n'

/** One member of a tar archive, as Python's tarfile writes it. */
function member(name, { data = "", kind = "0", link = "", mode = "755" } = {}) {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(`${mode.padStart(7, "0")}\0`, 100)
  header.write(`${Buffer.byteLength(data).toString(8).padStart(11, "0")}\0`, 124)
  header.write(kind, 156)
  header.write(link, 157)
  header.write("ustar\x0000", 257)
  return Buffer.concat([header, Buffer.from(data), Buffer.alloc((512 - (Buffer.byteLength(data) % 512)) % 512)])
}

const tar = (...members) => zlib.gzipSync(Buffer.concat([...members, Buffer.alloc(1024)]))
const program = (text = WORKING) => member("onecode-sidecar/onecode-sidecar", { data: text })

function zip(name, data) {
  const packed = zlib.deflateRawSync(data)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(name.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(packed.length, 20)
  entry.writeUInt32LE(data.length, 24)
  entry.writeUInt16LE(name.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 10)
  const body = Buffer.concat([local, Buffer.from(name), packed])
  end.writeUInt32LE(body.length, 16)
  return Buffer.concat([body, entry, Buffer.from(name), end])
}

/** An app with the script, and a release whose archive is pinned. */
function app(t, archive, { platform = HERE, file = "sidecar.tar.gz", origin = "" } = {}) {
  const root = fs.mkdtempSync(path.join(tmpdir(), "app-"))
  t.after(() => fs.rmSync(root, { recursive: true, force: true }))
  fs.cpSync(SCRIPTS, path.join(root, "scripts"), { recursive: true })
  fs.mkdirSync(path.join(root, "release"))
  fs.writeFileSync(path.join(root, "release", file), archive)
  const checksum = createHash("sha256").update(archive).digest("hex")
  const pins = { origin, version: "0.1.0", platforms: { [platform]: { file, checksum, size: archive.length } } }
  fs.writeFileSync(path.join(root, "scripts", "continuity-sidecar.json"), JSON.stringify(pins))
  const target = path.join(root, "resources", "bin", platform)
  const run = (...args) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [path.join(root, "scripts", "download-continuity-sidecar.mjs"), ...args])
      let text = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data))
      child.on("close", (status) => resolve({ status, text }))
    })
  return { root, target, pins, run, fromRelease: (...args) => run("--from", path.join(root, "release"), ...args) }
}

test("without an origin the app is built without the sidecar, and says so once", async (t) => {
  const { run, target } = app(t, tar(program()))
  const { status, text } = await run()
  assert.deepEqual([status, text.trim().split("\n").length], [0, 1])
  assert.match(text, /no origin is set/)
  assert.ok(!fs.existsSync(target))
})

test("a pinned program from the origin is installed once", { skip: process.platform === "win32" }, async (t) => {
  const archive = tar(program(), member("onecode-sidecar/lib/a.so", { data: "x", mode: "644" }), member("onecode-sidecar/b.so", { kind: "2", link: "lib/a.so" }))
  const asked = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.end(archive)
  }).listen(0, "127.0.0.1")
  t.after(() => server.close())
  await new Promise((resolve) => server.once("listening", resolve))
  const { run, target } = app(t, archive, { origin: `http://127.0.0.1:${server.address().port}/sidecar` })
  assert.match((await run()).text, /is verified and installed/)
  assert.match((await run()).text, /already downloaded/)
  assert.deepEqual(asked, ["/sidecar/0.1.0/sidecar.tar.gz"])
  assert.equal(fs.readFileSync(path.join(target, "onecode-sidecar", "b.so"), "utf8"), "x")
  assert.deepEqual(fs.readdirSync(target).sort(), [".onecode-sidecar-asset.sha256", "onecode-sidecar"])
})

const outside = {
  "a parent folder": [member("onecode-sidecar/../../evil")],
  "an absolute path": [member("/evil")],
  "another folder": [member("evil")],
  "a backslash": [member("onecode-sidecar/..\\evil")],
  "a link out": [member("onecode-sidecar/evil", { kind: "2", link: "../../.." })],
  "an absolute link": [member("onecode-sidecar/evil", { kind: "2", link: "/etc" })],
  "a member below a link": [
    member("onecode-sidecar/lib", { kind: "2", link: "." }),
    member("onecode-sidecar/lib/evil", { data: "x" }),
  ],
  "a hard link": [member("onecode-sidecar/evil", { kind: "1", link: "onecode-sidecar/onecode-sidecar" })],
  "a device": [member("onecode-sidecar/evil", { kind: "3" })],
  "the same name twice": [program(), program()],
}

test("members outside of the program's folder are refused, and what was installed stays", async (t) => {
  await Promise.all(
    Object.entries(outside).map(async ([what, members]) => {
      const { fromRelease, root, target } = app(t, tar(...members, program()))
      fs.mkdirSync(path.join(target, "onecode-sidecar"), { recursive: true })
      fs.writeFileSync(path.join(target, "onecode-sidecar", "old"), "")
      const { status, text } = await fromRelease()
      assert.deepEqual([status, text.trim().split("\n").length], [1, 1], `${what}: ${text}`)
      assert.deepEqual(fs.readdirSync(path.join(target, "onecode-sidecar")), ["old"], what)
      assert.deepEqual(fs.readdirSync(target), ["onecode-sidecar"], what)
      assert.deepEqual(fs.readdirSync(root).sort(), ["release", "resources", "scripts"], what)
    }),
  )
})

test("a wrong checksum, a failing selfcheck and an unpinned platform install nothing", async (t) => {
  const wrong = app(t, tar(program()))
  fs.appendFileSync(path.join(wrong.root, "release", "sidecar.tar.gz"), "x")
  assert.match((await wrong.fromRelease()).text, /pinned is/)
  const failing = app(t, tar(program("#!/bin/sh\nexit 3\n")))
  assert.match((await failing.fromRelease()).text, /selfcheck failed/)
  assert.match((await failing.fromRelease("--platform", "plan9-x64")).text, /no archive is pinned for plan9-x64/)
  for (const { target } of [wrong, failing]) assert.ok(!fs.existsSync(path.join(target, "onecode-sidecar")))
  const insecure = app(t, tar(program()), { origin: "http://example.org" })
  assert.match((await insecure.run()).text, /must be an https address/)
})

test("the Windows archive is unpacked on any platform", async (t) => {
  const archive = zip("onecode-sidecar/onecode-sidecar.exe", Buffer.from("MZ"))
  const { fromRelease, target } = app(t, archive, { platform: "win32-riscv", file: "sidecar.zip" })
  assert.equal((await fromRelease("--all")).status, 0)
  assert.equal(fs.readFileSync(path.join(target, "onecode-sidecar", "onecode-sidecar.exe"), "utf8"), "MZ")
})

test("a release's manifests are pinned without touching the origin", async (t) => {
  const { run, root } = app(t, tar(program()), { origin: "https://example.org/x" })
  const manifest = (name, version, key) => {
    const file = path.join(root, name)
    fs.writeFileSync(file, JSON.stringify({ version, platforms: { [key]: { file: "f", checksum: "c", size: 1 } } }))
    return file
  }
  const [first, second, other] = [manifest("a", "2", "linux-x64"), manifest("b", "2", "darwin-x64"), manifest("c", "3", "win32-x64")]
  assert.equal((await run("--pin", first, second)).status, 0)
  const pins = JSON.parse(fs.readFileSync(path.join(root, "scripts", "continuity-sidecar.json"), "utf8"))
  assert.deepEqual([pins.origin, pins.version, Object.keys(pins.platforms)], ["https://example.org/x", "2", ["linux-x64", "darwin-x64"]])
  assert.match((await run("--pin", first, other)).text, /different versions/)
})
