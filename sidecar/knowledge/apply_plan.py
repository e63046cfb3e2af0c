"""A ceiling on writes: a token bucket, so small that no second sees more than the rate and the bucket."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from sidecar.core.errors import Conflict, NotFound, SidecarError
from sidecar.knowledge import store
from sidecar.knowledge.item import place_of, read_item
from sidecar.knowledge.item_pointer import hash_of, render
from sidecar.knowledge.state import Failed, Known, SyncState
from sidecar.knowledge.store import Image
from sidecar.knowledge.sync_inputs import Look
from sidecar.knowledge.sync_plan import Operation, Plan, fingerprint, known_of
from sidecar.memory import Change, Placed, Value, knowledge_pointer, read_back, rewritten, written
from sidecar.storage.database import Database

BURST = 9
"""With 90 a second no second sees 100 (knowledge-sync.md, Full sync performance)."""


class Pace:
    """Lets `per_second` writes pass; 0 is no ceiling. Time and waiting are the caller's."""

    def __init__(self, per_second: int, now_ms: Callable[[], float], wait: Callable[[float], object]) -> None:
        self._rate = per_second / 1000
        self._now_ms = now_ms
        self._wait = wait
        self._tokens = float(BURST)
        self._at_ms = now_ms()

    @property
    def batch(self) -> int:
        """How many writes may be made together."""
        return BURST if self._rate else 100

    def take(self, writes: int) -> None:
        """Waits until so many writes may be made, at most a batch."""
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


# Carries a plan out: intents first, then the files, batch by batch; the state once, at the end.
#
# A crash at any point leaves a journal from which everything goes back to as it was; the next sync then does it again.


class Journal:
    """Where a sync writes down what it is about to write."""

    def __init__(self, database: Database, project: str, checkpoint_id: str) -> None:
        self._database = database
        self._project = project
        self._checkpoint_id = checkpoint_id

    def intend(self, changes: Sequence[Change]) -> None:
        """Keeps the files' bytes before and after, durably."""
        with self._database.write() as tx:
            store.intend(tx, self._project, self._checkpoint_id, [Image(*one) for one in changes])


@dataclass
class Done:
    """What became of a plan's operations."""

    items: dict[str, Known]
    counts: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    """Problems by ref."""

    def note(self, step: Operation, look: Look) -> None:
        """Takes an operation into the state that will be saved."""
        self.counts[step.kind] = self.counts.get(step.kind, 0) + 1
        if step.kind in ("create", "update", "adopt"):
            self.items[step.ref] = known_of(look.manifest.items[step.ref], step.pointer)
        elif step.kind != "delete" or step.is_orphan:
            self.items.pop(step.ref, None)


def apply(plan: Plan, look: Look, journal: Journal, pace: Pace, at: str, between: Callable[[int, int], None]) -> Done:
    """Does a plan's operations; `at` stamps the pointers, `between` is told how many are done of how many.

    A pointer that cannot be written fails by itself; anything else, `between` raising included, ends it half done.
    """
    done = Done(dict(look.state.items))
    writing = [step for step in plan.operations if step.writes]
    for start in range(0, len(writing), pace.batch):
        between(start, len(writing))
        batch = writing[start : start + pace.batch]
        pace.take(len(batch))
        _write(batch, look, journal, at, done)
    for step in plan.operations:
        if not step.writes and step.ref not in done.failed:
            done.note(step, look)
    between(len(writing), len(writing))
    if writing:
        look.placed.close()
    return done


