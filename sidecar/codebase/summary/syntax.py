"""Parse a source text with tree-sitter, within a time limit; its definitions, invariants, imports and references.

Also the module names of import statements. Imports tree-sitter lazily.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.codebase.summary import invariants
from sidecar.codebase.summary.languages import (
    MAX_DEFINITIONS,
    MAX_NAME,
    Container,
    DefinitionHead,
    is_public,
    normalize_signature,
)
from sidecar.codebase.summary.model import Definition, Grammar, Invariant
from sidecar.codebase.summary.pattern_languages import MAX_IMPORTS
from sidecar.core.clock import SystemClock
from sidecar.core.lazy_regex import lazy_regex

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


MAX_SPECIFIER = 200

_QUOTED = lazy_regex(r"[\"'`<]([^\"'`<>\n]{1,200})[\"'`>]")
_FROM = lazy_regex(r"from\s++(\.*+)\s*+((?:(?!import\b)[\w.]++)?)\s*+\bimport\s++(.*)", re.DOTALL)
_USE = lazy_regex(r"(?s)^(?:pub\s*+(?:\([^)]*\)\s*+)?)?(use|mod|extern\s++crate)\s++(.*)")
_COMMENT = lazy_regex(r"#[^\n]*|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_AS = lazy_regex(r"(?<!\s)\s++as\s+\w+")
_PHP_USE = lazy_regex(r"^use\s++(?:(?:function|const)\s++)?")


def module_specifiers(language: str, statement: str) -> Iterator[str]:
    """Yield the modules that one import statement names, as the language writes them."""
    read = _READERS.get(language, _quoted)
    for results in read(statement):
        if results:
            yield results[:MAX_SPECIFIER]


def _quoted(statement: str) -> Iterator[str]:
    yield from (match[1].strip() for match in _QUOTED.finditer(statement))


def _single_quoted(statement: str) -> Iterator[str]:
    yield statement.strip("\"'`<>")


def _python(statement: str) -> Iterator[str]:
    statement = _COMMENT.sub("", statement)
    results = _FROM.match(statement)
    if results is None:
        yield from (name.split(" as ")[0].strip() for name in statement.removeprefix("import").split(","))
        return
    dots, module, names = results.groups()
    base = dots + module
    for name in names.strip("() \n").split(","):
        imported = name.split(" as ")[0].strip()
        if imported == "*":
            yield base
        elif imported:
            yield f"{base}.{imported}" if module else f"{base}{imported}"


def _rust(statement: str) -> Iterator[str]:
    results = _USE.match(_COMMENT.sub("", statement))
    if results is None:
        return
    if results[1] == "mod":
        yield f"self::{_without_terminator(results[2])}"
    else:
        yield from _use_tree(_AS.sub("", _without_terminator(results[2])), "")


def _without_terminator(statement: str) -> str:
    """Return a statement without its final separator and whitespace."""
    return statement.rstrip().removesuffix(";").rstrip()


def _use_tree(tree: str, prefix: str, depth: int = 0) -> Iterator[str]:
    """Expand `a::{b, c::d}`; `*` and `self` name the enclosing module."""
    for branch in _split_outside_braces(tree):
        path, brace, below = branch.partition("{")
        path = prefix + re.sub(r"\s+", "", path)
        if brace and depth < 20:
            yield from _use_tree(below.rstrip().removesuffix("}"), path, depth + 1)
        else:
            yield path.removesuffix("::*").removesuffix("::self")


def _split_outside_braces(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in (*parts, text[start:]) if part.strip()]


def _keyword_reader(keyword: str) -> Callable[[str], Iterator[str]]:
    pattern = lazy_regex(
        rf"^(?:@\w++\s++)*+(?:global\s++)?{keyword}\s++(?:(?:static|class|struct|func|enum|protocol)\s++)?(.*)",
        re.DOTALL,
    )

    def read(statement: str) -> Iterator[str]:
        results = pattern.match(_COMMENT.sub("", statement))
        if results is not None:
            name = _AS.split(_without_terminator(results[1]))[0].rpartition("=")[2].strip()
            yield name.removesuffix(".*")

    return read


def _php(statement: str) -> Iterator[str]:
    if not statement.startswith("use"):
        beside = "." if "__DIR__" in statement else ""
        yield from (beside + name for name in _quoted(statement))
        return
    tree = _AS.sub("", _PHP_USE.sub("", _without_terminator(_COMMENT.sub("", statement))))
    for branch in _split_outside_braces(tree):
        base, brace, below = branch.partition("{")
        names = below.rstrip(" }").split(",") if brace else [""]
        yield from ((base + name.strip()).strip().lstrip("\\") for name in names if name.strip() or not brace)


def _ruby(statement: str) -> Iterator[str]:
    for path in _quoted(statement):
        yield f"./{path}".replace("././", "./") if statement.startswith("require_relative") else path


def _unquoted(statement: str) -> Iterator[str]:
    yield statement.strip("\"'")


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "python": _python,
    "javascript": _single_quoted,
    "typescript": _single_quoted,
    "tsx": _single_quoted,
    "go": _single_quoted,
    "c": _single_quoted,
    "cpp": _single_quoted,
    "rust": _rust,
    "java": _keyword_reader("import"),
    "kotlin": _keyword_reader("import"),
    "swift": _keyword_reader("import"),
    "csharp": _keyword_reader("using"),
    "php": _php,
    "ruby": _ruby,
    "bash": _unquoted,
}


MAX_REFERENCES = 200

_HEAD_BYTES = 1_500
_MAX_REFERENCE = 80
_CALLABLE = frozenset(("function", "method", "constructor", "test", "macro"))
_ANNOTATIONS = lazy_regex(r"^(?:@[\w.]+(?:\([^()]*+\))?\s*+|\[[^\]]*+\]\s*+(?=[\w\[]))+")
_COMMENT_LINE = lazy_regex(r"(?m)^[^\S\n]*+(?://|#|/?\*).*$")


class Syntax(NamedTuple):
    """Everything a grammar finds in a file."""

    definitions: tuple[Definition, ...]
    invariants: tuple[Invariant, ...]
    imports: tuple[str, ...]
    references: tuple[str, ...]
    unparsed: tuple[tuple[int, int], ...] = ()
    """First and last lines of what the grammar cannot parse: errors and the bodies of macros."""


class _Raw(NamedTuple):
    """A definition as captured, with byte offsets."""

    start: int
    end: int
    kind: str
    name: tree_sitter.Node
    body_start: int
    """Start of its body; its own end if it has none."""
    signature_end: int
    """End of its signature: before the body, or after it where the body is the shape of a type."""
    container: str


class _Scope(NamedTuple):
    end: int
    kind: str
    path: str
    head: str
    public: bool


def read_syntax(grammar: Grammar, text: str, lines: Sequence[str], *, is_test: bool) -> Syntax | None:
    """Parse a file with its grammar; return None if that takes too long. Checks in tests are not invariants."""
    parsed = parse(grammar, text)
    if parsed is None:
        return None
    raws = _raws(parsed.matches, parsed.source)
    definitions = _definitions(raws, grammar, parsed)
    return Syntax(
        definitions[:MAX_DEFINITIONS],
        tuple(_invariants(parsed, lines, definitions, is_test=is_test)),
        tuple(_imports(grammar, parsed)),
        _references(parsed, {definition.name for definition in definitions}),
        tuple(_unread(parsed)),
    )


def _raws(matches: Iterable[Captures], source: bytes) -> list[_Raw]:
    """Return the captured definitions in the file's order, outer before inner, each name once."""
    results: dict[int, _Raw] = {}
    for captures in matches:
        kind = next((key for key in captures if key.startswith("definition.")), None)
        if kind is None:
            continue
        node = captures[kind][0]
        name = captures["name"][0] if "name" in captures else node.child_by_field_name("name")
        if name is None:
            continue
        shape, container = captures.get("shape"), captures.get("container")
        body = captures.get("body", shape) if "name" in captures else node.children_by_field_name("body")
        raw = _Raw(
            node.start_byte,
            node.end_byte,
            kind.removeprefix("definition."),
            name,
            body[0].start_byte if body else node.end_byte,
            node.end_byte if shape or not body else body[0].start_byte,
            _slice(source, container[0]) if container else "",
        )
        known = results.get(name.start_byte)
        if known is None or _rank(raw) > _rank(known):
            results[name.start_byte] = raw
    return sorted(results.values(), key=lambda raw: (raw.start, -raw.end, raw.name.start_byte))


