"""The part of a pack that all conversations about one task share: the anchor's lines and the task's files, cached."""

from collections.abc import Container, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from sidecar.call import Process
from sidecar.codebase import (
    TEST_WORDS,
    Listing,
    RankedFile,
    RankedRegion,
    Repository,
    RepositoryState,
    SearchedFile,
    Summary,
    choose_regions,
    content_identity,
    drop_unlikely,
    is_named_file,
    is_pointed_at,
    is_test,
    parts_of,
    paths_in,
    query_terms,
    query_words,
    search_contents,
    shown_bytes,
)
from sidecar.core.digests import short_id
from sidecar.core.lru_cache import LruCache
from sidecar.core.secret_formats import OWN_PATTERNS
from sidecar.core.text import count_noun, size
from sidecar.language.notes_block import REQUEST as NOTES_REQUEST
from sidecar.packs.anchor import LINKABLE_FILES, NO_ANCHOR, AcceptedRecords, Anchor, accepted_digest
from sidecar.packs.context_pack import (
    FAILING_SHARE,
    MAX_POINTERS,
    OTHERS_SHARE,
    ContextFile,
    ShownRegion,
    above_cutoff,
    comes_last,
    context_share,
    dominant_file,
    failing_tests,
    is_generated_file,
    known_file,
    near_best,
    reasons_for,
    sent_region,
    shown_region,
    with_evidence,
    with_recent_files,
)
from sidecar.packs.items_and_blocks import anchor_limit, has_notes_request, sendable_bytes
from sidecar.packs.model import HostInjects, TokenMode
from sidecar.packs.overrides import pinned_files
from sidecar.packs.pack_cache import CachedPack, PackKey
from sidecar.packs.request import PackRequest
from sidecar.packs.task import GENERAL_TERMS
from sidecar.runs import RecentFile, RecentWork, SessionContents, Task
from sidecar.runs.model import Provider, RunMode
from sidecar.workspace import Workspace

PACK_VERSION = 20
"""Part of the key: increment it when the content of a pack changes."""

REMEMBERED_CONVERSATIONS = 64

CANDIDATE_FILES, LIKELY_FILES, FEW_FILES = 16, 8, 3
"""Number of best files a pack may show besides those that the prompt names: for a long prompt, a short one, and one
with only one or two words that say what it is about. In recorded conversations 45 % of the shown files of the first two
places were used, 15 % of those below the eighth; but with eight files for long prompts, 0.555 of 200 changes with long
texts are shown whole, 0.570 with sixteen.
"""

RECENT_LEADERS, BEST_FILES = 8, 6
"""Number of files of earlier conversations whose best region is shown first; with any, number of pointers by score.

In recorded conversations 0.58 of the best eight files were used if earlier conversations had used them, else 0.17.
"""

RECENT_DEPTH, POINTER_BYTES = 80, 130
"""Number of best files among which the places of those of earlier conversations count; likely bytes of a pointer."""

MAX_LEADING_FILES = 3
"""Maximum number of files that lead because a first prompt names them: of more, most are frames of a stack trace."""

PARTIAL_FILES, UNINDEXED_FILES, OUTLINED_FILES = 10, 8, 3
"""While files are still being indexed: the same, those found without the index, and those split by line patterns."""

SHORT_WAIT_MS = 400
"""With less time for a cold repository, code that was found without its index is not searched for again."""

CONTENTS_SECONDS = 1.0
"""Maximum time of a search of contents without an index."""

DEFAULT_CONTEXT_BYTES = 12_288
FIRST_READ_MS = 40
"""Time for reading a few edited files; after it, files are searched with the index as it is."""


class PackQuery(NamedTuple):
    """Everything a task pack depends on; conversations with equal queries share the pack."""

    process: Process
    workspace: Workspace
    repository: Repository
    task: Task
    query: str
    """Query that ranks files."""
    work: RecentWork
    provider: Provider
    mode: RunMode
    token_mode: TokenMode
    host_injects: HostInjects
    accepted: AcceptedRecords
    anchor_bytes: int
    """Maximum bytes of the anchor's lines."""
    touched: tuple[str, ...]
    """Files that runs on this task changed: files near them are more likely to matter next."""
    recent: tuple[RecentFile, ...] = ()
    """Files of the project's last other conversations: a new one often goes on there."""
    pinned_paths: tuple[str, ...] = ()
    """Files the user pinned; they are not part of the shared pack."""
    context_bytes: int = DEFAULT_CONTEXT_BYTES
    """Maximum bytes of the code in a pack; a call may show less of it."""


