"""Which hunks of a file's difference a session receives: those new to it, the most relevant first. Pure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase import Hunk, count_terms, follows, head_of, hunks_of, query_terms
from sidecar.core.secrets.redact import may_span_lines, redact_lines
from sidecar.core.text.sanitize import clean, size
from sidecar.runs import keys

LINE_CHARACTERS = 240
"""Maximum characters shown of a line."""

HUNK_HEADER_BYTES = 40
"""Estimated bytes of a hunk header, before it is known which hunks are adjacent."""

MAX_CHANGED_PLACES = 8


class RenderedDiff(NamedTuple):
    """A rendered difference."""

    lines: tuple[str, ...]
    bytes: int
    """UTF-8 bytes of the lines with their ends."""
    hunks: tuple[keys.SentHunk, ...]
    """What the session knows of the current difference once it has these lines."""
    has_known: bool
    """Whether the session knew some of the difference before."""
    has_new: bool
    """Whether anything in it is new to the session, if only that something is gone."""


@lru_cache(maxsize=96)
def render_diff(text: str, sent: tuple[keys.SentHunk, ...], query: str, limit_bytes: int) -> RenderedDiff:
    """Render a difference for a session that has `sent`; cut between hunks, inside a hunk only if none fits.

    Each hunk is known, or shown, or counted in a last line. A hunk that was shown and has changed since is named by its
    location, unless its replacement is shown.
    """
    hunks = hunks_of(text)
    known = _known_hunks(hunks, sent)
    new_numbers = [number for number in range(len(hunks)) if number not in known]
    lines = sanitized_lines(text)
    shown = _choose_hunks(hunks, lines, new_numbers, query, limit_bytes)
    body = list(_rendered(hunks, lines, shown))
    if new_numbers and not shown:
        shown, body = _clipped_hunk(hunks, lines, new_numbers[0], limit_bytes)
    left = _line_count(text) - len(body) + sum(line.startswith("  @@ ") for line in body)
    left -= sum(len(hunks[number].lines) for number in known)
    if left > 0 and (body or sent):  # otherwise the counts of the whole file say it
        body.append(f"  … {left} more lines")
    changed_places = _changed_places(hunks, sent, shown)
    was_shown = {number for number, sent_hunk in known.items() if sent_hunk.is_shown} | set(shown)
    now = tuple(
        keys.SentHunk(hunk.mark, hunk.place, number in was_shown) for number, hunk in enumerate(hunks[: keys.MAX_HUNKS])
    )
    body += _changed_place_lines(changed_places)
    return RenderedDiff(
        tuple(body), sum(size(line) + 1 for line in body), now, bool(known), bool(new_numbers or changed_places)
    )


@lru_cache(maxsize=48)
def sanitized_lines(text: str) -> tuple[tuple[str, ...], ...]:
    """Return each hunk's lines, safe to show: secrets are matched in the text without diff signs, across hunks."""
    hunks = hunks_of(text)
    raw = [line for hunk in hunks for line in hunk.lines]
    masked = "\n".join(line[1:] for line in raw)
    if may_span_lines(masked):  # a key of many lines; each line must keep its position
        masked = redact_lines(masked)
    safe = clean(masked).split("\n")
    if len(safe) != len(raw):  # something spanning a line end was removed
        safe = [clean(line).replace("\n", " ") for line in masked.split("\n")]
    rendered = iter(_clip(f"  {line[0]}{text}") for line, text in zip(raw, safe, strict=True))
    return tuple(tuple(next(rendered) for _ in hunk.lines) for hunk in hunks)


def _clip(text: str) -> str:
    return text if len(text) <= LINE_CHARACTERS else text[: LINE_CHARACTERS - 1] + "…"


def _known_hunks(hunks: Sequence[Hunk], sent: Sequence[keys.SentHunk]) -> dict[int, keys.SentHunk]:
    """Hunks that were sent before, in the same order: a hunk that moved before another counts as new."""
    numbers = {sent_hunk.mark: number for number, sent_hunk in enumerate(sent)}
    known, last = {}, -1
    for number, hunk in enumerate(hunks):
        at = numbers.get(hunk.mark, -1)
        if at > last:
            known[number] = sent[at]
            last = at
    return known


