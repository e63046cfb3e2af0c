"""One sync at a time per project, across processes; the system frees a dead owner's lock."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from sidecar.call import Call
from sidecar.core.errors import Busy, InvalidParams, NotFound, SidecarError, StateDegraded
from sidecar.knowledge import store
from sidecar.knowledge.apply_plan import Done, Journal, Pace, apply, put_back, state_after
from sidecar.knowledge.errors import deletion_stopped, ending, partial_failure
from sidecar.knowledge.git_source import head_here, source_of
from sidecar.knowledge.item_pointer import FOLDER
from sidecar.knowledge.model import Run
from sidecar.knowledge.state import SyncState
from sidecar.knowledge.store import Checkpoint, Image
from sidecar.knowledge.sync_inputs import Look, affected, hold, load_state, look, look_at, save_state
from sidecar.knowledge.sync_plan import Asked, Conflict, ConflictType, Plan, Resolution
from sidecar.lifecycle import Progress, ProgressParams
from sidecar.memory import Placed
from sidecar.metrics import count, labelled
from sidecar.system import filelock
from sidecar.workspace import Workspace


@contextmanager
def one_at_a_time(state_dir: Path, project: str) -> Iterator[None]:
    """Holds a project's lock; raises Busy while another sync holds it."""
    path = os.path.join(state_dir, f"knowledge-{project}.lock")
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise StateDegraded("The knowledge sync's lock cannot be made.", hint="Check the state folder.") from error
    with filelock.holding(fd, 0) as is_held:
        if not is_held:
            raise Busy("A knowledge sync of this project is under way.", data={"retryAfterMs": 1_000})
        yield


# What a sync measures, by the specification's names (knowledge-sync.md, Sync Observability). Pure.


TYPES = ("full", "incremental", "single")
"""The values of the label `type`."""


def of_sync(kind: str, elapsed_ms: float, counts: Mapping[str, int], conflicts: Iterable[Conflict]) -> dict[str, float]:
    """Return the measures of a sync that succeeded; durations are in milliseconds.

    Resolving conflicts is not one of the specification's three types: only its effect on items is counted.
    """
    found = Counter(one.type for one in conflicts)
    operation = {
        labelled("sync.operations.total", type=kind): 1.0,
        labelled("sync.operations.duration", type=kind): elapsed_ms,
    }
    return {
        **(operation if kind in TYPES else {}),
        "sync.items.added": float(counts.get("create", 0)),
        "sync.items.updated": float(counts.get("update", 0)),
        "sync.items.deleted": float(counts.get("delete", 0)),
        **{labelled("sync.conflicts.total", type=name): float(number) for name, number in sorted(found.items())},
    }


def of_failure(code: str) -> dict[str, float]:
    """Return the measure of a sync that failed."""
    return {labelled("sync.failures.total", code=code): 1.0}


# Syncs: look, plan, checkpoint, apply; and back again where that fails.


COUNTED = {"create": "added", "update": "updated", "delete": "deleted", "mark_orphaned": "orphaned"}
"""What is told of operations that write, by their kinds."""

KILLED = "The process that synced ended before it was done."


@dataclass(frozen=True)
class Wanted:
    """What a plan or a sync is asked for."""

    mode: Run
    item: str | None = None
    type: ConflictType | None = None
    """With mode `resolve`: conflicts of which type; None for all."""
    max_items: int | None = None
    resolutions: Mapping[tuple[str, str], Resolution] | None = None
    force: bool = False


@dataclass(frozen=True)
class Planned:
    """A plan and what it was made of."""

    look: Look
    plan: Plan
    mode: Run
    warnings: tuple[str, ...]
    asked: frozenset[str] | None = None
    """The refs that somebody asked for; None where all that may have changed is looked at."""


@dataclass(frozen=True)
class Synced:
    """What a sync did."""

    planned: Planned
    checkpoint_id: str
    done: Done
    state: SyncState