class RecentQueries:
    """The latest query of each conversation in a workspace, for packs that are built between two calls."""

    def __init__(self) -> None:
        self._queries: LruCache[str, PackQuery] = LruCache(REMEMBERED_CONVERSATIONS)
        self.prefetches: LruCache[str, Future[None]] = LruCache(REMEMBERED_CONVERSATIONS)
        """The last prefetch of each conversation."""

    def put(self, sub_chat_id: str, pack_query: PackQuery) -> None:
        """Store a conversation's query; drop the conversation that has been idle longest."""
        self._queries.put(sub_chat_id, pack_query, 1)

    def get(self, sub_chat_id: str) -> PackQuery | None:
        """Return a conversation's latest query."""
        return self._queries.get(sub_chat_id)

    def latest(self, count: int) -> list[tuple[str, PackQuery]]:
        """Return the most recent conversations, newest first, each with its query."""
        return self._queries.items()[: -count - 1 : -1]


class PromptFiles(NamedTuple):
    """The files of a prompt alone, and the number of candidates that match less."""

    files: tuple[ContextFile, ...]
    weaker: int


class FoundFiles(NamedTuple):
    """The files of a prompt, and everything that they depend on."""

    depends_on: tuple[object, ...]
    files: PromptFiles


class TaskPack(NamedTuple):
    """A task's pack, and how it was built."""

    pack: CachedPack
    cache_hit: bool
    analyzed: int
    """Files that were read meanwhile."""
    complete: bool
    """False while files are still being indexed; such a pack is not cached."""
    anchor_is_complete: bool = True
    """False where a source of the anchor was unreadable; such a pack is not cached either."""


RunningSearch = Future[list[RankedFile]]
"""A search without an index, which runs while the repository's state is read."""


def finished(search: RunningSearch | None) -> list[RankedFile]:
    """Return the files that a search found; none while it runs."""
    return search.result() if search is not None and search.done() and not search.exception() else []


@dataclass
class PartialPack:
    """The finished parts of a pack that is being built; a call that runs out of time uses them."""

    anchor: Anchor = NO_ANCHOR
    files: tuple[ContextFile, ...] = ()
    """Files found so far, by path alone or, where contents were searched without an index, with code."""
    contents_search: RunningSearch | None = None
    """A search of contents that was started before the pack."""

    def as_pack(self) -> CachedPack:
        """Return the finished parts."""
        return CachedPack(self.anchor.lines, self.files, self.anchor.omitted)


def query_of_request(request: PackRequest) -> PackQuery:
    """Return the query of a request."""
    params, workspace, process = request.params, request.workspace, request.call.process
    budget = (request.settings, request.token_mode, params.max_new_bytes)
    request_bytes = size(NOTES_REQUEST) if has_notes_request(*budget) else 0
    return PackQuery(
        process=process,
        workspace=workspace,
        repository=workspace.slices.repository,
        task=request.task,
        query=request.query,
        work=request.work,
        provider=params.provider,
        mode=params.mode,
        token_mode=request.token_mode,
        host_injects=params.host_injects or HostInjects(),
        accepted=request.accepted,
        anchor_bytes=anchor_limit(request.token_mode, sendable_bytes(*budget)) - request_bytes,
        touched=request.touched,
        recent=request.recent,
        pinned_paths=pinned_files(request.overrides) if request.overrides else (),
        context_bytes=request.settings.context_bytes(request.token_mode),
    )


def cached_pack(pack_query: PackQuery, sub_chat_id: str, state: RepositoryState) -> TaskPack | None:
    """Return a recently used pack if no prefetch is running; never wait."""
    prefetch = pack_query.workspace.slices.packs.recent_queries.prefetches.get(sub_chat_id)
    if not pack_query.repository.is_indexed() or (prefetch is not None and not prefetch.done()):
        return None
    pack = pack_query.process.slices.packs.pack_cache.get_in_memory(_key(pack_query, state))
    return TaskPack(pack, cache_hit=True, analyzed=0, complete=True) if pack is not None else None


