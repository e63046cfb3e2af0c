"""Markdown: front matter, headings, lines, code blocks and sections. Pure.

The memory files have a format of their own, in which offsets matter (`memory/files/document.py`).
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecar.core.clean_text import without_emphasis
from sidecar.core.lazy_regex import lazy_regex

_HEADING = lazy_regex(r"(#{1,6})\s++(.+?)\s{0,9}#{0,9}\s{0,9}$")
_UNDERLINE = lazy_regex(r"^(=|-|~|\^)\1{2,}\s*$")
_FENCE = lazy_regex(r"^\s*(```+|~~~+)\s*([\w-]*)")
_LIST_ITEM = lazy_regex(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_RULE = lazy_regex(r"\s*([-*_=])(?:\s*\1){2,}\s*$")
_TABLE_RULE = lazy_regex(r"[\s:|-]++$")


_FRONT_OPENING = lazy_regex(r"\ufeff?---[ \t]*\r?\n")
_FRONT_CLOSING = lazy_regex(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


class FrontMatter(NamedTuple):
    """A text in three parts; `matter` is None without front matter, or if it is never closed."""

    opening: str
    """Includes the byte order mark, if any."""
    matter: str | None
    rest: str
    """Includes the closing line."""
    is_unclosed: bool = False

    @property
    def body(self) -> str:
        """Return the text after the front matter."""
        return self.rest if self.matter is None else self.rest.partition("\n")[2]


def split_front_matter(text: str) -> FrontMatter:
    """Split a text's YAML front matter off: the lines between `---` and `---` at its top."""
    opening = _FRONT_OPENING.match(text)
    closing = _FRONT_CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        return FrontMatter(mark, None, text[len(mark) :], is_unclosed=opening is not None)
    return FrontMatter(opening.group(), text[opening.end() : closing.start()], text[closing.start() :])


class Heading(NamedTuple):
    """A heading; level 1 is the outermost."""

    level: int
    title: str


class Line(NamedTuple):
    """A line outside of code; numbers count from 1."""

    number: int
    text: str
    headings: tuple[str, ...]
    """The headings above it, outermost first."""


class Code(NamedTuple):
    """A block of code, at the number of its opening fence."""

    number: int
    language: str
    lines: tuple[str, ...]
    headings: tuple[str, ...]
    is_closed: bool
    """False for a block that extends to the end of the text because its fence is never closed."""


class Section(NamedTuple):
    """The content below a heading, up to the next one; level 0 and no title before the first."""

    level: int
    title: str
    lines: tuple[str, ...]
    code: tuple[str, ...]
    """The lines of its code blocks."""


def markdown_blocks(text: str, *, underlined_headings: bool) -> Iterator[Heading | Line | Code]:
    """Yield headings, lines and code blocks in order.

    With `underlined_headings` a line above a rule of `=`, `-`, `~` or `^` is a heading, and rules are dropped.
    """
    headings: list[Heading] = []
    block: list[str] | None = None
    fence, language, start_line = "", "", 0
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if block is not None:
            if mark and line.strip().startswith(fence):
                yield Code(start_line, language, tuple(block), _titles(headings), is_closed=True)
                block = None
            else:
                block.append(line)
        elif mark:
            block, fence, language, start_line = [], mark[1], mark[2].lower(), number
        elif (heading := _heading(line, lines[number : number + 1] if underlined_headings else ())) is not None:
            headings = [above for above in headings if above.level < heading.level] + [heading]
            yield heading
        elif not (underlined_headings and _UNDERLINE.match(line)):
            yield Line(number, line, _titles(headings))
    if block:
        yield Code(start_line, language, tuple(block), _titles(headings), is_closed=False)


def split_sections(text: str) -> list[Section]:
    """Split text at its headings; lines in code blocks are not headings."""
    sections: list[tuple[int, str, list[str], list[str]]] = [(0, "", [], [])]
    for block in markdown_blocks(text, underlined_headings=False):
        if isinstance(block, Heading):
            sections.append((block.level, plain_text(block.title), [], []))
        elif isinstance(block, Line):
            sections[-1][2].append(block.text)
        else:
            sections[-1][3].extend(block.lines)
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
        starts_item = _LIST_ITEM.match(line) is not None
        if paragraph and (starts_item or not line.strip() or line.lstrip().startswith(("|", ">"))):
            yield plain_text(" ".join(paragraph))
            paragraph = []
        if line.strip() and not _RULE.match(line) and not _TABLE_RULE.match(line):
            paragraph.append(_LIST_ITEM.sub("", line, count=1).strip())


def plain_text(text: str) -> str:
    """Remove emphasis, quotation and heading marks."""
    return without_emphasis(text).lstrip("> ").strip()


def _titles(headings: Sequence[Heading]) -> tuple[str, ...]:
    return tuple(heading.title for heading in headings)


def _heading(line: str, following: Sequence[str]) -> Heading | None:
    """Return the heading of a line, marked by leading signs or by a rule below it."""
    marked = _HEADING.match(line)
    if marked:
        return Heading(len(marked[1]), marked[2])
    rule = _UNDERLINE.match(following[0]) if following else None
    if rule and line[:1].isalnum() and len(line.strip()) <= len(following[0].strip()) + 3:
        return Heading("=-~^".index(rule[1]) + 1, line.strip())
    return None
