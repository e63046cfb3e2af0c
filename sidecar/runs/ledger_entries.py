"""Entries of the delivery ledger: the parts of an item that a provider session has, with content hashes. Pure.

A key names what a session can receive; a run's own work is named with the same keys.

JSON form of an entry: one object with `kind` and the fields of its class in snake case; lists for tuples, and an object
for each region, hunk and task. The kinds are those of `_CLASSES`, for example
`{"kind": "file", "content": "", "regions": [{"name": "1f0c2a", "content": "9be01c44"}]}` for a file of which the
session has one region, and `{"kind": "removed"}` for something it had that no longer exists.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import orjson

from sidecar.codebase import ChangedFile, Hunk, RepositoryState, may_name
from sidecar.core.digests import digest_bytes, short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.secret_formats import OWN_PATTERNS

MAX_REGIONS = 400
"""Maximum number of regions recorded of a file; further ones are sent again when a prompt asks for them."""

MAX_HUNKS = 400
"""Maximum number of hunks of a file recorded as sent; the rest is sent again if the file changes."""

MAX_LISTED = 4_000
"""Maximum number of ids stored of a list; further files are sent again when it changes."""

TASK_CHARACTERS = 80
"""Number of characters stored of a task, so that it can be named once it is dropped."""

ANCHOR = "anchor"
HEAD = "delta:head"
OPERATION = "delta:operation"
SUBMODULES = "delta:submodules"
TODOS = "delta:todos"
RULES = "delta:anchor"
FACTS = "delta:facts"
PLANNING_RULES = "plan"
PLAN = "plan:text"
MORE = "delta:more"
INDEX = "delta:index"
UNNAMED = "delta:unnamed"
BROKEN_IMPORTS = "delta:imports"
_CHANGE = "delta:file:"
_COMMIT = "delta:commit:"
_TESTS = "delta:tests:"
_CONTEXT = "context:"
_MEMORY = "memory:"
_ENTITY = "registry:"
_INSTRUCTION = "instruction:"

_DURATION = lazy_regex(r"\b\d+(?:\.\d+)?\s?m?s\b")


@dataclass(frozen=True, slots=True)
class SentRegion:
    """A region that a session received, wherever in its file it was."""

    name: str
    """Digest of the definition's name, with the window's number in a long one; empty for code between definitions."""
    content: str
    """Digest of its lines."""


@dataclass(frozen=True, slots=True)
class SentHunk:
    """A hunk that a session received."""

    hunk_id: str
    position: str
    is_shown: bool
    """False if it was only counted: the session knows that it exists, but not its text."""


@dataclass(frozen=True, slots=True)
class SentTask:
    """A task of the agent's list as a session knows it."""

    task_id: str
    status: str
    beginning: str


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A text that is either known or not."""

    kind: ClassVar[str] = "text"
    digest: str


@dataclass(frozen=True, slots=True)
class InstructionEntry:
    """A standing instruction as it was delivered: its memory may be gone before the session hears of that."""

    kind: ClassVar[str] = "instruction"
    text: str


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """Something that the session had, and knows to exist no longer."""

    kind: ClassVar[str] = "removed"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """Known content of a file. Without content and regions the session only knows that the file exists."""

    kind: ClassVar[str] = "file"
    content: str = ""
    """Digest of the whole content that the agent read or wrote; empty if it did neither."""
    regions: tuple[SentRegion, ...] = ()
    is_opened: bool = False
    """Whether the agent read or wrote some of it itself."""

    @property
    def is_pointer(self) -> bool:
        """Whether the session only knows that the file exists."""
        return not (self.content or self.regions or self.is_opened)


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """Part of a changed file's diff that a session received."""

    kind: ClassVar[str] = "change"
    change: str = ""
    """Digest of the diff at that time; empty if none was sent."""
    hunks: tuple[SentHunk, ...] = ()
    """In file order."""
    is_whole: bool = True
    """False if the file was only named because its diff came too late; the next call sends it completely."""
    is_past: bool = False
    """Whether the session knows that the file differs no longer. What it received is not sent again if it returns."""

    @property
    def was_sent(self) -> bool:
        """Whether the session has some of it, or had."""
        return bool(self.change) or self.is_past

    @property
    def shows_all(self) -> bool:
        """Whether the session has the text of every hunk."""
        return self.is_whole and 0 < len(self.hunks) < MAX_HUNKS and all(hunk.is_shown for hunk in self.hunks)


@dataclass(frozen=True, slots=True)
class HeadEntry:
    """The worktree's head."""

    kind: ClassVar[str] = "head"
    digest: str
    branch: str = ""
    """Empty if the worktree was on none."""
    is_whole: bool = True
    """False if the changes since the session's last head came too late."""


