"""The composition root: one process, from its first byte to its end.

Start-up is a state machine; `Phase` holds the states, `_NEXT_PHASES` the arrows:

    STARTED ──initialize──▶ INITIALIZED ──core methods loaded──▶ SERVING_RUNS ──all methods loaded──▶ SERVING
                                 │                                    │
                                 └───────── loading failed ───────────┴──▶ FAILED

    every phase ──close()──▶ CLOSED

- STARTED: only `initialize` is answered. It needs few imports (no pydantic, no dispatcher).
- INITIALIZED: the state file is open and a thread loads the core methods; requests wait in order.
- SERVING_RUNS: pre-runs and the other core methods are answered. The thread waits until the first run has its response
  or another method is requested, then loads the rest; requests for the rest wait.
- SERVING: everything is answered.
- FAILED: the methods could not be loaded; the process ends with status 70.

A command that passes its own `load_catalog` goes from INITIALIZED to SERVING in one step.
"""

import gc
import os
import sys
import threading
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sidecar import __version__
from sidecar.core import json_text
from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import InvalidParams, SidecarError, StateDegraded, loggable_name
from sidecar.initialize_params import PROTOCOL_VERSION, Handshake, read_initialize
from sidecar.rpc import MAX_MESSAGE_BYTES, Connection, PendingRequest, Request, Scheduler, frames_of
from sidecar.settings.table import from_environment
from sidecar.storage.database import OpenedState, open_state
from sidecar.system.allocator import use_single_arena
from sidecar.system.log import Log
from sidecar.system.safe_open import make_private_folder, real_path

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

    from sidecar.call import Call, Process
    from sidecar.method import Catalog
    from sidecar.rpc import Dispatcher
    from sidecar.storage.database import Database
    from sidecar.system.running_sidecars import ProcessRegistration
    from sidecar.workspace import Workspace

Stored = TypeVar("Stored")

DRAIN_MS = 1_500
"""Time in which pending requests can still be answered after the client left; the host allows two seconds in all."""

GRACE_MS = 400
"""Time in which cancelled work can stop when the process ends."""

IDLE_POLL_SECONDS = 0.1
"""Interval in which the loading thread checks whether the first run has its response. Until then it does not compete
for the processor."""

IDLE_POLLS = 20
"""Number of checks after which the rest is loaded anyway, because some requests take minutes."""

INTERNAL_ID_PREFIX = "sidecar:"
"""Prefix of the ids of jobs that no client requested."""

EX_SOFTWARE = 70
"""Exit status when the methods cannot be loaded. The process is useless then; the host restarts it."""

SWITCH_SECONDS = 0.000_5
"""Thread switch interval, so that no request waits for a thread that computes, as while modules are loaded. A request
releases the interpreter lock some thirty times, and Python's own interval of 5 ms would pass at each."""


class Phase(IntEnum):
    """A state of the start-up, as drawn above."""

    STARTED = 0
    INITIALIZED = 1
    SERVING_RUNS = 2
    SERVING = 3
    FAILED = 4
    CLOSED = 5


_NEXT_PHASES = {
    Phase.STARTED: {Phase.INITIALIZED, Phase.CLOSED},
    Phase.INITIALIZED: {Phase.SERVING_RUNS, Phase.SERVING, Phase.FAILED, Phase.CLOSED},
    Phase.SERVING_RUNS: {Phase.SERVING, Phase.FAILED, Phase.CLOSED},
    Phase.SERVING: {Phase.CLOSED},
    Phase.FAILED: {Phase.CLOSED},
    Phase.CLOSED: set[Phase](),
}


