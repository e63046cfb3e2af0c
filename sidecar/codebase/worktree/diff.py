"""Diffs of a worktree against a commit and between commits, file by file: as text, and as small hunks with ids.

Diffs of changed files come from libgit2 where it gives what git gives: it contains git's diff code, but not its
attributes, conversions and renames. They are cached.
"""

import re
from binascii import crc32
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.codebase.content_ids import ContentHashes, blob_id, content_identity
from sidecar.codebase.files import may_name, may_show
from sidecar.codebase.worktree.freshness import Freshness
from sidecar.codebase.worktree.git_metadata import ANYTHING, DIFFS, FILTERS, LINES, is_libgit_loaded
from sidecar.codebase.worktree.state import ChangedFile, RepositoryState, is_unchanged
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.system.git import Git, GitFailed, lookup_name, open_repository, pygit2
from sidecar.system.safe_open import read_below

_OPTIONS = (
    "--patch-with-raw", "-z", "--abbrev=40", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
    "--unified=2", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
    "--ignore-submodules=none", "--relative",
)  # fmt: skip
_ESCAPES = {
    7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\",
}  # fmt: skip
_COUNT_OPTIONS = (
    "-r", "--raw", "--numstat", "-z", "--abbrev=40", "--no-ext-diff", "--no-textconv", "--find-renames", "--relative",
)  # fmt: skip

MAX_PATHS = 200
"""Beyond this many files, diffs show counts instead of hunks."""


class FileDiff(NamedTuple):
    """One file's diff; `hunks` is unified text from the first `@@` on, empty where git shows none."""

    path: str
    added: int
    removed: int
    hunks: str
    original: str | None = None
    """The previous path if a commit renamed the file."""
    note: str = ""
    """A change that the lines do not show: of the mode or the type, or of binary content."""


MoveDirection = Literal["forward", "backward", "diverged", "unknown"]


class HeadMove(NamedTuple):
    """Changes from a move of the head.

    `subjects` are those of the new commits, newest first; `files` have line counts only.
    """

    subjects: tuple[str, ...]
    files: tuple[FileDiff, ...]
    direction: MoveDirection = "forward"
    """forward: the new commit descends from the old one; backward: the other way round; diverged: neither, as after a
    rebase or on another branch; unknown: the old commit no longer exists.
    """
    lost: tuple[str, ...] = ()
    """Subjects of commits in the old one's history but not in the new one's."""
    counts: tuple[int, int] = (0, 0)
    """Total numbers of new and lost commits."""


def diff_against(cwd: Path, base: str, paths: list[str]) -> dict[str, FileDiff]:
    """Return the diff between a commit and the worktree for some paths; raise GitFailed.

    Unlike `diff`, `diff-index` never writes the index and reads little of the user's configuration.
    """
    if not paths:
        return {}
    literal = [f":(literal){path}" for path in paths]
    output = Git(cwd).run("-c", "core.quotePath=true", "diff-index", *_OPTIONS, base, "--", *literal)
    return _with_submodule_paths(cwd, parse_patches(output))


def count_between(cwd: Path, old: str, new: str) -> dict[str, FileDiff]:
    """Count changed lines by file between two commits below `cwd`; raise GitFailed."""
    output = Git(cwd).run("diff-tree", *_COUNT_OPTIONS, old, new, "--", ".")
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    diffs: dict[str, FileDiff] = {}
    raw: dict[str, _RawEntry] = {}
    for field in fields:
        if field.startswith(":"):
            entry = _raw_entry(field, fields)
            raw[entry.path] = entry
        elif field:
            added, removed, path = field.split("\t", 2)
            original = next(fields) if not path else None  # renamed: the old and the new path follow
            path = path or next(fields)
            note = _note(raw[path], "", is_binary=added == "-") if path in raw else ""
            diffs[path] = FileDiff(path, _number(added), _number(removed), "", original, note)
    return diffs


