"""Apply a sync plan, and roll a sync back to its checkpoint.

Applying journals each batch, writes its files, and saves the state once at the end. A crash at any point
leaves a journal from which every file is restored; the next sync then repeats the work. A sync is also rolled back
after a failure, and at the user's request.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from sidecar.call import Call
from sidecar.core.errors import Conflict, NotFound, SidecarError
from sidecar.knowledge import store
from sidecar.knowledge.git_source import local_head
from sidecar.knowledge.item import item_location, parse_item, pointer_hash, render_pointer
from sidecar.knowledge.store import (
    Checkpoint,
    FailedItem,
    FileImage,
    SyncedItem,
    SyncState,
    load_state,
    record_rollback,
    sync_lock,
)
from sidecar.knowledge.sync_inputs import SyncInputs
from sidecar.knowledge.sync_plan import Operation, Plan, synced_item
from sidecar.memory import (
    MemoryFileChange,
    PointerFiles,
    Value,
    edit_memory_file,
    knowledge_pointer_files,
    read_memory_file,
    render_memory_file,
)
from sidecar.storage.database import Database
from sidecar.workspace import Workspace

BURST = 9
"""Bucket size: at 90 writes a second, no second sees 100."""


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

    def record_writes(self, changes: Sequence[MemoryFileChange]) -> None:
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
        inputs.pointer_files.close()
    return result


def next_state(
    inputs: SyncInputs,
    plan: Plan,
    result: ApplyResult,
    now_ms: int,
    requested: AbstractSet[str] | None,
    *,
    retries: bool = False,
) -> tuple[SyncState, dict[str, str]]:
    """Return the state to save, and the problems that block the sync's completion, by ref or path.

    `requested` holds the requested refs; None means that the plan covered everything that may have changed, so that its
    commit is reached. Earlier failures outside the request are carried over. `retries` is whether quarantined items
    block as well. A pointer that cannot be written is a fault of the environment and never quarantines its item.
    """
    failures = [
        failure
        for failure in inputs.manifest.failures
        if requested is None or (failure.ref or failure.path) in requested
    ]
    problems = {failure.ref or failure.path: failure.problem for failure in failures} | result.failed
    fingerprints = {failure.ref or failure.path: failure.fingerprint for failure in failures}
    quarantined = {ref: inputs.state.failed[ref] for ref in plan.quarantined}
    failed = {
        key: FailedItem(1, "", text)
        if key in result.failed
        else _count_failure(inputs.state.failed.get(key), fingerprints[key], text)
        for key, text in problems.items()
    }
    skipped = {
        key
        for key in problems
        if requested is None and not retries and _was_quarantined(inputs.state, key, fingerprints.get(key, ""))
    }
    blocking = {key: text for key, text in problems.items() if key not in skipped}
    others = {} if requested is None else dict(inputs.state.failed)
    for ref in requested or ():
        others.pop(ref, None)
        if ref in inputs.manifest.items:
            others.pop(inputs.manifest.items[ref].path, None)  # its file could not be read before
    state = replace(inputs.state, items=result.items, failed={**others, **failed, **quarantined})
    if requested is not None:
        return state, blocking
    state = replace(state, rollback_commit="")
    if plan.pending:
        return replace(state, pending=plan.pending, target_commit=plan.commit), blocking
    state = replace(state, pending=(), target_commit="")
    if blocking:
        return state, blocking
    return (
        replace(state, last_sync_at_ms=now_ms, last_knowledge_commit=plan.commit, sources=inputs.sources),
        blocking,
    )


def _write(
    batch: Sequence[Operation],
    inputs: SyncInputs,
    journal: Journal,
    timestamp: str,
    result: ApplyResult,
    *,
    reads_again: bool = True,
) -> None:
    """Write a batch. A file that changes meanwhile, as when memory counts an access in it, is read again once."""
    changed_meanwhile = []
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
    for change, problem in inputs.pointer_files.apply(changes):
        step = steps[change.path]
        if problem is None:
            result.record(step, inputs)
        elif reads_again and isinstance(problem, Conflict):
            changed_meanwhile.append(step)
        else:
            result.failed[step.ref] = problem.message
    if changed_meanwhile:
        _write(changed_meanwhile, inputs, journal, timestamp, result, reads_again=False)


def _change(step: Operation, inputs: SyncInputs, timestamp: str) -> MemoryFileChange:
    before = inputs.pointer_files.content(step.pointer)
    if step.kind != "create" and before is None:
        raise NotFound("The pointer's file no longer exists.")
    if step.kind == "delete":
        return MemoryFileChange(step.pointer, before, None)
    if step.kind == "mark_orphaned":
        fields: dict[str, Value] = {
            knowledge_pointer_files.ITEM: step.ref,
            knowledge_pointer_files.STATUS: knowledge_pointer_files.ORPHANED,
            "updated_at": timestamp,
        }
        return MemoryFileChange(step.pointer, before, edit_memory_file(before or b"", step.pointer, fields, None, None))
    facts, title, text = _render(step.ref, inputs)
    if before is None:
        new_fields: dict[str, Value] = {
            **facts,
            "tier": "warm",
            "access_count": 0,
            "evidence_count": 1,
            "created_at": timestamp,
        }
        return MemoryFileChange(
            step.pointer, None, render_memory_file({**new_fields, "updated_at": timestamp}, title, text)
        )
    if step.kind == "create":
        raise Conflict("A memory that is not a pointer has the pointer's path.")
    return MemoryFileChange(
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


INTERRUPTED = "The syncing process ended before it finished."


def roll_back(call: Call, workspace: Workspace, checkpoint_id: str) -> tuple[int, list[str]]:
    """Restore a checkpoint. Return the number of restored files, and the paths skipped because they changed.

    Automatic syncs pause until the repository's head moves or someone runs a sync.
    """
    with sync_lock(call.database, workspace.project_key):
        recover_interrupted(call, workspace)
        before = load_state(call, workspace.project_key)
        head = local_head(call, call.process.settings(workspace.project_key)) or before.last_knowledge_commit
        return roll_back_to(call, workspace, checkpoint_id, "The user requested it.", rollback_commit=head)


def recover_interrupted(call: Call, workspace: Workspace) -> None:
    """Roll back a sync that was killed. The caller holds the lock."""
    with call.database.read() as tx:
        running = [
            checkpoint for checkpoint in store.checkpoints(tx, workspace.project_key) if checkpoint.status == "running"
        ]
    if running:
        roll_back_to(call, workspace, running[-1].id, INTERRUPTED)


def roll_back_to(
    call: Call, workspace: Workspace, checkpoint_id: str, reason: str, *, rollback_commit: str = ""
) -> tuple[int, list[str]]:
    """Restore the files and the state of a checkpoint, as `roll_back` does. The caller holds the lock."""
    project = workspace.project_key
    with call.database.read() as tx:
        checkpoint = _find_checkpoint(store.checkpoints(tx, project), checkpoint_id)
        images: list[FileImage] = store.images_since(tx, project, checkpoint.number)
    skipped = list(dict.fromkeys(restore_files(PointerFiles(call.process, workspace), images)))
    restored = {image.path for image in images}.difference(skipped)
    with call.database.write() as tx:
        store.restore_checkpoint(tx, project, checkpoint, call.now_ms(), reason)
        if rollback_commit:
            record_rollback(call, tx, project, rollback_commit)
    call.log.warning(
        "knowledge.rolledBack", checkpoint=checkpoint_id, reason=reason, files=len(restored), skipped=len(skipped)
    )
    return len(restored), skipped


def _find_checkpoint(checkpoints: list[Checkpoint], checkpoint_id: str) -> Checkpoint:
    checkpoint = next(
        (candidate for candidate in checkpoints if candidate.id == checkpoint_id and candidate.status != "rolledBack"),
        None,
    )
    if checkpoint is None:
        raise NotFound("No checkpoint has that id.", hint="`knowledge/status` lists the checkpoints.")
    return checkpoint


def restore_files(files: PointerFiles, images: Iterable[FileImage]) -> list[str]:
    """Revert writes, the latest first. Return the pointers edited since, which are left unchanged."""
    skipped = []
    for image in images:
        current = files.content(image.path)
        if _is_unchanged_since(current, image.before):
            continue
        if not _is_unchanged_since(current, image.after):
            skipped.append(image.path)
            continue
        skipped += [
            change.path
            for change, problem in files.apply([MemoryFileChange(image.path, current, image.before)])
            if problem
        ]
    files.close()
    return skipped


def _is_unchanged_since(current: bytes | None, after: bytes | None) -> bool:
    """Whether a file is as a sync wrote it, apart from the counters that memory updates in it."""
    if current is None or after is None:
        return current == after
    return current == after or pointer_hash(read_memory_file(current)) == pointer_hash(read_memory_file(after))
