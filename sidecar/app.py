"""The composition root: one process, from the first byte to its end.

`initialize` is answered with what little it needs (no pydantic, no dispatcher); the rest is loaded in the
background right after, and requests that arrive meanwhile wait for it in order.
"""

import gc
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar import __version__
from sidecar.core import json_text
from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import InvalidParams, StateDegraded
from sidecar.core.names import shown
from sidecar.handshake import PROTOCOL_VERSION, Handshake, read_initialize
from sidecar.rpc.connection import Connection
from sidecar.rpc.envelope import Request
from sidecar.rpc.errors import frames_of
from sidecar.rpc.framing import MAX_MESSAGE_BYTES
from sidecar.rpc.pending_request import Incoming
from sidecar.rpc.scheduler import Lanes
from sidecar.settings.table import from_environment
from sidecar.storage.open_state import Opened, open_state
from sidecar.system.log import Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidecar.call import Call, Process
    from sidecar.method import Method, Notification
    from sidecar.rpc.dispatch import Dispatcher
    from sidecar.system.process_registry import Presence
    from sidecar.workspace import Workspace

    Rows = tuple[tuple[Method, ...], tuple[Notification, ...]]

DRAIN_MS = 1_500
"""How long what was asked may still be answered once the client says no more; the host allows two seconds in all."""

GRACE_MS = 400
"""How long cancelled work may take to stop when the process ends."""

QUIET_SECONDS = 0.1
"""What no run needs is loaded this long after the rest, or once a first prompt that came meanwhile has its answer: it
does not share the processor. This is how often is looked."""

QUIET_LOOKS = 20
"""After so many looks it is loaded all the same: some requests take minutes."""

OWN = "sidecar:"
"""How ids of jobs begin that no client asked for."""

EX_SOFTWARE = 70
"""The exit status when the methods cannot be loaded: the process is of no use then, and the host restarts it."""

