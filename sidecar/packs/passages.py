"""The few lines of a file that match most of a prompt, and how well a definition matches. Pure."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from sidecar.codebase import Definition, Summary, chunk_lines, count_terms
from sidecar.core.secrets.redact import may_span_lines, redact_lines
from sidecar.core.text.sanitize import line_of_code

NAME_WEIGHT, LINES_WEIGHT = 3.0, 1.5
"""Weight of a word in a definition's name, and of all words in its lines, relative to one in its signature."""

MIN_MATCH = 1.0
"""A definition with a weaker match is shown by name alone."""


def definition_match(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """Return how well a definition matches the prompt's terms: by its name, its signature, and its lines."""
    named = terms & terms_in(f"{definition.name} {definition.container}")
    in_signature = terms & terms_in(definition.signature)
    return NAME_WEIGHT * len(named) + len(in_signature - named) + LINES_WEIGHT * _coverage(definition, summary, terms)


@lru_cache(maxsize=4_096)
def terms_in(text: str) -> frozenset[str]:
    """The terms of a name or signature; after an edit nearly all are the same as in the previous call."""
    return frozenset(count_terms(text))


def _coverage(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """Share of the prompt's terms that occur in the chunks of a definition."""
    if not terms or not summary.chunks:
        return 0.0
    step = chunk_lines(summary.lines)
    first, last = (definition.line - 1) // step, (max(definition.line, definition.end_line) - 1) // step
    chunk_terms = set[str]().union(*summary.chunks[first : last + 1])
    return len(chunk_terms & terms) / len(terms)


# The passage of a file.


PASSAGE_LINES = 4
MAX_LINES = 120
"""Maximum number of lines that are searched."""

PASSAGE_CHARACTERS = 100
MIN_TERMS = 2
"""Lines with fewer of a prompt's terms add nothing to the file's path and names."""

Passage = tuple[tuple[int, str], ...]
"""Line numbers, counted from 1, and lines."""


def passage_of(text: str, summary: Summary, terms: Sequence[str]) -> Passage:
    """Return the lines with most of the terms, which come rarest first; empty where no lines contain several.

    The lines come from the definition that matches best, else from the part of the file with most matches.
    """
    weights = {term: 1 / (2 + at) for at, term in enumerate(terms)}
    if not summary.chunks or len(weights) < MIN_TERMS:
        return ()
    first, end = _inside_definition(summary, frozenset(weights)) or _inside_chunk(summary, weights)
    if may_span_lines(text):
        text = redact_lines(text)  # a single line of a key cannot be recognized
    lines = [line.rstrip("\r") for line in text.split("\n")[first : min(end, first + MAX_LINES)]]
    start, term_count = _densest([weights.keys() & _terms(line, weights) for line in lines], weights)
    if term_count < MIN_TERMS:
        return ()
    return tuple(
        (first + number + 1, shown)
        for number in range(start, min(start + PASSAGE_LINES, len(lines)))
        if (shown := line_of_code(lines[number], PASSAGE_CHARACTERS)).strip()
    )


def _inside_definition(summary: Summary, terms: frozenset[str]) -> tuple[int, int] | None:
    """The lines of the definition whose name the terms match, if there is one; from 0, end exclusive."""
    ranked = (
        (-definition_match(definition, summary, terms), definition.line, definition.end_line)
        for definition in summary.definitions
        if definition.end_line > definition.line and definition.end_line - definition.line <= MAX_LINES
    )
    best, line, end_line = min(ranked, default=(0.0, 0, 0))
    return (line - 1, end_line) if -best >= 2 * NAME_WEIGHT else None


def _inside_chunk(summary: Summary, weights: Mapping[str, float]) -> tuple[int, int]:
    weights_by_chunk = [sum(weights.get(term, 0.0) for term in chunk) for chunk in summary.chunks]
    step = chunk_lines(summary.lines)
    first = weights_by_chunk.index(max(weights_by_chunk)) * step
    return first, first + step


def _terms(line: str, weights: Collection[str]) -> Collection[str]:
    """A line's terms; most lines contain no prefix of any term and need no parsing."""
    folded = line.casefold()
    return count_terms(line) if any(term[:4] in folded for term in weights) else ()


def _densest(terms_by_line: Sequence[Collection[str]], weights: Mapping[str, float]) -> tuple[int, int]:
    """Return where the best run of lines begins, at a line with a term, and how many terms it contains."""
    best, start, term_count = 0.0, 0, 0
    for number, line_terms in enumerate(terms_by_line):
        if line_terms:
            inside = set(line_terms).union(*terms_by_line[number : number + PASSAGE_LINES])
            score = sum(weights[term] for term in sorted(inside))
            if score > best:
                best, start, term_count = score, number, len(inside)
    return start, term_count
