"""What a file is: language, size, definitions with signatures and lines, purpose, and its terms. Pure."""

import re
from typing import NamedTuple, cast

from sidecar.codebase.languages import Language, language_of
from sidecar.codebase.terms import count_terms

SUMMARY_VERSION = 2
"""Part of the cache key: a change of what a summary holds makes the old ones invalid."""

MAX_ANALYSED_BYTES = 512 * 1024
MAX_DEFINITIONS = 400
MAX_SIGNATURE = 160
MAX_TERMS = 4_000
MAX_PURPOSE = 160

_MINIFIED_LINE = 2_000


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
    language = language_of(path)
    name = language.name if language else "text"
    empty = Summary(name, len(content), content.count(b"\n"), "", (), {})
    if len(content) > MAX_ANALYSED_BYTES or b"\0" in content[:8192]:
        return empty
    text = content.decode("utf-8", "replace").lstrip("\ufeff")
    lines = text.splitlines()
    if any(len(line) > _MINIFIED_LINE for line in lines[:50]):
        return empty
    terms = dict(sorted(count_terms(text).items(), key=lambda item: (-item[1], item[0]))[:MAX_TERMS])
    definitions = _definitions(lines, language) if language else ()
    return Summary(name, len(content), len(lines), _purpose(lines, language), definitions, terms)


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


def _definitions(lines: list[str], language: Language) -> tuple[Definition, ...]:
    found: list[Definition] = []
    fenced = False
    for number, line in enumerate(lines, 1):
        if language.name == "Markdown" and line.startswith("```"):
            fenced = not fenced
        if fenced or not line or len(line) > 400:
            continue
        for pattern in language.definitions:
            match = pattern.match(line)
            if match:
                found.append(Definition(number, match["name"].strip(), _signature(lines, number - 1)))
                break
        if len(found) >= MAX_DEFINITIONS:
            break
    return tuple(found)


def _signature(lines: list[str], index: int) -> str:
    """Joins a definition's lines until its parentheses close, without the body's opening."""
    text = lines[index].strip()
    for following in lines[index + 1 : index + 6]:
        if text.count("(") <= text.count(")"):
            break
        text += " " + following.strip()
    text = re.sub(r"\s+(?:#|//)\s.*$", "", text)
    text = re.sub(r"\s+", " ", text).replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return text.rstrip("{:= ")[:MAX_SIGNATURE]


def _purpose(lines: list[str], language: Language | None) -> str:
    """Takes the first sentence of a module's docstring or leading comment."""
    comment = language.comment if language else "#"
    for number, line in enumerate(lines[:12]):
        text = line.strip()
        if comment == '"' and text.startswith(('"""', "'''", 'r"""')):
            inner = text.lstrip("r").strip("\"'").strip()
            return _sentence(inner or (lines[number + 1].strip() if number + 1 < len(lines) else ""))
        if comment == "" and text and not text.startswith(("#", "<", "[", "!", "---", "===")):
            return _sentence(text)
        if text.startswith(("/**", "/*")):
            inner = text.strip("/* ")
            following = lines[number + 1].strip().lstrip("* ") if number + 1 < len(lines) else ""
            return _not_legal(_sentence(inner or following))
        if (
            comment
            and comment != '"'
            and text.startswith(comment)
            and not text.startswith(("#!", "//!", "# -*-", "#:"))
        ):
            return _not_legal(_sentence(text.lstrip(comment + "/ ")))
        if (
            text
            and comment not in ("", '"')
            and not text.startswith((comment, "#!", "<?php", "'use", '"use', "package ", "//"))
        ):
            return ""
    return ""


def _sentence(text: str) -> str:
    text = re.sub(r"\s+(?:#|//)\s.*$", "", text)
    text = re.sub(r"\s+", " ", text).strip("*/#\"' ")
    end = re.search(r"[.!?](\s|$)", text)
    return (text[: end.start() + 1] if end else text)[:MAX_PURPOSE]


def _not_legal(text: str) -> str:
    """Drops licence headers and linter directives, which say nothing of a file's purpose."""
    return (
        ""
        if re.match(r"(?i)(copyright|licen[sc]ed?|spdx|@license|eslint|prettier|ts-|@ts|istanbul|noinspection)", text)
        else text
    )
