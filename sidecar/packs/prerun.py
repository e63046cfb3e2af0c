"""`continuity/preRun`, straight down: settings, state, task, packs, ledger, answer, record."""

import string
from dataclasses import dataclass
from typing import Any

from sidecar.call import Call
from sidecar.codebase import may_show
from sidecar.core.clock import Deadline
from sidecar.governor import Word, decide, signals_of
from sidecar.metrics import count_call
from sidecar.packs.anchor import changed_lines
from sidecar.packs.carryover import carryover_item
from sidecar.packs.compose import Composed, Limits, anchor_block, compose
from sidecar.packs.context import ContextFile, context_items, gives_content
from sidecar.packs.delta import delta_items
from sidecar.packs.gather import Gathered, gather
from sidecar.packs.items import PackItem
from sidecar.packs.model import (
    GovernorBefore,
    PreRunMetadata,
    PreRunParams,
    PreRunResult,
    StateIds,
    SystemText,
    TokenMode,
    Trimmed,
)
from sidecar.packs.plan import plan_item
from sidecar.packs.prompt import said
from sidecar.packs.render import render_prompt
from sidecar.packs.shared import question_of
from sidecar.packs.task import task_of
from sidecar.runs import UNKNOWN, CallRecord, FailingTests, Known, SessionKey, SubChat, Task, keys, ledger, records
from sidecar.settings.resolve import Settings
from sidecar.workspace import Workspace

DEFAULT_DEADLINE_MS = 800

WHITE_SPACE = (
    string.whitespace + "\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
)
"""What the host's `trim` takes off a prompt before it looks for a slash (ECMAScript's white space)."""


@dataclass
class _Turn:
    """One call on its way through."""

    call: Call
    params: PreRunParams
    workspace: Workspace
    settings: Settings
    token_mode: TokenMode
    sub_chat: SubChat
    failing: list[FailingTests]
    session: SessionKey | None
    """The session the packs are for; None when a fresh one begins or is asked for."""
    known: Known
    held: Known
    """What the session has that the host would resume, also when a fresh one is asked for."""
    word: Word
    fresh: bool
    task: Task
    task_is_new: bool

    @property
    def is_shadow(self) -> bool:
        return self.settings.mode == "passive"


