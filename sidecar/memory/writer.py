"""Changes to memories: each writes a file atomically under the folder's lock, then updates the index."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.core.clock import rfc3339_seconds, utc_day
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import Conflict, InvalidParams, NotFound, PolicyDenied
from sidecar.core.yaml_text import Value
from sidecar.memory.access_control import MemoryContext, Reach, memory_not_found, require_owner
from sidecar.memory.entry import Memory, Retention
from sidecar.memory.file_index import MemoryIndex, memory_index_of, write_index_file
from sidecar.memory.files import document
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import MEMORY_ID, archive_path, location_of, new_memory_path, unarchived_path
from sidecar.memory.files.memory_folder import DayNumbers, MemoryFolder
from sidecar.memory.memory_tiers import RESTORED_TAG
from sidecar.memory.storable_text import filter_private
from sidecar.memory.store import index_tables, local_state
from sidecar.workspace import Workspace

MAX_TITLE = 200
MAX_READS = 3
"""Maximum reads of a file that is being written."""


class NewMemory(NamedTuple):
    """A stand-alone memory to write; its facts go to the front matter in this order."""

    owner: str
    retention: Retention
    title: str
    text: str
    facts: Mapping[str, Value]


class StoredMemory(NamedTuple):
    """A memory, whether it is in a group, and its file's bytes, in which its position is exact."""

    memory: Memory
    is_group: bool
    content: bytes


