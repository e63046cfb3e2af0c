"""The memories that point to the items of a knowledge repository; a sync writes and deletes them whole.

They are ordinary memories. A sync can recreate them, so writes do not wait for the disk. The front matter alone
identifies the item, and each line of the text starts with a prefix of our own, so that an item's text cannot imitate
another line.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.call import Process
from sidecar.core.errors import NotFound, SidecarError, StateDegraded
from sidecar.core.yaml_text import Value
from sidecar.memory.entry import Memory
from sidecar.memory.file_index import memory_index_of, write_index_file
from sidecar.memory.files import document
from sidecar.memory.files.document import unescape_text
from sidecar.memory.files.front_matter import FieldValues, MalformedFrontMatter, read_values, split
from sidecar.memory.files.layout import location_of
from sidecar.memory.store import index_tables
from sidecar.workspace import Workspace


class MemoryFile(NamedTuple):
    """A stand-alone memory file: front matter, title and text."""

    facts: FieldValues
    title: str
    text: str


class MemoryFileChange(NamedTuple):
    """A file's bytes before and after; None where it does not exist."""

    path: str
    before: bytes | None
    after: bytes | None


class PointerFiles:
    """The files of a project's pointers; unchanged files are not read again."""

    def __init__(self, process: Process, workspace: Workspace) -> None:
        self._process = process
        self._index = memory_index_of(process, workspace)

    def versions(self) -> dict[str, str]:
        """Refresh the index and return the digest of each file's bytes by path."""
        self._index.refresh()
        with self._process.database.read() as tx:
            return index_tables.versions_below(tx, self._index.project, f"{POINTERS}/")

    def tags(self) -> dict[str, tuple[str, ...]]:
        """Return the indexed tags of each memory by path, without a refresh."""
        with self._process.database.read() as tx:
            return index_tables.tags_below(tx, self._index.project, f"{POINTERS}/")

    def content(self, path: str) -> bytes | None:
        """Return a file's bytes; None if it does not exist. Raise StateDegraded if it cannot be read."""
        try:
            return self._index.folder.read(path)[0]
        except NotFound:
            return None
        except OSError as error:
            raise StateDegraded("The memory file cannot be read.", hint="Check its permissions.") from error

    def apply(self, changes: Sequence[MemoryFileChange]) -> Iterator[tuple[MemoryFileChange, SidecarError | None]]:
        """Apply changes under one lock; yield each with its error, or None, once all are indexed.

        A file that differs from `before` is not changed; its change fails with Conflict.
        """
        results: list[tuple[MemoryFileChange, SidecarError | None]] = []
        with self._index.locked():
            for change in changes:
                try:
                    self._write(change)
                    results.append((change, None))
                except SidecarError as error:
                    results.append((change, error))
                except OSError as error:
                    problem = StateDegraded(f"The memory file cannot be written: {error.strerror or 'an error'}.")
                    results.append((change, problem))
            self._index.update_paths([change.path for change in changes], tombstone=False)
        yield from results

    def close(self) -> None:
        """Update `index.json`."""
        if self._index.folder.exists():
            write_index_file(self._index)

    def _write(self, change: MemoryFileChange) -> None:
        folder = self._index.folder
        if change.after is None:
            folder.remove_unchanged(change.path, change.before)
        elif change.before is None:
            folder.create(change.path, change.after, durable=False)
        else:
            folder.replace(change.path, change.before, change.after, durable=False)


def render_memory_file(facts: Mapping[str, Value], title: str, text: str) -> bytes:
    """Return the bytes of a new stand-alone memory file."""
    return document.new_memory(facts, title, text)


def edit_memory_file(
    content: bytes, path: str, facts: Mapping[str, Value], title: str | None, text: str | None
) -> bytes:
    """Return a file with changed facts, title and text, and every other key unchanged; None leaves title or text.

    A damaged file is written from scratch.
    """
    place = location_of(path)
    assert place is not None
    try:
        memory: Memory = document.read(content, path, place, 0).memories[0]
        return document.edit_entry(content, memory, document.Edit(facts, title, text), is_group=False)
    except SidecarError:
        return render_memory_file(facts, title or "", text or "")


def read_memory_file(content: bytes) -> MemoryFile:
    """Parse a stand-alone memory file, whatever its line ends; a damaged one has no facts."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    try:
        parts = split(text)
        facts = read_values(parts.matter) if parts.matter else {}
    except MalformedFrontMatter:
        return MemoryFile({}, "", text)
    title, body = document.split_title(parts.body)
    return MemoryFile(facts, title, unescape_text(body))


POINTERS = "shared/durable/pointers"
"""Folder of the pointers."""

ITEM, KIND, STATUS = "knowledge_item", "knowledge_type", "knowledge_status"
"""Keys of a pointer's front matter."""

POINTER_TAG, BLOCKING_TAG = "pointer", "blocking"
"""Tag of every pointer; BLOCKING_TAG marks those with a blocking constraint."""

SUMMARY, BLOCKING, STATE, REFERENCE = "Summary: ", "Blocking: ", "Status: ", "Reference: "
"""Beginnings of the lines of a pointer's text."""

ORPHANED = "orphaned"
NO_LONGER = frozenset(("deprecated", "superseded"))
"""An item with one of these statuses is no longer binding."""
PLAIN = frozenset(("active", "accepted", "approved", "current"))
"""Statuses that need no mention."""

MAX_CONSTRAINTS = 3


class Pointer(NamedTuple):
    """Content of a pointer."""

    ref: str
    """The item's identity as one word: `company:adr-001`."""
    kind: str
    """adr, policy, pattern or spec."""
    layer: str
    status: str
    title: str
    """With the kind as prefix: `[ADR] Use PostgreSQL`."""
    summary: str
    blocking: tuple[str, ...]

    @property
    def is_binding(self) -> bool:
        """Whether the item exists and is binding."""
        return self.status not in NO_LONGER and self.status != ORPHANED


def pointer_statements(text: str) -> list[str]:
    """Return a pointer's statements line by line, without prefixes and without its status."""
    own = (SUMMARY, BLOCKING, REFERENCE)
    return [line.removeprefix(begin) for line in text.splitlines() for begin in own if line.startswith(begin)]


def parse_pointer(memory: MemoryFile) -> Pointer | None:
    """Parse a memory file as a pointer; None if it is not one."""
    facts = {name: value for name, value in memory.facts.items() if isinstance(value, str)}
    if not facts.get(ITEM):
        return None
    lines = memory.text.splitlines()
    summaries = [line.removeprefix(SUMMARY) for line in lines if line.startswith(SUMMARY)]
    return Pointer(
        ref=facts[ITEM],
        kind=facts.get(KIND, ""),
        layer=facts.get("layer", ""),
        status=facts.get(STATUS, ""),
        title=memory.title,
        summary=summaries[0] if summaries else "",
        blocking=tuple(line.removeprefix(BLOCKING) for line in lines if line.startswith(BLOCKING))[:MAX_CONSTRAINTS],
    )
