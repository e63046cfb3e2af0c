"""How long a loop waits before it goes on: after failures that come fast, and at a usage limit. Pure."""

FAST_MS = 30_000
"""A failure after less than this came fast: nothing was worked on, and the next one is likely to be the same."""

FIRST_BACKOFF_MS, MAX_BACKOFF_MS = 500, 60_000

FIRST_PAUSE_MS, MAX_PAUSE_MS = 5 * 60_000, 60 * 60_000
"""Between asking again at a usage limit that does not say when it ends."""

RESET_MARGIN_MS = 2_000
"""Clocks differ: asking a moment too early would be turned away again."""

MAX_RESET_MS = 8 * 24 * 3_600_000
"""Weekly limits end within a week; what lies further off was misread."""


def backoff_ms(fast_failures_in_row: int) -> int:
    """Gives the wait after so many failures in a row that came fast: doubling from half a second to a minute."""
    if fast_failures_in_row < 1:
        return 0
    return min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS << min(16, fast_failures_in_row - 1))


def pause_ms(resets_at_ms: int | None, now_ms: int, pauses_in_row: int) -> int:
    """Gives the wait at a usage limit: until its reset, or doubling from five minutes to an hour where none is told.

    A reset that has passed already is tried once, and counts as not told when it is met again: it was misread.
    """
    if resets_at_ms is not None and resets_at_ms <= now_ms + MAX_RESET_MS:
        if resets_at_ms > now_ms:
            return resets_at_ms - now_ms + RESET_MARGIN_MS
        if pauses_in_row <= 1:
            return RESET_MARGIN_MS
    return min(MAX_PAUSE_MS, FIRST_PAUSE_MS << min(8, max(0, pauses_in_row - 1)))
