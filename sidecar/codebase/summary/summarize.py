"""File summaries: language, size, purpose, definitions, invariants, imports, references and terms."""

import codecs
from collections.abc import Sequence

from sidecar.codebase.files import is_test
from sidecar.codebase.summary.grammar import MAX_LINE_CHARACTERS
from sidecar.codebase.summary.invariants import DefinitionHead, find_by_lines, find_landmines, is_public
from sidecar.codebase.summary.languages import MAX_DEFINITIONS, Grammar, Language, find_definitions, language_of
from sidecar.codebase.summary.model import Analysis, Definition, Invariant, Summary, chunk_lines, from_json, to_json
from sidecar.codebase.summary.purpose import derived_purpose, file_purpose, main_definition_purpose
from sidecar.codebase.summary.syntax import Syntax, read_syntax
from sidecar.codebase.unindexed_files import is_recorded_chat
from sidecar.core.redact import redact_lines
from sidecar.core.terms import count_terms

__all__ = [
    "MAX_ANALYSED_BYTES",
    "MAX_DEFINITIONS",
    "SUMMARY_VERSION",
    "Definition",
    "Invariant",
    "Summary",
    "from_json",
    "summarize",
    "to_json",
    "unanalysed_summary",
]

SUMMARY_VERSION = 18
"""Part of the cache key: increase it when the content of a summary changes."""

MAX_ANALYSED_BYTES = 512 * 1024

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def summarize(path: str, content: bytes) -> Summary:
    """Parse a file once; for binary, minified and over-large files and recorded chats return only the size."""
    if len(content) > MAX_ANALYSED_BYTES:
        lines_ = content.count(b"\n") + (not content.endswith(b"\n"))
        return unanalysed_summary(path, len(content), "large")._replace(lines=lines_)
    text = _decode(content)
    if text is None:
        return unanalysed_summary(path, len(content), "binary")
    lines = _split_lines(text)
    if any(len(line) > MAX_LINE_CHARACTERS for line in lines[:50]):
        return unanalysed_summary(path, len(content), "minified")._replace(lines=len(lines))
    if is_recorded_chat(path, text):
        return unanalysed_summary(path, len(content), "recordedChat")._replace(lines=len(lines))
    redacted = redact_lines(text)  # before anything is extracted: half a secret is not recognised
    if redacted is not text:
        lines = _split_lines(redacted)
    language = language_of(path, text)
    syntax, analysis = _parse_file(path, lines, language)
    purpose, derived = _purpose(path, lines, language, syntax)
    return Summary(
        language.name if language else "text",
        len(content),
        len(lines),
        purpose,
        syntax.definitions,
        _count_chunks(lines),
        syntax.invariants,
        syntax.imports,
        syntax.references,
        analysis,
        derived,
        find_landmines(lines, syntax.definitions) if language is not None else (),
    )


def unanalysed_summary(path: str, size: int, analysis: Analysis = "unread") -> Summary:
    """Return the summary of a file of which only name and size are known."""
    language = language_of(path)
    return Summary(language.name if language else "text", size, 0, "", (), (), analysis=analysis)


def _parse_file(path: str, lines: Sequence[str], language: Language | None) -> tuple[Syntax, Analysis]:
    """Parse a file with its language's grammar, else by patterns."""
    if language is None:
        return Syntax((), (), (), ()), "prose"
    if language.grammar is not None:
        syntax = read_syntax(language.grammar, "\n".join(lines), lines, is_test=is_test(path))
        if syntax is not None:
            extra = find_definitions(lines, language, syntax.unparsed) if syntax.unparsed else ()
            return syntax._replace(definitions=_with_pattern_matches(syntax, extra, language.grammar)), "syntax"
    definitions = find_definitions(lines, language)
    return Syntax(definitions, tuple(find_by_lines(lines, language.comment, language.checks)), (), ()), "patterns"


def _with_pattern_matches(syntax: Syntax, by_pattern: Sequence[Definition], grammar: Grammar) -> tuple[Definition, ...]:
    """Add what patterns find where the grammar failed, so that an unfinished edit hides no definition."""
    lines = {definition.line for definition in syntax.definitions}
    extra = [
        definition._replace(
            public=is_public(
                grammar.visibility, DefinitionHead(definition.name, definition.signature, None, frozenset())
            )
        )
        for definition in by_pattern
        if definition.line not in lines
    ]
    return tuple(sorted([*syntax.definitions, *extra], key=lambda definition: definition.line)[:MAX_DEFINITIONS])


def _purpose(path: str, lines: Sequence[str], language: Language | None, syntax: Syntax) -> tuple[str, bool]:
    stated = file_purpose(lines, language) or main_definition_purpose(path, lines, language, syntax.definitions)
    return (stated, False) if stated else (derived_purpose(path, syntax.definitions, syntax.imports), True)


def _count_chunks(lines: Sequence[str]) -> tuple[dict[str, int], ...]:
    """Count the terms of each chunk of lines."""
    step = chunk_lines(len(lines))
    return tuple(count_terms("\n".join(lines[start : start + step])) for start in range(0, len(lines), step))


def _decode(content: bytes) -> str | None:
    """Decode a text; return None for binary content. Bytes that are not UTF-8 become replacement characters."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content.removeprefix(mark).decode(encoding, "replace")
    return None if b"\0" in content[:8192] else content.decode("utf-8", "replace")


def _split_lines(text: str) -> list[str]:
    """Split lines as editors and git do; `splitlines` would also split at form feeds and other separators."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