class App:
    """The application behind one connection."""

    def __init__(
        self,
        clock: Clock,
        new_id: "Callable[[], str]",
        send: "Callable[[bytes], None]",
        environment: Mapping[str, str],
        end: "Callable[[int, str], None]",
        *,
        enter: "Callable[[str], None]" = os.chdir,
        load_catalog: "Callable[[], Catalog] | None" = None,
        log: Log | None = None,
    ) -> None:
        """Take what belongs to the process: how to send, how to end it (status, reason), how to enter a folder.

        `load_catalog` returns the methods to serve; it is called after the handshake. By default the core methods are
        loaded first, then all.
        """
        use_single_arena()
        self.clock = clock
        self.new_id = new_id
        self.log = log or Log(clock)
        self.scheduler = Scheduler(clock)
        self.connection = Connection(self, send, clock, self.scheduler)
        self.phase = Phase.STARTED
        self.process: Process | None = None
        self.dispatcher: Dispatcher | None = None
        """Dispatches every method; None before the phase SERVING."""
        self.environment = environment
        self._phase_changed = threading.Condition()
        self._end = end
        self._enter = enter
        self._load_first = load_catalog or load_core_catalog
        self._load_rest = None if load_catalog else load_full_catalog
        self._opened: OpenedState | None = None
        self._registration: ProcessRegistration | None = None
        self._handshake: Handshake | None = None
        self._reads_ahead = False
        """Whether git was started before the methods were loaded."""

    def wait_for_phase(self, phase: Phase, seconds: float | None = None) -> bool:
        """Wait until a phase or a later one is reached; return False when the time is up."""
        with self._phase_changed:
            return self._phase_changed.wait_for(lambda: self.phase >= phase, seconds)

    def initialize(self, params: Any) -> dict[str, Any]:
        """Open the state file and return the handshake's result."""
        handshake = read_initialize(params)
        for name, folder in (("stateDir", handshake.state_dir), ("logDir", handshake.log_dir)):
            if folder is not None and not os.path.isabs(folder):
                raise InvalidParams(f"`{name}` must be an absolute path.")
        opened = open_state(Path(handshake.state_dir), self.clock.now_ms())
        try:
            # Windows cannot delete the current folder of a process: never stay in a worktree.
            self._enter(handshake.state_dir)
        except OSError as error:
            opened.database.close()
            raise StateDegraded("The state folder cannot be entered.", hint="Check its permissions.") from error
        self._opened, self._handshake = opened, handshake
        _, problems = from_environment(dict(self.environment))
        warnings = [*opened.warnings, *problems, *log_folder_problems(handshake.log_dir)]
        for warning in warnings:
            self.log.warning("state.warning", text=warning)
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "serverInfo": {"name": "onecode-sidecar", "version": __version__, "build": build_kind()},
            "capabilities": {"progress": True, "cancel": True},
            "limits": {"maxMessageBytes": MAX_MESSAGE_BYTES},
            "state": {"schema": opened.step, "degraded": bool(opened.warnings), "warnings": warnings},
        }

    def initialized(self) -> None:
        """Start to load the methods."""
        self._advance(Phase.INITIALIZED)
        threading.Thread(target=self._load, name="loading", daemon=True).start()

    def on_request(self, request: PendingRequest) -> None:
        """Start to read the state of a pre-run's worktree while the methods are loaded.

        A later request must not see what was read before it arrived.
        """
        if self._reads_ahead:
            self._end_reading_ahead()
        elif self.phase is Phase.INITIALIZED and request.method == "continuity/preRun":
            cwd = request.params.get("cwd") if isinstance(request.params, Mapping) else None
            if isinstance(cwd, str) and os.path.isabs(cwd):
                self._reads_ahead = _start_status(cwd)

    def _end_reading_ahead(self) -> None:
        if self._reads_ahead:
            from sidecar.system.git import end_started

            self._reads_ahead = False
            end_started()

    def new_call(self, request: PendingRequest) -> object:
        """Return the first argument of a method."""
        from sidecar.call import Call
        from sidecar.core.wire_types import WireModel

        assert self.process is not None

        def notify(method: str, params: WireModel) -> None:
            if not request.is_answered:  # no client reads the progress of a cancelled request
                self.connection.notify(method, params.model_dump(mode="json", by_alias=True))

        return Call(self.process, request.id, request.received_ms, request.cancellation, notify)

    def start_internal_job(self, method: str, work: "Callable[[Call], None]") -> None:
        """Run a job that no client requested; its progress names an id, under which a client can cancel it.

        Raise Busy when the maximum number of jobs is running.
        """
        from functools import partial

        envelope = Request(f"{INTERNAL_ID_PREFIX}{self.new_id()}", method, None)
        request = PendingRequest(envelope, self.clock.monotonic_ms(), 0, is_internal=True)
        self.scheduler.start_job(partial(self._run_internal_job, request, work), method)

    def _run_internal_job(
        self, request: PendingRequest, work: "Callable[[Any], None]", _free_place: "Callable[[], None]"
    ) -> None:
        self.connection.track(request)
        try:
            work(self.new_call(request))
        except BaseException as error:
            self.connection.fail(request, error)
        else:
            self.connection.reply(request, {"result": {}})

    def new_incident_id(self) -> str:
        """Return the id under which the log lists an unexpected error."""
        return self.new_id()[:12]

    def on_incident(self, error: BaseException, incident_id: str) -> None:
        """Log the kind and place of an unexpected error, without its text, which may contain the user's."""
        self.log.error("incident", incidentId=incident_id, kind=type(error).__name__, frames=frames_of(error))

    def on_response(self, request: PendingRequest, error_code: int | None) -> None:
        """Log a request's id, time and outcome."""
        self._end_reading_ahead()
        if request.method == "ping":
            return
        if error_code is not None and self.process is not None:
            from sidecar.daily_metrics import note_error

            note_error(self.process, request.method, error_code)
        elapsed_ms = round(self.clock.monotonic_ms() - request.received_ms, 2)
        request_id = request.id if isinstance(request.id, (int, float)) else _loggable_id(str(request.id))
        name = request.method if error_code is None else loggable_name(request.method)  # the client may have made it up
        self.log.info("request", id=request_id, method=name, ms=elapsed_ms, error=error_code)

    def close(self, drain_ms: int = 0) -> None:
        """End the work and close the state file.

        Pending requests can be answered for `drain_ms`; then they are cancelled and get a grace period to stop.
        """
        if drain_ms and self._handshake is not None:
            self._drain(drain_ms)
        self.connection.cancel_all()
        self._end_reading_ahead()
        if self.process is not None:
            self.process.end()
        self.scheduler.close(GRACE_MS)
        if self.process is not None:
            for pool in (self.process.background, self.process.prefetching, self.process.indexing):
                pool.shutdown(wait=False, cancel_futures=True)
        if self._opened is not None:
            self._opened.database.close()
        if self._registration is not None:
            self._registration.close()
        self._advance(Phase.CLOSED)

    def _drain(self, drain_ms: int) -> None:
        """Wait for the methods that pending requests need, then for the requests themselves."""
        self.connection.cancel_internal()
        deadline_ms = self.clock.monotonic_ms() + drain_ms
        self.wait_for_phase(Phase.SERVING_RUNS, drain_ms / 1000)
        if self.connection.needs_all_methods.is_set():
            self.wait_for_phase(Phase.SERVING, max(0.0, deadline_ms - self.clock.monotonic_ms()) / 1000)
        self.scheduler.drain(max(0.0, deadline_ms - self.clock.monotonic_ms()))

    def _advance(self, phase: Phase) -> None:
        """Enter a phase; a thread that is still loading cannot leave CLOSED."""
        with self._phase_changed:
            if phase in _NEXT_PHASES[self.phase]:
                self.phase = phase
                self._phase_changed.notify_all()

    def _load(self) -> None:
        """Load the methods in the background, from INITIALIZED to SERVING or FAILED."""
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            from sidecar.core.precompiled_code import precompiled_code

            with precompiled_code():
                self._load_core()
            if self._load_rest is not None:
                self._wait_until_idle()
                self._serve(self._load_rest(), Phase.SERVING, build_first="continuity/postRun")
            self._remove_leftovers()
        except BaseException as error:
            self.on_incident(error, self.new_incident_id())
            self._end(EX_SOFTWARE, "the methods could not be loaded")
            self._advance(Phase.FAILED)
        finally:
            gc.freeze()  # loaded modules are never collected: skipping them saves 10 ms in each full collection
            gc.enable()

    def _remove_leftovers(self) -> None:
        """Delete what killed processes left half written in the state folder."""
        from sidecar.system.atomic_write import remove_abandoned_files

        assert self._handshake is not None
        remove_abandoned_files(os.path.realpath(self._handshake.state_dir), depth=1)

    def _load_core(self) -> None:
        """Load the first methods, create the process's state and serve both."""
        assert self._handshake is not None
        assert self._opened is not None
        json_text.load()
        if self._handshake.process_id is not None:
            from sidecar.system import parent_watch

            parent_watch.watch_process(self._handshake.process_id, lambda: self._end(0, "the client's process ended"))
        catalog = self._load_first()
        self.process = create_process(self, self._handshake, self._opened)
        self.log.attach(Path(self._handshake.log_dir) if self._handshake.log_dir else None, os.getpid())
        self._registration = register_process(self.process, self._handshake)
        self.log.info("started", version=__version__, build=build_kind(), schema=self._opened.step)
        phase = Phase.SERVING if self._load_rest is None else Phase.SERVING_RUNS
        self._serve(catalog, phase, build_first="continuity/preRun")

    def _serve(self, catalog: "Catalog", phase: Phase, *, build_first: str) -> None:
        """Dispatch a catalog's methods from now on, and enter a phase."""
        from sidecar.rpc import Dispatcher

        assert self.process is not None
        repair = self.process.database.repair
        dispatcher = Dispatcher(catalog.methods, catalog.notifications, self.on_incident, self.new_incident_id, repair)
        if phase is Phase.SERVING:
            self.connection.ready(dispatcher, complete=True)
            self.dispatcher = dispatcher
        else:
            self.connection.ready(dispatcher, complete=False)
        dispatcher.build((build_first,))
        self._advance(phase)

    def _wait_until_idle(self) -> None:
        """Wait until the first run has its response, or a method is requested that is not loaded yet."""
        for _ in range(IDLE_POLLS):
            if self.connection.needs_all_methods.wait(IDLE_POLL_SECONDS) or self.connection.is_idle():
                return


