"""The one list of every method and notification. What the way of a run needs can be had without the rest."""

from typing import NamedTuple

from sidecar.method import Method, Notification


class Rows(NamedTuple):
    """Rows of the catalog."""

    methods: tuple[Method, ...]
    notifications: tuple[Notification, ...]


def of_runs() -> Rows:
    """Loads the slices that a run passes through and the settings, and gives their rows."""
    from sidecar import lifecycle
    from sidecar.capture import methods as capture
    from sidecar.codebase import methods as codebase
    from sidecar.governor import methods as governor
    from sidecar.metrics import methods as metrics
    from sidecar.packs import methods as packs
    from sidecar.settings import methods as settings

    slices = (lifecycle, packs, capture, governor, codebase, metrics, settings)
    rows = tuple(row for one in slices for row in one.METHODS)
    return Rows(rows, (*lifecycle.NOTIFICATIONS, *packs.NOTIFICATIONS))


def every() -> Rows:
    """Loads every slice and gives all rows."""
    from sidecar.capture.artifacts import methods as artifacts
    from sidecar.context import methods as context
    from sidecar.integrations.claude_code import hooks
    from sidecar.knowledge import methods as knowledge
    from sidecar.memory import methods as memory
    from sidecar.operations import methods as operate
    from sidecar.ralph import methods as ralph
    from sidecar.registry import methods as registry
    from sidecar.session import methods as session

    first = of_runs()
    slices = (artifacts, context, session, memory, registry, knowledge, ralph, operate, hooks)
    rest = tuple(row for one in slices for row in one.METHODS)
    return Rows((*first.methods, *rest), (*first.notifications, *knowledge.NOTIFICATIONS, *ralph.NOTIFICATIONS))


def of_loops() -> Rows:
    """Loads what a loop on the command line needs, and gives its rows: no more memory is taken than has to be."""
    from sidecar.ralph import methods as ralph
    from sidecar.settings import methods as settings

    return Rows((*settings.METHODS, *ralph.METHODS), ralph.NOTIFICATIONS)


def of_hooks() -> Rows:
    """Loads what a hook of Claude Code needs where it has a process of its own, and gives those rows."""
    from sidecar.integrations.claude_code import hooks

    first = of_runs()
    return Rows((*first.methods, *hooks.METHODS), first.notifications)
