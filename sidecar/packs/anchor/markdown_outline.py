"""The parts of a Markdown text that an anchor needs: list items, sections, code blocks, the title. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import regex

_BULLET = regex(r"^\s{0,3}(?:[-*+]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?(.+)$")
_HEADING = regex(r"^(#{1,6})\s++(.+?)\s{0,9}#{0,9}$")
_UNDERLINE = regex(r"^(=|-|~|\^)\1{2,}\s*$")
_FENCE = regex(r"^\s*(```+|~~~+)\s*([\w-]*)")
_TITLE_FIELD = regex(r"(?m)^title:\s*+[\"']?(.+?)[\"']?[^\S\n]{0,9}$")
_NON_PROSE_PREFIXES = ("#", "[!", "![", "<", "|", ">", "```", "---", "===", ":", "..", "[`")
_LINK = regex(r"\[([^\]]{0,300})\](?:\([^)]{0,900}\)|\[[^\]]{0,90}\])|`([^`<]{1,300}?)\s{0,4}(?:<[^`>]{0,900}>)?`_++")
_SHORT_LINK = regex(r"(?<!\w)\[(\w[^\]]{0,300})\]")
_MARKUP = regex(r"</?\w[^<>]*>|\*\*|__(?=\S)|(?<=\S)__")
_APPEAL = regex(r"(?i)\b(?:sponsor\w*|funding|donat\w+|backers?|star us|join (?:us|our))\b")
_DEFINITION = regex(r"^an? |^(?!there|this|if|we|you)\w.{1,120}?\b(?:is|are) (?:an?|the|one|written)\b", re.IGNORECASE)
_SENTENCE = regex(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!?](?=\s|$)")

MAX_PARAGRAPHS = 6
"""Maximum number of a README's paragraphs searched for the one that introduces it."""


class Line(NamedTuple):
    """A line or list item outside of code; lines count from 1."""

    number: int
    text: str
    headings: tuple[str, ...]
    """The headings above it, outermost first."""


class Code(NamedTuple):
    """A block of code."""

    number: int
    language: str
    lines: tuple[str, ...]
    headings: tuple[str, ...]


def prose_lines(text: str) -> Iterator[Line]:
    """Yield the lines outside of code, without headings."""
    for part in _parts(text):
        if isinstance(part, Line):
            yield part


def code_blocks(text: str) -> Iterator[Code]:
    """Yield the fenced code blocks."""
    for part in _parts(text):
        if isinstance(part, Code):
            yield part


def bullets(text: str) -> list[Line]:
    """Return the list items outside of code, each joined with its continuation lines, at its first line's number."""
    items: list[Line] = []
    last = 0
    for line in prose_lines(text):
        bullet = _BULLET.match(line.text)
        continues = line.number == last + 1 and line.text.startswith("  ")
        if bullet:
            items.append(line._replace(text=bullet[1]))
        elif continues and items and line.text.strip()[:1] not in ("", "-", "*", "+"):
            items[-1] = items[-1]._replace(text=f"{items[-1].text} {line.text.strip()}")
        else:
            continue
        last = line.number
    return items


def title_of(text: str) -> str:
    """Return the title: from the front matter, else the first heading; empty without one."""
    front = text.removeprefix("---\n").partition("\n---")[0] if text.startswith("---\n") else ""
    named = _TITLE_FIELD.search(front)
    if named:
        return named[1]
    lines = text.splitlines()
    below = (*lines[1:], "")
    headings = (_heading(line, following) for line, following in zip(lines, below, strict=False))
    return next((heading[1] for heading in headings if heading is not None), "")


def introduction(text: str) -> str:
    """Return the paragraph that says what something is; else the first paragraph, which may be news."""
    paragraphs = [
        paragraph
        for _, paragraph in zip(range(MAX_PARAGRAPHS), _paragraphs(text), strict=False)
        if not _APPEAL.search(paragraph)
    ]
    return next(
        (paragraph for paragraph in paragraphs if _DEFINITION.search(paragraph)), paragraphs[0] if paragraphs else ""
    )


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the prose: no headings, badges, pictures, tables, quotes or code, nothing indented."""
    paragraph: list[str] = []
    last = 0
    other = False
    for line in prose_lines(text):
        stripped = line.text.strip()
        begins_otherwise = line.text.startswith("    ") or stripped.startswith(_NON_PROSE_PREFIXES)
        other = bool(stripped) and (
            begins_otherwise or other
        )  # the continuation of a field or a quote is not prose either
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
    """Return a text up to its first full stop."""
    end = _SENTENCE.search(text)
    return text[: end.end()] if end else text


def plain(text: str) -> str:
    """Drop link addresses, tags and bold marks, which are noise in plain text."""
    return _MARKUP.sub("", _LINK.sub(lambda link: link[1] or link[2] or "", text)).strip()


def normalize(text: str) -> str:
    """Return a text without marks, repeated spaces and case: two texts that are equal after this say the same."""
    return re.sub(r"[\s*_`\"']+", " ", text.casefold()).strip(" .;:!")


def _parts(text: str) -> Iterator[Line | Code]:
    """The lines and blocks in order, each with the headings above it."""
    headings: list[tuple[int, str]] = []
    block: list[str] | None = None
    fence, language, start_line = "", "", 0
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if block is not None:
            if mark and line.strip().startswith(fence):
                yield Code(start_line, language, tuple(block), tuple(name for _, name in headings))
                block = None
            else:
                block.append(line)
        elif mark:
            block, fence, language, start_line = [], mark[1], mark[2].lower(), number
        elif (level := _heading(line, lines[number] if number < len(lines) else "")) is not None:
            headings = [heading for heading in headings if heading[0] < level[0]] + [level]
        elif not _UNDERLINE.match(line):
            yield Line(number, line, tuple(name for _, name in headings))


def _heading(line: str, following: str) -> tuple[int, str] | None:
    """The level and text of a heading, marked by leading signs or by a rule below it."""
    heading = _HEADING.match(line)
    if heading:
        return len(heading[1]), heading[2]
    ruled = _UNDERLINE.match(following)
    if ruled and line[:1].isalnum() and len(line.strip()) <= len(following.strip()) + 3:
        return "=-~^".index(ruled[1]) + 1, line.strip()
    return None
