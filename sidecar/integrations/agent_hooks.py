"""`hook/run`: the five hooks of Claude Code and Codex CLI, their output, and sessions across a compaction.

The run that a Stop hook reports is read from the agent's session file.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from pydantic import Field

from sidecar.call import Call
from sidecar.capture.methods import post_run
from sidecar.capture.model import PostRunParams, PostRunResult, Remembered, Withdrawn
from sidecar.core.clean_text import utf16_length
from sidecar.core.clock import DAY_MS, epoch_ms, rfc3339
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.wire_types import FolderPath, Identifier, Instant, WireModel
from sidecar.experiment.rollout import mode_of_chat
from sidecar.integrations import Location, locate
from sidecar.method import Lane, method
from sidecar.packs.methods import continuation_text, pre_run, repo_changed, session_event
from sidecar.packs.model import PreRunParams, PreRunResult, RepoChangedParams, SessionEventParams
from sidecar.packs.pre_run import count_given_up
from sidecar.runs import ledger
from sidecar.runs.model import TERMINAL_AGENTS, Provider, RunMode, SessionKey
from sidecar.system.environment import pasted_command
from sidecar.system.safe_open import path_below
from sidecar.transcripts.transcript_tail import (
    CLOCK_SLACK_MS,
    TranscriptRun,
    add_touched_files,
    read_tail,
    run_since,
    was_rolled_back,
)

HookEvent = Literal["UserPromptSubmit", "SessionStart", "PreCompact", "PostToolUse", "Stop"]
"""The names that Claude Code and Codex CLI share."""


class OpenRun(WireModel):
    """A run started by a prompt, passed to the hook that reports its end."""

    run_id: Identifier
    delivery_token: Identifier | None
    cwd: FolderPath = Field(description="Worktree of the prompt; a later hook may run in another folder.")
    project_path: FolderPath | None = Field(
        description="Null if the hook timed out before it knew the project; then it is derived from `cwd`."
    )
    mode: RunMode
    started_at: Instant


class HookRunParams(WireModel):
    """The input of a hook."""

    event: HookEvent
    agent: Provider = Field(default="claude", description="The agent that runs the hook: Claude Code or Codex CLI.")
    input: dict[str, Any] = Field(description="The hook's JSON from the agent, unchanged.")
    run_id: Identifier | None = Field(
        default=None,
        description="Id for the run that a prompt starts, so that a hook that times out can still report its end.",
    )
    time_left_ms: int | None = Field(
        default=None, ge=0, le=60_000, description="Milliseconds until the hook times out."
    )
    open_run: OpenRun | None = Field(
        default=None,
        description="The session's last run, as the hook of its prompt stored it; ended if `unshownRuns` has its id.",
    )
    touched: list[str] = Field(
        default_factory=list,
        max_length=4_000,
        description="Files written: at a run's end by its tools, as reported by other hooks, else by the hook's tool.",
    )
    unshown_runs: list[Identifier] = Field(
        default_factory=list, max_length=5, description="Runs of the session whose own Stop hook printed nothing."
    )


class HookRunResult(WireModel):
    """The hook's output, and the state it stores until the run's end."""

    output: dict[str, Any] | None = Field(description="JSON for the agent; null if there is nothing to add.")
    open_run: OpenRun | None = Field(description="To be stored after the output is printed; null if no run is open.")
    empty_reason: str | None = Field(
        description="Why the output is empty: off, passive, inApp, notActive (no session lock is active),"
        " unknownRun, or a pre-run's reason; null if it is not, or if nothing was expected."
    )


_SESSION_ID = lazy_regex(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,180}")
MAX_PATH_CHARACTERS = 4_096

MAX_CHARACTERS = 10_000
"""Limit in UTF-16 units: of longer output Claude Code shows the agent only the first two kilobytes and a file name."""

MAX_CONTEXT_BYTES = 10_000
"""Limit of the text: Codex CLI takes four bytes for a token and shows at most 2,500, then a file name."""

MAX_NEW_BYTES = 8_600
"""Maximum bytes for a prompt; a seventh is reserved for quotes and line ends, which JSON writes as two characters."""


def context_output(event: str, texts: Sequence[str]) -> dict[str, Any] | None:
    """Return the output that adds texts to the agent's context, in order; each is included whole or omitted.

    None if there is nothing to add. A text that does not fit is skipped, and later ones may still fit.
    """
    included: list[str] = []
    for text in texts:
        if text and _fits(event, [*included, text]):
            included.append(text)
    return _output(event, included) if included else None


def serialize_output(output: dict[str, Any]) -> str:
    """Return an output as the hook prints it."""
    return json.dumps(output, ensure_ascii=False, separators=(",", ":"))


def character_count(output: dict[str, Any]) -> int:
    """Return the length of an output as Claude Code counts it."""
    text = serialize_output(output)
    return utf16_length(text)


def _fits(event: str, texts: Sequence[str]) -> bool:
    output = _output(event, texts)
    context = output["hookSpecificOutput"]["additionalContext"]
    return character_count(output) <= MAX_CHARACTERS and len(context.encode("utf-8", "replace")) <= MAX_CONTEXT_BYTES


def _output(event: str, texts: Iterable[str]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "\n".join(texts)}}


HOST_INJECTS: dict[Provider, dict[str, bool]] = {
    "claude": {"claudeMd": True, "agentsMd": False},
    "codex": {"claudeMd": False, "agentsMd": True},
}
"""The project's files that each agent reads itself."""