def state_after(
    look: Look, plan: Plan, done: Done, now_ms: int, asked: AbstractSet[str] | None
) -> tuple[SyncState, dict[str, str]]:
    """Gives the state that is to be saved, and the problems that hold the sync back, by ref or path.

    `asked` are the refs the plan was asked for; None where it looked at all that may have changed, so that its commit
    is reached. What failed before and was not asked for stays as it is.
    """
    failures = [one for one in look.manifest.failures if asked is None or one.ref in asked]
    problems = {failure.ref or failure.path: failure.problem for failure in failures} | done.failed
    prints = {failure.ref or failure.path: failure.fingerprint for failure in failures}
    prints |= {ref: fingerprint(look.manifest.items[ref]) for ref in done.failed if ref in look.manifest.items}
    parked = {ref: look.state.failed[ref] for ref in plan.parked}
    failed = {key: _again(look.state.failed.get(key), prints.get(key, ""), text) for key, text in problems.items()}
    left_alone = {key for key in problems if asked is None and _was_parked(look.state, key, prints.get(key, ""))}
    holding = {key: text for key, text in problems.items() if key not in left_alone}
    others = {} if asked is None else {key: one for key, one in look.state.failed.items() if key not in asked}
    state = replace(look.state, items=done.items, failed={**others, **failed, **parked})
    if asked is not None:
        return state, holding
    state = replace(state, held_at="")
    if plan.pending:
        return replace(state, pending=plan.pending, target_commit=plan.commit), holding
    state = replace(state, pending=(), target_commit="")
    if holding:
        return state, holding
    return replace(state, last_sync_at_ms=now_ms, last_knowledge_commit=plan.commit), holding


def put_back(placed: Placed, images: Iterable[Image]) -> list[str]:
    """Takes writes back, the latest first; gives the paths of pointers that somebody changed since, which stay."""
    left = []
    for image in images:
        now = placed.content(image.path)
        if now == image.before:
            continue
        if not _is_ours(now, image.after):
            left.append(image.path)
            continue
        left += [change.path for change, problem in placed.apply([Change(image.path, now, image.before)]) if problem]
    placed.close()
    return left


def _write(batch: Sequence[Operation], look: Look, journal: Journal, at: str, done: Done) -> None:
    steps: dict[str, Operation] = {}
    changes = []
    for step in batch:
        try:
            changes.append(_change(step, look, at))
            steps[step.pointer] = step
        except SidecarError as error:
            if error.data.get("code"):
                raise  # the repository itself, not this item
            done.failed[step.ref] = error.message
    journal.intend(changes)
    for change, problem in look.placed.apply(changes):
        step = steps[change.path]
        if problem is None:
            done.note(step, look)
        else:
            done.failed[step.ref] = problem.message


def _change(step: Operation, look: Look, at: str) -> Change:
    before = look.placed.content(step.pointer)
    if step.kind != "create" and before is None:
        raise NotFound("The pointer's file is gone.")
    if step.kind == "delete":
        return Change(step.pointer, before, None)
    if step.kind == "mark_orphaned":
        stamped: dict[str, Value] = {
            knowledge_pointer.ITEM: step.ref,
            knowledge_pointer.STATUS: knowledge_pointer.ORPHANED,
            "updated_at": at,
        }
        return Change(step.pointer, before, rewritten(before or b"", step.pointer, stamped, None, None))
    facts, title, text = _rendered(step.ref, look)
    if before is None:
        fresh: dict[str, Value] = {**facts, "tier": "warm", "access_count": 0, "evidence_count": 1, "created_at": at}
        return Change(step.pointer, None, written({**fresh, "updated_at": at}, title, text))
    if step.kind == "create":
        raise Conflict("A memory that is no pointer stands in the pointer's place.")
    return Change(step.pointer, before, rewritten(before, step.pointer, {**facts, "updated_at": at}, title, text))


def _rendered(ref: str, look: Look) -> tuple[Mapping[str, Value], str, str]:
    entry = look.manifest.items[ref]
    place = place_of(entry.path)
    assert place is not None
    rendered = render(read_item(entry.path, place, look.source.content(entry.blob)))
    return rendered.facts, rendered.memory.title, rendered.memory.text


def _is_ours(now: bytes | None, after: bytes | None) -> bool:
    """Says whether a file is as a sync wrote it, apart from what memory counts in it."""
    if now is None or after is None:
        return now == after
    return now == after or hash_of(read_back(now)) == hash_of(read_back(after))


def _again(before: Failed | None, fingerprint_: str, problem: str) -> Failed:
    same = before is not None and before.fingerprint == fingerprint_
    return Failed((before.times if before is not None and same else 0) + 1, fingerprint_, problem)


def _was_parked(state: SyncState, key: str, fingerprint_: str) -> bool:
    before = state.failed.get(key)
    return before is not None and before.is_parked and before.fingerprint == fingerprint_