def _loggable_id(request_id: str) -> str:
    """Return the beginning of a request's id, which the client chose, without secrets."""
    from sidecar.core.redact import redact  # clients number their requests: rarely needed

    return redact(request_id[:400])[:64]


def _start_status(cwd: str) -> bool:
    """Start `git status` in a folder if it is a worktree's root; return whether it was started."""
    root = real_path(cwd)
    if root is None or not os.path.lexists(root / ".git"):
        return False
    from sidecar.system.git import STATUS, Git, GitFailed

    try:
        Git(root, root=root).start(*STATUS)
    except (GitFailed, ValueError):
        return False
    return True


def load_full_catalog() -> "Catalog":
    """Load every slice and return the catalog, with `rpc.discover`, which is generated from it."""
    from sidecar.catalog import all_methods, discover_method, published_method

    catalog = all_methods()
    discover = published_method() or discover_method(catalog)
    return catalog._replace(methods=(*catalog.methods, discover))


def load_core_catalog() -> "Catalog":
    """Load what a run needs and return its catalog, with `rpc.discover` if that is published."""
    from sidecar.catalog import core_methods, published_method

    catalog, discover = core_methods(), published_method()
    return catalog._replace(methods=(*catalog.methods, discover)) if discover else catalog


def create_process(app: App, handshake: Handshake, opened: OpenedState) -> "Process":
    """Create what lives as long as the process."""
    from sidecar.call import Process
    from sidecar.core.lru_cache import LruCache
    from sidecar.core.secret_formats import set_own_patterns
    from sidecar.settings.resolve import resolve_layers, secret_patterns
    from sidecar.settings.table import flatten
    from sidecar.slice_states import ProcessSlices, WorkspaceSlices
    from sidecar.system.worker_threads import ThreadPool
    from sidecar.workspace import ProjectFolders, Workspaces

    initialize_settings = flatten(handshake.settings)
    environment_settings, _ = from_environment(dict(app.environment))
    settings = resolve_layers([("initialize", initialize_settings), ("environment", environment_settings)])
    project_folders = ProjectFolders(opened.database, app.log)
    workspaces = Workspaces(lambda workspace: WorkspaceSlices(workspace, process), project_folders)

    def log_failure(job: str, error: BaseException) -> None:
        if not process.closing.is_set():
            app.log.error("background.failed", job=job, kind=type(error).__name__)

    process = Process(
        database=opened.database,
        clock=app.clock,
        new_id=app.new_id,
        log=app.log,
        state_dir=opened.database.path.parent,
        version=__version__,
        initialize_settings=initialize_settings,
        environment_settings=environment_settings,
        hot_cache=LruCache(int(settings["cache.hotBytes"])),
        background=ThreadPool(8, "background", log_failure),
        prefetching=ThreadPool(2, "prefetch", log_failure),
        indexing=ThreadPool(1, "index", log_failure),
        after_run=after_run,
        check_settings=check_settings,
        start_internal_job=app.start_internal_job,
        workspaces=workspaces,
        project_folders=project_folders,
    )
    process.slices = ProcessSlices(process)
    none_stored: set[str] = set()
    own_patterns = read_while_loading(opened.database, secret_patterns, otherwise=none_stored)
    set_own_patterns({*settings["secretPatterns"], *own_patterns})
    return process


