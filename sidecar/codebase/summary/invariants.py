"""Requirements of a file: checks, guarded raises, rules and warnings in comments, constrained types. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from sidecar.codebase.summary.languages import code_on_one_line
from sidecar.codebase.summary.model import Definition, Invariant, Landmine
from sidecar.core.clean_text import clip, without_emphasis
from sidecar.core.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import tree_sitter


MAX_INVARIANTS = 40
MAX_TEXT = 200

_RULE = lazy_regex(rb"\b(?:[Mm]ust|MUST|[Nn]ever|NEVER|[Aa]lways|ALWAYS|[Ii]nvariants?|INVARIANTS?|SAFETY)\b")
_RULE_WORDS = (b"must", b"never", b"always", b"invariant", b"safety")
_RULE_TEXT = lazy_regex(_RULE.pattern.decode())
_LEGAL = lazy_regex(r"(?i)copyright|licen[sc]e|warrant|redistribut|notice")
_MARKER = lazy_regex(r"^\s*(?:///?!?|//!|#+:?|/\*+!?|\*+/?|--+|<!--|;+)?\s?")
_CLOSING = lazy_regex(r"(?<!\s)\s*+(?:(?<!\*)\*++/|-->|\"\"\"|''')\s*$")
_OPENING = lazy_regex(r"^[rRbBuU]{0,2}(?:\"\"\"|'''|\"|')")
_SENTENCE = lazy_regex(r"(?<=[.!?])\s+(?=[A-Z`\"'(\[])")
_NEW_SENTENCE = lazy_regex(r"^(?:@|[-*] |\d+[.)] |$)")
_SENTENCE_LINES = 5

_GUARDS = {
    "if_statement": "if", "if_expression": "if", "elif_clause": "if", "else_if_clause": "if", "elsif": "if",
    "if": "if", "if_modifier": "if", "conditional_expression": "if", "ternary_expression": "if",
    "unless": "unless", "unless_modifier": "unless", "guard_statement": "unless",
}  # fmt: skip
_GUARD_LEVELS = 5
_ENDS_GUARD = (
    "function",
    "method",
    "lambda",
    "arrow",
    "closure",
    "class",
    "for",
    "while",
    "loop",
    "except",
    "catch",
    "match",
    "case",
    "switch",
    "when",
    "rescue",
)


def find_by_lines(lines: Sequence[str], comment: str, checks: re.Pattern[str] | None) -> list[Invariant]:
    """Find rules in whole-line comments, and the lines that match a language's checks, without a grammar."""
    invariants = [
        Invariant(number, _one_line(line))
        for number, line in enumerate(lines, 1)
        if checks is not None and len(line) <= MAX_TEXT * 2 and checks.search(line)
    ]
    if comment:
        marks = (comment, "*") if comment in ("//", "/*") else (comment,)
        for index, line in enumerate(lines):
            if line.lstrip()[:4].startswith(marks) and _RULE_TEXT.search(line[: MAX_TEXT * 2]):
                invariants.append(Invariant(index + 1, _sentence(lines, index, 0, len(lines) - 1, marks)))
    return select_invariants([], invariants)


def select_invariants(weaker: Iterable[Invariant], stronger: Iterable[Invariant]) -> list[Invariant]:
    """Return at most `MAX_INVARIANTS`, stronger ones first, each text once, in the file's order."""
    selected: dict[str, Invariant] = {}
    for invariant in (*sorted(stronger), *sorted(weaker)):
        if invariant.text and len(selected) < MAX_INVARIANTS:
            selected.setdefault(invariant.text, invariant)
    return sorted(selected.values())


def statement_invariant(node: tree_sitter.Node, source: bytes) -> Invariant:
    """Return a check as written, on one line."""
    return Invariant(node.start_point.row + 1, _text(node, source))


def raise_invariant(node: tree_sitter.Node, source: bytes) -> tuple[Invariant, bool]:
    """Return what is raised with its guarding condition, and whether there is one."""
    raised = _text(node, source)
    guard = _guard(node, source)
    return Invariant(node.start_point.row + 1, clip(f"{guard}: {raised}", MAX_TEXT) if guard else raised), bool(guard)


