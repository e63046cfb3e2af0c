"""The records of pre-runs: what each was about to deliver, and everything needed to explain it; stored and found.

JSON form of `CallDetails` (column `record`, version 3): one object whose members are the fields in snake case.
`metadata` is the object of the wire, `anchor` is `{id, text}` or null, `delivered` a list of `{key, entry, bytes}` with
entries as in `runs/ledger_entries.py`, `items` a list of `{key, kind, bytes, disposition, why, score, regions}` with
regions `{lines, name, score}`, `baseline` an object as `WorktreeBaseline`. JSON form of `CallTexts` (column `blocks`):
`{system, blocks}` with the objects of the wire.
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import apsw
import orjson
from pydantic import Field

from sidecar.core.wire_types import WireModel
from sidecar.runs.ledger_entries import entry_from_json, entry_to_json
from sidecar.runs.model import DeliveredItem, PinnedAnchor
from sidecar.runs.run_records import run_result

if TYPE_CHECKING:
    from sidecar.context import Bracket

_VERSION = 3

BlockKind = Literal["anchor", "context", "delta", "plan", "carryover"]


class SystemText(WireModel):
    """The pinned anchor for the provider's system prompt (Claude): the same bytes on every call of a session."""

    id: str
    text: str


class Block(WireModel):
    """A pack as text, sent before the user's request."""

    kind: BlockKind
    id: str
    bytes: int = Field(description="UTF-8 bytes of `text`.")
    text: str


class StateIds(WireModel):
    """The id of each pack that is valid for this call; null where there is none."""

    anchor_pack_id: str | None
    context_pack_id: str | None
    delta_pack_id: str | None
    plan_contract_id: str | None


class Trimmed(WireModel):
    """An omitted item and the reason."""

    item: str
    reason: str


class LowTokenReuse(WireModel):
    """The decision of low-token mode on a call."""

    delta_only: bool = Field(description="Whether only changes were sent, because the session's packs still fit.")
    reason: str


Arm = Literal["treated", "control"]
"""Treated chats receive packs; control chats receive what a chat receives in passive mode."""


Mode = Literal["off", "passive", "active"]
"""The setting `mode`."""


def arm_mark(experiment: str, arm: Arm) -> str:
    """Return the mark of memories and artifacts that chats of an arm store."""
    return f"{experiment}:{arm}"


class RolloutDecision(WireModel):
    """The mode of one chat, and why it may differ from the settings' mode."""

    mode: Mode = Field(description="The effective mode of the chat.")
    decided_by: Literal["chat", "share", "suspension"] = Field(
        description="`chat`: the user chose it for this chat; `share`: the chat's arm; `suspension`: the rollout is"
        " suspended."
    )
    arm: Arm | None = Field(default=None, description="Null for a chat that is not part of the rollout by share.")
    share: int | None = Field(default=None, description="The share, in percent, at which the arm was drawn.")
    experiment: str | None = Field(default=None, description="The experiment that the chat is part of.")

    @property
    def mark(self) -> str:
        """Mark of what the chat stores, by experiment and arm; empty outside of an experiment."""
        return arm_mark(self.experiment, self.arm) if self.experiment and self.arm else ""


class PreRunMetadata(WireModel):
    """Costs and savings of the call; bytes are UTF-8."""

    cache_hit: bool = Field(description="Whether the context pack came from the pack cache.")
    file_hits: int = Field(description="File summaries that came from the file cache.")
    file_misses: int = Field(description="File summaries that were computed.")
    injected_bytes: int = Field(description="Bytes sent that were new to this provider session.")
    would_inject_bytes: int = Field(description="The same as `injectedBytes`, also computed in passive mode.")
    reused_bytes: int = Field(description="Bytes of the packs valid for this call that the session already has.")
    baseline_bytes: int = Field(description="Cost of sending all packs again: would-inject plus reused.")
    reused_percent: float = Field(description="Reused of baseline, 0 to 100, one decimal.")
    state_ids: StateIds
    trimmed: list[Trimmed] = Field(
        description="Omitted items with the reason: over the budget, late, excluded, nothing new."
    )
    reuse: LowTokenReuse | None = Field(default=None, description="Null in token modes other than low.")
    partial: bool = Field(description="True if something is missing because of the deadline.")
    proof: str | None = Field(description="How the repository's state was verified as fresh; null without a state.")
    elapsed_ms: float = Field(description="Milliseconds from arrival to response, including waiting.")
    rollout: RolloutDecision | None = Field(
        default=None,
        description="Null if the settings' mode holds for every chat and the user chose none for this one.",
    )


DEADLINE = "deadline"
"""Reason for which a late source is omitted."""

LATE_FILES = ("repository", "context")
"""The omissions of late files."""


def is_late(omissions: Iterable[Trimmed], items: Container[str]) -> bool:
    """Whether one of these sources missed the deadline."""
    return any(omission.reason == DEADLINE and omission.item in items for omission in omissions)


