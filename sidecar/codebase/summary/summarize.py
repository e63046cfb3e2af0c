"""What a file is: language, size, purpose, definitions, invariants, imports, references, and its terms."""

import codecs
from collections.abc import Sequence

from sidecar.codebase.files import is_test
from sidecar.codebase.summary.grammar import MAX_LINE
from sidecar.codebase.summary.invariants import by_lines
from sidecar.codebase.summary.languages import Grammar, Language, language_of
from sidecar.codebase.summary.line_patterns import MAX_DEFINITIONS, definitions_by_patterns
from sidecar.codebase.summary.model import Analysis, Definition, Invariant, Summary, chunk_lines, from_json, to_json
from sidecar.codebase.summary.purpose import derived_purpose, purpose_of, purpose_of_definitions
from sidecar.codebase.summary.syntax import Syntax, read_syntax
from sidecar.codebase.summary.visibility import Named, is_public
from sidecar.core.secrets.redact import redact_lines
from sidecar.core.terms import count_terms

__all__ = [
    "MAX_ANALYSED_BYTES",
    "MAX_DEFINITIONS",
    "SUMMARY_VERSION",
    "Definition",
    "Invariant",
    "Summary",
    "from_json",
    "not_analysed",
    "summarise",
    "to_json",
]

SUMMARY_VERSION = 14
"""Part of the cache key: a change of what a summary holds makes the old ones invalid."""

MAX_ANALYSED_BYTES = 512 * 1024

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def summarise(path: str, content: bytes) -> Summary:
    """Reads a file once; binary, minified and over-large ones keep their size and no more."""
    if len(content) > MAX_ANALYSED_BYTES:
        return not_analysed(path, len(content), "large")._replace(lines=content.count(b"\n"))
    text = _text(content)
    if text is None:
        return not_analysed(path, len(content), "binary")
    lines = _lines(text)
    if any(len(line) > MAX_LINE for line in lines[:50]):
        return not_analysed(path, len(content), "minified")._replace(lines=len(lines))
    masked = redact_lines(text)  # before anything is cut out of it: half a secret is not known as one
    if masked is not text:
        lines = _lines(masked)
    language = language_of(path, text)
    found, analysis = _read(path, lines, language)
    purpose, derived = _purpose(path, lines, language, found)
    return Summary(
        language.name if language else "text",
        len(content),
        len(lines),
        purpose,
        found.definitions,
        _chunks(lines),
        found.invariants,
        found.imports,
        found.references,
        analysis,
        derived,
    )


def not_analysed(path: str, size: int, analysis: Analysis = "unread") -> Summary:
    """Gives the summary of a file that is known by its name and size only."""
    language = language_of(path)
    return Summary(language.name if language else "text", size, 0, "", (), (), analysis=analysis)


def _read(path: str, lines: Sequence[str], language: Language | None) -> tuple[Syntax, Analysis]:
    """Reads a file by its language's grammar, else by patterns."""
    if language is None:
        return Syntax((), (), (), ()), "prose"
    if language.grammar is not None:
        found = read_syntax(language.grammar, "\n".join(lines), lines, is_test=is_test(path))
        if found is not None:
            more = definitions_by_patterns(lines, language, found.unread) if found.unread else ()
            return found._replace(definitions=_all(found, more, language.grammar)), "syntax"
    definitions = definitions_by_patterns(lines, language)
    return Syntax(definitions, tuple(by_lines(lines, language.comment, language.checks)), (), ()), "patterns"


def _all(found: Syntax, by_pattern: Sequence[Definition], grammar: Grammar) -> tuple[Definition, ...]:
    """Adds what patterns find where the grammar could not look, so that an unfinished edit hides nothing."""
    lines = {one.line for one in found.definitions}
    more = [
        one._replace(public=is_public(grammar.visibility, Named(one.name, one.signature, None, frozenset())))
        for one in by_pattern
        if one.line not in lines
    ]
    return tuple(sorted([*found.definitions, *more], key=lambda one: one.line)[:MAX_DEFINITIONS])


def _purpose(path: str, lines: Sequence[str], language: Language | None, found: Syntax) -> tuple[str, bool]:
    said = purpose_of(lines, language) or purpose_of_definitions(path, lines, language, found.definitions)
    return (said, False) if said else (derived_purpose(path, found.definitions, found.imports), True)


def _chunks(lines: Sequence[str]) -> tuple[dict[str, int], ...]:
    """Counts the terms of each run of lines."""
    step = chunk_lines(len(lines))
    return tuple(count_terms("\n".join(lines[start : start + step])) for start in range(0, len(lines), step))


def _text(content: bytes) -> str | None:
    """Decodes a text; None for what is binary. Bytes that are not UTF-8 become replacement characters."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content.removeprefix(mark).decode(encoding, "replace")
    return None if b"\0" in content[:8192] else content.decode("utf-8", "replace")


def _lines(text: str) -> list[str]:
    """Splits where editors and git do; `splitlines` also would at form feeds and other separators."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
