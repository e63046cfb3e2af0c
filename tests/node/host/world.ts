import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { Continuity } from "../../../rpc_schema/typescript"
import { folder, repository, setting, unhurried } from "../support"
import type { Scope, Setting } from "../support"
import { App } from "./app"
import type { AppOptions, Prompt, Query } from "./app"
import { MessagesApi, ResponsesApi } from "./modelApis"
import type { ModelApi } from "./modelApis"

/** The folder with the real agents' packages. */
const MODULES = process.env.AGENT_MODULES ?? ""

const CODEX = join(
  MODULES,
  "@zed-industries",
  `codex-acp-${process.platform}-${process.arch}`,
  "bin",
  process.platform === "win32" ? "codex-acp.exe" : "codex-acp",
)

export const WHY = "Why does the total in src/cart.py ignore the discount?"
/** The index of a few files, on however busy a machine. */
const INDEX_MS = 120_000
const PACK = /\[continuity:(\w+) ([0-9a-f]{12})\]/g

/** The app, its agents' real programs, their APIs, a project and a worktree of it. */
export interface World {
  app: App
  continuity: Continuity | null
  sidecar: Setting
  claudeApi: MessagesApi
  codexApi: ResponsesApi
  cwd: string
  projectPath: string
  /** The app after a restart: another process, the same rows and files. */
  restarted(changes?: Partial<AppOptions>): World
}

type Mode = "active" | "passive" | "off"

export async function world(
  t: Scope,
  changes: Partial<AppOptions> & { mode?: Mode | "absent"; place?: Place } = {},
): Promise<World> {
  const { mode = "active", place = makePlace(t), ...options } = changes
  const claudeApi = new MessagesApi()
  const codexApi = new ResponsesApi()
  const [claudeUrl, codexUrl] = await Promise.all([claudeApi.listen(), codexApi.listen()])
  t.after(() => (claudeApi.close(), codexApi.close()))
  const sidecar = setting(t)
  const settings = { mode: mode === "absent" ? "off" : mode, rehydrate: true } as const
  sidecar.options.initialize = { ...sidecar.options.initialize, settings }
  const { home, cwd, projectPath } = place
  const environment = { PATH: process.env.PATH, HOME: home, TZ: "UTC" }
  writeFileSync(join(home, "codex", "config.toml"), codexConfig(`${codexUrl}/v1`))
  const appOptions: AppOptions = {
    continuity: null,
    ...{ userData: join(home, "userData"), cwd, projectPath },
    query: await claudeQuery(),
    codexProgram: CODEX,
    claudeEnv: { ...environment, ANTHROPIC_BASE_URL: claudeUrl, ANTHROPIC_API_KEY: "sk-test", ...QUIET },
    codexEnv: { ...environment, CODEX_HOME: join(home, "codex"), STAND_IN_KEY: "test" },
    ...options,
  }
  const start = (rows: App | null, more: Partial<AppOptions>): World => {
    const continuity = mode === "absent" ? null : new Continuity(sidecar.options)
    if (continuity) t.after(() => continuity.client.stopSync())
    const app = new App({ ...appOptions, continuity, ...more })
    t.after(() => app.close())
    for (const [id, row] of rows?.rows ?? []) app.rows.set(id, row)
    const restarted = (again: Partial<AppOptions> = {}) => start(app, again)
    return { app, continuity, sidecar, claudeApi, codexApi, cwd, projectPath, restarted }
  }
  const made = start(null, {})
  if (made.continuity) {
    unhurried(made.continuity)
    await made.continuity.client.request("codebase/index", { cwd, projectPath }, { timeoutMs: INDEX_MS })
  }
  return made
}

/** A home folder, a project, and a worktree of it on a branch. */
export interface Place {
  home: string
  cwd: string
  projectPath: string
}

export function makePlace(t: Scope): Place {
  const home = folder(t)
  mkdirSync(join(home, "codex"))
  const projectPath = repository(t)
  const cwd = join(home, "worktree")
  execFileSync("git", ["worktree", "add", "--quiet", "-b", "chat", cwd], { cwd: projectPath })
  return { home, cwd, projectPath }
}

/** Writes a file of the worktree. */
export function edit(made: Pick<World, "cwd">, path: string, text: string): void {
  writeFileSync(join(made.cwd, path), text)
}

/** Sends a prompt to Claude, waits for its end, and returns the body of the last request. */
export async function toClaude(made: World, prompt: Prompt): Promise<string> {
  return settled(made, made.app.claude(prompt), made.claudeApi)
}

/** The same for Codex. */
export async function toCodex(made: World, prompt: Prompt): Promise<string> {
  return settled(made, made.app.codex(prompt), made.codexApi)
}

async function settled(made: World, { done, report }: ReturnType<App["claude"]>, api: ModelApi): Promise<string> {
  await done
  const stored = await report
  if (stored && made.continuity?.client.state === "ready") assert.equal(stored.failure, null)
  assert.deepEqual(api.problems, [])
  return lastBody(api)
}

export function lastBody(api: ModelApi): string {
  return api.requests.at(-1)?.text ?? ""
}

/** The kinds of the packs in a request, in order; each pack, and each line of code in one, occurs once. */
export function packs(body: string): string[] {
  const found = [...body.matchAll(PACK)]
  const markers = found.map(([marker]) => marker)
  assert.deepEqual(markers, [...new Set(markers)], "no pack twice")
  assert.ok(body.split("| def total(cart)").length <= 2, "no region twice")
  return found.map(([, kind = ""]) => kind)
}

/** The texts of a request's last user message. */
export function lastTexts(api: ModelApi): string[] {
  const { messages, input } = api.requests.at(-1)?.body ?? {}
  const all = (messages ?? input) as { role?: string; content: string | { text?: string }[] }[]
  const last = all.filter((message) => message.role === "user").at(-1)?.content ?? []
  return typeof last === "string" ? [last] : last.map(({ text = "" }) => text)
}

/** Claude's system prompt in a request. */
export function systemText(request: { body: Record<string, unknown> } | undefined): string {
  return JSON.stringify(request?.body.system)
}

/** The anchor in it; the rest shows the state of the repository. */
export function anchorOf(request: { body: Record<string, unknown> } | undefined): string {
  const text = systemText(request)
  return text.slice(text.indexOf("[continuity:anchor")).split("gitStatus:")[0] ?? ""
}

async function claudeQuery(): Promise<Query> {
  const path = join(MODULES, "@anthropic-ai", "claude-agent-sdk", "sdk.mjs")
  const { query } = (await import(pathToFileURL(path).href)) as { query: Query }
  return query
}

const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  // The agent refuses to run without permissions as root, unless it is told that this is a sandbox.
  IS_SANDBOX: "1",
}

function codexConfig(url: string): string {
  return `model = "gpt-5.1-codex"
model_provider = "stand-in"
[model_providers.stand-in]
name = "stand-in"
base_url = "${url}"
wire_api = "responses"
env_key = "STAND_IN_KEY"
request_max_retries = 0
stream_max_retries = 0
`
}
