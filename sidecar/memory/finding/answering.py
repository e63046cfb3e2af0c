"""`memory/search`."""

from collections.abc import Sequence

from sidecar.call import Call
from sidecar.core.errors import InvalidParams
from sidecar.memory.asking import asked
from sidecar.memory.files.facts import moment_ms
from sidecar.memory.finding import levels
from sidecar.memory.finding.levels import Told
from sidecar.memory.finding.searching import Found
from sidecar.memory.finding.searching import search as found_for
from sidecar.memory.model import MemoryFactors, MemoryFound, MemorySearchParams, MemorySearchResult
from sidecar.memory.ranking.words import significant
from sidecar.memory.store.candidates import Sought
from sidecar.memory.telling import summary

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
    memories = [_shown(hits[at], told[at], params.level) for at in chosen]
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


def _told(one: Found, level: levels.Level, terms: Sequence[str]) -> Told:
    memory = one.entry.memory
    return levels.told(level, memory.title, memory.tags, memory.text, terms)


def _chosen(hits: Sequence[Found], told: Sequence[Told], params: MemorySearchParams) -> list[int]:
    if params.token_budget is None:
        return list(range(len(hits)))
    packed = levels.pack([one.score for one in hits], [one.tokens for one in told], params.token_budget)
    return packed[: params.limit]


def _shown(one: Found, told: Told, level: levels.Level) -> MemoryFound:
    return MemoryFound(
        **dict(summary(one.entry)),
        text=None if level == "metadata" else told.text,
        whole=told.is_whole,
        told_tokens=told.tokens,
        score=round(one.score, SCORE_DIGITS),
        factors=MemoryFactors(**one.factors._asdict()),
        reasons=one.reasons,
    )
