"""What a sync measures, by the specification's names (knowledge-sync.md, Sync Observability). Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping

from sidecar.knowledge.plan import Conflict
from sidecar.metrics import Measure

TYPES = ("full", "incremental", "single")
"""The values of the label `type`."""


def of_sync(kind: str, elapsed_ms: float, counts: Mapping[str, int], conflicts: Iterable[Conflict]) -> list[Measure]:
    """Gives the measures of a sync that went through; durations in milliseconds.

    Resolving conflicts is none of the specification's three types: what it does to items is counted alone.
    """
    run = (("type", kind),)
    found = Counter(one.type for one in conflicts)
    operation = [
        Measure("counter", "sync.operations.total", 1, run),
        Measure("histogram", "sync.operations.duration", elapsed_ms, run, "ms"),
    ]
    return [
        *(operation if kind in TYPES else ()),
        Measure("counter", "sync.items.added", counts.get("create", 0)),
        Measure("counter", "sync.items.updated", counts.get("update", 0)),
        Measure("counter", "sync.items.deleted", counts.get("delete", 0)),
        *(
            Measure("counter", "sync.conflicts.total", number, (("type", name),))
            for name, number in sorted(found.items())
        ),
    ]


def of_failure(code: str) -> list[Measure]:
    """Gives the measure of a sync that failed."""
    return [Measure("counter", "sync.failures.total", 1, (("code", code),))]
