"""Changes to memories: each one a file written whole under the folder's lock, then taken into the index."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import NamedTuple

from sidecar.call import Process
from sidecar.core.clock import rfc3339
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import Conflict, InvalidParams, NotFound, PolicyDenied
from sidecar.memory import index as index_file
from sidecar.memory.access import Reach, require_owner, unknown
from sidecar.memory.entry import Keeping, Memory
from sidecar.memory.files import document
from sidecar.memory.files.document import Edit
from sidecar.memory.files.front_matter import Value
from sidecar.memory.files.layout import MEMORY_ID, archived, file_of, place_of, restored
from sidecar.memory.files.memory_folder import MemoryFolder, Numbers
from sidecar.memory.index import Index, index_of
from sidecar.memory.privacy_filter import screened
from sidecar.memory.store import entries, local_state
from sidecar.workspace import Workspace

MAX_TITLE = 200
LOOKS = 3
"""How often a file is looked at again that somebody writes to meanwhile."""


class New(NamedTuple):
    """A stand-alone memory that is to be written; facts go to its front matter in this order."""

    owner: str
    keeping: Keeping
    title: str
    text: str
    facts: Mapping[str, Value]


class Found(NamedTuple):
    """A memory, whether it stands in a group, and its file's bytes, in which it has exactly that place."""

    memory: Memory
    is_group: bool
    content: bytes