@dataclass(frozen=True, slots=True)
class TaskListEntry:
    """The agent's task list."""

    kind: ClassVar[str] = "tasks"
    digest: str
    tasks: tuple[SentTask, ...] = ()


@dataclass(frozen=True, slots=True)
class FileListEntry:
    """Files that were listed without their differences."""

    kind: ClassVar[str] = "files"
    digest: str
    ids: tuple[str, ...] = ()
    """The `listed_id` of each file, or of its counted folder."""

    @property
    def file_count(self) -> int:
        """The number of listed files."""
        return sum(int(id_.partition(":")[0]) if ":" in id_ else 1 for id_ in self.ids)


@dataclass(frozen=True, slots=True)
class LineListEntry:
    """Lines about the repository that a session received besides its anchor."""

    kind: ClassVar[str] = "lines"
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FailureEntry:
    """Failing tests."""

    kind: ClassVar[str] = "failure"
    digest: str
    is_own: bool = False
    """Whether the session saw the failure in a run of its own, and needs only a reminder."""


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A memory of a version."""

    kind: ClassVar[str] = "memory"
    version: str
    level: str = ""
    """The level of detail; empty for its content."""


Entry = (
    TextEntry
    | InstructionEntry
    | RemovedEntry
    | FileEntry
    | ChangeEntry
    | HeadEntry
    | TaskListEntry
    | FileListEntry
    | LineListEntry
    | FailureEntry
    | MemoryEntry
)

REMOVED = RemovedEntry()
POINTER = FileEntry()
NO_CHANGE = ChangeEntry()
_CLASSES: dict[str, Any] = {
    of.kind: of
    for of in (
        *(TextEntry, InstructionEntry, RemovedEntry, FileEntry, ChangeEntry, HeadEntry),
        *(TaskListEntry, FileListEntry, LineListEntry, FailureEntry, MemoryEntry),
    )
}
_ELEMENTS: dict[str, Any] = {"regions": SentRegion, "hunks": SentHunk, "tasks": SentTask}


def entry_to_json(entry: Entry) -> bytes:
    """Return the JSON form of an entry."""
    return orjson.dumps({"kind": entry.kind, **{name: getattr(entry, name) for name in entry.__slots__}})


_CACHE_BYTES = 4 * 2**20
_OBJECT_BYTES, _SIZE_FACTOR = 400, 4
"""Size of an entry: an object, and for each byte of JSON this many in dataclasses and strings."""

_entries: LruCache[bytes, Entry] = LruCache(_CACHE_BYTES)


def entry_from_json(text: bytes) -> Entry:
    """Return an entry from its JSON form. Raise ValueError, KeyError or TypeError for anything else."""
    known = _entries.get(text)
    if known is not None:
        return known
    value = orjson.loads(text)
    of = _CLASSES[value.pop("kind")]
    entry: Entry = of(**{name: _member(name, member) for name, member in value.items()})
    key = bytes(memoryview(text))  # what orjson returns occupies at least 4 KiB
    _entries.put(key, entry, _OBJECT_BYTES + _SIZE_FACTOR * len(text))
    return entry


def _member(name: str, value: Any) -> Any:
    element = _ELEMENTS.get(name)
    if element is not None:
        return tuple(element(**member) for member in value)
    return tuple(value) if isinstance(value, list) else value


def is_past(entry: Entry) -> bool:
    """Whether a session knows that an item exists no longer."""
    return entry == REMOVED or (isinstance(entry, ChangeEntry) and entry.is_past)


def past_entry(entry: Entry) -> Entry:
    """Return the entry of a file that differs no longer, as by a stash, a commit or the checkout of another branch."""
    if isinstance(entry, ChangeEntry) and entry.hunks:
        return replace(entry, change="", is_past=True)
    return REMOVED


def covers(had: Entry, needed: Entry) -> bool:
    """Whether a session with one entry of an item needs nothing for the other."""
    if isinstance(had, FileEntry) and isinstance(needed, FileEntry):
        return needed.is_pointer or had == needed
    if isinstance(had, MemoryEntry) and isinstance(needed, MemoryEntry):
        return had.version == needed.version and had.level in ("", needed.level)
    return had == needed


@lru_cache(maxsize=1_024)
def change_digest(file: ChangedFile) -> str:
    """Return a digest of what a changed file's diff depends on; staging alone does not change it."""
    origin = file.original if file.kind == "renamed" else None
    return short_id(
        [
            file.content_hash,
            origin and origin.encode("utf-8", "replace").decode(),
            file.kind == "conflicted",
        ]
    )