def _choose_hunks(
    hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], new_numbers: Sequence[int], query: str, limit_bytes: int
) -> list[int]:
    """The hunks that fit: all, or those that match most of the request's words, then the first ones; in their order."""
    costs = {number: sum(size(line) + 1 for line in lines[number]) for number in new_numbers}
    if sum(costs.values()) + HUNK_HEADER_BYTES * len(list(_adjacent_runs(hunks, new_numbers))) <= limit_bytes:
        return list(new_numbers)
    terms = frozenset(query_terms(query))
    left = limit_bytes - HUNK_HEADER_BYTES
    chosen = []
    for number in sorted(new_numbers, key=lambda number: _relevance(hunks[number], terms), reverse=True):
        cost = costs[number] + HUNK_HEADER_BYTES
        if cost <= left:
            left -= cost
            chosen.append(number)
    return sorted(chosen)


def _relevance(hunk: Hunk, terms: frozenset[str]) -> tuple[int, bool]:
    """The number of the request's words in the changed lines, and whether anything was added."""
    differing = " ".join(line[1:] for line in hunk.lines if line[0] != " " or not hunk.old)
    words = len(terms & count_terms(f"{differing} {hunk.name}").keys()) if terms else 0
    return words, any(line[0] == "+" for line in hunk.lines)


def _rendered(hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], shown: Sequence[int]) -> Iterator[str]:
    for run in _adjacent_runs(hunks, shown):
        yield _header_line(hunks[run[0]], hunks[run[-1]])
        for number in run:
            yield from lines[number]


def _header_line(first: Hunk, last: Hunk) -> str:
    return _clip(f"  {clean(head_of(first, last))}")


def _adjacent_runs(hunks: Sequence[Hunk], numbers: Sequence[int]) -> Iterator[list[int]]:
    """Group adjacent hunks: they are shown under one header."""
    run: list[int] = []
    for number in numbers:
        if run and not (run[-1] == number - 1 and follows(hunks[run[-1]], hunks[number])):
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _clipped_hunk(
    hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], number: int, limit_bytes: int
) -> tuple[list[int], list[str]]:
    """The beginning of a hunk that does not fit as a whole; empty where not even a line fits."""
    body = [_header_line(hunks[number], hunks[number])]
    left = limit_bytes - size(body[0]) - HUNK_HEADER_BYTES
    for line in lines[number]:
        left -= size(line) + 1
        if left < 0:
            break
        body.append(line)
    return ([number], body) if len(body) > 1 else ([], [])


def _changed_places(hunks: Sequence[Hunk], sent: Sequence[keys.SentHunk], shown: Sequence[int]) -> list[str]:
    """Locations of hunks that were shown and have changed since, unless a shown hunk covers the location."""
    present = {hunk.mark for hunk in hunks}
    places = [sent_hunk.place for sent_hunk in sent if sent_hunk.is_shown and sent_hunk.mark not in present]
    return [place for place in places if not any(_covers(hunks[number], place) for number in shown)]


def _covers(hunk: Hunk, place: str) -> bool:
    old, _, new = place.rpartition("+")
    if not hunk.new <= int(new) < hunk.new + max(1, hunk.new_lines):
        return False
    return not old or hunk.old <= -int(old) < hunk.old + max(1, hunk.old_lines)


def _changed_place_lines(places: Sequence[str]) -> list[str]:
    if not places:
        return []
    more = f" and {len(places) - MAX_CHANGED_PLACES} more" if len(places) > MAX_CHANGED_PLACES else ""
    named = ", ".join(f"@@ {place.replace('+', ' +').lstrip()}" for place in places[:MAX_CHANGED_PLACES])
    return [f"  changed since sent: {named}{more}"]


def _line_count(text: str) -> int:
    """The number of lines of a difference without headers, including those beyond the size limit."""
    return text.count("\n") - text.count("\n@@ ") - text.startswith("@@ ") + (text[-1:] not in ("", "\n"))