DEADLINE_MS = 550
"""Deadline of a pre-run if the hook does not report its remaining time."""

OUTPUT_RESERVE_MS = 80
"""Time reserved for delivering and printing the answer before the hook's own timeout."""

MIN_RESEND_BYTES = 1_000
"""With less room than this a running run gets nothing again; the next prompt does."""

FILE_WAITS, FILE_WAIT_SECONDS = 25, 0.02
"""Claude Code writes its session file every 100 ms, also while a Stop hook runs."""

NO_FILE_AFTER_MS = 2_000
"""From this age on a run without a session file will have none: `--no-session-persistence` writes none."""

MAX_REMEMBERED_LINES = 3
"""Memories that a Stop hook names."""

START_SOURCES = ("startup", "resume", "clear")
"""Sources of a SessionStart without a compaction."""


class HookCall(NamedTuple):
    """A hook call with its parsed input."""

    params: HookRunParams
    session_id: str
    location: Location
    mode: str
    """The sidecar's mode."""

    @property
    def sub_chat_id(self) -> str:
        """The conversation's id."""
        return TERMINAL_AGENTS[self.params.agent].sub_chat_prefix + self.session_id

    def text(self, name: str) -> str:
        """Return a text member of the hook's JSON; empty if absent."""
        value = self.params.input.get(name)
        return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""

    def has_ended(self, open_run: OpenRun) -> bool:
        """Whether a Stop hook has ended the run, though it did not wait for the sidecar's answer."""
        return open_run.run_id in self.params.unshown_runs

    @property
    def transcript_path(self) -> str:
        """The session file; empty if absent, or if no file can have that name."""
        path = self.text("transcript_path")
        return path if "\0" not in path and len(path) <= MAX_PATH_CHARACTERS else ""


def run(call: Call, params: HookRunParams) -> HookRunResult:
    """Run a hook of Claude Code or Codex CLI and return what it prints.

    UserPromptSubmit returns what the session does not have yet, like `continuity/preRun`, in at most 10,000 characters.
    Stop records the run from the session file, like `continuity/postRun`. PreCompact, and the SessionStart after it,
    continue the session across a compaction. PostToolUse reports changed files. The output is empty in a session whose
    host injects the packs itself, and in any mode but active.
    """
    session_id = params.input.get("session_id")
    if not isinstance(session_id, str) or not _SESSION_ID.fullmatch(session_id):
        raise InvalidParams("The hook's JSON in `input` must have a `session_id` without control characters.")
    location = locate(params.input.get("cwd"))
    workspace = call.process.workspaces.get(location.cwd, location.project)
    mode = mode_of_chat(call, workspace.project_key, TERMINAL_AGENTS[params.agent].sub_chat_prefix + session_id)
    hook = HookCall(params, session_id, location, mode)
    if hook.mode == "off":
        return _no_output("off")
    if _belongs_to_host(call, hook):
        return _no_output("inApp")
    return _EVENTS[params.event](call, hook)


def _on_prompt(call: Call, hook: HookCall) -> HookRunResult:
    """Return the output for a prompt; an open run that no Stop ended counts as aborted.

    The post-run of one that a Stop ended may still be computed, but what was printed for it counts as delivered.
    """
    last_run = hook.params.open_run
    if last_run is not None and hook.has_ended(last_run):
        _count_printed(call, hook, last_run)
    elif last_run is not None:
        _record_run(call, hook, last_run, "aborted")
    open_run = OpenRun.model_validate(
        {
            "runId": hook.params.run_id or call.process.new_id(),
            "deliveryToken": None,
            "cwd": hook.location.cwd,
            "projectPath": hook.location.project,
            "mode": "plan" if hook.text("permission_mode") == "plan" else "agent",
            "startedAt": call.now(),
        }
    )
    _drop_rolled_back(call, hook)
    result = _collect_packs(call, hook, open_run, hook.text("prompt"), MAX_NEW_BYTES)
    output = context_output("UserPromptSubmit", [block.text for block in result.blocks])
    return HookRunResult(
        output=output,
        open_run=open_run.model_copy(update={"delivery_token": result.delivery_token}),
        empty_reason=result.reason,
    )


