"""The managed block in the file that an IDE reads: found, written, taken out. Pure, and on bytes.

The block is whole lines, from the line of its opening marker through that of its closing one, and stands at the top
of the file, behind a byte order mark and front matter: there it needs no line of the user's, no open code fence can
swallow it, and every byte outside it stays, whatever encoding or line ends the file has. What stands between the
markers is ours and is written anew; markers in a code fence are a quotation, and the user's. Markers that do not make
exactly one block are never guessed at: Unclear says what is there, and `heal=True` takes out the markers with the
lines known as ours, and nothing else.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import regex

BlockState = Literal["active", "inactive", "none", "several", "damaged"]

ACTIVE_TEXT = """\
## Session Lock — ACTIVE

**chati.dev session is ACTIVE.** You MUST follow these rules for EVERY message:

1. Read `chati.dev/orchestrator/chati.md` and follow its routing logic
2. Route ALL user messages through the current agent: `{agent}`
3. NEVER respond outside of the chati.dev framework
4. NEVER act as generic AI — you ARE the chati.dev orchestrator
5. Off-topic requests → Deviation Protocol, do NOT exit the system
6. The ONLY way to exit: /chati exit, /chati stop, /chati quit
"""
"""As printed in intelligence-layer.md §6."""

INACTIVE_TEXT = """\
## Session Lock — INACTIVE

Status: INACTIVE

The chati.dev session is saved; its agent was `{agent}`. To resume, type `/chati`.
"""

_BEGIN = (
    "<!-- chati:session-lock:begin{joined} (kept by onecode-sidecar: what stands up to the end is written anew) -->"
)
_END = "<!-- chati:session-lock:end -->"
_BLOCK = "chati:session-lock:"
_NAME = _BLOCK.encode()
_MARKER = regex(rb"[ \t]*<!--[ \t]*chati:session-lock:(begin|end)\b[^\r\n]{0,400}-->[ \t]*\r?\n?")
_MARK = b"\xef\xbb\xbf"
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_FRONT_MATTER = regex(rb"---[ \t]*\r?\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_MATTER_BYTES = 64 * 1024
_FENCE = regex(rb"^ {0,3}(`{3,}(?=[^`\r\n]*\r?$)|~{3,})([^\r\n]*)\r?$", re.MULTILINE)
_INACTIVE = regex(rb"^Status: INACTIVE\s*$", re.MULTILINE)


class Unclear(Exception):
    """What stands in the file cannot be changed without guessing; the message is one sentence."""


class _Line(NamedTuple):
    start: int
    end: int
    marker: str
    """begin or end."""


class _Span(NamedTuple):
    start: int
    end: int


def state_of(content: bytes) -> BlockState:
    """Says what block is in a file's bytes."""
    blocks, strays = _blocks(content)
    if strays:
        return "damaged"
    if len(blocks) != 1:
        return "several" if blocks else "none"
    return "inactive" if _INACTIVE.search(content, *blocks[0]) else "active"


def with_block(content: bytes, text: str, *, heal: bool = False) -> bytes:
    """Puts the block into a file's bytes, in the place of the one that is there; raises Unclear."""
    if heal and state_of(content) in ("several", "damaged"):
        content = without_block(content, heal=True)
    _require_clear(content)
    blocks, _ = _blocks(content)
    line_end = b"\r\n" if _ends_lines_with_crlf(outside(content)) else b"\n"
    if blocks:
        start, end = blocks[0]
        is_joined = content[:start].endswith(line_end) and b"begin joined" in content[start:end].split(b"\n")[0]
        return content[:start] + _rendered(text, line_end, joined=is_joined) + content[end:]
    at = _top(content)
    is_joined = at > 0 and not content[:at].endswith((b"\n", _MARK))
    gap = line_end if is_joined else b""
    return content[:at] + gap + _rendered(text, line_end, joined=is_joined) + content[at:]


def without_block(content: bytes, *, heal: bool = False) -> bytes:
    """Takes the block out: what is left is what was there before it; raises Unclear."""
    if not heal:
        _require_clear(content)
    blocks, strays = _blocks(content)
    for start, end in sorted([*(_whole(content, block) for block in blocks), *strays], reverse=True):
        content = content[:start] + content[end:]
    return content


def outside(content: bytes) -> bytes:
    """Gives what is the user's: all but the blocks."""
    blocks, _ = _blocks(content)
    for start, end in sorted((_whole(content, block) for block in blocks), reverse=True):
        content = content[:start] + content[end:]
    return content