Action = Literal["inject", "passthrough"]
Disposition = Literal["sent", "alreadyDelivered", "trimmed", "muted"]
CallStatus = Literal["pending", "committed", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorktreeBaseline:
    """State of the worktree when a run begins; its post-run compares it with the state afterwards."""

    head: str | None = None
    changed: Mapping[str, str] | None = None
    """Digest of each changed file's diff, by path, and of each counted folder; None if the state is unknown."""
    lines: Mapping[str, int] | None = None
    """Number of changed lines of each changed file; None if they were not counted."""
    sent_head: str | None = None
    """The head commit that the session knows."""
    is_late: bool = False
    """Whether it was recorded after the run had begun, and may include the run's first edits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionRecord:
    """A region that a file's item shows."""

    lines: str
    """The numbers of its lines, as `12-40`; with a gap, as `12,20-40`."""
    name: str
    score: Mapping[str, float]
    """Parts of its score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRecord:
    """Explanation of one item of a pack: what became of it, and why."""

    key: str
    kind: BlockKind
    bytes: int
    disposition: Disposition
    why: str
    score: Mapping[str, float]
    regions: tuple[RegionRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDetails:
    """Contents of a pre-run's record."""

    action: Action
    reason: str | None
    metadata: PreRunMetadata
    is_passthrough: bool = False
    """Whether the prompt passed through: the record explains and delivers nothing."""
    delivered: tuple[DeliveredItem, ...] = ()
    files: tuple[str, ...] = ()
    """Files whose content the packs show."""
    anchor: PinnedAnchor | None = None
    """The anchor that the session receives with this call."""
    is_fresh: bool = False
    """Whether the host was asked for a fresh session."""
    bracket: Bracket | None = None
    """Context-window bracket that the host reported."""
    items: tuple[ItemRecord, ...] = ()
    baseline: WorktreeBaseline = WorktreeBaseline()

    @property
    def lacks_pack(self) -> bool:
        """Whether files were late, and neither code nor an anchor was shown."""
        return not self.files and self.anchor is None and is_late(self.metadata.trimmed, LATE_FILES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTexts:
    """Texts of a pre-run, as they were sent or would have been."""

    system: SystemText | None = None
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """A pre-run as recorded."""

    delivery_token: str
    run_id: str
    sub_chat_id: str
    project: str
    workspace: str
    provider: str
    session_id: str | None
    """The session that this call continues; None if it starts a fresh one."""
    shadow: bool
    """Whether nothing was really sent."""
    status: CallStatus
    created_at_ms: int
    details: CallDetails
    texts: CallTexts


def details_to_json(details: CallDetails) -> bytes:
    """Return the JSON form of a record's details."""
    return orjson.dumps(
        {
            "version": _VERSION,
            "action": details.action,
            "reason": details.reason,
            "metadata": details.metadata.model_dump(mode="json", by_alias=True),
            "is_passthrough": details.is_passthrough,
            "delivered": [
                {"key": item.key, "entry": orjson.Fragment(entry_to_json(item.entry)), "bytes": item.bytes}
                for item in details.delivered
            ],
            "files": details.files,
            "anchor": details.anchor,
            "is_fresh": details.is_fresh,
            "bracket": details.bracket,
            "items": details.items,
            "baseline": details.baseline,
        }
    )


def details_from_json(text: bytes) -> CallDetails:
    """Return details from their JSON form. Raise ValueError, KeyError or TypeError for anything else."""
    value = orjson.loads(text)
    if value["version"] != _VERSION:
        raise ValueError("a record of another version")
    return CallDetails(
        action=value["action"],
        reason=value["reason"],
        metadata=PreRunMetadata.model_validate(value["metadata"]),
        is_passthrough=value["is_passthrough"],
        delivered=tuple(
            DeliveredItem(item["key"], entry_from_json(orjson.dumps(item["entry"])), item["bytes"])
            for item in value["delivered"]
        ),
        files=tuple(value["files"]),
        anchor=PinnedAnchor(**value["anchor"]) if value["anchor"] is not None else None,
        is_fresh=value["is_fresh"],
        bracket=value["bracket"],
        items=tuple(
            ItemRecord(**item | {"regions": tuple(RegionRecord(**region) for region in item["regions"])})
            for item in value["items"]
        ),
        baseline=WorktreeBaseline(**value["baseline"]),
    )


def texts_to_json(texts: CallTexts) -> bytes:
    """Return the JSON form of a record's texts."""
    return orjson.dumps(
        {
            "system": texts.system.model_dump(by_alias=True) if texts.system is not None else None,
            "blocks": [block.model_dump(by_alias=True) for block in texts.blocks],
        }
    )


def texts_from_json(text: bytes) -> CallTexts:
    """Return texts from their JSON form. Raise ValueError, KeyError or TypeError for anything else."""
    value = orjson.loads(text)
    return CallTexts(
        system=SystemText.model_validate(value["system"]) if value["system"] is not None else None,
        blocks=tuple(Block.model_validate(block) for block in value["blocks"]),
    )


MAX_CALLS = 400
"""Maximum number of pre-runs stored for `continuity/explain`; the oldest are deleted a few at a time."""

CALLS_PRUNED_AT_ONCE = 16


def record_call(tx: apsw.Connection, call: CallRecord) -> None:
    """Record a pre-run, pending until its post-run, and delete the oldest ones.

    A conversation that continues no longer counts as deleted.
    """
    tx.execute(
        "DELETE FROM continuity_deleted WHERE sub_chat_id = ? AND session_id IN ('', ?)",
        (call.sub_chat_id, call.session_id or ""),
    )
    tx.execute(
        "INSERT INTO continuity_calls (delivery_token, run_id, sub_chat_id, project, workspace, provider, session_id,"
        " shadow, status, created_at_ms, record, blocks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            call.delivery_token,
            call.run_id,
            call.sub_chat_id,
            call.project,
            call.workspace,
            call.provider,
            call.session_id,
            call.shadow,
            call.status,
            call.created_at_ms,
            details_to_json(call.details),
            _compressed(texts_to_json(call.texts)),
        ),
    )
    if tx.last_insert_rowid() % CALLS_PRUNED_AT_ONCE:
        return
    tx.execute(
        "DELETE FROM continuity_calls WHERE delivery_token IN (SELECT delivery_token FROM continuity_calls"
        " ORDER BY rowid DESC LIMIT -1 OFFSET ?)",
        (MAX_CALLS,),
    )


def add_baseline(tx: apsw.Connection, delivery_token: str, baseline: WorktreeBaseline) -> None:
    """Add the worktree's baseline to a pre-run that could not wait for it, unless its run has ended.

    What the record knows of lines and of the session's head stays.
    """
    call = call_of_token(tx, delivery_token)
    if call is not None and run_result(tx, call.run_id) is None:
        known = call.details.baseline
        details = replace(
            call.details, baseline=replace(baseline, lines=known.lines, sent_head=known.sent_head, is_late=True)
        )
        tx.execute(
            "UPDATE continuity_calls SET record = ? WHERE delivery_token = ?",
            (details_to_json(details), delivery_token),
        )


def call_of_token(tx: apsw.Connection, delivery_token: str) -> CallRecord | None:
    """Return the pre-run of a delivery token."""
    return _call(tx, "delivery_token = ?", delivery_token)


def call_of_run(tx: apsw.Connection, run_id: str) -> CallRecord | None:
    """Return the last pre-run of a run."""
    return _call(tx, "run_id = ?", run_id)


def first_call_of_run(tx: apsw.Connection, run_id: str) -> CallRecord | None:
    """Return the first pre-run of a run."""
    return _call(tx, "run_id = ?", run_id, order="ASC")


def newest_call(tx: apsw.Connection, project: str | None) -> CallRecord | None:
    """Return the last pre-run of a project, or of all projects."""
    return _call(tx, "project = coalesce(?, project)", project)


def last_calls(tx: apsw.Connection, limit: int) -> list[CallRecord]:
    """Return the latest pre-runs, newest first: in the order of their records, whatever the clock showed."""
    rows: Any = tx.execute("SELECT delivery_token FROM continuity_calls ORDER BY rowid DESC LIMIT ?", (limit,))
    calls = (call_of_token(tx, token) for (token,) in list(rows))
    return [call for call in calls if call is not None]


def set_call_status(tx: apsw.Connection, delivery_token: str, status: str) -> None:
    """Set the status of a pre-run's delivery: committed or dropped."""
    tx.execute("UPDATE continuity_calls SET status = ? WHERE delivery_token = ?", (status, delivery_token))


def drop_pending(tx: apsw.Connection, sub_chat_id: str) -> None:
    """Drop a conversation's pending deliveries: their post-runs will not confirm them."""
    tx.execute(
        "UPDATE continuity_calls SET status = 'dropped' WHERE sub_chat_id = ? AND status = 'pending'", (sub_chat_id,)
    )


def _call(tx: apsw.Connection, where: str, value: str | None, order: str = "DESC") -> CallRecord | None:
    row: Any = tx.execute(
        "SELECT delivery_token, run_id, sub_chat_id, project, workspace, provider, session_id, shadow, status,"
        f" created_at_ms, record, blocks FROM continuity_calls WHERE {where}"
        f" ORDER BY rowid {order}",
        (value,),
    ).fetchone()
    if row is None:
        return None
    token, run_id, sub_chat_id, project, workspace, provider, session_id, shadow, status, at_ms, details, texts = row
    try:
        call_details, call_texts = details_from_json(details), texts_from_json(zlib.decompress(texts))
    except (ValueError, KeyError, TypeError, zlib.error):
        return None  # a damaged row, which the doctor removes
    return CallRecord(
        delivery_token=token,
        run_id=run_id,
        sub_chat_id=sub_chat_id,
        project=project,
        workspace=workspace,
        provider=provider,
        session_id=session_id,
        shadow=bool(shadow),
        status=status,
        created_at_ms=at_ms,
        details=call_details,
        texts=call_texts,
    )


@lru_cache(maxsize=32)
def _compressed(texts: bytes) -> bytes:
    """Compress a call's texts. The same texts recur call after call, such as a pinned anchor, hence the cache."""
    return zlib.compress(texts, 1)