SWITCH_SECONDS = 0.000_5
"""Threads take turns this often, so that no request is kept waiting by one that computes: modules being loaded, files
being read. A request lets go of its turn some thirty times, and Python's own 5 ms would pass at each."""


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
        rows: "Callable[[], Rows] | None" = None,
        log: Log | None = None,
    ) -> None:
        """Takes what belongs to the process: how to send, how to end it (status, reason), how to enter a folder.

        `rows` gives the methods to serve; it is called in the warm-up. If it is None, those that a run needs are loaded
        first and then all others.
        """
        self.clock = clock
        self.new_id = new_id
        self.log = log or Log(clock)
        self.lanes = Lanes(clock)
        self.connection = Connection(self, send, clock, self.lanes)
        self.warm = threading.Event()
        """Set once a run can be served."""
        self.complete = threading.Event()
        """Set once every method is loaded."""
        self.process: Process | None = None
        self.routes: Catalogued | None = None
        """Every method, once all are loaded."""
        self.environment = environment
        self._end = end
        self._enter = enter
        self._rows = rows or load_first_rows
        self._all_rows = None if rows else load_rows
        self._opened: Opened | None = None
        self._presence: Presence | None = None
        self._handshake: Handshake | None = None

    def initialize(self, params: Any) -> dict[str, Any]:
        """Opens the state file and gives the handshake's result."""
        said = read_initialize(params)
        for name, folder in (("stateDir", said.state_dir), ("logDir", said.log_dir)):
            if folder is not None and not os.path.isabs(folder):
                raise InvalidParams(f"`{name}`: is an absolute path.")
        opened = open_state(Path(said.state_dir), self.clock.now_ms())
        try:
            # Windows cannot delete a folder that is some process's current one: never stay in a worktree.
            self._enter(said.state_dir)
        except OSError as error:
            opened.database.close()
            raise StateDegraded("The state folder cannot be entered.", hint="Check its permissions.") from error
        self._opened, self._handshake = opened, said
        _, problems = from_environment(dict(self.environment))
        problems += unusable_log_folder(said.log_dir)
        for warning in (*opened.warnings, *problems):
            self.log.warning("state.warning", text=warning)
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "serverInfo": {"name": "onecode-sidecar", "version": __version__, "build": build_kind()},
            "capabilities": {"progress": True, "cancel": True},
            "limits": {"maxMessageBytes": MAX_MESSAGE_BYTES},
            "state": {
                "schema": opened.step,
                "degraded": bool(opened.warnings),
                "warnings": [*opened.warnings, *problems],
            },
        }

    def initialized(self) -> None:
        """Begins to watch the client's process and to load the rest."""
        assert self._handshake is not None
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()

    def new_call(self, incoming: Incoming) -> object:
        """Makes what a method receives as its first argument."""
        from sidecar.call import Call
        from sidecar.core.wire import WireModel

        assert self.process is not None

        def notify(method: str, params: WireModel) -> None:
            if incoming.has_answer:
                return  # a cancelled request's progress interests nobody
            self.connection.notify(method, params.model_dump(mode="json", by_alias=True))

        return Call(self.process, incoming.id, incoming.received_ms, incoming.cancellation, notify)

    def start_internal_job(self, method: str, work: "Callable[[Call], None]") -> None:
        """Runs work that no client asked for as a job, under an id that its progress names and a client may cancel.

        Raises Busy when as many jobs as may are running.
        """
        from functools import partial

        own = Incoming(Request(f"{OWN}{self.new_id()}", method, None), self.clock.monotonic_ms(), 0, None)
        self.lanes.start_job(partial(self._run_own, own, work))

    def _run_own(self, own: Incoming, work: "Callable[[Any], None]") -> None:
        self.connection.carry(own)
        try:
            work(self.new_call(own))
        except BaseException as error:
            self.connection.fail(own, error)
        else:
            self.connection.reply(own, {"result": {}})

    def new_incident_id(self) -> str:
        """Gives the id under which the log has an unforeseen error."""
        return self.new_id()[:12]

    def on_incident(self, error: BaseException, incident_id: str) -> None:
        """Logs an unforeseen error: its kind and where it was, without its text, which may hold the user's."""
        self.log.error("incident", incidentId=incident_id, kind=type(error).__name__, frames=frames_of(error))

    def on_answer(self, incoming: Incoming, error_code: int | None) -> None:
        """Logs each request with its id, time and outcome."""
        if incoming.method == "ping":
            return
        if error_code is not None and self.process is not None:
            from sidecar.metrics import note_error

            note_error(self.process, incoming.method, error_code)
        took_ms = round(self.clock.monotonic_ms() - incoming.received_ms, 2)
        request_id = incoming.id if isinstance(incoming.id, (int, float)) else str(incoming.id)[:64]
        self.log.info("request", id=request_id, method=shown(incoming.method), ms=took_ms, error=error_code)

    def close(self, drain_ms: int = 0) -> None:
        """Ends the work, and closes the state file.

        What was asked may be answered for `drain_ms` milliseconds; then it is cancelled and has its grace to stop.
        """
        if drain_ms and self._handshake is not None:
            self.connection.abandon_own()
            give_up_at = self.clock.monotonic_ms() + drain_ms
            self.warm.wait(drain_ms / 1000)
            if self.connection.wants_all.is_set():
                self.complete.wait(max(0.0, give_up_at - self.clock.monotonic_ms()) / 1000)
            self.lanes.drain(max(0.0, give_up_at - self.clock.monotonic_ms()))
        self.connection.abandon()
        if self.process is not None:
            self.process.end()
        self.lanes.close(GRACE_MS)
        if self.process is not None:
            self.process.background.shutdown(wait=False, cancel_futures=True)
            self.process.indexing.shutdown(wait=False, cancel_futures=True)
        if self._opened is not None:
            self._opened.database.close()
        if self._presence is not None:
            self._presence.close()

    def _warm_up(self) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            from sidecar.system.allocator import keep_together

            keep_together()
            self._load()
            self.warm.set()
            self._load_all()
        except BaseException as error:
            self.on_incident(error, self.new_incident_id())
            self._end(EX_SOFTWARE, "the methods could not be loaded")
        finally:
            gc.freeze()  # what was loaded is never looked through again: 10 ms less in each full collection
            gc.enable()
            self.warm.set()
            self.complete.set()

    def _load(self) -> None:
        assert self._handshake is not None
        assert self._opened is not None
        said = self._handshake
        json_text.load()
        if said.process_id is not None:
            from sidecar.system import parent_watch

            parent_watch.watch(said.process_id, lambda: self._end(0, "the client's process ended"))
        dispatcher, routes = load_routes(self._rows, self.on_incident, self.new_incident_id)
        self.process = make_process(self, said, self._opened)
        self.log.attach(Path(said.log_dir) if said.log_dir else None, os.getpid())
        self._presence = show_presence(self.process, said)
        self.log.info("started", version=__version__, build=build_kind(), schema=self._opened.step)
        if self._all_rows is not None:
            self.process.loaded.clear()
        self.routes = routes if self._all_rows is None else None
        self.connection.ready(routes, complete=self._all_rows is None)
        dispatcher.build(("continuity/preRun",))

    def _await_quiet(self) -> None:
        """Waits until a first run has its answer, or something is asked for that is not loaded yet."""
        for _ in range(QUIET_LOOKS):
            if self.connection.wants_all.wait(QUIET_SECONDS) or self.connection.is_quiet():
                return

    def _load_all(self) -> None:
        """Loads what no run needs for its first answer; requests for it wait meanwhile."""
        if self._all_rows is not None:
            self._await_quiet()
            dispatcher, routes = load_routes(self._all_rows, self.on_incident, self.new_incident_id)
            self.connection.ready(routes)
            self.routes = routes
            assert self.process is not None
            self.process.loaded.set()
            dispatcher.build(("continuity/postRun",))


