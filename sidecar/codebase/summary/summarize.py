"""File summaries: language, size, purpose, definitions, invariants, imports, references and terms."""

import codecs
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sidecar.codebase.file_exclusions import is_recorded_chat
from sidecar.codebase.files import is_test
from sidecar.codebase.summary.invariants import find_by_lines, find_landmines
from sidecar.codebase.summary.languages import (
    MAX_DEFINITIONS,
    DefinitionHead,
    find_definitions,
    is_public,
    language_of,
)
from sidecar.codebase.summary.model import (
    UNKNOWN_LANGUAGE,
    Analysis,
    Definition,
    Grammar,
    Language,
    Summary,
    chunk_lines,
)
from sidecar.codebase.summary.pattern_languages import (
    NOTEBOOK,
    imported_modules,
    is_notebook,
    markup_of,
    notebook_cells,
    notebook_text,
    script_lines,
)
from sidecar.codebase.summary.purpose import (
    changelog_purpose,
    derived_purpose,
    file_purpose,
    is_changelog,
    main_definition_purpose,
    notebook_purpose,
)
from sidecar.codebase.summary.syntax import MAX_LINE_CHARACTERS, Syntax, read_syntax
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact_lines
from sidecar.core.terms import count_terms

SUMMARY_VERSION = 43
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
    is_clean: bool = True
    """Whether the text contains no secret that has to be masked."""
    summary: Summary | None = None
    """The file's summary without its words; None if it has to be parsed for it."""


def summarize(path: str, content: bytes, *, with_words: bool = True, is_clean: bool = False) -> Summary:
    """Parse a file once; for binary and minified files and recorded chats return only the size.

    A text over the limit has no definitions, but the words by which it is found. Without words there are no chunks.
    No secret is searched for in a text that `is_clean`.
    """
    text = _readable_text(path, content, with_words=with_words)
    if isinstance(text, Summary):
        return text
    masked = text if is_clean else _masked(text)
    is_clean = _is_clean(path, text, masked)
    summary = _summarize(path, len(content), masked, language_of(path, text.text), is_clean=is_clean)
    return summary._replace(chunks=_count_chunks(masked.lines)) if with_words else summary


def count_words(path: str, content: bytes) -> Words:
    """Return the words of a file as in its summary, and the summary if nothing has to be parsed for it."""
    text = _readable_text(path, content)
    if isinstance(text, Summary):
        return Words(text.chunks, summary=text._replace(chunks=()))
    masked, language = _masked(text), language_of(path, text.text)
    is_clean, is_parsed = _is_clean(path, text, masked), language is not None and language.grammar is not None
    summary = None if is_parsed else _summarize(path, len(content), masked, language, is_clean=is_clean)
    return Words(_count_chunks(masked.lines), is_clean, summary)


class _Text(NamedTuple):
    text: str
    lines: list[str]


def _readable_text(path: str, content: bytes, *, with_words: bool = True) -> _Text | Summary:
    """Return a file's text, or the summary of a file whose text nobody reads."""
    text = _decode(content)
    if text is None:
        return unanalysed_summary(path, len(content), "binary")
    if is_notebook(path):
        text = notebook_text(text)
    if len(text if is_notebook(path) else content) > MAX_ANALYSED_BYTES:
        return _summarize_large(path, len(content), text, with_words=with_words)
    lines = _split_lines(text)
    unread = _unread_kind(path, text, lines)
    if unread is not None:
        return unanalysed_summary(path, len(content), unread)._replace(lines=len(lines))
    return _Text(text, lines)


def _masked(text: _Text) -> _Text:
    """Mask the secrets in a text, before anything is extracted: half a secret is not recognised."""
    masked = redact_lines(text.text)
    return text if masked is text.text else _Text(masked, _split_lines(masked))


def _is_clean(path: str, text: _Text, masked: _Text) -> bool:
    """Whether nothing had to be masked; unknown for a notebook, whose outputs are not read."""
    return masked.lines == text.lines and not is_notebook(path)


def _summarize(path: str, size: int, masked: _Text, language: Language | None, *, is_clean: bool) -> Summary:
    """Summarize a masked text, without its words."""
    lines = masked.lines
    syntax, analysis = _parse_file(path, lines, language)
    purpose, derived = _purpose(path, lines, language, syntax)
    return Summary(
        language.name if language else UNKNOWN_LANGUAGE,
        size,
        len(lines),
        purpose,
        syntax.definitions,
        (),
        syntax.invariants,
        syntax.imports,
        syntax.references,
        analysis,
        derived,
        find_landmines(lines, syntax.definitions) if language is not None else (),
        is_clean,
        _is_generated(lines),
    )


def outline(path: str, text: str) -> Summary:
    """Summarize a text by line patterns alone, which loads no grammar; without words, purpose and invariants."""
    language, lines = language_of(path, text), _split_lines(text)
    definitions = find_definitions(lines, language) if language is not None else ()
    name = language.name if language is not None else UNKNOWN_LANGUAGE
    return Summary(
        name, len(text.encode()), len(lines), "", definitions, (), analysis="outline", is_generated=_is_generated(lines)
    )


def _unread_kind(path: str, text: str, lines: Sequence[str]) -> Analysis | None:
    """Return why nobody reads a text, if so."""
    if any(len(line) > MAX_LINE_CHARACTERS for line in lines[:50]) and not is_notebook(path):
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
    return Summary(language.name if language else UNKNOWN_LANGUAGE, size, 0, "", (), (), analysis=analysis)


def _parse_file(path: str, lines: Sequence[str], language: Language | None) -> tuple[Syntax, Analysis]:
    """Parse a file with its language's grammar, else by patterns."""
    if language is None:
        return Syntax((), (), (), ()), "prose"
    if language.name == NOTEBOOK:
        cells = tuple(notebook_cells(lines))[:MAX_DEFINITIONS]
        return Syntax(cells, (), imported_modules("\n".join(lines), language), ()), "patterns"
    if language.grammar is not None:
        code = script_lines(lines) if language.scripts else lines
        syntax = read_syntax(language.grammar, "\n".join(code), code, is_test=is_test(path))
        if syntax is not None:
            extra = find_definitions(code, language, syntax.unparsed) if syntax.unparsed else ()
            found = _with_pattern_matches(syntax, extra, language.grammar)
            markup = markup_of(lines, code) if language.scripts else ()
            return syntax._replace(definitions=tuple(sorted((*found, *markup), key=_line))), "syntax"
    definitions = find_definitions(lines, language)
    invariants = tuple(find_by_lines(lines, language.comment, language.checks))
    imports = imported_modules("\n".join(lines), language) if language.imports else ()
    return Syntax(definitions, invariants, imports, ()), "patterns"


def _line(definition: Definition) -> int:
    return definition.line


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
    if is_notebook(path):
        return notebook_purpose(lines, syntax.definitions), False
    if is_changelog(path):
        return changelog_purpose(lines, language), False
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
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]
