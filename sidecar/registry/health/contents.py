"""What a file of the framework has to hold: articles, sections, placeholders, JSON. Pure."""

import json
import re
from typing import NamedTuple

from sidecar.core.regex import regex

LEAST_ARTICLES = 14
"""A constitution has at least so many, without a gap; fifteen are right too (decisions.md, Registry)."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "mission": ("mission",),
    "inputs": ("input", "inputs", "on activation", "context requirements", "prerequisites"),
    "outputs": ("output", "outputs", "deliverable", "deliverables", "artifact", "artifacts"),
    "criteria": ("criteria", "self-validation", "validation", "success"),
}
"""The sections of an agent's definition (intelligence-layer.md 5.3), each with the headings that say it."""

_ARTICLE = regex(
    r"^[ \t]*(?:#{1,6}[ \t]*|\*\*[ \t]*)?Article[ \t]+([IVXLC]+|\d{1,3})\b[ \t]*(?:[:.—–-]|\*\*|$)", re.MULTILINE
)
_HEADING = regex(r"^[ \t]*+(?:#{1,6}[ \t]++(.+)|\*\*(.+?)\*\*.*)$", re.MULTILINE)
_FENCED = regex(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_PLACEHOLDER = regex(
    r"\{\{[^{}\n]{1,200}\}\}|\$\{[^{}\n]{1,200}\}|\{[A-Za-z][^{}\n:\"']{0,80}\}|<[A-Za-z][\w -]{0,80}>"
    r"|\[[A-Z][^\[\]\n]{0,80}\](?!\()|%[A-Z_]{2,40}%"
)
_FORM = regex(r"^[ \t]*(?:sections|fields|placeholders)[ \t]*:[ \t]*(?:\S.*)?$", re.MULTILINE)
_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


class Articles(NamedTuple):
    """The articles of a constitution."""

    present: int
    """Different ones that are there, of those expected."""
    expected: int
    missing: tuple[str, ...]
    """Roman numbers of those that are not."""


def articles_in(text: str) -> Articles:
    """Counts the articles that a constitution heads; missing are those below the highest, or below the fourteenth."""
    found = {_number(numeral) for numeral in _ARTICLE.findall(text)} - {0}
    expected = max(LEAST_ARTICLES, max(found, default=0))
    missing = [number for number in range(1, expected + 1) if number not in found]
    return Articles(expected - len(missing), expected, tuple(map(roman, missing)))


def missing_sections(text: str) -> list[str]:
    """Gives the sections that an agent's definition does not have; headings of examples do not count."""
    headings = [(one or two).strip().lower() for one, two in _HEADING.findall(_FENCED.sub("", text))]
    return [
        name
        for name, said in SECTIONS.items()
        if not any(re.search(rf"\b{re.escape(word)}\b", heading) for word in said for heading in headings)
    ]


def has_placeholder(text: str) -> bool:
    """Says whether a template has anything to fill in: `{{name}}`, `{name}`, `<name>`, `[Name]`, or a form's fields."""
    return _PLACEHOLDER.search(text) is not None or _FORM.search(text) is not None


def problem_with_json(text: str) -> str:
    """Says what is wrong with a schema's JSON; empty where it is an object."""
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        return f"It is not valid JSON in line {line}."
    except RecursionError:
        return "It is nested too deep to be a schema."
    return "" if isinstance(value, dict | bool) else "It is JSON, but no schema."


def roman(number: int) -> str:
    """Writes a number below 400 in Roman digits."""
    steps = (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")
    text = ""
    for value, digits in steps:
        text += digits * (number // value)
        number %= value
    return text


def _number(numeral: str) -> int:
    """Reads a number; 0 for what is no well-formed one."""
    if numeral.isdigit():
        return int(numeral)
    values = [_DIGITS[digit] for digit in numeral]
    total = sum(-one if one < next_ else one for one, next_ in zip(values, [*values[1:], 0], strict=True))
    return total if roman(total) == numeral else 0