def get_task_pack(
    pack_query: PackQuery,
    state: RepositoryState,
    listing: Listing,
    wait_ms: float,
    partial_pack: PartialPack | None = None,
) -> TaskPack:
    """Return the pack from the cache, or build it within `wait_ms` and cache it.

    Parts that are ready early go into `partial_pack`.
    """
    cache = pack_query.process.slices.packs.pack_cache
    key = _key(pack_query, state)
    with cache.build_lock(key, wait_ms):
        cached = cache.get(key)
        if cached is not None:
            pack_query.repository.wait_for_index(listing, pack_query.process.indexing, 0)
            return TaskPack(cached, cache_hit=True, analyzed=0, complete=True)
        task_pack = _build(pack_query, state, listing, wait_ms, partial_pack or PartialPack())
        if task_pack.complete and task_pack.anchor_is_complete:
            cache.put(key, task_pack.pack, pack_query.process.clock.now_ms())
        return task_pack


def _build(
    pack_query: PackQuery, state: RepositoryState, listing: Listing, wait_ms: float, partial_pack: PartialPack
) -> TaskPack:
    anchors = pack_query.workspace.slices.packs.anchors
    pack_query = pack_query._replace(query=_without_unindexed(pack_query.query, listing))
    repository, indexing = pack_query.repository, pack_query.process.indexing
    was_indexed = repository.is_indexed()
    anchor_inputs = (pack_query.host_injects, pack_query.accepted, pack_query.anchor_bytes)
    partial_pack.anchor = anchors.lines(repository, state, listing, *anchor_inputs)
    analyzed, complete = repository.wait_for_index(listing, indexing, min(wait_ms, FIRST_READ_MS))
    waited_ms: float = FIRST_READ_MS
    matches: Sequence[RankedFile] = ()
    unindexed: Sequence[RankedFile] = ()
    while not complete:  # what is found meanwhile is ready at the deadline
        had_code, unindexed = bool(unindexed), finished(partial_pack.contents_search)
        if waited_ms >= wait_ms >= SHORT_WAIT_MS:
            break  # the last search follows
        matches = repository.find(pack_query.query, state, CANDIDATE_FILES, touched=pack_query.touched)
        if not had_code:
            early = [file for file in unindexed_first(matches, unindexed) if file.path in listing.searched]
            partial_pack.files = path_only_files(pack_query, early)
            if unindexed:
                partial_pack.files = with_early_regions(pack_query, pack_query.query, early, state, listing)
        if waited_ms >= wait_ms:
            break
        step_ms = min(wait_ms - waited_ms, max(FIRST_READ_MS, waited_ms / 2))
        newly_analyzed, complete = repository.wait_for_index(listing, indexing, step_ms)
        waited_ms, analyzed = waited_ms + step_ms, analyzed + newly_analyzed
    if complete and not was_indexed:  # dependencies and history are known now
        partial_pack.anchor = anchors.lines(repository, state, listing, *anchor_inputs)
    if not complete and unindexed and wait_ms < SHORT_WAIT_MS:
        files = partial_pack.files
    else:
        files, matches = _context_files(pack_query, state, listing, None if complete else unindexed)
    weaker = len(matches) - len(files)
    pack = CachedPack(partial_pack.anchor.lines, files, partial_pack.anchor.omitted, weaker)
    return TaskPack(
        pack, cache_hit=False, analyzed=analyzed, complete=complete, anchor_is_complete=partial_pack.anchor.is_complete
    )


def _context_files(
    pack_query: PackQuery, state: RepositoryState, listing: Listing, unindexed: Sequence[RankedFile] | None
) -> tuple[tuple[ContextFile, ...], Sequence[RankedFile]]:
    """Return the context's files, and all candidates; `unindexed` are files found without the unfinished index."""
    specific = _specific_terms(pack_query, pack_query.query)
    has_subject = bool(specific or pack_query.touched or unindexed)
    recent = [file for file in pack_query.recent if file.path in listing.searched]
    if not (has_subject or recent):
        return (), ()
    depth = RECENT_DEPTH if recent else CANDIDATE_FILES
    found = pack_query.repository.find(pack_query.query, state, depth, touched=pack_query.touched)
    matches = found[:CANDIDATE_FILES] if has_subject else []
    is_specific = context_share(pack_query.query, specific) == 1.0
    likely = _likely(matches, _most_files(pack_query.query) if is_specific else FEW_FILES)
    ranked = above_cutoff(with_evidence(drop_unlikely(likely), specific, by_commits=is_specific))
    if unindexed is None:
        ranked, again = with_recent_files(ranked, found if has_subject else (), recent)
        return with_regions(pack_query, pack_query.query, ranked, state, listing, again=again), matches
    early = unindexed_first(ranked, unindexed)
    return with_early_regions(pack_query, pack_query.query, early, state, listing), matches