def _count_printed(call: Call, hook: HookCall, ended_run: OpenRun) -> None:
    """Count what was printed for a run as delivered, before its post-run; without a usable state it is sent again."""
    from sidecar.capture.record_run_and_delivery import count_printed_delivery

    if ended_run.delivery_token is not None:
        key = SessionKey(hook.sub_chat_id, hook.params.agent, hook.session_id, shadow=False)
        with suppress(Busy, StateDegraded), call.database.write() as tx:
            count_printed_delivery(tx, key, ended_run.delivery_token, call.now_ms())


def _drop_rolled_back(call: Call, hook: HookCall) -> None:
    """Delete what the user rolled back since the last run. Only Codex's session file shows that before the prompt."""
    if hook.params.agent != "codex" or not hook.transcript_path:
        return
    key = SessionKey(hook.sub_chat_id, hook.params.agent, hook.session_id, shadow=False)
    with call.database.read() as tx:
        last_ms = ledger.last_sent_ms(tx, key)
    tail = read_tail(hook.transcript_path, call.now_ms()) if last_ms is not None else None
    if last_ms is None or tail is None or not was_rolled_back(tail.lines, last_ms, call.now_ms() + DAY_MS):
        return
    with call.database.write() as tx:
        ledger.drop_rolled_back(tx, key, call.now_ms())
    call.process.slices.codebase.shown_regions.forget(hook.session_id)


def _collect_packs(call: Call, hook: HookCall, open_run: OpenRun, prompt: str, max_bytes: int) -> PreRunResult:
    params = {
        **_common(hook, open_run),
        "prompt": prompt,
        "session": {"id": hook.session_id, "willResume": True, "isFork": False},
        "hostInjects": HOST_INJECTS[hook.params.agent],
        "takesSystemText": False,
        "maxNewBytes": max_bytes,
        "deadlineMs": _deadline_ms(hook.params.time_left_ms),
    }
    return pre_run(call, PreRunParams.model_validate(params, by_alias=True, by_name=False))


def _on_stop(call: Call, hook: HookCall) -> HookRunResult:
    """Record the finished run, and show what was remembered and withdrawn, also by runs whose own hook timed out."""
    from sidecar.capture.post_run import changes_in_memory

    if hook.params.open_run is None:
        return _no_output("unknownRun")
    result = _record_run(call, hook, hook.params.open_run, "completed")
    workspace = call.process.workspaces.get(hook.location.cwd, hook.location.project)
    earlier = changes_in_memory(call, workspace, hook.params.unshown_runs)
    remembered, withdrawn = [*earlier.remembered, *result.remembered], [*earlier.withdrawn, *result.withdrawn]
    output = remembered_output(remembered, withdrawn, str(workspace.project))
    return HookRunResult(output=output, open_run=None, empty_reason=None)


def remembered_output(
    remembered: Sequence[Remembered], withdrawn: Sequence[Withdrawn], project: str
) -> dict[str, Any] | None:
    """Return the output that shows the user what was remembered and withdrawn, each with its undo; None if nothing.

    A memory that does not open every new session is shown with the command by which it does.
    """

    def command(verb: str, memory_id: str) -> str:
        # An id is unique within its project only.
        return pasted_command("memory", verb, memory_id, "--project", project)

    shown: list[str] = []
    for memory in remembered:
        undo = f"undo: {command('undo', memory.id)}"
        if memory.standing:
            shown.append(f"Remembered for every new session: {memory.text} ({undo})")
        else:
            confirm = f"for every new session: {command('confirm', memory.id)}"
            shown.append(f"Remembered for tasks that it fits: {memory.text} ({confirm}; {undo})")
    for old in withdrawn:
        undo = command("confirm", old.id) if old.replaced_by is None else command("undo", old.replaced_by)
        shown.append(f"No longer holds: {old.text} (undo: {undo})")
    more = len(shown) - MAX_REMEMBERED_LINES
    lines = shown[:MAX_REMEMBERED_LINES]
    lines += [f"… and {more} more: {pasted_command('memory', 'list', '--project', project)}"] if more > 0 else []
    return {"systemMessage": "\n".join(lines)} if lines else None


