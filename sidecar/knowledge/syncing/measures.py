"""What a sync measures, by the specification's names (knowledge-sync.md, Sync Observability). Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping

from sidecar.knowledge.plan import Conflict
from sidecar.metrics import labelled

TYPES = ("full", "incremental", "single")
"""The values of the label `type`."""


def of_sync(kind: str, elapsed_ms: float, counts: Mapping[str, int], conflicts: Iterable[Conflict]) -> dict[str, float]:
    """Return the measures of a sync that succeeded; durations are in milliseconds.

    Resolving conflicts is not one of the specification's three types: only its effect on items is counted.
    """
    found = Counter(one.type for one in conflicts)
    operation = {
        labelled("sync.operations.total", type=kind): 1.0,
        labelled("sync.operations.duration", type=kind): elapsed_ms,
    }
    return {
        **(operation if kind in TYPES else {}),
        "sync.items.added": float(counts.get("create", 0)),
        "sync.items.updated": float(counts.get("update", 0)),
        "sync.items.deleted": float(counts.get("delete", 0)),
        **{labelled("sync.conflicts.total", type=name): float(number) for name, number in sorted(found.items())},
    }


def of_failure(code: str) -> dict[str, float]:
    """Return the measure of a sync that failed."""
    return {labelled("sync.failures.total", code=code): 1.0}
