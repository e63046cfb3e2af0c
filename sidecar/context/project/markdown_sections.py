"""Split Markdown at its headings, with code blocks separate. Pure."""

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
    """The content below a heading, up to the next one; level 0 and no title before the first."""

    level: int
    title: str
    lines: tuple[str, ...]
    code: tuple[str, ...]
    """The lines of its code blocks."""


def split_sections(text: str) -> list[Section]:
    """Split text at its headings; lines in code blocks are not headings."""
    sections: list[tuple[int, str, list[str], list[str]]] = [(0, "", [], [])]
    fence = ""
    for line in text.splitlines():
        opening = _FENCE.match(line)
        if opening and (not fence or opening[1].startswith(fence)):
            fence = "" if fence else opening[1]
        elif fence:
            sections[-1][3].append(line)
        elif heading := _HEADING.match(line):
            sections.append((len(heading[1]), plain_text(heading[2]), [], []))
        else:
            sections[-1][2].append(line)
    return [Section(level, title, tuple(lines), tuple(code)) for level, title, lines, code in sections]


def with_subsections(sections: Sequence[Section], at: int) -> Section:
    """Return a section together with its subsections."""
    own = sections[at]
    lines, code = list(own.lines), list(own.code)
    for later in sections[at + 1 :]:
        if later.level <= own.level:
            break
        lines += later.lines
        code += later.code
    return own._replace(lines=tuple(lines), code=tuple(code))


def statements(lines: Sequence[str]) -> Iterator[str]:
    """Yield list items and paragraphs, each on one line without its marks."""
    paragraph: list[str] = []
    for line in (*lines, ""):
        starts_item = _LISTED.match(line) is not None
        if paragraph and (starts_item or not line.strip() or line.lstrip().startswith(("|", ">"))):
            yield plain_text(" ".join(paragraph))
            paragraph = []
        if line.strip() and not _RULE.match(line) and not _TABLE_RULE.match(line):
            paragraph.append(_LISTED.sub("", line, count=1).strip())


def plain_text(text: str) -> str:
    """Remove emphasis, quotation and heading marks."""
    return _EMPHASIS.sub("", text).lstrip("> ").strip()
