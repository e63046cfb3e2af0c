"""The lock of a change, and what others may do with its loop: status, stop, reset.

The lock allows one loop at a time. It names its owner and the owner's agent, and is freed by the system when the owner
dies. Whoever takes it next ends an agent that outlived its loop.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from sidecar.core.clock import Clock, rfc3339
from sidecar.core.errors import Conflict, StateDegraded, WorkspaceUnavailable
from sidecar.ralph import loop_folder
from sidecar.ralph.agent.agent_run import AgentProcess
from sidecar.ralph.loop_folder import LoopFolder, delete_file, delete_iteration_files
from sidecar.ralph.model import RalphStatusResult
from sidecar.ralph.stop_request import write_stop_request
from sidecar.system import filelock
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
def hold_lock(folder: LoopFolder, owner: LockOwner, clock: Clock) -> Iterator[HeldLock]:
    """Hold a change's lock, after ending an agent that outlived its loop.

    Raise Conflict while another loop holds it, WorkspaceUnavailable if no lock can be taken.
    """
    try:
        make_private_folder(str(folder.control))
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
        hint=f"`spool ralph --stop --change {change}` stops it; loops of other changes can run at the same time.",
    )


def _unavailable(error: OSError) -> WorkspaceUnavailable:
    return WorkspaceUnavailable(f"The loop's lock cannot be taken: {error.strerror or type(error).__name__}.")


def status_of(folder: LoopFolder, limit: int, now_ms: int) -> RalphStatusResult:
    """Return state and recent history; a loop whose process died counts as interrupted."""
    owner, state = lock_owner(folder), loop_folder.read_state(folder)
    is_damaged = state is None and os.path.lexists(folder.state)
    iterations, damaged_lines = loop_folder.read_history(folder)
    if state is not None and owner is None and state.status == "running":
        state = state.model_copy(update={"status": "interrupted", "reason": "Its process died.", "running": None})
    return RalphStatusResult(
        change=folder.change,
        is_running=owner is not None,
        state=state,
        problem=f"The loop's state is damaged: {folder.state}" if is_damaged else None,
        pid=owner.pid if owner is not None else None,
        elapsed_ms=_elapsed_ms(owner.since, now_ms) if owner is not None else None,
        iterations=len(iterations),
        recent=iterations[-limit:],
        damaged_lines=damaged_lines,
        context_bytes=loop_folder.file_size(folder.context),
        folder=str(folder.path),
    )


def _elapsed_ms(since: str, now_ms: int) -> int | None:
    try:
        return max(0, now_ms - round(datetime.fromisoformat(since).timestamp() * 1_000))
    except ValueError:
        return None


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


def reset(folder: LoopFolder, clock: Clock) -> ResetOutcome:
    """Delete everything but the added context; raise Conflict, StateDegraded, WorkspaceUnavailable."""
    if not (folder.path.is_dir() or os.path.lexists(folder.lock)):
        return ResetOutcome(0, ended_agent=False)
    with hold_lock(folder, LockOwner(os.getpid(), rfc3339(clock.now_ms())), clock) as lock:
        count = len(loop_folder.read_history(folder).iterations)
        delete_iteration_files(folder)
        for path in (folder.state, folder.history, folder.stop):
            delete_file(path)
            if os.path.lexists(path):
                raise StateDegraded("The loop's state cannot be deleted.", hint=f"Path: {path}")
        return ResetOutcome(count, lock.ended_agent)
