"""What a pre-run could have of the repository in time, and how what is late or failed is named."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecar.codebase import Listing, Moved, Repository, RepositoryState, StateFailed, glimpse
from sidecar.core.clock import Deadline
from sidecar.core.text.sanitize import one_line
from sidecar.packs.cache import CachedPack
from sidecar.packs.context_pack import ContextFile
from sidecar.packs.delta_files import Differences
from sidecar.packs.delta_pack import MAX_COMMITS
from sidecar.packs.model import PreRunParams, Trimmed
from sidecar.packs.prefetch import PREPARE_WAIT_MS, await_preparation, skipped
from sidecar.packs.prompt_search import Search, files_of
from sidecar.packs.task import said
from sidecar.packs.task_pack import Answer, Draft, Question, answer_at_hand, pinned, pointers, shared_pack
from sidecar.runs import SessionContents, keys
from sidecar.system.log import Log

if TYPE_CHECKING:
    from sidecar.memory import Memory, Relevant
    from sidecar.registry import Hint


@dataclass
class Gathered:
    """What could be had in time."""

    state: RepositoryState | None = None
    pack: CachedPack = field(default_factory=lambda: CachedPack((), ()))
    extra: tuple[ContextFile, ...] = ()
    """Files of this call alone: mentioned, or found by a follow-up's own words."""
    whole_anchor: bool = False
    """Whether the pack's anchor says all that its sources say, so that what it does not say no longer holds."""
    memories: tuple[Relevant, ...] = ()
    """What is remembered of earlier work and bears on this prompt."""
    remembered: dict[str, Memory] | None = None
    """Of the memories that the session was told of those that still are; None where that is not known."""
    hint: Hint | None = None
    """What is there already of what the prompt wants made."""
    differences: Differences | None = None
    """None where they could not be had in time."""
    moved: Moved | None = None
    cache_hit: bool = False
    file_hits: int = 0
    file_misses: int = 0
    late: bool = False
    """Whether even the repository's state came too late, and nothing could be had without it."""
    partial: bool = False
    omissions: list[Trimmed] = field(default_factory=list)


LeftMs = Callable[[], float]
"""Gives the milliseconds that are left."""

Begin = Callable[..., "Future[Any]"]
"""Begins to run something with what it is given."""

Take = Callable[[LeftMs], None]
"""Waits for something that was begun, and takes it or names it as late."""


def leave_out(gathered: Gathered, item: str, error: Exception, log: Log) -> None:
    """Names what is late or failed; the run goes on with the rest."""
    if isinstance(error, TimeoutError):
        gathered.partial, reason = True, "deadline"
    elif isinstance(error, StateFailed):
        reason = error.reason
    else:
        log.error("packs.source.failed", item=item, kind=type(error).__name__)
        reason = "it could not be read"
    gathered.omissions.append(Trimmed(item=item, reason=reason))


def nothing_more(_left_ms: LeftMs) -> None:
    """Takes nothing: it is there already."""


# What the registry and the memories have of what a prompt asks for; they hold no prompt up.


def begin_elsewhere(
    begin: Begin,
    gathered: Gathered,
    question: Question,
    params: PreRunParams,
    known: SessionContents,
    *,
    new_task: bool,
) -> Take:
    """Asks the registry and the memories; loaded behind the way to a first answer, they hold no prompt up."""
    if not question.process.loaded.is_set():
        gathered.omissions.append(Trimmed(item="memories", reason="still being loaded"))
        return nothing_more
    from sidecar.registry import hint_for

    gathered.hint = hint_for(question.workspace, question.process, said(params.prompt))
    return _begin_memories(begin, gathered, question, params, known, new_task=new_task)


def _begin_memories(
    begin: Begin,
    gathered: Gathered,
    question: Question,
    params: PreRunParams,
    known: SessionContents,
    *,
    new_task: bool,
) -> Take:
    """Takes the memories that are known for the prompt, or begins to look for them; gives what takes those.

    A follow-up is looked for together with what its task is about: its own words often say little.
    """
    from sidecar.memory import Relevance
    from sidecar.packs.memory_sources import MAX_MEMORIES, told_before

    process, workspace = question.process, question.workspace
    text = said(params.prompt) if new_task else f"{said(params.prompt)}\n{question.task.objective}"
    relevance = process.part(Relevance, Relevance)
    try:
        found = relevance.at_hand(process, workspace, text)
        told = told_before(known)
        gathered.remembered = relevance.standing(process, workspace, told) if told else None
    except Exception as error:
        leave_out(gathered, "memories", error, process.log)
        return nothing_more
    if found is not None:
        gathered.memories = found
        return nothing_more
    looking = begin(relevance.look, process, workspace, text, MAX_MEMORIES)

    def take(left_ms: LeftMs) -> None:
        wait((looking,), timeout=left_ms() / 1000)
        try:
            gathered.memories = looking.result(0)
        except Exception as error:
            leave_out(gathered, "memories", error, process.log)

    return take


