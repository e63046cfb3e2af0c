"""Parse dates in a query: in numbers, and in words of several languages. Pure."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex

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
"""Month names that are also other words: they count only with a day, a year, or after a preposition."""

_ANY = "|".join(sorted(_MONTH, key=len, reverse=True))
_NAMED = lazy_regex(
    rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th|\.|º)?,? (?:of |de )?)?\b({_ANY})\b\.?(?: (\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d|:))?"
    r"(?:,? (?:of |de )?((?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_FIGURES = lazy_regex(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_RELATIVE = lazy_regex(
    r"\b(?:(today|hoje|hoy|heute)|(yesterday|ontem|ayer|hier|gestern)|(?:(last|this|past) (week|month|year)))\b",
    re.IGNORECASE,
)
_BEFORE_MONTH = lazy_regex(r"\b(?:in|on|of|since|until|early|late|mid|em|en|im) \Z", re.IGNORECASE)


class Span(NamedTuple):
    """The days of a named time, inclusive; days since 1970-01-01."""

    first: int
    last: int
    is_day: bool
    """Whether exactly one day was named."""
    month_first: int
    month_last: int
    """Month of the day, or the same days."""


def date_spans(text: str, now_ms: int) -> tuple[Span, ...]:
    """Return the times a text names, at most four; a month without a year is its latest occurrence.

    `last week` beside a date is relative to that date and adds nothing.
    """
    today = datetime.fromtimestamp(now_ms / 1000, UTC).date()
    spans = dict.fromkeys((*_in_figures(text), *_by_name(text, today)))
    return tuple(spans or dict.fromkeys(_relative(text, today)))[:4]


def _in_figures(text: str) -> Iterator[Span]:
    for year, month, day in _FIGURES.findall(text):
        yield from _span(int(year), int(month), int(day or 0))


def _by_name(text: str, today: date) -> Iterator[Span]:
    for match in _NAMED.finditer(text):
        before, name, after, year = match.groups()
        is_explicit = before or after or year or _BEFORE_MONTH.search(text[: match.start()])
        if name.lower() in _ALSO_WORDS and not is_explicit:
            continue
        month, day = _MONTH[name.lower()], int(before or after or 0)
        yield from _span(int(year) if year else _latest_year(month, day, today), month, day)


def _relative(text: str, today: date) -> Iterator[Span]:
    for is_today, is_yesterday, which, unit in _RELATIVE.findall(text):
        if is_today or is_yesterday:
            day = _number(today - timedelta(days=1 if is_yesterday else 0))
            yield _day(day)
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
        number = _number(date(year, month, day))
        yield _day(number)
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