def comment_invariants(root: tree_sitter.Node, source: bytes, lines: Sequence[str]) -> list[Invariant]:
    """Return the sentences with must, never or always in comments and docstrings."""
    invariants: list[Invariant] = []
    checked_to = 0
    for match in _rules(source):
        if match.start() < checked_to:
            continue
        node = _comment_at(root, match.start())
        if node is None:
            continue
        row = source.count(b"\n", 0, match.start())
        first, last = node.start_point.row, node.end_point.row
        if node.start_point.column and lines[first][: node.start_point.column].strip():
            text = _one_line(
                _CLOSING.sub("", _MARKER.sub("", source[node.start_byte : node.end_byte].decode("utf-8", "replace")))
            )
        elif "comment" in node.type:
            text = _sentence(lines, row, 0, len(lines) - 1, ("//", "#", "/*", "*"))
        else:
            text = _sentence(lines, row, first, last, ())
        if text:
            invariants.append(Invariant(row + 1, text))
        newline = source.find(b"\n", match.start())
        checked_to = newline if newline >= 0 else len(source)
    return invariants


def _rules(source: bytes) -> Iterator[re.Match[bytes]]:
    """Find the rule words: searching each separately takes a fifth of the time of one combined pattern."""
    folded = source.lower()
    places = (match.start() for word in _RULE_WORDS if word in folded for match in re.finditer(word, folded))
    matches = (_RULE.match(source, offset) for offset in sorted(places))
    return (match for match in matches if match)


def _comment_at(root: tree_sitter.Node, offset: int) -> tree_sitter.Node | None:
    """Return the comment or docstring around a position; None for code and other strings."""
    node = root.descendant_for_byte_range(offset, offset + 1)
    for _ in range(3):
        if node is None or "comment" in node.type:
            return node
        parent = node.parent
        if node.type == "string" and parent is not None and parent.type == "expression_statement":
            return node
        node = parent
    return None


def _sentence(lines: Sequence[str], index: int, first: int, last: int, marks: tuple[str, ...]) -> str:
    """Return the sentence with a rule that spans a line of a comment, without comment markers."""

    def line_text(offset: int) -> str | None:
        if not first <= offset <= last:
            return None
        line = lines[offset]
        if marks and not line.lstrip().startswith(marks):
            return None
        text = _CLOSING.sub("", line)
        return (_MARKER.sub("", text) if marks else _OPENING.sub("", text.strip())).strip()

    parts = [line_text(index) or ""]
    for offset in range(index - 1, index - _SENTENCE_LINES, -1):
        previous = line_text(offset)
        if previous is None or _NEW_SENTENCE.match(parts[0]) or not previous or previous[-1] in ".!?:":
            break
        parts.insert(0, previous)
    for offset in range(index + 1, index + _SENTENCE_LINES):
        following = line_text(offset)
        if following is None or _NEW_SENTENCE.match(following) or parts[-1][-1:] in (".", "!", "?"):
            break
        parts.append(following)
    sentences = _SENTENCE.split(" ".join(parts))
    rule = next((sentence for sentence in sentences if _RULE_TEXT.search(sentence)), "")
    return "" if _LEGAL.search(rule) else _one_line(rule)


def _guard(node: tree_sitter.Node, source: bytes) -> str:
    inner: tree_sitter.Node = node
    for _ in range(_GUARD_LEVELS):
        outer = inner.parent
        if outer is None or _ends_guard(outer.type):
            return ""
        word = _GUARDS.get(outer.type, "")
        condition = outer.child_by_field_name("condition") if word else None
        if condition is not None and condition.start_byte <= inner.start_byte < condition.end_byte:
            return ""
        if condition is not None:
            opposite = "unless" if word == "if" else "if"
            return f"{opposite if _is_alternative(outer, inner) else word} {_condition(condition, source)}"
        if outer.type == "list" and outer.child_count == 3 and outer.child(0) != inner:
            word = "unless" if outer.child(1).type == "||" else "if"
            return f"{word} {_text(outer.child(0), source)}"
        inner = outer
    return ""


@cache
def _ends_guard(node_type: str) -> bool:
    return any(part in node_type for part in _ENDS_GUARD)


def _is_alternative(outer: tree_sitter.Node, inner: tree_sitter.Node) -> bool:
    alternative = outer.child_by_field_name("alternative")
    return "else" in inner.type or (alternative is not None and alternative == inner)


