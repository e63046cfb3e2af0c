"""Definitions by patterns over single lines, for languages without a grammar and for failed parses. Pure."""

import re
from collections.abc import Sequence

from sidecar.codebase.summary.languages import Language
from sidecar.codebase.summary.model import Definition
from sidecar.core.lazy_regex import lazy_regex

MAX_DEFINITIONS = 400
MAX_SIGNATURE = 160
MAX_NAME = 100

_KINDS = {
    "def": "function",
    "fn": "function",
    "func": "function",
    "fun": "function",
    "mod": "module",
    "const": "constant",
}
_KIND = lazy_regex(
    r"\b(?:class|struct|interface|trait|enum|union|protocol|impl|module|mod|namespace|type|object|def|fn|func|fun|function|const)\b"
)

_MAX_LINE_CHARACTERS = 400
"""Longer lines are neither searched for definitions nor read as the end of a signature."""

_BLOCK_COMMENT = lazy_regex(r"/\*(?:[^*]|\*(?!/))*+(\*/)?")
_TRAILING_COMMENT = lazy_regex(r"(?<!\s)\s++(?:#|//)(?:\s.*)?$")


def find_definitions(
    lines: Sequence[str], language: Language, ranges: Sequence[tuple[int, int]] | None = None
) -> tuple[Definition, ...]:
    """Return what a language's patterns find, each with its signature, without end and container.

    `ranges` limits the search to these first and last lines, counted from 1. For a pattern with a `depth` group, only
    matches as deep as the first one count, and each name once.
    """
    definitions: list[Definition] = []
    fenced = False
    outermost: str | None = None
    names: set[str] = set()
    numbers = range(1, len(lines) + 1) if ranges is None else _numbers(ranges, len(lines))
    for number in numbers:
        line = lines[number - 1]
        if language.name == "Markdown" and line.startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or not line or len(line) > _MAX_LINE_CHARACTERS:
            continue
        match = _match_definition(line.rstrip(), language)
        name = match["name"].rstrip("# ")[:MAX_NAME] if match else ""
        if match and "depth" in match.re.groupindex:
            outermost = match["depth"] if outermost is None else outermost
            name = name if match["depth"] == outermost and name not in names else ""
            names.add(name)
        if name:
            signature = _signature(lines, number - 1)
            definitions.append(Definition(number, name, signature, kind=_kind(signature)))
        if len(definitions) >= MAX_DEFINITIONS:
            break
    return tuple(definitions)


def _numbers(ranges: Sequence[tuple[int, int]], last: int) -> list[int]:
    """Return the lines of ranges that may overlap, in order."""
    return sorted({number for start, end in ranges for number in range(start, min(end, last) + 1)})


def _kind(signature: str) -> str:
    """Return the kind of a definition from its first keyword."""
    word = _KIND.search(signature[:80])
    return _KINDS.get(word[0], word[0]) if word else ""


def normalize_signature(text: str) -> str:
    """Return a definition's head on one line, without comments and the opening of its body."""
    if "/*" in text:
        text = _BLOCK_COMMENT.sub(lambda match: " " if match[1] else match[0], text)
    if "//" in text or "#" in text:
        text = " ".join(strip_comment(line) for line in text.split("\n"))
    text = " ".join(text.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")[: MAX_SIGNATURE * 2]
    text = text.rstrip("{:=; ")
    while text.endswith("=>"):
        text = text[:-2].rstrip("{:=; ")
    return text[:MAX_SIGNATURE].rstrip()


def strip_comment(line: str) -> str:
    """Remove the comment at a line's end."""
    return _TRAILING_COMMENT.sub("", line).strip()


def _match_definition(line: str, language: Language) -> re.Match[str] | None:
    matches = (pattern.match(line) for pattern in language.definitions)
    return next((match for match in matches if match), None)


def _signature(lines: Sequence[str], index: int) -> str:
    """Join a definition's lines until its parentheses close."""
    text = strip_comment(lines[index])
    for following in lines[index + 1 : index + 6]:
        if text.count("(") <= text.count(")") or len(following) > _MAX_LINE_CHARACTERS:
            break
        text += "\n" + strip_comment(following)
    return normalize_signature(text)