def diff_between(cwd: Path, old: str, new: str, paths: Sequence[str]) -> dict[str, FileDiff]:
    """Return the diff between two commits for some paths below `cwd`; raise GitFailed."""
    if not paths:
        return {}
    literal = [f":(literal){path}" for path in paths]
    arguments = ("-c", "core.quotePath=true", "diff-tree", "-r", *_OPTIONS)
    return _with_submodule_paths(cwd, parse_patches(Git(cwd).run(*arguments, old, new, "--", *literal)))


_SUBMODULE_MOVE = lazy_regex(
    r"@@ -1 \+1 @@\n-Subproject commit ([0-9a-f]{40,64})\n\+Subproject commit ([0-9a-f]{40,64})(?:-dirty)?\n"
)
_STATUS_WORDS = {"A": "added", "D": "deleted", "M": "modified", "T": "type changed"}
MAX_MOVED_SUBMODULES, MAX_SUBMODULE_PATHS = 4, 20


def _with_submodule_paths(cwd: Path, diffs: dict[str, FileDiff]) -> dict[str, FileDiff]:
    """Add the paths that changed within a submodule to the diff of its commit, if it has both commits."""
    moves = [(path, move) for path, diff in diffs.items() if (move := _SUBMODULE_MOVE.fullmatch(diff.hunks))]
    for path, move in moves[:MAX_MOVED_SUBMODULES]:
        if not (cwd / path / ".git").exists():
            continue
        try:
            output = Git(cwd / path).run(
                "diff-tree", "-r", "-z", "--no-renames", "--name-status", move[1], move[2], "--"
            )
        except GitFailed:
            continue
        fields = output.decode("utf-8", "surrogateescape").split("\0")
        named = [(status, name) for status, name in zip(fields[::2], fields[1::2], strict=False) if may_name(name)]
        lines = [f" {_STATUS_WORDS.get(status, status)}: {name}\n" for status, name in named[:MAX_SUBMODULE_PATHS]]
        more = len(named) - len(lines)
        lines += [f" {more} more\n"] if more else []
        diffs[path] = diffs[path]._replace(hunks=f"{diffs[path].hunks}{''.join(lines)}")
    return diffs


def commits_between(cwd: Path, old: str, new: str) -> tuple[int, int]:
    """Count the commits in `new` but not in `old`, and the other way round; raise GitFailed."""
    lost, added = Git(cwd).text("rev-list", "--left-right", "--count", f"{old}...{new}", "--").split()
    return int(added), int(lost)


def subjects_between(cwd: Path, old: str, new: str, limit: int) -> list[str]:
    """Return short id and subject of the commits in `new` but not in `old`, newest first; raise GitFailed."""
    text = Git(cwd).text("log", "-z", f"--max-count={limit}", "--format=%h %s", f"{old}..{new}", "--")
    return [line for line in text.split("\0") if line]


def parse_patches(output: bytes) -> dict[str, FileDiff]:
    """Parse raw entries, which contain exact paths, and the patches that follow in the same order.

    An entry may have no patch: git lists a file whose times changed, or whose edit was staged and reverted.
    """
    raw, separator, patch_text = output.partition(b"\0\0")
    patches = deque(_split_patches(patch_text))
    diffs: dict[str, FileDiff] = {}
    for entry in _raw_entries(raw + b"\0" if separator else raw):
        header = f"diff --git {_quoted('a/' + entry.original)} {_quoted('b/' + entry.path)}"
        own = [patches.popleft() for _ in range(entry.max_patches) if patches and patches[0][0] == header]
        if entry.max_patches or entry.path not in diffs:
            diffs[entry.path] = _file_diff(entry, own)
    return diffs


def _file_diff(entry: "_RawEntry", patches: Sequence[list[str]]) -> FileDiff:
    """Return a file's diff; of one whose type changed its new text, and of a link its target in words."""
    parts = [_hunks(patch) for patch in patches]
    added, removed = _count_lines("".join(parts))
    hunks = parts[-1] if parts else ""
    target = "".join(line[1:] for line in hunks.split("\n") if line.startswith("+"))
    is_binary = any(line.startswith("Binary files ") for patch in patches for line in patch[:6])
    note = _note(entry, target, is_binary=is_binary)
    if entry.new_mode == _LINK:
        hunks, added, removed = "", 0, removed if len(parts) > 1 else 0
    return FileDiff(entry.path, added, removed, hunks, None, note)


