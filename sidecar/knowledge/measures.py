"""What a sync measures, by the specification's names (knowledge-sync.md, Sync Observability). Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping

from sidecar.knowledge.plan import Conflict


def of_sync(kind: str, elapsed_ms: float, counts: Mapping[str, int], conflicts: Iterable[Conflict]) -> dict[str, float]:
    """Gives the measures of a sync that went through; durations in milliseconds."""
    found = Counter(one.type for one in conflicts)
    return {
        f"sync.operations.total{{type={kind}}}": 1.0,
        f"sync.operations.duration{{type={kind}}}": elapsed_ms,
        "sync.items.added": float(counts.get("create", 0)),
        "sync.items.updated": float(counts.get("update", 0)),
        "sync.items.deleted": float(counts.get("delete", 0)),
        **{f"sync.conflicts.total{{type={name}}}": float(number) for name, number in sorted(found.items())},
    }


def of_failure(code: str) -> dict[str, float]:
    """Gives the measure of a sync that failed."""
    return {f"sync.failures.total{{code={code}}}": 1.0}
