"""File summaries: language, size, purpose, definitions, invariants, imports, references and terms."""

import codecs
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sidecar.codebase.files import is_test
from sidecar.codebase.summary.invariants import DefinitionHead, find_by_lines, find_landmines, is_public
from sidecar.codebase.summary.languages import MAX_DEFINITIONS, Grammar, Language, find_definitions, language_of
from sidecar.codebase.summary.model import Analysis, Definition, Invariant, Summary, chunk_lines, from_json, to_json
from sidecar.codebase.summary.purpose import derived_purpose, file_purpose, main_definition_purpose
from sidecar.codebase.summary.syntax import MAX_LINE_CHARACTERS, Syntax, read_syntax
from sidecar.codebase.unindexed_files import is_recorded_chat
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact_lines
from sidecar.core.terms import count_terms

__all__ = [
    "MAX_ANALYSED_BYTES",
    "MAX_DEFINITIONS",
    "SUMMARY_VERSION",
    "Definition",
    "Invariant",
    "Summary",
    "Words",
    "count_words",
    "from_json",
    "summarize",
    "to_json",
    "unanalysed_summary",
]

SUMMARY_VERSION = 26
"""Part of the cache key: increase it when the content of a summary changes."""

MAX_ANALYSED_BYTES = 512 * 1024

RARE_USES, MAX_LARGE_WORDS = 3, 4_000
"""A file over the limit is found by the words that it contains at most so often, names first, up to this number."""

FREQUENT_WORDS = 200
"""Number of its most frequent words by which it is found, too."""

PART_CHARACTERS = 2**18
"""Large texts are searched in parts of this size, so that other threads can run between them."""

_LARGE_WORD = lazy_regex(r"[^\W\d_][^\W\d]{2,39}+(?!\w)")
_NAME = lazy_regex(r"_|[a-z][A-Z]")

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Words(NamedTuple):
    """The words of a file."""

    chunks: tuple[dict[str, int], ...]
    """Term counts of each chunk of lines."""
    is_clean: bool
    """Whether the text contains no secret that has to be masked."""


def summarize(path: str, content: bytes, *, with_words: bool = True, is_clean: bool = False) -> Summary:
    """Parse a file once; for binary and minified files and recorded chats return only the size.

    A text over the limit has no definitions, but the words by which it is found. Without words there are no chunks.
    No secret is searched for in a text that `is_clean`.
    """
    text = _decode(content)
    if text is None:
        return unanalysed_summary(path, len(content), "binary")
    if len(content) > MAX_ANALYSED_BYTES:
        return _summarize_large(path, len(content), text, with_words=with_words)
    lines = _split_lines(text)
    unread = _unread_kind(path, text, lines)
    if unread is not None:
        return unanalysed_summary(path, len(content), unread)._replace(lines=len(lines))
    unmasked, lines = lines, lines if is_clean else _redacted_lines(text, lines)
    language = language_of(path, text)
    syntax, analysis = _parse_file(path, lines, language)
    purpose, derived = _purpose(path, lines, language, syntax)
    return Summary(
        language.name if language else "text",
        len(content),
        len(lines),
        purpose,
        syntax.definitions,
        _count_chunks(lines) if with_words else (),
        syntax.invariants,
        syntax.imports,
        syntax.references,
        analysis,
        derived,
        find_landmines(lines, syntax.definitions) if language is not None else (),
        lines == unmasked,
        _is_generated(lines),
    )


def outline(path: str, text: str) -> Summary:
    """Summarize a text by line patterns alone, which loads no grammar; without words, purpose and invariants."""
    language, lines = language_of(path, text), _split_lines(text)
    definitions = find_definitions(lines, language) if language is not None else ()
    name = language.name if language is not None else "text"
    return Summary(
        name, len(text.encode()), len(lines), "", definitions, (), analysis="outline", is_generated=_is_generated(lines)
    )


def count_words(path: str, content: bytes) -> Words:
    """Return the words of a file as in its summary, without parsing it."""
    text = _decode(content)
    if text is None:
        return Words((), is_clean=True)
    if len(content) > MAX_ANALYSED_BYTES:
        return Words(_summarize_large(path, len(content), text, with_words=True).chunks, is_clean=True)
    lines = _split_lines(text)
    if _unread_kind(path, text, lines) is not None:
        return Words((), is_clean=True)
    redacted = _redacted_lines(text, lines)
    return Words(_count_chunks(redacted), redacted == lines)


def _redacted_lines(text: str, lines: list[str]) -> list[str]:
    """Mask the secrets in a text's lines, before anything is extracted: half a secret is not recognised."""
    redacted = redact_lines(text)
    return lines if redacted is text else _split_lines(redacted)


def _unread_kind(path: str, text: str, lines: Sequence[str]) -> Analysis | None:
    """Return why nobody reads a text, if so."""
    if any(len(line) > MAX_LINE_CHARACTERS for line in lines[:50]):
        return "minified"
    return "recordedChat" if is_recorded_chat(path, text) else None


_GENERATED_LINES = 20
_GENERATED_BY = lazy_regex(
    r"(?i)\b(?:this|the) (?:file|code|class|source|module|script|document)\b.{0,40}?\b(?:is|was|has been)"
    r" (?:auto(?:matically)?[- ]?)?generated\b"
    r"|\bcode generated\b|@generated\b|\bauto(?:matically)?[- ]?generated (?:by|from|code|file)\b"
    r"|\bgenerated\b.{0,100}\bdo not (?:edit|modify|change)\b|\bdo not (?:edit|modify|change)\b.{0,100}\bgenerated\b"
)


def _is_generated(lines: Sequence[str]) -> bool:
    head = (line.strip() for line in lines[:_GENERATED_LINES])
    return any(_GENERATED_BY.search(line) for line in head if line.startswith(("/", "*", "#", "--", "<!--", ";")))


def _summarize_large(path: str, size: int, text: str, *, with_words: bool) -> Summary:
    unread = _unread_kind(path, text, _split_lines(text[:PART_CHARACTERS]))
    chunks = () if unread or not with_words else (count_terms(" ".join(_words_of_large(text))),)
    lines = text.count("\n") + (not text.endswith("\n"))
    return unanalysed_summary(path, size, unread or "large")._replace(lines=lines, chunks=chunks)


def _words_of_large(text: str) -> list[str]:
    """Return a large text's rare words, names first, and its most frequent ones; none with digits, none of a secret."""
    counts: Counter[str] = Counter()
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + PART_CHARACTERS) + 1 or start + PART_CHARACTERS
        counts.update(_LARGE_WORD.findall(redact_lines(text[start:end])))
        start = end
    rare = [word for word, count in counts.items() if count <= RARE_USES]
    rare.sort(key=lambda word: _NAME.search(word) is None)
    return [*rare[:MAX_LARGE_WORDS], *(word for word, _ in counts.most_common(FREQUENT_WORDS))]


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
