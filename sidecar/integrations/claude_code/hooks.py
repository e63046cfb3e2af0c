"""`hook/run`: what each of Claude Code's hooks comes to."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from sidecar.call import Call
from sidecar.capture.methods import post_run
from sidecar.capture.model import PostRunParams
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.wire import FolderPath, Identifier, Instant, WireModel
from sidecar.integrations.claude_code import compaction
from sidecar.integrations.claude_code.transcript_run import Run, run_in, with_touched
from sidecar.integrations.location import Place, place_in
from sidecar.method import Lane, method
from sidecar.packs.methods import pre_run, repo_changed
from sidecar.packs.model import PreRunParams, PreRunResult, RepoChangedParams
from sidecar.runs import ledger
from sidecar.runs.model import RunMode
from sidecar.transcripts.tail import recent

# The messages of `hook/run`.


HookEvent = Literal["UserPromptSubmit", "SessionStart", "PreCompact", "PostToolUse", "Stop"]
"""Claude Code's own names."""


class OpenRun(WireModel):
    """A run that a prompt began, for the hook that hears of its end."""

    run_id: Identifier
    delivery_token: Identifier | None
    cwd: FolderPath = Field(description="The worktree the prompt was given in; a later hook may stand elsewhere.")
    project_path: FolderPath | None = Field(
        description="Null where the hook gave up before it was told; the worktree then is the one around `cwd`."
    )
    mode: RunMode
    started_at: Instant


class HookRunParams(WireModel):
    """What one of Claude Code's hooks was told."""

    event: HookEvent
    input: dict[str, Any] = Field(description="The JSON that Claude Code gives the hook, as it is.")
    run_id: Identifier | None = Field(
        default=None,
        description="What the run that a prompt begins is to be called: a hook that gives up can then tell of its end.",
    )
    time_left_ms: int | None = Field(default=None, ge=0, le=60_000, description="Milliseconds until the hook gives up.")
    open_run: OpenRun | None = Field(
        default=None, description="The session's run under way, where the hook printed what that run was given."
    )
    touched: list[str] = Field(
        default_factory=list, max_length=4_000, description="Files that the run's tools wrote, as other hooks heard."
    )


class HookRunResult(WireModel):
    """What the hook is to print, and what it keeps until the run's end."""

    output: dict[str, Any] | None = Field(description="JSON for Claude Code; null where there is nothing to say.")
    open_run: OpenRun | None = Field(description="To be kept once the output was printed; null where no run is open.")
    silent: str | None = Field(
        description="Why nothing is said: off, passive, inApp, notActive, unknownRun, or as `continuity/preRun` has it."
    )


# What a hook prints: JSON that Claude Code reads, within the characters it takes whole. Pure.


MAX_CHARACTERS = 10_000
"""Of a longer output Claude Code shows the agent the first two kilobytes and a file's name. Counted as its
JavaScript counts, in UTF-16 units."""

NEW_BYTES = 8_600
"""What a prompt may be given: leaves a seventh for the quotes and line ends that JSON writes as two characters."""


def context_output(event: str, texts: Sequence[str]) -> dict[str, Any] | None:
    """Gives the output that adds texts to the agent's context, in their order: each whole, or left out.

    None where there is nothing to add. A text that does not fit leaves its room to those after it.
    """
    kept: list[str] = []
    for text in texts:
        if text and characters(_output(event, [*kept, text])) <= MAX_CHARACTERS:
            kept.append(text)
    return _output(event, kept) if kept else None


def printed(output: dict[str, Any]) -> str:
    """Gives an output as it is printed."""
    return json.dumps(output, ensure_ascii=False, separators=(",", ":"))


def characters(output: dict[str, Any]) -> int:
    """Counts an output's characters as Claude Code does."""
    text = printed(output)
    return len(text) + sum(character > "\uffff" for character in text)


def _output(event: str, texts: Iterable[str]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "\n".join(texts)}}


SUB_CHATS = "claude-code:"
"""So the conversations of Claude Code's own are called; any other that holds a session is a host's."""

DEADLINE_MS = 550
"""What a pre-run may take where the hook does not tell what time it has left."""

PRINTING_MS = 80
"""So long before a hook gives up its answer has to be made: it still has to arrive, and to be printed."""

