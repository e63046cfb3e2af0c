import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { join } from "node:path"

import { app } from "electron"

import { Continuity, runWithoutContinuity } from "./client"
import type { ClaudeRun, ClaudeRunInput, CodexRun, CodexRunInput, RunInput, RunReport, StoredMessage } from "./client"
import { SHIPPED_SETTINGS, chatMode, isEnabled, stateFolder } from "./userChoices"

export type { ClaudeRun, CodexRun } from "./client"

const START_AFTER_MS = 3_000
const HOOK_STOP_MS = 3_000
const MAX_RUNS = 100

let instance: Continuity | null = null
let hasUpdate = false
let isMissingLogged = false
const runs = new Map<string, RecentRun>()

/** A run of this start of the app. */
interface RecentRun {
  place: { cwd: string; projectPath: string | null | undefined }
  ended: Promise<RunReport>
}

/** The one continuity of all windows; null while it is switched off, or if its program is missing. */
export function continuity(): Continuity | null {
  if (instance || !isEnabled()) return instance
  const command = installedProgram()
  if (command === null) return null
  instance = new Continuity({
    command,
    onLog: (line) => console.log(`[continuity] ${line}`),
    initialize: {
      clientInfo: { name: "1code", version: app.getVersion() },
      stateDir: stateFolder(),
      logDir: join(stateFolder(), "logs"),
      settings: SHIPPED_SETTINGS,
    },
  })
  return instance
}

/** The sidecar's program; null if it is not installed, which is logged once. */
export function installedProgram(): string | null {
  const bin = app.isPackaged
    ? join(process.resourcesPath, "bin")
    : join(app.getAppPath(), "resources", "bin", `${process.platform}-${process.arch}`)
  const name = process.platform === "win32" ? "onecode-sidecar.exe" : "onecode-sidecar"
  const program = join(bin, "onecode-sidecar", name)
  try {
    accessSync(program, constants.X_OK)
    return program
  } catch {
    if (!isMissingLogged) console.warn(`[continuity] not installed, the app works without it: ${program}`)
    isMissingLogged = true
    return null
  }
}

/** Call it in `whenReady`, once the windows are up: the process starts a little later, and ends with the app. */
export function startContinuity(): void {
  setTimeout(() => continuity()?.client.start(), START_AFTER_MS)
  app.on("before-quit", (event) => {
    if (!instance || instance.client.state === "stopped") return
    if (!hasUpdate) {
      instance.client.stopSync()
      return
    }
    // The update is installed when the app has quit: no process may hold its files then.
    event.preventDefault()
    void stopContinuity().then(() => app.quit())
  })
}

/** Call it when an update is downloaded: the next quit then waits until the process has ended. */
export function expectUpdate(): void {
  hasUpdate = true
}

/** Ends the process and those that terminal hooks started from the same files; settles within 8 s, never rejects. */
export async function stopContinuity(): Promise<void> {
  const stopping = instance?.client.stop().catch(() => undefined)
  await Promise.all([stopping, stopHooks()])
}

/** Switches continuity on or off for the running app. */
export async function switchContinuity(): Promise<void> {
  if (isEnabled()) {
    continuity()?.client.start()
    return
  }
  const stopped = instance
  instance = null
  await stopped?.client.stop().catch(() => undefined)
}

/** Begins a run; never throws. Without continuity the run adds nothing. */
export async function beginRun(input: ClaudeRunInput): Promise<ClaudeRun>
export async function beginRun(input: CodexRunInput): Promise<CodexRun>
export async function beginRun(input: RunInput): Promise<ClaudeRun | CodexRun> {
  const current = continuity()
  if (!current) return runWithoutContinuity(input)
  const continuityMode = chatMode(input.chatId)
  const run =
    input.provider === "claude"
      ? await current.beginRun({ ...input, continuityMode })
      : await current.beginRun({ ...input, continuityMode })
  runs.set(run.id, { place: { cwd: input.cwd, projectPath: input.projectPath }, ended: run.ended })
  for (const id of [...runs.keys()].slice(0, -MAX_RUNS)) runs.delete(id)
  return run
}

/** Passes a chunk for the renderer: the message's metadata gets the run's figures. */
export function passChunk(run: ClaudeRun | CodexRun | null, chunk: unknown): void {
  if (!run) return
  run.observe(chunk)
  const metadata = (chunk as { messageMetadata?: unknown } | null)?.messageMetadata
  if (metadata && typeof metadata === "object") Object.assign(metadata, storedMetadata(run))
}

/** Passes the assistant's message before it is stored. */
export function passMessage(run: ClaudeRun | CodexRun, message: StoredMessage | null | undefined): void {
  if (!message) return
  message.metadata = { ...message.metadata, ...storedMetadata(run) }
  run.observe(message)
}

/** A run of this start of the app; null for any other. */
export function recentRun(runId: string): RecentRun | null {
  return runs.get(runId) ?? null
}

/** What the app adds to the environment of an agent that it starts for several runs. */
export function agentEnvironment(): Record<string, string> {
  return continuity() ? { ONECODE_CONTINUITY_HOST: "1code" } : {}
}

/** Forgets sub-chats that the user deletes. */
export function forgetSubChats(subChatIds: readonly string[], cwd: string | null | undefined): void {
  if (!cwd) return
  for (const subChatId of subChatIds) continuity()?.deleted({ subChatId, cwd })
}

function storedMetadata(run: ClaudeRun | CodexRun): Record<string, unknown> {
  return { ...run.metadata, ...(run.notice ? { continuityNotice: run.notice } : {}) }
}

function stopHooks(): Promise<void> {
  const program = installedProgram()
  if (program === null) return Promise.resolve()
  return new Promise((resolve) => {
    const child = spawn(program, ["hook", "stop"], { stdio: "ignore", windowsHide: true, timeout: HOOK_STOP_MS })
    child.on("error", () => resolve())
    child.on("close", () => resolve())
  })
}
