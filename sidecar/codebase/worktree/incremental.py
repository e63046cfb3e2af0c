"""The state after some files changed, worked out from the state before: only those files are looked at.

What git would say of a tracked file follows from its index entry and from what is on disk; the half of its code that
compares the index with the head commit stays as it was, since neither changed. Everything that is not plainly
decidable here (conflicts, submodules, converted contents, odd file types) is left to a full look.
"""

import functools
import operator
import os
import stat
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecar.codebase.worktree.attributes import ANYTHING, DIFFS, FILTERS, LINES, asked_by
from sidecar.codebase.worktree.content_hash import HASHED_BYTES, ContentHashes, content_identity
from sidecar.codebase.worktree.git_index import Tracked
from sidecar.codebase.worktree.state import ChangeKind, Entry, Look, Reading, compose, is_still, kind_of
from sidecar.codebase.worktree.watch_plan import Comparing, Survey
from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import read_file

# Whether git may convert a file's content before it compares it, told by the attribute files above the file.


_NAME = ".gitattributes"
_ATTRIBUTES = {"filter": FILTERS, "ident": FILTERS, "working-tree-encoding": FILTERS, "diff": DIFFS}
_PLAIN = {FILTERS: (b"unspecified", b"unset"), DIFFS: (b"unspecified",)}


class Attributes:
    """What the attributes of single files ask for. One thread at a time."""

    def __init__(self, root: str, comparing: Comparing) -> None:
        self._root = root
        self._comparing = comparing
        self._told: dict[str, int] = {}

    def asked_of(self, path: str) -> int:
        """Tells what may be done to a tracked file's content: FILTERS, LINES, DIFFS; raises GitFailed."""
        asked = self._comparing.conversion.everywhere
        for folder in _folders_above(path):
            asked |= self._asked_in(folder)
        if asked & (FILTERS | DIFFS):
            asked &= ~(FILTERS | DIFFS) | self._told_by_git(path)
        return asked

    def forget(self) -> None:
        """Asks git again; for when attribute files may be others than before."""
        self._told.clear()

    def _asked_in(self, folder: str) -> int:
        file = f"{self._root}/{folder}{_NAME}"
        if not os.path.lexists(file):
            # One that is tracked and was taken away still counts: git reads it from the index.
            return ANYTHING if self._comparing.tracked.find(folder + _NAME) is not None else 0
        return asked_by(file)

    def _told_by_git(self, path: str) -> int:
        """Tells which of FILTERS and DIFFS the attributes of one path ask for."""
        if path not in self._told:
            asked = path.encode("utf-8", "surrogateescape") + b"\0"
            git = Git(Path(self._root), root=Path(self._root))
            values = git.run("check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=asked).split(b"\0")[2::3]
            pairs = zip(_ATTRIBUTES.values(), values, strict=True)
            self._told[path] = functools.reduce(
                operator.or_, (kind for kind, value in pairs if value not in _PLAIN[kind]), 0
            )
        return self._told[path]


def _folders_above(path: str) -> Iterator[str]:
    """Yields the root and each folder above a path, relative, with a slash at the end."""
    yield ""
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)


MAX_LOOKED_AT = 1_000
"""More files than this are left to git, which looks at them faster (about 50 µs each here)."""

_LINK_MODE = 0o120000
_REGULAR_MODES = (0o100644, 0o100755)


class Undecided(Exception):
    """Only a full look tells."""