def _most_files(query: str) -> int:
    is_long = len(parts_of(query).searched) > 1
    return CANDIDATE_FILES if is_long else LIKELY_FILES


def _likely(matches: Sequence[RankedFile], limit: int) -> list[RankedFile]:
    """Return the best files, and the others that the prompt names."""
    return [file for rank, file in enumerate(matches) if rank < limit or is_named_file(file)]


def unindexed_first(ranked: Sequence[RankedFile], unindexed: Sequence[RankedFile]) -> list[RankedFile]:
    """Put the files found without an index after those that the prompt names, before what an unfinished index finds."""
    named = [file for file in ranked if is_named_file(file)]
    paths = {file.path for file in named}
    found = [file for file in unindexed if file.path not in paths]
    paths.update(file.path for file in found)
    return [*named, *found, *(file for file in ranked if file.path not in paths)]


def _without_unindexed(query: str, listing: Listing) -> str:
    """Remove the paths of files that are not indexed: their words say nothing about others."""
    for path in paths_in(query) if listing.unindexed else ():
        if path in listing.unindexed:
            query = query.replace(path, " ")
    return query


def _specific_terms(pack_query: PackQuery, query: str) -> frozenset[str]:
    """Return the words by which a query says what it is about: few files contain them."""
    terms = [term for term in query_terms(query) if term not in GENERAL_TERMS]
    return pack_query.repository.specific_terms(terms)


def with_regions(
    pack_query: PackQuery,
    query: str,
    ranked: list[RankedFile],
    state: RepositoryState,
    listing: Listing,
    *,
    mentioned: frozenset[str] = frozenset(),
    known: SessionContents | None = None,
    again: Sequence[str] = (),
) -> tuple[ContextFile, ...]:
    """Return the ranked files with the regions to show, then files to point at; omit a file that no longer exists.

    `again` are files of earlier conversations that this one is likely to use.
    """
    summaries = pack_query.repository.summaries(_contents(ranked, listing))
    present = [ranked_file for ranked_file in ranked if ranked_file.path in summaries]
    return _files(pack_query, query, present, summaries, state, listing, mentioned, known, again)


def with_early_regions(
    pack_query: PackQuery, query: str, ranked: list[RankedFile], state: RepositoryState, listing: Listing
) -> tuple[ContextFile, ...]:
    """Return the ranked files with regions, while files are still being indexed.

    The first ones without a summary are split by line patterns: to build a summary here could delay the call past its
    deadline, because the first file of a language loads its grammar.
    """
    present = [ranked_file for ranked_file in ranked if ranked_file.path in listing.searched]
    contents = _contents(present[:PARTIAL_FILES], listing)
    summaries = pack_query.repository.cached_summaries(contents)
    missing = [path for path in contents if path not in summaries][:OUTLINED_FILES]
    summaries |= pack_query.repository.outlines({path: contents[path] for path in missing})
    return _files(pack_query, query, present, summaries, state, listing, frozenset(), None)


def _contents(ranked: list[RankedFile], listing: Listing) -> dict[str, str]:
    contents = ((ranked_file.path, listing.content_of(ranked_file.path)) for ranked_file in ranked)
    return {path: content for path, content in contents if content is not None}


