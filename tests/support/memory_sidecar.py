"""The in-memory sidecar: the whole application in this process, without streams or signals."""

import functools
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from sidecar.app import App, load_full_catalog
from sidecar.method import Catalog, Method, Notification
from sidecar.storage.database import open_state
from sidecar.system.log import Log
from tests.support.client import Client
from tests.support.clock import FixedClock
from tests.support.inbox import Inbox


class MemorySidecar:
    """An application and its client; its messages and exit requests can be inspected."""

    def __init__(
        self,
        state_dir: Path,
        methods: Iterable[Method] = (),
        notifications: Iterable[Notification] = (),
        environment: Mapping[str, str] | None = None,
        may_load: threading.Event | None = None,
        *,
        prints_log: bool = True,
        ids_used: int = 0,
    ) -> None:
        """Serves the catalog and more; `may_load` holds the loading of methods back until it is set.

        `ids_used` is the number of ids that the state file may contain already.
        """
        if not state_dir.exists() and state_dir.parent.is_dir():
            shutil.copytree(empty_state(), state_dir)
        load = with_rows(methods, notifications)
        self.clock = FixedClock()
        self.inbox = Inbox()
        self.ended_with: list[tuple[int, str]] = []
        self._ids = ids_used
        self.app = App(
            self.clock,
            self._new_id,
            self.inbox.put,
            environment or {},
            self._end,
            enter=lambda _folder: None,
            load_catalog=load if may_load is None else lambda: load() if may_load.wait(20) else Catalog((), ()),
            log=Log(self.clock, to_stderr=prints_log),
        )
        self.client = Client(self.app.connection.receive, self.inbox, state_dir)

    def close(self) -> None:
        """End the application as the end of stdin would, and wait for work that still reads the state file."""
        self.app.close()
        if (process := self.app.process) is not None:
            for pool in (process.background, process.prefetching, process.indexing):
                pool.shutdown()
        self.app.log.close()
        self.inbox.close()

    def _end(self, status: int, reason: str) -> None:
        self.ended_with.append((status, reason))
        self.app.log.flush(1, sys.stderr.buffer.write)
        self.inbox.close()

    def _new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:012x}".ljust(32, "0")


@functools.cache
def empty_state() -> Path:
    """Return a state folder as the first start makes it; a copy takes a tenth of the time that creating one takes."""
    folder = Path(tempfile.mkdtemp(prefix="state-")) / "state"
    open_state(folder, FixedClock().now_ms()).database.close()
    return folder


def with_rows(methods: Iterable[Method], notifications: Iterable[Notification] = ()) -> Callable[[], Catalog]:
    """Return a loader of the catalog with a test's own rows added."""

    def load() -> Catalog:
        catalog = load_full_catalog()
        return catalog._replace(
            methods=(*catalog.methods, *methods), notifications=(*catalog.notifications, *notifications)
        )

    return load
