"""Parses source text with tree-sitter and runs a language's queries, within a time limit. Loaded when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.codebase.languages import Grammar
from sidecar.core.clock import SystemClock

if TYPE_CHECKING:
    import tree_sitter

PARSE_MS = 1_000.0
"""A text that takes longer is read by patterns. Real files of 500 KB take a fifth of it."""

MAX_UNCLOSED = 500
"""So many more brackets opened than closed are no code; some grammars take minutes for them without a pause."""

MAX_LINE = 2_000
"""A longer line is minified or data."""

_SMALL_BYTES = 8 * 1024
_CHUNK_BYTES = 64 * 1024
_MATCH_LIMIT = 20_000
_QUERIES = Path(__file__).parent / "queries"
_REFERENCES = ";; references"

Captures = dict[str, "list[tree_sitter.Node]"]


class Loaded(NamedTuple):
    """A grammar with its compiled queries; used by any thread."""

    language: tree_sitter.Language
    structure: tree_sitter.Query
    references: tree_sitter.Query


class Parsed(NamedTuple):
    """A parsed text; let it go once it is read: trees take a hundred times the text's room."""

    source: bytes
    root: tree_sitter.Node
    matches: list[Captures]
    references: list[tree_sitter.Node]


@cache
def load(grammar: Grammar) -> Loaded:
    """Loads a grammar and compiles its queries, once: up to half a second. Raises ImportError or ValueError."""
    from tree_sitter import Language, Query

    pointer: object = getattr(import_module(grammar.module), grammar.function)()
    language = Language(pointer)
    structure, _, references = (_QUERIES / f"{grammar.query}.scm").read_text(encoding="utf-8").partition(_REFERENCES)
    return Loaded(language, Query(language, structure), Query(language, references))


def parse(grammar: Grammar, text: str) -> Parsed | None:
    """Parses a text and runs the queries; None for what would take too long."""
    if not _is_tame(text):
        return None
    from tree_sitter import Parser, QueryCursor

    loaded = load(grammar)
    source = text.encode()
    tree = _tree(Parser(loaded.language), source)
    if tree is None:
        return None
    structure, references = (
        QueryCursor(query, match_limit=_MATCH_LIMIT) for query in (loaded.structure, loaded.references)
    )
    # The library's progress callback of queries crashes the process (0.26.1); the match limit bounds them.
    matches = [captures for _, captures in structure.matches(tree.root_node)]
    found = references.captures(tree.root_node).get("reference", [])
    return Parsed(source, tree.root_node, matches, found)


def _tree(parser: tree_sitter.Parser, source: bytes) -> tree_sitter.Tree | None:
    """Parses within the time limit; a small text needs none, and being asked all the time costs a tenth."""
    if len(source) <= _SMALL_BYTES:
        return parser.parse(source)
    is_late = _deadline()
    try:
        return parser.parse(lambda at, _: source[at : at + _CHUNK_BYTES], progress_callback=lambda *_: is_late())
    except ValueError:  # how the library says that it was stopped
        return None


def _is_tame(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
    return all(text.count(opened) - text.count(closed) <= MAX_UNCLOSED for opened, closed in pairs)


def _deadline() -> Callable[[], bool]:
    clock = SystemClock()
    give_up_at = clock.monotonic_ms() + PARSE_MS
    return lambda: clock.monotonic_ms() > give_up_at
