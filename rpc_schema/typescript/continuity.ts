import { Breaker } from "./breaker"
import { SidecarClient } from "./client"
import type { ClientOptions } from "./client"
import { systemClock } from "./clock"
import type { Clock } from "./clock"
import { NOTHING, injectionOf } from "./compose"
import type { Injection } from "./compose"
import { SidecarFailure, asFailure } from "./failure"
import type { FailureReason } from "./failure"
import { SystemTexts } from "./systemTexts"
import type { ErrorKind, PostRunParams, PostRunResult, PreRunParams, PreRunResult } from "./types"

const PRE_RUN_MS = 1_500
const POST_RUN_MS = 30_000
const DEADLINE_MS = 800
const MARGIN_MS = 300
const POST_RUN_ATTEMPTS = 3

/** Reasons that do not tell whether a running sidecar is well. */
const SAYS_NOTHING: readonly FailureReason[] = ["aborted", "notReady", "notSent", "stopped"]

/** Errors that say something about one request, and nothing about the sidecar's health. */
const ABOUT_THE_REQUEST: readonly (ErrorKind | undefined)[] = [
  "invalidParams",
  "workspaceUnavailable",
  "tooLarge",
  "policyDenied",
  "conflict",
  "notFound",
  "cancelled",
]

/** What became of a pre-run. Whatever it is, the prompt may go out with `injection`. */
export type PreRunOutcome =
  | { kind: "answered"; result: PreRunResult; injection: Injection }
  | { kind: "failedOpen"; why: FailureReason | "breakerOpen"; detail: string; result: null; injection: Injection }

/** What became of a post-run. */
export type PostRunOutcome =
  | { kind: "accepted"; result: PostRunResult }
  | { kind: "failed"; why: FailureReason; detail: string }

/** What a run gives back to `withContinuity`: its value, and what is to be kept (null: nothing). */
export interface Finished<T> {
  value: T
  postRun: Omit<PostRunParams, "deliveryToken"> | null
}

/**
 * Pre-run and post-run that never throw and never hold up a prompt for more than the pre-run's timer.
 * The host makes one for all its windows, calls `client.start()` a few seconds after its own start, and
 * `client.stopSync()` in `before-quit` (or awaits `client.stop()` before it replaces the program's files).
 */
export class Continuity {
  readonly client: SidecarClient
  private readonly clock: Clock
  private readonly breaker = new Breaker()
  private readonly postRuns = new Map<string, Promise<unknown>>()
  private readonly systemTexts = new SystemTexts()

  constructor(options: ClientOptions) {
    this.clock = options.clock ?? systemClock
    this.client = new SidecarClient(options)
  }

  /** Asks what the provider is to be told. Waits 1,500 ms at most, and not at all for a process that is not up. */
  async beforeRun(params: PreRunParams, signal?: AbortSignal): Promise<PreRunOutcome> {
    try {
      if (!this.breaker.admits(this.clock.now())) {
        return this.failedOpen(params, "breakerOpen", "it failed three times in a row and is left alone for a while")
      }
      const result = await this.asked(params, signal)
      this.breaker.succeeded()
      const injection = injectionOf(result)
      this.systemTexts.given(params, injection.systemAppend)
      return { kind: "answered", result, injection }
    } catch (thrown) {
      const failure = asFailure(thrown)
      this.judge(failure)
      return this.failedOpen(params, failure.reason, failure.message)
    }
  }

  /**
   * Tells what a run did; gives up after 30 s. Call it without awaiting: the next pre-run of the sub-chat waits for it.
   * A sidecar that ended meanwhile is told again, which is safe because a run id is recorded once.
   */
  afterRun(params: PostRunParams): Promise<PostRunOutcome> {
    const subChatId = params?.subChatId
    const told = this.told(params, this.postRuns.get(subChatId))
    this.postRuns.set(subChatId, told)
    void told.then(() => {
      if (this.postRuns.get(subChatId) === told) this.postRuns.delete(subChatId)
    })
    return told
  }

  /** Runs something between its pre-run and its post-run. What the run itself throws is thrown on. */
  async withContinuity<T>(params: PreRunParams, run: (outcome: PreRunOutcome) => Promise<Finished<T>>): Promise<T> {
    const outcome = await this.beforeRun(params)
    const { value, postRun } = await run(outcome)
    if (postRun) void this.afterRun({ ...postRun, deliveryToken: outcome.result?.deliveryToken ?? null })
    return value
  }

  /** Starts over after the user asked for it: the breaker closes, and a client that is off starts again. */
  reset(): void {
    this.breaker.succeeded()
    this.client.reset()
  }

  private async asked(params: PreRunParams, signal?: AbortSignal): Promise<PreRunResult> {
    const giveUpAt = this.clock.now() + PRE_RUN_MS
    const earlier = this.postRuns.get(params.subChatId)
    if (earlier && this.client.state === "ready") await this.within(PRE_RUN_MS, earlier)
    const timeoutMs = giveUpAt - this.clock.now()
    if (timeoutMs <= 0) throw new SidecarFailure("timeout", "the sub-chat's last post-run is not answered yet")
    const deadlineMs = Math.max(1, Math.floor(Math.min(params.deadlineMs ?? DEADLINE_MS, timeoutMs - MARGIN_MS)))
    const options = { timeoutMs, signal, waitForStart: false }
    return this.client.request("continuity/preRun", { ...params, deadlineMs }, options)
  }

  private async told(params: PostRunParams, before: Promise<unknown> | undefined): Promise<PostRunOutcome> {
    try {
      const giveUpAt = this.clock.now() + POST_RUN_MS
      this.systemTexts.continued(params)
      if (before) await before
      return { kind: "accepted", result: await this.delivered(params, giveUpAt, POST_RUN_ATTEMPTS) }
    } catch (thrown) {
      const failure = asFailure(thrown)
      return { kind: "failed", why: failure.reason, detail: failure.message }
    }
  }

  private async delivered(params: PostRunParams, giveUpAt: number, attempts: number): Promise<PostRunResult> {
    try {
      const timeoutMs = Math.max(1, giveUpAt - this.clock.now())
      return await this.client.request("continuity/postRun", params, { timeoutMs })
    } catch (thrown) {
      const { reason } = asFailure(thrown)
      const again = (reason === "exited" || reason === "notReady") && attempts > 1 && this.clock.now() < giveUpAt
      if (!again) throw thrown
      return this.delivered(params, giveUpAt, attempts - 1)
    }
  }

  private judge(failure: SidecarFailure): void {
    const { reason, data } = failure
    if (SAYS_NOTHING.includes(reason)) this.breaker.undecided(this.clock.now())
    else if (reason === "refused" && ABOUT_THE_REQUEST.includes(data?.kind)) this.breaker.succeeded()
    else this.breaker.failed(this.clock.now())
  }

  private failedOpen(params: PreRunParams, why: FailureReason | "breakerOpen", detail: string): PreRunOutcome {
    const systemAppend = this.systemTexts.known(params)
    const injection = systemAppend === null ? NOTHING : { systemAppend, blocks: [] }
    return { kind: "failedOpen", why, detail, result: null, injection }
  }

  private within(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(ms, resolve)
      const done = () => (cancel(), resolve())
      work.then(done, done)
    })
  }
}
