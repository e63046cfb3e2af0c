"""Apply a sync plan: journal each batch, write its files, and save the state once at the end.

A crash at any point leaves a journal from which every file is restored; the next sync then repeats the work.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from sidecar.core.errors import Conflict, NotFound, SidecarError
from sidecar.knowledge import store
from sidecar.knowledge.item import item_location, parse_item, render_pointer
from sidecar.knowledge.store import FailedItem, FileImage, SyncedItem, SyncState
from sidecar.knowledge.sync_inputs import SyncInputs
from sidecar.knowledge.sync_plan import Operation, Plan, fingerprint, synced_item
from sidecar.memory import (
    FileChange,
    Value,
    edit_memory_file,
    managed_memories,
    render_memory_file,
)
from sidecar.storage.database import Database

BURST = 9
"""Bucket size: at 90 writes a second, no second sees 100 (knowledge-sync.md, Full sync performance)."""


class RateLimiter:
    """Token bucket that allows `per_second` writes; 0 means no limit. The caller provides the clock and the wait."""

    def __init__(self, per_second: int, now_ms: Callable[[], float], wait: Callable[[float], object]) -> None:
        self._rate = per_second / 1000
        self._now_ms = now_ms
        self._wait = wait
        self._tokens = float(BURST)
        self._at_ms = now_ms()

    @property
    def batch_size(self) -> int:
        """Number of writes in one batch."""
        return BURST if self._rate else 100

    def acquire(self, writes: int) -> None:
        """Wait until `writes` writes are allowed; at most one batch."""
        if not self._rate:
            return
        while True:
            now = self._now_ms()
            self._tokens = min(float(BURST), self._tokens + (now - self._at_ms) * self._rate)
            self._at_ms = now
            if self._tokens >= writes:
                self._tokens -= writes
                return
            self._wait((writes - self._tokens) / self._rate / 1000)


class Journal:
    """The journal in which a sync records each write before it happens."""

    def __init__(self, database: Database, project: str, checkpoint_id: str) -> None:
        self._database = database
        self._project = project
        self._checkpoint_id = checkpoint_id

    def record_writes(self, changes: Sequence[FileChange]) -> None:
        """Store the files' bytes before and after the change, durably."""
        with self._database.write() as tx:
            store.record_writes(tx, self._project, self._checkpoint_id, [FileImage(*change) for change in changes])


@dataclass
class ApplyResult:
    """Outcome of a plan's operations."""

    items: dict[str, SyncedItem]
    counts: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    """Problems by ref."""

    def record(self, step: Operation, inputs: SyncInputs) -> None:
        """Record an operation in the state that will be saved."""
        self.counts[step.kind] = self.counts.get(step.kind, 0) + 1
        if step.kind in ("create", "update", "adopt"):
            self.items[step.ref] = synced_item(inputs.manifest.items[step.ref], step.pointer)
        elif step.kind != "delete" or step.is_orphan:
            self.items.pop(step.ref, None)


def apply_plan(
    plan: Plan,
    inputs: SyncInputs,
    journal: Journal,
    rate_limiter: RateLimiter,
    timestamp: str,
    on_progress: Callable[[int, int], None],
) -> ApplyResult:
    """Execute a plan's operations. `timestamp` is the pointers' timestamp.

    `on_progress` receives the numbers of finished and of all operations.

    A pointer that cannot be written fails alone. Any other error, including one raised by `on_progress`, stops halfway.
    """
    result = ApplyResult(dict(inputs.state.items))
    write_steps = [step for step in plan.operations if step.writes]
    for start in range(0, len(write_steps), rate_limiter.batch_size):
        on_progress(start, len(write_steps))
        batch = write_steps[start : start + rate_limiter.batch_size]
        rate_limiter.acquire(len(batch))
        _write(batch, inputs, journal, timestamp, result)
    for step in plan.operations:
        if not step.writes and step.ref not in result.failed:
            result.record(step, inputs)
    on_progress(len(write_steps), len(write_steps))
    if write_steps:
        inputs.placed.close()
    return result


