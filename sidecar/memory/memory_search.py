"""Search memories for a question or task: within reach, by their words and their neighbors."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import apsw

from sidecar.core.clock import DAY_MS
from sidecar.core.terms import terms_of
from sidecar.memory import question_parser, search_ranking
from sidecar.memory.access_control import Reach
from sidecar.memory.entry import Memory, Sector
from sidecar.memory.memory_tiers import recency
from sidecar.memory.question_parser import MemoryQuery
from sidecar.memory.search_ranking import DEFAULT_PROFILES, CandidateRow, Factors, Profile, Profiles, TermHits
from sidecar.memory.store import entry_queries, index_tables
from sidecar.memory.store.entry_queries import SearchFilters
from sidecar.memory.store.index_tables import IndexedMemory

PREFERRED_SECTORS: Mapping[str, tuple[Sector, Sector]] = {
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
"""First and second sector of each agent; an agent that is not listed prefers none."""

FIRST_FACTOR, SECOND_FACTOR, OTHER_FACTOR = 1.0, 0.97, 0.9


def sector_factor(agent: str, sector: str) -> float:
    """Return the score factor of an agent's sector preference; 1 for callers that are not agents."""
    if agent not in PREFERRED_SECTORS:
        return 1.0
    first, second = PREFERRED_SECTORS[agent]
    return FIRST_FACTOR if sector == first else SECOND_FACTOR if sector == second else OTHER_FACTOR


RERANK_FACTOR = 3
"""This many times the limit are scored with all factors; the factors cannot lift an entry further."""
RARE_TERM_FACTOR = 4
"""Candidates need one of the query's rarest words, which together occur in this many times the candidates' number:
among 10,000 memories that is a fourth of the work, and one candidate in a hundred differs.
"""
REPORT_DELAY_DAYS = 5
ROLES = frozenset(("user", "assistant", "human", "system", "agent"))
"""Authors whose names are also words: they count as named, and the word still counts as a query term."""


class MemoryHit(NamedTuple):
    """A memory with its score's factors and reasons."""

    entry: IndexedMemory
    factors: Factors
    reasons: dict[str, float]
    query_share: float
    """Share of the query's weight that it contains, in the query's words or other forms of them."""

    @property
    def score(self) -> float:
        """The product of the factors, above 0 and at most 1."""
        return self.factors.score


class MatchedRows(NamedTuple):
    """The candidates of a query, with what each contains of its terms."""

    rows: list[CandidateRow]
    hits: list[TermHits]
    """The matches of each row, in order."""
    named_authors: frozenset[str]
    subject_query: MemoryQuery
    """The query without the terms that only name authors."""
    weights: question_parser.TermWeights


class ScoredRow(NamedTuple):
    """A row with its features and relevance."""

    row: CandidateRow
    values: Sequence[float]
    profile: Profile
    relevance: float


def search(
    tx: apsw.Connection,
    project: str,
    reach: Reach,
    text: str,
    filters: SearchFilters,
    limit: int,
    now_ms: int,
    profiles: Profiles = DEFAULT_PROFILES,
    max_candidates: int = entry_queries.MAX_CANDIDATES,
) -> list[MemoryHit]:
    """Return the memories within reach that answer a text best, best first; equal ones in file order."""
    parsed_query = question_parser.parse_memory_query(text, now_ms)
    eligible = [
        scored
        for scored in score_rows(tx, project, reach, parsed_query, filters, profiles, max_candidates)
        if scored.row.eligible
    ]
    eligible.sort(key=lambda scored: (-scored.relevance, scored.row.group, scored.row.position))
    top = eligible[: limit * RERANK_FACTOR]
    entries_by_row = entry_queries.entries_of_rows(tx, [scored.row.row_id for scored in top])
    ranked = [
        (_factors(entries_by_row[scored.row.row_id].memory, scored, parsed_query, reach.agent, now_ms), scored)
        for scored in top
    ]
    ranked.sort(key=lambda pair: (-pair[0].score, pair[1].row.group, pair[1].row.position))
    return [
        MemoryHit(
            entries_by_row[scored.row.row_id],
            factors,
            search_ranking.reasons(scored.values, scored.profile),
            search_ranking.query_share(scored.values),
        )
        for factors, scored in ranked[:limit]
    ]