def _record_run(call: Call, hook: HookCall, open_run: OpenRun, outcome: str) -> PostRunResult:
    text = hook.text("last_assistant_message") if outcome == "completed" else ""
    run = run_with_last_message(call, hook, open_run, text)
    params = {
        **_common(hook, open_run),
        "deliveryToken": open_run.delivery_token,
        "prompt": run.prompt,
        "outcome": outcome,
        "session": {"before": hook.session_id, "after": hook.session_id},
        "assistant": {"text": text or run.text, "parts": add_touched_files(run.parts, hook.params.touched)},
        "transcriptPath": hook.transcript_path or None,
        "usage": run.usage or None,
        "startedAt": rfc3339(epoch_ms(open_run.started_at)),
        "finishedAt": call.now(),
    }
    result = post_run(call, PostRunParams.model_validate(params, by_alias=True, by_name=False))
    if open_run.project_path is None:
        project = call.process.workspaces.get(hook.location.cwd, hook.location.project).project_key
        count_given_up(call, project, hook.params.agent, open_run.run_id, shadow=hook.mode != "active")
    return result


def run_with_last_message(call: Call, hook: HookCall, open_run: OpenRun, text: str) -> TranscriptRun:
    """Return the run once the session file has its last message, with all that precedes it; after half a second as is.

    Without a last message, or without a file that may still come, the run is returned at once.
    """
    size = _file_size(hook.transcript_path)
    run = _run_from_transcript(hook, open_run)
    may_come = size is not None or call.now_ms() - epoch_ms(open_run.started_at) < NO_FILE_AFTER_MS
    for _ in range(FILE_WAITS if may_come else 0):
        last = run.text.strip()
        if not text or (last and text.strip().endswith(last)) or call.process.closing.wait(FILE_WAIT_SECONDS):
            break
        before, size = size, _file_size(hook.transcript_path)
        if size != before:
            run = _run_from_transcript(hook, open_run)
    return run


def _file_size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _run_from_transcript(hook: HookCall, open_run: OpenRun) -> TranscriptRun:
    """Return the run as recorded in the session file, which is written behind: its end may be missing."""
    path, started_ms = hook.transcript_path, epoch_ms(open_run.started_at)
    tail = read_tail(path, started_ms - CLOCK_SLACK_MS) if path else None
    return run_since(tail.lines if tail is not None else (), started_ms)


def _on_tool_use(call: Call, hook: HookCall) -> HookRunResult:
    """Start preparing the next prompt's packs while the agent works."""
    touched = (path_below(hook.location.cwd, path) for path in hook.params.touched if os.path.isabs(path))
    paths = [path for path in touched if path is not None]
    repo_changed(call, RepoChangedParams(cwd=hook.location.cwd, paths=paths))
    return _unchanged(hook)


def _on_pre_compact(call: Call, hook: HookCall) -> HookRunResult:
    save_before_compaction(call, hook)
    return _unchanged(hook)


def _on_session_start(call: Call, hook: HookCall) -> HookRunResult:
    """Return the texts for a session's start, and start preparing the packs of its first prompt."""
    repo_changed(call, RepoChangedParams(cwd=hook.location.cwd))
    if hook.mode != "active":
        return _no_output(hook.mode)
    texts = _session_start_texts(call, hook)
    open_run = hook.params.open_run
    if hook.text("source") == "compact" and open_run is not None and not hook.has_ended(open_run):
        open_run, packs = _resend_packs(call, hook, open_run, texts)
        texts = [*texts, *packs]
    output = context_output("SessionStart", texts)
    return HookRunResult(output=output, open_run=open_run, empty_reason=None if output is not None else "notActive")


def _resend_packs(call: Call, hook: HookCall, open_run: OpenRun, texts: Sequence[str]) -> tuple[OpenRun, list[str]]:
    """Send a running run its packs again: a compaction in its middle removed them."""
    prompt = _run_from_transcript(hook, open_run).prompt
    bytes_left = MAX_NEW_BYTES - sum(len(text.encode()) for text in texts)
    if not prompt or bytes_left < MIN_RESEND_BYTES:
        return open_run, []
    result = _collect_packs(call, hook, open_run, prompt, bytes_left)
    return open_run.model_copy(update={"delivery_token": result.delivery_token}), [
        block.text for block in result.blocks
    ]


