"""The answer to a call, with what it cost and saved."""

from sidecar.call import Call
from sidecar.governor import marker_text
from sidecar.packs.composing.compose import Composed
from sidecar.packs.composing.render import render_prompt
from sidecar.packs.gathering.gathered import Gathered
from sidecar.packs.model import (
    GovernorBefore,
    PreRunMetadata,
    PreRunParams,
    PreRunResult,
    ReuseWord,
    StateIds,
    SystemText,
)
from sidecar.packs.turn import Turn, sends_system_text
from sidecar.runs import keys


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
