"""`continuity/preRun`, `continuity/explain`, and the notifications that touch what will be sent."""

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, NotFound, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method, notification
from sidecar.packs import prerun
from sidecar.packs.ahead import rebuild_soon
from sidecar.packs.model import (
    Block,
    ExplainedItem,
    ExplainParams,
    ExplainResult,
    PreRunMetadata,
    PreRunParams,
    PreRunResult,
    RepoChangedParams,
    SessionEventParams,
    SystemText,
)
from sidecar.runs import ledger, records


def pre_run(call: Call, params: PreRunParams) -> PreRunResult:
    """Gives what goes to the provider before a run: the packs this provider session does not have yet.

    The prompt passes through byte-identical when the mode is off or passive, when it begins with a slash, for a
    local model, and when nothing is ready at the deadline. What is sent counts as delivered once
    `continuity/postRun` confirms that the run reached the provider.
    """
    return prerun.run(call, params)


def explain(call: Call, params: ExplainParams) -> ExplainResult:
    """Shows what a run's pre-run sent, item by item, with the reasons; also what passive mode would have sent."""
    with call.database.read() as tx:
        found = records.call_of_run(tx, params.run_id)
    if found is None:
        raise NotFound("No pre-run is recorded under that run id.", hint="Only the latest pre-runs are kept.")
    record, texts = found.record, found.blocks
    return ExplainResult(
        run_id=found.run_id,
        created_at=rfc3339(found.created_at_ms),
        status=found.status,
        action=record["action"],
        reason=record["reason"],
        items=[
            ExplainedItem(item=item, kind=kind, bytes=size, fate=fate, why=why, score=score)
            for item, kind, size, fate, why, score in record["items"]
        ],
        system=SystemText.model_validate(texts["system"]) if texts["system"] else None,
        blocks=[Block.model_validate(block) for block in texts["blocks"]],
        metadata=PreRunMetadata.model_validate(record["metadata"]),
    )


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
    again, but a compacted one of Claude's keeps its system text; modeChanged changes nothing it has.
    """
    if params.event == "modeChanged":
        return
    with call.database.write() as tx:
        # A run under way counts as not delivered: what it was given may be gone with the rest.
        if params.event == "compacted" and params.session_id is not None:
            ledger.compact(tx, params.provider, params.session_id)
        else:
            ledger.forget(tx, params.provider, params.session_id, params.sub_chat_id)
        records.drop_pending(tx, params.sub_chat_id)


METHODS = (
    method("continuity/preRun", pre_run, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
    method("continuity/explain", explain, lane=Lane.SHARED, errors=(NotFound, StateDegraded)),
)

NOTIFICATIONS = (
    notification("continuity/repoChanged", repo_changed, lane=Lane.SHARED),
    notification("continuity/sessionEvent", session_event, lane=Lane.WORKSPACE),
)
