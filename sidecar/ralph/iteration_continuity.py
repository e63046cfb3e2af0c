"""Continuity around an iteration: pre-run packs for the prompt, post-run capture. Errors never stop the loop."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.call import Call
from sidecar.capture.methods import post_run
from sidecar.capture.model import PostRunParams
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Cancellation, SidecarError
from sidecar.packs.methods import explain, pre_run
from sidecar.packs.model import ExplainParams, ExplainResult, PreRunParams, PreRunResult
from sidecar.ralph.agent.harnesses import AgentResult
from sidecar.ralph.model import IterationOutcome, RalphContinuity, RalphVerification
from sidecar.runs.model import RALPH_PREFIX

DEADLINE_MS = 20_000
"""An iteration takes minutes, so complete packs are worth some seconds."""

MAX_TASK_CHARACTERS = 100_000
"""Maximum length of the task text that the packs are selected by."""

_OUTCOMES = {"succeeded": "completed", "interrupted": "aborted", "lost": "aborted"}


class RunIdentity(NamedTuple):
    """The identity of the loop's runs in continuity."""

    change: str
    cwd: str
    project: str | None
    harness: str

    @property
    def common_params(self) -> dict[str, Any]:
        """Members that all messages of an iteration share."""
        return {
            "subChatId": f"{RALPH_PREFIX}{self.change}",
            "chatId": f"{RALPH_PREFIX}{self.change}",
            # Agents other than Claude get the anchor as a block; that is the only difference.
            "provider": "claude" if self.harness == "claude" else "codex",
            "mode": "agent",
            "cwd": self.cwd,
            "projectPath": self.project,
        }


class OpenedRun(NamedTuple):
    """The pre-run result of an iteration."""

    packs: tuple[str, ...]
    summary: RalphContinuity
    params: dict[str, Any] | None
    """Members for the post-run call; None if the run is not captured."""


def open_run(call: Call, identity: RunIdentity, task: str) -> OpenedRun:
    """Call pre-run for an iteration; every iteration starts a new provider session."""
    params = _pre_run_params(call, identity, task)
    try:
        result = pre_run(_as_new_call(call), params)
    except Exception as error:
        call.log.warning("ralph.preRun.failed", kind=type(error).__name__)
        return OpenedRun((), _failed(error), None)
    summary = RalphContinuity(
        action=result.action,
        reason=result.reason,
        injected_bytes=result.metadata.injected_bytes if result.action == "inject" else 0,
        artifacts=[],
    )
    post_run_params = {
        **identity.common_params,
        "runId": params.run_id,
        "deliveryToken": result.delivery_token,
        "prompt": params.prompt,
    }
    return OpenedRun(_packs(result), summary, post_run_params)


def preview_packs(call: Call, identity: RunIdentity, task: str) -> OpenedRun:
    """Return the packs an iteration would get; record nothing."""
    try:
        result = explain(_as_new_call(call), ExplainParams(pre_run=_pre_run_params(call, identity, task)))
    except Exception as error:
        return OpenedRun((), _failed(error), None)
    summary = RalphContinuity(action=result.action, reason=result.reason, injected_bytes=0, artifacts=[])
    return OpenedRun(_packs(result), summary, None)


def close_run(
    call: Call, opened: OpenedRun, agent_result: AgentResult, outcome: IterationOutcome, parts: list[dict[str, Any]]
) -> RalphContinuity:
    """Call post-run for an iteration and return the outcome for its history line."""
    if opened.params is None:
        return opened.summary
    error_kind = "rateLimit" if outcome == "usageLimit" else "other"
    run_params = {
        **opened.params,
        "outcome": _OUTCOMES.get(outcome, "error"),
        "error": None if outcome in _OUTCOMES else {"kind": error_kind, "message": agent_result.error},
        "session": {"before": None, "after": agent_result.session_id},
        "assistant": {
            "text": agent_result.final_text,
            "parts": [*parts, {"type": "text", "text": agent_result.final_text}],
        },
        "usage": {
            "inputTokens": agent_result.input_tokens,
            "outputTokens": agent_result.output_tokens,
            "costUsd": agent_result.cost_usd,
            "durationMs": float(agent_result.duration_ms),
        },
        "startedAt": rfc3339(agent_result.started_at_ms),
        "finishedAt": rfc3339(agent_result.started_at_ms + agent_result.duration_ms),
    }
    try:
        result = post_run(_as_new_call(call), PostRunParams.model_validate(run_params, by_alias=True, by_name=False))
    except Exception as error:
        call.log.warning("ralph.postRun.failed", kind=type(error).__name__)
        return _failed(error)
    return opened.summary.model_copy(update={"artifacts": [artifact.id for artifact in result.artifacts]})


def message_parts(
    root: Path, files: Sequence[str], commits: Sequence[str], checks: Sequence[RalphVerification]
) -> list[dict[str, Any]]:
    """Return an iteration's work as message parts like a host's: edits, commits, checks."""
    written = [_part("Edit", {"file_path": os.path.join(root, path)}, {}) for path in files]
    committed = [_part("Bash", {"command": "git commit"}, {})] if commits else []
    checked = [
        _part("Bash", {"command": check.command}, {"aggregated_output": check.output, "exit_code": check.exit_code})
        for check in checks
    ]
    parts = [*written, *committed, *checked]
    return [{**part, "toolCallId": f"call-{number}"} for number, part in enumerate(parts, 1)]


def _part(tool: str, arguments: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolName": tool, "state": "result", "input": arguments, "output": output}


def _pre_run_params(call: Call, identity: RunIdentity, task: str) -> PreRunParams:
    members = {
        **identity.common_params,
        "runId": call.process.new_id(),
        "prompt": task[:MAX_TASK_CHARACTERS],
        "session": {"id": None, "willResume": False, "isFork": False},
        "deadlineMs": DEADLINE_MS,
    }
    return PreRunParams.model_validate(members, by_alias=True, by_name=False)


def _packs(result: PreRunResult | ExplainResult) -> tuple[str, ...]:
    if result.action != "inject":
        return ()
    system = (result.system.text,) if result.system is not None else ()
    return (*system, *(block.text for block in result.blocks))


def _as_new_call(call: Call) -> Call:
    """The call as if it had just arrived: a loop runs for hours, and a deadline counts from the arrival."""
    return replace(call, received_ms=call.process.clock.monotonic_ms(), cancellation=Cancellation())


def _failed(error: Exception) -> RalphContinuity:
    why = error.message if isinstance(error, SidecarError) else f"It failed unexpectedly ({type(error).__name__})."
    return RalphContinuity(action="failed", reason=why, injected_bytes=0, artifacts=[])
