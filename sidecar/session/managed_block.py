"""The managed block in the files that IDEs read: find, insert and remove it, and the file to use.

The block is whole lines, from the opening marker's line through the closing marker's, at the top of the file after a
byte order mark and front matter. There it depends on no line of the user's, no open code fence can enclose it, and
every byte outside it stays unchanged, whatever encoding or line ends the file has. The text between the markers is ours
and is rewritten; markers in a code fence are quotations of the user. When the markers do not form exactly one block,
AmbiguousBlock is raised instead of guessing; `repair=True` removes the markers with the lines known as ours only.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.core.errors import Conflict, SidecarError
from sidecar.core.ide_rules_files import IDES, RULES_FILES, IdeName, RulesFile, choose_rules_file, rules_file_named
from sidecar.core.lazy_regex import lazy_regex
from sidecar.session import user_file_access
from sidecar.session.store import RecordedFile
from sidecar.system.git import NOT_A_REPOSITORY, Git, GitFailed

if TYPE_CHECKING:
    from sidecar.session.model import BlockInfo, BlockState  # no pre-run needs these models

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
"""The framework's own text, word for word: its agents know it."""

INACTIVE_TEXT = """\
## Session Lock — INACTIVE

Status: INACTIVE

The chati.dev session is saved; its agent was `{agent}`. To resume, type `/chati`.
"""

