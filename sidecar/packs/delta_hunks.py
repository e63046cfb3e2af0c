"""What a session is told of one file's difference: the hunks that are news to it, the most relevant first. Pure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase import Hunk, count_terms, follows, head_of, hunks_of, query_terms
from sidecar.core.secrets.redact import is_known_by_lines, redact_lines
from sidecar.core.text.sanitize import clean, size
from sidecar.runs import keys

LINE_CHARACTERS = 240
"""How much of a line is shown."""

HEAD_BYTES = 40
"""What the head of a hunk is taken to cost before it is known which hunks stand together."""

MAX_GONE = 8


class Telling(NamedTuple):
    """What is told of a file's difference."""

    lines: tuple[str, ...]
    bytes: int
    """UTF-8 bytes of the lines with their ends."""
    hunks: tuple[keys.SentHunk, ...]
    """What the session knows of the present difference once it has these lines."""
    knew: bool
    """Whether the session knew some of the difference before."""
    is_news: bool
    """Whether there is anything in it that the session does not know, if only that something is gone."""


@lru_cache(maxsize=96)
def telling(text: str, told: tuple[keys.SentHunk, ...], query: str, limit_bytes: int) -> Telling:
    """Tells a difference to a session that knows `told`; cuts between hunks, inside of one only if none fits.

    Each hunk of the difference is known, or shown, or counted in a last line; each that was shown and is no more as it
    was is named by its place, unless what stands there now is shown.
    """
    hunks = hunks_of(text)
    known = _known(hunks, told)
    news = [number for number in range(len(hunks)) if number not in known]
    lines = safe_lines(text)
    shown = _chosen(hunks, lines, news, query, limit_bytes)
    body = list(_rendered(hunks, lines, shown))
    if news and not shown:
        shown, body = _cut(hunks, lines, news[0], limit_bytes)
    left = _line_count(text) - len(body) + sum(line.startswith("  @@ ") for line in body)
    left -= sum(len(hunks[number].lines) for number in known)
    if left > 0 and (body or told):  # else the counts of the whole file say it
        body.append(f"  … {left} more lines")
    gone = _gone(hunks, told, shown)
    was_shown = {number for number, one in known.items() if one.is_shown} | set(shown)
    now = tuple(
        keys.SentHunk(hunk.mark, hunk.place, number in was_shown) for number, hunk in enumerate(hunks[: keys.MAX_HUNKS])
    )
    body += _gone_lines(gone)
    return Telling(tuple(body), sum(size(line) + 1 for line in body), now, bool(known), bool(news or gone))


@lru_cache(maxsize=48)
def safe_lines(text: str) -> tuple[tuple[str, ...], ...]:
    """Gives each hunk's lines fit to be shown: secrets are looked for in the text without its signs, across hunks."""
    hunks = hunks_of(text)
    raw = [line for hunk in hunks for line in hunk.lines]
    masked = "\n".join(line[1:] for line in raw)
    if is_known_by_lines(masked):  # a key of many lines, each of which has to stay where it is
        masked = redact_lines(masked)
    safe = clean(masked).split("\n")
    if len(safe) != len(raw):  # something was taken out that went over a line's end
        safe = [clean(line).replace("\n", " ") for line in masked.split("\n")]
    rendered = iter(_line(f"  {line[0]}{text}") for line, text in zip(raw, safe, strict=True))
    return tuple(tuple(next(rendered) for _ in hunk.lines) for hunk in hunks)


def _line(text: str) -> str:
    return text if len(text) <= LINE_CHARACTERS else text[: LINE_CHARACTERS - 1] + "…"


def _known(hunks: Sequence[Hunk], told: Sequence[keys.SentHunk]) -> dict[int, keys.SentHunk]:
    """Which hunks were told before, in this order: one that came to stand before another is news."""
    numbers = {one.mark: number for number, one in enumerate(told)}
    known, last = {}, -1
    for number, hunk in enumerate(hunks):
        at = numbers.get(hunk.mark, -1)
        if at > last:
            known[number] = told[at]
            last = at
    return known