class Writer:
    """What changes memories of one project, within what the asking one may reach."""

    def __init__(self, process: Process, workspace: Workspace, reach: Reach) -> None:
        self.process = process
        self.reach = reach
        self.index: Index = index_of(process, workspace)
        self.folder: MemoryFolder = self.index.folder
        self.project = workspace.project_key

    def reaching(self, reach: Reach) -> "Writer":
        """Gives the same with another reach."""
        other = copy(self)
        other.reach = reach
        return other

    def add(self, new: New) -> Memory:
        """Writes a new memory; raises PolicyDenied where it is out of reach, InvalidParams when nothing is left."""
        require_owner(self.reach, new.owner)
        title, text = screened_words(new.title, new.text)
        with self.index.locked() as numbers:
            memory_id = self.next_id(numbers)
            path = file_of(new.owner, new.keeping, memory_id, title)
            self.folder.create(path, document.new_memory({"id": memory_id, **new.facts}, title, text))
            self.index.refresh([path])
        index_file.write(self.index)
        return self._at(path, 0)

    def update(self, memory_id: str, version: str | None, edit: Edit) -> Memory:
        """Changes a memory; raises NotFound, Conflict when it is not of the version expected, PolicyDenied."""
        title = screened(edit.title).text if edit.title is not None else None
        text = screened(edit.text).text if edit.text is not None else None
        with self.index.locked():
            memory = self._edit(memory_id, version, Edit(edit.facts, title, text))
        index_file.write(self.index)
        return self._at(memory.path, memory.position)

    def amend(self, changes: Sequence[tuple[Memory, Mapping[str, Value]]]) -> tuple[str, ...]:
        """Changes facts of memories as the index has them, every file once; the lock is held by the caller.

        Gives the paths of files that were left alone, because they are damaged or were changed by somebody else.
        """
        by_path: dict[str, list[tuple[Memory, Mapping[str, Value]]]] = {}
        for memory, facts in changes:
            by_path.setdefault(memory.path, []).append((memory, facts))
        left = tuple(path for path, those in by_path.items() if not self._amend_file(path, those))
        self.index.refresh([path for path in by_path if path not in left])
        return left

    def _amend_file(self, path: str, changes: Sequence[tuple[Memory, Mapping[str, Value]]]) -> bool:
        with self.process.database.read() as tx:
            files = entries.files_of_paths(tx, self.project, [path])
        try:
            content, _ = self.folder.read(path)
            if not files or digest_bytes(content) != files[0].version:
                return False
            after = content
            for memory, facts in changes:
                after = document.edited(after, memory, Edit(facts), is_group=files[0].is_group)
            if after != content:
                self.folder.replace(path, content, after)
        except (PolicyDenied, Conflict, NotFound, OSError):
            return False
        return True

    def _edit(self, memory_id: str, version: str | None, edit: Edit) -> Memory:
        memory, is_group, content = self.found(memory_id)
        _require_version(memory, version)
        changed = document.edited(content, memory, edit, is_group=is_group)
        if changed != content:
            self.folder.replace(memory.path, content, changed)
            self.index.refresh([memory.path])
        return memory

    def delete(self, memory_id: str, version: str | None) -> Memory:
        """Removes a memory for good; what has the same wording is not captured again. Raises NotFound, Conflict."""
        with self.index.locked():
            memory, is_group, content = self.found(memory_id)
            _require_version(memory, version)
            rest = document.without(content, memory) if is_group else None
            if rest is None:
                self.folder.remove(memory.path)
            else:
                self.folder.replace(memory.path, content, rest)
            self.index.refresh([memory.path], buries=True)
        index_file.write(self.index)
        return memory

    def restore(self, memory_id: str) -> Memory:
        """Moves an archived memory's file back to where it came from; raises NotFound, Conflict."""
        with self.index.locked():
            memory, _, _ = self.found(memory_id)
            if not memory.is_archived:
                raise Conflict("The memory is not archived.")
            path = restored(memory.path)
            self.move(memory.path, path)
        index_file.write(self.index)
        return self._at(path, memory.position)

    def keep_for_good(self, memory_id: str) -> Memory:
        """Makes a memory durable: its file moves, or an entry of a group gets a file of its own. Raises NotFound."""
        with self.index.locked():
            memory, is_group, content = self.found(memory_id)
            path = self._lasting_path(memory)
            if is_group:
                self.folder.create(path, document.alone(content, memory))
                rest = document.without(content, memory)
                if rest is None:
                    self.folder.remove(memory.path)
                else:
                    self.folder.replace(memory.path, content, rest)
                self.index.refresh([path, memory.path])
            else:
                self.move(memory.path, path)
        index_file.write(self.index)
        return self._at(path, 0)

    def _lasting_path(self, memory: Memory) -> str:
        if MEMORY_ID.fullmatch(memory.id):
            return file_of(memory.owner, "durable", memory.id, memory.title)
        return f"{memory.owner}/durable/{memory.path.rsplit('/', 1)[-1]}"

    def archive(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Moves files to the archive; the lock is held by the caller. Gives those that could not be moved."""
        left = tuple(path for path in paths if not self._archive_file(path))
        self.index.refresh([to for path in paths if path not in left for to in (archived(path), path)])
        return left

    def _archive_file(self, path: str) -> bool:
        try:
            self.folder.move(path, archived(path))
        except (Conflict, NotFound, PolicyDenied, OSError):
            return False
        return True

    def move(self, path: str, to: str) -> None:
        """Moves a file; the lock is held by the caller."""
        if place_of(to) is None:
            raise PolicyDenied("A memory's path stays within the memories' folder.")
        self.folder.move(path, to)
        self.index.refresh([to, path])

    def next_id(self, numbers: Numbers) -> str:
        """Gives an id that no memory has or had; the folder's lock is held by the caller."""
        day = rfc3339(self.process.clock.now_ms())[:10]
        if day not in numbers.given:
            self.index.check()  # others may have written memories of today by hand, or under another state file
        with self.process.database.read() as tx:
            number = 1 + max(numbers.given.get(day, 0), entries.last_number(tx, self.project, day))
        numbers.keep(day, number)
        return f"mem-{day}-{number:03d}"

    def found(self, memory_id: str) -> "Found":
        """Gives a memory within reach as its file has it now; raises NotFound, Conflict while somebody writes to it."""
        for _ in range(LOOKS):
            self.index.check()
            with self.process.database.read() as tx:
                known = entries.with_id(tx, self.project, memory_id, self.reach.owners)
                files = entries.files_of_paths(tx, self.project, [one.memory.path for one in known[:1]])
            if not known or not files:
                raise unknown()
            memory = known[0].memory
            content, _ = self.folder.read(memory.path)
            if digest_bytes(content) == files[0].version:
                return Found(memory, files[0].is_group, content)
        raise Conflict("The memory's file is being written to.", hint="Try again shortly.")

    def opened(self, memory: Memory, session: str) -> Memory:
        """Counts that a session opened a memory, once; gives the memory as it stands then."""
        now_ms = self.process.clock.now_ms()
        with self.process.database.write(durable=False) as tx:
            is_first = local_state.note_opening(tx, self.project, memory.id, session, now_ms)
        if not is_first or memory.is_archived:
            return memory
        facts: dict[str, Value] = {"access_count": memory.access_count + 1, "last_accessed": moment(now_ms)}
        try:
            return self.update(memory.id, None, Edit(facts))
        except (PolicyDenied, Conflict, NotFound):
            return memory  # a damaged file is read, and left as it is

    def _at(self, path: str, position: int) -> Memory:
        with self.process.database.read() as tx:
            known = entries.at_path(tx, self.project, path)
        if position >= len(known):
            raise unknown()  # another process has taken it away since
        return known[position].memory


def _require_version(memory: Memory, version: str | None) -> None:
    if version is not None and memory.version != version:
        raise Conflict("The memory was changed meanwhile.", hint="`memory/get` shows it as it is now.")


def screened_words(title: str, text: str) -> tuple[str, str]:
    """Gives title and text as they may be stored; raises InvalidParams when nothing is left of the text."""
    kept_title, kept_text = screened(title).text, screened(text).text
    if not kept_text and not kept_title:
        raise InvalidParams("Nothing is left of the memory's text once what is private is taken out.")
    first = next((line.strip(" #") for line in kept_text.splitlines() if line.strip(" #")), "")
    return (kept_title or first)[:MAX_TITLE], kept_text


def moment(now_ms: int) -> str:
    """Gives a moment as front matter has it, to the second."""
    return rfc3339(now_ms)[:19] + "Z"
