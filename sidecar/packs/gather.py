"""Everything a pre-run asks of the repository, within its deadline; what is late or fails is named, never fatal."""

import os
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import NamedTuple

from sidecar.codebase import Listing, Moved, Ranked, Repository, RepositoryState, StateFailed
from sidecar.core.clock import Deadline
from sidecar.core.errors import SidecarError
from sidecar.packs.context import ContextFile
from sidecar.packs.delta import MAX_COMMITS, Differences
from sidecar.packs.model import Mentions, PreRunParams, Trimmed
from sidecar.packs.prompt import mentioned_in, said
from sidecar.packs.shared import (
    PREPARE_WAIT_MS,
    Answer,
    Draft,
    Question,
    answer_at_hand,
    await_preparation,
    shared_pack,
    with_summaries,
)
from sidecar.packs.store import CachedPack
from sidecar.packs.task import OWN_TERMS, query_of, significant
from sidecar.runs import Known

FOLLOW_UP_FILES = 6
TELLING_SCORE = 0.6
"""A follow-up's best hits by words alone, as a share of the best score."""

FOLDER_FILES = 4
MAX_NEW_FILES = 40

INDEX_SHARE = 0.6
"""The share of the time left that may be waited for files still being read."""

ANSWER_MS = 25.0
"""What is kept of the deadline for putting the answer together."""


@dataclass
class Gathered:
    """What could be had in time."""

    state: RepositoryState | None = None
    pack: CachedPack = field(default_factory=lambda: CachedPack((), ()))
    extra: tuple[ContextFile, ...] = ()
    """Files of this call alone: mentioned, or found by a follow-up's own words."""
    differences: Differences | None = None
    """None where they could not be had in time."""
    moved: Moved | None = None
    cache_hit: bool = False
    file_hits: int = 0
    file_misses: int = 0
    late: bool = False
    """Whether even the repository's state came too late."""
    partial: bool = False
    omissions: list[Trimmed] = field(default_factory=list)


class _Packed(NamedTuple):
    """The shared pack, the files of this call alone, and what had to be left out."""

    answer: Answer
    extra: tuple[ContextFile, ...]
    omissions: list[Trimmed]


class _Search(NamedTuple):
    """What this prompt alone asks for, beside its task."""

    query: str
    mentioned: frozenset[str]
    nowhere: tuple[str, ...]
    """Mentions that lead to no file."""
    has_own_words: bool

    @property
    def is_needed(self) -> bool:
        """Whether anything is to be looked for."""
        return self.has_own_words or bool(self.mentioned)

    @classmethod
    def of(cls, question: Question, params: PreRunParams, listing: Listing, *, new_task: bool) -> "_Search":
        """Reads a prompt; the words that begin a task are the task's, also when they are said again."""
        words, names = significant(said(params.prompt))
        mentioned, nowhere = _mentioned(question, params, listing)
        query = query_of(words, names)
        has_own_words = (bool(names) or len(words) >= OWN_TERMS) and not new_task and query != question.task.query
        return cls(query, frozenset(mentioned), tuple(nowhere), has_own_words)


def gather(question: Question, params: PreRunParams, known: Known, deadline: Deadline, *, new_task: bool) -> Gathered:
    """Looks at the repository, then at its differences and its files side by side, as long as there is time."""
    gathered = Gathered()
    pool, clock = question.process.background, question.process.clock

    def left_ms() -> float:
        return max(0.0, deadline.left_ms(clock) - ANSWER_MS)

    look = pool.submit(_look, question.repository)
    wait((look,), timeout=left_ms() / 1000)
    if not look.done():
        look.add_done_callback(lambda done: _go_on(question, done))
        gathered.late = gathered.partial = True
        return gathered
    try:
        gathered.state, listing = look.result()
    except StateFailed as error:
        gathered.omissions.append(Trimmed(item="repository", reason=error.reason))
        return gathered
    state, draft, changes, packing = gathered.state, Draft(), None, None
    search = _Search.of(question, params, listing, new_task=new_task)
    at_hand = answer_at_hand(question, params.sub_chat_id, state) if not search.is_needed else None
    if state.changed or known.head_commit not in (None, state.head):
        changes = pool.submit(_changes, question.repository, state, known)
    else:
        gathered.differences = Differences({}, {})
    if at_hand is None:
        packing = pool.submit(_pack, question, params, state, listing, search, left_ms() * INDEX_SHARE, draft)
    else:
        _take_pack(gathered, _packed(at_hand, listing, search, ()))
    if changes is not None:
        wait((changes,), timeout=left_ms() / 1000)
        _take_changes(gathered, changes)
    if packing is not None:
        wait((packing,), timeout=left_ms() / 1000)
        _take_packing(gathered, packing, draft)
    return gathered


def _look(repository: Repository) -> tuple[RepositoryState, Listing]:
    state = repository.state()
    return state, repository.listing(state)


def _go_on(question: Question, look: "Future[tuple[RepositoryState, Listing]]") -> None:
    """Makes the pack of a call that had to go without, so that the next one finds it."""
    if look.cancelled() or look.exception() is not None:
        return
    try:
        shared_pack(question, *look.result(), PREPARE_WAIT_MS)
    except SidecarError as error:  # the state file is closed while the process ends
        question.process.log.info("packs.prepare.skipped", reason=type(error).__name__)


