"""`memory/add|get|list|update|delete|restore|status|rebuild`; the list of all methods of memories."""

from collections.abc import Iterable, Sequence

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
from sidecar.memory import index as index_file
from sidecar.memory import proposals
from sidecar.memory.access import require_users_word, unknown
from sidecar.memory.capture import methods as capture
from sidecar.memory.context import Asked, asked
from sidecar.memory.entry import SECTOR_OF_TYPE
from sidecar.memory.files.document import Edit
from sidecar.memory.files.entry_fields import moment_ms
from sidecar.memory.files.front_matter import Value
from sidecar.memory.files.layout import restored
from sidecar.memory.index import Checked
from sidecar.memory.model import (
    MemoryAddParams,
    MemoryCount,
    MemoryDeleteParams,
    MemoryDeleteResult,
    MemoryDetail,
    MemoryFactors,
    MemoryFound,
    MemoryGetParams,
    MemoryIdParams,
    MemoryIndexState,
    MemoryListParams,
    MemoryListResult,
    MemoryParams,
    MemoryRebuildResult,
    MemorySearchParams,
    MemorySearchResult,
    MemoryStatusResult,
    MemoryUpdateParams,
    MemoryWarning,
)
from sidecar.memory.ranking.indexed_text import significant
from sidecar.memory.retrieval import detail_levels
from sidecar.memory.retrieval.detail_levels import Told
from sidecar.memory.retrieval.memory_search import Found
from sidecar.memory.retrieval.memory_search import search as found_for
from sidecar.memory.serialize import detail, summary, warned
from sidecar.memory.store import entries, entry_queries
from sidecar.memory.store.candidates import Sought
from sidecar.memory.store.entry_queries import Filter
from sidecar.memory.upkeep import decay
from sidecar.memory.upkeep import maintain as maintain_methods
from sidecar.memory.writer import New, moment
from sidecar.method import Lane, method

# `memory/search`.


WIDER = 4
"""With a budget of tokens so many times the limit are looked at: many small memories may fit."""
SCORE_DIGITS = 6


def search(call: Call, params: MemorySearchParams) -> MemorySearchResult:
    """Finds the memories that answer a question or bear on a task, and says of each what its score is made of.

    A search counts as no access, whatever it shows.
    """
    text = params.query or params.task or ""
    if not text.strip():
        raise InvalidParams("There is nothing to look for.", hint="Send a `query` or a `task`.")
    sought = _sought(params)
    found = asked(call, params)
    found.looked_over()
    reach = found.reach._replace(agent=params.agent or found.reach.agent)
    most = params.limit * (WIDER if params.token_budget is not None else 1)
    with call.database.read() as tx:
        hits = found_for(tx, found.workspace.project_key, reach, text, sought, most, call.now_ms())
    terms = significant(text)
    told = [_told(one, params.level, terms) for one in hits]
    chosen = _chosen(hits, told, params)
    memories = [_shown_answering(hits[at], told[at], params.level) for at in chosen]
    return MemorySearchResult(
        memories=memories,
        told_tokens=sum(one.told_tokens for one in memories),
        left_out=min(len(hits), params.limit) - len(memories) if len(memories) < params.limit else 0,
    )


def _sought(params: MemorySearchParams) -> Sought:
    since = moment_ms(params.since) if params.since is not None else None
    if params.since is not None and since is None:
        raise InvalidParams("`since` is not a moment.", hint="Like 2026-03-01T09:30:00Z.")
    return Sought(tuple(params.types), tuple(params.sectors), tuple(params.tags), since, params.archived)


def _told(one: Found, level: detail_levels.Level, terms: Sequence[str]) -> Told:
    memory = one.entry.memory
    return detail_levels.told(level, memory.title, memory.tags, memory.text, terms)


def _chosen(hits: Sequence[Found], told: Sequence[Told], params: MemorySearchParams) -> list[int]:
    if params.token_budget is None:
        return list(range(len(hits)))
    packed = detail_levels.pack([one.score for one in hits], [one.tokens for one in told], params.token_budget)
    return packed[: params.limit]


def _shown_answering(one: Found, told: Told, level: detail_levels.Level) -> MemoryFound:
    return MemoryFound(
        **dict(summary(one.entry)),
        text=None if level == "metadata" else told.text,
        whole=told.is_whole,
        told_tokens=told.tokens,
        score=round(one.score, SCORE_DIGITS),
        factors=MemoryFactors(**one.factors._asdict()),
        reasons=one.reasons,
    )