def _common(hook: HookCall, open_run: OpenRun) -> dict[str, Any]:
    project_path = open_run.project_path
    location = Location(open_run.cwd, project_path) if project_path is not None else locate(open_run.cwd)
    return {
        "runId": open_run.run_id,
        "subChatId": hook.sub_chat_id,
        "provider": hook.params.agent,
        "mode": open_run.mode,
        "cwd": location.cwd,
        "projectPath": location.project,
    }


def _belongs_to_host(call: Call, hook: HookCall) -> bool:
    """Whether a host has had runs in the session; then the host injects the packs."""
    with call.database.read() as tx:
        holders = ledger.sub_chats_of(tx, hook.params.agent, hook.session_id)
    return any(not holder.startswith(TERMINAL_AGENTS[hook.params.agent].sub_chat_prefix) for holder in holders)


def _unchanged(hook: HookCall) -> HookRunResult:
    return HookRunResult(output=None, open_run=hook.params.open_run, empty_reason=None)


def _no_output(why: str | None) -> HookRunResult:
    return HookRunResult(output=None, open_run=None, empty_reason=why)


def _deadline_ms(time_left_ms: int | None) -> int:
    return max(1, time_left_ms - OUTPUT_RESERVE_MS) if time_left_ms is not None else DEADLINE_MS


def save_before_compaction(call: Call, hook: HookCall) -> None:
    """Save the session's state before its compaction; from then on nothing counts as delivered to it."""
    from sidecar.context.methods import pre_compact
    from sidecar.context.model import ContextPreCompactParams

    existing_path = hook.transcript_path if os.path.isfile(hook.transcript_path) else None
    compaction_id = None if existing_path is not None else f"at-{call.now_ms()}"
    params = ContextPreCompactParams(
        cwd=hook.location.cwd,
        project_path=hook.location.project,
        session_id=hook.session_id,
        compaction_id=compaction_id,
        transcript_path=existing_path,
    )
    event = SessionEventParams(
        event="compacted",
        cwd=hook.location.cwd,
        sub_chat_id=hook.sub_chat_id,
        provider=hook.params.agent,
        session_id=hook.session_id,
    )
    session_event(call, event)
    pre_compact(call, params)


def _session_start_texts(call: Call, hook: HookCall) -> list[str]:
    """Return the texts for a session's start: the recovery after a compaction, else the block of its session lock."""
    source = hook.text("source")
    if source == "compact":
        return _after_compaction(call, hook)
    if source in START_SOURCES and _has_active_lock(call, hook.location):
        return [_block(call, hook.location, resumed=source == "resume")]
    return []


def _after_compaction(call: Call, hook: HookCall) -> list[str]:
    from sidecar.context.methods import post_compact
    from sidecar.context.model import ContextPostCompactParams
    from sidecar.context.project_files import FRAMEWORK

    cwd, project = hook.location
    params = ContextPostCompactParams(cwd=cwd, project_path=project, session_id=hook.session_id)
    context = None
    try:
        result = post_compact(call, params)
        if _has_active_lock(call, hook.location):
            return [result.prompt, result.context.block]
        context = result.context
    except SidecarError as error:
        call.log.warning("hook.postCompact.failed", kind=error.kind)
    memories = context.data.memory if context is not None else None
    if context is not None and memories is not None and os.path.isdir(os.path.join(project, FRAMEWORK)):
        return [continuation_text(call, hook.sub_chat_id, MAX_NEW_BYTES, ""), context.block]
    return [continuation_text(call, hook.sub_chat_id, MAX_NEW_BYTES, memories.text if memories is not None else "")]


def _has_active_lock(call: Call, location: Location) -> bool:
    from sidecar.session.methods import status
    from sidecar.session.model import SessionStatusParams

    return status(call, SessionStatusParams(cwd=location.cwd, project_path=location.project)).session.status == "active"


def _block(call: Call, location: Location, *, resumed: bool) -> str:
    from sidecar.context.methods import compose_for
    from sidecar.context.model import ContextComposeParams

    params = ContextComposeParams(cwd=location.cwd, project_path=location.project, bracket="FRESH", resumed=resumed)
    return compose_for(call, params, has_anchor=True).block  # the first prompt brings it


_EVENTS: dict[HookEvent, Callable[[Call, HookCall], HookRunResult]] = {
    "UserPromptSubmit": _on_prompt,
    "SessionStart": _on_session_start,
    "PreCompact": _on_pre_compact,
    "PostToolUse": _on_tool_use,
    "Stop": _on_stop,
}


METHODS = (
    method(
        "hook/run",
        run,
        lane=Lane.SHARED,
        errors=(InvalidParams, PolicyDenied, WorkspaceUnavailable, StateDegraded, Busy),
    ),
)
