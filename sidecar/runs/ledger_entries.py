"""Entries of the delivery ledger: the parts of an item that a provider session has, with content hashes. Pure.

A key names what a session can receive; a run's own work is named with the same keys.

JSON form of an entry: one object with `kind` and the fields of its class in snake case; lists for tuples, and an object
for each region, hunk and task. The kinds are those of `_CLASSES`, for example
`{"kind": "file", "content": "", "regions": [{"name": "1f0c2a", "content": "9be01c44"}]}` for a file of which the
session has one region, and `{"kind": "removed"}` for something it had that no longer exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import orjson

from sidecar.codebase import ChangedFile, Hunk, RepositoryState, may_name
from sidecar.core.digests import digest_bytes, short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache

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


def index_entry(state: RepositoryState) -> Entry:
    """Return what is staged, at the head commit it is compared with; REMOVED if nothing is."""
    staged = [[file.path.encode("utf-8", "replace").decode(), file.code[0]] for file in staged_files(state)]
    return TextEntry(f"{(state.head or '')[:HEAD_CHARACTERS]} {short_id(staged)}") if staged else REMOVED


def is_of_commit(entry: Entry, head: str | None) -> bool:
    """Whether an index entry was compared with a head commit."""
    return isinstance(entry, TextEntry) and entry.digest.split(" ")[0] == (head or "")[:HEAD_CHARACTERS]


def staged_files(state: RepositoryState) -> list[ChangedFile]:
    """Return the changed files of which the index differs from the head commit."""
    return [file for file in state.all_changed if file.code[0] not in ".?u"]


def unnamed_files(state: RepositoryState) -> list[ChangedFile]:
    """Return the changed files that a pack may not name: secret ones, and those that a tool installed."""
    return [file for file in state.all_changed if not may_name(file.path)] if state.kind == "git" else []


def unnamed_entry(state: RepositoryState) -> Entry:
    """Return the changed files that may not be named; REMOVED if there are none."""
    files = [[file.path.encode("utf-8", "replace").decode(), change_digest(file)] for file in unnamed_files(state)]
    return TextEntry(short_id(files)) if files else REMOVED


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
