"""`memory/add|get|list|search|update|delete|restore|status|rebuild|capture`, and the list of all memory methods."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

import apsw

from sidecar.call import Call
from sidecar.core.clock import epoch_ms, parse_time_ms, rfc3339, rfc3339_seconds
from sidecar.core.digests import short_id
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
from sidecar.core.yaml_text import Value
from sidecar.memory import detail_levels, memory_tiers, user_decision_methods
from sidecar.memory import upkeep as maintain_methods
from sidecar.memory.access_control import MemoryContext, memory_context, memory_not_found, require_user_approval
from sidecar.memory.capture.capture_session import CaptureContext, CaptureResult, capture_session_summary
from sidecar.memory.capture.session_material import (
    ErrorEvent,
    NearMissReason,
    Note,
    SessionSummary,
    Utterance,
    session_source,
)
from sidecar.memory.detail_levels import RenderedMemory
from sidecar.memory.entry import SECTOR_OF_TYPE
from sidecar.memory.file_index import RefreshResult, write_index_file
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import OWNERS, project_path, unarchived_path
from sidecar.memory.indexed_text import terms_without_question_words
from sidecar.memory.memory_search import MemoryHit
from sidecar.memory.memory_search import search as search_memories
from sidecar.memory.model import (
    CaptureState,
    CaptureSummary,
    DropCount,
    MemoryAddParams,
    MemoryCaptureParams,
    MemoryCaptureResult,
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
    NearMiss,
    NearMissCount,
    SessionSummaryInput,
    memory_detail,
    memory_summary,
    memory_warning,
)
from sidecar.memory.store import captures, entry_queries, index_tables
from sidecar.memory.store.entry_queries import EntryFilter, SearchFilters
from sidecar.memory.writer import NewMemory, writer_of
from sidecar.method import Lane, method


def to_session_summary(
    session: str, source: str, sent: SessionSummaryInput | None, text: str | None, now_ms: int
) -> SessionSummary:
    """Convert what a host sent to a session summary; items without a time are of now."""
    utterances = [Utterance(item.author, item.text, _ms(item.at, now_ms)) for item in sent.messages] if sent else []
    utterances += [Utterance("assistant", text, now_ms)] if text else []
    errors = [ErrorEvent(item.text, item.resolution, _ms(item.at, now_ms)) for item in sent.errors] if sent else []
    notes = [
        Note(
            type=item.type,
            title=item.title,
            text=item.text,
            author=item.author or "",
            at_ms=_ms(item.at, now_ms),
            confidence=item.confidence,
            tags=tuple(item.tags),
        )
        for item in (sent.entries if sent else [])
    ]
    return SessionSummary(session, source, tuple(utterances), tuple(errors), tuple(notes))


def to_capture_result(result: CaptureResult) -> MemoryCaptureResult:
    """Convert a capture's outcome to its wire result."""
    return MemoryCaptureResult(
        added=list(result.new),
        repeated=list(result.repeated),
        contradicted=list(result.contradicted),
        suppressed=result.suppressed,
        dropped=drop_counts(result.dropped),
        paths=[project_path(path) for path in result.paths],
    )


def drop_counts(counts: Mapping[str, int]) -> list[DropCount]:
    """Return the drop reasons in order with their counts."""
    sorted_counts: list[tuple[Any, int]] = sorted((reason, count) for reason, count in counts.items() if count)
    return [DropCount(reason=reason, count=count) for reason, count in sorted_counts]


def _ms(at: datetime | None, now_ms: int) -> int:
    return now_ms if at is None else epoch_ms(at)


DROPPED, NEAR_MISSES = "dropped.", "nearMisses."
"""Prefixes of totals, before the reason."""


def capture(call: Call, params: MemoryCaptureParams) -> MemoryCaptureResult:
    """Store from a session: decisions, corrections of the user, resolved errors, proven patterns.

    Needs `summary`, `text`, or both. Each statement becomes a short entry of the session's file of the day, with
    author, time and original wording. Known content counts as evidence, content the user deleted stays deleted, junk
    is dropped and counted.
    """
    ctx = memory_context(call, params)
    context = CaptureContext(call.process, ctx.workspace, ctx.reach, "request", params.automatic)
    if params.summary is None and params.text is None:
        raise InvalidParams("The capture is empty.", hint="Send `summary`, `text`, or both.")
    content = params.model_dump(mode="json", include={"summary", "text"})
    source = params.source_id or session_source(params.session_id, short_id(content))
    summary = to_session_summary(params.session_id, source, params.summary, params.text, call.now_ms())
    return to_capture_result(capture_session_summary(context, summary))


def capture_totals(tx: apsw.Connection, project: str, owners: Sequence[str]) -> CaptureState:
    """Return capture totals within reach."""
    totals: Counter[str] = Counter(captures.totals(tx, project, owners))
    last = captures.last_captures(tx, project, owners, 1)
    dropped = {name.removeprefix(DROPPED): count for name, count in totals.items() if name.startswith(DROPPED)}
    return CaptureState(
        last=_capture_summary(last[0]) if last else None,
        captures=totals["captures"],
        added=totals["added"],
        repeated=totals["repeated"],
        suppressed=totals["suppressed"],
        dropped=drop_counts(dropped),
        waiting=captures.count_pending(tx, project),
        near_misses=[
            NearMissCount(reason=reason, count=totals[NEAR_MISSES + reason])
            for reason in get_args(NearMissReason)
            if totals[NEAR_MISSES + reason]
        ],
    )