_LINK, _SUBMODULE, _ABSENT = "120000", "160000", "000000"
_TYPES = {_LINK: "symbolic link", _SUBMODULE: "submodule"}


def _note(entry: "_RawEntry", target: str, *, is_binary: bool) -> str:
    """Return what lines do not show of a change; without a target, a link's is not named."""
    old, new = entry.old_mode, entry.new_mode
    if new == _LINK:
        word = "replaced by a " if old not in (_LINK, _ABSENT) else ""
        return f"{word}symbolic link{f' to {target}' if target else ''}"
    if old[:2] != new[:2] and _ABSENT not in (old, new):
        return f"replaced by a {_TYPES[new]}" if new in _TYPES else f"was a {_TYPES.get(old, 'file')}"
    if {old, new} == {"100644", "100755"}:
        return "now executable" if new == "100755" else "no longer executable"
    return "binary" if is_binary else ""


def diff_of_patch(path: str, patch: bytes) -> FileDiff:
    """Parse the patch of one file."""
    hunks = "".join(_hunks(lines) for lines in _split_patches(patch))
    return FileDiff(path, *_count_lines(hunks), hunks)


class _RawEntry(NamedTuple):
    path: str
    original: str
    old_mode: str
    new_mode: str
    max_patches: int
    """0 for an unmerged file; 2 for one whose type changed: a removal and an addition."""


def _raw_entries(raw: bytes) -> list[_RawEntry]:
    fields = iter(raw.decode("utf-8", "surrogateescape").split("\0"))
    return [_raw_entry(field, fields) for field in fields if field.startswith(":")]


def _raw_entry(field: str, following: Iterator[str]) -> _RawEntry:
    old_mode, new_mode, *_, status = field[1:].split(" ")
    original = path = next(following, "")
    if status[:1] in ("R", "C"):
        path = next(following, path)
    return _RawEntry(path, original, old_mode, new_mode, {"U": 0, "T": 2}.get(status[:1], 1))


def _quoted(path: str) -> str:
    """Quote a path as git does in a patch header with `core.quotePath` on."""
    content = path.encode("utf-8", "surrogateescape")
    quoted = "".join(_ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}") for byte in content)
    return path if quoted == path else f'"{quoted}"'


def _split_patches(text: bytes) -> list[list[str]]:
    """Split at the lines that start a file; content lines always have a leading mark."""
    patches: list[list[str]] = []
    for line in text.decode("utf-8", "replace").split("\n"):
        if line.startswith("diff --git "):
            patches.append([])
        if patches:
            patches[-1].append(line)
    return patches


def _hunks(patch: list[str]) -> str:
    """Return the hunks of a patch: from the first `@@` on, without git's lines between files.

    Git may leave a blank where it cuts a long heading; libgit2 does not.
    """
    start = next((number for number, line in enumerate(patch) if line.startswith("@@ ")), len(patch))
    lines = [line for line in patch[start:] if line.startswith((" ", "+", "-", "\\", "@@ "))]
    return "".join(f"{line.rstrip() if line.startswith('@@ ') else line}\n" for line in lines)


def _count_lines(hunks: str) -> tuple[int, int]:
    lines = hunks.split("\n")
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _number(text: str) -> int:
    return 0 if text == "-" else int(text)


SHOWN_FILES, SHOWN_LINES = 200, 6_000
"""Limits of committed changes that are read as text; the rest is counted."""


def head_move(cwd: Path, old: str, new: str, max_commits: int) -> HeadMove:
    """Return the new and lost commits, at most `max_commits` of each, and the changed files; raise GitFailed."""
    added, lost = commits_between(cwd, old, new)
    direction: MoveDirection = "forward" if not lost else "diverged" if added else "backward"
    return HeadMove(
        tuple(subjects_between(cwd, old, new, max_commits)) if added else (),
        tuple(count_between(cwd, old, new).values()),
        direction,
        tuple(subjects_between(cwd, new, old, max_commits)) if lost else (),
        (added, lost),
    )


