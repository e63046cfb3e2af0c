"""`registry/decide` and `registry/decisions`: whether something new is needed, and what was decided before."""

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.digests import short_id
from sidecar.core.errors import PolicyDenied, SidecarError, StateDegraded, TooLarge, WorkspaceUnavailable
from sidecar.core.text import one_line
from sidecar.method import Lane, method
from sidecar.registry import store
from sidecar.registry.entity import Registry
from sidecar.registry.loading import registry_of
from sidecar.registry.matching.deciding import Recommendation, decide
from sidecar.registry.model import (
    DecisionEntry,
    RegistryDecideParams,
    RegistryDecideResult,
    RegistryDecisionsParams,
    RegistryDecisionsResult,
)
from sidecar.registry.showing import recommendation_entry
from sidecar.workspace import Workspace

MAX_INTENT = 500
"""Characters of an intent that are kept with its decision."""


def decide_intent(call: Call, params: RegistryDecideParams) -> RegistryDecideResult:
    """Says whether what an intent asks for is there already: REUSE (from 90), ADAPT (from 60) or CREATE.

    Score: 60 % the intent's words in keywords, name and purpose, weighted by rarity; 40 % in name and purpose, less
    where the entity is about more than the intent. Scores are compared unrounded. The same registry and intent give
    the same answer. The decision is kept, and changes nothing else.
    """
    workspace, held = registry_of(call, params)
    registry = held.load().registry
    found = decide(params.intent, registry, held.index(registry), params.limit, params.type)
    entities = registry.entities
    of_type = len(entities) if params.type is None else sum(one.type == params.type for one in entities)
    best = found[0] if found else None
    decision_id = short_id([registry.digest, params.intent, params.type, params.limit], 16)
    return RegistryDecideResult(
        decision_id=decision_id,
        decision=best.decision if best else "CREATE",
        considered=of_type,
        recommendations=[recommendation_entry(one) for one in found],
        recorded=_record(call, workspace, decision_id, params, registry, best),
    )


def decisions(call: Call, params: RegistryDecisionsParams) -> RegistryDecisionsResult:
    """Shows a project's last decisions, the latest first; a hundred are kept."""
    project = call.process.workspaces.get(params.cwd, params.project_path).project_key
    with call.database.read() as tx:
        rows = store.decisions(tx, project, params.limit)
    return RegistryDecisionsResult(
        decisions=[
            DecisionEntry(decision_id=decision_id, at=rfc3339(at_ms), times=times, **value)
            for decision_id, at_ms, times, value in rows
        ]
    )


def _record(
    call: Call,
    workspace: Workspace,
    decision_id: str,
    params: RegistryDecideParams,
    registry: Registry,
    best: Recommendation | None,
) -> bool:
    value = {
        "intent": one_line(params.intent, MAX_INTENT),
        "type": params.type,
        "decision": best.decision if best else "CREATE",
        "score": best.score.score if best else 0.0,
        "entity_id": best.entity.id if best else None,
        "registry": registry.digest,
    }
    try:
        with call.database.write(durable=False) as tx:
            store.put_decision(tx, workspace.project_key, decision_id, call.now_ms(), value)
    except SidecarError as error:  # a decision that is not recorded is a decision still
        call.log.warning("registry.decision.unrecorded", reason=error.kind)
        return False
    return True


METHODS = (
    method(
        "registry/decide",
        decide_intent,
        lane=Lane.SHARED,
        errors=(WorkspaceUnavailable, PolicyDenied, TooLarge, StateDegraded),
    ),
    method("registry/decisions", decisions, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)
