"""`continuity/preRun`, `continuity/explain`, the user's word on items, and the notifications around them."""

from typing import TYPE_CHECKING

from sidecar.call import Call
from sidecar.context import note_compaction
from sidecar.core.errors import Busy, NotFound, StateDegraded, WorkspaceUnavailable
from sidecar.core.secrets.redact import redact
from sidecar.governor import after_compaction, after_new_session
from sidecar.method import Lane, method, notification
from sidecar.packs import explain as explaining
from sidecar.packs import pre_run as prerun
from sidecar.packs import store
from sidecar.packs.model import (
    ExplainParams,
    ExplainResult,
    MuteParams,
    PinParams,
    PreRunParams,
    PreRunResult,
    RepoChangedParams,
    SessionEventParams,
    UserWord,
    WishesResult,
)
from sidecar.packs.overrides import Wish
from sidecar.packs.prefetch import rebuild_soon
from sidecar.runs import delete_sub_chat, ledger, records

if TYPE_CHECKING:
    import apsw


def pre_run(call: Call, params: PreRunParams) -> PreRunResult:
    """Gives what goes to the provider before a run: the packs this provider session does not have yet.

    The prompt passes through byte-identical when the mode is off or passive, when it begins with a slash, for a
    local model, and when nothing is ready at the deadline. What is sent counts as delivered once
    `continuity/postRun` confirms that the run reached the provider.
    """
    return prerun.run(call, params)


def explain(call: Call, params: ExplainParams) -> ExplainResult:
    """Shows what a run's pre-run sent, or what one would send now, item by item, with the reasons.

    Of a run also what passive mode would have sent, and why a prompt passed through. What would be is not recorded.
    """
    if params.pre_run is not None:
        return explaining.of_next(call, params.pre_run)
    if params.run_id is not None:
        return explaining.of_run(call, params.run_id)
    return explaining.of_newest(call, params.project_path)


def pin(call: Call, params: PinParams) -> WishesResult:
    """Keeps the user's word that an item is always to be sent: to each session, once, and again when it changed.

    Holds for the project in all its worktrees. Of files the twelve that were pinned last are sent.
    """
    return _keep_word(call, params, "always")


def mute(call: Call, params: MuteParams) -> WishesResult:
    """Keeps the user's word that an item is never to be sent, or that what it says is wrong.

    Holds for the project in all its worktrees. A session that has a statement of the anchor is told that it no longer
    holds.
    """
    return _keep_word(call, params, "wrong" if params.wrong else "never")


def _keep_word(call: Call, params: PinParams, word: UserWord) -> WishesResult:
    project = call.process.workspaces.get(params.project_path, None).project_key
    with call.database.write() as tx:
        if params.take_back:
            store.take_back(tx, project, params.item)
        else:
            store.put(tx, project, Wish(params.item, word, redact(params.why), call.now_ms()))
        wishes = store.wishes_of(tx, project)
    return WishesResult(wishes=explaining.shown(wishes))


def repo_changed(call: Call, params: RepoChangedParams) -> None:
    """Hints that files changed, so that their words are read, and the packs made, before the next pre-run asks.

    Of a burst of hints comes one rebuild, and of a state that has its packs none. Proves nothing.
    """
    for workspace in call.process.workspaces.at(params.cwd):
        workspace.require()
        rebuild_soon(call.process, workspace)


def session_event(call: Call, params: SessionEventParams) -> None:
    """Tells what happened to a provider session outside a run.

    After reset, forked, rolledBack, compacted and deleted the session counts as unknown and gets the full packs
    again, but a compacted or rolled back one of Claude's keeps its system text; modeChanged changes nothing it has.
    Of what is deleted, the sub-chat or with an id one session of it, the runs are forgotten too, also the one that ends
    only later; artifacts, memories and sums stay.
    """
    if params.event == "modeChanged":
        return
    if params.event == "deleted":
        with call.database.write() as tx:
            delete_sub_chat(tx, params.sub_chat_id, params.session_id, call.now_ms())
        return
    with call.database.write() as tx:
        # A run under way counts as not delivered: what it was given may be gone with the rest.
        forget = ledger.drop_transcript if params.event in ("compacted", "rolledBack") else ledger.drop_session
        forget(tx, params.provider, params.session_id, params.sub_chat_id)
        records.drop_pending(tx, params.sub_chat_id)
        _relieve(tx, params, call.now_ms())


def _relieve(tx: "apsw.Connection", params: SessionEventParams, now_ms: int) -> None:
    """Takes from a conversation the pressure that its present session has lost; of another session it has none."""
    place = records.conversation_place(tx, params.sub_chat_id)
    state = records.sub_chat(tx, params.sub_chat_id)
    present = state.counters.sessions[-1:]
    if place is None or (params.session_id is not None and (params.session_id,) != present):
        return
    if params.event == "compacted" and params.session_id is not None:
        note_compaction(tx, place.project, params.session_id, now_ms)
    after = {"compacted": after_compaction, "reset": after_new_session}.get(params.event)
    if after is not None:
        state = state._replace(counters=after(state.counters, now_ms))
        records.put_sub_chat(tx, params.sub_chat_id, place.project, place.workspace, state, now_ms)


METHODS = (
    method("continuity/preRun", pre_run, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
    method(
        "continuity/explain", explain, lane=Lane.SHARED, errors=(NotFound, WorkspaceUnavailable, StateDegraded, Busy)
    ),
    method("continuity/pin", pin, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("continuity/mute", mute, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)

NOTIFICATIONS = (
    notification("continuity/repoChanged", repo_changed, lane=Lane.SHARED),
    notification("continuity/sessionEvent", session_event, lane=Lane.WORKSPACE),
)
