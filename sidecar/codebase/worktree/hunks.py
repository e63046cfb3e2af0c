"""A file's difference cut into small hunks, each with a mark, so that each can be told by itself. Pure.

git's hunks grow with every line that is added beside them. They are cut here where the text itself says so, at
paragraphs and at lines picked by their content, so that an edit changes the hunk it falls into and no other.
"""

import re
from binascii import crc32
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex

LOOKED_AT_CHARACTERS = 60_000
"""How much of one file's difference is cut into hunks at all."""

SHORT_LINES, PARAGRAPH_LINES, PICKED_LINES = 8, 3, 4
"""A hunk of so many lines stays whole; a longer one is cut after a paragraph of three lines at least, or before a line
that is picked by its content once there are four, at the latest after eight."""

_PICKED_OF = 4
_MARK_LENGTH = 8
_HEAD = lazy_regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_SIGNS = ("+", "-", " ", "\\")
_OURS, _THEIRS = lazy_regex(r"<{7}(?: |$)"), lazy_regex(r">{7}(?: |$)")


class Hunk(NamedTuple):
    """Lines that differ and stand together, each with its sign, and a line or two around them."""

    old: int
    """The first line's number in the old text; 0 where there is none: in a new file, in a conflict."""
    new: int
    old_lines: int
    new_lines: int
    name: str
    """What git says of where the hunk stands, mostly the definition around it."""
    lines: tuple[str, ...]
    mark: str
    """Identifies the hunk in its file by what it says and, where that is stable, by where."""

    @property
    def place(self) -> str:
        """Where the hunk stands: `-old+new`, only `+new` where there was nothing."""
        return f"-{self.old}+{self.new}" if self.old else f"+{self.new}"


def hunks_of(text: str) -> tuple[Hunk, ...]:
    """Cuts unified text, from its first `@@` on, into small hunks; looks at the first 60,000 characters only."""
    if len(text) > LOOKED_AT_CHARACTERS:
        text = text[: text.rfind("\n", 0, LOOKED_AT_CHARACTERS) + 1]
    return _hunks_of(text)


@lru_cache(maxsize=48)
def _hunks_of(text: str) -> tuple[Hunk, ...]:
    """The same difference is asked for call after call, while its file stays as it is."""
    found: list[Hunk] = []
    seen: dict[str, int] = {}
    for head, lines in _by_heads(text):
        old, new = _start(head[1], head[2]), _start(head[3], head[4])
        for part in _parts(lines, is_all_new=head[1] == "0"):
            old_lines = 0 if head[1] == "0" else sum(line[:1] in "- " for line in part)
            new_lines = sum(line[:1] in "+ " for line in part)
            identity = short_id([old, part], _MARK_LENGTH)
            seen[identity] = seen.get(identity, 0) + 1
            if seen[identity] > 1:  # the same lines once more, which only their order tells apart
                identity = short_id([old, part, seen[identity]], _MARK_LENGTH)
            found.append(Hunk(old, new, old_lines, new_lines, head[5], tuple(part), identity))
            old, new = old + old_lines, new + new_lines
    return tuple(found)


def head_of(first: Hunk, last: Hunk) -> str:
    """Writes the head of hunks that follow one another without a gap, as git does; a new text has one side only."""
    new = _range("+", first.new, last.new + last.new_lines - first.new)
    old = _range("-", first.old, last.old + last.old_lines - first.old) + " " if first.old else ""
    return f"@@ {old}{new} @@ {first.name}".rstrip()


def follows(before: Hunk, after: Hunk) -> bool:
    """Says whether a hunk begins where another one ends."""
    return (before.old + before.old_lines, before.new + before.new_lines) == (after.old, after.new)


def as_added(text: str) -> str:
    """Writes a new file as the difference to nothing."""
    lines = text[:LOOKED_AT_CHARACTERS].removesuffix("\n").split("\n")
    return f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines) if text else ""


def conflicts_in(text: str) -> str:
    """Writes the places of a file that a merge left to be decided, with git's own lines around either side."""
    found, begun = [], None
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if _OURS.match(line):
            begun = number
        elif begun is not None and _THEIRS.match(line):
            body = "".join(f" {one}\n" for one in lines[begun : number + 1])
            found.append(f"@@ -0,0 +{begun + 1},{number + 1 - begun} @@ conflict\n{body}")
            begun = None
    return "".join(found)


def _by_heads(text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Cuts at the lines that begin a hunk: a line of content always has a sign before it."""
    head: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("@@ "):
            if head is not None:
                yield head, lines
            head, lines = _HEAD.match(line), []
        elif line.startswith(_SIGNS):
            lines.append(line)
    if head is not None:
        yield head, lines


def _parts(lines: list[str], *, is_all_new: bool) -> list[list[str]]:
    """Cuts a long hunk; each part has a line that differs."""
    if len(lines) <= SHORT_LINES:
        return [lines] if lines else []
    parts: list[list[str]] = [[]]
    differs = False
    for number, line in enumerate(lines):
        part = parts[-1]
        if differs and line[0] != "\\" and len(lines) - number >= PARAGRAPH_LINES and _ends(part, line):
            parts.append(part := [])
            differs = False
        part.append(line)
        differs = differs or is_all_new or line[0] != " "
    if len(parts) > 1 and not differs:
        parts[-2:] = [parts[-2] + parts[-1]]
    return parts


def _ends(part: Sequence[str], line: str) -> bool:
    if len(part) >= SHORT_LINES:
        return True
    if len(part) >= PARAGRAPH_LINES and not part[-1][1:].strip() and line[1:].strip():
        return True
    return len(part) >= PICKED_LINES and crc32(line.encode("utf-8", "replace")) % _PICKED_OF == 0


def _start(number: str, count: str | None) -> int:
    """The first line of a side; git names the line before where a side has none."""
    return int(number) + (count == "0" and number != "0")


def _range(sign: str, start: int, count: int) -> str:
    first = start - (count == 0 and start > 0)
    return f"{sign}{first}" if count == 1 else f"{sign}{first},{count}"
