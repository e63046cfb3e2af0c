const FAILURES_IN_A_ROW = 3
const OPEN_MS = 5 * 60_000

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
const JITTER = 0.2
const RESTARTS_ALLOWED = 5
const RESTART_WINDOW_MS = 3 * 60_000

/** Stops asking after three failures in a row; after five minutes one request may try again. Reads no clock. */
export class Breaker {
  private failures = 0
  private openUntil: number | null = null

  /** Return whether a request may be sent now; after the pause only one may, until its outcome is known. */
  admits(now: number): boolean {
    if (this.openUntil === null) return true
    if (now < this.openUntil) return false
    this.openUntil = now + OPEN_MS
    return true
  }

  /** Record that a request was answered. */
  succeeded(): void {
    this.failures = 0
    this.openUntil = null
  }

  /** Record that a request ended without an outcome for the sidecar; the next one may try. */
  undecided(now: number): void {
    if (this.openUntil !== null) this.openUntil = now
  }

  /** Record that a request failed. */
  failed(now: number): void {
    this.failures += 1
    if (this.failures >= FAILURES_IN_A_ROW) this.openUntil = now + OPEN_MS
  }
}

/** Decides when a process that ended is started again. Reads no clock. */
export class Restarts {
  private recent: number[] = []
  private inARow = 0

  constructor(private readonly random: () => number) {}

  /**
   * Return the milliseconds to wait before the next start, or null when it ended too often.
   * The wait doubles from 0.5 s to 30 s, give or take a fifth, and is short again once a process
   * has lived longer than the window in which restarts are counted.
   */
  next(now: number, livedMs: number): number | null {
    this.recent = this.recent.filter((at) => now - at < RESTART_WINDOW_MS)
    if (this.recent.length >= RESTARTS_ALLOWED) return null
    if (livedMs >= RESTART_WINDOW_MS) this.inARow = 0
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.inARow)
    this.recent.push(now)
    this.inARow += 1
    return Math.round(delay * (1 - JITTER + 2 * JITTER * this.random()))
  }

  /** Forgets what happened, because the user asked for a new start. */
  reset(): void {
    this.recent = []
    this.inARow = 0
  }
}