def _condition(node: tree_sitter.Node, source: bytes) -> str:
    text = _text(node, source)
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") and ")" not in text[1:-1] else text


def _text(node: tree_sitter.Node, source: bytes) -> str:
    return _one_line(source[node.start_byte : min(node.end_byte, node.start_byte + 2_000)].decode("utf-8", "replace"))


def _one_line(text: str) -> str:
    return clip(code_on_one_line(text[:2_000]).rstrip(";, "), MAX_TEXT)


MAX_LANDMINES = 20
MAX_BLOCK_LINES = 200

_LEADING = lazy_regex(
    r"\s*(?:@|#(?!\s*(?:include|define|if|else|endif)\b)|//|/\*|\*|--|<!--|\[[\w(.:,\s\"']+\]\s*$|template\s*<)"
)
"""A line that belongs to the definition below it: a decorator, an attribute, a comment."""

COMMENT = lazy_regex(r"\s*(?:#(?!!?\[|\s*(?:include|define|if|else|endif)\b)|//|/\*|\*|--(?:\s|\[)|<!--)")
"""A line that is a comment."""

_BLOCKS = (("*/", "/*"), ("-->", "<!--"), ("=end", "=begin"))
_WARNING_WORDS = ("warning", "hack", "danger", "caution", "beware", "do not", "don't", "don’t")
_WARNING = lazy_regex(
    r"(?<![\w`'\"])(?:WARNING|HACK|DANGER|CAUTION|BEWARE|DO NOT|DON['’]T)\b"
    r"|^(?:warning|hack|danger|caution|beware)(?=[:!]| [—-] |(?<=beware) of\b)"
    r"|(?:^|(?<=[.:;!?—] ))(?:(?:Warning|Hack|Danger|Caution|Beware)(?=[:!,]| [—-]| of\b)"
    r"|(?:Please )?(?:[Dd]o not|[Dd]on['’]t)\b)"
)
_VALUES = frozenset(("variable", "constant", "macro", "field", "property"))
_SENTENCE_ENDS = (".", ":", ";", "!", "?", "—")
_NO_WARNING = lazy_regex(
    r"(?i)copyright|licen[sc]e|warrant(?:y|ies)|redistribut|\bgenerated (?:by|from|code|file)"
    r"|(?:do not|don['’]t) (?:modify|edit)\b.{0,20}\b(?:by hand|manually|directly)"
)
_BEHAVIOUR = lazy_regex(
    r"(?:[Dd]o not|[Dd]on['’]t) (?:allow|show|display|auto-?)\b"
    r"|(?:[Dd]o not|[Dd]on['’]t) (?:instantiate|create|construct)\b[^.]{0,60}\b(?:utility|static|class)\b"
)
"""A request that says what the definition does, or that a class has no instances, which the code enforces."""

_REQUEST = lazy_regex(r"(?:Please )?[Dd]o")
_OMITS = lazy_regex(
    r"_{0,2}(?:(?:with|set|should|is)_?)?"
    r"(?:(?i:disable|no|skip|without|ignore|allow|suppress|omit|exclude|bypass|prevent|hide|do_?not|dont)(?=[_A-Z]|$))"
)
"""Names of definitions that leave something out: "Do not follow redirects" is what `disable_redirects` does."""

_ABOUT_USE = lazy_regex(
    r"(?:Please )?[Dd](?:o not|on['’]t) "
    r"(?:(?:call|invoke|rename|remove|delete|reorder|touch|inline|edit|modify|forget|rely|change|override|extend"
    r"|subclass|implement|access|mutate|depend|assume)\b|use (?:directly|for|from|in|on|outside|with)\b"
    r"|\w+ (?:this|it|these|them)\b)"
)
"""A request to whoever uses or changes a definition."""

_DESCRIPTION = lazy_regex(r"\s*(?:/\*\*|///)")
"""The start of a comment that says what the definition below it does."""

_TAG = lazy_regex(r"[@\\]\w|:\w+[ :]")


class LeadingLines(NamedTuple):
    """The lines above a definition that belong to it."""

    first: int
    """Number of the first line of its comment; of the definition itself without any."""
    code: int
    """Number of the first line below the comment: of a decorator, an attribute, or the definition."""