def _chosen(
    hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], news: Sequence[int], query: str, limit_bytes: int
) -> list[int]:
    """The hunks that fit: all, or those that have most of the request's words, then the first ones; in their order."""
    costs = {number: sum(size(line) + 1 for line in lines[number]) for number in news}
    if sum(costs.values()) + HEAD_BYTES * len(list(_runs(hunks, news))) <= limit_bytes:
        return list(news)
    terms = frozenset(query_terms(query))
    left = limit_bytes - HEAD_BYTES
    chosen = []
    for number in sorted(news, key=lambda number: _relevance(hunks[number], terms), reverse=True):
        cost = costs[number] + HEAD_BYTES
        if cost <= left:
            left -= cost
            chosen.append(number)
    return sorted(chosen)


def _relevance(hunk: Hunk, terms: frozenset[str]) -> tuple[int, bool]:
    """How many of the request's words stand in the lines that differ; and whether something is there that was not."""
    differing = " ".join(line[1:] for line in hunk.lines if line[0] != " " or not hunk.old)
    words = len(terms & count_terms(f"{differing} {hunk.name}").keys()) if terms else 0
    return words, any(line[0] == "+" for line in hunk.lines)


def _rendered(hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], shown: Sequence[int]) -> Iterator[str]:
    for run in _runs(hunks, shown):
        yield _head(hunks[run[0]], hunks[run[-1]])
        for number in run:
            yield from lines[number]


def _head(first: Hunk, last: Hunk) -> str:
    return _line(f"  {clean(head_of(first, last))}")


def _runs(hunks: Sequence[Hunk], numbers: Sequence[int]) -> Iterator[list[int]]:
    """Puts hunks together that follow one another without a gap: they are shown under one head."""
    run: list[int] = []
    for number in numbers:
        if run and not (run[-1] == number - 1 and follows(hunks[run[-1]], hunks[number])):
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _cut(
    hunks: Sequence[Hunk], lines: Sequence[Sequence[str]], number: int, limit_bytes: int
) -> tuple[list[int], list[str]]:
    """The beginning of a hunk that does not fit as a whole; nothing where not even a line does."""
    body = [_head(hunks[number], hunks[number])]
    left = limit_bytes - size(body[0]) - HEAD_BYTES
    for line in lines[number]:
        left -= size(line) + 1
        if left < 0:
            break
        body.append(line)
    return ([number], body) if len(body) > 1 else ([], [])


def _gone(hunks: Sequence[Hunk], told: Sequence[keys.SentHunk], shown: Sequence[int]) -> list[str]:
    """The places of what was shown and is not as it was, unless the place is among those that are shown now."""
    present = {hunk.mark for hunk in hunks}
    places = [one.place for one in told if one.is_shown and one.mark not in present]
    return [place for place in places if not any(_covers(hunks[number], place) for number in shown)]


def _covers(hunk: Hunk, place: str) -> bool:
    old, _, new = place.rpartition("+")
    if not hunk.new <= int(new) < hunk.new + max(1, hunk.new_lines):
        return False
    return not old or hunk.old <= -int(old) < hunk.old + max(1, hunk.old_lines)


def _gone_lines(places: Sequence[str]) -> list[str]:
    if not places:
        return []
    more = f" and {len(places) - MAX_GONE} more" if len(places) > MAX_GONE else ""
    named = ", ".join(f"@@ {place.replace('+', ' +').lstrip()}" for place in places[:MAX_GONE])
    return [f"  no longer as told: {named}{more}"]


def _line_count(text: str) -> int:
    """How many lines a difference has, heads left out, also beyond what is looked at."""
    return text.count("\n") - text.count("\n@@ ") - text.startswith("@@ ") + (text[-1:] not in ("", "\n"))