LEAST_BYTES = 1_000
"""With less room than that a run under way is given nothing again; the next prompt is."""

SLACK_MS = 2_000
"""The prompt may stand in the session file with a time a little before its hook was called."""


class Heard(NamedTuple):
    """What a hook was told, read."""

    params: HookRunParams
    session_id: str
    place: Place
    mode: str
    """The sidecar's."""

    @property
    def sub_chat_id(self) -> str:
        """The conversation."""
        return SUB_CHATS + self.session_id

    def said(self, name: str) -> str:
        """Gives a text of the hook's JSON; empty where there is none."""
        value = self.params.input.get(name)
        return value if isinstance(value, str) else ""


def run(call: Call, params: HookRunParams) -> HookRunResult:
    """Does what one of Claude Code's hooks is for, and gives what it prints.

    UserPromptSubmit gives what the session does not have yet, as `continuity/preRun` does, in at most 10,000
    characters; Stop keeps the run, as `continuity/postRun` does, from the session file; PreCompact and a SessionStart
    after it let the session go on across a compaction; PostToolUse tells which files changed. Says nothing in a
    session that a host gives its packs itself, and nothing unless the mode is active.
    """
    session_id = params.input.get("session_id")
    if not isinstance(session_id, str) or not 0 < len(session_id) <= 180:
        raise InvalidParams("`input`: a hook's JSON has a `session_id`.")
    place = place_in(params.input.get("cwd"))
    workspace = call.process.workspaces.get(place.cwd, place.project)
    mode = call.process.settings(workspace.project_key).mode
    heard = Heard(params, session_id, place, mode)
    if mode == "off":
        return _silence("off")
    if _is_of_a_host(call, heard):
        return _silence("inApp")
    return _EVENTS[params.event](call, heard)


def _prompted(call: Call, heard: Heard) -> HookRunResult:
    """Gives what goes out with a prompt; a run that no Stop ended was interrupted."""
    if heard.params.open_run is not None:
        _finish(call, heard, heard.params.open_run, "aborted")
    opened = OpenRun.model_validate(
        {
            "runId": heard.params.run_id or call.process.new_id(),
            "deliveryToken": None,
            "cwd": heard.place.cwd,
            "projectPath": heard.place.project,
            "mode": "plan" if heard.said("permission_mode") == "plan" else "agent",
            "startedAt": call.now(),
        }
    )
    result = _packs(call, heard, opened, heard.said("prompt"), NEW_BYTES)
    output = context_output("UserPromptSubmit", [block.text for block in result.blocks])
    return HookRunResult(
        output=output,
        open_run=opened.model_copy(update={"delivery_token": result.delivery_token}),
        silent=result.reason,
    )


def _packs(call: Call, heard: Heard, opened: OpenRun, prompt: str, max_bytes: int) -> PreRunResult:
    asked = {
        **_common(heard, opened),
        "prompt": prompt,
        "session": {"id": heard.session_id, "willResume": True, "isFork": False},
        "hostInjects": {"claudeMd": True, "agentsMd": False},
        "takesSystemText": False,
        "maxNewBytes": max_bytes,
        "deadlineMs": _deadline_ms(heard.params.time_left_ms),
    }
    return pre_run(call, PreRunParams.model_validate(asked, by_alias=True, by_name=False))


def _stopped(call: Call, heard: Heard) -> HookRunResult:
    """Keeps the run that ended."""
    if heard.params.open_run is None:
        return _silence("unknownRun")
    _finish(call, heard, heard.params.open_run, "completed")
    return _silence(None)


def _finish(call: Call, heard: Heard, opened: OpenRun, outcome: str) -> None:
    told = _told(heard, opened)
    text = heard.said("last_assistant_message") if outcome == "completed" else ""
    said = {
        **_common(heard, opened),
        "deliveryToken": opened.delivery_token,
        "prompt": told.prompt,
        "outcome": outcome,
        "session": {"before": heard.session_id, "after": heard.session_id},
        "assistant": {"text": text or told.text, "parts": with_touched(told.parts, heard.params.touched)},
        "transcriptPath": heard.said("transcript_path") or None,
        "usage": told.usage or None,
        "startedAt": rfc3339(_ms(opened)),
        "finishedAt": call.now(),
    }
    post_run(call, PostRunParams.model_validate(said, by_alias=True, by_name=False))