def leading_lines(lines: Sequence[str], line: int, at: int = 1) -> LeadingLines:
    """Return the comment, decorators and attributes directly above a line, which begin at `at` at the earliest."""
    start, code = line, line
    while start > at:
        block = _block_start(lines, start - 1, at)
        decorator = 0 if block else _decorator_start(lines, start - 1, at)
        if decorator:
            start = code = decorator
            continue
        if not block and not _LEADING.match(lines[start - 2]):
            break
        start = block or start - 1
        if not block and not COMMENT.match(lines[start - 1]):
            code = start
    return LeadingLines(start, code)


def _block_start(lines: Sequence[str], last: int, at: int) -> int:
    """Return the first line of a block comment of several lines that ends in a line; 0 without one."""
    end = lines[last - 1].strip()
    for closing, opening in _BLOCKS:
        if end.endswith(closing) and opening not in end:
            for number in range(last - 1, max(at, last - MAX_BLOCK_LINES) - 1, -1):
                text = lines[number - 1].strip()
                if text.startswith(opening):
                    return number
                if closing in text:
                    return 0
    return 0


_DECORATOR = ("@", "#[", "[")
_DECORATOR_END = lazy_regex(r"[)\]}]{1,4}$")
MAX_DECORATOR_LINES = 60


def _decorator_start(lines: Sequence[str], last: int, at: int) -> int:
    """Return the first line of a decorator or attribute of several lines that ends in a line; 0 without one."""
    if not _DECORATOR_END.match(lines[last - 1].strip()):
        return 0
    depth = _indentation(lines[last - 1])
    for number in range(last - 1, max(at, last - MAX_DECORATOR_LINES) - 1, -1):
        text = lines[number - 1]
        if text.strip() and _indentation(text) <= depth:
            return number if _indentation(text) == depth and text.strip().startswith(_DECORATOR) else 0
    return 0


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def find_landmines(lines: Sequence[str], definitions: Iterable[Definition]) -> tuple[Landmine, ...]:
    """Return the warnings (`WARNING`, `HACK`, `Do not …`) in the comments directly above definitions."""
    folded = "\n".join(lines).lower()
    if not any(word in folded for word in _WARNING_WORDS):
        return ()
    landmines: dict[int, Landmine] = {}
    at = 1
    for definition in definitions:
        first, code = leading_lines(lines, definition.line, at)
        at = max(at, definition.line + 1)
        line, text = _warning_in([without_emphasis(_comment_text(text)) for text in lines[first - 1 : code - 1]])
        describes = _DESCRIPTION.match(lines[first - 1]) and line == next(_filled(lines, first, code), -1)
        is_flag = definition.kind in _VALUES or _OMITS.match(definition.name) or describes
        is_about_use = definition.kind not in _VALUES and _ABOUT_USE.match(text)
        if _BEHAVIOUR.match(text) or (is_flag and _REQUEST.match(text) and not is_about_use):
            continue  # "Do not check the date" is what a flag means, or what a function does
        if text and len(landmines) < MAX_LANDMINES:
            name = f"{definition.container}.{definition.name}" if definition.container else definition.name
            landmines.setdefault(first + line, Landmine(first + line, name, text))
    return tuple(landmines.values())


def _filled(lines: Sequence[str], first: int, code: int) -> Iterator[int]:
    """Yield the indexes of the lines of a comment that have words."""
    return (index for index, text in enumerate(lines[first - 1 : code - 1]) if _comment_text(text))


def _comment_text(line: str) -> str:
    text = _MARKER.sub("", _CLOSING.sub("", line)).strip()
    return "" if text in _BLOCKS[-1] else text


def _warning_in(comment: Sequence[str]) -> tuple[int, str]:
    """Return the index of the line with a comment's first warning, and the warning to its paragraph's end."""
    for index, line in enumerate(comment):
        warning = _WARNING.search(line)
        is_inside = index and comment[index - 1] and not comment[index - 1].endswith(_SENTENCE_ENDS)
        if warning is None or (is_inside and not warning.start() and warning[0][0].islower()):
            continue
        parts = [line[warning.start() :]]
        for following in comment[index + 1 : index + _SENTENCE_LINES]:
            if not following or _TAG.match(following):
                break
            parts.append(following)
        text = _one_line(" ".join(parts))
        if len(text.split()) > 1 and not _NO_WARNING.search(" ".join((*comment[: index + 1], text))):
            return index, text
    return 0, ""
