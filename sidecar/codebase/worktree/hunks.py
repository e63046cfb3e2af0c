"""A file's diff split into small hunks, each with an id, so that each can be sent separately. Pure.

git's hunks grow with every line added beside them. Here they are split where the text itself suggests it, at paragraphs
and at lines selected by their content, so that an edit changes the hunk it falls into and no other.
"""

import re
from binascii import crc32
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex

MAX_DIFF_CHARACTERS = 60_000
"""Maximum length of one file's diff that is split into hunks."""

MAX_WHOLE_LINES, PARAGRAPH_LINES, SELECTED_LINES = 8, 3, 4
"""Hunks of up to 8 lines stay whole. Longer ones are split after a paragraph of at least three lines, before a line
selected by its content once there are four, or after eight.
"""

_SELECTED_ONE_IN = 4
_ID_LENGTH = 8
_HEAD = lazy_regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_SIGNS = ("+", "-", " ", "\\")
_OURS, _THEIRS = lazy_regex(r"<{7}(?: |$)"), lazy_regex(r">{7}(?: |$)")


class Hunk(NamedTuple):
    """Adjacent lines that differ, each with its sign, and one or two lines of context."""

    old: int
    """The first line's number in the old text; 0 if there is none: in a new file, in a conflict."""
    new: int
    old_lines: int
    new_lines: int
    name: str
    """git's section name of the hunk, mostly the enclosing definition."""
    lines: tuple[str, ...]
    hunk_id: str
    """Identifies the hunk in its file by its content and, where that is stable, its position."""

    @property
    def position(self) -> str:
        """Position of the hunk: `-old+new`, or `+new` in a new text."""
        return f"-{self.old}+{self.new}" if self.old else f"+{self.new}"


def split_hunks(text: str) -> tuple[Hunk, ...]:
    """Split unified text, from its first `@@` on, into small hunks; only its first 60,000 characters count."""
    if len(text) > MAX_DIFF_CHARACTERS:
        text = text[: text.rfind("\n", 0, MAX_DIFF_CHARACTERS) + 1]
    return _split_hunks(text)


@lru_cache(maxsize=48)
def _split_hunks(text: str) -> tuple[Hunk, ...]:
    """Cached, because the same diff is requested call after call while its file is unchanged."""
    hunks: list[Hunk] = []
    occurrences: dict[str, int] = {}
    for head, lines in _raw_hunks(text):
        old, new = _start(head[1], head[2]), _start(head[3], head[4])
        for part in _split_long(lines, is_all_new=head[1] == "0"):
            old_lines = 0 if head[1] == "0" else sum(line[:1] in "- " for line in part)
            new_lines = sum(line[:1] in "+ " for line in part)
            identity = short_id([old, part], _ID_LENGTH)
            occurrences[identity] = occurrences.get(identity, 0) + 1
            if occurrences[identity] > 1:  # the same lines again, distinguished only by their order
                identity = short_id([old, part, occurrences[identity]], _ID_LENGTH)
            hunks.append(Hunk(old, new, old_lines, new_lines, head[5], tuple(part), identity))
            old, new = old + old_lines, new + new_lines
    return tuple(hunks)


def hunk_header(first: Hunk, last: Hunk) -> str:
    """Return git's header for consecutive hunks; a new text has one side only."""
    new = _range("+", first.new, last.new + last.new_lines - first.new)
    old = _range("-", first.old, last.old + last.old_lines - first.old) + " " if first.old else ""
    return f"@@ {old}{new} @@ {first.name}".rstrip()


def is_adjacent(before: Hunk, after: Hunk) -> bool:
    """Whether a hunk starts where another one ends."""
    return (before.old + before.old_lines, before.new + before.new_lines) == (after.old, after.new)


def added_file_diff(text: str) -> str:
    """Return a new file as a diff against nothing."""
    lines = text[:MAX_DIFF_CHARACTERS].removesuffix("\n").split("\n")
    return f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines) if text else ""


def conflict_hunks(text: str) -> str:
    """Return the unresolved merge conflicts of a file, including git's marker lines."""
    hunks, start = [], None
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if _OURS.match(line):
            start = number
        elif start is not None and _THEIRS.match(line):
            body = "".join(f" {text_line}\n" for text_line in lines[start : number + 1])
            hunks.append(f"@@ -0,0 +{start + 1},{number + 1 - start} @@ conflict\n{body}")
            start = None
    return "".join(hunks)


def _raw_hunks(text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Split at the lines that start a hunk; content lines always have a sign."""
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


def _split_long(lines: list[str], *, is_all_new: bool) -> list[list[str]]:
    """Split a long hunk; each part has a changed line."""
    if len(lines) <= MAX_WHOLE_LINES:
        return [lines] if lines else []
    parts: list[list[str]] = [[]]
    has_change = False
    for number, line in enumerate(lines):
        part = parts[-1]
        if has_change and line[0] != "\\" and len(lines) - number >= PARAGRAPH_LINES and _is_boundary(part, line):
            parts.append(part := [])
            has_change = False
        part.append(line)
        has_change = has_change or is_all_new or line[0] != " "
    if len(parts) > 1 and not has_change:
        parts[-2:] = [parts[-2] + parts[-1]]
    return parts


def _is_boundary(part: Sequence[str], line: str) -> bool:
    if len(part) >= MAX_WHOLE_LINES:
        return True
    if len(part) >= PARAGRAPH_LINES and not part[-1][1:].strip() and line[1:].strip():
        return True
    return len(part) >= SELECTED_LINES and crc32(line.encode("utf-8", "replace")) % _SELECTED_ONE_IN == 0


def _start(number: str, count: str | None) -> int:
    """Return the first line of a side; git gives the line before where a side is empty."""
    return int(number) + (count == "0" and number != "0")


def _range(sign: str, start: int, count: int) -> str:
    first = start - (count == 0 and start > 0)
    return f"{sign}{first}" if count == 1 else f"{sign}{first},{count}"
