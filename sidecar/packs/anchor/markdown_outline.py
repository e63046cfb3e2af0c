"""What a Markdown text is made of, as far as an anchor asks: list items, sections, code blocks, its title. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import regex

_BULLET = regex(r"^\s{0,3}(?:[-*+]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?(.+)$")
_HEADING = regex(r"^(#{1,6})\s++(.+?)\s{0,9}#{0,9}$")
_UNDERLINE = regex(r"^(=|-|~|\^)\1{2,}\s*$")
_FENCE = regex(r"^\s*(```+|~~~+)\s*([\w-]*)")
_NAMED = regex(r"(?m)^title:\s*+[\"']?(.+?)[\"']?[^\S\n]{0,9}$")
_NO_PROSE = ("#", "[!", "![", "<", "|", ">", "```", "---", "===", ":", "..", "[`")
_LINK = regex(r"\[([^\]]{0,300})\](?:\([^)]{0,900}\)|\[[^\]]{0,90}\])|`([^`<]{1,300}?)\s{0,4}(?:<[^`>]{0,900}>)?`_++")
_SHORT_LINK = regex(r"(?<!\w)\[(\w[^\]]{0,300})\]")
_MARKUP = regex(r"</?\w[^<>]*>|\*\*|__(?=\S)|(?<=\S)__")
_ASKS = regex(r"(?i)\b(?:sponsor\w*|funding|donat\w+|backers?|star us|join (?:us|our))\b")
_WHAT_IT_IS = regex(r"^an? |^(?!there|this|if|we|you)\w.{1,120}?\b(?:is|are) (?:an?|the|one|written)\b", re.IGNORECASE)
_SENTENCE = regex(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!?](?=\s|$)")

MAX_PARAGRAPHS = 6
"""So many of a README's paragraphs are looked at for the one that says what it is about."""


class Line(NamedTuple):
    """A line or list item outside of code; lines count from 1."""

    number: int
    text: str
    headings: tuple[str, ...]
    """The headings it stands under, the outermost first."""


class Code(NamedTuple):
    """A block of code."""

    number: int
    language: str
    lines: tuple[str, ...]
    headings: tuple[str, ...]


def prose(text: str) -> Iterator[Line]:
    """Yields the lines outside of code, without headings."""
    for part in _parts(text):
        if isinstance(part, Line):
            yield part


def code(text: str) -> Iterator[Code]:
    """Yields the fenced blocks of code."""
    for part in _parts(text):
        if isinstance(part, Code):
            yield part


def bullets(text: str) -> list[Line]:
    """Gives the list items outside of code, each with the lines that continue it, at its first line's number."""
    found: list[Line] = []
    last = 0
    for line in prose(text):
        bullet = _BULLET.match(line.text)
        goes_on = line.number == last + 1 and line.text.startswith("  ")
        if bullet:
            found.append(line._replace(text=bullet[1]))
        elif goes_on and found and line.text.strip()[:1] not in ("", "-", "*", "+"):
            found[-1] = found[-1]._replace(text=f"{found[-1].text} {line.text.strip()}")
        else:
            continue
        last = line.number
    return found


def title_of(text: str) -> str:
    """Gives the title: what the front matter names, else the first heading; empty without one."""
    front = text.removeprefix("---\n").partition("\n---")[0] if text.startswith("---\n") else ""
    named = _NAMED.search(front)
    if named:
        return named[1]
    lines = text.splitlines()
    below = (*lines[1:], "")
    headings = (_heading(line, following) for line, following in zip(lines, below, strict=False))
    return next((heading[1] for heading in headings if heading is not None), "")


def introduction(text: str) -> str:
    """Gives the paragraph that says what something is; else the first prose, which may be news."""
    told = [one for _, one in zip(range(MAX_PARAGRAPHS), _paragraphs(text), strict=False) if not _ASKS.search(one)]
    return next((one for one in told if _WHAT_IT_IS.search(one)), told[0] if told else "")


def _paragraphs(text: str) -> Iterator[str]:
    """Yields the prose: no headings, badges, pictures, tables, quotes or code, nothing indented."""
    paragraph: list[str] = []
    last = 0
    other = False
    for line in prose(text):
        stripped = line.text.strip()
        begins_otherwise = line.text.startswith("    ") or stripped.startswith(_NO_PROSE)
        other = bool(stripped) and (begins_otherwise or other)  # what goes on from a field or a quote is none either
        is_prose = bool(stripped) and not other
        if paragraph and not (is_prose and line.number == last + 1):
            yield _SHORT_LINK.sub(r"\1", plain(" ".join(paragraph)))
            paragraph = []
        if is_prose:
            paragraph.append(stripped)
            last = line.number
    if paragraph:
        yield _SHORT_LINK.sub(r"\1", plain(" ".join(paragraph)))


def first_sentence(text: str) -> str:
    """Gives a text up to its first full stop."""
    end = _SENTENCE.search(text)
    return text[: end.end()] if end else text


def plain(text: str) -> str:
    """Drops links' addresses, tags and bold marks, which a reader of plain text has nothing of."""
    return _MARKUP.sub("", _LINK.sub(lambda link: link[1] or link[2] or "", text)).strip()


def folded(text: str) -> str:
    """Gives what a text says whatever its marks, spaces and capitals: two that fold alike say the same."""
    return re.sub(r"[\s*_`\"']+", " ", text.casefold()).strip(" .;:!")


def _parts(text: str) -> Iterator[Line | Code]:
    """The lines and blocks in order, each with the headings above it."""
    headings: list[tuple[int, str]] = []
    block: list[str] | None = None
    fence, language, begun = "", "", 0
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if block is not None:
            if mark and line.strip().startswith(fence):
                yield Code(begun, language, tuple(block), tuple(name for _, name in headings))
                block = None
            else:
                block.append(line)
        elif mark:
            block, fence, language, begun = [], mark[1], mark[2].lower(), number
        elif (level := _heading(line, lines[number] if number < len(lines) else "")) is not None:
            headings = [one for one in headings if one[0] < level[0]] + [level]
        elif not _UNDERLINE.match(line):
            yield Line(number, line, tuple(name for _, name in headings))


def _heading(line: str, following: str) -> tuple[int, str] | None:
    """The level and text of a heading, marked by signs before it or by a rule below it."""
    heading = _HEADING.match(line)
    if heading:
        return len(heading[1]), heading[2]
    ruled = _UNDERLINE.match(following)
    if ruled and line[:1].isalnum() and len(line.strip()) <= len(following.strip()) + 3:
        return "=-~^".index(ruled[1]) + 1, line.strip()
    return None
