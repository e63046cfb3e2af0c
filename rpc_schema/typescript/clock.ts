/** Time as the client uses it; a test may bring its own. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Runs something once after `ms` milliseconds, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
