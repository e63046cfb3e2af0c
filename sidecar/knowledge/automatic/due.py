"""Whether a sync is due, and syncing in the background when it is."""

from sidecar.call import Call
from sidecar.knowledge.automatic.triggers import Due, Standing, Triggers, due, duration_ms
from sidecar.knowledge.repository.remote import source_of
from sidecar.knowledge.syncing.looking import load_state
from sidecar.runs import records
from sidecar.settings.resolve import Settings
from sidecar.workspace import Workspace


def how_due(call: Call, workspace: Workspace) -> tuple[Due, int]:
    """Says whether a sync is due by the project's settings, and how many sessions ran since the last one.

    The repository is only asked where its head counts: by the settings, or because a rollback holds.
    """
    settings = call.process.settings(workspace.project_key)
    wanted, state = triggers_of(settings), load_state(call, workspace.project_key)
    with call.database.read() as tx:
        sessions = records.sessions_since(tx, workspace.project_key, state.last_sync_at_ms or 0)
    if not settings["knowledge.repository"]:
        return Due(False, "manual", "No repository is set."), sessions
    since = None if state.last_sync_at_ms is None else call.now_ms() - state.last_sync_at_ms
    by_now = due(wanted._replace(head_moved=False), Standing(since, sessions, head_moved=False))
    if (by_now.is_due and not state.held_at) or not (by_now.is_due or wanted.head_moved):
        return by_now, sessions
    head = source_of(call, settings, fetches=True).commit
    moved, holds = head != state.last_knowledge_commit, head == state.held_at
    return due(wanted, Standing(since, sessions, moved, holds)), sessions


def runs_by_itself(settings: Settings) -> bool:
    """Says whether a sync may run by itself: a trigger is set, and the mode is the one that writes into projects."""
    return triggers_of(settings) != Triggers() and settings.mode == "active"


def triggers_of(settings: Settings) -> Triggers:
    """Gives what the project's settings say of when a sync is due."""
    staleness = settings["knowledge.stalenessThreshold"]
    return Triggers(
        None if staleness is None else duration_ms(staleness),
        settings["knowledge.sessionThreshold"],
        settings["knowledge.onHeadMoved"],
    )
