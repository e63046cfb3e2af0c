"""How much a prompt's words point at a definition. Pure."""

from functools import lru_cache

from sidecar.codebase import Definition, Summary, chunk_lines, count_terms

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
