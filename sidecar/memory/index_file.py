"""`index.json` beside the memories: ids, titles, tags, tier and path, for people and programs that read the folder.

Derived from the files, like the index in the state file; we never read it.
"""

import threading

import orjson

from sidecar.call import Process
from sidecar.core.digests import digest_bytes
from sidecar.memory.files.layout import INDEX_FILE
from sidecar.memory.index import Index
from sidecar.memory.store import entries

AT_ONCE = 1_000
"""Up to so many files it is written with the change; beyond, behind it, and once for many changes."""


class _Written:
    """What was written last, by project, and which projects wait."""

    def __init__(self) -> None:
        self.digests: dict[str, str] = {}
        self.revisions: dict[str, int] = {}
        """At which revision of the index, also where the file could not be written."""
        self.waiting: set[str] = set()
        self.lock = threading.Lock()


def follow(index: Index) -> None:
    """Writes the file when memories changed since, by whatever hand."""
    known = index.process.part(_Written, _Written)
    if known.revisions.get(index.project) == index.revision():
        return
    if index.files() or (index.folder.exists() and index.folder.holds(INDEX_FILE)):
        write(index)


def write(index: Index) -> None:
    """Writes the file unless it is up to date, at once or shortly after."""
    process, known = index.process, index.process.part(_Written, _Written)
    if index.files() <= AT_ONCE:
        _write(process, index, known)
        return
    with known.lock:
        if index.project in known.waiting:
            return
        known.waiting.add(index.project)
    process.indexing.submit(_write, process, index, known)


def _write(process: Process, index: Index, known: _Written) -> None:
    with known.lock:
        known.waiting.discard(index.project)
    with process.database.read() as tx:
        revision, rows = entries.revision(tx, index.project), entries.told(tx, index.project)
    content = orjson.dumps({"version": 1, "memories": rows}, option=orjson.OPT_INDENT_2) + b"\n"
    digest = digest_bytes(content)
    with known.lock:
        known.revisions[index.project] = revision
        if known.digests.get(index.project) == digest and index.folder.holds(INDEX_FILE):
            return
        try:
            index.folder.write_index(INDEX_FILE, content)
        except OSError as error:
            process.log.warning("memory.indexFile", error=type(error).__name__)
            return
        known.digests[index.project] = digest
