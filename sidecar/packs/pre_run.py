"""`continuity/preRun`, straight down: settings, conversation, repository, packs, ledger, answer, record."""

import string
from typing import NamedTuple

from sidecar.call import Call
from sidecar.core.clock import Deadline
from sidecar.governor import marker_text
from sidecar.packs.collect import Gathered, gather
from sidecar.packs.composition import Composed, offered
from sidecar.packs.model import (
    GovernorBefore,
    PreRunMetadata,
    PreRunParams,
    PreRunResult,
    ReuseWord,
    StateIds,
    SystemText,
)
from sidecar.packs.pre_run_record import record, record_untouched
from sidecar.packs.render import render_prompt
from sidecar.packs.request import Turn, begin, sends_system_text
from sidecar.packs.task_pack import Question, question_of, remember
from sidecar.runs import keys

# The answer to a call, with what it cost and saved.


def answer(turn: Turn, gathered: Gathered, composed: Composed, token: str | None) -> PreRunResult:
    """Makes the answer; the token is given where there is something to deliver."""
    active = turn.settings.mode == "active"
    something = bool(composed.blocks) or composed.system is not None
    inject = active and something
    reason = None if inject else "passive" if not active else "nothingToSend"
    metadata = _metadata(turn, gathered, composed, injects=inject)
    return PreRunResult(
        action="inject" if inject else "passthrough",
        reason=reason,
        prompt=render_prompt(composed.blocks, turn.params.prompt) if inject else turn.params.prompt,
        system=composed.system if inject else None,
        blocks=list(composed.blocks) if inject else [],
        governor=_governor(turn, active=active),
        metadata=metadata,
        delivery_token=token if something else None,
    )


def _metadata(turn: Turn, gathered: Gathered, composed: Composed, *, injects: bool) -> PreRunMetadata:
    baseline = composed.injected_bytes + composed.reused_bytes
    plan = next((item for item, _ in composed.fates if item.key == keys.CONTRACT), None)
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
        reuse=ReuseWord(delta_only=composed.reuse.delta_only, reason=composed.reuse.reason) if composed.reuse else None,
        partial=gathered.partial,
        proof=gathered.state.proof if gathered.state else None,
        elapsed_ms=round(turn.call.elapsed_ms(), 2),
    )


def _governor(turn: Turn, *, active: bool) -> GovernorBefore:
    begins = active and turn.fresh
    return GovernorBefore(
        action=turn.word.action,
        reasons=list(turn.word.reasons),
        start_fresh_session=begins,
        marker=marker_text(turn.sub_chat.counters, turn.carried) if begins and turn.carried is not None else None,
    )


def untouched(call: Call, params: PreRunParams, reason: str, turn: Turn | None) -> PreRunResult:
    """Passes the prompt through byte-identical.

    A pinned anchor stays: leaving the system text out for one call would break the provider's prompt cache.
    """
    active = turn is not None and turn.settings.mode == "active"
    pinned = turn.held.anchor if turn is not None and active and sends_system_text(params) else None
    system = SystemText(id=pinned.id, text=pinned.text) if pinned else None
    reused = len(pinned.text.encode()) if pinned else 0
    governor = (
        _governor(turn, active=False)
        if turn
        else GovernorBefore(action="ok", reasons=[], start_fresh_session=False, marker=None)
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


DEFAULT_DEADLINE_MS = 800

WHITE_SPACE = (
    string.whitespace + "\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
)
"""What the host's `trim` takes off a prompt before it looks for a slash (ECMAScript's white space)."""


class Decided(NamedTuple):
    """What a call came to. Without something composed, the prompt passes through for a reason."""

    reason: str
    turn: Turn | None = None
    """None where nothing is even looked at."""
    question: Question | None = None
    gathered: Gathered | None = None
    composed: Composed | None = None


def run(call: Call, params: PreRunParams) -> PreRunResult:
    """Decides what the agent is told before a run, and keeps it."""
    decided = decide(call, params)
    call.cancellation.check()  # what nobody receives is not recorded
    token = call.process.new_id()
    result = answer_of(call, params, decided, token)
    if decided.question is not None:
        remember(params.sub_chat_id, decided.question)
    if decided.turn is not None and decided.gathered is not None and decided.composed is not None:
        record(decided.turn, decided.gathered, decided.composed, result, token)
    elif decided.reason != "off":
        record_untouched(call, params, decided.turn, result, token)
    return result


def decide(call: Call, params: PreRunParams) -> Decided:
    """Decides what the agent would be told now; keeps nothing."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off" or params.is_local_model:
        return Decided("off" if settings.mode == "off" else "localModel")
    turn = begin(call, params, workspace, settings)
    if params.prompt.lstrip(WHITE_SPACE).startswith("/"):
        return Decided("slashCommand", turn)
    workspace.require()
    deadline = Deadline(call.received_ms + (params.deadline_ms or DEFAULT_DEADLINE_MS))
    question = question_of(turn)
    gathered = gather(question, params, turn.known, deadline, new_task=turn.task_is_new)
    if gathered.late:
        return Decided("deadline", turn, question)
    composed = offered(turn, gathered)
    if not _is_confirmed(question, gathered, composed):
        again = gather(question, params, turn.known, deadline, new_task=turn.task_is_new)
        if not again.late:
            gathered, composed = again, offered(turn, again)
    return Decided("", turn, question, gathered, composed)


def answer_of(call: Call, params: PreRunParams, decided: Decided, token: str | None) -> PreRunResult:
    """Makes the answer; `token` is the delivery's, if there is one."""
    if decided.turn is None or decided.gathered is None or decided.composed is None:
        return untouched(call, params, decided.reason, decided.turn)
    return answer(decided.turn, decided.gathered, decided.composed, token)


def _is_confirmed(question: Question, gathered: Gathered, composed: Composed) -> bool:
    """Says whether the files that are told of are as a watch had them: some writes no event tells of."""
    if gathered.state is None or not gathered.state.proof.startswith("watch"):
        return True
    told = (keys.context_path(item.key) for item in composed.delivered if item.kind == "context")
    paths = [path for path in told if path is not None]
    return not paths or question.repository.confirms(paths)