def _changes(repository: Repository, state: RepositoryState, known: Known) -> tuple[Differences, Moved | None]:
    diffs = repository.diffs(state)
    new = [file.path for file in state.changed if file.kind == "untracked" or state.head is None]
    shown = new[:MAX_NEW_FILES] if state.kind == "git" else []
    texts = {path: text for path in shown if (text := repository.new_file(path)) is not None}
    moved = None
    if known.head_commit is not None and state.head is not None and known.head_commit != state.head:
        moved = repository.moved(known.head_commit, state.head, MAX_COMMITS)
    return Differences(diffs, texts), moved


def _take_changes(gathered: Gathered, changes: "Future[tuple[Differences, Moved | None]]") -> None:
    if not changes.done():
        gathered.partial = True
        gathered.omissions.append(Trimmed(item="delta", reason="deadline"))
        return
    try:
        gathered.differences, gathered.moved = changes.result()
    except StateFailed as error:
        gathered.omissions.append(Trimmed(item="delta", reason=error.reason))


def _take_packing(gathered: Gathered, packing: "Future[_Packed]", draft: Draft) -> None:
    if not packing.done():
        gathered.partial = True
        gathered.pack = draft.as_pack()
        gathered.omissions.append(Trimmed(item="context", reason="deadline"))
        return
    _take_pack(gathered, packing.result())


def _take_pack(gathered: Gathered, packed: _Packed) -> None:
    answer, gathered.extra, omissions = packed
    gathered.pack, gathered.cache_hit = answer.pack, answer.cache_hit
    shown = len(answer.pack.files) + len(gathered.extra)
    gathered.file_misses = min(answer.analysed, shown)
    gathered.file_hits = shown - gathered.file_misses
    gathered.omissions.extend(omissions)
    gathered.partial |= not answer.complete


def _pack(
    question: Question,
    params: PreRunParams,
    state: RepositoryState,
    listing: Listing,
    search: _Search,
    wait_ms: float,
    draft: Draft,
) -> _Packed:
    """The shared pack of the task, and the files that this prompt alone asks for."""
    clock = question.process.clock
    began_ms = clock.monotonic_ms()
    await_preparation(question.workspace, params.sub_chat_id, wait_ms)
    left_ms = max(0.0, wait_ms - (clock.monotonic_ms() - began_ms))
    answer = shared_pack(question, state, listing, left_ms, draft)
    extra = _found(question, state, listing, search, answer.pack) if search.is_needed else ()
    return _packed(answer, listing, search, extra)


def _found(
    question: Question, state: RepositoryState, listing: Listing, search: _Search, pack: CachedPack
) -> tuple[ContextFile, ...]:
    """The files this prompt mentions, and those its own words point at beside the task's."""
    mentioned = search.mentioned
    found = question.repository.find(search.query, state, sorted(mentioned), FOLLOW_UP_FILES + len(mentioned))
    shared = {file.ranked.path for file in pack.files}
    wanted = [
        one
        for one in found
        if one.path in mentioned or (search.has_own_words and one.path not in shared and _is_telling(one))
    ]
    return with_summaries(question, search.query, wanted, state, listing, mentioned=mentioned)


def _packed(answer: Answer, listing: Listing, search: _Search, extra: tuple[ContextFile, ...]) -> _Packed:
    omissions = []
    if not answer.complete:
        omissions.append(Trimmed(item="context", reason="files are still being read"))
    if listing.cut_at is not None:
        reason = f"only the first {len(listing.files)} of {listing.cut_at} files are looked at"
        omissions.append(Trimmed(item="context", reason=reason))
    omissions.extend(
        Trimmed(item=path[:200], reason="not there, outside the workspace, or not to be shown")
        for path in search.nowhere
    )
    return _Packed(answer, extra, omissions)


def _is_telling(ranked: Ranked) -> bool:
    """Whether a follow-up's own words point at a file clearly enough to add it to the task's."""
    is_named = "namedPath" in ranked.parts or "namedDefinition" in ranked.parts
    return is_named or (len(ranked.matched) >= OWN_TERMS and ranked.score >= TELLING_SCORE)


def _mentioned(question: Question, params: PreRunParams, listing: Listing) -> tuple[set[str], list[str]]:
    """The mentioned files that exist here and may be shown, and the mentions that lead nowhere."""
    mentions = params.mentions or Mentions()
    files, folders = mentioned_in(params.prompt)
    found: set[str] = set()
    nowhere: list[str] = []
    for path in dict.fromkeys((*mentions.files, *files)):
        relative = _relative(question, params.cwd, path)
        if relative in listing.files:
            found.add(relative)
        else:
            nowhere.append(path)
    for path in dict.fromkeys((*mentions.folders, *folders)):
        relative = _relative(question, params.cwd, path).rstrip("/")
        folder = "" if relative == os.curdir else relative + "/"
        inside = sorted(name for name in listing.files if name.startswith(folder))[:FOLDER_FILES]
        found.update(inside)
        if not inside:
            nowhere.append(path)
    return found, nowhere


def _relative(question: Question, cwd: str, path: str) -> str:
    """Gives a mentioned path relative to the workspace; one that leads out of it matches no listed file."""
    if not os.path.isabs(path):
        return os.path.normpath(path).replace("\\", "/")
    for root in (cwd, str(question.workspace.cwd)):
        if os.path.join(os.path.normpath(path), "").startswith(os.path.join(os.path.normpath(root), "")):
            return os.path.relpath(path, root).replace("\\", "/")
    return path