def planned(call: Call, workspace: Workspace, wanted: Wanted) -> Planned:
    """Looks and plans; nothing is written. Raises SyncFailed, InvalidParams for a single sync without its item."""
    source = source_of(call, call.process.settings(workspace.project_key), fetches=True)
    narrow = look_at(call, workspace, source, wanted.item) if wanted.mode == "single" and wanted.item else None
    seen = narrow or look(call, workspace, source)
    mode, warnings, only = wanted.mode, [], None
    if mode == "resolve":
        return Planned(seen, *_resolving(seen, wanted))
    if mode == "single":
        if wanted.item is None:
            raise InvalidParams("`item`: a single sync needs one.")
        only = frozenset((item_named(seen, wanted.item),))
    elif mode == "incremental":
        only, warning = affected(seen)
        mode = "full" if only is None else mode
        warnings += [warning] if warning else []
    is_single = mode == "single"
    asked = Asked(only, wanted.resolutions or {}, wanted.max_items, marks_orphans=is_single, tries_parked=is_single)
    return Planned(seen, seen.plan(asked), mode, tuple(warnings), only if is_single else None)


def sync(call: Call, workspace: Workspace, wanted: Wanted) -> Synced:
    """Brings memory to the repository; raises SyncFailed, Busy while another sync of the project is under way.

    Failures of single items raise PARTIAL_FAILURE when all others are done. Anything else leaves state, pointers and
    files as they were.
    """
    try:
        with one_at_a_time(call.process.state_dir, workspace.project_key):
            synced, holding = _synced(call, workspace, wanted)
        if holding:
            failed = [{"item": key, "problem": text} for key, text in sorted(holding.items())]
            told = {COUNTED[kind]: number for kind, number in synced.done.counts.items() if kind in COUNTED}
            raise partial_failure(failed, {"checkpointId": synced.checkpoint_id, "counts": told})
    except SidecarError as error:
        code = str(error.data.get("code", error.kind))
        _measure(call, workspace, of_failure(code))
        call.log.warning("knowledge.syncFailed", code=code, elapsedMs=round(call.elapsed_ms()))
        raise
    return synced


def _synced(call: Call, workspace: Workspace, wanted: Wanted) -> tuple[Synced, Mapping[str, str]]:
    recover(call, workspace)
    found = planned(call, workspace, wanted)
    if found.plan.stops and not wanted.force:
        raise deletion_stopped(found.plan.deletions, found.plan.pointers)
    checkpoint_id = call.process.new_id()
    with call.database.write() as tx:
        store.begin(tx, workspace.project_key, checkpoint_id, found.mode, call.now_ms())
    try:
        synced, holding = _applied(call, workspace, found, checkpoint_id)
    except BaseException as error:
        reason = error.message if isinstance(error, SidecarError) else type(error).__name__
        _return(call, workspace, checkpoint_id, reason)
        raise
    counts = synced.done.counts
    _measure(call, workspace, of_sync(found.mode, call.elapsed_ms(), counts, found.plan.conflicts))
    call.log.info("knowledge.synced", mode=found.mode, elapsedMs=round(call.elapsed_ms()), **counts)
    return synced, holding


def _measure(call: Call, workspace: Workspace, measures: Mapping[str, float]) -> None:
    """Counts; what cannot be counted is logged, and the sync stands."""
    try:
        with call.database.write(durable=False) as tx:
            count(tx, workspace.project_key, call.now_ms(), measures)
    except SidecarError as error:
        call.log.warning("knowledge.notMeasured", error=error.kind)


def roll_back(call: Call, workspace: Workspace, checkpoint_id: str) -> tuple[int, list[str]]:
    """Puts state, pointers and files back to a checkpoint; gives how many files, and those that stay as changed.

    It holds: no sync runs by itself until the repository's head is another, or somebody synced.
    """
    with one_at_a_time(call.process.state_dir, workspace.project_key):
        recover(call, workspace)
        before = load_state(call, workspace.project_key)
        head = head_here(call, call.process.settings(workspace.project_key)) or before.last_knowledge_commit
        return _return(call, workspace, checkpoint_id, "The user asked for it.", held_at=head)


