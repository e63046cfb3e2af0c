import { app } from "electron"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import type { InitializeParams } from "./client"

/** Whether continuity is on for a user who has not chosen. Ship `false` first: then nothing is started. */
const ON_BY_DEFAULT = false

/** What the app ships with; a user's own choice wins. `passive` measures and sends nothing. */
export const SHIPPED_SETTINGS: InitializeParams["settings"] = { mode: "passive" }

/** Where a user's choice is stored. Replace both functions to use another store. */
export function isEnabled(): boolean {
  try {
    const stored: unknown = JSON.parse(readFileSync(flagFile(), "utf8"))
    const { enabled } = stored as { enabled?: unknown }
    return typeof enabled === "boolean" ? enabled : ON_BY_DEFAULT
  } catch {
    return ON_BY_DEFAULT
  }
}

export function storeEnabled(enabled: boolean): void {
  mkdirSync(stateFolder(), { recursive: true })
  writeFileSync(flagFile(), `${JSON.stringify({ enabled })}\n`)
}

/** The sidecar's folder: all that continuity stores is in it. */
export function stateFolder(): string {
  return join(app.getPath("userData"), "continuity")
}

function flagFile(): string {
  return join(stateFolder(), "app.json")
}