def read_while_loading(
    database: "Database", read: "Callable[[apsw.Connection], Stored]", *, otherwise: Stored
) -> Stored:
    """Return what is read before any method is served; `otherwise` if the state cannot be read.

    Rows that cannot be decoded are set aside, and the rest is read again: no method is there yet to do so.
    """
    import apsw

    for is_last in (False, True):
        try:
            with database.read() as reader:
                return read(reader)
        except (SidecarError, apsw.Error) as error:
            if is_last or not database.repair(error):
                break
    return otherwise


def register_process(process: "Process", handshake: Handshake) -> "ProcessRegistration":
    """Register the process for others that use the state folder."""
    from sidecar.settings.resolve import GLOBAL, values_of
    from sidecar.system.running_sidecars import ProcessRegistration, running_processes

    running_processes(process.state_dir)  # removes the entries of killed processes
    none_stored: dict[str, Any] = {}
    stored = read_while_loading(process.database, lambda reader: values_of(reader, GLOBAL), otherwise=none_stored)
    return ProcessRegistration(
        process.state_dir,
        {
            "version": __version__,
            "build": build_kind(),
            "client": handshake.client_name,
            "mode": process.resolve_settings(stored, {}).mode,
            "startedAt": rfc3339(process.clock.now_ms()),
        },
    )


