"""What a file is: language, size, definitions with signatures and lines, purpose, and its terms. Pure."""

import codecs
import re
from typing import NamedTuple, cast

from sidecar.codebase.languages import DOCSTRING, PROSE, Language, language_of
from sidecar.codebase.terms import count_terms
from sidecar.core.redact import redact

SUMMARY_VERSION = 5
"""Part of the cache key: a change of what a summary holds makes the old ones invalid."""

MAX_ANALYSED_BYTES = 512 * 1024
MAX_DEFINITIONS = 400
MAX_SIGNATURE = 160
MAX_TERMS = 4_000
MAX_PURPOSE = 160
MAX_NAME = 100

_MINIFIED_LINE = 2_000
_DEFINING_LINE = 400
"""Longer lines are not searched for definitions, nor read as the end of a signature."""

_TRAILING_COMMENT = re.compile(r"(?<!\s)\s++(?:#|//)\s.*$")
_MARKUP = ("#", "<", "[", "!", "---", "===", "```")
_DIRECTIVES = ("#!", "# -*-", "#:", "#pragma", "#include", "#ifndef", "#define", "//go:build", "// +build")
_PREAMBLE = ("<?php", "'use", '"use', "package ", "//")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SPACES = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_NOT_A_PURPOSE = re.compile(
    r"(?i)(?:copyright|licen[sc]ed?|spdx|@license|eslint|prettier|ts-|@ts|istanbul|noinspection|\(c\)|©)"
)


class Definition(NamedTuple):
    """A named thing in a file; `line` counts from 1."""

    line: int
    name: str
    signature: str


class Summary(NamedTuple):
    """A file's summary as packs and the ranker use it."""

    language: str
    bytes: int
    lines: int
    purpose: str
    definitions: tuple[Definition, ...]
    terms: dict[str, int]


def summarise(path: str, content: bytes) -> Summary:
    """Reads a file once; binary, minified and over-large ones keep their size and no more."""
    text = _text(content) if len(content) <= MAX_ANALYSED_BYTES else None
    lines = _lines(text) if text is not None else []
    if text is None or any(len(line) > _MINIFIED_LINE for line in lines[:50]):
        return not_analysed(path, len(content))._replace(lines=content.count(b"\n"))
    language = language_of(path)
    terms = dict(sorted(count_terms(redact(text)).items(), key=lambda item: (-item[1], item[0]))[:MAX_TERMS])
    definitions = _definitions(lines, language) if language else ()
    return Summary(_language_name(path), len(content), len(lines), _purpose(lines, language), definitions, terms)


def not_analysed(path: str, size: int) -> Summary:
    """Gives the summary of a file that is known by its name and size only."""
    return Summary(_language_name(path), size, 0, "", (), {})


def to_json(summary: Summary) -> list[object]:
    """Packs a summary for the file cache."""
    return [*summary[:4], [list(definition) for definition in summary.definitions], summary.terms]


def from_json(value: list[object]) -> Summary:
    """Unpacks what `to_json` packed."""
    language, size, lines, purpose, definitions, terms = value
    return Summary(
        str(language),
        cast("int", size),
        cast("int", lines),
        str(purpose),
        tuple(Definition(*definition) for definition in cast("list[list[object]]", definitions)),  # type: ignore[arg-type]
        cast("dict[str, int]", terms),
    )


def _language_name(path: str) -> str:
    language = language_of(path)
    return language.name if language else "text"


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


def _definitions(lines: list[str], language: Language) -> tuple[Definition, ...]:
    found: list[Definition] = []
    fenced = False
    for number, line in enumerate(lines, 1):
        if language.name == "Markdown" and line.startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or not line or len(line) > _DEFINING_LINE:
            continue
        name = _defined_name(line.rstrip(), language)
        if name:
            found.append(Definition(number, name, _signature(lines, number - 1)))
        if len(found) >= MAX_DEFINITIONS:
            break
    return tuple(found)


def _defined_name(line: str, language: Language) -> str | None:
    matches = (pattern.match(line) for pattern in language.definitions)
    return next((match["name"].rstrip("# ")[:MAX_NAME] for match in matches if match), None)


def _signature(lines: list[str], index: int) -> str:
    """Joins a definition's lines until its parentheses close, without the body's opening."""
    text = _without_comment(lines[index])
    for following in lines[index + 1 : index + 6]:
        if text.count("(") <= text.count(")") or len(following) > _DEFINING_LINE:
            break
        text += " " + _without_comment(following)
    text = redact(_SPACES.sub(" ", text))  # before it is cut: half a secret is not known as one
    return text.replace("( ", "(").replace(", )", ")").replace(" )", ")").rstrip("{:= ")[:MAX_SIGNATURE]


def _without_comment(line: str) -> str:
    return _TRAILING_COMMENT.sub("", line).strip()


def _purpose(lines: list[str], language: Language | None) -> str:
    """Takes the first sentence of a module's docstring or leading comment."""
    comment = language.comment if language else "#"
    for number, line in enumerate(lines[:12]):
        text = line.strip()
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if comment == DOCSTRING:
            found = _of_docstring(text, following)
        elif comment == PROSE:
            found = _sentence(text) if text and not text.startswith(_MARKUP) else None
        else:
            found = _of_comment(text, following, comment)
        if found is not None:
            return found
    return ""


def _of_docstring(text: str, following: str) -> str | None:
    if not text.startswith(('"""', "'''", 'r"""')):
        return None if not text or text.startswith("#") else ""
    return _sentence(text.lstrip("r").strip("\"'").strip() or following)


def _of_comment(text: str, following: str, comment: str) -> str | None:
    """The purpose on this line: None to look further, nothing where code begins before any comment."""
    if text.startswith("/*"):
        return _not_legal(_sentence(text.strip("/* ") or following.lstrip("* ")))
    if text.startswith(_DIRECTIVES):
        return None
    if text.startswith(comment):
        return _not_legal(_sentence(text.lstrip(comment + "!/ ")))
    return "" if text and not text.startswith(_PREAMBLE) else None


def _sentence(text: str) -> str:
    text = _SPACES.sub(" ", _TRAILING_COMMENT.sub("", text)).strip("*/#\"' ")
    end = _SENTENCE_END.search(text)
    return redact(text[: end.start() + 1] if end else text)[:MAX_PURPOSE]


def _not_legal(text: str) -> str:
    """Drops licence headers and linter directives, which say nothing of a file's purpose."""
    return "" if _NOT_A_PURPOSE.match(text) else text
