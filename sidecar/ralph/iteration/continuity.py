"""Continuity around an iteration: packs into its prompt, and what it did kept; neither ever stops the loop."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.call import Call
from sidecar.capture.methods import post_run
from sidecar.capture.model import PostRunParams
from sidecar.core.cancellation import Cancellation
from sidecar.core.clock import rfc3339
from sidecar.core.errors import SidecarError
from sidecar.packs.methods import explain, pre_run
from sidecar.packs.model import ExplainParams, ExplainResult, PreRunParams, PreRunResult
from sidecar.ralph.agent.agent_result import Heard
from sidecar.ralph.model import IterationOutcome, RalphContinuity, RalphVerification

DEADLINE_MS = 20_000
"""An iteration takes minutes: whole packs are worth some seconds of them."""

MAX_ASKED_CHARACTERS = 100_000
"""So much of a task says what it is about."""

_OUTCOMES = {"succeeded": "completed", "interrupted": "aborted", "lost": "aborted"}


class Place(NamedTuple):
    """Where and as whom the loop's runs are known."""

    change: str
    cwd: str
    project: str | None
    harness: str

    @property
    def common(self) -> dict[str, Any]:
        """What all of an iteration's messages say alike."""
        return {
            "subChatId": f"ralph:{self.change}",
            "chatId": f"ralph:{self.change}",
            # Others than Claude get the anchor as a block, which is all that differs.
            "provider": "claude" if self.harness == "claude" else "codex",
            "mode": "agent",
            "cwd": self.cwd,
            "projectPath": self.project,
        }


class Opened(NamedTuple):
    """What continuity gave for an iteration that begins."""

    packs: tuple[str, ...]
    told: RalphContinuity
    params: dict[str, Any] | None
    """What the run's end is told with; None where nothing is to be kept."""


def open_run(call: Call, place: Place, task: str) -> Opened:
    """Asks what the agent is to be told; every iteration begins a fresh provider session."""
    params = _pre_run_params(call, place, task)
    try:
        result = pre_run(_now(call), params)
    except Exception as error:
        call.log.warning("ralph.preRun.failed", kind=type(error).__name__)
        return Opened((), _failed(error), None)
    told = RalphContinuity(
        action=result.action,
        reason=result.reason,
        injected_bytes=result.metadata.injected_bytes if result.action == "inject" else 0,
        artifacts=[],
    )
    kept = {**place.common, "runId": params.run_id, "deliveryToken": result.delivery_token, "prompt": params.prompt}
    return Opened(_packs(result), told, kept)


def preview(call: Call, place: Place, task: str) -> Opened:
    """Asks what the agent would be told, and keeps nothing."""
    try:
        result = explain(_now(call), ExplainParams(pre_run=_pre_run_params(call, place, task)))
    except Exception as error:
        return Opened((), _failed(error), None)
    told = RalphContinuity(action=result.action, reason=result.reason, injected_bytes=0, artifacts=[])
    return Opened(_packs(result), told, None)


def close_run(
    call: Call, opened: Opened, heard: Heard, outcome: IterationOutcome, parts: list[dict[str, Any]]
) -> RalphContinuity:
    """Keeps what the run did; gives what continuity did for the iteration."""
    if opened.params is None:
        return opened.told
    said = {
        **opened.params,
        "outcome": _OUTCOMES.get(outcome, "error"),
        "error": None if outcome in _OUTCOMES else {"kind": _kind(outcome), "message": heard.failed},
        "session": {"before": None, "after": heard.session_id},
        "assistant": {"text": heard.final_text, "parts": [*parts, {"type": "text", "text": heard.final_text}]},
        "usage": {
            "inputTokens": heard.input_tokens,
            "outputTokens": heard.output_tokens,
            "costUsd": heard.cost_usd,
            "durationMs": float(heard.duration_ms),
        },
        "startedAt": rfc3339(heard.started_at_ms),
        "finishedAt": rfc3339(heard.started_at_ms + heard.duration_ms),
    }
    try:
        result = post_run(_now(call), PostRunParams.model_validate(said, by_alias=True, by_name=False))
    except Exception as error:
        call.log.warning("ralph.postRun.failed", kind=type(error).__name__)
        return _failed(error)
    return opened.told.model_copy(update={"artifacts": [one.id for one in result.artifacts]})


def parts_of(
    root: Path, files: Sequence[str], commits: Sequence[str], checks: Sequence[RalphVerification]
) -> list[dict[str, Any]]:
    """Gives what an iteration did as the parts a host would have stored: what it wrote, committed, and its checks."""
    written = [_part("Edit", {"file_path": os.path.join(root, path)}, {}) for path in files]
    committed = [_part("Bash", {"command": "git commit"}, {})] if commits else []
    checked = [
        _part("Bash", {"command": one.command}, {"aggregated_output": one.output, "exit_code": one.exit_code})
        for one in checks
    ]
    parts = [*written, *committed, *checked]
    return [{**part, "toolCallId": f"call-{number}"} for number, part in enumerate(parts, 1)]


def _part(tool: str, given: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolName": tool, "state": "result", "input": given, "output": output}


def _pre_run_params(call: Call, place: Place, task: str) -> PreRunParams:
    said = {
        **place.common,
        "runId": call.process.new_id(),
        "prompt": task[:MAX_ASKED_CHARACTERS],
        "session": {"id": None, "willResume": False, "isFork": False},
        "deadlineMs": DEADLINE_MS,
    }
    return PreRunParams.model_validate(said, by_alias=True, by_name=False)


def _packs(result: PreRunResult | ExplainResult) -> tuple[str, ...]:
    if result.action != "inject":
        return ()
    system = (result.system.text,) if result.system is not None else ()
    return (*system, *(block.text for block in result.blocks))


def _now(call: Call) -> Call:
    """The call as if it had just arrived: a loop lives for hours, and a deadline counts from its arrival."""
    return replace(call, received_ms=call.process.clock.monotonic_ms(), cancellation=Cancellation())


def _failed(error: Exception) -> RalphContinuity:
    why = error.message if isinstance(error, SidecarError) else f"It failed unexpectedly ({type(error).__name__})."
    return RalphContinuity(action="failed", reason=why, injected_bytes=0, artifacts=[])


def _kind(outcome: IterationOutcome) -> str:
    return "rateLimit" if outcome == "usageLimit" else "other"
