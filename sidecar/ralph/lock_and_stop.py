"""The lock of a change, and what others may do with its loop: status, stop, reset.

The lock allows one loop at a time. It names its owner and the owner's agent, and is freed by the system when the owner
dies. Whoever takes it next ends an agent that outlived its loop. A stop is requested by the loop's own process, by
another one, or at the end of the process.
"""

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson

from sidecar.core.clock import Clock, parse_time_ms, rfc3339
from sidecar.core.errors import Conflict, StateDegraded, WorkspaceUnavailable
from sidecar.ralph import loop_folder
from sidecar.ralph.agent.harnesses import AgentProcess
from sidecar.ralph.loop_folder import LoopFolder, delete_file, delete_iteration_files
from sidecar.ralph.loop_policy import INTERRUPTED, Ending
from sidecar.ralph.model import RalphStatusResult
from sidecar.system import filelock
from sidecar.system.atomic_write import remove_abandoned_once, write_atomic
from sidecar.system.safe_open import make_private_folder, open_regular

WAIT_SECONDS = 1.0
"""A process that only checks whether a loop runs holds the lock for a moment."""

_MAX_BYTES = 64 * 1024


class LockOwner(NamedTuple):
    """The process that runs the loop."""

    pid: int
    since: str
    """RFC 3339."""


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A held lock, and what ended when it was taken."""

    fd: int
    owner: LockOwner
    dead_owner: LockOwner | None
    """The owner that died with the lock."""
    ended_agent: bool
    """Whether the dead owner's agent was still at work, and was ended."""

    def record_agent(self, agent: AgentProcess | None) -> None:
        """Record the running agent or check."""
        _write(self.fd, self.owner, agent)


@contextmanager
def hold_lock(folder: LoopFolder, owner: LockOwner, clock: Clock) -> Generator[HeldLock]:
    """Hold a change's lock, after ending an agent that outlived its loop.

    Raise Conflict while another loop holds it, WorkspaceUnavailable if no lock can be taken.
    """
    try:
        make_private_folder(str(folder.control))
        remove_abandoned_once(str(folder.control))
        fd = open_regular(folder.lock, os.O_RDWR | os.O_CREAT, mode=0o600)
    except OSError as error:
        raise _unavailable(error) from error
    try:
        if not _acquire(fd):
            raise _conflict(folder.change, _read(fd)[0])
        dead_owner, agent = _read(fd)
        ended_agent = agent is not None and _end_survivor(agent, clock)
        _write(fd, owner, None)
        try:
            yield HeldLock(fd, owner, dead_owner, ended_agent)
        finally:
            os.ftruncate(fd, 0)
            filelock.release(fd)
    finally:
        os.close(fd)


def _end_survivor(agent: AgentProcess, clock: Clock) -> bool:
    from sidecar.system.process_tree import kill_survivors  # loads the process library

    return kill_survivors(agent.pid, agent.started_at, agent.mark, clock)


def lock_owner(folder: LoopFolder) -> LockOwner | None:
    """Return the owner of a change's loop while one runs."""
    try:
        fd = open_regular(folder.lock, os.O_RDWR)
    except OSError:
        return None
    try:
        if filelock.acquire(fd, 0):
            filelock.release(fd)
            return None
        return _read(fd)[0] or LockOwner(0, "")
    except OSError:
        return None
    finally:
        os.close(fd)


def other_loops(folder: LoopFolder, since_ms: int) -> list[str]:
    """Return the changes with another loop in the same worktree that runs or ended after a moment."""
    others: list[str] = []
    with suppress(OSError), os.scandir(folder.control) as entries:
        for entry in entries:
            change = entry.name.removesuffix(".lock")
            if change in {entry.name, folder.change}:
                continue
            is_recent = entry.stat(follow_symlinks=False).st_mtime * 1_000 >= since_ms
            if is_recent or lock_owner(replace(folder, change=change)) is not None:
                others.append(change)
    return sorted(others)


def _acquire(fd: int) -> bool:
    try:
        return filelock.acquire(fd, WAIT_SECONDS)
    except OSError as error:
        raise _unavailable(error) from error


