import { join } from "node:path"

import { Continuity } from "../../rpc_schema/typescript"
import type { ClientOptions } from "../../rpc_schema/typescript"

const START_AFTER_MS = 3_000

/** What the app knows of itself once it is ready. */
export interface Place extends Pick<ClientOptions, "env" | "onLog" | "spawn"> {
  /** The sidecar's program; see `programIn`. */
  program: string
  /** `app.getPath("userData")`. */
  userData: string
  /** `app.getVersion()`. */
  version: string
  /**
   * What the app ships with. The user's own settings are kept by the sidecar and win over these; what has to win
   * over the user's goes into `env` (`ONECODE_CONTINUITY_MODE: "off"`).
   */
  settings?: ClientOptions["initialize"]["settings"]
}

/**
 * Names the program below a folder of binaries: `join(process.resourcesPath, "bin")` in a packaged app,
 * `resources/bin/${process.platform}-${process.arch}` in development.
 */
export function programIn(bin: string): string {
  return join(bin, "onecode-sidecar", process.platform === "win32" ? "onecode-sidecar.exe" : "onecode-sidecar")
}

/** Makes the continuity of an app; no process is started before it is needed. */
export function open(place: Place): Continuity {
  const folder = join(place.userData, "continuity")
  return new Continuity({
    command: place.program,
    env: place.env,
    onLog: place.onLog,
    spawn: place.spawn,
    initialize: {
      clientInfo: { name: "1code", version: place.version },
      stateDir: folder,
      logDir: join(folder, "logs"),
      settings: place.settings,
    },
  })
}

/** Starts the process once the windows are up, so that the first chat finds it ready; gives what calls it off. */
export function startSoon(continuity: Continuity): () => void {
  const timer = setTimeout(() => continuity.client.start(), START_AFTER_MS)
  return () => clearTimeout(timer)
}

let one: Continuity | null = null

/** The one continuity of all windows; `place` is asked once, when the first of them needs it. */
export function continuityOfTheApp(place: () => Place): Continuity {
  return (one ??= open(place()))
}
