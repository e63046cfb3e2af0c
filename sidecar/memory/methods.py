"""`memory/add|get|list|search|update|delete|restore|status|rebuild`, and the list of all memory methods."""

from collections.abc import Iterable, Mapping, Sequence

from sidecar.call import Call
from sidecar.core.errors import (
    Busy,
    Conflict,
    InvalidParams,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    WorkspaceUnavailable,
)
from sidecar.core.yaml_documents import Value
from sidecar.memory import decay, user_decisions
from sidecar.memory import serialize as detail_levels
from sidecar.memory import upkeep as maintain_methods
from sidecar.memory.access_control import memory_not_found, require_user_approval
from sidecar.memory.call_scope import MemoryContext, memory_context
from sidecar.memory.capture import methods as capture
from sidecar.memory.entry import SECTOR_OF_TYPE
from sidecar.memory.files.document import Edit
from sidecar.memory.files.front_matter import parse_time_ms
from sidecar.memory.files.layout import OWNERS, unarchived_path
from sidecar.memory.index import RefreshResult, write_index_file
from sidecar.memory.indexed_text import significant_terms
from sidecar.memory.memory_search import MemoryHit
from sidecar.memory.memory_search import search as search_memories
from sidecar.memory.model import (
    MemoryAddParams,
    MemoryCount,
    MemoryDeleteParams,
    MemoryDeleteResult,
    MemoryDetail,
    MemoryFactors,
    MemoryGetParams,
    MemoryIdParams,
    MemoryIndexState,
    MemoryListParams,
    MemoryListResult,
    MemoryMatch,
    MemoryParams,
    MemoryRebuildResult,
    MemorySearchParams,
    MemorySearchResult,
    MemoryStatusParams,
    MemoryStatusResult,
    MemoryUpdateParams,
    MemoryWarning,
)
from sidecar.memory.serialize import RenderedMemory, memory_detail, memory_summary, memory_warning
from sidecar.memory.store import entries, entry_queries
from sidecar.memory.store.entry_queries import EntryFilter, SearchFilters
from sidecar.memory.writer import NewMemory, front_matter_time
from sidecar.method import Lane, method

WIDER = 4
"""With a token budget, this many times the limit are considered: many small memories may fit."""
SCORE_DIGITS = 6


def search(call: Call, params: MemorySearchParams) -> MemorySearchResult:
    """Find the memories that answer a question or bear on a task, and explain each score.

    A search does not count as access.
    """
    text = params.query or params.task or ""
    if not text.strip():
        raise InvalidParams("The query is empty.", hint="Send a `query` or a `task`.")
    filters = _filters(params)
    ctx = memory_context(call, params)
    ctx.refresh()
    reach = ctx.reach._replace(agent=params.agent or ctx.reach.agent)
    max_matches = params.limit * (WIDER if params.token_budget is not None else 1)
    with call.database.read() as tx:
        matches = search_memories(tx, ctx.workspace.project_key, reach, text, filters, max_matches, call.now_ms())
        ids = [match.entry.memory.id for match in matches]
        superseding = entries.superseding_ids(tx, ctx.workspace.project_key, ctx.reach.owners, ids)
    terms = significant_terms(text)
    rendered = [_render_match(match, params.level, terms) for match in matches]
    chosen = _fit_budget(matches, rendered, params)
    memories = [_memory_match(matches[position], rendered[position], params.level, superseding) for position in chosen]
    return MemorySearchResult(
        memories=memories,
        rendered_tokens=sum(match.rendered_tokens for match in memories),
        omitted=min(len(matches), params.limit) - len(memories) if len(memories) < params.limit else 0,
    )


def _filters(params: MemorySearchParams) -> SearchFilters:
    since = parse_time_ms(params.since) if params.since is not None else None
    if params.since is not None and since is None:
        raise InvalidParams("`since` is not a valid time.", hint="Example: 2026-03-01T09:30:00Z.")
    return SearchFilters(tuple(params.types), tuple(params.sectors), tuple(params.tags), since, params.archived)


def _render_match(match: MemoryHit, level: detail_levels.Level, terms: Sequence[str]) -> RenderedMemory:
    memory = match.entry.memory
    return detail_levels.render_memory(level, memory.title, memory.tags, memory.text, terms)


def _fit_budget(
    matches: Sequence[MemoryHit], rendered: Sequence[RenderedMemory], params: MemorySearchParams
) -> list[int]:
    if params.token_budget is None:
        return list(range(len(matches)))
    fitting = detail_levels.pack(
        [match.score for match in matches], [memory.tokens for memory in rendered], params.token_budget
    )
    return fitting[: params.limit]