MANY_UNTRACKED, MIN_COUNTED_FILES = MAX_LISTED, 12
"""With more untracked files than the first number, which no list can have, a top-level folder with at least the second
one of them is counted: one entry instead of one for each file.
"""

CACHED_CHANGE_LISTS = 4


class CountedFolder(NamedTuple):
    """A top-level folder with many untracked files."""

    path: str
    """With a trailing slash; `./` for the files in no folder."""
    files: Mapping[str, ChangedFile]
    """Those that may be named, by path."""
    digest: str
    """Identifies their paths and contents."""

    @property
    def listed_id(self) -> str:
        """Its id in a list of changed files: the number of its files, and what identifies them."""
        return f"{len(self.files)}:{self.digest[:8]}"


class ChangeList(NamedTuple):
    """The changed files of a state, as packs and records treat them."""

    paths: frozenset[str]
    """Paths of all changed files."""
    single: tuple[ChangedFile, ...]
    """The files that may be named, outside of counted folders."""
    unnamed: tuple[ChangedFile, ...]
    """The files that a pack may not name: secret ones, and those that a tool installed."""
    folders: Mapping[str, CountedFolder]
    """The counted folders by path."""
    digests: Mapping[str, str]
    """Digest of each single file's diff by path, and of each counted folder by `counted_key`."""
    unnamed_digest: str

    def counted(self, path: str) -> ChangedFile | None:
        """Return the file at a path if it is in a counted folder."""
        folder = self.folders.get(_top_folder(path)) if self.folders else None
        return folder.files.get(path) if folder is not None else None


_change_lists: LruCache[Hashable, tuple[RepositoryState, ChangeList]] = LruCache(CACHED_CHANGE_LISTS)


def changes_of(state: RepositoryState) -> ChangeList:
    """Return the changed files of a state, sorted out once for the same state."""
    key = (state.kind, id(state.changed), id(state.outside), id(state.submodules), OWN_PATTERNS.texts)
    cached = _change_lists.get(key)  # its state keeps the objects alive that the key names
    if cached is None:
        cached = (state, _sort_out(state))
        _change_lists.put(key, cached, 1)
    return cached[1]


def _sort_out(state: RepositoryState) -> ChangeList:
    files = state.all_changed
    nameable = [file for file in files if may_name(file.path)]
    unnamed = tuple(file for file in files if not may_name(file.path)) if len(nameable) < len(files) else ()
    untracked: dict[str, dict[str, ChangedFile]] = {}
    if sum(file.code == "??" for file in nameable) > MANY_UNTRACKED:
        for file in nameable:
            if file.code == "??":
                untracked.setdefault(_top_folder(file.path), {})[file.path] = file
    folders = {
        path: CountedFolder(path, members, _digest_of_many(tuple(members.values())))
        for path, members in untracked.items()
        if len(members) >= MIN_COUNTED_FILES
    }
    single = tuple(
        file for file in nameable if not folders or file.code != "??" or _top_folder(file.path) not in folders
    )
    digests = {file.path: change_digest(file) for file in single}
    digests |= {counted_key(folder.path): folder.digest for folder in folders.values()}
    return ChangeList(
        frozenset(file.path for file in files), single, unnamed, folders, digests, _digest_of_many(unnamed)
    )


