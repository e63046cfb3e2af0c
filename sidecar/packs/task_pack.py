"""The part of a pack that all conversations of one task share: the anchor's lines and the task's files, cached."""

import threading
from collections.abc import Container, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple

from sidecar.call import Process
from sidecar.codebase import (
    Listing,
    Ranked,
    Repository,
    RepositoryState,
    Summary,
    query_terms,
    query_words,
    repository_of,
    worth_telling,
)
from sidecar.core.digests import short_id
from sidecar.packs.anchor.build import NO_ANCHOR, Anchor, anchor_limit
from sidecar.packs.anchor.cache import Anchors
from sidecar.packs.anchor.decisions import Accepted
from sidecar.packs.byte_budget import APPETITES, Appetite
from sidecar.packs.cache import PACK_VERSION, CachedPack, PackCache, PackKey
from sidecar.packs.context_pack import PASSAGE_RANKS, UNREAD, ContextFile, Quoted, above_floor, for_terms, why_here
from sidecar.packs.model import HostInjects, TokenMode
from sidecar.packs.overrides import pinned_files
from sidecar.packs.request import Turn
from sidecar.runs import Task
from sidecar.runs.model import Provider, RunMode
from sidecar.workspace import Workspace

REMEMBERED_CONVERSATIONS = 64

FAINT_FILES = 5
"""So many files more are looked at than are told: some are too faint."""

EARLY_MS = 40
"""How long a few edited files may take to be read; only then files are looked for by what is known already."""


class Question(NamedTuple):
    """What a shared pack is asked for; conversations that ask the same get the same."""

    process: Process
    workspace: Workspace
    repository: Repository
    task: Task
    provider: Provider
    mode: RunMode
    token_mode: TokenMode
    host_injects: HostInjects
    accepted: Accepted
    anchor_bytes: int
    """What the anchor's lines may take."""
    touched: tuple[str, ...]
    """Files that runs on this task changed: what is near them is more likely to matter next."""
    pinned: tuple[str, ...] = ()
    """Files the user wants sent; they are no part of what is shared."""

    @property
    def appetite(self) -> Appetite:
        """What may be told of files in a fresh context window; a fuller one is told of the first of them."""
        return APPETITES[self.token_mode]


class Asked:
    """The last question of each conversation in a workspace, for the packs that are made between two calls."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_sub_chat: dict[str, Question] = {}
        self.preparing: dict[str, Future[None]] = {}

    def remember(self, sub_chat_id: str, question: Question) -> None:
        """Keeps a conversation's question; the one that asked nothing for longest is forgotten."""
        with self._lock:
            self._by_sub_chat.pop(sub_chat_id, None)
            self._by_sub_chat[sub_chat_id] = question
            while len(self._by_sub_chat) > REMEMBERED_CONVERSATIONS:
                forgotten = next(iter(self._by_sub_chat))
                del self._by_sub_chat[forgotten]
                self.preparing.pop(forgotten, None)

    def of(self, sub_chat_id: str) -> Question | None:
        """Gives a conversation's last question."""
        with self._lock:
            return self._by_sub_chat.get(sub_chat_id)

    def latest(self, count: int) -> list[tuple[str, Question]]:
        """Gives the conversations that asked last, the latest first, each with its question."""
        with self._lock:
            return list(reversed(self._by_sub_chat.items()))[:count]


class Answer(NamedTuple):
    """A shared pack, and how it came about."""

    pack: CachedPack
    cache_hit: bool
    analysed: int
    """Files that had to be read meanwhile."""
    complete: bool
    """False while files are still being read; such a pack is not cached."""
    whole_anchor: bool = True
    """False where a source of the anchor could not be read; neither is such a pack cached."""


@dataclass
class Draft:
    """What is ready of a pack while it is being made; a call whose time is up takes it as it is."""

    anchor: Anchor = NO_ANCHOR
    files: tuple[ContextFile, ...] = ()
    """Files by their paths' words alone, without summaries."""

    def as_pack(self) -> CachedPack:
        """Gives what there is so far."""
        return CachedPack(self.anchor.lines, self.files, self.anchor.left_out)


def question_of(turn: Turn) -> Question:
    """Puts together what a call asks."""
    params, workspace, process = turn.params, turn.workspace, turn.call.process
    return Question(
        process, workspace, repository_of(workspace, process), turn.task, params.provider, params.mode, turn.token_mode,
        params.host_injects or HostInjects(), turn.accepted,
        anchor_limit(turn.token_mode, turn.settings.new_bytes_per_call(turn.token_mode)), turn.touched,
        pinned_files(turn.wishes),
    )  # fmt: skip


def remember(sub_chat_id: str, question: Question) -> None:
    """Remembers what a conversation asked, for the packs that are made ahead of its next call."""
    question.workspace.part(Asked, Asked).remember(sub_chat_id, question)


def answer_at_hand(question: Question, sub_chat_id: str, state: RepositoryState) -> Answer | None:
    """Gives the pack for a question in a state if it was used lately and nothing is being made of it; never waits."""
    preparing = question.workspace.part(Asked, Asked).preparing.get(sub_chat_id)
    if not question.repository.is_indexed() or (preparing is not None and not preparing.done()):
        return None
    pack = _packs(question).at_hand(_key(question, state))
    return Answer(pack, cache_hit=True, analysed=0, complete=True) if pack is not None else None


def shared_pack(
    question: Question, state: RepositoryState, listing: Listing, wait_ms: float, draft: Draft | None = None
) -> Answer:
    """Gives the pack for a question in a state: from the cache, or made now within `wait_ms` and cached.

    What is ready early is put into the draft.
    """
    cache = _packs(question)
    key = _key(question, state)
    with cache.making(key, wait_ms):
        cached = cache.get(key)
        if cached is not None:
            question.repository.wait_for_index(listing, question.process.indexing, 0)
            return Answer(cached, cache_hit=True, analysed=0, complete=True)
        answer = _made(question, state, listing, wait_ms, draft or Draft())
        if answer.complete and answer.whole_anchor:
            cache.put(key, answer.pack, question.process.clock.now_ms())
        return answer