class Advance:
    """Works out states of one worktree under the rules of one survey. One thread at a time."""

    def __init__(self, cwd: Path, known: Survey, comparing: Comparing) -> None:
        self.known = known
        self._cwd = cwd
        self._root = known.root
        self._comparing = comparing
        self._attributes = Attributes(known.root, comparing)
        self._ignored: dict[str, bool] = {}

    def after(self, reading: Reading, changed: Iterable[str], look: Look) -> Reading | None:
        """Gives the state after these paths (absolute) changed; None where only a full look tells."""
        try:
            return self._after(reading, self._below_root(changed), look)
        except (Undecided, GitFailed, OSError, ValueError):
            return None

    def asked_of(self, path: str) -> int:
        """Tells what attributes and settings ask for a path below the root; all where git cannot say."""
        try:
            return self._attributes.asked_of(path)
        except (GitFailed, OSError, ValueError):
            return ANYTHING

    def _below_root(self, changed: Iterable[str]) -> set[str]:
        top = f"{self._root}/"
        if self._root in changed:
            raise Undecided
        return {path.removeprefix(top) for path in changed if path.startswith(top)}

    def _after(self, reading: Reading, changed: set[str], look: Look) -> Reading:
        prefix = reading.state.prefix
        if any(prefix.startswith(f"{path}/") for path in changed):
            raise Undecided  # the workspace's folder may be another
        for entry, file in zip(reading.entries, reading.state.changed, strict=True):
            if entry.path not in changed and not is_still(file, self._cwd, reading.state, look.hashes):
                changed.add(entry.path)
        on_disk = self._looked_at(reading, changed)
        mine = {
            path: found
            for path, found in on_disk.items()
            if path.startswith(prefix) and not look.is_own(self._cwd, path[len(prefix) :])
        }
        if not mine:
            return reading
        before = {entry.path: entry for entry in reading.entries if entry.path in mine}
        fresh = self._entries(mine, before, look.hashes)
        return self._merged(reading, mine, fresh)

    def _looked_at(self, reading: Reading, changed: set[str]) -> dict[str, os.stat_result | None]:
        """Gives what is on disk now of the changed paths and of all that was or is below them."""
        found: dict[str, os.stat_result | None] = {}
        for path in sorted(changed):
            was_below = [entry.path for entry in self._comparing.tracked.below(path)]
            was_below += _below(reading.entries, path)
            is_below: dict[str, os.stat_result] = {}
            there = None if self._is_beyond_link(path) else _lstat(f"{self._root}/{path}")
            if there is not None and stat.S_ISDIR(there.st_mode):
                is_below = self._walk(path)
            if was_below or is_below:
                self._ignored.clear()  # a folder may bring rules of its own
                self._attributes.forget()
            found[path] = there
            found |= {below: is_below.get(below) for below in was_below}
            found |= is_below
            if len(found) > MAX_LOOKED_AT:
                raise Undecided
        return found

    def _is_beyond_link(self, path: str) -> bool:
        """Says whether something above a path is not, or no longer, a folder."""
        at = path.find("/")
        while at >= 0:
            above = _lstat(f"{self._root}/{path[:at]}")
            if above is None or not stat.S_ISDIR(above.st_mode):
                return True
            at = path.find("/", at + 1)
        return False

    def _walk(self, folder: str) -> dict[str, os.stat_result]:
        """Gives the files in a folder and below it, without what git ignores as a whole or we made."""
        found: dict[str, os.stat_result] = {}
        waiting = [folder]
        while waiting:
            parent = waiting.pop()
            with os.scandir(f"{self._root}/{parent}") as entries:
                for entry in entries:
                    path = f"{parent}/{entry.name}"
                    if entry.name.lower() == ".git":
                        raise Undecided
                    if not entry.is_dir(follow_symlinks=False):
                        found[path] = entry.stat(follow_symlinks=False)
                    elif self.known.folders.enters(f"{self._root}/{path}"):
                        waiting.append(path)
            if len(found) + len(waiting) > MAX_LOOKED_AT:
                raise Undecided
        return found

    def _entries(
        self, on_disk: dict[str, os.stat_result | None], before: dict[str, Entry], hashes: ContentHashes
    ) -> list[tuple[Entry, str]]:
        fresh: list[tuple[Entry, str]] = []
        untracked: list[str] = []
        for path, found in on_disk.items():
            was = before.get(path)
            if was is not None and (was.is_nested or was.kind == "conflicted"):
                raise Undecided
            tracked = self._comparing.tracked.find(path)
            if tracked is not None:
                fresh += self._of_tracked(tracked, found, was, hashes)
                continue
            if found is not None and _is_listed(found):
                if self._comparing.conversion.folds_case:
                    raise Undecided  # it may be a tracked file under a name that is the same there
                untracked.append(path)
            elif was is not None and was.code[0] == "D":
                fresh.append((self._removed(path), "absent"))
        return fresh + self._of_untracked(untracked, before, hashes)

    def _of_tracked(
        self, tracked: Tracked, found: os.stat_result | None, was: Entry | None, hashes: ContentHashes
    ) -> list[tuple[Entry, str]]:
        if not tracked.is_plain or tracked.mode not in (*_REGULAR_MODES, _LINK_MODE):
            raise Undecided
        staged = was.code[0] if was is not None else "."
        if staged in "?D":
            raise Undecided  # git said that it is not tracked
        worktree, content = self._compared(tracked, found, hashes)
        code = staged + worktree
        if code == "..":
            return []
        kind: ChangeKind = "renamed" if was is not None and was.kind == "renamed" else kind_of(code)
        original = was.original if was is not None else None
        return [(Entry(tracked.path, kind, code, f"{tracked.mode:06o} {tracked.id}", original, False), content)]

    def _compared(self, tracked: Tracked, found: os.stat_result | None, hashes: ContentHashes) -> tuple[str, str]:
        """Gives git's letter for the worktree against the index, and the content hash."""
        if found is None or stat.S_ISDIR(found.st_mode):
            return "D", "absent"
        if not _is_listed(found):
            raise Undecided
        content = self._hash(tracked.path, hashes)
        is_link = tracked.mode == _LINK_MODE
        if content.startswith("link:") != is_link:
            return "T", content
        if not is_link and self._comparing.conversion.heeds_mode and _is_executable(found) != _is_executable(tracked):
            return "M", content
        is_same = content_identity(content).removeprefix("link:") == tracked.id
        if not is_link:
            asked = self._require_unconverted(tracked.path)
            if asked & LINES and is_same and found.st_size != tracked.size:
                raise Undecided  # git takes another size for a change, whatever converting would make of it
        return ("." if is_same else "M"), content

    def _hash(self, path: str, hashes: ContentHashes) -> str:
        content = hashes.of(f"{self._root}/{path}", self._comparing.object_format)
        if content is None or content.startswith(("large:", "unreadable:", "other:")):
            raise Undecided
        return content

    def _require_unconverted(self, path: str) -> int:
        """Raises Undecided where git might compare another content than the file's own; gives what was asked for."""
        asked = self._attributes.asked_of(path)
        if asked & FILTERS:
            raise Undecided
        if asked & LINES:
            content = read_file(f"{self._root}/{path}", HASHED_BYTES)
            if content is None or b"\r\n" in content:
                raise Undecided
        return asked

    def _of_untracked(
        self, paths: list[str], before: dict[str, Entry], hashes: ContentHashes
    ) -> list[tuple[Entry, str]]:
        ignored = self._are_ignored(paths)
        fresh: list[tuple[Entry, str]] = []
        for path in paths:
            was_removed = path in before and before[path].code[0] == "D"
            if not ignored[path]:
                code = "D?" if was_removed else "??"
                content = hashes.of(f"{self._root}/{path}", self._comparing.object_format)
                fresh.append((Entry(path, "untracked", code, "", None, False), content or "absent"))
            elif was_removed:
                fresh.append((self._removed(path), "absent"))
        return fresh

    def _removed(self, path: str) -> Entry:
        """Gives the entry of a file that was taken out of the index and is not on disk, or ignored there."""
        nothing = "0" * (64 if self._comparing.object_format == "sha256" else 40)
        return Entry(path, "deleted", "D.", f"000000 {nothing}", None, False)

    def _are_ignored(self, paths: list[str]) -> dict[str, bool]:
        """Says of each path whether git ignores it; git is asked once for each under the same rules."""
        unknown = [path for path in paths if path not in self._ignored]
        if unknown:
            # A colon at the beginning would be magic to git, which does not take names literally here.
            asked = b"".join(f"./{path}\0".encode("utf-8", "surrogateescape") for path in unknown)
            git = Git(Path(self._root), root=Path(self._root))
            answer = git.run("check-ignore", "--no-index", "-z", "--stdin", stdin=asked, fine=(0, 1))
            ignored = {path[2:] for path in answer.decode("utf-8", "surrogateescape").split("\0")}
            self._ignored |= {path: path in ignored for path in unknown}
        return {path: self._ignored[path] for path in paths}

    def _merged(self, reading: Reading, looked_at: Iterable[str], fresh: list[tuple[Entry, str]]) -> Reading:
        kept = [
            (entry, file.content_hash)
            for entry, file in zip(reading.entries, reading.state.changed, strict=True)
            if entry.path not in looked_at
        ]
        both = sorted(kept + fresh)
        made = compose(reading.state, [entry for entry, _ in both], [content for _, content in both])
        return reading if made == reading else made


def _below(entries: tuple[Entry, ...], folder: str) -> list[str]:
    """Gives the paths below a folder; the entries stand in the order of their paths."""
    prefix = f"{folder}/"
    number = bisect_left(entries, prefix, key=lambda entry: entry.path)
    found: list[str] = []
    while number < len(entries) and entries[number].path.startswith(prefix):
        found.append(entries[number].path)
        number += 1
    return found


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_listed(found: os.stat_result) -> bool:
    """Says whether git lists such a thing: files and links, no sockets, pipes or devices."""
    return stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)


def _is_executable(file: os.stat_result | Tracked) -> bool:
    mode = file.mode if isinstance(file, Tracked) else file.st_mode
    return bool(mode & stat.S_IXUSR)