def _top_folder(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return f"{folder}/" if slash else "./"


def _digest_of_many(files: Sequence[ChangedFile]) -> str:
    text = "\0".join(f"{file.path}\0{file.content_hash}" for file in files)
    return digest_bytes(text.encode("utf-8", "surrogatepass"))[:12]


def counted_key(path: str) -> str:
    """Return the key, in a baseline, of the top-level folder of a path as a counted one."""
    return f"{_top_folder(path)}**"


def is_counted_key(key: str) -> bool:
    """Whether a key of a baseline is a counted folder's."""
    return key.endswith("/**")


def is_as_before(file: ChangedFile, earlier: Mapping[str, str]) -> bool:
    """Whether a changed file's diff is as in a baseline; one in a folder that is counted there counts as such."""
    if file.code == "??" and counted_key(file.path) in earlier:
        return True
    return earlier.get(file.path) == change_digest(file)


def index_entry(state: RepositoryState) -> Entry:
    """Return what is staged, at the head commit it is compared with; REMOVED if nothing is."""
    staged = [[file.path.encode("utf-8", "replace").decode(), file.code[0]] for file in staged_files(state)]
    digest = short_id([*staged, state.index_hash])
    return TextEntry(f"{(state.head or '')[:HEAD_CHARACTERS]} {digest}") if staged else REMOVED


def is_of_commit(entry: Entry, head: str | None) -> bool:
    """Whether an index entry was compared with a head commit."""
    return isinstance(entry, TextEntry) and entry.digest.split(" ")[0] == (head or "")[:HEAD_CHARACTERS]


def staged_files(state: RepositoryState) -> list[ChangedFile]:
    """Return the changed files of which the next commit differs from the head commit; none with conflicts is in it."""
    changes = changes_of(state)
    files = (*changes.single, *changes.unnamed)
    staged = [file for file in files if file.code[0] not in ".?u" and file.kind != "conflicted"]
    return sorted(staged) if changes.unnamed else staged


def unnamed_files(state: RepositoryState) -> Sequence[ChangedFile]:
    """Return the changed files that a pack may not name: secret ones, and those that a tool installed."""
    return changes_of(state).unnamed if state.kind == "git" else ()


def unnamed_entry(state: RepositoryState) -> Entry:
    """Return the changed files that may not be named; REMOVED if there are none."""
    return TextEntry(changes_of(state).unnamed_digest) if unnamed_files(state) else REMOVED


HEAD_CHARACTERS = 10


def shown_hunks(hunks: Sequence[Hunk]) -> tuple[SentHunk, ...]:
    """Return hunks as they are recorded once they were shown, or written by the agent itself."""
    return tuple(SentHunk(hunk.hunk_id, hunk.position, is_shown=True) for hunk in hunks[:MAX_HUNKS])


@lru_cache(maxsize=4_096)
def listed_id(file: ChangedFile) -> str:
    """Return an id of a changed file and its content for a list of many."""
    return digest_bytes(f"{file.path}\0{file.content_hash}".encode("utf-8", "surrogatepass"))[:8]


def file_list_entry(ids: Sequence[str]) -> FileListEntry:
    """Return the entry of a list of changed files, with enough of its ids to recognize new files."""
    return FileListEntry(short_id(list(ids)), tuple(ids[:MAX_LISTED]))


def head_entry(branch: str | None, head: str | None, *, is_whole: bool = True) -> HeadEntry:
    """Return the entry of a branch and its head commit."""
    return HeadEntry(short_id([branch, head]), branch or "", is_whole)


def folder_entry(files_hash: str) -> HeadEntry:
    """Return the entry of the content of a folder without git."""
    return HeadEntry(short_id(["folder", files_hash]))


def task_list_entry(todos: Sequence[tuple[str, str]]) -> TaskListEntry:
    """Return the entry of a task list, with each task's status and beginning to recognize changes."""
    tasks = tuple(SentTask(task_id(content), status[:12], content[:TASK_CHARACTERS]) for content, status in todos)
    return TaskListEntry(short_id([list(todo) for todo in todos]), tasks)


def task_id(content: str) -> str:
    """Return a digest of a task's text."""
    return short_id(content, 8)


def tests_digest(names: Sequence[str], excerpt: str, run_id: str) -> str:
    """Return a digest of a failure. Timings do not change it; a pass in between does."""
    return short_id([list(names), _DURATION.sub("", excerpt), run_id])


def change_key(path: str) -> str:
    """Return the key of a changed file's diff."""
    return _CHANGE + path


def changed_path(key: str) -> str | None:
    """Return the path of a changed file's key; None for another key."""
    return key.removeprefix(_CHANGE) if key.startswith(_CHANGE) else None


def commit_key(path: str) -> str:
    """Return the key of what commits changed in a file."""
    return _COMMIT + path


def context_key(path: str) -> str:
    """Return the key of a file's summary."""
    return _CONTEXT + path


def context_path(key: str) -> str | None:
    """Return the path of a summary's key; None for another key."""
    return key.removeprefix(_CONTEXT) if key.startswith(_CONTEXT) else None


def memory_key(memory_id: str) -> str:
    """Return the key of a memory."""
    return _MEMORY + memory_id


def entity_key(entity_id: str) -> str:
    """Return the key of a registry entity."""
    return _ENTITY + entity_id


def memory_id(key: str) -> str | None:
    """Return the id of a memory's key; None for another key."""
    return key.removeprefix(_MEMORY) if key.startswith(_MEMORY) else None


def instruction_key(memory_id: str) -> str:
    """Return the key of the standing instruction that a memory states."""
    return _INSTRUCTION + memory_id


def instruction_id(key: str) -> str | None:
    """Return the memory's id of a standing instruction's key; None for another key."""
    return key.removeprefix(_INSTRUCTION) if key.startswith(_INSTRUCTION) else None


def tests_key(runner: str) -> str:
    """Return the key of a test runner's last verdict."""
    return _TESTS + runner


def tests_runner(key: str) -> str | None:
    """Return the runner of a test verdict's key; None for another key."""
    return key.removeprefix(_TESTS) if key.startswith(_TESTS) else None
