"""What leaves the machine when an export is set: names, units and labels. No project, no prompt, no path. Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sidecar.metrics.labels import name_and_labels
from sidecar.metrics.latency import BEYOND, BOUNDS_MS
from sidecar.metrics.latency import NAME as UP_TO


class Counted(NamedTuple):
    """A measure's lifetime total, as it stands in the state file, and how many observations it sums up."""

    provider: str
    shadow: bool
    measure: str
    total: float
    observations: int


class Exported(NamedTuple):
    """The name a measure is exported by, its unit, what it counts, and labels that its own name stands for."""

    name: str
    unit: str
    says: str
    labels: tuple[tuple[str, str], ...] = ()


class Reading(NamedTuple):
    """One value of an exported name, with its labels."""

    labels: tuple[tuple[str, str], ...]
    value: float


class Durations(NamedTuple):
    """A distribution: counts up to each bound and up to none, and the sum of all."""

    labels: tuple[tuple[str, str], ...]
    up_to: tuple[float, ...]
    total: float


def _tokens(kind: str) -> Exported:
    return Exported("continuity.tokens", "1", "Tokens that hosts reported.", (("kind", kind),))


COUNTERS: dict[str, Exported] = {
    "calls": Exported("continuity.calls", "1", "Prompts that got packs, or would have."),
    "cacheHits": Exported("continuity.pack_cache.hits", "1", "Of them, those whose pack came from the cache."),
    "followUps": Exported("continuity.follow_ups", "1", "Prompts that continued a provider session."),
    "followUpHits": Exported("continuity.follow_ups.hits", "1", "Of them, those whose pack came from the cache."),
    "fileHits": Exported("continuity.file_cache.hits", "1", "File summaries that were known."),
    "fileMisses": Exported("continuity.file_cache.misses", "1", "File summaries that had to be made."),
    "injectedBytes": Exported("continuity.injected", "By", "Bytes that were new to a provider session."),
    "wouldInjectBytes": Exported("continuity.would_inject", "By", "The same, in passive mode as well."),
    "reusedBytes": Exported("continuity.reused", "By", "Bytes of valid packs that the session had already."),
    "baselineBytes": Exported("continuity.baseline", "By", "Bytes of full packs at each prompt."),
    "partial": Exported("continuity.partial", "1", "Prompts answered at the deadline with what was ready."),
    "passedThrough": Exported("continuity.passed_through", "1", "Prompts left as they were, by reason."),
    "runs": Exported("continuity.runs", "1", "Runs that ended."),
    "drafts": Exported("continuity.drafts", "1", "Artifacts drafted."),
    "packGiven": Exported("continuity.files.given", "1", "Files that packs told of."),
    "packUsed": Exported("continuity.files.used", "1", "Of them, those the run then used."),
    "filesNeeded": Exported("continuity.files.needed", "1", "Files that runs used and did not know."),
    "filesFound": Exported("continuity.files.found", "1", "Of them, those no pack had told of."),
    "repeatedReads": Exported("continuity.files.repeated_reads", "1", "Files read though their content was given."),
    "cacheBroken": Exported("continuity.provider_cache.broken", "1", "Runs whose anchor broke the provider's cache."),
    "inputTokens": _tokens("input"),
    "outputTokens": _tokens("output"),
    "cacheReadTokens": _tokens("cache_read"),
    "cacheCreationTokens": _tokens("cache_creation"),
    "costUsd": Exported("continuity.cost", "USD", "US dollars that hosts reported."),
    "governor": Exported("continuity.governor.actions", "1", "What the governor said after runs."),
    "governor.cause": Exported("continuity.governor.causes", "1", "What made an action due."),
    "governor.withheld": Exported("continuity.governor.withheld", "1", "Actions that were due and not allowed."),
    "bracket": Exported("continuity.brackets", "1", "Prompts by how full the context window was."),
    "error": Exported("continuity.errors", "1", "Requests answered with an error."),
    "outcome": Exported("continuity.outcomes", "1", "Runs by how they ended."),
    "sync.operations.total": Exported("sync.operations.total", "1", "Knowledge syncs that went through."),
    "sync.items.added": Exported("sync.items.added", "1", "Knowledge items added to memory."),
    "sync.items.updated": Exported("sync.items.updated", "1", "Knowledge items updated in memory."),
    "sync.items.deleted": Exported("sync.items.deleted", "1", "Knowledge items deleted from memory."),
    "sync.conflicts.total": Exported("sync.conflicts.total", "1", "Conflicts between memory and knowledge."),
    "sync.failures.total": Exported("sync.failures.total", "1", "Knowledge syncs that failed."),
}
"""By measure; those of the knowledge sync have the specification's names (knowledge-sync.md, Sync Observability)."""

SYNC_DURATION = Exported("sync.operations.duration", "ms", "How long knowledge syncs took.")
PRE_RUN = Exported("continuity.prerun.duration", "ms", "How long prompts waited for their packs.")


def readings(counted: Iterable[Counted]) -> dict[Exported, list[Reading]]:
    """Gives what is exported as a counter, by name; what the table does not name stays here."""
    found: dict[tuple[Exported, tuple[tuple[str, str], ...]], float] = {}
    for one in counted:
        name, own = name_and_labels(one.measure)
        if name.startswith("outcome."):
            name, own = "outcome", {"outcome": name.removeprefix("outcome.")}
        if name in COUNTERS:
            row = COUNTERS[name]
            key = row._replace(labels=()), _labels(one, {**own, **dict(row.labels)})
            found[key] = found.get(key, 0.0) + one.total
    told: dict[Exported, list[Reading]] = {}
    for (row, labels), total in sorted(found.items()):
        told.setdefault(row, []).append(Reading(labels, total))
    return told


def pre_runs(counted: Iterable[Counted]) -> list[Durations]:
    """Gives how long pre-runs took, by provider and mode."""
    up_to: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    sums: dict[tuple[tuple[str, str], ...], float] = {}
    for one in counted:
        name, own = name_and_labels(one.measure)
        labels = _labels(one, {})
        if name == UP_TO:
            up_to.setdefault(labels, {})[own["ms"]] = one.total
        elif name == "elapsedMs":
            sums[labels] = one.total
    return [Durations(labels, _added_up(counts), sums.get(labels, 0.0)) for labels, counts in sorted(up_to.items())]


def sync_durations(counted: Iterable[Counted]) -> list[tuple[Reading, int]]:
    """Gives the sum of what syncs took, by their labels, each with how many they were."""
    ours = [(one, name_and_labels(one.measure)) for one in counted]
    return [
        (Reading(tuple(sorted(own.items())), one.total), one.observations)
        for one, (name, own) in ours
        if name == SYNC_DURATION.name
    ]


def _labels(one: Counted, own: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    whose = {"provider": one.provider, "mode": "passive" if one.shadow else "active"} if one.provider else {}
    return tuple(sorted({**own, **whose}.items()))


def _added_up(counts: Mapping[str, float]) -> tuple[float, ...]:
    told, below = [], 0.0
    for name in (*(f"{bound:g}" for bound in BOUNDS_MS), BEYOND):
        below += counts.get(name, 0.0)
        told.append(below)
    return tuple(told)
