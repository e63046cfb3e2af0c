"""Detection of usage limits in an agent's output, and of the moment at which they end. Pure."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo

from sidecar.core.clock import epoch_ms
from sidecar.core.json_text import loads
from sidecar.core.lazy_regex import lazy_regex
from sidecar.ralph.agent.harnesses import UsageLimit
from sidecar.ralph.agent.output_lines import AnsiStripper

# The patterns follow messages the harnesses have used: Claude Code's `…limit reached|1760000400`, `Your limit will
# reset at 3pm (America/Bogota)`, `You've hit your weekly limit · resets Sep 15 at 7pm` and `… resets 4:50am
# (Europe/Rome)`; Codex's `try again at 12:16 PM`, `… at Nov 24th, 2025 3:14 PM` and `… in 2 days 17 hours 14 minutes`;
# Gemini's `Your quota will reset after 21h53m56s`.
JUST_PASSED = timedelta(hours=1)
"""A time of day that passed less than this ago means today: the agent's view of its limit lags behind."""

TIME_RESOLUTION = timedelta(minutes=1)
"""Resolution of the reported times: the limit is over at the end of the named minute."""

_TEXT_CHARS = 300
_LIMIT_KIND = (
    r"(?:usage|session|weekly|daily|hourly|monthly|5-hour|opus|sonnet|fable|message|spend(?:ing)?|plan|account|model"
    r"|(?:org|organi[sz]ation|plan|account)['’]s|\d(?:\.\d)?)"
)
_PREFIX = r"(?:(?:■|⚠️?|⎿) {1,2})?(?:(?:\W {1,2})?\[?(?:api |stream )?error: {1,2})?"
"""Words and marks that harnesses print before it; test reporters have others, indentation and numbers."""

_REACHED = lazy_regex(
    rf"{_PREFIX}(?:claude (?:ai |code )?)?(?:"
    rf"you(?:['’]ve| have) (?:hit|reached|exceeded|exhausted) your (?:{_LIMIT_KIND} ){{0,3}}(?:limit|quota|capacity)"
    r"(?: (?:for|on) [\w-]{1,40}(?:[ .][\w-]{1,40}){0,4})?"
    rf"|(?:(?:your|the) )?(?:{_LIMIT_KIND} ){{1,3}}(?:limit|quota) (?:(?:has|have) been |was )?"
    r"(?:reached|exceeded|exhausted|hit)"
    r"|limit reached(?=\W{0,5}(?:resets?\b|\d{10}))|usage_limit_reached"
    r"|quota exceeded(?: for quota metric [^\n]*)?|(?=your (?:limit|quota) will reset (?:after|at|in|on) [^\n]*\d)"
    r")",
    re.IGNORECASE,
)
"""The beginning of a line that reports a reached limit."""

_REST = lazy_regex(
    r"[.!\])]{0,3}\s*$|\|\d{10}|your (?:limit|quota) will reset\b"
    r"|\s{0,3}[|.,;:!·∙•(–—-][^\n]*\b(?:resets?(?:_?at)?|again|upgrade|visit|contact|switch|retry|wait)(?![a-z])",
    re.IGNORECASE,
)
"""The rest of such a line: nothing, or when the limit ends and what the user can do until then."""

_BEFORE_JSON = lazy_regex(r"(?:(?:api |stream )?error:? |unexpected status 429\b[^{\n:]{0,60}: ){0,4}", re.IGNORECASE)
_HINT = lazy_regex(r"\s*(?:/upgrade|•)")
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
    """Return the usage limit that the whole last line of an agent's report of a failure states.

    Hints on how to continue may follow it. A time without a zone is local.
    """
    lines = AnsiStripper().strip(text).splitlines()
    last = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].strip() and not _HINT.match(lines[at])), None)
    if last is None or not _is_limit(lines[last]):
        return None
    report = " ".join(" ".join(lines[last:]).split())
    return UsageLimit(_resets_at_ms(report[: 4 * _TEXT_CHARS], now_ms), report[:_TEXT_CHARS])


def _is_limit(line: str) -> bool:
    """Whether a line is a harness's report of a reached limit: its message, or the provider's error as JSON."""
    match = _REACHED.match(line)
    return (match is not None and _REST.match(line, match.end()) is not None) or _is_limit_error(line)


def _is_limit_error(line: str) -> bool:
    start = line.find("{")
    if start < 0 or "usage_limit_reached" not in line or not _BEFORE_JSON.fullmatch(line, 0, start):
        return False
    try:
        error = loads(line[start:].encode())
    except (ValueError, RecursionError):
        return False
    errors = (error, error.get("error")) if isinstance(error, dict) else ()
    return any(isinstance(value, dict) and value.get("type") == "usage_limit_reached" for value in errors)


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
        return epoch_ms(moment + TIME_RESOLUTION)
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
    """Return a time zone, null for the local one; raise ValueError or OSError for an unknown one.

    Windows has no zones by these names. There a name stands for the local zone, which is the one that an agent names.
    """
    if name is None:
        return None
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError as error:
        with suppress(ZoneInfoNotFoundError):
            ZoneInfo("UTC")
            raise ValueError(name) from error
        return None