def check_settings(process: "Process", workspace: "Workspace", values: Mapping[str, object]) -> None:
    """Refuse a project's new settings that could not take effect."""
    from sidecar.capture.artifact_commits import check_branch_settings  # not loaded before the first response

    check_branch_settings(process, workspace, values)


RUNS_OF_A_RELEASE = 16
"""Gaps that caches leave when they evict are returned to the system after this many runs; that takes milliseconds."""


def after_run(process: "Process", workspace: "Workspace", sub_chat_id: str) -> None:
    """Prepare the next pre-run, and start a knowledge sync if one is due."""
    from sidecar.packs import prefetch_packs

    prefetch_packs(process, workspace, sub_chat_id)
    if next(process.recorded_runs) % RUNS_OF_A_RELEASE == 0:
        process.background.start(_release_memory)
    if process.settings(workspace.project_key)["knowledge.repository"]:
        from sidecar.knowledge import sync_when_due  # not loaded before the first response

        sync_when_due(process, workspace)


def _release_memory() -> None:
    """Return gaps to the system, and drop the keys of words that only earlier edits had."""
    from sidecar.codebase import clear_key_cache
    from sidecar.system.allocator import release_memory

    clear_key_cache()
    release_memory()


def log_folder_problems(log_dir: str | None) -> list[str]:
    """Return a warning if the folder of the log file cannot be used; the log still goes to stderr."""
    if log_dir is None:
        return []
    try:
        make_private_folder(log_dir)
    except OSError:
        return ["There is no log file: its folder cannot be created."]
    return [] if os.access(log_dir, os.W_OK) else ["There is no log file: its folder is not writable."]


def build_kind() -> str:
    """Return `frozen` for the packaged program, else `source`."""
    return "frozen" if getattr(sys, "frozen", False) else "source"


def random_id() -> str:
    """Return a unique id of 32 hexadecimal digits."""
    return os.urandom(16).hex()