def _files(
    pack_query: PackQuery,
    query: str,
    ranked: list[RankedFile],
    summaries: Mapping[str, Summary],
    state: RepositoryState,
    listing: Listing,
    mentioned: frozenset[str],
    known: SessionContents | None,
    again: Sequence[str] = (),
) -> tuple[ContextFile, ...]:
    """The files with regions, and near the best one those without. A file without a summary is only pointed at."""
    changed = {file.path for file in state.all_changed} if state.kind == "git" else set()
    words = query_words(query)
    names_test = any(is_named_file(file) and is_test(file.path) for file in ranked)
    wants_tests = not names_test and not TEST_WORDS.isdisjoint(words)
    contents = _contents(ranked, listing)
    ranked = [file for file in ranked if is_named_file(file) or not _is_unreadable(summaries.get(file.path))]
    failing = failing_tests(ranked, words.keys())
    regions = _regions(pack_query, query, ranked, summaries, contents, known, failing, again)
    near = near_best(ranked[:BEST_FILES] if again else ranked)
    pointed = {*(ranked_file.path for ranked_file in near), *mentioned, *again}
    chosen = (ranked_file for ranked_file in ranked if ranked_file.path in regions or ranked_file.path in pointed)
    return tuple(
        ContextFile(
            ranked_file,
            contents[ranked_file.path] if ranked_file.path in summaries else f"pointer:{ranked_file.path}",
            _purpose(summaries[ranked_file.path]) if ranked_file.path in summaries else "",
            reasons_for(
                ranked_file, words, mentioned=ranked_file.path in mentioned, changed=ranked_file.path in changed
            ),
            tuple(regions.get(ranked_file.path, ())),
            comes_last(
                ranked_file,
                summaries.get(ranked_file.path),
                wants_tests=wants_tests,
                is_failing=ranked_file.path in failing,
            ),
        )
        for ranked_file in chosen
    )


def _regions(
    pack_query: PackQuery,
    query: str,
    ranked: list[RankedFile],
    summaries: Mapping[str, Summary],
    contents: Mapping[str, str],
    known: SessionContents | None,
    failing: frozenset[str],
    again: Sequence[str],
) -> dict[str, list[ShownRegion]]:
    """Return the regions to show of each file, chosen among all files within the context's bytes.

    With `known`, the contents of a session, a file that the prompt names comes with something that the session lacks.
    The best regions of a few named files come first. Of failing tests only the places that the prompt names are shown.
    """
    repository = pack_query.repository
    searched = [
        SearchedFile(file, contents[file.path], summaries[file.path])
        for file in ranked
        if file.path in summaries and (not is_generated_file(file.path, summaries[file.path]) or is_named_file(file))
    ]
    found_regions: Sequence[RankedRegion] = repository.regions(query, searched)
    already_sent = _already_sent(repository, found_regions, contents, known) if known is not None else frozenset()
    named = {file.path for file in ranked if is_named_file(file)} - failing
    if again:
        found_regions = _named_first(found_regions, again[:RECENT_LEADERS], already_sent)
    if known is not None or len(named) <= MAX_LEADING_FILES:
        found_regions = _named_first(found_regions, named, already_sent)
    share = context_share(query, _specific_terms(pack_query, query))
    left = int(pack_query.context_bytes * share) - POINTER_BYTES * min(len(again), MAX_POINTERS)
    tests = [region for region in found_regions if region.path in failing and is_pointed_at(region)]
    lines_of_tests = choose_regions(tests, int(left * FAILING_SHARE), already_sent)
    left -= sum(shown_bytes(region) for region in lines_of_tests)
    if failing:
        found_regions = [region for region in found_regions if region.path not in failing]
    chosen = [*lines_of_tests, *_chosen_regions(found_regions, left, already_sent, dominant_file(ranked))]
    regions: dict[str, list[ShownRegion]] = {}
    for order, region in enumerate(chosen):
        found = repository.region_lines(region, contents[region.path])
        if found is not None:
            regions.setdefault(region.path, []).append(shown_region(order, found))
    return regions


def _chosen_regions(
    found: Sequence[RankedRegion], context_bytes: int, already_sent: Container[tuple[str, int]], dominant: str | None
) -> list[RankedRegion]:
    """Choose regions within the context's bytes; beside a dominant file, the others have a part of them."""
    if dominant is None:
        return choose_regions(found, context_bytes, already_sent)
    own = choose_regions([region for region in found if region.path == dominant], context_bytes, already_sent)
    used = sum(shown_bytes(region) for region in own if (region.path, region.region.first) not in already_sent)
    left = min(context_bytes - used, int(context_bytes * OTHERS_SHARE))
    others = choose_regions([region for region in found if region.path != dominant], left, already_sent)
    chosen = {(region.path, region.region) for region in (*own, *others)}
    return [region for region in found if (region.path, region.region) in chosen]