def recent_near_misses(tx: apsw.Connection, project: str, now_ms: int) -> list[NearMiss]:
    """Return the last near misses of a project, newest first."""
    return [
        NearMiss.model_validate(
            {"at": rfc3339(record.at_ms), "reason": record.reason, "score": record.score, "text": record.text}
        )
        for record in captures.last_near_misses(tx, project, now_ms)
    ]


def _capture_summary(record: captures.CaptureRecord) -> CaptureSummary:
    return CaptureSummary.model_validate(
        {
            "at": rfc3339(record.at_ms), "sessionId": record.session, "origin": record.origin, "added": record.added,
            "repeated": record.repeated, "suppressed": record.suppressed, "dropped": drop_counts(record.dropped),
        }
    )  # fmt: skip


WIDER = 4
"""With a token budget, this many times the limit are considered: many small memories may fit."""
SCORE_DIGITS = 6


def search(call: Call, params: MemorySearchParams) -> MemorySearchResult:
    """Find the memories that answer a question or bear on a task, and explain each score.

    Needs a `query` or a `task`. A search does not count as access.
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
        superseding = index_tables.superseding_ids(tx, ctx.workspace.project_key, ctx.reach.owners, ids)
    terms = terms_without_question_words(text)
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
        raise InvalidParams("`since` is not a valid time.", hint="Use a time such as 2026-03-01T09:30:00Z.")
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
    now = rfc3339_seconds(call.now_ms())
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
    memory = writer_of(call, ctx).add(NewMemory(params.owner, retention, params.title, params.text, facts))
    return _memory_detail(ctx, memory.id)


def _tier(call: Call, params: MemoryAddParams) -> str:
    sector = params.sector or SECTOR_OF_TYPE[params.type]
    score_inputs = memory_tiers.ScoreInputs(sector, params.confidence, 1, 0, call.now_ms())
    return memory_tiers.tier(score_inputs, call.now_ms())


def get(call: Call, params: MemoryGetParams) -> MemoryDetail:
    """Return a memory with its whole text; reading by an agent counts as access, once per provider session."""
    ctx = memory_context(call, params)
    ctx.refresh()
    detail_result = _memory_detail(ctx, params.id)
    session = params.session_id or ctx.reach.session
    if not session:
        return detail_result
    writer = writer_of(call, ctx)
    writer.record_opening(writer.find(params.id).memory, session)
    return _memory_detail(ctx, params.id)


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
        superseding = index_tables.superseding_ids(tx, *scope[:2], [row.memory.id for row in rows])
    return MemoryListResult(memories=[memory_summary(row, superseding) for row in rows], total=total)


def update(call: Call, params: MemoryUpdateParams) -> MemoryDetail:
    """Change a memory in its file; comments, unknown keys and everything else the user wrote there stay unchanged."""
    ctx = memory_context(call, params)
    require_user_approval(ctx.reach, params.retention)
    changed_fields = params.model_dump(include={"type", "sector", "tags", "confidence"}, exclude_none=True)
    writer = writer_of(call, ctx)
    memory = writer.update(params.id, params.version, Edit(changed_fields, params.title, params.text))
    if params.retention and params.retention != memory.retention:
        writer.make_durable(memory.id)
    return _memory_detail(ctx, params.id)


def delete(call: Call, params: MemoryDeleteParams) -> MemoryDeleteResult:
    """Permanently delete a memory: its file, or its section of a group file. The same content is not captured again."""
    memory = writer_of(call, memory_context(call, params)).delete(params.id, params.version)
    return MemoryDeleteResult(id=memory.id)


def restore(call: Call, params: MemoryIdParams) -> MemoryDetail:
    """Move an archived memory's file back to its original place."""
    ctx = memory_context(call, params)
    writer_of(call, ctx).restore(params.id)
    return _memory_detail(ctx, params.id)


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
        capture_state = capture_totals(tx, project, owners)
        instructions = user_decision_methods.instruction_lists(tx, project)
        is_listed = params.near_misses and params.token is None
        near_misses = recent_near_misses(tx, project, call.now_ms()) if is_listed else None
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
        standing_instructions=instructions.active,
        unconfirmed=instructions.unconfirmed,
        replaced=instructions.replaced,
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


def _memory_detail(ctx: MemoryContext, memory_id: str) -> MemoryDetail:
    project, owners = ctx.workspace.project_key, ctx.reach.owners

    def detail(tx: apsw.Connection) -> MemoryDetail | None:
        matches = index_tables.entries_with_id(tx, project, memory_id, owners)
        if not matches:
            return None
        files = index_tables.files_at(tx, project, [matches[0].memory.path])
        linked_ids = index_tables.linked_ids(tx, project, matches[0].memory, owners)
        superseding = index_tables.superseding_ids(tx, project, owners, [memory_id])
        return memory_detail(matches[0], files[0].warning if files else "", linked_ids, superseding)

    found = ctx.index.find(detail)
    if found is None:
        raise memory_not_found()
    return found


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
    method("memory/capture", capture, lane=Lane.WORKSPACE, errors=(*_WRITING, InvalidParams)),
    *maintain_methods.METHODS,
    *user_decision_methods.METHODS,
)
