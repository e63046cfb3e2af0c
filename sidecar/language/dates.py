"""Days that a question names, in the words of a few languages or in figures. Pure."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from sidecar.core.lazy_regex import regex

DAY_MS = 86_400_000

_NAMES = (
    ("january", "janeiro", "enero", "janvier", "januar", "jan"),
    ("february", "fevereiro", "febrero", "février", "februar", "feb"),
    ("march", "março", "marzo", "mars", "märz", "mar"),
    ("april", "abril", "avril", "apr"),
    ("may", "maio", "mayo", "mai"),
    ("june", "junho", "junio", "juin", "juni", "jun"),
    ("july", "julho", "julio", "juillet", "juli", "jul"),
    ("august", "agosto", "août", "aug"),
    ("september", "setembro", "septiembre", "septembre", "sept"),
    ("october", "outubro", "octubre", "octobre", "oktober", "oct"),
    ("november", "novembro", "noviembre", "novembre", "nov"),
    ("december", "dezembro", "diciembre", "décembre", "dezember", "dec"),
)
_MONTH = {name: number for number, names in enumerate(_NAMES, 1) for name in names}
_ALSO_WORDS = frozenset(("may", "mar", "march", "mars", "janeiro"))
"""Names of months that are words of other meaning too: they count with a day or a year, or after a preposition."""

_ANY = "|".join(sorted(_MONTH, key=len, reverse=True))
_NAMED = regex(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th|\.|º)?,? (?:of |de )?)?\b({_ANY})\b\.?(?: (\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d|:))?"
    r"(?:,? (?:of |de )?((?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_FIGURES = regex(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_RELATIVE = regex(
    r"\b(?:(today|hoje|hoy|heute)|(yesterday|ontem|ayer|hier|gestern)|(?:(last|this|past) (week|month|year)))\b",
    re.IGNORECASE,
)
_BEFORE_MONTH = regex(r"\b(?:in|on|of|since|until|early|late|mid|em|en|im) \Z", re.IGNORECASE)


class Span(NamedTuple):
    """The days of a time that was named, both ends within; days since 1970-01-01."""

    first: int
    last: int
    is_day: bool
    """One day was named, and not more."""
    month_first: int
    month_last: int
    """The month of the day, or the same days."""


def spans_in(text: str, now_ms: int) -> tuple[Span, ...]:
    """Gives the times a text names, at most four; a month without a year is its latest that has begun.

    `last week` beside a date is that date's, not the asking day's, and says nothing more.
    """
    today = datetime.fromtimestamp(now_ms / 1000, UTC).date()
    found = dict.fromkeys((*_in_figures(text), *_by_name(text, today)))
    return tuple(found or dict.fromkeys(_relative(text, today)))[:4]


def _in_figures(text: str) -> Iterator[Span]:
    for year, month, day in _FIGURES.findall(text):
        yield from _span(int(year), int(month), int(day or 0))


def _by_name(text: str, today: date) -> Iterator[Span]:
    for match in _NAMED.finditer(text):
        before, name, after, year = match.groups()
        is_told = before or after or year or _BEFORE_MONTH.search(text[: match.start()])
        if name.lower() in _ALSO_WORDS and not is_told:
            continue
        month, day = _MONTH[name.lower()], int(before or after or 0)
        yield from _span(int(year) if year else _latest_year(month, day, today), month, day)


def _relative(text: str, today: date) -> Iterator[Span]:
    for is_today, is_yesterday, which, unit in _RELATIVE.findall(text):
        if is_today or is_yesterday:
            at = _number(today - timedelta(days=1 if is_yesterday else 0))
            yield _day(at)
        else:
            yield _unit(which.lower() != "this", unit.lower(), today)


def _unit(is_last: bool, unit: str, today: date) -> Span:
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + (7 if is_last else 0))
        return _days(_number(monday), _number(monday) + 6)
    if unit == "month":
        end = today.replace(day=1) - timedelta(days=1) if is_last else today
        return _days(_number(end.replace(day=1)), _number(end))
    year = today.year - (1 if is_last else 0)
    return _days(_number(date(year, 1, 1)), _number(date(year, 12, 31)))


def _span(year: int, month: int, day: int) -> Iterator[Span]:
    if not 1 <= month <= 12:
        return
    length = monthrange(year, month)[1]
    if 1 <= day <= length:
        at = _number(date(year, month, day))
        yield _day(at)
    elif day == 0:
        yield _days(_number(date(year, month, 1)), _number(date(year, month, length)))


def _latest_year(month: int, day: int, today: date) -> int:
    return today.year if (month, max(day, 1)) <= (today.month, today.day) else today.year - 1


def _number(day: date) -> int:
    return day.toordinal() - date(1970, 1, 1).toordinal()


def _day(at: int) -> Span:
    first = (date(1970, 1, 1) + timedelta(days=at)).replace(day=1)
    return Span(at, at, True, _number(first), _number(first) + monthrange(first.year, first.month)[1] - 1)


def _days(first: int, last: int) -> Span:
    return Span(first, last, False, first, last)
