"""A Markdown text by its headings, code blocks apart. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.core.lazy_regex import regex

_HEADING = regex(r"(#{1,6})\s++(.+?)\s{0,9}#{0,9}\s{0,9}$")
_FENCE = regex(r"\s*(`{3,}|~{3,})")
_LISTED = regex(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_EMPHASIS = regex(r"\*\*|__")
_RULE = regex(r"\s*([-*_=])(?:\s*\1){2,}\s*$")
_TABLE_RULE = regex(r"[\s:|-]++$")


class Section(NamedTuple):
    """What stands under a heading, up to the next one; level 0 and no title before the first."""

    level: int
    title: str
    lines: tuple[str, ...]
    code: tuple[str, ...]
    """The lines of its code blocks."""


def sections_of(text: str) -> list[Section]:
    """Splits a text at its headings; what is in a code block opens none."""
    found: list[tuple[int, str, list[str], list[str]]] = [(0, "", [], [])]
    fence = ""
    for line in text.splitlines():
        opening = _FENCE.match(line)
        if opening and (not fence or opening[1].startswith(fence)):
            fence = "" if fence else opening[1]
        elif fence:
            found[-1][3].append(line)
        elif heading := _HEADING.match(line):
            found.append((len(heading[1]), plain(heading[2]), [], []))
        else:
            found[-1][2].append(line)
    return [Section(level, title, tuple(lines), tuple(code)) for level, title, lines, code in found]


def below(sections: Sequence[Section], at: int) -> Section:
    """Gives a section with all that stands in its own subsections."""
    own = sections[at]
    lines, code = list(own.lines), list(own.code)
    for later in sections[at + 1 :]:
        if later.level <= own.level:
            break
        lines += later.lines
        code += later.code
    return own._replace(lines=tuple(lines), code=tuple(code))


def statements(lines: Sequence[str]) -> Iterator[str]:
    """Yields a text's list items and paragraphs, each on one line, without its marks."""
    open_one: list[str] = []
    for line in (*lines, ""):
        starts = _LISTED.match(line) is not None
        if open_one and (starts or not line.strip() or line.lstrip().startswith(("|", ">"))):
            yield plain(" ".join(open_one))
            open_one = []
        if line.strip() and not _RULE.match(line) and not _TABLE_RULE.match(line):
            open_one.append(_LISTED.sub("", line, count=1).strip())


def plain(text: str) -> str:
    """Gives a text without emphasis, quotation and heading marks."""
    return _EMPHASIS.sub("", text).lstrip("> ").strip()
