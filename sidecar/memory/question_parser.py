"""Parse a query about memories: the dates it names, its terms and their weights, the answer it wants. Pure.

Dates are in numbers, or in words of several languages.
"""

import math
import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import IntFlag
from itertools import pairwise
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import inverse_frequency
from sidecar.memory.indexed_text import terms_without_question_words

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


MAX_TERMS = 32
"""Longer texts are cut to their first terms: a task states its subject before its details."""


class AnswerKind(IntFlag):
    """Kinds of answer."""

    MOMENT = 1
    NUMBER = 2
    NAME = 4
    TITLE = 8
    CAUSE = 16
    PLACE = 32


class MemoryQuery(NamedTuple):
    """A query's terms, adjacent term pairs, named times, and kinds of answer."""

    terms: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    spans: tuple[Span, ...]
    answer_kinds: AnswerKind


_KINDS = (
    (AnswerKind.MOMENT, r"\b(?:when|what (?:date|day|month|year|time)|how long|since when|quando|cuándo|quand|wann)\b"),
    (AnswerKind.NUMBER, r"\b(?:how (?:many|much|often|long)|quant[oa]s?|cuánt[oa]s?|combien|wie viele?)\b"),
    (AnswerKind.NAME, r"\b(?:who|whom|whose|name|where|which|title|quem|quién|qui|wer|welche\w*)\b"),
    (AnswerKind.TITLE, r"\b(?:books?|movies?|songs?|games?|called|names?|commands?|flags?|options?|settings?)\b"),
    (AnswerKind.CAUSE, r"\b(?:why|reasons?|motivat\w*|inspire\w*|por que|por qué|pourquoi|warum)\b"),
    (AnswerKind.PLACE, r"\b(?:where|which (?:city|country|folder|file)|what (?:city|country)|onde|dónde|où|wo)\b"),
)
_PATTERNS = tuple((kind, lazy_regex(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)


def parse_memory_query(text: str, now_ms: int) -> MemoryQuery:
    """Parse a query; `now_ms` is the reference for `yesterday`."""
    terms = terms_without_question_words(text)[:MAX_TERMS]
    answer_kinds = AnswerKind(0)
    for kind, pattern in _PATTERNS:
        if pattern.search(text) is not None:
            answer_kinds |= kind
    return MemoryQuery(terms, frozenset(pairwise(terms)), date_spans(text, now_ms), answer_kinds)


def without_terms(query: MemoryQuery, terms: frozenset[str]) -> MemoryQuery:
    """Remove terms, the names of the people asked about, unless nothing would remain."""
    remaining = tuple(term for term in query.terms if term not in terms)
    return query._replace(terms=remaining, pairs=frozenset(pairwise(remaining))) if remaining else query


MIN_FORM_LETTERS = 4
"""Words with a shorter common prefix do not count as forms of each other."""
MIN_SIMILARITY = 0.7
"""Minimum share of a term's letters in the common prefix."""
MAX_FORMS = 16
"""Maximum number of word forms, the most similar; each costs full-text search as much as a term."""


class TermWeights(NamedTuple):
    """Statistics of a query's terms over the memories within reach."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    """Inverse document frequency (natural logarithm)."""
    total: float
    """Sum of the weights; 1 if there are none."""
    average: float
    """Average terms per entry."""
    places: Mapping[str, int]
    """Term → its index in `terms`."""
    forms: Mapping[str, tuple[tuple[int, float], ...]]
    """Word form → the term's index and the credit of the match, below 1."""
    search_terms: frozenset[str]
    """The terms and their forms."""


def weigh_terms(
    terms: tuple[str, ...], document_frequency: Mapping[str, int], words: Iterable[str], entries: int, total_words: int
) -> TermWeights:
    """Weigh terms by document frequency; `words` are the indexed words that share a prefix with a term."""
    holding = [document_frequency.get(term, 0) for term in terms]
    weights = tuple(inverse_frequency(number, max(entries, number)) for number in holding)
    places = {term: place for place, term in enumerate(terms)}
    forms: dict[str, list[tuple[int, float]]] = {}
    prefixes = [(place, term, prefix) for term, place in places.items() if (prefix := stem_prefix(term))]
    for word in sorted(set(words) - places.keys()):
        for place, term, prefix in prefixes:
            if word.startswith(prefix) and word.isalpha():
                forms.setdefault(word, []).append((place, _similarity(term, word, len(prefix))))
    likest = sorted(forms, key=lambda word: (-max(credit for _, credit in forms[word]), word))
    chosen_forms = {word: tuple(forms[word]) for word in likest[:MAX_FORMS]}
    average = total_words / entries if entries else 1.0
    search_terms = frozenset((*places, *chosen_forms))
    return TermWeights(
        terms=terms,
        weights=weights,
        total=sum(weights) or 1.0,
        average=average,
        places=places,
        forms=chosen_forms,
        search_terms=search_terms,
    )


def split_rarest(
    words: Iterable[str], document_frequency: Mapping[str, int], enough: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split words into the rarest, which together occur in `enough` entries, and the rest.

    An entry without a rare word cannot be among the best; the rest only orders those that have one.
    """
    rare: list[str] = []
    rest: list[str] = []
    matching = 0
    for word in sorted(words, key=lambda word: (document_frequency.get(word, 0), word)):
        (rare if matching < enough else rest).append(word)
        matching += document_frequency.get(word, 0)
    return tuple(rare), tuple(rest)


def stem_prefix(term: str) -> str:
    """Return the prefix shared by every form of a term; empty if only the term itself counts."""
    if len(term) < MIN_FORM_LETTERS or not term.isalpha():
        return ""
    return term[: max(MIN_FORM_LETTERS, len(term) - 3, math.ceil(MIN_SIMILARITY * len(term)))]


def _similarity(term: str, word: str, shared: int) -> float:
    """Return the share of letters in the common prefix, of which `shared` are known."""
    for left, right in zip(term[shared:], word[shared:], strict=False):
        if left != right:
            break
        shared += 1
    return shared / max(len(term), len(word))
