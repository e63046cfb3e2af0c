"""Context of a request: the process it runs in, and the call itself."""

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import Cancellation
from sidecar.core.lru_cache import LruCache
from sidecar.core.wire_types import WireModel
from sidecar.settings.resolve import GLOBAL, Layer, Settings, resolve_layers, values_of
from sidecar.storage.database import Database
from sidecar.system.log import Log
from sidecar.system.worker_threads import ThreadPool
from sidecar.workspace import ProjectFolders, Workspace, Workspaces, project_key

if TYPE_CHECKING:
    from sidecar.slice_states import ProcessSlices


class _CachedSettings(NamedTuple):
    """Resolved settings, and the stored values and generation of the state file they come from."""

    generation: int
    stored: tuple[Mapping[str, Any], Mapping[str, Any]]
    settings: Settings


@dataclass
class Process:
    """Resources that live as long as the process and every slice can use; created once by `app.py`."""

    database: Database
    clock: Clock
    new_id: Callable[[], str]
    log: Log
    state_dir: Path
    version: str
    initialize_settings: Mapping[str, Any]
    environment_settings: Mapping[str, Any]
    hot_cache: LruCache[tuple[str, tuple[str, ...]], bytes]
    """The part of the disk caches that is in memory."""
    background: ThreadPool
    """Work that a request waits for, within its deadline."""
    prefetching: ThreadPool
    """Packs that are built ahead of the next call; no request queues behind them."""
    indexing: ThreadPool
    """One thread for indexing repositories, so that a core stays free."""
    after_run: "Callable[[Process, Workspace, str], object]"
    """Called after a run was recorded, with its conversation."""
    check_settings: "Callable[[Process, Workspace, Mapping[str, object]], None]"
    """Called with a project's new settings before they are stored; raises a SidecarError to refuse them."""
    start_internal_job: "Callable[[str, Callable[[Call], None]], None]"
    """Run a job that no client requested, under the name of the method it does the work of. Raise Busy."""
    workspaces: Workspaces
    project_folders: ProjectFolders
    slices: "ProcessSlices" = field(init=False)
    """The slices' state that lives as long as the process."""
    is_command_line: bool = False
    """Whether a user runs a command, who may see everything that is stored."""
    closing: threading.Event = field(default_factory=threading.Event)
    """Set when the process ends."""
    close_callbacks: list[Callable[[], object]] = field(default_factory=list)
    """Called in order when the process ends."""
    recorded_runs: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """Numbers the runs that the process recorded."""
    _settings: dict[str, _CachedSettings] = field(default_factory=dict)

    def end(self) -> None:
        """Notify every slice that the process is ending."""
        self.closing.set()
        for callback in self.close_callbacks:
            callback()

    def wait_idle(self, seconds: float) -> bool:
        """Wait until no background work is running; return False if that takes longer than `seconds`."""
        deadline_ms = self.clock.monotonic_ms() + seconds * 1000
        pools = (self.background, self.prefetching, self.indexing)
        while True:
            expected = [pool.submitted for pool in pools]
            for pool in pools:
                if not pool.wait_until_done(max(0.0, deadline_ms - self.clock.monotonic_ms()) / 1000):
                    return False
            if expected == [pool.submitted for pool in pools]:  # else one may have submitted work to another
                return True

    def settings(self, project: str) -> Settings:
        """Return the effective settings of a project key; cached until the state file changes."""
        generation = self.database.generation()
        cached = self._settings.get(project)
        if cached is not None and cached.generation == generation:
            return cached.settings
        with self.database.read() as reader:
            stored = values_of(reader, GLOBAL), values_of(reader, project) if project else {}
        settings = cached.settings if cached is not None and cached.stored == stored else self.resolve_settings(*stored)
        self._settings[project] = _CachedSettings(generation, stored, settings)
        return settings

    def resolve_settings(self, global_values: Mapping[str, Any], project_values: Mapping[str, Any]) -> Settings:
        """Return the effective settings for stored values, global and of a project."""
        layers: list[tuple[Layer, Mapping[str, Any]]] = [
            ("initialize", self.initialize_settings),
            ("global", global_values),
            ("project", project_values),
            ("environment", self.environment_settings),
        ]
        return resolve_layers(layers)


@dataclass(frozen=True)
class Call:
    """One request: its process, when it arrived, and how to notify the client meanwhile."""

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
        """Milliseconds since the request arrived, including the time in queues."""
        return self.process.clock.monotonic_ms() - self.received_ms

    def settings(self, project_path: str | None) -> Settings:
        """Return the effective settings of a project's path, or the global ones."""
        if project_path is None:
            return self.process.settings(GLOBAL)
        return self.process.settings(project_key(self.process.workspaces.get(project_path, None).project))
