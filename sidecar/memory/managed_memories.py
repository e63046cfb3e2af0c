"""Memories whose path and id their maker knows, because they mirror something else: written and taken back whole.

They are ordinary memories. What made them can make them again, so a write is not waited for until it is on the disk.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.call import Process
from sidecar.core.errors import NotFound, SidecarError, StateDegraded
from sidecar.memory import index as index_file
from sidecar.memory.entry import Memory
from sidecar.memory.files import document
from sidecar.memory.files.entry_fields import Said
from sidecar.memory.files.front_matter import Damaged, Value, split, values
from sidecar.memory.files.layout import place_of
from sidecar.memory.index import index_of
from sidecar.memory.store import entries
from sidecar.workspace import Workspace


class Written(NamedTuple):
    """A stand-alone memory as its bytes have it: every key of the front matter, title and text."""

    facts: Said
    title: str
    text: str


class Change(NamedTuple):
    """A file's bytes before and after; None where there is none."""

    path: str
    before: bytes | None
    after: bytes | None


class Placed:
    """The memories below one folder of a project, a look at which costs no reading of what was read before."""

    def __init__(self, process: Process, workspace: Workspace, folder: str) -> None:
        self._process = process
        self._index = index_of(process, workspace)
        self._folder = folder

    def versions(self) -> dict[str, str]:
        """Gives the digest of each file's bytes by its path, after a look at the files."""
        self._index.check()
        with self._process.database.read() as tx:
            return entries.versions_below(tx, self._index.project, f"{self._folder}/")

    def revision(self) -> int:
        """Gives a number that changes with every change of the project's memories that the index took in."""
        return self._index.revision()

    def tags(self) -> dict[str, tuple[str, ...]]:
        """Gives the tags of each memory by its file's path, as the index has them, without a look at the files."""
        with self._process.database.read() as tx:
            return entries.tags_below(tx, self._index.project, f"{self._folder}/")

    def content(self, path: str) -> bytes | None:
        """Gives a file's bytes; None where there is none. Raises StateDegraded for what cannot be read."""
        try:
            return self._index.folder.read(path)[0]
        except NotFound:
            return None
        except OSError as error:
            raise StateDegraded("A memory's file cannot be read.", hint="Check its permissions.") from error

    def apply(self, changes: Sequence[Change]) -> Iterator[tuple[Change, SidecarError | None]]:
        """Makes changes under one lock, and tells of each what became of it once all are in the index.

        A file that is not as `before` says is left alone: its change fails with Conflict.
        """
        done: list[tuple[Change, SidecarError | None]] = []
        with self._index.locked():
            for change in changes:
                try:
                    self._write(change)
                    done.append((change, None))
                except SidecarError as error:
                    done.append((change, error))
                except OSError as error:
                    problem = StateDegraded(f"The memory's file cannot be written: {error.strerror or 'an error'}.")
                    done.append((change, problem))
            self._index.refresh([change.path for change in changes], buries=False)
        yield from done

    def close(self) -> None:
        """Has the folder's `index.json` follow the changes."""
        if self._index.folder.exists():
            index_file.write(self._index)

    def _write(self, change: Change) -> None:
        folder = self._index.folder
        if change.after is None:
            folder.take_away(change.path, change.before)
        elif change.before is None:
            folder.create(change.path, change.after, durable=False)
        else:
            folder.replace(change.path, change.before, change.after, durable=False)


def written(facts: Mapping[str, Value], title: str, text: str) -> bytes:
    """Gives the file of a new stand-alone memory."""
    return document.new_memory(facts, title, text)


def rewritten(content: bytes, path: str, facts: Mapping[str, Value], title: str | None, text: str | None) -> bytes:
    """Gives a file with facts, title and text changed, and every other key as it is; None leaves title or text.

    A damaged one is written anew.
    """
    place = place_of(path)
    assert place is not None
    try:
        memory: Memory = document.read(content, path, place, 0).memories[0]
        return document.edited(content, memory, document.Edit(facts, title, text), is_group=False)
    except SidecarError:
        return written(facts, title or "", text or "")


def read_back(content: bytes) -> Written:
    """Reads a stand-alone memory's file; what is damaged has no facts."""
    text = content.decode("utf-8", "replace")
    try:
        parts = split(text)
        facts = values(parts.matter) if parts.matter else {}
    except Damaged:
        return Written({}, "", text)
    title, body = document.title_and_text(parts.body)
    return Written(facts, title, body)
