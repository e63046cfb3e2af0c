"""Moves the write-ahead log into the file in the background; an automatic checkpoint would delay a request by 8 ms."""

import threading
from pathlib import Path

import apsw

from sidecar.storage.connecting import connect

DUE_PAGES = 1_000
"""Pages in the log (4 KiB each) from which a checkpoint is made."""

OVERDUE_PAGES = 4_000
"""Pages from which the checkpoint waits for readers and writers, so that the log starts again from its beginning."""


class Checkpoints:
    """Learns of each commit and checkpoints when it is time, from a thread that is started when first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = threading.Condition()
        self._pages = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    def after_commit(self, _connection: apsw.Connection, _schema: str, pages: int) -> int:
        """Is SQLite's WAL hook of the writing connection."""
        if pages >= DUE_PAGES:
            with self._changed:
                self._pages = pages
                if self._thread is None and not self._closed:
                    self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
                    self._thread.start()
                self._changed.notify()
        return apsw.SQLITE_OK

    def close(self) -> None:
        """Makes no more checkpoints; waits for the one that is running, a second at most."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(1.0)

    def _run(self) -> None:
        while (pages := self._await_pages()) is not None:
            overdue = pages >= OVERDUE_PAGES
            try:
                connection = connect(self._path)
                try:
                    connection.wal_checkpoint(
                        mode=apsw.SQLITE_CHECKPOINT_RESTART if overdue else apsw.SQLITE_CHECKPOINT_PASSIVE
                    )
                finally:
                    connection.close()
            except apsw.Error:
                continue  # the log keeps everything; the next commit asks again

    def _await_pages(self) -> int | None:
        with self._changed:
            self._changed.wait_for(lambda: self._pages or self._closed)
            pages, self._pages = self._pages, 0
            return None if self._closed else pages