def _memory_match(
    match: MemoryHit, rendered: RenderedMemory, level: detail_levels.Level, superseding: Mapping[str, list[str]]
) -> MemoryMatch:
    return MemoryMatch(
        **dict(memory_summary(match.entry, superseding)),
        text=None if level == "metadata" else rendered.text,
        complete=rendered.is_complete,
        rendered_tokens=rendered.tokens,
        score=round(match.score, SCORE_DIGITS),
        factors=MemoryFactors(**match.factors._asdict()),
        reasons=match.reasons,
    )


def add(call: Call, params: MemoryAddParams) -> MemoryDetail:
    """Store a memory as a Markdown file below `.chati/memories`, a folder that git ignores.

    Secrets are masked before anything is written; text between `<private>` tags is never written.
    """
    ctx = memory_context(call, params)
    retention = params.retention or ("daily" if ctx.reach.agent else "durable")
    require_user_approval(ctx.reach, retention)
    now = front_matter_time(call.now_ms())
    facts: dict[str, Value] = {
        "type": params.type,
        **({"agent": ctx.reach.agent} if ctx.reach.agent else {}),
        **({"author": params.author} if params.author else {}),
        "tags": params.tags,
        "confidence": params.confidence,
        "sector": params.sector or SECTOR_OF_TYPE[params.type],
        "tier": _tier(call, params),
        "access_count": 0,
        "evidence_count": 1,
        **({"session": params.session_id} if params.session_id else {}),
        "created_at": now,
    }
    memory = ctx.writer(call).add(NewMemory(params.owner, retention, params.title, params.text, facts))
    return _memory_detail(call, ctx, memory.id)


def _tier(call: Call, params: MemoryAddParams) -> str:
    sector = params.sector or SECTOR_OF_TYPE[params.type]
    score_inputs = decay.ScoreInputs(sector, params.confidence, 1, 0, call.now_ms())
    return decay.tier(score_inputs, call.now_ms())


def get(call: Call, params: MemoryGetParams) -> MemoryDetail:
    """Return a memory with its whole text; reading by an agent counts as access, once per provider session."""
    ctx = memory_context(call, params)
    ctx.refresh()
    detail_result = _memory_detail(call, ctx, params.id)
    session = params.session_id or ctx.reach.session
    if not session:
        return detail_result
    writer = ctx.writer(call)
    writer.record_opening(writer.find(params.id).memory, session)
    return _memory_detail(call, ctx, params.id)


def list_memories(call: Call, params: MemoryListParams) -> MemoryListResult:
    """List memories within reach, newest first, page by page."""
    ctx = memory_context(call, params)
    ctx.refresh()
    entry_filter = EntryFilter(
        owner=params.owner,
        retention=params.retention,
        tier=params.tier,
        type=params.type,
        sector=params.sector,
        agent=params.agent,
        tag=params.tag,
        session=params.session_id,
        is_archived=params.archived,
    )
    scope = ctx.workspace.project_key, ctx.reach.owners, entry_filter
    with call.database.read() as tx:
        rows = entry_queries.list_entries(tx, *scope, params.offset, params.limit)
        total = entry_queries.count_entries(tx, *scope)
        superseding = entries.superseding_ids(tx, *scope[:2], [row.memory.id for row in rows])
    return MemoryListResult(memories=[memory_summary(row, superseding) for row in rows], total=total)


def update(call: Call, params: MemoryUpdateParams) -> MemoryDetail:
    """Change a memory in its file; comments, unknown keys and everything else the user wrote there stay unchanged."""
    ctx = memory_context(call, params)
    require_user_approval(ctx.reach, params.retention)
    changed_fields = params.model_dump(include={"type", "sector", "tags", "confidence"}, exclude_none=True)
    writer = ctx.writer(call)
    memory = writer.update(params.id, params.version, Edit(changed_fields, params.title, params.text))
    if params.retention and params.retention != memory.retention:
        writer.make_durable(memory.id)
    return _memory_detail(call, ctx, params.id)


def delete(call: Call, params: MemoryDeleteParams) -> MemoryDeleteResult:
    """Permanently delete a memory: its file, or its section of a group file. The same content is not captured again."""
    memory = memory_context(call, params).writer(call).delete(params.id, params.version)
    return MemoryDeleteResult(id=memory.id)


def restore(call: Call, params: MemoryIdParams) -> MemoryDetail:
    """Move an archived memory's file back to its original place."""
    ctx = memory_context(call, params)
    ctx.writer(call).restore(params.id)
    return _memory_detail(call, ctx, params.id)