def paths_to_show(files: Sequence[FileDiff]) -> list[str]:
    """Return the paths of files whose diffs are worth reading: visible ones, the smallest first."""
    small = sorted((file for file in files if may_show(file.path)), key=lambda file: file.added + file.removed)
    shown, lines = [], 0
    for file in small[:SHOWN_FILES]:
        lines += file.added + file.removed
        if lines > SHOWN_LINES:
            break
        shown += [file.path] if file.original is None else [file.path, file.original]
    return sorted(shown)


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
    """Identifies the hunk in its file by its content and, where that is stable, its position in the old text."""

    @property
    def position(self) -> str:
        """Position of the hunk: `-old+new`, or `+new` in a new text."""
        return f"-{self.old}+{self.new}" if self.old else f"+{self.new}"


def split_hunks(text: str) -> tuple[Hunk, ...]:
    """Split unified text, from its first `@@` on, into small hunks; only its first 60,000 characters count.

    git's hunks grow with every line added beside them. These are split at paragraphs and at lines selected by their
    content, so that an edit changes the hunk it falls into and no other.
    """
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
            identity = _hunk_id(part, old)
            occurrences[identity] = occurrences.get(identity, 0) + 1
            if occurrences[identity] > 1:  # the same lines again, distinguished only by their order
                identity = _hunk_id([*part, str(occurrences[identity])], old)
            hunks.append(Hunk(old, new, old_lines, new_lines, head[5], tuple(part), identity))
            old, new = old + old_lines, new + new_lines
    return tuple(hunks)


def _hunk_id(lines: Sequence[str], old: int) -> str:
    content = short_id(list(lines), _ID_LENGTH)
    return f"{content}@{old}" if old else content


def hunk_content_id(hunk_id: str) -> str:
    """Return the part of a hunk's id that its position does not change: the old text is another after a commit."""
    return hunk_id.partition("@")[0]


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


MAX_LIBGIT_BYTES = 512 * 1024
"""Larger files are left to git, whose process can be killed."""

_CONTEXT_LINES = 2

_BINARY_CHECK_BYTES = 8_000
"""git treats a file as binary if these first bytes contain a zero."""

_REGULAR_MODES = (0o100644, 0o100755)

_CODES = (".M", "M.", "MM")

_CONTENTS_BYTES = 4 * 2**20


class LibgitDiff:
    """Compute diffs, caching the committed contents. Thread-safe."""

    def __init__(self) -> None:
        self._committed: LruCache[Hashable, object] = LruCache(_CONTENTS_BYTES)

    def diff(self, cwd: Path, state: RepositoryState, file: ChangedFile, *, is_line_exact: bool) -> FileDiff | None:
        """Return the diff of a file without filters; None if only git can tell.

        `is_line_exact` is False if git may convert line endings.
        """
        if file.code not in _CODES or file.kind == "renamed" or state.head is None or len(state.head) != 40:
            return None
        new = read_below(str(cwd), file.path, MAX_LIBGIT_BYTES)
        if new is None or blob_id(new) != content_identity(file.content_hash) or not _is_plain(new, is_line_exact):
            return None
        mode = _REGULAR_MODES[file.content_hash.startswith("x:")]
        old = self._read(state.root, state.head, state.prefix + file.path, mode)
        if old is None or not _is_plain(old, is_line_exact):
            return None
        library = pygit2()
        flag = library.enums.DiffOption.INDENT_HEURISTIC
        patch = library.Patch.create_from(old, new, flag=flag, context_lines=_CONTEXT_LINES)
        # git truncates a hunk's section name to 80 bytes before stripping it, libgit2 after.
        lines = (line.rstrip(b" \t\r") if line.startswith(b"@@ ") else line for line in patch.data.split(b"\n"))
        return diff_of_patch(file.path, b"\n".join(lines))

    def _read(self, root: Path, head: str, path: str, mode: int) -> bytes | None:
        """Return the content of a file in a commit; None if libgit2 cannot read it, or it has another mode."""
        cached = self._committed.get((head, path, mode))
        if isinstance(cached, bytes):
            return cached
        library = pygit2()
        try:
            blob = open_repository(str(root), with_refs=False)[head].tree[lookup_name(path)]
            if blob.filemode != mode or blob.size > MAX_LIBGIT_BYTES:
                return None
            content = bytes(blob.data)
        except (library.GitError, KeyError, ValueError, OSError):
            return None
        self._committed.put((head, path, mode), content, len(content) + 100)
        return content