def _made(question: Question, state: RepositoryState, listing: Listing, wait_ms: float, draft: Draft) -> Answer:
    anchors = question.workspace.part(Anchors, Anchors)
    repository, indexing = question.repository, question.process.indexing
    was_read = repository.is_indexed()
    of_host = (question.host_injects, question.accepted, question.anchor_bytes)
    draft.anchor = anchors.lines(repository, state, listing, *of_host)
    analysed, complete = repository.wait_for_index(listing, indexing, min(wait_ms, EARLY_MS))
    if not complete and wait_ms > EARLY_MS:
        early = repository.find(question.task.query, state, question.appetite.files, touched=question.touched)
        draft.files = pointers(question, [one for one in early if one.path in listing.files])
        meanwhile, complete = repository.wait_for_index(listing, indexing, wait_ms - EARLY_MS)
        analysed += meanwhile
    if complete and not was_read:  # what depends on what, and the history, are known now
        draft.anchor = anchors.lines(repository, state, listing, *of_host)
    most = question.appetite.files
    found = repository.find(question.task.query, state, most + FAINT_FILES, touched=question.touched)
    ranked = above_floor(worth_telling(found))[:most]
    summarised = with_summaries if complete else with_known_summaries
    files = summarised(question, question.task.query, ranked, state, listing)
    pack = CachedPack(draft.anchor.lines, files, draft.anchor.left_out)
    return Answer(pack, cache_hit=False, analysed=analysed, complete=complete, whole_anchor=draft.anchor.is_whole)


def with_summaries(
    question: Question,
    query: str,
    ranked: list[Ranked],
    state: RepositoryState,
    listing: Listing,
    *,
    mentioned: frozenset[str] = frozenset(),
) -> tuple[ContextFile, ...]:
    """Gives the ranked files with their summaries; one that is gone meanwhile is left out."""
    summaries = question.repository.summaries(_contents(ranked, listing))
    there = [one for one in ranked if one.path in summaries]
    return _with_passages(question, query, _files(query, there, summaries, state, listing, mentioned))


def _with_passages(question: Question, query: str, files: tuple[ContextFile, ...]) -> tuple[ContextFile, ...]:
    """Adds the lines that matter to the best files."""
    quoted = question.workspace.part(Quoted, Quoted)
    return (*quoted.added(question.repository, files[:PASSAGE_RANKS], query_terms(query)), *files[PASSAGE_RANKS:])


def with_known_summaries(
    question: Question, query: str, ranked: list[Ranked], state: RepositoryState, listing: Listing
) -> tuple[ContextFile, ...]:
    """Gives the ranked files with the summaries that are there already, while others are still being made.

    Making one here could hold the call up beyond its deadline: a language's grammar is loaded with its first file.
    """
    there = [one for one in ranked if one.path in listing.files]
    summaries = question.repository.known_summaries(_contents(there, listing))
    return _files(query, there, summaries, state, listing, frozenset())


def _contents(ranked: list[Ranked], listing: Listing) -> dict[str, str]:
    return {one.path: listing.files[one.path] for one in ranked if one.path in listing.files}


def _files(
    query: str,
    ranked: list[Ranked],
    summaries: Mapping[str, Summary],
    state: RepositoryState,
    listing: Listing,
    mentioned: frozenset[str],
) -> tuple[ContextFile, ...]:
    """The files in order. One without a summary counts as not given, so that its summary may follow."""
    changed = {file.path for file in state.changed} if state.kind == "git" else set()
    words = query_words(query)
    return tuple(
        ContextFile(
            one,
            listing.files[one.path] if one.path in summaries else f"pointer:{one.path}",
            for_terms(summaries[one.path], words) if one.path in summaries else UNREAD,
            why_here(one, words, mentioned=one.path in mentioned, changed=one.path in changed),
        )
        for one in ranked
    )


def pinned(
    question: Question, state: RepositoryState, listing: Listing, there: Container[str]
) -> tuple[ContextFile, ...]:
    """Gives the files the user wants sent that are not there already."""
    missing = [Ranked(path, 0.0, {}, (), ()) for path in question.pinned if path in listing.files and path not in there]
    found = with_summaries(question, question.task.query, missing, state, listing) if missing else ()
    return tuple(file._replace(why="pinned by the user") for file in found)


def pointers(question: Question, found: list[Ranked]) -> tuple[ContextFile, ...]:
    """Gives files that were not read yet: their contents count as not given, so that their summaries may follow."""
    words = query_words(question.task.query)
    return tuple(
        ContextFile(one, f"pointer:{one.path}", UNREAD, why_here(one, words, mentioned=False, changed=False))
        for one in found
    )


def _packs(question: Question) -> PackCache:
    return question.process.part(PackCache, lambda: PackCache(question.process))


def _key(question: Question, state: RepositoryState) -> PackKey:
    host = question.host_injects
    sources: list[Any] = [
        PACK_VERSION, question.process.version, host.agents_md, host.claude_md, question.accepted.digest,
        question.anchor_bytes, list(question.touched), question.task.query,
    ]  # fmt: skip
    return PackKey(
        workspace=question.workspace.key,
        task_fingerprint=question.task.fingerprint,
        changed_files_hash=state.changed_hash,
        head_commit=state.head or "",
        provider=question.provider,
        mode=question.mode,
        budget_profile=question.token_mode,
        sources=short_id(sources),
    )