def status(call: Call, params: MemoryStatusParams) -> MemoryStatusResult:
    """Count the memories within reach by owner, retention and tier, and report the last capture and its drops.

    Every drop is counted by reason, and so is what active mode would have stored.
    """
    ctx = memory_context(call, params)
    exists = ctx.index.folder.exists()
    refreshed = ctx.refresh()
    project, owners = ctx.workspace.project_key, ctx.reach.owners
    with call.database.read() as tx:
        counts = entry_queries.count_by_owner(tx, project, owners)
        files = entry_queries.files_within(tx, project, owners)
        capture_state = capture.capture_state(tx, project, owners)
        active, claimed = user_decisions.instruction_lists(tx, project)
        is_listed = params.near_misses and params.token is None
        near_misses = capture.last_near_misses(tx, project, call.now_ms()) if is_listed else None
    return MemoryStatusResult(
        folder=ctx.index.folder.root,
        present=exists,
        memories=sum(row.memories for row in counts),
        counts=[MemoryCount(**row.wire_fields()) for row in counts],
        index=MemoryIndexState(
            files=files, changed=_count_within(ctx, refreshed.changed), removed=_count_within(ctx, refreshed.removed)
        ),
        capture=capture_state,
        near_misses=near_misses,
        upkeep=maintain_methods.last_upkeep(call, project),
        standing_instructions=active,
        unconfirmed=claimed,
        warnings=_warnings(call, ctx, refreshed),
    )


def rebuild(call: Call, params: MemoryParams) -> MemoryRebuildResult:
    """Rebuild the index and `index.json` from the files, which are the source of truth."""
    ctx = memory_context(call, params)
    refreshed = ctx.index.rebuild()
    if ctx.index.folder.exists():
        write_index_file(ctx.index)
    with call.database.read() as tx:
        files = entry_queries.files_within(tx, ctx.workspace.project_key, ctx.reach.owners)
    return MemoryRebuildResult(files=files, warnings=_warnings(call, ctx, refreshed))


def _memory_detail(call: Call, ctx: MemoryContext, memory_id: str) -> MemoryDetail:
    project = ctx.workspace.project_key
    with call.database.read() as tx:
        matches = entries.entries_with_id(tx, project, memory_id, ctx.reach.owners)
        files = entries.files_at(tx, project, [match.memory.path for match in matches[:1]])
        linked_ids = entries.linked_ids(tx, project, matches[0].memory, ctx.reach.owners) if matches else ()
        superseding = entries.superseding_ids(tx, project, ctx.reach.owners, [memory_id])
    if not matches:
        raise memory_not_found()
    return memory_detail(matches[0], files[0].warning if files else "", linked_ids, superseding)


def _warnings(call: Call, ctx: MemoryContext, refreshed: RefreshResult) -> list[MemoryWarning]:
    """Return warnings about files and folders within reach."""
    with call.database.read() as tx:
        file_warnings = entry_queries.warnings(tx, ctx.workspace.project_key)
        repeated_ids = entry_queries.duplicate_ids(tx, ctx.workspace.project_key, ctx.reach.owners)
    warnings = [
        *refreshed.warnings,
        *file_warnings,
        *((path, f"Another memory also has the id {memory_id}.") for path, memory_id in repeated_ids),
    ]
    return [
        memory_warning(path, sentence)
        for path, sentence in warnings
        if (owner := _owner(path)) in ctx.reach.owners or owner not in OWNERS
    ]


def _count_within(ctx: MemoryContext, paths: Iterable[str]) -> int:
    """Count the files within reach."""
    return sum(_owner(path) in ctx.reach.owners for path in paths)


def _owner(path: str) -> str:
    return unarchived_path(path).partition("/")[0]


_READING: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded)
_WRITING: tuple[type[SidecarError], ...] = (*_READING, Busy)

METHODS = (
    method("memory/add", add, lane=Lane.WORKSPACE, errors=(*_WRITING, InvalidParams, Conflict)),
    method("memory/get", get, lane=Lane.WORKSPACE, errors=(*_WRITING, NotFound)),
    method("memory/list", list_memories, lane=Lane.SHARED, errors=_READING),
    method("memory/search", search, lane=Lane.SHARED, errors=(*_READING, InvalidParams)),
    method("memory/update", update, lane=Lane.WORKSPACE, errors=(*_WRITING, NotFound, Conflict)),
    method("memory/delete", delete, lane=Lane.WORKSPACE, errors=(*_WRITING, NotFound, Conflict)),
    method("memory/restore", restore, lane=Lane.WORKSPACE, errors=(*_WRITING, NotFound, Conflict)),
    method("memory/status", status, lane=Lane.SHARED, errors=_READING),
    method("memory/rebuild", rebuild, lane=Lane.WORKSPACE, errors=_WRITING),
    *capture.METHODS,
    *maintain_methods.METHODS,
    *user_decisions.METHODS,
)