def _rank(raw: _Raw) -> tuple[bool, int]:
    """Return a sort key: of two captures of one name the one with a body, then the longer one."""
    return raw.body_start < raw.end, raw.end - raw.start


def _definitions(raws: Iterable[_Raw], grammar: Grammar, parsed: Parsed) -> tuple[Definition, ...]:
    source = parsed.source
    exported = {_slice(source, node) for captures in parsed.matches for node in captures.get("exported", ())}
    marks = sorted((node for captures in parsed.matches for node in captures.get("access", ())), key=_start)
    scopes: list[_Scope] = []
    results: list[Definition] = []
    variables: set[str] = set()
    for raw in raws:
        while scopes and scopes[-1].end <= raw.start:
            scopes.pop()
        outer = scopes[-1] if scopes else None
        name = _slice(source, raw.name).strip("\"'` ").removeprefix(":")[:MAX_NAME]
        if raw.kind == "variable" and outer is None:
            if name in variables:
                continue
            variables.add(name)
        head = _head(raw, source)
        container = Container(outer.kind, outer.head, outer.public) if outer else None
        is_local = outer is not None and outer.kind in _CALLABLE
        public = (
            not is_local
            and raw.kind != "test"
            and is_public(grammar.visibility, DefinitionHead(name, head, container, exported))
            and not _is_hidden(raw, marks, source)
        )
        path = ".".join(part for part in (outer.path if outer else "", raw.container) if part)
        line, end_line = raw.name.start_point.row + 1, source.count(b"\n", raw.name.start_byte, raw.end - 1)
        results.append(Definition(line, name, normalize_signature(head), line + end_line, raw.kind, public, path))
        inner = f"{path}.{name}" if path else name
        if raw.body_start < raw.end:
            scopes.append(_Scope(raw.end, raw.kind, inner, head, public))
    return tuple(sorted(results, key=lambda definition: definition.line))


