"""Figures as text, for the report and the commands. Pure."""

from sidecar.core.clean_text import count_noun
from sidecar.core.clock import MINUTE_MS

UNKNOWN = "–"


def percent(share: float | None) -> str:
    """Return a share of 1 as in `66.7 %`."""
    return UNKNOWN if share is None else f"{100 * share:.1f}".removesuffix(".0") + " %"


def whole(number: float | None) -> str:
    """Return a count as in `12,345`."""
    return UNKNOWN if number is None else f"{number:,.0f}"


def milliseconds(duration: float | None) -> str:
    """Return a duration as in `8.4 ms`."""
    if duration is None:
        return UNKNOWN
    return f"{duration:,.0f} ms" if duration >= 100 else f"{duration:.1f}".removesuffix(".0") + " ms"


def format_bytes(number: float | None) -> str:
    """Return bytes as in `1.2 MB`, in powers of 1,000."""
    if number is None:
        return UNKNOWN
    for unit in ("B", "kB", "MB"):
        if abs(number) < 1_000:
            return f"{number:,.0f} {unit}" if unit == "B" else f"{number:,.1f} {unit}"
        number /= 1_000
    return f"{number:,.1f} GB"


def dollars(amount: float | None) -> str:
    """Return US dollars as in `$ 0.42`."""
    return UNKNOWN if amount is None else f"$ {amount:,.2f}"


def effect(change: float | None, scale: str, unit: str | None = None) -> str:
    """Return an effect with its sign and unit, as in `−14.2 %`, `+0.12 per chat` or `−1.3 points`."""
    if change is None:
        return UNKNOWN
    size, sign = abs(change), "−" if change < 0 else "+"
    number = f"{size:.2f}" if scale == "difference" else f"{100 * size:.1f}"
    return sign + number + (_UNITS[scale] if unit is None else unit)


_UNITS = {"ratio": " %", "rate": " %", "difference": " per chat", "share": " points"}


def typical(value: float | None, scale: str) -> str:
    """Return a typical value of a chat, as in `12.4`, `48,210` or `3.1 %`."""
    if value is None:
        return UNKNOWN
    if scale == "share":
        return percent(value)
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if scale == "difference" else f"{value:.1f}"


def age(since_ms: int | None, now_ms: int) -> str:
    """Return the time since a moment in its largest unit."""
    if since_ms is None:
        return UNKNOWN
    minutes = max(0, now_ms - since_ms) // MINUTE_MS
    for unit, length in (("day", 24 * 60), ("hour", 60)):
        if minutes >= length:
            return f"{count_noun(minutes // length, unit)} ago"
    return f"{minutes} min ago" if minutes else "just now"
