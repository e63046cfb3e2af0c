"""Definitions by patterns over single lines: for languages without a grammar, and where a grammar gave up. Pure."""

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

_DEFINING_LINE = 400
"""Longer lines are not searched for definitions, nor read as the end of a signature."""

_BLOCK_COMMENT = lazy_regex(r"/\*(?:[^*]|\*(?!/))*+(\*/)?")
_TRAILING_COMMENT = lazy_regex(r"(?<!\s)\s++(?:#|//)(?:\s.*)?$")


def definitions_by_patterns(
    lines: Sequence[str], language: Language, within: Sequence[tuple[int, int]] | None = None
) -> tuple[Definition, ...]:
    """Finds what a language's patterns find, each with its signature; an end and a container have none.

    With `within`, only in these first and last lines, counted from 1. Of what a pattern finds at some `depth`, only
    what is as deep as the first one counts, and each name once.
    """
    found: list[Definition] = []
    fenced = False
    outermost: str | None = None
    known: set[str] = set()
    numbers = range(1, len(lines) + 1) if within is None else _numbers(within, len(lines))
    for number in numbers:
        line = lines[number - 1]
        if language.name == "Markdown" and line.startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or not line or len(line) > _DEFINING_LINE:
            continue
        match = _defining(line.rstrip(), language)
        name = match["name"].rstrip("# ")[:MAX_NAME] if match else ""
        if match and "depth" in match.re.groupindex:
            outermost = match["depth"] if outermost is None else outermost
            name = name if match["depth"] == outermost and name not in known else ""
            known.add(name)
        if name:
            signature = _signature(lines, number - 1)
            found.append(Definition(number, name, signature, kind=_kind(signature)))
        if len(found) >= MAX_DEFINITIONS:
            break
    return tuple(found)


def _numbers(within: Sequence[tuple[int, int]], last: int) -> list[int]:
    """Gives the lines of ranges that may overlap, in order."""
    return sorted({number for start, end in within for number in range(start, min(end, last) + 1)})


def _kind(signature: str) -> str:
    """Names what is defined by the first word that says so."""
    word = _KIND.search(signature[:80])
    return _KINDS.get(word[0], word[0]) if word else ""


def one_signature(text: str) -> str:
    """Brings a definition's head onto one line, without comments and the opening of its body."""
    if "/*" in text:
        text = _BLOCK_COMMENT.sub(lambda found: " " if found[1] else found[0], text)
    if "//" in text or "#" in text:
        text = " ".join(without_comment(line) for line in text.split("\n"))
    text = " ".join(text.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")[: MAX_SIGNATURE * 2]
    text = text.rstrip("{:=; ")
    while text.endswith("=>"):
        text = text[:-2].rstrip("{:=; ")
    return text[:MAX_SIGNATURE].rstrip()


def without_comment(line: str) -> str:
    """Takes off the comment at a line's end."""
    return _TRAILING_COMMENT.sub("", line).strip()


def _defining(line: str, language: Language) -> re.Match[str] | None:
    matches = (pattern.match(line) for pattern in language.definitions)
    return next((match for match in matches if match), None)


def _signature(lines: Sequence[str], index: int) -> str:
    """Joins a definition's lines until its parentheses close."""
    text = without_comment(lines[index])
    for following in lines[index + 1 : index + 6]:
        if text.count("(") <= text.count(")") or len(following) > _DEFINING_LINE:
            break
        text += "\n" + without_comment(following)
    return one_signature(text)