def _head(raw: _Raw, source: bytes) -> str:
    """Return a definition's text up to its body, including it where it is the shape of a type; for a test its title."""
    if raw.kind == "test":
        return source[raw.start : raw.name.end_byte + 1].decode("utf-8", "replace") + ")"
    text = source[raw.start : min(raw.signature_end, raw.start + _HEAD_BYTES)].decode("utf-8", "replace")
    if raw.signature_end > raw.body_start:
        text = _COMMENT_LINE.sub("", text)
    return _ANNOTATIONS.sub("", text) if text.startswith(("@", "[")) else text


def _is_hidden(raw: _Raw, marks: Iterable[tree_sitter.Node], source: bytes) -> bool:
    """Whether the last access modifier before it in the same body is `private`."""
    before = ""
    for mark in marks:
        if mark.end_byte > raw.start:
            break
        if mark.parent is not None and raw.end <= mark.parent.end_byte:
            before = _slice(source, mark)
    return before.startswith("private")


def _invariants(
    parsed: Parsed, lines: Sequence[str], definitions: Iterable[Definition], *, is_test: bool
) -> list[Invariant]:
    strong = invariants.comment_invariants(parsed.root, parsed.source, lines)
    if is_test:
        return invariants.select_invariants([], strong)
    tests = [
        (definition.line, definition.end_line)
        for definition in definitions
        if definition.kind == "module" and definition.name in ("tests", "test")
    ]
    weak: list[Invariant] = []
    for captures in parsed.matches:
        for key in ("assert", "constraint"):
            strong += [invariants.statement_invariant(node, parsed.source) for node in captures.get(key, ())]
        for node in captures.get("raise", ()):
            invariant, guarded = invariants.raise_invariant(node, parsed.source)
            (strong if guarded else weak).append(invariant)

    def is_outside_tests(invariant: Invariant) -> bool:
        return not any(first <= invariant.line <= last for first, last in tests)

    return invariants.select_invariants(filter(is_outside_tests, weak), filter(is_outside_tests, strong))


def _unread(parsed: Parsed) -> Iterable[tuple[int, int]]:
    if parsed.root.has_error:
        yield 1, parsed.root.end_point.row + 1
    for captures in parsed.matches:
        for node in captures.get("opaque", ()):
            yield node.start_point.row + 1, node.end_point.row + 1


def _imports(grammar: Grammar, parsed: Parsed) -> list[str]:
    results: dict[str, None] = {}
    nodes = sorted((node for captures in parsed.matches for node in captures.get("import", ())), key=_start)
    for node in nodes:
        if len(results) >= MAX_IMPORTS:
            break
        results.update(dict.fromkeys(module_specifiers(grammar.query, _slice(parsed.source, node))))
    return list(results)


def _references(parsed: Parsed, defined: set[str]) -> tuple[str, ...]:
    source = parsed.source
    counted = Counter(source[node.start_byte : node.end_byte] for node in parsed.references)
    names = (
        (name.decode("utf-8", "replace"), count) for name, count in counted.items() if 1 < len(name) <= _MAX_REFERENCE
    )
    foreign = sorted(((-count, name) for name, count in names if name not in defined))
    return tuple(name for _, name in foreign[:MAX_REFERENCES])


def _start(node: tree_sitter.Node) -> int:
    return node.start_byte


def _slice(source: bytes, node: tree_sitter.Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