def add(call: Call, params: MemoryAddParams) -> MemoryDetail:
    """Keeps a memory as a Markdown file below `.chati/memories`, which ignores itself in git.

    Secrets are masked before anything is written; what stands between `<private>` tags is never written.
    """
    found = asked(call, params)
    keeping = params.keeping or ("daily" if found.reach.agent else "durable")
    require_users_word(found.reach, keeping)
    now = moment(call.now_ms())
    facts: dict[str, Value] = {
        "type": params.type,
        **({"agent": found.reach.agent} if found.reach.agent else {}),
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
    memory = found.writer(call).add(New(params.owner, keeping, params.title, params.text, facts))
    return _shown(call, found, memory.id)


def _tier(call: Call, params: MemoryAddParams) -> str:
    sector = params.sector or SECTOR_OF_TYPE[params.type]
    standing = decay.Standing(sector, params.confidence, 1, 0, call.now_ms())
    return decay.tier(standing, call.now_ms())


def get(call: Call, params: MemoryGetParams) -> MemoryDetail:
    """Shows a memory with its whole text; a look by an agent counts as access, once per provider session."""
    found = asked(call, params)
    found.looked_over()
    shown = _shown(call, found, params.id)
    session = params.session_id or found.reach.session
    if not session:
        return shown
    writer = found.writer(call)
    writer.opened(writer.found(params.id).memory, session)
    return _shown(call, found, params.id)


def list_memories(call: Call, params: MemoryListParams) -> MemoryListResult:
    """Lists memories within reach, the newest first, page by page."""
    found = asked(call, params)
    found.looked_over()
    wanted = Filter(
        owner=params.owner,
        keeping=params.keeping,
        tier=params.tier,
        type=params.type,
        sector=params.sector,
        agent=params.agent,
        tag=params.tag,
        session=params.session_id,
        is_archived=params.archived,
    )
    scope = found.workspace.project_key, found.reach.owners, wanted
    with call.database.read() as tx:
        rows = entry_queries.listed(tx, *scope, params.offset, params.limit)
        total = entry_queries.count(tx, *scope)
    return MemoryListResult(memories=[summary(row) for row in rows], total=total)


def update(call: Call, params: MemoryUpdateParams) -> MemoryDetail:
    """Changes a memory in its file; comments, unknown keys and all else that the user wrote there stay as they are."""
    found = asked(call, params)
    require_users_word(found.reach, params.keeping)
    told = params.model_dump(include={"type", "sector", "tags", "confidence"}, exclude_none=True)
    writer = found.writer(call)
    memory = writer.update(params.id, params.version, Edit(told, params.title, params.text))
    if params.keeping and params.keeping != memory.keeping:
        writer.keep_for_good(memory.id)
    return _shown(call, found, params.id)


def delete(call: Call, params: MemoryDeleteParams) -> MemoryDeleteResult:
    """Removes a memory for good: its file, or its section of one. The same thing is not captured again."""
    memory = asked(call, params).writer(call).delete(params.id, params.version)
    return MemoryDeleteResult(id=memory.id)


def restore(call: Call, params: MemoryIdParams) -> MemoryDetail:
    """Moves an archived memory's file back to where it came from."""
    found = asked(call, params)
    found.writer(call).restore(params.id)
    return _shown(call, found, params.id)


def status(call: Call, params: MemoryParams) -> MemoryStatusResult:
    """Shows how many memories are within reach, by owner, keeping and tier, what was captured last and what was not.

    Every drop is counted with its reason, and so is what would have been kept in active mode.
    """
    found = asked(call, params)
    is_there = found.index.folder.exists()
    checked = found.looked_over()
    project, owners = found.workspace.project_key, found.reach.owners
    with call.database.read() as tx:
        counts = entry_queries.counts(tx, project, owners)
        files = entry_queries.files_within(tx, project, owners)
        captured = capture.capture_state(tx, project, owners)
    return MemoryStatusResult(
        folder=found.index.folder.root,
        present=is_there,
        memories=sum(row.memories for row in counts),
        counts=[MemoryCount(**row.told()) for row in counts],
        index=MemoryIndexState(
            files=files, changed=_within(found, checked.changed), removed=_within(found, checked.removed)
        ),
        capture=captured,
        upkeep=maintain_methods.last_upkeep(call, project),
        warnings=_warnings(call, found, checked),
    )


def rebuild(call: Call, params: MemoryParams) -> MemoryRebuildResult:
    """Makes the index anew from the files, which are the truth, and `index.json` beside them."""
    found = asked(call, params)
    checked = found.index.rebuild()
    if found.index.folder.exists():
        index_file.write(found.index)
    with call.database.read() as tx:
        files = entry_queries.files_within(tx, found.workspace.project_key, found.reach.owners)
    return MemoryRebuildResult(files=files, warnings=_warnings(call, found, checked))


def _shown(call: Call, found: Asked, memory_id: str) -> MemoryDetail:
    project = found.workspace.project_key
    with call.database.read() as tx:
        known = entries.with_id(tx, project, memory_id, found.reach.owners)
        files = entries.files_of_paths(tx, project, [one.memory.path for one in known[:1]])
        linked = entries.linked(tx, project, known[0].memory, found.reach.owners) if known else ()
    if not known:
        raise unknown()
    return detail(known[0], files[0].warning if files else "", linked)


def _warnings(call: Call, found: Asked, checked: Checked) -> list[MemoryWarning]:
    """Gives what could not be read, of folders within reach only."""
    with call.database.read() as tx:
        told = entry_queries.warnings(tx, found.workspace.project_key)
        repeated = entry_queries.repeated_ids(tx, found.workspace.project_key, found.reach.owners)
    every = [
        *checked.warnings,
        *told,
        *((path, f"Another memory has the id {memory_id} too.") for path, memory_id in repeated),
    ]
    return [warned(path, sentence) for path, sentence in every if _owner(path) in found.reach.owners]


def _within(found: Asked, paths: Iterable[str]) -> int:
    """Counts the files within reach."""
    return sum(_owner(path) in found.reach.owners for path in paths)


def _owner(path: str) -> str:
    return restored(path).partition("/")[0]


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
    *proposals.METHODS,
)
