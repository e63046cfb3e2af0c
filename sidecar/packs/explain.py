"""`continuity/explain`: what a pre-run sent, or what the next one would send, item by item with reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import NotFound
from sidecar.packs import pre_run
from sidecar.packs.model import ExplainedItem, ExplainedStatement, ExplainResult, PreRunParams, UserOverride
from sidecar.packs.overrides import Overrides, load_overrides, statements
from sidecar.packs.pre_run import explained_items
from sidecar.runs import CallRecord, SessionKey, keys, ledger, records
from sidecar.runs.call_record import Block, ItemRecord, SystemText

if TYPE_CHECKING:
    import apsw


def explain_run(call: Call, run_id: str) -> ExplainResult:
    """Explain a recorded pre-run. Raise NotFound without a record."""
    with call.database.read() as tx:
        call_record = records.call_of_run(tx, run_id)
        if call_record is None:
            raise NotFound("No pre-run is recorded under that run id.", hint=_RETENTION_HINT)
        return _explain_record(tx, call_record)


def explain_newest(call: Call, project_path: str | None) -> ExplainResult:
    """Explain the newest recorded pre-run, of a project or of all. Raise NotFound without a record."""
    project = None if project_path is None else call.process.workspaces.get(project_path, None).project_key
    with call.database.read() as tx:
        call_record = records.newest_call(tx, project)
        if call_record is None:
            raise NotFound("No pre-run is recorded yet.", hint=_RETENTION_HINT)
        return _explain_record(tx, call_record)


_RETENTION_HINT = "Only the latest pre-runs are stored, and none while the mode is off."


def _explain_record(tx: apsw.Connection, call_record: CallRecord) -> ExplainResult:
    overrides = load_overrides(tx, call_record.project)
    session_anchor = ledger.session_contents(tx, _session_of(call_record)).anchor
    details, system, blocks = call_record.details, call_record.texts.system, list(call_record.texts.blocks)
    return ExplainResult(
        run_id=call_record.run_id,
        created_at=rfc3339(call_record.created_at_ms),
        status=call_record.status,
        action=details.action,
        reason=details.reason,
        items=_items(details.items, overrides),
        statements=_statements(
            _anchor_of(system, blocks) or (session_anchor.text if session_anchor else ""), overrides
        ),
        overrides=wire_overrides(overrides),
        system=system,
        blocks=blocks,
        metadata=details.metadata,
    )


def explain_next(call: Call, params: PreRunParams) -> ExplainResult:
    """Explain what a pre-run would send now, without recording it."""
    decision = pre_run.decide(call, params)
    result = pre_run.response_of(call, params, decision, None)
    overrides = decision.request.overrides if decision.request is not None else {}
    anchor = (
        decision.composition.anchor.text if decision.composition is not None and decision.composition.anchor else ""
    )
    present = "\n".join(decision.inputs.pack.anchor) if decision.inputs is not None else ""
    return ExplainResult(
        run_id=params.run_id,
        created_at=call.now(),
        status="notRun",
        action=result.action,
        reason=result.reason,
        items=_items(explained_items(decision.composition.dispositions) if decision.composition else [], overrides),
        statements=_statements(f"{anchor}\n{present}", overrides),
        overrides=wire_overrides(overrides),
        system=result.system,
        blocks=result.blocks,
        metadata=result.metadata,
    )


def wire_overrides(overrides: Overrides) -> list[UserOverride]:
    """Return overrides in their wire form."""
    return [
        UserOverride(item=override.item, override=override.kind, why=override.why, at=rfc3339(override.at_ms))
        for override in overrides.values()
    ]


def _items(items: Iterable[ItemRecord], overrides: Overrides) -> list[ExplainedItem]:
    return [
        ExplainedItem(
            item=item.key, kind=item.kind, bytes=item.bytes, disposition=item.disposition, why=item.why,
            score=dict(item.score), override=overrides[item.key].kind if item.key in overrides else None,
        )
        for item in items
    ]  # fmt: skip


def _statements(anchor: str, overrides: Overrides) -> list[ExplainedStatement]:
    return [
        ExplainedStatement(item=item, text=text, override=overrides[item].kind if item in overrides else None)
        for item, text in dict(statements(anchor)).items()
    ]


def _anchor_of(system: SystemText | None, blocks: list[Block]) -> str:
    return system.text if system else next((block.text for block in blocks if block.kind == keys.ANCHOR), "")


def _session_of(call_record: CallRecord) -> SessionKey | None:
    return (
        SessionKey(call_record.provider, call_record.session_id, call_record.shadow)
        if call_record.session_id is not None
        else None
    )