_BEGIN = (
    "<!-- chati:session-lock:begin{joined} (managed by onecode-sidecar: edits up to the end marker are overwritten) -->"
)
_END = "<!-- chati:session-lock:end -->"
_BLOCK = "chati:session-lock:"
_NAME = _BLOCK.encode()
_MARKER = lazy_regex(rb"[ \t]*<!--[ \t]*chati:session-lock:(begin|end)\b[^\r\n]{0,400}-->[ \t]*\r?\n?")
_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_FRONT_MATTER = lazy_regex(rb"---[ \t]*\r?\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_MATTER_BYTES = 64 * 1024
_FENCE = lazy_regex(rb"^ {0,3}(`{3,}(?=[^`\r\n]*\r?$)|~{3,})([^\r\n]*)\r?$", re.MULTILINE)
_INACTIVE = lazy_regex(rb"^Status: INACTIVE\s*$", re.MULTILINE)


class AmbiguousBlock(Exception):
    """A file cannot be changed without guessing; the message is one sentence."""


class _Line(NamedTuple):
    start: int
    end: int
    marker: str
    """begin or end."""


class _Span(NamedTuple):
    start: int
    end: int


def block_state(content: bytes) -> "BlockState":
    """Return the state of the block in a file's bytes."""
    blocks, strays = _blocks(content)
    if strays:
        return "damaged"
    if len(blocks) != 1:
        return "several" if blocks else "none"
    return "inactive" if _INACTIVE.search(content, *blocks[0]) else "active"


def with_block(content: bytes, text: str, *, repair: bool = False) -> bytes:
    """Insert the block into a file's bytes, or replace the existing one. Raise AmbiguousBlock."""
    if repair and block_state(content) in ("several", "damaged"):
        content = without_block(content, repair=True)
    _require_clear(content)
    blocks, _ = _blocks(content)
    line_end = b"\r\n" if _ends_lines_with_crlf(user_content(content)) else b"\n"
    if blocks:
        start, end = blocks[0]
        is_joined = content[:start].endswith(line_end) and b"begin joined" in content[start:end].split(b"\n")[0]
        return content[:start] + _render_block(text, line_end, joined=is_joined) + content[end:]
    at = _insert_position(content)
    is_joined = at > 0 and not content[:at].endswith((b"\n", _BOM))
    gap = line_end if is_joined else b""
    return content[:at] + gap + _render_block(text, line_end, joined=is_joined) + content[at:]


def without_block(content: bytes, *, repair: bool = False) -> bytes:
    """Remove the block and restore the file's bytes from before it. Raise AmbiguousBlock."""
    if not repair:
        _require_clear(content)
    blocks, strays = _blocks(content)
    for start, end in sorted([*(_with_added_line_end(content, block) for block in blocks), *strays], reverse=True):
        content = content[:start] + content[end:]
    return content


def user_content(content: bytes) -> bytes:
    """Return the user's part: everything except the blocks."""
    blocks, _ = _blocks(content)
    for start, end in sorted((_with_added_line_end(content, block) for block in blocks), reverse=True):
        content = content[:start] + content[end:]
    return content


def strip_session_lock(text: str) -> str:
    """Return an instruction file's text without the block, which is not one of the project's rules."""
    return (
        user_content(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass") if _BLOCK in text else text
    )


def _require_clear(content: bytes) -> None:
    if content.startswith(_UTF16_BOMS):
        raise AmbiguousBlock("is in UTF-16, and the block requires UTF-8")
    blocks, strays = _blocks(content)
    if strays:
        raise AmbiguousBlock("has a marker of the session lock's block without its counterpart")
    if len(blocks) > 1:
        raise AmbiguousBlock(f"has {len(blocks)} session lock blocks")


def _render_block(text: str, line_end: bytes, *, joined: bool) -> bytes:
    whole = f"{_BEGIN.format(joined=' joined' if joined else '')}\n{text}{_END}\n"
    return whole.encode().replace(b"\n", line_end)


def _insert_position(content: bytes) -> int:
    """Return the block's position: after a byte order mark, and after front matter, which must come first."""
    start = len(_BOM) if content.startswith(_BOM) else 0
    matter = _FRONT_MATTER.match(content, start, start + _MATTER_BYTES)
    return matter.end() if matter else start


def _ends_lines_with_crlf(content: bytes) -> bool:
    first = content.find(b"\n")
    return first > 0 and content[first - 1 : first] == b"\r"


def _blocks(content: bytes) -> tuple[list[_Span], list[_Span]]:
    """Return the blocks, and the stray markers with our lines on their inner side."""
    blocks: list[_Span] = []
    strays: list[_Span] = []
    opened: _Line | None = None
    for line in _marker_lines(content):
        if line.marker == "begin":
            if opened is not None:
                strays.append(_own_lines_after(content, opened))
            opened = line
        elif opened is not None:
            blocks.append(_Span(opened.start, line.end))
            opened = None
        else:
            strays.append(_own_lines_before(content, line))
    if opened is not None:
        strays.append(_own_lines_after(content, opened))
    return blocks, strays


def _marker_lines(content: bytes) -> list[_Line]:
    """Return the lines outside code that consist of a marker; a byte order mark may precede the first."""
    lines, at = [], content.find(_NAME)
    while at >= 0:
        start, end = content.rfind(b"\n", 0, at) + 1, content.find(b"\n", at) + 1 or len(content)
        start += len(_BOM) if start == 0 and content.startswith(_BOM) else 0
        marker = _MARKER.fullmatch(content, start, end)
        if marker is not None:
            lines.append(_Line(start, end, marker[1].decode()))
        at = content.find(_NAME, end)
    fences = _fenced(content) if lines else []
    return [line for line in lines if not any(span.start <= line.start < span.end for span in fences)]


def _fenced(content: bytes) -> list[_Span]:
    """Return the closed code fences; an open one hides nothing, because its end may have been lost."""
    fences: list[_Span] = []
    opened: re.Match[bytes] | None = None
    for fence in _FENCE.finditer(content, _insert_position(content)):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            fences.append(_Span(opened.start(), fence.end()))
            opened = None
    return fences


def _with_added_line_end(content: bytes, block: _Span) -> _Span:
    """Include the line end that was added before a block after a line without one."""
    first = content[block.start : block.end].split(b"\n", 1)[0]
    if b"begin joined" not in first:
        return block
    before = 2 if content[: block.start].endswith(b"\r\n") else int(content[: block.start].endswith(b"\n"))
    return _Span(block.start - before, block.end)


def _own_lines_after(content: bytes, marker: _Line) -> _Span:
    end = at = marker.end
    while at < len(content):
        following = content.find(b"\n", at) + 1 or len(content)
        line = content[at:following].strip()
        if line and not _is_own_line(line):
            break
        at = following
        end = at if line else end
    return _Span(marker.start, end)


def _own_lines_before(content: bytes, marker: _Line) -> _Span:
    start = at = marker.start
    while at > 0:
        before = content.rfind(b"\n", 0, at - 1) + 1
        line = content[before:at].strip()
        if line and not _is_own_line(line):
            break
        at = before
        start = at if line else start
    return _Span(start, marker.end)


def _pattern(line: str) -> re.Pattern[bytes]:
    return lazy_regex(re.escape(line.encode()).replace(re.escape(b"{agent}"), rb"[\w.-]{1,80}"))


_OWN_LINES: Sequence[re.Pattern[bytes]] = [
    _pattern(line) for line in (*ACTIVE_TEXT.splitlines(), *INACTIVE_TEXT.splitlines()) if line
]


def _is_own_line(line: bytes) -> bool:
    return any(pattern.fullmatch(line) for pattern in _OWN_LINES)


_OWN_COUNT = 2
"""Files and folders created for a block in a folder of ours, when our state has no record of it."""


class BlockFile(NamedTuple):
    """A file below a root that has a block, or may have one."""

    root: Path
    rules_file: RulesFile
    created_count: int = 0
    """Number of folders and files created for it."""

    @property
    def path(self) -> str:
        """The absolute path."""
        return os.path.join(self.root, *self.rules_file.file.split("/"))


def choose_block_file(root: Path, ide: IdeName, *, use_rules_file: bool) -> BlockFile:
    """Choose the file for the block; git decides which files are ignored."""
    row = IDES[ide]
    existing = {rules_file.file for rules_file in row.rules if os.path.lexists(BlockFile(root, rules_file).path)}
    shared = [rules_file.file for rules_file in row.local if not rules_file.is_own_folder]
    ignored = set() if use_rules_file or not shared else _ignored(root, shared)
    return BlockFile(root, choose_rules_file(ide, use_rules_file, ignored, existing))


def block_files_of(recorded: Sequence[RecordedFile], roots: Sequence[Path]) -> Iterator[BlockFile]:
    """Yield every file known to have a block, and those below the roots that have one."""
    known = [BlockFile(Path(record.root), rules_file_named(record.file), record.created_count) for record in recorded]
    yield from known
    seen = {(file.root, file.rules_file.file) for file in known}
    for root in dict.fromkeys(roots):
        for rules_file in RULES_FILES:
            if (root, rules_file.file) not in seen and block_info(BlockFile(root, rules_file)).state not in (
                "none",
                "unreadable",
            ):
                yield BlockFile(root, rules_file, _OWN_COUNT if rules_file.is_own_folder else 0)


def block_info(file: BlockFile) -> "BlockInfo":
    """Return the state of a file's block."""
    from sidecar.session.model import BlockInfo

    try:
        content = user_file_access.read(file.root, file.rules_file).content
    except SidecarError:
        return BlockInfo(path=file.path, state="unreadable")
    return BlockInfo(path=file.path, state="none" if content is None else block_state(content))


def write_block(file: BlockFile, text: str, *, force: bool, overwrite_read_only: bool = False) -> int:
    """Write the block and return the number of created folders and files. Raise Conflict when the file is ambiguous."""
    before = user_file_access.read(file.root, file.rules_file)
    start = before.content if before.content is not None else file.rules_file.front_matter.encode()
    try:
        content = with_block(start, text, repair=force)
    except AmbiguousBlock as unclear:
        raise _conflict(file, unclear) from unclear
    return user_file_access.write(file.rules_file, before, content, overwrite_read_only=overwrite_read_only)


def remove_block(file: BlockFile, *, force: bool, overwrite_read_only: bool = False) -> None:
    """Remove the block, and the file if we created it and nothing else is in it. Raise Conflict."""
    before = user_file_access.read(file.root, file.rules_file)
    if before.content is None:
        return
    try:
        content = without_block(before.content, repair=force)
    except AmbiguousBlock as unclear:
        raise _conflict(file, unclear) from unclear
    if file.created_count and content in (b"", file.rules_file.front_matter.encode()):
        user_file_access.remove(file.rules_file, before, file.created_count)
    else:
        user_file_access.write(file.rules_file, before, content, overwrite_read_only=overwrite_read_only)


def _conflict(file: BlockFile, unclear: AmbiguousBlock) -> Conflict:
    return Conflict(
        f"`{file.rules_file.file}` {unclear}; it was not changed.",
        hint="Repair it manually, or with `force`, which removes the markers and the lines known as ours.",
    )


def _ignored(root: Path, names: list[str]) -> set[str]:
    """Return the files that git ignores: all without a repository, none when git fails."""
    try:
        paths = "\0".join(names).encode()
        ignored = Git(root).run("check-ignore", "-z", "--stdin", stdin=paths, success_codes=(0, 1))
    except GitFailed as failed:
        return set(names) if failed.reason == NOT_A_REPOSITORY else set()
    return {name.decode() for name in ignored.split(b"\0") if name}
