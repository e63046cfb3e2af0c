"""How much a prompt's words point at a definition. Pure."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from sidecar.codebase import Definition, Summary, chunk_lines, count_terms
from sidecar.core.secrets.redact import is_known_by_lines, redact_lines
from sidecar.core.text.sanitize import line_of_code

NAME_INTEREST, LINES_INTEREST = 3.0, 1.5
"""What a word in a definition's name, and all words in its lines, count beside one in its signature."""

INTERESTING = 1.0
"""A definition of less interest is told by its name alone."""


def interest(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """How much the prompt's words point at a definition: by its name, its signature, and the lines it stands in."""
    named = terms & terms_in(f"{definition.name} {definition.container}")
    said = terms & terms_in(definition.signature)
    return NAME_INTEREST * len(named) + len(said - named) + LINES_INTEREST * _coverage(definition, summary, terms)


@lru_cache(maxsize=4_096)
def terms_in(text: str) -> frozenset[str]:
    """The terms of a name or signature; after an edit all but a few are those of the call before."""
    return frozenset(count_terms(text))


def _coverage(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """Share of the prompt's terms that stand in the chunks a definition lies in."""
    if not terms or not summary.chunks:
        return 0.0
    step = chunk_lines(summary.lines)
    first, last = (definition.line - 1) // step, (max(definition.line, definition.end_line) - 1) // step
    held = set[str]().union(*summary.chunks[first : last + 1])
    return len(held & terms) / len(terms)


# The few lines of a file that hold most of what a prompt says. Pure.


PASSAGE_LINES = 4
MOST_LINES = 120
"""Lines that are looked through."""

PASSAGE_CHARACTERS = 100
LEAST_TERMS = 2
"""Lines that hold fewer of a prompt's terms than this show nothing that the file's path and names do not."""

Passage = tuple[tuple[int, str], ...]
"""Line numbers, counted from 1, and lines."""


def passage_of(text: str, summary: Summary, terms: Sequence[str]) -> Passage:
    """Gives the lines that hold most terms, which come rarest first; nothing where they stand nowhere together.

    They are of the definition the terms point at most, else of the part of the file the terms stand in most.
    """
    weights = {term: 1 / (2 + at) for at, term in enumerate(terms)}
    if not summary.chunks or len(weights) < LEAST_TERMS:
        return ()
    first, end = _inside_definition(summary, frozenset(weights)) or _inside_chunk(summary, weights)
    if is_known_by_lines(text):
        text = redact_lines(text)  # a line of a key does not tell what it is
    lines = [line.rstrip("\r") for line in text.split("\n")[first : min(end, first + MOST_LINES)]]
    start, found = _densest([weights.keys() & _terms(line, weights) for line in lines], weights)
    if found < LEAST_TERMS:
        return ()
    return tuple(
        (first + number + 1, shown)
        for number in range(start, min(start + PASSAGE_LINES, len(lines)))
        if (shown := line_of_code(lines[number], PASSAGE_CHARACTERS)).strip()
    )


def _inside_definition(summary: Summary, terms: frozenset[str]) -> tuple[int, int] | None:
    """The lines of the definition whose name the terms point at, if there is one; from 0, the end not included."""
    ranked = (
        (-interest(one, summary, terms), one.line, one.end_line)
        for one in summary.definitions
        if one.end_line > one.line and one.end_line - one.line <= MOST_LINES
    )
    best, line, end_line = min(ranked, default=(0.0, 0, 0))
    return (line - 1, end_line) if -best >= 2 * NAME_INTEREST else None


def _inside_chunk(summary: Summary, weights: Mapping[str, float]) -> tuple[int, int]:
    held = [sum(weights.get(term, 0.0) for term in chunk) for chunk in summary.chunks]
    step = chunk_lines(summary.lines)
    first = held.index(max(held)) * step
    return first, first + step


def _terms(line: str, weights: Collection[str]) -> Collection[str]:
    """A line's terms; most lines hold no beginning of any and need not be taken apart."""
    folded = line.casefold()
    return count_terms(line) if any(term[:4] in folded for term in weights) else ()


def _densest(held: Sequence[Collection[str]], weights: Mapping[str, float]) -> tuple[int, int]:
    """Gives where the best run of lines begins, at a line that holds a term, and how many terms it holds."""
    best, start, found = 0.0, 0, 0
    for number, own in enumerate(held):
        if own:
            inside = set(own).union(*held[number : number + PASSAGE_LINES])
            score = sum(weights[term] for term in sorted(inside))
            if score > best:
                best, start, found = score, number, len(inside)
    return start, found