class Writer:
    """Writer for one project's memories within a caller's reach."""

    def __init__(self, process: Process, workspace: Workspace, reach: Reach) -> None:
        self.process = process
        self.reach = reach
        self.index: MemoryIndex = memory_index_of(process, workspace)
        self.folder: MemoryFolder = self.index.folder
        self.project = workspace.project_key

    def with_reach(self, reach: Reach) -> "Writer":
        """Return a copy with another reach."""
        writer = copy(self)
        writer.reach = reach
        return writer

    def add(self, new: NewMemory) -> Memory:
        """Write a new memory. Raise PolicyDenied if it is out of reach, InvalidParams if no text remains."""
        require_owner(self.reach, new.owner)
        title, text = filtered_words(new.title, new.text)
        with self.index.locked() as numbers:
            memory_id = self.next_id(numbers)
            path = new_memory_path(new.owner, new.retention, memory_id, title)
            self.folder.create(path, document.new_memory({"id": memory_id, **new.facts}, title, text))
            self.index.update_paths([path])
        write_index_file(self.index)
        return self._at(path, 0)

    def update(self, memory_id: str, version: str | None, edit: Edit) -> Memory:
        """Change a memory. Raise NotFound, PolicyDenied, or Conflict if its version differs."""
        title = filter_private(edit.title).text if edit.title is not None else None
        text = filter_private(edit.text, preserves_ends=True).text if edit.text is not None else None
        with self.index.locked():
            memory = self._edit(memory_id, version, Edit(edit.facts, title, text))
        write_index_file(self.index)
        return self._at(memory.path, memory.position)

    def amend(self, changes: Sequence[tuple[Memory, Mapping[str, Value]]]) -> tuple[str, ...]:
        """Change facts of indexed memories, each file once; the caller holds the lock.

        Return the paths of skipped files: damaged, or changed by someone else.
        """
        by_path: dict[str, list[tuple[Memory, Mapping[str, Value]]]] = {}
        for memory, facts in changes:
            by_path.setdefault(memory.path, []).append((memory, facts))
        skipped = tuple(path for path, memory_changes in by_path.items() if not self._amend_file(path, memory_changes))
        self.index.update_paths([path for path in by_path if path not in skipped])
        return skipped

    def _amend_file(self, path: str, changes: Sequence[tuple[Memory, Mapping[str, Value]]]) -> bool:
        with self.process.database.read() as tx:
            files = index_tables.files_at(tx, self.project, [path])
        try:
            content, _ = self.folder.read(path)
            if not files or digest_bytes(content) != files[0].version:
                return False
            after = content
            for memory, facts in changes:
                after = document.edit_entry(after, memory, Edit(facts), is_group=files[0].is_group)
            if after != content:
                self.folder.replace(path, content, after)
        except (PolicyDenied, Conflict, NotFound, OSError):
            return False
        return True

    def _edit(self, memory_id: str, version: str | None, edit: Edit) -> Memory:
        memory, is_group, content = self.find(memory_id)
        _require_version(memory, version)
        changed = document.edit_entry(content, memory, edit, is_group=is_group)
        if changed != content:
            self.folder.replace(memory.path, content, changed)
            self.index.update_paths([memory.path])
        return memory

    def delete(self, memory_id: str, version: str | None) -> Memory:
        """Permanently delete a memory; equal content is not captured again. Raise NotFound, Conflict."""
        with self.index.locked():
            memory, is_group, content = self.find(memory_id)
            _require_version(memory, version)
            remaining = document.remove_entry(content, memory) if is_group else None
            if remaining is None:
                self.folder.remove(memory.path)
            else:
                self.folder.replace(memory.path, content, remaining)
            self.index.update_paths([memory.path], tombstone=True)
        write_index_file(self.index)
        return memory

    def restore(self, memory_id: str) -> Memory:
        """Move an archived memory's file back to its original place, for good. Raise NotFound, Conflict.

        Entries that upkeep would archive again get a tag that says otherwise, until the user removes it.
        """
        with self.index.locked():
            memory, _, _ = self.find(memory_id)
            if not memory.is_archived:
                raise Conflict("The memory is not archived.")
            path = unarchived_path(memory.path)
            self.move(memory.path, path)
            if memory.retention != "durable":
                self.amend([(entry, {"tags": [*entry.tags, RESTORED_TAG]}) for entry in self._entries_at(path)])
        write_index_file(self.index)
        return self._at(path, memory.position)

    def make_durable(self, memory_id: str) -> Memory:
        """Make a memory durable: its file moves, or a group entry gets its own file. Raise NotFound."""
        with self.index.locked():
            memory, is_group, content = self.find(memory_id)
            path = self._durable_path(memory)
            if is_group:
                self.folder.create(path, document.extract_entry(content, memory))
                remaining = document.remove_entry(content, memory)
                if remaining is None:
                    self.folder.remove(memory.path)
                else:
                    self.folder.replace(memory.path, content, remaining)
                self.index.update_paths([path, memory.path])
            else:
                self.move(memory.path, path)
        write_index_file(self.index)
        return self._at(path, 0)

    def _durable_path(self, memory: Memory) -> str:
        if MEMORY_ID.fullmatch(memory.id):
            return new_memory_path(memory.owner, "durable", memory.id, memory.title)
        return f"{memory.owner}/durable/{memory.path.rsplit('/', 1)[-1]}"

    def archive(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Move files to the archive; the caller holds the lock. Return those that could not be moved."""
        failed = tuple(path for path in paths if not self._archive_file(path))
        self.index.update_paths(
            [new_path for path in paths if path not in failed for new_path in (archive_path(path), path)]
        )
        return failed

    def _archive_file(self, path: str) -> bool:
        try:
            self.folder.move(path, archive_path(path))
        except (Conflict, NotFound, PolicyDenied, OSError):
            return False
        return True

    def move(self, path: str, to: str) -> None:
        """Move a file; the caller holds the lock."""
        if location_of(to) is None:
            raise PolicyDenied("A memory's path must stay within the memories folder.")
        self.folder.move(path, to)
        self.index.update_paths([to, path])

    def next_id(self, numbers: DayNumbers) -> str:
        """Return an id that was never used; the caller holds the folder's lock."""
        day = utc_day(self.process.clock.now_ms())
        if day not in numbers.last_numbers:
            self.index.refresh()  # others may have added memories today, by hand or with another state file
        with self.process.database.read() as tx:
            number = 1 + max(numbers.last_numbers.get(day, 0), index_tables.last_memory_number(tx, self.project, day))
        numbers.reserve(day, number)
        return f"mem-{day}-{number:03d}"

    def find(self, memory_id: str) -> "StoredMemory":
        """Return a memory within reach as its file has it now. Raise NotFound, or Conflict if it is being written."""
        for attempt in range(MAX_READS):
            self.index.refresh()
            with self.process.database.read() as tx:
                matches = index_tables.entries_with_id(tx, self.project, memory_id, self.reach.owners)
                files = index_tables.files_at(tx, self.project, [match.memory.path for match in matches[:1]])
            if not matches or not files:
                if attempt:
                    raise memory_not_found()
                continue  # another thread may just have repaired the index, which empties it
            memory = matches[0].memory
            content, _ = self.folder.read(memory.path)
            if digest_bytes(content) == files[0].version:
                return StoredMemory(memory, files[0].is_group, content)
        raise Conflict("The memory file is being written.", hint="Try again shortly.")

    def record_opening(self, memory: Memory, session: str) -> Memory:
        """Count the first opening by a session and return the updated memory."""
        now_ms = self.process.clock.now_ms()
        with self.process.database.write(durable=False) as tx:
            is_first = local_state.add_opening(tx, self.project, memory.id, session, now_ms)
        if not is_first or memory.is_archived:
            return memory
        facts: dict[str, Value] = {"access_count": memory.access_count + 1, "last_accessed": rfc3339_seconds(now_ms)}
        try:
            return self.update(memory.id, None, Edit(facts))
        except (PolicyDenied, Conflict, NotFound):
            return memory  # a damaged file is readable but never changed

    def _at(self, path: str, position: int) -> Memory:
        memories = self._entries_at(path)
        if position >= len(memories):
            raise memory_not_found()  # another process removed it since
        return memories[position]

    def _entries_at(self, path: str) -> list[Memory]:
        """Return the memories of a file that was just written."""
        return self.index.find(
            lambda tx: [entry.memory for entry in index_tables.entries_at_path(tx, self.project, path)]
        )


def writer_of(call: Call, ctx: MemoryContext) -> Writer:
    """Return a writer for the memories within a call's reach."""
    return Writer(call.process, ctx.workspace, ctx.reach)


def _require_version(memory: Memory, version: str | None) -> None:
    if version is not None and memory.version != version:
        raise Conflict("The memory has changed since it was read.", hint="`memory/get` returns its current version.")


def filtered_words(title: str, text: str) -> tuple[str, str]:
    """Return title and text as they may be stored. Raise InvalidParams if nothing remains."""
    filtered_title, filtered_text = filter_private(title).text, filter_private(text, preserves_ends=True).text
    if not filtered_text.strip() and not filtered_title:
        raise InvalidParams("Nothing of the text remains without private parts and text of the sidecar.")
    first_line = next((line.strip(" #") for line in filtered_text.splitlines() if line.strip(" #")), "")
    return (filtered_title or first_line)[:MAX_TITLE], filtered_text