def _told(heard: Heard, opened: OpenRun) -> Run:
    """What the session file tells of the run; it is written behind, so that its end may be missing."""
    path, since_ms = heard.said("transcript_path"), _ms(opened) - SLACK_MS
    found = recent(path, since_ms) if path else None
    return run_in(found.lines if found is not None else (), since_ms)


def _changed(call: Call, heard: Heard) -> HookRunResult:
    """Lets the packs of the next prompt be made while the agent works."""
    given = heard.params.input.get("tool_input")
    path = given.get("file_path") or given.get("notebook_path") if isinstance(given, dict) else None
    inside = os.path.relpath(path, heard.place.cwd) if isinstance(path, str) and os.path.isabs(path) else None
    paths = [inside] if inside is not None and not inside.startswith(os.pardir) else []
    repo_changed(call, RepoChangedParams(cwd=heard.place.cwd, paths=paths))
    return _kept(heard)


def _compacting(call: Call, heard: Heard) -> HookRunResult:
    compaction.keep(call, heard.place, heard.session_id, heard.sub_chat_id, heard.said("transcript_path"))
    return _kept(heard)


def _started(call: Call, heard: Heard) -> HookRunResult:
    """Gives what a session begins with, and has the packs of its first prompt made meanwhile."""
    repo_changed(call, RepoChangedParams(cwd=heard.place.cwd))
    if heard.mode != "active":
        return _silence(heard.mode)
    texts = compaction.begin(call, heard.place, heard.session_id, heard.said("source"))
    opened = heard.params.open_run
    if heard.said("source") == "compact" and opened is not None:
        opened, packs = _given_again(call, heard, opened, texts)
        texts = [*texts, *packs]
    output = context_output("SessionStart", texts)
    return HookRunResult(output=output, open_run=opened, silent=None if output is not None else "notActive")


def _given_again(call: Call, heard: Heard, opened: OpenRun, texts: Sequence[str]) -> tuple[OpenRun, list[str]]:
    """Gives a run under way its packs again: a compaction in its midst has taken what it was told."""
    prompt = _told(heard, opened).prompt
    left = NEW_BYTES - sum(len(text.encode()) for text in texts)
    if not prompt or left < LEAST_BYTES:
        return opened, []
    result = _packs(call, heard, opened, prompt, left)
    return opened.model_copy(update={"delivery_token": result.delivery_token}), [one.text for one in result.blocks]


def _common(heard: Heard, opened: OpenRun) -> dict[str, Any]:
    known = opened.project_path
    place = Place(opened.cwd, known) if known is not None else place_in(opened.cwd)
    return {
        "runId": opened.run_id,
        "subChatId": heard.sub_chat_id,
        "provider": "claude",
        "mode": opened.mode,
        "cwd": place.cwd,
        "projectPath": place.project,
    }


def _is_of_a_host(call: Call, heard: Heard) -> bool:
    """Whether a host has had runs in the session: then it gives what the session is to know."""
    with call.database.read() as tx:
        holders = ledger.holders(tx, "claude", heard.session_id)
    return any(not holder.startswith(SUB_CHATS) for holder in holders)


def _kept(heard: Heard) -> HookRunResult:
    return HookRunResult(output=None, open_run=heard.params.open_run, silent=None)


def _silence(why: str | None) -> HookRunResult:
    return HookRunResult(output=None, open_run=None, silent=why)


def _deadline_ms(left_ms: int | None) -> int:
    return max(1, left_ms - PRINTING_MS) if left_ms is not None else DEADLINE_MS


def _ms(opened: OpenRun) -> int:
    return int(opened.started_at.timestamp() * 1000)


_EVENTS: dict[HookEvent, Callable[[Call, Heard], HookRunResult]] = {
    "UserPromptSubmit": _prompted,
    "SessionStart": _started,
    "PreCompact": _compacting,
    "PostToolUse": _changed,
    "Stop": _stopped,
}

METHODS = (
    method(
        "hook/run",
        run,
        lane=Lane.SHARED,
        errors=(InvalidParams, PolicyDenied, WorkspaceUnavailable, StateDegraded, Busy),
    ),
)