def next_state(
    inputs: SyncInputs, plan: Plan, result: ApplyResult, now_ms: int, requested: AbstractSet[str] | None
) -> tuple[SyncState, dict[str, str]]:
    """Return the state to save, and the problems that block the sync's completion, by ref or path.

    `requested` holds the requested refs; None means that the plan covered everything that may have changed, so that its
    commit is reached. Earlier failures outside the request are carried over.
    """
    failures = [failure for failure in inputs.manifest.failures if requested is None or failure.ref in requested]
    problems = {failure.ref or failure.path: failure.problem for failure in failures} | result.failed
    fingerprints = {failure.ref or failure.path: failure.fingerprint for failure in failures}
    fingerprints |= {
        ref: fingerprint(inputs.manifest.items[ref]) for ref in result.failed if ref in inputs.manifest.items
    }
    quarantined = {ref: inputs.state.failed[ref] for ref in plan.quarantined}
    failed = {
        key: _count_failure(inputs.state.failed.get(key), fingerprints.get(key, ""), text)
        for key, text in problems.items()
    }
    skipped = {
        key for key in problems if requested is None and _was_quarantined(inputs.state, key, fingerprints.get(key, ""))
    }
    blocking = {key: text for key, text in problems.items() if key not in skipped}
    others = (
        {}
        if requested is None
        else {key: failure for key, failure in inputs.state.failed.items() if key not in requested}
    )
    state = replace(inputs.state, items=result.items, failed={**others, **failed, **quarantined})
    if requested is not None:
        return state, blocking
    state = replace(state, rollback_commit="")
    if plan.pending:
        return replace(state, pending=plan.pending, target_commit=plan.commit), blocking
    state = replace(state, pending=(), target_commit="")
    if blocking:
        return state, blocking
    return replace(state, last_sync_at_ms=now_ms, last_knowledge_commit=plan.commit), blocking


def _write(
    batch: Sequence[Operation], inputs: SyncInputs, journal: Journal, timestamp: str, result: ApplyResult
) -> None:
    steps: dict[str, Operation] = {}
    changes = []
    for step in batch:
        try:
            changes.append(_change(step, inputs, timestamp))
            steps[step.pointer] = step
        except SidecarError as error:
            if error.data.get("code"):
                raise  # an error of the repository, not of this item
            result.failed[step.ref] = error.message
    journal.record_writes(changes)
    for change, problem in inputs.placed.apply(changes):
        step = steps[change.path]
        if problem is None:
            result.record(step, inputs)
        else:
            result.failed[step.ref] = problem.message


def _change(step: Operation, inputs: SyncInputs, timestamp: str) -> FileChange:
    before = inputs.placed.content(step.pointer)
    if step.kind != "create" and before is None:
        raise NotFound("The pointer's file no longer exists.")
    if step.kind == "delete":
        return FileChange(step.pointer, before, None)
    if step.kind == "mark_orphaned":
        fields: dict[str, Value] = {
            managed_memories.ITEM: step.ref,
            managed_memories.STATUS: managed_memories.ORPHANED,
            "updated_at": timestamp,
        }
        return FileChange(step.pointer, before, edit_memory_file(before or b"", step.pointer, fields, None, None))
    facts, title, text = _render(step.ref, inputs)
    if before is None:
        new_fields: dict[str, Value] = {
            **facts,
            "tier": "warm",
            "access_count": 0,
            "evidence_count": 1,
            "created_at": timestamp,
        }
        return FileChange(step.pointer, None, render_memory_file({**new_fields, "updated_at": timestamp}, title, text))
    if step.kind == "create":
        raise Conflict("A memory that is not a pointer has the pointer's path.")
    return FileChange(
        step.pointer, before, edit_memory_file(before, step.pointer, {**facts, "updated_at": timestamp}, title, text)
    )


def _render(ref: str, inputs: SyncInputs) -> tuple[Mapping[str, Value], str, str]:
    entry = inputs.manifest.items[ref]
    location = item_location(entry.path)
    assert location is not None
    rendered = render_pointer(parse_item(entry.path, location, inputs.source.content(entry.blob)))
    return rendered.facts, rendered.memory.title, rendered.memory.text


def _count_failure(before: FailedItem | None, fingerprint_: str, problem: str) -> FailedItem:
    same = before is not None and before.fingerprint == fingerprint_
    return FailedItem((before.attempts if before is not None and same else 0) + 1, fingerprint_, problem)


def _was_quarantined(state: SyncState, key: str, fingerprint_: str) -> bool:
    before = state.failed.get(key)
    return before is not None and before.is_quarantined and before.fingerprint == fingerprint_
