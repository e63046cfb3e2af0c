"""What one request may use."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from sidecar.core.cancellation import Cancellation
from sidecar.core.clock import Clock, rfc3339
from sidecar.core.wire import WireModel
from sidecar.settings.resolve import Layer, Settings, resolve
from sidecar.settings.store import GLOBAL, values_of
from sidecar.storage.database import Database
from sidecar.storage.lru import Lru
from sidecar.system.log import Log
from sidecar.system.threads import Pool
from sidecar.workspace import Workspace, Workspaces, project_key

Part = TypeVar("Part")


class _Known(NamedTuple):
    """Settings as they were resolved, from what stood in the state file at a generation of it."""

    generation: int
    stored: tuple[Mapping[str, Any], Mapping[str, Any]]
    settings: Settings


def _set(event: threading.Event) -> threading.Event:
    event.set()
    return event


@dataclass
class Process:
    """What lives as long as the process and every slice may use; made once by `app.py`."""

    database: Database
    clock: Clock
    new_id: Callable[[], str]
    log: Log
    state_dir: Path
    version: str
    initialize_settings: Mapping[str, Any]
    environment_settings: Mapping[str, Any]
    hot: Lru
    background: Pool
    """For what a request waits for, within its deadline."""
    indexing: Pool
    """One thread for reading whole repositories, so that a core stays free."""
    after_run: "Callable[[Process, Workspace, str], object]"
    """Called once a run is kept, with its conversation: the time to prepare the next pre-run."""
    start_internal_job: "Callable[[str, Callable[[Call], None]], None]"
    """Runs work that no client asked for as a job, by the name of the method it does the work of; raises Busy."""
    workspaces: Workspaces = field(default_factory=Workspaces)
    is_command_line: bool = False
    """Whether the user asks, and no host: all that is kept is within reach."""
    loaded: threading.Event = field(default_factory=lambda: _set(threading.Event()))
    """Set unless slices that no run needs are still being loaded."""
    ending: threading.Event = field(default_factory=threading.Event)
    at_end: list[Callable[[], object]] = field(default_factory=list)
    """Called, in order, once the process is ending."""
    _settings: dict[str, "_Known"] = field(default_factory=dict)
    _parts: dict[type, object] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def part(self, kind: type[Part], make: Callable[[], Part]) -> Part:
        """Gives what a slice keeps for the whole process, making it the first time."""
        with self._lock:
            if kind not in self._parts:
                self._parts[kind] = make()
            return cast("Part", self._parts[kind])

    def end(self) -> None:
        """Tells everything that the process is ending."""
        self.ending.set()
        for close in self.at_end:
            close()

    def settle(self, seconds: float) -> bool:
        """Waits at most so long until nothing is under way in the background; False when time is up before."""
        give_up_ms = self.clock.monotonic_ms() + seconds * 1000
        pools = (self.background, self.indexing)
        while True:
            expected = [pool.expected for pool in pools]
            for pool in pools:
                if not pool.wait_until_done(max(0.0, give_up_ms - self.clock.monotonic_ms()) / 1000):
                    return False
            if expected == [pool.expected for pool in pools]:  # else one may have given the other work
                return True

    def settings(self, project: str) -> Settings:
        """Gives the settings that count for a project key; resolved anew only when they were changed in the file."""
        generation = self.database.generation()
        known = self._settings.get(project)
        if known is not None and known.generation == generation:
            return known.settings
        with self.database.read() as reader:
            stored = values_of(reader, GLOBAL), values_of(reader, project) if project else {}
        settings = known.settings if known is not None and known.stored == stored else self._resolved(*stored)
        self._settings[project] = _Known(generation, stored, settings)
        return settings

    def _resolved(self, for_all: Mapping[str, Any], for_project: Mapping[str, Any]) -> Settings:
        layers: list[tuple[Layer, Mapping[str, Any]]] = [
            ("initialize", self.initialize_settings),
            ("global", for_all),
            ("project", for_project),
            ("environment", self.environment_settings),
        ]
        return resolve(layers)


@dataclass(frozen=True)
class Call:
    """One request: the process's things, when it arrived, and how to tell the client something meanwhile."""

    process: Process
    request_id: str | int | float | None
    received_ms: float
    cancellation: Cancellation
    notify: Callable[[str, WireModel], None]

    @property
    def database(self) -> Database:
        """The state file."""
        return self.process.database

    @property
    def log(self) -> Log:
        """The log."""
        return self.process.log

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        return self.process.clock.now_ms()

    def now(self) -> str:
        """Now, as RFC 3339 text."""
        return rfc3339(self.now_ms())

    def elapsed_ms(self) -> float:
        """Milliseconds since the request arrived, waiting included."""
        return self.process.clock.monotonic_ms() - self.received_ms

    def settings(self, project_path: str | None) -> Settings:
        """The settings that count for a project's path, or the global ones."""
        if project_path is None:
            return self.process.settings(GLOBAL)
        return self.process.settings(project_key(self.process.workspaces.get(project_path, None).project))
