"""Finds memories for a question or a task: within reach, by what they say and what stands around them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import apsw

from sidecar.core.terms import terms_of
from sidecar.memory.access import Reach
from sidecar.memory.entry import Memory, Sector
from sidecar.memory.ranking import features, query, relevance_score
from sidecar.memory.ranking.features import Hits, Row
from sidecar.memory.ranking.query import Asked
from sidecar.memory.ranking.relevance_score import SHIPPED, Factors, Profile, Profiles
from sidecar.memory.store import candidates
from sidecar.memory.store import entries as words
from sidecar.memory.store.candidates import Sought
from sidecar.memory.store.entries import Indexed
from sidecar.memory.upkeep.decay import DAY_MS, recency

# Which kinds of memory each agent needs most (intelligence-layer.md 4.5). Pure.


PREFERRED: Mapping[str, tuple[Sector, Sector]] = {
    "greenfield-wu": ("semantic", "episodic"),
    "brownfield-wu": ("semantic", "episodic"),
    "brief": ("episodic", "semantic"),
    "detail": ("semantic", "episodic"),
    "architect": ("semantic", "reflective"),
    "ux": ("reflective", "procedural"),
    "phases": ("procedural", "semantic"),
    "tasks": ("procedural", "semantic"),
    "qa-planning": ("reflective", "episodic"),
    "dev": ("procedural", "semantic"),
    "qa-implementation": ("reflective", "episodic"),
    "devops": ("procedural", "episodic"),
}
"""Agent → its first and its second sector; an agent that is not listed prefers none."""

FIRST, SECOND, OTHER = 1.0, 0.97, 0.9


def preference(agent: str, sector: str) -> float:
    """Gives what an agent's preference does to a score; 1 where nobody in particular asks."""
    if agent not in PREFERRED:
        return 1.0
    first, second = PREFERRED[agent]
    return FIRST if sector == first else SECOND if sector == second else OTHER


CLOSE_LOOK = 3
"""So many times the asked number are weighed with all their factors: what tilts a score does not lift it further."""
ENOUGH = 4
"""The candidates are the best of so many times their number that hold the rarest of a question's words, not of all that
hold any: among 10,000 memories that is a fourth of the work, and one candidate in a hundred is another one."""
TOLD_WITHIN_DAYS = 5
ROLES = frozenset(("user", "assistant", "human", "system", "agent"))
"""Authors whose names are words too: they count as named, and what is about them still counts as asked."""


class Found(NamedTuple):
    """A memory with what its score is made of, and the question's terms."""

    entry: Indexed
    factors: Factors
    reasons: dict[str, float]
    said: float
    """The share of the question's weight that it holds, in the question's words or in other forms of them."""

    @property
    def score(self) -> float:
        """The product of the factors, above 0 and at most 1."""
        return self.factors.score


class Weighed(NamedTuple):
    """A row with its values and what they come to."""

    row: Row
    values: Sequence[float]
    profile: Profile
    relevance: float


def search(
    tx: apsw.Connection,
    project: str,
    reach: Reach,
    text: str,
    sought: Sought,
    limit: int,
    now_ms: int,
    profiles: Profiles = SHIPPED,
    most: int = candidates.CANDIDATES,
) -> list[Found]:
    """Gives the memories within reach that answer a text best, the best first; equal ones in the order of the files."""
    asked = query.read(text, now_ms)
    weighed = [one for one in weigh(tx, project, reach, asked, sought, profiles, most) if one.row.eligible]
    weighed.sort(key=lambda one: (-one.relevance, one.row.group, one.row.position))
    close = weighed[: limit * CLOSE_LOOK]
    entries = candidates.of_rows(tx, [one.row.row_id for one in close])
    found = [(_factors(entries[one.row.row_id].memory, one, asked, reach.agent, now_ms), one) for one in close]
    found.sort(key=lambda pair: (-pair[0].score, pair[1].row.group, pair[1].row.position))
    return [
        Found(
            entries[one.row.row_id],
            made_of,
            relevance_score.reasons(one.values, one.profile),
            features.said(one.values),
        )
        for made_of, one in found[:limit]
    ]


def weigh(
    tx: apsw.Connection,
    project: str,
    reach: Reach,
    asked: Asked,
    sought: Sought,
    profiles: Profiles = SHIPPED,
    most: int = candidates.CANDIDATES,
) -> list[Weighed]:
    """Gives every entry that is looked at closely, with what is known of it for the question."""
    rows, hits, named, about, known = gather(tx, project, reach.owners, asked, sought, most)
    values = features.features(about, rows, hits, known, named)
    grouped = _grouped(rows)
    return [
        Weighed(row, of_row, profile, relevance_score.relevance(of_row, profile))
        for row, of_row in zip(rows, values, strict=True)
        for profile in (profiles.grouped if row.group in grouped else profiles.alone,)
    ]


def gather(
    tx: apsw.Connection, project: str, owners: Sequence[str], asked: Asked, sought: Sought, most: int
) -> tuple[list[Row], list[Hits], frozenset[str], Asked, query.Vocabulary]:
    """Finds the entries that are looked at closely, and what of the question each holds."""
    named, names = _named(candidates.authors(tx, project, owners), asked)
    about = query.without(asked, names)
    beginnings = [begin for begin in map(query.stump, about.terms) if begin]
    counts = words.counts(tx, project, owners, about.terms, beginnings)
    known = query.vocabulary(about.terms, counts.holding, counts.holding, counts.entries, counts.words)
    parts = query.parted((*about.terms, *known.forms), counts.holding, ENOUGH * most)
    rows = candidates.candidates(tx, project, owners, parts, sought, times_of(asked), most)
    grouped = _grouped(rows)
    hits = [
        features.hits_of(row.terms, about, known, features.IN_GROUP if row.group in grouped else features.ALONE)
        for row in rows
    ]
    return rows, hits, named, about, known


def _grouped(rows: Sequence[Row]) -> frozenset[str]:
    """Gives the groups that have more than one entry: an entry beside the one that was found is always looked at."""
    return frozenset(row.group for row in rows if row.position > 0)


def times_of(asked: Asked) -> list[tuple[int, int]]:
    """Gives the times a question names, in milliseconds, with the days after a day on which it is still told of."""
    return [
        (span.first * DAY_MS, (span.last + 1 + (TOLD_WITHIN_DAYS if span.is_day else 0)) * DAY_MS - 1)
        for span in asked.spans
    ]


def _named(authors: Sequence[str], asked: Asked) -> tuple[frozenset[str], frozenset[str]]:
    """Gives the author a question names, if it is one, and the terms that only name authors."""
    terms = set(asked.terms)
    told = {author: frozenset(terms_of(author)) for author in authors}
    named = [author for author, name in told.items() if name and name <= terms]
    only_names = frozenset(term for author in named if author.lower() not in ROLES for term in told[author])
    return frozenset(named if len(named) == 1 else ()), only_names


def _factors(memory: Memory, one: Weighed, asked: Asked, agent: str, now_ms: int) -> Factors:
    left = _age_left(memory, now_ms)
    sector = preference(agent, memory.sector)
    return relevance_score.factors(one.relevance, left, sector, memory.confidence, names_a_time=bool(asked.spans))


def _age_left(memory: Memory, now_ms: int) -> float:
    """Gives what time has left of a memory since it happened or was accessed last."""
    return recency(memory.sector, now_ms - max(memory.at_ms, memory.last_accessed_ms or 0))
