"""`continuity/explain`: what a pre-run sent, or what the next one would send, item by item and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import NotFound
from sidecar.packs import pre_run
from sidecar.packs.model import (
    Block,
    ExplainedItem,
    ExplainedStatement,
    ExplainResult,
    PreRunMetadata,
    PreRunParams,
    SystemText,
    UserWish,
)
from sidecar.packs.overrides import Wishes, statements
from sidecar.packs.pre_run_record import explained_items
from sidecar.packs.store import wishes_of
from sidecar.runs import CallRecord, SessionKey, keys, ledger, records

if TYPE_CHECKING:
    import apsw


def of_run(call: Call, run_id: str) -> ExplainResult:
    """Explains a recorded pre-run; raises NotFound."""
    with call.database.read() as tx:
        found = records.call_of_run(tx, run_id)
        if found is None:
            raise NotFound("No pre-run is recorded under that run id.", hint=_KEPT)
        return _told(tx, found)


def of_newest(call: Call, project_path: str | None) -> ExplainResult:
    """Explains the newest recorded pre-run, of a project or of all; raises NotFound."""
    project = None if project_path is None else call.process.workspaces.get(project_path, None).project_key
    with call.database.read() as tx:
        found = records.newest_call(tx, project)
        if found is None:
            raise NotFound("No pre-run is recorded yet.", hint=_KEPT)
        return _told(tx, found)


_KEPT = "Only the latest pre-runs are kept, and none while the mode is off."


def _told(tx: apsw.Connection, found: CallRecord) -> ExplainResult:
    wishes = wishes_of(tx, found.project)
    held = ledger.session_contents(tx, _session_of(found)).anchor
    record, texts = found.record, found.blocks
    system = SystemText.model_validate(texts["system"]) if texts["system"] else None
    blocks = [Block.model_validate(block) for block in texts["blocks"]]
    return ExplainResult(
        run_id=found.run_id,
        created_at=rfc3339(found.created_at_ms),
        status=found.status,
        action=record["action"],
        reason=record["reason"],
        items=_items(record["items"], wishes),
        statements=_statements(_anchor_of(system, blocks) or (held.text if held else ""), wishes),
        wishes=shown(wishes),
        system=system,
        blocks=blocks,
        metadata=PreRunMetadata.model_validate(record["metadata"]),
    )


def of_next(call: Call, params: PreRunParams) -> ExplainResult:
    """Explains what a pre-run would send now; keeps nothing of it but what had to be read."""
    decided = pre_run.decide(call, params)
    result = pre_run.answer_of(call, params, decided, None)
    wishes = decided.turn.wishes if decided.turn is not None else {}
    anchor = decided.composed.anchor.text if decided.composed is not None and decided.composed.anchor else ""
    present = "\n".join(decided.gathered.pack.anchor) if decided.gathered is not None else ""
    return ExplainResult(
        run_id=params.run_id,
        created_at=call.now(),
        status="notRun",
        action=result.action,
        reason=result.reason,
        items=_items(explained_items(decided.composed.fates) if decided.composed else [], wishes),
        statements=_statements(f"{anchor}\n{present}", wishes),
        wishes=shown(wishes),
        system=result.system,
        blocks=result.blocks,
        metadata=result.metadata,
    )


def shown(wishes: Wishes) -> list[UserWish]:
    """Gives wishes as they are told."""
    return [UserWish(item=wish.item, word=wish.word, why=wish.why, at=rfc3339(wish.at_ms)) for wish in wishes.values()]


def _items(items: list[Any], wishes: Wishes) -> list[ExplainedItem]:
    return [
        ExplainedItem(
            item=item, kind=kind, bytes=size, fate=fate, why=why, score=score,
            word=wishes[item].word if item in wishes else None,
        )
        for item, kind, size, fate, why, score in items
    ]  # fmt: skip


def _statements(anchor: str, wishes: Wishes) -> list[ExplainedStatement]:
    return [
        ExplainedStatement(item=item, text=text, word=wishes[item].word if item in wishes else None)
        for item, text in dict(statements(anchor)).items()
    ]


def _anchor_of(system: SystemText | None, blocks: list[Block]) -> str:
    return system.text if system else next((block.text for block in blocks if block.kind == keys.ANCHOR), "")


def _session_of(found: CallRecord) -> SessionKey | None:
    return SessionKey(found.provider, found.session_id, found.shadow) if found.session_id is not None else None