def score_rows(
    tx: apsw.Connection,
    project: str,
    reach: Reach,
    parsed_query: MemoryQuery,
    filters: SearchFilters,
    profiles: Profiles = DEFAULT_PROFILES,
    max_candidates: int = entry_queries.MAX_CANDIDATES,
) -> list[ScoredRow]:
    """Return every candidate with its features and relevance."""
    matched = collect_rows(tx, project, reach.owners, parsed_query, filters, max_candidates)
    values = search_ranking.features(
        matched.subject_query, matched.rows, matched.hits, matched.weights, matched.named_authors
    )
    grouped = _grouped(matched.rows)
    return [
        ScoredRow(row, vector, profile, search_ranking.relevance(vector, profile))
        for row, vector in zip(matched.rows, values, strict=True)
        for profile in (profiles.grouped if row.group in grouped else profiles.alone,)
    ]


def collect_rows(
    tx: apsw.Connection,
    project: str,
    owners: Sequence[str],
    parsed_query: MemoryQuery,
    filters: SearchFilters,
    max_candidates: int,
) -> MatchedRows:
    """Collect the candidates and match the query's terms in each."""
    named_authors, names = _named_authors(entry_queries.authors(tx, project, owners), parsed_query)
    subject_query = question_parser.without_terms(parsed_query, names)
    prefixes = [prefix for prefix in map(question_parser.stem_prefix, subject_query.terms) if prefix]
    counts = index_tables.term_counts(tx, project, owners, subject_query.terms, prefixes)
    weights = question_parser.weigh_terms(
        subject_query.terms, counts.document_frequency, counts.document_frequency, counts.entries, counts.words
    )
    rare_and_common = question_parser.split_rarest(
        (*subject_query.terms, *weights.forms), counts.document_frequency, RARE_TERM_FACTOR * max_candidates
    )
    rows = entry_queries.candidates(
        tx, project, owners, rare_and_common, filters, query_times(parsed_query), max_candidates
    )
    grouped = _grouped(rows)
    hits = [
        search_ranking.match_terms(
            row.terms,
            subject_query,
            weights,
            search_ranking.GROUP_ENTRY if row.group in grouped else search_ranking.STANDALONE_ENTRY,
        )
        for row in rows
    ]
    return MatchedRows(rows, hits, named_authors, subject_query, weights)


def _grouped(rows: Sequence[CandidateRow]) -> frozenset[str]:
    """Return the groups with more than one entry; a candidate's neighbors are always among the rows."""
    return frozenset(row.group for row in rows if row.position > 0)


def query_times(parsed_query: MemoryQuery) -> list[tuple[int, int]]:
    """Return the times a query names in milliseconds, including the days on which a day is still reported."""
    return [
        (span.first * DAY_MS, (span.last + 1 + (REPORT_DELAY_DAYS if span.is_day else 0)) * DAY_MS - 1)
        for span in parsed_query.spans
    ]


def _named_authors(authors: Sequence[str], parsed_query: MemoryQuery) -> tuple[frozenset[str], frozenset[str]]:
    """Return the author a query names, if it is exactly one, and the terms that only name authors."""
    terms = set(parsed_query.terms)
    author_terms = {author: frozenset(terms_of(author)) for author in authors}
    named = [author for author, name in author_terms.items() if name and name <= terms]
    only_names = frozenset(term for author in named if author.lower() not in ROLES for term in author_terms[author])
    return frozenset(named if len(named) == 1 else ()), only_names


def _factors(memory: Memory, scored: ScoredRow, parsed_query: MemoryQuery, agent: str, now_ms: int) -> Factors:
    age_factor = recency(memory.sector, now_ms - max(memory.at_ms, memory.last_accessed_ms or 0))
    sector = sector_factor(agent, memory.sector)
    return search_ranking.factors(
        scored.relevance, age_factor, sector, memory.confidence, names_a_time=bool(parsed_query.spans)
    )
