"""Definitions by patterns over single lines: for languages without a grammar, and where a grammar gave up. Pure."""

import re
from collections.abc import Sequence

from sidecar.codebase.languages import Language
from sidecar.codebase.values import Definition

MAX_DEFINITIONS = 400
MAX_SIGNATURE = 160
MAX_NAME = 100

_DEFINING_LINE = 400
"""Longer lines are not searched for definitions, nor read as the end of a signature."""

_TRAILING_COMMENT = re.compile(r"(?<!\s)\s++(?:#|//)\s.*$")


def definitions_by_patterns(lines: Sequence[str], language: Language) -> tuple[Definition, ...]:
    """Finds what a language's patterns find, each with its signature; a kind, an end and a container have none."""
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


def one_signature(text: str) -> str:
    """Brings a definition's head onto one line, without comments and the opening of its body."""
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


def _defined_name(line: str, language: Language) -> str | None:
    matches = (pattern.match(line) for pattern in language.definitions)
    return next((match["name"].rstrip("# ")[:MAX_NAME] for match in matches if match), None)


def _signature(lines: Sequence[str], index: int) -> str:
    """Joins a definition's lines until its parentheses close."""
    text = without_comment(lines[index])
    for following in lines[index + 1 : index + 6]:
        if text.count("(") <= text.count(")") or len(following) > _DEFINING_LINE:
            break
        text += "\n" + without_comment(following)
    return one_signature(text)
