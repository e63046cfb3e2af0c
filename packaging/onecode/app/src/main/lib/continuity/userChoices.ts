import { app } from "electron"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import type { InitializeParams } from "./client"

/** Whether continuity is on for a user who has not chosen. Ship `false` first: then nothing is started. */
const ON_BY_DEFAULT = false

/** What the app ships with; a user's own choice wins. `passive` measures and sends nothing. */
export const SHIPPED_SETTINGS: InitializeParams["settings"] = { mode: "passive" }

/** What a user can choose for one chat. */
export type ChatMode = "off" | "passive" | "active"

interface Choices {
  enabled?: boolean
  /** By chat. */
  chats?: Record<string, ChatMode>
}

/** Whether continuity is on. Replace the four functions here to use another store. */
export function isEnabled(): boolean {
  const { enabled } = choices()
  return typeof enabled === "boolean" ? enabled : ON_BY_DEFAULT
}

export function storeEnabled(enabled: boolean): void {
  store({ ...choices(), enabled })
}

/** The user's choice for a chat, which wins over the mode; null without one. */
export function chatMode(chatId: string): ChatMode | null {
  return choices().chats?.[chatId] ?? null
}

export function storeChatMode(chatId: string, mode: ChatMode | null): void {
  const { chats = {}, ...others } = choices()
  const { [chatId]: _previous, ...rest } = chats
  store({ ...others, chats: mode === null ? rest : { ...rest, [chatId]: mode } })
}

/** The sidecar's folder: all that continuity stores is in it. */
export function stateFolder(): string {
  return join(app.getPath("userData"), "continuity")
}

function choices(): Choices {
  try {
    const stored: unknown = JSON.parse(readFileSync(choicesFile(), "utf8"))
    return typeof stored === "object" && stored !== null ? stored : {}
  } catch {
    return {}
  }
}

function store(changed: Choices): void {
  mkdirSync(stateFolder(), { recursive: true })
  writeFileSync(choicesFile(), `${JSON.stringify(changed)}\n`)
}

function choicesFile(): string {
  return join(stateFolder(), "app.json")
}