def unlocked(text: str) -> str:
    """Gives an instruction file's text without the block, which is no rule of the project's."""
    return outside(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass") if _BLOCK in text else text


def _require_clear(content: bytes) -> None:
    if content.startswith(_OTHER_MARKS):
        raise Unclear("is in UTF-16, and only text in UTF-8 can take the block")
    blocks, strays = _blocks(content)
    if strays:
        raise Unclear("has a marker of the session lock's block without its counterpart")
    if len(blocks) > 1:
        raise Unclear(f"has {len(blocks)} session lock blocks")


def _rendered(text: str, line_end: bytes, *, joined: bool) -> bytes:
    whole = f"{_BEGIN.format(joined=' joined' if joined else '')}\n{text}{_END}\n"
    return whole.encode().replace(b"\n", line_end)


def _top(content: bytes) -> int:
    """Gives where the block begins: behind a byte order mark, and behind front matter, which has to come first."""
    start = len(_MARK) if content.startswith(_MARK) else 0
    matter = _FRONT_MATTER.match(content, start, start + _MATTER_BYTES)
    return matter.end() if matter else start


def _ends_lines_with_crlf(content: bytes) -> bool:
    first = content.find(b"\n")
    return first > 0 and content[first - 1 : first] == b"\r"


def _blocks(content: bytes) -> tuple[list[_Span], list[_Span]]:
    """Gives the blocks, and the stray markers with those of our lines that stand on their inner side."""
    blocks: list[_Span] = []
    strays: list[_Span] = []
    opened: _Line | None = None
    for line in _marker_lines(content):
        if line.marker == "begin":
            if opened is not None:
                strays.append(_known_after(content, opened))
            opened = line
        elif opened is not None:
            blocks.append(_Span(opened.start, line.end))
            opened = None
        else:
            strays.append(_known_before(content, line))
    if opened is not None:
        strays.append(_known_after(content, opened))
    return blocks, strays


def _marker_lines(content: bytes) -> list[_Line]:
    """Gives the lines outside code that hold a marker alone; a byte order mark may come before the first."""
    found, at = [], content.find(_NAME)
    while at >= 0:
        start, end = content.rfind(b"\n", 0, at) + 1, content.find(b"\n", at) + 1 or len(content)
        start += len(_MARK) if start == 0 and content.startswith(_MARK) else 0
        marker = _MARKER.fullmatch(content, start, end)
        if marker is not None:
            found.append(_Line(start, end, marker[1].decode()))
        at = content.find(_NAME, end)
    quoted = _fenced(content) if found else []
    return [line for line in found if not any(span.start <= line.start < span.end for span in quoted)]


def _fenced(content: bytes) -> list[_Span]:
    """Gives the code fences that are closed again; an open one hides nothing, for its end may have been lost."""
    found: list[_Span] = []
    opened: re.Match[bytes] | None = None
    for fence in _FENCE.finditer(content, _top(content)):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            found.append(_Span(opened.start(), fence.end()))
            opened = None
    return found


def _whole(content: bytes, block: _Span) -> _Span:
    """Adds the line end before a block that was put behind a line without one."""
    first = content[block.start : block.end].split(b"\n", 1)[0]
    if b"begin joined" not in first:
        return block
    before = 2 if content[: block.start].endswith(b"\r\n") else int(content[: block.start].endswith(b"\n"))
    return _Span(block.start - before, block.end)


def _known_after(content: bytes, marker: _Line) -> _Span:
    end = at = marker.end
    while at < len(content):
        following = content.find(b"\n", at) + 1 or len(content)
        line = content[at:following].strip()
        if line and not _is_ours(line):
            break
        at = following
        end = at if line else end
    return _Span(marker.start, end)


def _known_before(content: bytes, marker: _Line) -> _Span:
    start = at = marker.start
    while at > 0:
        before = content.rfind(b"\n", 0, at - 1) + 1
        line = content[before:at].strip()
        if line and not _is_ours(line):
            break
        at = before
        start = at if line else start
    return _Span(start, marker.end)


def _pattern(line: str) -> re.Pattern[bytes]:
    return regex(re.escape(line.encode()).replace(re.escape(b"{agent}"), rb"[\w.-]{1,80}"))


_OURS: Sequence[re.Pattern[bytes]] = [
    _pattern(line) for line in (*ACTIVE_TEXT.splitlines(), *INACTIVE_TEXT.splitlines()) if line
]


def _is_ours(line: bytes) -> bool:
    return any(pattern.fullmatch(line) for pattern in _OURS)
