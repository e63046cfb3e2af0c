"""Events of a run that are worth an entry, identified by what happened and not by its wording. Pure."""

from collections.abc import Container, Iterable, Sequence

from sidecar.capture.test_results.verdicts import VerdictChange
from sidecar.core.digests import short_id
from sidecar.core.secrets.redact import redact
from sidecar.runs.provenance import Event, EventKind

RANK: tuple[EventKind, ...] = ("directionChanged", "boundaryTouched", "testsFixed")
"""The first of these among an entry's events names the entry."""

MAX_NAMES = 5


def fixes(changes: Iterable[VerdictChange], files: Container[str]) -> list[Event]:
    """Return an event for each runner whose tests failed and now all pass. A deleted test is not a fix."""
    events = []
    for change in changes:
        names = [redact(name) for name in change.fixed if _is_there(name, files)]
        if change.is_red or not change.was_red or (change.fixed and not names):
            continue
        key = f"fixed:{short_id([change.runner, sorted(names)])}"
        events.append(Event(kind="testsFixed", key=key, line=_line(change, names)))
    return events


def name_of(events: Iterable[Event]) -> EventKind | None:
    """Return the event that names an entry."""
    kinds = {event.kind for event in events}
    return next((kind for kind in RANK if kind in kinds), None)


def _line(change: VerdictChange, names: Sequence[str]) -> str:
    if not names:
        return f"Fixed: {change.runner} passes again."
    shown = ", ".join(f"`{_plain(name)}`" for name in names[:MAX_NAMES])
    more = f" and {len(names) - MAX_NAMES} more tests" if len(names) > MAX_NAMES else ""
    return f"Fixed: {shown}{more} ({change.runner})."


def _plain(name: str) -> str:
    return name.replace("`", "'")[:160]


def _is_there(name: str, files: Container[str]) -> bool:
    """Whether a test's file exists, if its name starts with one."""
    path, separator, _ = name.partition("::")
    return not separator or "/" not in path or path in files
