"""Parses source text with tree-sitter and runs a language's query, within a time limit. Imports tree-sitter lazily."""

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
"""Time limit per text; beyond it line patterns are used. Real files of 500 KB take a fifth of it."""

MAX_UNCLOSED = 500
"""With more unclosed brackets than this a text is not code; some grammars take minutes for such texts without a pause.
"""

MAX_LINE_CHARACTERS = 2_000
"""Longer lines are minified code or data."""

_SMALL_BYTES = 8 * 1024
_QUERIED_BYTES = 1_024
_MATCH_LIMIT = 20_000
_QUERIES = Path(__file__).parent / "queries"
_LOADED: set[Grammar] = set()
_REFERENCES = b";; references"

Captures = dict[str, "list[tree_sitter.Node]"]


class Loaded(NamedTuple):
    """A grammar with its compiled query; usable by any thread."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    structure: int
    """Number of leading patterns of the query that match structure; the others match references."""


class Parsed(NamedTuple):
    """A parsed text; release it after use: a tree takes a hundred times the text's memory."""

    source: bytes
    root: tree_sitter.Node
    matches: list[Captures]
    references: list[tree_sitter.Node]


@cache
def load(grammar: Grammar) -> Loaded:
    """Load a grammar and compile its query, once: up to 0.5 s. Raise ImportError or ValueError."""
    from tree_sitter import Language, Query

    pointer: object = getattr(import_module(grammar.module), grammar.function)()
    language = Language(pointer)
    text = b"\n".join((_QUERIES / f"{name}.scm").read_bytes() for name in (grammar.query, grammar.more) if name)
    query = Query(language, text.decode())
    references_at = text.index(_REFERENCES)
    structure = sum(query.start_byte_for_pattern(position) < references_at for position in range(query.pattern_count))
    _LOADED.add(grammar)
    return Loaded(language, query, structure)


def is_loaded(grammar: Grammar) -> bool:
    """Whether a grammar is ready for use."""
    return grammar in _LOADED


def parse(grammar: Grammar, text: str) -> Parsed | None:
    """Parse a text and run the query; return None if it would take too long."""
    if not _is_parsable(text):
        return None
    from tree_sitter import Parser, QueryCursor

    loaded = load(grammar)
    source = text.encode()
    with closing(_Pieces(source)) as pieces:
        tree = _tree(Parser(loaded.language), source, pieces)
    if tree is None:
        return None
    # One traversal of the tree for everything: it is most of a query's cost. The progress callback of queries crashes
    # the process (tree-sitter 0.26.1); the match limit bounds them instead.
    matched = QueryCursor(loaded.query, match_limit=_MATCH_LIMIT).matches(tree.root_node)
    matches = [captures for pattern, captures in matched if pattern < loaded.structure]
    references = [captures["reference"][0] for pattern, captures in matched if pattern >= loaded.structure]
    return Parsed(source, tree.root_node, matches, references)


class _Pieces:
    """The parser's callback for reading a text in pieces.

    The library never releases a piece it was given (0.26.1), so each is a memoryview that is released at the end;
    pieces of up to one byte belong to the interpreter. A query accepts only bytes.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._views: list[memoryview] = []
        self._is_parsed = False

    def __call__(self, position: int, _: object) -> bytes | memoryview:
        if self._is_parsed or position + 1 >= len(self._source):
            return self._source[position : position + _QUERIED_BYTES]
        view = memoryview(self._source)[position:]
        self._views.append(view)
        return view

    def close(self) -> None:
        """Release the views given to the parser."""
        self._is_parsed = True
        for view in self._views:
            view.release()


def _tree(parser: tree_sitter.Parser, source: bytes, pieces: _Pieces) -> tree_sitter.Tree | None:
    """Parse within the time limit; a small text needs none, and the callback costs a tenth of the time.

    A tree made from pieces requests its text in pieces again, which doubles a query's time; a sound one is therefore
    reparsed from the whole text, at a twentieth of the cost of parsing.
    """
    if len(source) <= _SMALL_BYTES:
        return parser.parse(source)
    is_overdue = _deadline()
    try:
        tree = parser.parse(pieces, progress_callback=lambda *_: is_overdue())
    except ValueError:  # how the library reports cancellation
        return None
    return tree if tree.root_node.has_error else parser.parse(source, old_tree=tree)


def _is_parsable(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
    return all(text.count(opened) - text.count(closed) <= MAX_UNCLOSED for opened, closed in pairs)


def _deadline() -> Callable[[], bool]:
    clock = SystemClock()
    give_up_at = clock.monotonic_ms() + PARSE_MS
    return lambda: clock.monotonic_ms() > give_up_at
