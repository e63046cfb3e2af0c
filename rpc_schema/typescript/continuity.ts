import { randomUUID } from "node:crypto"

import { Breaker } from "./breaker"
import { SidecarClient } from "./client"
import type { ClientOptions } from "./client"
import { systemClock } from "./clock"
import type { Clock } from "./clock"
import { SidecarFailure, asFailure } from "./failure"
import type { FailureReason } from "./failure"
import { injectionOf } from "./prompts"
import { ClaudeRun, CodexRun, preRunParams, runWithoutContinuity } from "./run"
import type { PostRunOutcome, PreRunOutcome, RunRecorder } from "./run"
import type { ClaudeRunInput, CodexRunInput, RunInput } from "./runInput"
import { SubChats } from "./subChats"
import { sessionFacts, storedSystemText } from "./sessionFacts"
import type { ErrorKind, PostRunParams, PostRunResult, PreRunParams, PreRunResult } from "./types"

const PRE_RUN_MS = 1_500
const POST_RUN_MS = 30_000
const DEADLINE_MS = 800
const MARGIN_MS = 300
const POST_RUN_ATTEMPTS = 3
const INDEX_MS = 120_000

/** Reasons that do not show whether a running sidecar works. */
const NEUTRAL: readonly FailureReason[] = ["aborted", "notReady", "notSent", "stopped"]

/** Errors that concern one request, and not the sidecar's health. */
const REQUEST_ERRORS: readonly (ErrorKind | undefined)[] = [
  "invalidParams",
  "workspaceUnavailable",
  "tooLarge",
  "policyDenied",
  "conflict",
  "notFound",
  "cancelled",
]

/** A folder that the app works in: the chat's worktree, and the project that it belongs to. */
export interface Workspace {
  cwd: string
  projectPath: string | null | undefined
}

/**
 * The runs of an app: what each prompt is sent with, and what became of it. Nothing here throws or rejects, and a
 * prompt waits 1,500 ms at most. The host makes one for all its windows, calls `client.start()` a few seconds after its
 * own start, and `client.stopSync()` in `before-quit` (or awaits `client.stop()` before it replaces the program's files).
 */
export class Continuity {
  readonly client: SidecarClient
  private readonly clock: Clock
  private readonly today: () => Date
  private readonly breaker = new Breaker()
  private readonly postRuns = new Map<string, Promise<unknown>>()
  private readonly subChats = new SubChats()

  constructor(options: ClientOptions) {
    this.clock = options.clock ?? systemClock
    this.today = options.today ?? (() => new Date())
    this.client = new SidecarClient(options)
  }

  /** Begin a run: return all that its provider is called with. The session's facts are read from the app's messages. */
  beginRun(input: ClaudeRunInput): Promise<ClaudeRun>
  beginRun(input: CodexRunInput): Promise<CodexRun>
  async beginRun(input: RunInput): Promise<ClaudeRun | CodexRun> {
    try {
      const runId = input.runId ?? randomUUID()
      const startedAt = this.now()
      const known = this.subChats.facts(input)
      const params = preRunParams(input, runId, sessionFacts(input, known.isOwn, known.compactedAt))
      this.subChats.begin(input.subChatId, runId)
      const outcome = await this.preRun(params, input)
      const preRun = { params, outcome, startedAt }
      const recorder = this.recorderOf(input, runId)
      return input.provider === "claude"
        ? new ClaudeRun(input, preRun, recorder)
        : new CodexRun(input, preRun, recorder)
    } catch {
      return runWithoutContinuity(input)
    }
  }

  /** Index a worktree that was created or opened, so that its first prompt finds every file. */
  indexWorkspace({ cwd, projectPath }: Workspace): void {
    void this.client.request("codebase/index", { cwd, projectPath }, { timeoutMs: INDEX_MS }).catch(() => undefined)
  }

  /** Report changed files, so that packs are prepared before the next prompt. */
  filesChanged({ cwd }: { cwd: string }, paths: readonly string[]): void {
    this.client.notify("continuity/repoChanged", { cwd, paths: [...paths] })
  }

  /** Delete what is stored of a sub-chat that the user deleted. */
  deleted({ subChatId, cwd }: { subChatId: string; cwd: string }): void {
    this.subChats.forget(subChatId)
    void this.client
      .request("ping", {})
      .then(() => {
        for (const provider of ["claude", "codex"] as const) {
          this.client.notify("continuity/sessionEvent", { event: "deleted", cwd, subChatId, provider })
        }
      })
      .catch(() => undefined)
  }

