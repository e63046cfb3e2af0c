"""Parses source text with tree-sitter and runs a language's query, within a time limit. Loaded when first needed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.codebase.summary.languages import Grammar
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
_QUERIED_BYTES = 1_024
_MATCH_LIMIT = 20_000
_QUERIES = Path(__file__).parent / "queries"
_LOADED: set[Grammar] = set()
_REFERENCES = b";; references"

Captures = dict[str, "list[tree_sitter.Node]"]


class Loaded(NamedTuple):
    """A grammar with its compiled query; used by any thread."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    structure: int
    """How many of the query's patterns, its first ones, are about structure; the others find references."""


class Parsed(NamedTuple):
    """A parsed text; let it go once it is read: trees take a hundred times the text's room."""

    source: bytes
    root: tree_sitter.Node
    matches: list[Captures]
    references: list[tree_sitter.Node]


@cache
def load(grammar: Grammar) -> Loaded:
    """Loads a grammar and compiles its query, once: up to half a second. Raises ImportError or ValueError."""
    from tree_sitter import Language, Query

    pointer: object = getattr(import_module(grammar.module), grammar.function)()
    language = Language(pointer)
    text = b"\n".join((_QUERIES / f"{name}.scm").read_bytes() for name in (grammar.query, grammar.more) if name)
    query = Query(language, text.decode())
    references_at = text.index(_REFERENCES)
    structure = sum(query.start_byte_for_pattern(at) < references_at for at in range(query.pattern_count))
    _LOADED.add(grammar)
    return Loaded(language, query, structure)


def is_loaded(grammar: Grammar) -> bool:
    """Says whether a grammar can be used at once."""
    return grammar in _LOADED


def parse(grammar: Grammar, text: str) -> Parsed | None:
    """Parses a text and runs the query; None for what would take too long."""
    if not _is_tame(text):
        return None
    from tree_sitter import Parser, QueryCursor

    loaded = load(grammar)
    source = text.encode()
    with closing(_Pieces(source)) as pieces:
        tree = _tree(Parser(loaded.language), source, pieces)
    if tree is None:
        return None
    # One walk over the tree for everything: the walk is most of what a query costs.
    # The library's progress callback of queries crashes the process (0.26.1); the match limit bounds them.
    found = QueryCursor(loaded.query, match_limit=_MATCH_LIMIT).matches(tree.root_node)
    matches = [captures for pattern, captures in found if pattern < loaded.structure]
    references = [captures["reference"][0] for pattern, captures in found if pattern >= loaded.structure]
    return Parsed(source, tree.root_node, matches, references)


class _Pieces:
    """A text as the parser asks for it, piece by piece.

    The library never lets go of a piece it was given (0.26.1), so each is a view that is taken from it in the end;
    pieces of up to one byte are the interpreter's own. A query takes only bytes.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._given: list[memoryview] = []
        self._is_parsed = False

    def __call__(self, at: int, _: object) -> bytes | memoryview:
        if self._is_parsed or at + 1 >= len(self._source):
            return self._source[at : at + _QUERIED_BYTES]
        view = memoryview(self._source)[at:]
        self._given.append(view)
        return view

    def close(self) -> None:
        """Takes back what was given to the parser."""
        self._is_parsed = True
        for view in self._given:
            view.release()


def _tree(parser: tree_sitter.Parser, source: bytes, pieces: _Pieces) -> tree_sitter.Tree | None:
    """Parses within the time limit; a small text needs none, and being asked all the time costs a tenth.

    A tree made of pieces asks for its text in pieces again, which doubles a query's time; one that is sound is taken
    over by a tree that has its text, at a twentieth of the cost of parsing.
    """
    if len(source) <= _SMALL_BYTES:
        return parser.parse(source)
    is_late = _deadline()
    try:
        tree = parser.parse(pieces, progress_callback=lambda *_: is_late())
    except ValueError:  # how the library says that it was stopped
        return None
    return tree if tree.root_node.has_error else parser.parse(source, old_tree=tree)


def _is_tame(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
    return all(text.count(opened) - text.count(closed) <= MAX_UNCLOSED for opened, closed in pairs)


def _deadline() -> Callable[[], bool]:
    clock = SystemClock()
    give_up_at = clock.monotonic_ms() + PARSE_MS
    return lambda: clock.monotonic_ms() > give_up_at