# Everything a pre-run asks of the repository, within its deadline; what is late or fails is named, never fatal.


MAX_NEW_FILES = 40

INDEX_SHARE = 0.6
"""The share of the time left that may be waited for files still being read."""

ANSWER_MS = 50.0
"""What is kept of the deadline for putting the answer together."""

INLINE_MS = 300.0
"""With so much time left a look at the little that happened, which is over after a fraction of a millisecond and in any
case after a quarter of a second, is made without another thread; and so is the pack where little is to be read for it:
each hand-over to another thread and back takes a tenth of a millisecond, and many on a busy machine."""

INLINE_CHANGES = 64
"""Differences of so many files are read in some ten milliseconds."""

GLIMPSE_MS, GLIMPSE_SHARE = 120.0, 0.15
"""A look that takes longer, or more of the time left, is likely to be late: then the paths alone are asked what the
task is about."""


class _Wanted(NamedTuple):
    """What a call wants a pack of: its question, the repository as it was found, and the search of this call alone."""

    question: Question
    sub_chat_id: str
    state: RepositoryState
    listing: Listing
    search: Search


class _Packed(NamedTuple):
    """The shared pack, the files of this call alone, and what had to be left out."""

    answer: Answer
    extra: tuple[ContextFile, ...]
    omissions: list[Trimmed]


def gather(
    question: Question, params: PreRunParams, known: SessionContents, deadline: Deadline, *, new_task: bool
) -> Gathered:
    """Looks at the repository, then at its differences and its files side by side, as long as there is time."""
    gathered = Gathered()

    def left_ms() -> float:
        return max(0.0, deadline.left_ms(question.process.clock) - ANSWER_MS)

    at_once = question.repository.at_once() if left_ms() >= INLINE_MS else None
    looked = at_once or _looked(gathered, question, left_ms)
    if looked is None:
        return gathered
    gathered.state, listing = looked
    begin: Begin = question.process.background.submit
    if at_once is not None and _is_little(question, gathered.state, known):
        begin = _done_here
    search = Search.of(question, params, listing, new_task=new_task)
    take_changes = _begin_changes(begin, gathered, question, gathered.state, known)
    take_memories = begin_elsewhere(begin, gathered, question, params, known, new_task=new_task)
    wait_ms = left_ms() * INDEX_SHARE
    wanted = _Wanted(question, params.sub_chat_id, gathered.state, listing, search)
    take_pack = _begin_pack(begin, gathered, wanted, wait_ms)
    take_changes(left_ms)
    take_pack(left_ms)
    take_memories(left_ms)
    return gathered


def _looked(gathered: Gathered, question: Question, left_ms: LeftMs) -> tuple[RepositoryState, Listing] | None:
    """The state with its files; None where they cannot be had in time, and then what the paths alone told."""
    pool = question.process.background
    look = pool.submit(_look, question.repository)
    glimpsed = None
    if not _is_done(look, min(left_ms() * GLIMPSE_SHARE, GLIMPSE_MS)) and left_ms():
        glimpsed = pool.submit(_glimpse, question)
    if not (left_ms() and _is_done(look, left_ms())):
        pool.submit(_go_on, question, look)
        _take_glimpse(gathered, glimpsed, question.process.log)
        return None
    try:
        return look.result()
    except Exception as error:
        leave_out(gathered, "repository", error, question.process.log)
        return None


def _is_done(future: Future[Any], wait_ms: float) -> bool:
    return bool(wait((future,), timeout=wait_ms / 1000).done)


def _is_little(question: Question, state: RepositoryState, known: SessionContents) -> bool:
    """Says whether what is still to be read for the answer is little, so that it is there long before the deadline."""
    is_same_head = known.head_commit in (None, state.head)
    return is_same_head and len(state.changed) <= INLINE_CHANGES and question.repository.is_nearly_indexed()


def _done_here(run: Callable[..., Any], *given: Any) -> Future[Any]:
    """Runs something in this thread, as a pool would in another."""
    future: Future[Any] = Future()
    try:
        future.set_result(run(*given))
    except Exception as error:
        future.set_exception(error)
    return future


def _begin_changes(
    begin: Begin, gathered: Gathered, question: Question, state: RepositoryState, known: SessionContents
) -> Take:
    """Begins to read the differences, where there are any; gives what takes them."""
    if not state.changed and known.head_commit in (None, state.head):
        gathered.differences = Differences({}, {})
        return nothing_more
    changes = begin(_changes, question.repository, state, known)

    def take(left_ms: LeftMs) -> None:
        wait((changes,), timeout=left_ms() / 1000)
        _take_changes(gathered, changes, question.process.log)

    return take