  /** Start over after the user asked for it: the breaker closes, and a client that is off starts again. */
  reset(): void {
    this.breaker.succeeded()
    this.client.reset()
  }

  private now(): string {
    return this.today().toISOString()
  }

  private recorderOf(input: RunInput, runId: string): RunRecorder {
    return {
      now: () => this.now(),
      isSuperseded: () => this.subChats.isSuperseded(input.subChatId, runId),
      record: ({ params, compactedAt }) => {
        this.subChats.end(params, compactedAt)
        return this.postRun(params)
      },
    }
  }

  private async preRun(params: PreRunParams, input: RunInput): Promise<PreRunOutcome> {
    try {
      if (!this.breaker.admits(this.clock.now())) {
        return failedOpen(input, "breakerOpen", "it failed three times in a row and is left alone for a while")
      }
      const result = await this.requestPreRun(params, input.signal)
      this.breaker.succeeded()
      return { kind: "answered", result, injection: injectionOf(result) }
    } catch (thrown) {
      const failure = asFailure(thrown)
      this.judge(failure)
      return failedOpen(input, failure.reason, failure.message)
    }
  }

  private async requestPreRun(params: PreRunParams, signal: AbortSignal): Promise<PreRunResult> {
    const giveUpAt = this.clock.now() + PRE_RUN_MS
    const earlier = this.postRuns.get(params.subChatId)
    if (earlier && this.client.state === "ready") await this.within(PRE_RUN_MS, earlier)
    const timeoutMs = giveUpAt - this.clock.now()
    if (timeoutMs <= 0) throw new SidecarFailure("timeout", "the sub-chat's last post-run is not answered yet")
    const deadlineMs = Math.max(1, Math.floor(Math.min(DEADLINE_MS, timeoutMs - MARGIN_MS)))
    const options = { timeoutMs, signal, waitsFor: "start" } as const
    return this.client.request("continuity/preRun", { ...params, deadlineMs }, options)
  }

  /**
   * Report a run; give up after 30 s. The next pre-run of the sub-chat waits for it. A sidecar that ended meanwhile
   * gets it again, which is safe because a run id is recorded once.
   */
  private postRun(params: PostRunParams): Promise<PostRunOutcome> {
    const stored = this.storedAfter(this.postRuns.get(params.subChatId), params)
    this.postRuns.set(params.subChatId, stored)
    void stored.then(() => {
      if (this.postRuns.get(params.subChatId) === stored) this.postRuns.delete(params.subChatId)
    })
    return stored
  }

  private async storedAfter(earlier: Promise<unknown> | undefined, params: PostRunParams): Promise<PostRunOutcome> {
    try {
      const giveUpAt = this.clock.now() + POST_RUN_MS
      if (earlier) await earlier
      return { kind: "accepted", result: await this.requestPostRun(params, giveUpAt, POST_RUN_ATTEMPTS) }
    } catch (thrown) {
      const failure = asFailure(thrown)
      return { kind: "failed", why: failure.reason, detail: failure.message }
    }
  }

  private async requestPostRun(params: PostRunParams, giveUpAt: number, attempts: number): Promise<PostRunResult> {
    try {
      const timeoutMs = Math.max(1, giveUpAt - this.clock.now())
      return await this.client.request("continuity/postRun", params, { timeoutMs })
    } catch (thrown) {
      const { reason } = asFailure(thrown)
      const isLost = reason === "exited" || reason === "notReady"
      if (!isLost || attempts === 1 || this.clock.now() >= giveUpAt) throw thrown
      return this.requestPostRun(params, giveUpAt, attempts - 1)
    }
  }

  private judge(failure: SidecarFailure): void {
    const { reason, data } = failure
    if (NEUTRAL.includes(reason)) this.breaker.undecided(this.clock.now())
    else if (reason === "refused" && REQUEST_ERRORS.includes(data?.kind)) this.breaker.succeeded()
    else this.breaker.failed(this.clock.now())
  }

  private within(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(ms, resolve)
      const done = () => (cancel(), resolve())
      work.then(done, done)
    })
  }
}

function failedOpen(input: RunInput, why: FailureReason | "breakerOpen", detail: string): PreRunOutcome {
  const isLocal = input.provider === "claude" && input.isLocalModel
  const injection = { systemAppend: isLocal ? null : storedSystemText(input), blocks: [] }
  return { kind: "failedOpen", why, detail, result: null, injection }
}