class Catalogued:
    """The catalog as the connection sees it: which lane, and who answers."""

    def __init__(self, dispatcher: "Dispatcher", lanes: dict[str, str], notice_lanes: dict[str, str]) -> None:
        self._dispatcher = dispatcher
        self._lanes = lanes
        self._notice_lanes = notice_lanes
        self.answer = dispatcher.answer
        self.notify = dispatcher.notify

    def lane_of(self, method: str) -> str | None:
        """Names the lane of a request's method."""
        return self._lanes.get(method)

    def lane_of_notice(self, method: str) -> str | None:
        """Names the lane of a notification."""
        return self._notice_lanes.get(method)


def load_routes(
    rows: "Callable[[], Rows]",
    on_incident: "Callable[[BaseException, str], None]",
    new_incident_id: "Callable[[], str]",
) -> "tuple[Dispatcher, Catalogued]":
    """Loads every slice and makes the dispatch table from the catalog."""
    from sidecar.rpc.dispatch import Dispatcher

    methods, notifications = rows()
    dispatcher = Dispatcher(methods, notifications, on_incident, new_incident_id)
    lanes = {row.name: str(row.lane) for row in methods if row.run}
    notice_lanes = {row.name: str(row.lane) for row in notifications if row.run}
    return dispatcher, Catalogued(dispatcher, lanes, notice_lanes)


def load_rows() -> "Rows":
    """Loads every slice and gives the catalog's rows, with `rpc.discover`, which is made from them."""
    from sidecar.catalog import every
    from sidecar.schema.methods import discover_method, published_method

    methods, notifications = every()
    return (*methods, published_method() or discover_method(methods, notifications)), notifications


def load_first_rows() -> "Rows":
    """Loads what the way of a run needs, and gives its rows; with `rpc.discover` where it is published."""
    from sidecar.catalog import core_methods
    from sidecar.schema.methods import published_method

    methods, notifications = core_methods()
    published = published_method()
    return (*methods, published) if published else methods, notifications


def make_process(app: App, said: Handshake, opened: Opened) -> "Process":
    """Makes what lives as long as the process."""
    from sidecar.call import Process
    from sidecar.settings.resolve import resolve
    from sidecar.settings.table import flatten
    from sidecar.storage.lru import Lru
    from sidecar.system.threads import Pool

    initialize_settings = flatten(said.settings)
    environment_settings, _ = from_environment(dict(app.environment))
    settings = resolve([("initialize", initialize_settings), ("environment", environment_settings)])
    return Process(
        database=opened.database,
        clock=app.clock,
        new_id=app.new_id,
        log=app.log,
        state_dir=opened.database.path.parent,
        version=__version__,
        initialize_settings=initialize_settings,
        environment_settings=environment_settings,
        hot=Lru(int(settings["cache.hotBytes"])),
        background=Pool(max_workers=8, thread_name_prefix="gather"),
        indexing=Pool(max_workers=1, thread_name_prefix="index"),
        after_run=after_run,
        start_internal_job=app.start_internal_job,
    )


def show_presence(process: "Process", said: Handshake) -> "Presence":
    """Lets others who use the state folder see that this process does."""
    from sidecar.system.process_registry import Presence, present

    present(process.state_dir)  # signs of processes that were killed go
    told = {"version": __version__, "build": build_kind(), "client": said.client_name}
    now = {"mode": process.settings("").mode, "startedAt": rfc3339(process.clock.now_ms())}
    return Presence(process.state_dir, {**told, **now})


def after_run(process: "Process", workspace: "Workspace", sub_chat_id: str) -> None:
    """Prepares the next pre-run, and has the knowledge synced where that is due."""
    from sidecar.packs import prefetch_packs

    prefetch_packs(process, workspace, sub_chat_id)
    if process.settings(workspace.project_key)["knowledge.repository"]:
        from sidecar.knowledge import sync_when_due  # loaded behind what the way to a first answer needs

        sync_when_due(process, workspace)


def unusable_log_folder(log_dir: str | None) -> list[str]:
    """Says that there will be no log file, where its folder cannot be made or written to; it still goes to stderr."""
    if log_dir is None:
        return []
    try:
        os.makedirs(log_dir, mode=0o700, exist_ok=True)
    except OSError:
        return ["There is no log file: its folder cannot be made."]
    return [] if os.access(log_dir, os.W_OK) else ["There is no log file: its folder may not be written to."]


def build_kind() -> str:
    """Says whether this is the frozen program or runs from source."""
    return "frozen" if getattr(sys, "frozen", False) else "source"