def _begin_pack(begin: Begin, gathered: Gathered, wanted: _Wanted, wait_ms: float) -> Take:
    """Takes the pack that is at hand, or begins to make one; gives what takes that."""
    question = wanted.question
    at_hand = answer_at_hand(question, wanted.sub_chat_id, wanted.state) if not wanted.search.is_needed else None
    if at_hand is not None:
        _take_pack(gathered, _packed(wanted, at_hand))
        return nothing_more
    draft = Draft()
    packing = begin(_pack, wanted, wait_ms, draft)

    def take(left_ms: LeftMs) -> None:
        wait((packing,), timeout=left_ms() / 1000)
        _take_packing(gathered, packing, draft, question.process.log)

    return take


def _look(repository: Repository) -> tuple[RepositoryState, Listing]:
    state = repository.state()
    return state, repository.listing(state)


def _glimpse(question: Question) -> tuple[ContextFile, ...]:
    return pointers(question, glimpse(question.workspace.cwd, question.task.query, question.appetite.files))


def _take_glimpse(gathered: Gathered, glimpsed: Future[tuple[ContextFile, ...]] | None, log: Log) -> None:
    """Does with what the paths told, if anything: no state, no difference, no summaries."""
    files: tuple[ContextFile, ...] = ()
    try:
        files = glimpsed.result() if glimpsed is not None and glimpsed.done() else ()
    except Exception as error:
        leave_out(gathered, "context", error, log)
    gathered.pack = CachedPack((), files)
    gathered.partial, gathered.late = True, not files
    gathered.omissions.append(Trimmed(item="repository", reason="deadline"))


def _go_on(question: Question, look: Future[tuple[RepositoryState, Listing]]) -> None:
    """Makes the pack of a call that had to go without, so that the next one finds it."""
    try:
        shared_pack(question, *look.result(), PREPARE_WAIT_MS)
    except Exception as error:
        skipped(question.process, error)


def _changes(
    repository: Repository, state: RepositoryState, known: SessionContents
) -> tuple[Differences, Moved | None]:
    diffs = repository.diffs(state)
    new = [file.path for file in state.changed if file.kind == "untracked" or state.head is None]
    shown = new[:MAX_NEW_FILES] if state.kind == "git" else []
    texts = {path: text for path in shown if (text := repository.new_file(path)) is not None}
    moved, committed = None, {}
    if known.head_commit is not None and state.head is not None and known.head_commit != state.head:
        moved = repository.moved(known.head_commit, state.head, MAX_COMMITS)
        committed = repository.committed(known.head_commit, state.head, moved)
    return Differences(diffs, texts, committed), moved


def _take_changes(gathered: Gathered, changes: Future[tuple[Differences, Moved | None]], log: Log) -> None:
    try:
        gathered.differences, gathered.moved = changes.result(0)
    except Exception as error:
        leave_out(gathered, "delta", error, log)


def _take_packing(gathered: Gathered, packing: Future[_Packed], draft: Draft, log: Log) -> None:
    try:
        packed = packing.result(0)
    except Exception as error:
        gathered.pack, gathered.whole_anchor = draft.as_pack(), draft.anchor.is_whole
        leave_out(gathered, "context", error, log)
        return
    _take_pack(gathered, packed)


def _take_pack(gathered: Gathered, packed: _Packed) -> None:
    answer, gathered.extra, omissions = packed
    gathered.pack, gathered.cache_hit, gathered.whole_anchor = answer.pack, answer.cache_hit, answer.whole_anchor
    shown = len(answer.pack.files) + len(gathered.extra)
    gathered.file_misses = min(answer.analysed, shown)
    gathered.file_hits = shown - gathered.file_misses
    gathered.omissions.extend(omissions)
    gathered.partial |= not answer.complete


def _pack(wanted: _Wanted, wait_ms: float, draft: Draft) -> _Packed:
    """The shared pack of the task, and the files that this prompt alone asks for."""
    question, _, state, listing, search = wanted
    clock = question.process.clock
    began_ms = clock.monotonic_ms()
    await_preparation(question.workspace, wanted.sub_chat_id, wait_ms)
    left_ms = max(0.0, wait_ms - (clock.monotonic_ms() - began_ms))
    answer = shared_pack(question, state, listing, left_ms, draft)
    return _packed(wanted, answer, files_of(search, question, state, listing) if search.is_needed else ())


def _packed(wanted: _Wanted, answer: Answer, extra: tuple[ContextFile, ...] = ()) -> _Packed:
    question, _, state, listing, search = wanted
    there = {file.ranked.path for file in (*extra, *answer.pack.files)}
    extra += pinned(question, state, listing, there)
    omissions = []
    if not answer.whole_anchor:
        omissions.append(Trimmed(item=keys.ANCHOR, reason="not all it is made of could be read"))
    if not answer.complete:
        omissions.append(Trimmed(item="context", reason="files are still being read"))
    if listing.cut_at is not None:
        reason = f"only the first {len(listing.files)} of {listing.cut_at} files are looked at"
        omissions.append(Trimmed(item="context", reason=reason))
    omissions.extend(
        Trimmed(item=one_line(path, 200), reason="not there, outside the workspace, or not to be shown")
        for path in search.nowhere
    )
    return _Packed(answer, extra, omissions)