def recover(call: Call, workspace: Workspace) -> None:
    """Takes back what a sync that was killed had begun; the lock is held by the caller."""
    with call.database.read() as tx:
        running = [one for one in store.checkpoints(tx, workspace.project_key) if one.status == "running"]
    if running:
        _return(call, workspace, running[-1].id, KILLED)


def _resolving(seen: Look, wanted: Wanted) -> tuple[Plan, Run, tuple[str, ...], frozenset[str]]:
    """Plans what resolves the conflicts asked for, and nothing else about their items."""
    item = None if wanted.item is None else item_named(seen, wanted.item)
    asked = [one for one in seen.plan(Asked()).conflicts if wanted.type in (None, one.type) and item in (None, one.ref)]
    kinds: tuple[ConflictType, ...] = get_args(ConflictType)
    chosen = {(one.type, one.ref) for one in asked}
    others: dict[tuple[str, str], Resolution] = {
        (kind, one.ref): "manual" for one in asked for kind in kinds if (kind, one.ref) not in chosen
    }
    refs = frozenset(one.ref for one in asked)
    return seen.plan(Asked(refs, {**(wanted.resolutions or {}), **others})), wanted.mode, (), refs


def _applied(call: Call, workspace: Workspace, found: Planned, checkpoint_id: str) -> tuple[Synced, Mapping[str, str]]:
    settings = call.process.settings(workspace.project_key)
    pace = Pace(settings["knowledge.writesPerSecond"], call.process.clock.monotonic_ms, call.process.ending.wait)
    journal = Journal(call.database, workspace.project_key, checkpoint_id)
    done = apply(found.plan, found.look, journal, pace, call.now()[:19] + "Z", _between(call))
    state, holding = state_after(found.look, found.plan, done, call.now_ms(), found.asked)
    with call.database.write() as tx:
        if state != found.look.state:
            save_state(call, tx, workspace.project_key, state)
        store.end(tx, workspace.project_key, checkpoint_id, "done", "")
    return Synced(found, checkpoint_id, done, state), holding


def _between(call: Call) -> Callable[[int, int], None]:
    def tell(done: int, total: int) -> None:
        call.cancellation.check()
        if call.process.ending.is_set():
            raise ending()
        progress = Progress(phase="sync", done=done, total=total)
        call.notify("$/progress", ProgressParams(token=call.request_id, value=progress))

    return tell


def _return(
    call: Call, workspace: Workspace, checkpoint_id: str, reason: str, *, held_at: str = ""
) -> tuple[int, list[str]]:
    project = workspace.project_key
    with call.database.read() as tx:
        one = _checkpoint(store.checkpoints(tx, project), checkpoint_id)
        images: list[Image] = store.images_since(tx, project, one.number)
    left = put_back(Placed(call.process, workspace, FOLDER), images)
    with call.database.write() as tx:
        store.return_to(tx, project, one, call.now_ms(), reason)
        if held_at:
            hold(call, tx, project, held_at)
    call.log.warning("knowledge.rolledBack", checkpoint=checkpoint_id, reason=reason, files=len(images), left=len(left))
    return len(images) - len(left), left


def _checkpoint(known: list[Checkpoint], checkpoint_id: str) -> Checkpoint:
    found = next((one for one in known if one.id == checkpoint_id and one.status != "rolledBack"), None)
    if found is None:
        raise NotFound("There is no such checkpoint any more.", hint="`knowledge/status` lists them.")
    return found


def item_named(seen: Look, asked: str) -> str:
    """Gives the ref that a ref or a bare id means; raises NotFound, InvalidParams for an id that several items have."""
    refs = {*seen.manifest.items, *seen.state.items, *(one.identity.ref for one in seen.pointers)}
    if asked in refs:
        return asked
    named = sorted(ref for ref in refs if ref.partition(":")[2] == asked)
    if len(named) > 1:
        raise InvalidParams(f"`item`: several items have this id: {', '.join(named)[:300]}.")
    if not named:
        raise NotFound("There is no knowledge item of that name.", hint="`knowledge/plan` lists them.")
    return named[0]
