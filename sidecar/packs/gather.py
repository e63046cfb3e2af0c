"""Everything a pre-run asks of the repository, within its deadline; what is late or fails is named, never fatal."""

import os
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

from sidecar.call import Call
from sidecar.codebase import (
    Listing,
    Moved,
    Ranked,
    Repository,
    RepositoryState,
    StateFailed,
    repository_of,
)
from sidecar.core.clock import Deadline
from sidecar.core.digests import short_id
from sidecar.packs.anchor import ANCHOR_BYTES, anchor_lines
from sidecar.packs.context import ContextFile, why_here
from sidecar.packs.delta import MAX_COMMITS, Differences
from sidecar.packs.model import PreRunParams, TokenMode, Trimmed
from sidecar.packs.sources import gather_sources, source_paths
from sidecar.packs.store import PACK_VERSION, CachedPack, PackCache, PackKey
from sidecar.runs import Known, Task, artifacts
from sidecar.workspace import Workspace

CONTEXT_FILES = 24
FOLLOW_UP_FILES = 6
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
    pack: CachedPack = CachedPack((), ())
    extra: tuple[ContextFile, ...] = ()
    """Files of this call alone: mentioned, or found by a follow-up's own words."""
    differences: Differences = Differences({}, {})
    moved: Moved | None = None
    cache_hit: bool = False
    file_hits: int = 0
    file_misses: int = 0
    late: bool = False
    """Whether even the repository's state came too late."""
    partial: bool = False
    omissions: list[Trimmed] = field(default_factory=list)


@dataclass(frozen=True)
class Question:
    """What a call is about, for those who gather."""

    call: Call
    params: PreRunParams
    workspace: Workspace
    repository: Repository
    task: Task
    task_is_new: bool
    token_mode: TokenMode
    rejected: tuple[str, ...]


def ask(call: Call, params: PreRunParams, workspace: Workspace, task: Task, is_new: bool, mode: TokenMode) -> Question:
    """Puts together what the gatherers need."""
    with call.database.read() as tx:
        accepted = artifacts.listed(tx, workspace.project_key, "accepted", "rejectedApproach", 12)
    rejected = tuple(sorted(artifact.title for artifact in accepted))
    repository = repository_of(workspace, call.process)
    return Question(call, params, workspace, repository, task, is_new, mode, rejected)


def gather(question: Question, known: Known, deadline: Deadline) -> Gathered:
    """Looks at the repository, then at its differences and its files side by side, as long as there is time."""
    gathered = Gathered()
    pool = question.call.process.background
    clock = question.call.process.clock

    def left_seconds() -> float:
        return max(0.0, deadline.left_ms(clock) - ANSWER_MS) / 1000

    look = pool.submit(_look, question.repository)
    wait((look,), timeout=left_seconds())
    if not look.done():
        gathered.late = gathered.partial = True
        return gathered
    try:
        gathered.state, listing = look.result()
    except StateFailed as error:
        gathered.omissions.append(Trimmed(item="repository", reason=error.reason))
        return gathered
    changes = pool.submit(_changes, question.repository, gathered.state, known)
    packing = pool.submit(_pack, question, gathered.state, listing, left_seconds() * INDEX_SHARE)
    wait((changes,), timeout=left_seconds())
    wait((packing,), timeout=left_seconds())
    _take_changes(gathered, changes)
    _take_pack(gathered, packing)
    return gathered


def _look(repository: Repository) -> tuple[RepositoryState, Listing]:
    state = repository.state()
    return state, repository.listing(state)


def _changes(repository: Repository, state: RepositoryState, known: Known) -> tuple[Differences, Moved | None]:
    diffs = repository.diffs(state)
    untracked = [file.path for file in state.changed if file.kind == "untracked"] if state.kind == "git" else []
    texts = {path: text for path in untracked[:MAX_NEW_FILES] if (text := repository.new_file(path)) is not None}
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


def _take_pack(gathered: Gathered, packing: "Future[_Packed]") -> None:
    if not packing.done():
        gathered.partial = True
        gathered.omissions.append(Trimmed(item="context", reason="deadline"))
        return
    packed = packing.result()
    gathered.pack, gathered.extra, gathered.cache_hit = packed.pack, packed.extra, packed.cache_hit
    gathered.file_hits, gathered.file_misses = packed.file_hits, packed.file_misses
    gathered.omissions.extend(packed.omissions)
    gathered.partial |= packed.partial


@dataclass
class _Packed:
    pack: CachedPack
    extra: tuple[ContextFile, ...] = ()
    cache_hit: bool = False
    file_hits: int = 0
    file_misses: int = 0
    partial: bool = False
    omissions: list[Trimmed] = field(default_factory=list)