def _read(fd: int) -> tuple[LockOwner | None, AgentProcess | None]:
    os.lseek(fd, 0, os.SEEK_SET)
    try:
        content: Any = orjson.loads(os.read(fd, _MAX_BYTES))
        owner, agent = LockOwner(int(content["pid"]), str(content["since"])), content.get("agent")
        if agent is None:
            return owner, None
        return owner, AgentProcess(int(agent["pid"]), float(agent["startedAt"]), str(agent["mark"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None, None


def _write(fd: int, owner: LockOwner, agent: AgentProcess | None) -> None:
    fields = None if agent is None else {"pid": agent.pid, "startedAt": agent.started_at, "mark": agent.mark}
    content = orjson.dumps({**owner._asdict(), "agent": fields})
    os.lseek(fd, 0, os.SEEK_SET)
    os.write(fd, content)
    os.ftruncate(fd, len(content))


def _conflict(change: str, owner: LockOwner | None) -> Conflict:
    who = f" (process {owner.pid}, since {owner.since})" if owner else ""
    return Conflict(
        f"A loop for `{change}` is already running{who}.",
        hint="`ralph/stop` stops it; loops of other changes can run at the same time.",
    )


def _unavailable(error: OSError) -> WorkspaceUnavailable:
    return WorkspaceUnavailable(f"The loop's lock cannot be taken: {error.strerror or type(error).__name__}.")


def loop_status(folder: LoopFolder, limit: int, now_ms: int) -> RalphStatusResult:
    """Return state and recent history; a loop whose process died counts as interrupted."""
    owner, state = lock_owner(folder), loop_folder.read_state(folder)
    iterations, damaged_lines = loop_folder.read_history(folder)
    if state is not None and owner is None and state.status == "running":
        state = state.model_copy(update={"status": "interrupted", "reason": "Its process died.", "running": None})
    return RalphStatusResult(
        change=folder.change,
        is_running=owner is not None,
        state=state,
        problem=_problem_of(folder.state) if state is None else None,
        pid=owner.pid if owner is not None else None,
        elapsed_ms=_elapsed_ms(owner.since, now_ms) if owner is not None else None,
        iterations=len(iterations),
        recent=iterations[-limit:],
        damaged_lines=damaged_lines,
        context_bytes=loop_folder.user_context_size(folder),
        folder=str(folder.path),
    )


def _problem_of(path: str) -> str | None:
    """Return why a loop's state cannot be shown, with what ends that; None if there is none."""
    if not os.path.lexists(path):
        return None
    if os.path.isdir(path) and not os.path.islink(path):
        return f"A folder is in the place of the loop's state; no loop starts until it is removed: {path}"
    return f"The loop's state is damaged; the next loop replaces it: {path}"


def _elapsed_ms(since: str, now_ms: int) -> int | None:
    since_ms = parse_time_ms(since)
    return max(0, now_ms - since_ms) if since_ms is not None else None


class StopOutcome(NamedTuple):
    """The outcome of a request to stop."""

    was_running: bool
    ended_agent: bool
    """Whether the agent of a loop that had died was still at work, and was ended."""


def request_stop(folder: LoopFolder, clock: Clock) -> StopOutcome:
    """Request a running loop to stop, or end the agent of one that died; raise WorkspaceUnavailable."""
    now = rfc3339(clock.now_ms())
    if not os.path.lexists(folder.lock):
        return StopOutcome(was_running=False, ended_agent=False)
    if lock_owner(folder) is None:
        try:
            with hold_lock(folder, LockOwner(os.getpid(), now), clock) as lock:
                return StopOutcome(was_running=False, ended_agent=lock.ended_agent)
        except Conflict:  # a loop has just started
            pass
    write_stop_request(folder, now)
    return StopOutcome(was_running=True, ended_agent=False)


class ResetOutcome(NamedTuple):
    """The outcome of a reset."""

    iterations: int
    ended_agent: bool
    """Whether the agent of a loop that had died was still at work, and was ended."""


def reset_loop(folder: LoopFolder, clock: Clock) -> ResetOutcome:
    """Delete everything but the added context; raise Conflict, StateDegraded, WorkspaceUnavailable."""
    if not (folder.path.is_dir() or os.path.lexists(folder.lock)):
        return ResetOutcome(0, ended_agent=False)
    with hold_lock(folder, LockOwner(os.getpid(), rfc3339(clock.now_ms())), clock) as lock:
        count = len(loop_folder.read_history(folder).iterations)
        delete_iteration_files(folder)
        for path in (folder.state, folder.history, folder.stop):
            delete_file(path)
            if os.path.lexists(path):
                raise StateDegraded("The loop's state cannot be deleted.", hint=f"Delete {path} by hand.")
        return ResetOutcome(count, lock.ended_agent)


POLL_SECONDS = 0.2

MAX_STOP_SECONDS = 1.0
"""Time the ending process waits for its agents to end: none may continue unsupervised."""


class StopRequest:
    """A request to stop one loop: the first reason counts; `no_grace` leaves no grace."""

    def __init__(self) -> None:
        self.requested = threading.Event()
        self.no_grace = threading.Event()
        self._lock = threading.Lock()
        self._ending: Ending | None = None

    def request(self, reason: str, exit_code: int = INTERRUPTED, *, no_grace: bool = False) -> None:
        """Request the stop, with a reason of one sentence."""
        with self._lock:
            self._ending = self._ending or Ending("interrupted", exit_code, reason)
        if no_grace:
            self.no_grace.set()
        self.requested.set()

    @property
    def ending(self) -> Ending | None:
        """Reason why the loop ends; None without a request."""
        with self._lock:
            return self._ending


class RunningLoops:
    """The loops that run in this process, by folder."""

    def __init__(self) -> None:
        self._stops: dict[str, StopRequest] = {}
        self._all: Ending | None = None
        """A stop requested of all loops, including later ones."""
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)

    def register(self, folder: LoopFolder) -> StopRequest:
        """Register a loop and return its stop request."""
        with self._lock:
            stop = self._stops.setdefault(str(folder.path), StopRequest())
            if self._all is not None:
                stop.request(self._all.reason, self._all.exit_code)
            return stop

    def end(self, folder: LoopFolder) -> None:
        """Remove a loop that has ended."""
        with self._changed:
            self._stops.pop(str(folder.path), None)
            self._changed.notify_all()

    def request_all(self, reason: str, exit_code: int, *, no_grace: bool = False) -> None:
        """Request every loop of this process to stop, including later ones."""
        with self._lock:
            self._all = self._all or Ending("interrupted", exit_code, reason)
            stops = list(self._stops.values())
        for stop in stops:
            stop.request(reason, exit_code, no_grace=no_grace)

    def stop_all(self) -> None:
        """End every loop with its agent because the process ends; wait at most `MAX_STOP_SECONDS`."""
        self.request_all("The sidecar ended.", INTERRUPTED, no_grace=True)
        with self._changed:
            self._changed.wait_for(lambda: not self._stops, MAX_STOP_SECONDS)


class StopWatcher:
    """A thread that looks for a request to stop while a loop runs."""

    def __init__(
        self, folder: LoopFolder, stop: StopRequest, ending: threading.Event, cancelled: Callable[[], bool]
    ) -> None:
        """`ending` is set when the process ends; `cancelled` returns whether the request was cancelled."""
        self._folder, self._stop = folder, stop
        self._ending, self._cancelled = ending, cancelled
        self._is_finished = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="ralph-stop", daemon=True)

    def __enter__(self) -> None:
        delete_file(self._folder.stop)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_finished.set()
        self._thread.join(5)
        delete_file(self._folder.stop)

    def _watch(self) -> None:
        while not self._is_finished.is_set():
            if self._ending.wait(POLL_SECONDS):
                self._stop.request("The sidecar ended.", no_grace=True)
            elif self._cancelled():
                self._stop.request("The request was cancelled.")
            elif os.path.lexists(self._folder.stop):
                self._stop.request("It was stopped on request.")
            else:
                continue
            return


def write_stop_request(folder: LoopFolder, requested_at: str) -> None:
    """Write the stop request of a loop in any process; raise WorkspaceUnavailable."""
    try:
        write_atomic(folder.stop, orjson.dumps({"at": requested_at}), durable=False)
    except OSError as error:
        raise WorkspaceUnavailable(f"The stop request cannot be written: {error.strerror}.") from error


def exit_after(seconds: float, exit_code: int) -> None:
    """Exit this process after some seconds, whatever still runs in it."""
    timer = threading.Timer(seconds, os._exit, (exit_code,))
    timer.daemon = True
    timer.start()
