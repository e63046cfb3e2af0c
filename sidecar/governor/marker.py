"""What the chat shows where a conversation goes on in a fresh session. Pure."""

from sidecar.governor.snapshot import Snapshot
from sidecar.runs import Counters


def marker_text(counters: Counters, snapshot: Snapshot) -> str:
    """Says in a line or two that a fresh session begins, what the one before had, and what is carried over."""
    given = f", {_size(sum(counters.injected))} of context" if any(counters.injected) else ""
    return (
        f"Continued in a fresh session: the one before had {_count(counters.turns, 'turn')}{given}."
        f" Nothing was removed. Carried over: {_listed(_carried(snapshot))}."
    )


def _carried(snapshot: Snapshot) -> list[str]:
    done = sum(status == "completed" for _, status in snapshot.todos)
    counted = (
        (len(snapshot.todos), "step", f" ({done} done)"),
        (len(snapshot.decisions), "decision", ""),
        (len(snapshot.risks), "open point", ""),
        (len(snapshot.failing), "failing test", ""),
        (len(snapshot.files), "changed file", ""),
    )
    return [
        *(["the goal"] if snapshot.objective else []),
        *(["the plan"] if snapshot.plan else []),
        *(f"{_count(number, noun)}{more}" for number, noun, more in counted if number),
    ]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _size(number: int) -> str:
    return f"{number / 1000:,.0f} KB" if number >= 1000 else f"{number} bytes"


def _listed(parts: list[str]) -> str:
    if len(parts) < 2:
        return parts[0] if parts else "what the repository tells"
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