def _pack(question: Question, state: RepositoryState, listing: Listing, wait_seconds: float) -> _Packed:
    """The shared pack of the task, from the cache or made now, and the files of this call alone."""
    process = question.call.process
    cache = process.part(PackCache, lambda: PackCache(process))
    key = _key(question, state, listing)
    cached = cache.get(key)
    analysed, complete = question.repository.wait_for_index(listing, process.indexing, wait_seconds * 1000)
    packed = _Packed(cached or CachedPack((), ()), cache_hit=cached is not None)
    if cached is None:
        files = _chosen(
            question, question.repository.find(question.task.query, state, [], CONTEXT_FILES), state, listing
        )
        packed.pack = CachedPack(tuple(_anchor(question, listing)), files)
        if complete:
            cache.put(key, packed.pack, question.call.now_ms())
    packed.extra = _extra(question, state, listing, packed)
    shown = len(packed.pack.files) + len(packed.extra)
    packed.file_misses = min(analysed, shown) if cached is None else 0
    packed.file_hits = shown - packed.file_misses
    if not complete and cached is None:
        packed.partial = True
        packed.omissions.append(Trimmed(item="context", reason="files are still being read"))
    if listing.cut_at is not None:
        reason = f"only the first {len(listing.files)} of {listing.cut_at} files are looked at"
        packed.omissions.append(Trimmed(item="context", reason=reason))
    return packed


def _key(question: Question, state: RepositoryState, listing: Listing) -> PackKey:
    host = question.params.host_injects
    sources: list[Any] = [
        PACK_VERSION,
        question.call.process.version,
        [host.agents_md, host.claude_md] if host else [False, False],
        list(question.rejected),
    ]
    return PackKey(
        workspace=question.workspace.key,
        task_fingerprint=question.task.fingerprint,
        changed_files_hash=state.changed_hash,
        head_commit=state.head or "",
        provider=question.params.provider,
        mode=question.params.mode,
        budget_profile=question.token_mode,
        sources=short_id(sources),
    )


def _anchor(question: Question, listing: Listing) -> list[str]:
    paths = list(listing.files)
    texts = question.repository.texts({path: listing.files[path] for path in source_paths(paths)})
    sources = gather_sources(paths, texts.get, question.params.host_injects, question.rejected)
    return anchor_lines(sources, ANCHOR_BYTES[question.token_mode])


def _chosen(
    question: Question,
    ranked: list[Ranked],
    state: RepositoryState,
    listing: Listing,
    mentioned: frozenset[str] = frozenset(),
) -> tuple[ContextFile, ...]:
    """Gives the ranked files with their summaries; one that is gone meanwhile is left out."""
    changed = {file.path for file in state.changed} if state.kind == "git" else set()
    files = []
    for one in ranked:
        content = listing.files.get(one.path)
        summary = question.repository.summary(one.path, content) if content is not None else None
        if content is not None and summary is not None:
            why = why_here(one, one.path in mentioned, one.path in changed)
            files.append(ContextFile(one, content, summary, why))
    return tuple(files)


def _extra(question: Question, state: RepositoryState, listing: Listing, packed: _Packed) -> tuple[ContextFile, ...]:
    """The files this prompt alone asks for: mentioned ones, and a follow-up's own best hits."""
    mentioned, outside = _mentioned(question, listing)
    packed.omissions.extend(Trimmed(item=path[:200], reason="outside the workspace or not shown") for path in outside)
    if not mentioned and question.task_is_new:
        return ()
    found = question.repository.find(question.params.prompt, state, sorted(mentioned), FOLLOW_UP_FILES + len(mentioned))
    shared = {file.ranked.path for file in packed.pack.files}
    wanted = [one for one in found if one.path in mentioned or one.path not in shared]
    return _chosen(question, wanted, state, listing, frozenset(mentioned))


def _mentioned(question: Question, listing: Listing) -> tuple[set[str], list[str]]:
    """The mentioned files that exist here and may be shown, and the mentions that lead nowhere."""
    mentions = question.params.mentions
    if mentions is None:
        return set(), []
    found: set[str] = set()
    nowhere: list[str] = []
    for path in mentions.files:
        relative = _relative(question, path)
        if relative in listing.files:
            found.add(relative)
        else:
            nowhere.append(path)
    for path in mentions.folders:
        relative = _relative(question, path).rstrip("/") + "/"
        inside = sorted(name for name in listing.files if name.startswith(relative))[:FOLDER_FILES]
        found.update(inside)
        if not inside:
            nowhere.append(path)
    return found, nowhere


def _relative(question: Question, path: str) -> str:
    """Gives a mentioned path relative to the workspace; one that leads out of it matches nothing."""
    if not os.path.isabs(path):
        return os.path.normpath(path).replace("\\", "/")
    given, real = os.path.normpath(path), os.path.realpath(os.path.dirname(path))
    for candidate in (given, os.path.join(real, os.path.basename(path))):
        for root in (question.params.cwd, str(question.workspace.cwd)):
            if candidate.startswith(os.path.join(root, "")):
                return os.path.relpath(candidate, root).replace("\\", "/")
    return given
