"""Read and write the state of a project's sync, which one process at a time may change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import apsw

from sidecar.call import Call
from sidecar.core.errors import Busy, StateDegraded
from sidecar.knowledge import store
from sidecar.knowledge.errors import state_corrupted
from sidecar.knowledge.store import SyncState, parse_state, serialize_state
from sidecar.system import filelock


@contextmanager
def sync_lock(state_dir: Path, project: str) -> Iterator[None]:
    """Hold a project's sync lock. Raise Busy while another process or thread holds it.

    The operating system releases the lock of a process that died.
    """
    path = os.path.join(state_dir, f"knowledge-{project}.lock")
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise StateDegraded(
            "The knowledge sync's lock file cannot be created.", hint="Check the state folder."
        ) from error
    with filelock.locked(fd, 0) as is_held:
        if not is_held:
            raise Busy("A knowledge sync of this project is already running.", data={"retryAfterMs": 1_000})
        yield


def load_state(call: Call, project: str) -> SyncState:
    """Return the state, empty when there is none. A damaged one is set aside, and STATE_CORRUPTED is raised."""
    with call.database.read() as tx:
        stored = store.state_bytes(tx, project)
    if stored is None:
        return SyncState()
    value, digest_matches = stored
    cache = call.process.slices.knowledge.sync_cache
    before = cache.states.get(project)
    if digest_matches and before is not None and before[0] == value:
        return before[1]
    try:
        if digest_matches:
            state = parse_state(value)
            cache.states[project] = (value, state)
            return state
    except ValueError:
        pass
    with call.database.write() as tx:
        name = store.set_aside(tx, project, call.now_ms())
    call.log.error(
        "knowledge.stateCorrupted", project=project, bytes=len(value), digestMatches=digest_matches, storedAs=name
    )
    raise state_corrupted(name)


def save_state(call: Call, tx: apsw.Connection, project: str, state: SyncState) -> None:
    """Store a state."""
    value = serialize_state(state)
    store.put_state(tx, project, value, call.now_ms())
    call.process.slices.knowledge.sync_cache.states[project] = (value, state)


def record_rollback(call: Call, tx: apsw.Connection, project: str, commit: str) -> None:
    """Record that the user rolled back at a commit; a damaged state is left for the next sync to report."""
    stored = store.state_bytes(tx, project)
    try:
        state = parse_state(stored[0]) if stored is not None and stored[1] else SyncState()
    except ValueError:
        return
    if stored is None or stored[1]:
        save_state(call, tx, project, replace(state, rollback_commit=commit))
