"""Reads from an agent's words that its usage limit is reached, and when it may go on. Pure.

The wordings are those that the harnesses have used: Claude Code's `…limit reached|1760000400`, `Your limit will reset
at 3pm (America/Bogota)` and `You've hit your session limit · resets 4:50am (Europe/Rome)`; Codex's `try again at
12:16 PM`, `… at Nov 24th, 2025 3:14 PM` and `… in 2 days 17 hours 14 minutes`; Gemini's `will reset after 3h12m5s`.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo

from sidecar.core.regex import regex
from sidecar.ralph.heard import UsageLimit

_REACHED = regex(
    r"(?:hit|reached|exceeded|exhausted) (?:your|the|its)\b[^.\n]{0,60}\b(?:limit|quota|capacity)"
    r"|\b(?:usage|session|weekly|daily|hourly|5-hour|opus|sonnet|message|spend(?:ing)?) (?:limit|quota) "
    r"(?:has been |was )?(?:reached|exceeded|exhausted|hit)"
    r"|\blimit reached\b|\busage_limit_reached\b|\bquota exceeded\b|\bquota will reset\b",
    re.IGNORECASE,
)
_EPOCH = regex(r"(?:reached\|\s*|resets?_at\"?\s*[:=]\s*\"?)(\d{10}(?:\d{3})?)\b", re.IGNORECASE)
_IN = regex(
    r"(?:try again in|resets? (?:in|after)|retry after)\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)", re.IGNORECASE
)
_PART = regex(r"(\d+(?:\.\d+)?)\s*(d|h|m(?!s)|s|ms)[a-z]*", re.IGNORECASE)
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_AT = regex(
    r"(?:resets?|try again|again)\s*(?:at|on|:)?\s*"
    rf"(?:(?P<weekday>{'|'.join(_WEEKDAYS)})[a-z]*[, ]\s*(?:at\s+)?)?"
    rf"(?:(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s*(?P<year>\d{{4}})?,?\s*(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]\.?m\b)?"
    r"(?:\s*\((?P<zone>[A-Za-z_+\-/0-9]{1,40})\))?",
    re.IGNORECASE,
)
_TEXT_CHARS = 300


def usage_limit(text: str, now_ms: int) -> UsageLimit | None:
    """Finds a reached usage limit in an agent's own report of a failure; times without a zone are this machine's."""
    found = _REACHED.search(text)
    if found is None:
        return None
    line_start = text.rfind("\n", 0, found.start()) + 1
    told = text[line_start : line_start + 4 * _TEXT_CHARS]
    return UsageLimit(_resets_at(told, now_ms), " ".join(told.split())[:_TEXT_CHARS])


def _resets_at(text: str, now_ms: int) -> int | None:
    if (epoch := _EPOCH.search(text)) is not None:
        return int(epoch[1]) * (1 if len(epoch[1]) == 13 else 1000)
    if (wait := _IN.search(text)) is not None:
        seconds = sum(float(number) * _SECONDS[unit.lower()] for number, unit in _PART.findall(wait[1]))
        return now_ms + int(seconds * 1000) if seconds else None
    return None if (at := _AT.search(text)) is None else _moment(at, now_ms)


def _moment(at: re.Match[str], now_ms: int) -> int | None:
    """Gives the first moment after now that the words fit; null for an hour there is none of, or an unknown zone."""
    zone, hour, minute = _zone(at["zone"]), int(at["hour"]), int(at["minute"] or 0)
    if at["half"] is not None:
        hour = hour % 12 + (12 if at["half"][0] in "pP" else 0)
    elif at["minute"] is None:
        return None
    if zone is None or hour > 23 or minute > 59:
        return None
    now = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(None if zone is UTC and at["zone"] is None else zone)
    moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return _milliseconds(_on_day(moment, now, at))


def _on_day(moment: datetime, now: datetime, at: re.Match[str]) -> datetime | None:
    if at["month"] is not None:
        try:
            month = _MONTHS.index(at["month"].lower()) + 1
            dated = moment.replace(year=int(at["year"] or now.year), month=month, day=int(at["day"]))
            return dated.replace(year=dated.year + 1) if at["year"] is None and dated < now else dated
        except ValueError:
            return None
    if at["weekday"] is not None:
        moment += timedelta(days=(_WEEKDAYS.index(at["weekday"].lower()) - now.weekday()) % 7)
        return moment + timedelta(days=7) if moment <= now else moment
    return moment + timedelta(days=1) if moment <= now else moment


def _milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1000)


def _zone(name: str | None) -> tzinfo | None:
    if name is None:
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (OSError, ValueError):
        return None
