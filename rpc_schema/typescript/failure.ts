import type { ErrorData } from "./types"

/** Why a request has no result. */
export type FailureReason =
  /** The process is not up yet: it starts, or waits for its next start. */
  | "notReady"
  /** It ended too often, or is of another protocol; `reset()` allows it again. */
  | "switchedOff"
  /** `stop()` or `stopSync()` was called. */
  | "stopped"
  /** The request's timer ran out. */
  | "timeout"
  /** The caller's signal was aborted. */
  | "aborted"
  /** The process ended before it answered, or could not be started. */
  | "exited"
  /** The message is larger than the sidecar takes, or the process no longer reads. */
  | "notSent"
  /** The sidecar answered with an error; `code` and `data` are its own. */
  | "refused"

/** The one error the client rejects with. */
export class SidecarFailure extends Error {
  override readonly name = "SidecarFailure"

  constructor(
    readonly reason: FailureReason,
    message: string,
    readonly code?: number,
    readonly data?: ErrorData,
  ) {
    super(message)
  }
}

/** Makes a failure of whatever was thrown. */
export function asFailure(thrown: unknown): SidecarFailure {
  if (thrown instanceof SidecarFailure) return thrown
  return new SidecarFailure("notSent", thrown instanceof Error ? thrown.message : String(thrown))
}