def _is_plain(content: bytes, is_line_exact: bool) -> bool:
    if b"\0" in content[:_BINARY_CHECK_BYTES] or b"\f" in content or b"\v" in content:
        return False  # a form feed is whitespace to libgit2 and not to git
    return is_line_exact or b"\r\n" not in content


_CACHE_BYTES = 2**20

_DIFF_BYTES = 700
"""Size of a diff besides its text: objects and keys."""


class DiffCache:
    """Compute and cache diffs. Thread-safe."""

    def __init__(self, cwd: Path, hashes: ContentHashes, freshness: Freshness) -> None:
        self._cwd = cwd
        self._hashes = hashes
        self._freshness = freshness
        self._cache: LruCache[Hashable, object] = LruCache(_CACHE_BYTES)
        self._libgit = LibgitDiff()

    def has(self, state: RepositoryState) -> bool:
        """Whether no diff is left to compute, for which a git command may be needed."""
        return None not in map(self._cache.get, self._keys(state).values())

    def diffs(self, state: RepositoryState) -> dict[str, FileDiff]:
        """Return the diff of each visible changed file, except new ones; raise GitFailed."""
        keys = self._keys(state)
        diffs = {file.path: diff for file, key in keys.items() if isinstance(diff := self._cache.get(key), FileDiff)}
        uncached = [file for file in keys if file.path not in diffs]
        computed = self._compute(state, uncached) if uncached else {}
        for file in uncached:
            diffs[file.path] = computed.get(file.path) or FileDiff(file.path, 0, 0, "")
            if is_unchanged(file, self._cwd, state, self._hashes):
                self._cache.put(keys[file], diffs[file.path], len(diffs[file.path].hunks) + _DIFF_BYTES)
        return diffs

    def _keys(self, state: RepositoryState) -> dict[ChangedFile, Hashable]:
        """Return the visible changed files, except new ones, each with what its diff depends on."""
        if state.kind != "git" or state.head is None:
            return {}
        files = [file for file in state.changed if file.kind != "untracked" and may_show(file.path)][:MAX_PATHS]
        return {file: (state.head, file.path, file.code, file.content_hash) for file in files}

    def _compute(self, state: RepositoryState, files: list[ChangedFile]) -> dict[str, FileDiff]:
        computed = {file.path: self._conflict(file.path) for file in files if file.kind == "conflicted"}
        computed |= self._compute_with_libgit(state, [file for file in files if file.path not in computed])
        remaining = [file for file in files if file.path not in computed]
        paths = [path for file in remaining for path in (file.path, file.original) if path is not None]
        return computed | diff_against(self._cwd, state.head or "", paths)

    def _conflict(self, path: str) -> FileDiff:
        """Return the unresolved places, for which git shows no diff."""
        content = read_below(str(self._cwd), path, MAX_LIBGIT_BYTES)
        text = content.decode("utf-8", "replace") if content is not None and b"\0" not in content else ""
        return FileDiff(path, 0, 0, conflict_hunks(text))

    def _compute_with_libgit(self, state: RepositoryState, files: list[ChangedFile]) -> dict[str, FileDiff]:
        """Return the diffs that need no git command."""
        if not is_libgit_loaded():
            self._freshness.idle_queue.submit(pygit2)
            return {}
        flags = self._freshness.attribute_flags([state.prefix + file.path for file in files]) or {}
        computed: dict[str, FileDiff] = {}
        for file in files:
            file_flags = flags.get(state.prefix + file.path, ANYTHING)
            if file_flags & (FILTERS | DIFFS):
                continue
            diff = self._libgit.diff(self._cwd, state, file, is_line_exact=not file_flags & LINES)
            if diff is not None:
                computed[file.path] = diff
        return computed