def _already_sent(
    repository: Repository, regions: Sequence[RankedRegion], contents: Mapping[str, str], known: SessionContents
) -> frozenset[tuple[str, int]]:
    """Return path and first line of the regions that a session has."""
    files = {region.path: known_file(known, region.path) for region in regions}
    places = set()
    for region in regions:
        entry = files[region.path]
        if entry is None or entry.is_pointer:
            continue
        is_whole = bool(entry.content) and entry.content == content_identity(contents[region.path])
        found = None if is_whole else repository.region_lines(region, contents[region.path])
        if is_whole or (found is not None and sent_region(found) in entry.regions):
            places.add((region.path, region.region.first))
    return frozenset(places)


def _named_first(
    regions: Sequence[RankedRegion], named: Container[str], already_sent: Container[tuple[str, int]]
) -> list[RankedRegion]:
    """Put the best region that a session lacks of each named file before the others."""
    leaders: dict[str, RankedRegion] = {}
    for region in regions:
        if region.path in named and (region.path, region.region.first) not in already_sent:
            leaders.setdefault(region.path, region)
    first = list(leaders.values())
    return [*first, *(region for region in regions if leaders.get(region.path) is not region)]


def _purpose(summary: Summary) -> str:
    """Return a file's stated purpose; of a file too large to be analysed, its number of lines."""
    return (
        count_noun(summary.lines, "line") if summary.analysis == "large" and summary.lines else summary.stated_purpose
    )


def _is_unreadable(summary: Summary | None) -> bool:
    """Whether a file's content shows that nobody reads it: minified, or a recorded chat."""
    return summary is not None and summary.analysis in ("minified", "recordedChat")


def pinned_context_files(
    pack_query: PackQuery, state: RepositoryState, listing: Listing, present: Container[str]
) -> tuple[ContextFile, ...]:
    """Return the pinned files that are not in the pack yet."""
    missing = [
        RankedFile(path, 0.0, {}, (), ())
        for path in pack_query.pinned_paths
        if path in listing.searched and path not in present
    ]
    files = with_regions(pack_query, pack_query.query, missing, state, listing) if missing else ()
    return tuple(file._replace(why="pinned by the user") for file in files)


def start_contents_search(pack_query: PackQuery, pool: ThreadPoolExecutor) -> RunningSearch | None:
    """Start to search contents without an index, if the repository has none and the prompt says what it is about.

    It runs while the repository's state is read, because the time after that is short.
    """
    if not pack_query.repository.is_cold():
        return None
    if all(term in GENERAL_TERMS for term in query_terms(pack_query.query)):
        return None
    cwd = pack_query.workspace.cwd
    return pool.submit(search_contents, cwd, pack_query.query, UNINDEXED_FILES, CONTENTS_SECONDS)


def path_only_files(pack_query: PackQuery, ranked: list[RankedFile]) -> tuple[ContextFile, ...]:
    """Return files by path alone: their contents count as not delivered, so that their summaries may follow."""
    words = query_words(pack_query.query)
    return tuple(
        ContextFile(
            ranked_file,
            f"pointer:{ranked_file.path}",
            "",
            reasons_for(ranked_file, words, mentioned=False, changed=False),
        )
        for ranked_file in ranked
    )


def _key(pack_query: PackQuery, state: RepositoryState) -> PackKey:
    host = pack_query.host_injects
    sources: list[Any] = [
        PACK_VERSION, pack_query.process.version, host.agents_md, host.claude_md, accepted_digest(pack_query.accepted),
        pack_query.anchor_bytes, list(pack_query.touched), pack_query.query, pack_query.context_bytes,
        [(file.path, file.conversations, file.is_edited) for file in pack_query.recent],
        *pack_query.repository.texts_above(LINKABLE_FILES, state).items(), *OWN_PATTERNS.texts,
    ]  # fmt: skip
    return PackKey(
        workspace=pack_query.workspace.key,
        task_fingerprint=pack_query.task.fingerprint,
        changed_files_hash=state.changed_hash,
        head_commit=state.head or "",
        provider=pack_query.provider,
        mode=pack_query.mode,
        budget_profile=pack_query.token_mode,
        sources=short_id(sources),
    )