def run(call: Call, params: PreRunParams) -> PreRunResult:
    """Decides what the agent is told before a run."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off" or params.is_local_model:
        return _untouched(call, params, "off" if settings.mode == "off" else "localModel", None)
    turn = _begin(call, params, workspace, settings)
    if params.prompt.lstrip(WHITE_SPACE).startswith("/"):
        return _untouched(call, params, "slashCommand", turn)
    workspace.require()
    deadline = Deadline(call.received_ms + (params.deadline_ms or DEFAULT_DEADLINE_MS))
    question = question_of(call.process, workspace, params, turn.task, turn.token_mode, settings)
    gathered = gather(question, params, turn.known, deadline, new_task=turn.task_is_new)
    if gathered.late:
        _keep_task(turn)
        return _untouched(call, params, "deadline", turn)
    composed = _composed(turn, gathered)
    call.cancellation.check()  # what nobody receives is not recorded
    return _answer(turn, gathered, composed)


def _begin(call: Call, params: PreRunParams, workspace: Workspace, settings: Settings) -> _Turn:
    """Reads what is known of the conversation and of the provider session."""
    resumed = params.session.id if params.session.will_resume and not params.session.is_fork else None
    shadow = settings.mode == "passive"
    with call.database.read() as tx:
        sub_chat = records.sub_chat(tx, params.sub_chat_id)
        failing = records.failing_tests(tx, workspace.key)
        word = decide(
            signals_of(sub_chat.counters, settings),
            snapshot_allowed=bool(settings["snapshot"]),
            rehydrate_allowed=bool(settings["rehydrate"]) and not shadow,
        )
        fresh = word.action == "rehydrate" and sub_chat.counters.snapshot is not None
        held_by = SessionKey(params.provider, resumed, shadow) if resumed is not None else None
        held = ledger.known(tx, held_by)
    task, is_new = task_of(sub_chat.task, params.prompt)
    token_mode: TokenMode = params.token_mode or settings["tokenMode"]
    session, known = (None, UNKNOWN) if fresh else (held_by, held)
    return _Turn(
        call,
        params,
        workspace,
        settings,
        token_mode,
        sub_chat,
        failing,
        session,
        known,
        held,
        word,
        fresh,
        task,
        is_new,
    )


def _composed(turn: _Turn, gathered: Gathered) -> Composed:
    as_system = turn.params.provider == "claude"
    pinned = turn.known.anchor
    current = anchor_block(gathered.pack.anchor, turn.params.prompt if pinned is None else "")
    anchor = pinned or current
    changes = None
    if pinned is not None and (current is not None or not gathered.partial):
        changes = changed_lines(pinned.text, current.text if current is not None else "")
    limits = Limits(turn.settings.budget_bytes(turn.token_mode), turn.settings.new_bytes_per_call(turn.token_mode))
    items = _items(turn, gathered, changes)
    return compose(items, anchor, turn.known, limits, as_system=as_system, request=turn.params.prompt)


def _items(turn: _Turn, gathered: Gathered, anchor_changes: list[str] | None) -> list[PackItem]:
    """Every item that is valid for this call, whether the session has it or not."""
    items: list[PackItem] = []
    if turn.fresh and turn.sub_chat.counters.snapshot is not None:
        items.append(carryover_item(turn.sub_chat.counters.snapshot))
    if turn.params.mode == "plan":
        items.append(plan_item(turn.task, turn.sub_chat.todos))
    sendable = turn.settings.new_bytes_per_call(turn.token_mode)
    own = {file.ranked.path for file in gathered.extra}
    files = [*gathered.extra, *(file for file in gathered.pack.files if file.ranked.path not in own)]
    telling = [file for file in files if _is_news(turn, file)]
    gathered.omissions.extend(
        Trimmed(item=keys.context_key(file.ranked.path), reason="too faint to be news for a follow-up")
        for file in files
        if not _is_news(turn, file)
    )
    items.extend(context_items(telling, f"{said(turn.params.prompt)} {turn.task.query}", sendable))
    if gathered.state is not None:
        relevance = {file.ranked.path: file.ranked.score for file in files}
        items.extend(
            delta_items(
                gathered.state, gathered.differences, turn.known, gathered.moved, turn.failing, turn.sub_chat.todos,
                anchor_changes, relevance, sendable,
            )
        )  # fmt: skip
    return items


def _is_news(turn: _Turn, file: ContextFile) -> bool:
    """Whether a file is worth telling: a follow-up hears of no further file that shares one word with its task."""
    is_follow_up = turn.known.exists and not turn.task_is_new
    is_faint = len(file.ranked.matched) < 2 and file.ranked.parts.keys() <= {"text", "changed"}
    return not (is_follow_up and is_faint) or keys.context_key(file.ranked.path) in turn.known.items


def _answer(turn: _Turn, gathered: Gathered, composed: Composed) -> PreRunResult:
    active = turn.settings.mode == "active"
    something = bool(composed.blocks) or composed.system is not None
    inject = active and something
    token = turn.call.process.new_id() if something else None
    reason = None if inject else "passive" if not active else "nothingToSend"
    metadata = _metadata(turn, gathered, composed, injects=inject)
    _record(turn, gathered, composed, metadata, token, reason)
    return PreRunResult(
        action="inject" if inject else "passthrough",
        reason=reason,
        prompt=render_prompt(composed.blocks, turn.params.prompt) if inject else turn.params.prompt,
        system=composed.system if inject else None,
        blocks=list(composed.blocks) if inject else [],
        governor=_governor(turn, active=active),
        metadata=metadata,
        delivery_token=token,
    )


def _metadata(turn: _Turn, gathered: Gathered, composed: Composed, *, injects: bool) -> PreRunMetadata:
    baseline = composed.injected_bytes + composed.reused_bytes
    plan = next((item for item, _ in composed.fates if item.kind == "plan"), None)
    return PreRunMetadata(
        cache_hit=gathered.cache_hit,
        file_hits=gathered.file_hits,
        file_misses=gathered.file_misses,
        injected_bytes=composed.injected_bytes if injects else 0,
        would_inject_bytes=composed.injected_bytes,
        reused_bytes=composed.reused_bytes,
        baseline_bytes=baseline,
        reused_percent=round(100 * composed.reused_bytes / baseline, 1) if baseline else 0.0,
        state_ids=StateIds(
            anchor_pack_id=composed.anchor.id if composed.anchor else None,
            context_pack_id=composed.context_id,
            delta_pack_id=composed.delta_id,
            plan_contract_id=plan.digest if plan else None,
        ),
        trimmed=[*gathered.omissions, *composed.trimmed],
        partial=gathered.partial,
        proof=gathered.state.proof if gathered.state else None,
        elapsed_ms=round(turn.call.elapsed_ms(), 2),
    )


def _governor(turn: _Turn, *, active: bool) -> GovernorBefore:
    return GovernorBefore(
        action=turn.word.action, reasons=list(turn.word.reasons), start_fresh_session=active and turn.fresh
    )


def _keep_task(turn: _Turn) -> None:
    """Keeps the task of a call that had to go without, so that a follow-up is known as one."""
    state, params = turn.sub_chat._replace(task=turn.task), turn.params
    with turn.call.database.write(durable=False) as tx:
        records.put_sub_chat(
            tx, params.sub_chat_id, turn.workspace.project_key, turn.workspace.key, state, turn.call.now_ms()
        )


def _record(
    turn: _Turn, gathered: Gathered, composed: Composed, metadata: PreRunMetadata, token: str | None, reason: str | None
) -> None:
    """Keeps the task, the pending delivery, what explains it, and the measures, in one transaction."""
    params, now_ms = turn.params, turn.call.now_ms()
    with turn.call.database.write(durable=False) as tx:
        state = turn.sub_chat._replace(task=turn.task)
        records.put_sub_chat(tx, params.sub_chat_id, turn.workspace.project_key, turn.workspace.key, state, now_ms)
        if not turn.is_shadow:
            ledger.drop_shadow(tx, params.sub_chat_id)
        if token is not None:
            records.record_call(tx, _call_record(turn, gathered, composed, metadata, token, reason, now_ms))
        count_call(
            tx, turn.workspace.project_key, params.provider, shadow=turn.is_shadow, now_ms=now_ms,
            measures={
                "calls": 1, "cacheHits": int(metadata.cache_hit), "injectedBytes": metadata.injected_bytes,
                "wouldInjectBytes": metadata.would_inject_bytes, "reusedBytes": metadata.reused_bytes,
                "baselineBytes": metadata.baseline_bytes, "fileHits": metadata.file_hits,
                "fileMisses": metadata.file_misses, "elapsedMs": metadata.elapsed_ms, "partial": int(metadata.partial),
            },
        )  # fmt: skip


def _call_record(
    turn: _Turn,
    gathered: Gathered,
    composed: Composed,
    metadata: PreRunMetadata,
    token: str,
    reason: str | None,
    now_ms: int,
) -> CallRecord:
    state = gathered.state
    head = state.head if state else None
    told_head = head if gathered.differences is not None else turn.known.head_commit or head
    record: dict[str, Any] = {
        "action": "passthrough" if reason else "inject",
        "reason": reason,
        "metadata": metadata.model_dump(mode="json", by_alias=True),
        "delivered": [list(item.as_delivery()) for item in composed.delivered if not item.every_time],
        "files": [keys.context_path(item.key) for item in composed.delivered if gives_content(item)],
        "pin": list(composed.anchor) if composed.anchor and composed.anchor_is_new else None,
        "fresh": turn.fresh,
        "items": [[item.key, item.kind, item.bytes, fate, item.why, dict(item.score)] for item, fate in composed.fates],
        "head": head,
        "toldHead": told_head,
        "changed": {
            file.path: keys.change_digest(file) for file in (state.changed if state else ()) if may_show(file.path)
        },
    }
    blocks: dict[str, Any] = {
        "system": composed.system.model_dump(by_alias=True) if composed.system else None,
        "blocks": [block.model_dump(by_alias=True) for block in composed.blocks],
    }
    params = turn.params
    return CallRecord(
        token, params.run_id, params.sub_chat_id, turn.workspace.project_key, turn.workspace.key, params.provider,
        turn.session.session_id if turn.session else None, turn.is_shadow, "pending", now_ms, record, blocks,
    )  # fmt: skip


def _untouched(call: Call, params: PreRunParams, reason: str, turn: _Turn | None) -> PreRunResult:
    """Passes the prompt through byte-identical.

    A pinned anchor stays: leaving the system text out for one call would break the provider's prompt cache.
    """
    active = turn is not None and turn.settings.mode == "active"
    pinned = turn.held.anchor if turn is not None and active and params.provider == "claude" else None
    system = SystemText(id=pinned.id, text=pinned.text) if pinned else None
    reused = len(pinned.text.encode()) if pinned else 0
    governor = (
        _governor(turn, active=False) if turn else GovernorBefore(action="ok", reasons=[], start_fresh_session=False)
    )
    return PreRunResult(
        action="passthrough",
        reason=reason,
        prompt=params.prompt,
        system=system,
        blocks=[],
        governor=governor,
        metadata=PreRunMetadata(
            cache_hit=False, file_hits=0, file_misses=0, injected_bytes=0, would_inject_bytes=0, reused_bytes=reused,
            baseline_bytes=reused, reused_percent=100.0 if reused else 0.0,
            state_ids=StateIds(
                anchor_pack_id=pinned.id if pinned else None,
                context_pack_id=None, delta_pack_id=None, plan_contract_id=None,
            ),
            trimmed=[], partial=reason == "deadline", proof=None, elapsed_ms=round(call.elapsed_ms(), 2),
        ),
        delivery_token=None,
    )  # fmt: skip
