"""Detects a usage limit in an agent's output, and when it resets. Pure.

The patterns follow messages the harnesses have used: Claude Code's `…limit reached|1760000400`, `Your limit will reset
at 3pm (America/Bogota)`, `You've hit your weekly limit · resets Sep 15 at 7pm` and `… resets 4:50am (Europe/Rome)`;
Codex's `try again at 12:16 PM`, `… at Nov 24th, 2025 3:14 PM` and `… in 2 days 17 hours 14 minutes`; Gemini's `Your
quota will reset after 21h53m56s`.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo

from sidecar.core.lazy_regex import lazy_regex
from sidecar.ralph.agent.agent_result import UsageLimit

JUST_PASSED = timedelta(hours=1)
"""A time of day that passed less than this ago means today: the agent's view of its limit lags behind."""

TIME_RESOLUTION = timedelta(minutes=1)
"""Resolution of the reported times: the limit is over at the end of the named minute."""

_TEXT_CHARS = 300
_LIMIT_KIND = r"(?:usage|session|weekly|daily|hourly|5-hour|opus|sonnet|fable|message|spend(?:ing)?)"
_REACHED = lazy_regex(
    r"(?:hit|reached|exceeded|exhausted) your\b[^.\n]{0,60}\b(?:limit|quota|capacity)\b"
    rf"|\b{_LIMIT_KIND} (?:limit|quota) (?:has been |was )?(?:reached|exceeded|exhausted|hit)\b"
    r"|\blimit reached\W{0,5}(?:resets?\b|\d{10})|\busage_limit_reached\b|\bquota exceeded\b|\bquota will reset\b",
    re.IGNORECASE,
)
_EPOCH = lazy_regex(r"(?:reached\|\s*|resets?_?at\"?\s*[:=]\s*\"?)(\d{10}(?:\d{3})?)\b", re.IGNORECASE)
_WAIT = lazy_regex(
    r"(?:try again in|resets? (?:in|after)|retry (?:in|after))\s+((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)",
    re.IGNORECASE,
)
_PART = lazy_regex(r"(\d{1,9}(?:\.\d{1,9})?)\s{0,9}(ms|d|h|m|s)", re.IGNORECASE)
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_RESET_TIME = lazy_regex(
    r"(?:resets?|again)\s{0,9}(?:at\s{1,9}|on\s{1,9}|:\s{0,9})?"
    rf"(?:(?P<weekday>{'|'.join(_WEEKDAYS)})[a-z]{{0,9}},?\s{{0,9}}(?:at\s{{1,9}})?)?"
    rf"(?:(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,9}}\.?\s{{1,9}}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{0,9}}"
    r"(?:(?P<year>\d{4}),?\s*)?(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]m\b)?"
    r"(?:\s*\((?P<zone>[A-Za-z_+\-/0-9]{1,40})\))?",
    re.IGNORECASE,
)


def find_usage_limit(text: str, now_ms: int) -> UsageLimit | None:
    """Return the usage limit in an agent's own report of a failure; a time without a zone is local."""
    match = _REACHED.search(text)
    if match is None:
        return None
    line_start = text.rfind("\n", 0, match.start()) + 1
    sentence = text[line_start : line_start + 4 * _TEXT_CHARS]
    return UsageLimit(_resets_at_ms(sentence, now_ms), " ".join(sentence.split())[:_TEXT_CHARS])


def _resets_at_ms(text: str, now_ms: int) -> int | None:
    if (epoch := _EPOCH.search(text)) is not None:
        return int(epoch[1]) * (1 if len(epoch[1]) == 13 else 1000)
    if (wait := _WAIT.search(text)) is not None:
        seconds = sum(float(number) * _SECONDS[unit.lower()] for number, unit in _PART.findall(wait[1]))
        return now_ms + int(seconds * 1000) if seconds else None
    if (at := _RESET_TIME.search(text)) is None or (at["half"] is None and at["minute"] is None):
        return None
    try:
        moment = _moment(at, datetime.fromtimestamp(now_ms / 1000, UTC))
        return int((moment + TIME_RESOLUTION).timestamp() * 1000)
    except (ValueError, OSError):  # an hour, day or zone that does not exist
        return None


def _moment(at: re.Match[str], now: datetime) -> datetime:
    """Return the time that the words mean: the next one after now, except a time of day that has just passed."""
    zone = _zone(at["zone"])
    now = now.astimezone(zone)
    if zone is None:
        now = now.replace(tzinfo=None)  # a naive time keeps its hour across the change to summer time
    moment = now.replace(hour=_hour(at), minute=int(at["minute"] or 0), second=0, microsecond=0)
    if at["month"] is not None:
        month = _MONTHS.index(at["month"].lower()) + 1
        moment = moment.replace(year=int(at["year"] or now.year), month=month, day=int(at["day"]))
        is_over = at["year"] is None and moment < now - timedelta(days=1)
        return moment.replace(year=moment.year + 1) if is_over else moment
    if at["weekday"] is not None:
        moment += timedelta(days=(_WEEKDAYS.index(at["weekday"].lower()) - now.weekday()) % 7)
        return moment + timedelta(days=7) if moment < now - JUST_PASSED else moment
    return moment + timedelta(days=1) if moment < now - JUST_PASSED else moment


def _hour(at: re.Match[str]) -> int:
    hour = int(at["hour"])
    if at["half"] is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(hour)
    return hour % 12 + (12 if at["half"][0] in "pP" else 0)


def _zone(name: str | None) -> tzinfo | None:
    """Return a time zone, null for the local one; raise ValueError or OSError for an unknown one."""
    if name is None:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError as error:
        raise ValueError(name) from error
