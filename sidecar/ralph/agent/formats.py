"""Parsers of the harnesses' output: each JSON event (one per line) becomes agent events. Pure.

Field names follow the harnesses' own documentation: Claude's `stream-json`, the events of `codex exec --json`,
Gemini's `stream-json`, and the output of `opencode run --format json`. Unknown events are ignored.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sidecar.ralph.agent.harnesses import EventFormat


@dataclass(frozen=True, slots=True)
class MessageText:
    """Text the agent addresses to its user: a message, or a piece of one that the next piece continues."""

    text: str
    is_piece: bool = False
    message_id: str | None = None
    """Texts with the same id belong to one message; a text without one is a message of its own."""


@dataclass(frozen=True, slots=True)
class FinalMessage:
    """The agent's complete final message, as in its result."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """The agent used a tool, so earlier text was not its final message. `summary` is for display."""

    summary: str
    edited: tuple[str, ...] = ()
    """The files that it edited, if it was an editing tool."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost; null means not reported. With `is_increment` they are added to the earlier counts."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    is_increment: bool = False


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """The provider's id of the conversation."""

    session_id: str


@dataclass(frozen=True, slots=True)
class ErrorReported:
    """The agent reported an error; a later successful result cancels it."""

    message: str


@dataclass(frozen=True, slots=True)
class LimitReached:
    """The agent reached a usage limit, with the reset time if it reported one."""

    resets_at_ms: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The agent gave its result; nothing follows."""

    succeeded: bool


AgentEvent = MessageText | FinalMessage | ToolUsed | Usage | SessionStarted | ErrorReported | LimitReached | Finished


HarnessEvent = Mapping[str, Any]

_NESTED = 8


def parse_claude(event: HarnessEvent) -> Iterator[AgentEvent]:
    """Parse an event of `claude -p --output-format stream-json --verbose`; text of subagents is skipped."""
    if isinstance(session_id := event.get("session_id"), str):
        yield SessionStarted(session_id)
    if event.get("parent_tool_use_id"):
        return
    match event.get("type"):
        case "assistant":
            yield from _claude_blocks(event)
        case "result":
            yield from _claude_result(event)
        case "system" if event.get("subtype") == "api_retry":
            yield ErrorReported(f"the provider did not respond: {event.get('error_status') or event.get('error')}")
        case "rate_limit_event":
            yield from _claude_limit(_object(event, "rate_limit_info"))
        case _:
            pass


def _claude_blocks(event: HarnessEvent) -> Iterator[AgentEvent]:
    content = _object(event, "message").get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in blocks:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text" and isinstance(text := block.get("text"), str):
            message_id = _string(_object(event, "message"), "id") or None
            text_event = MessageText(text, message_id=message_id)
            yield from _claude_notice(event, text) if _is_notice(event) else (text_event,)
        elif _string(block, "type") in {"tool_use", "server_tool_use", "mcp_tool_use"}:
            yield _tool_used(block.get("name"), block.get("input"))


def _claude_notice(event: HarnessEvent, text: str) -> Iterator[AgentEvent]:
    yield ErrorReported(text)
    if event.get("error") == "rate_limit":
        yield LimitReached(None, text)


def _is_notice(event: HarnessEvent) -> bool:
    """Whether the message comes from the harness: provider errors are printed as messages of the agent."""
    return bool(event.get("error") or event.get("isApiErrorMessage")) or (
        _object(event, "message").get("model") == "<synthetic>"
    )


def _claude_result(event: HarnessEvent) -> Iterator[AgentEvent]:
    usage = _object(event, "usage")
    input_counts = [
        _count(usage, name) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    cost = event.get("total_cost_usd", event.get("cost_usd"))
    yield Usage(_sum(input_counts), _count(usage, "output_tokens"), _number(cost))
    text = _message(event.get("result"))
    subtype = _string(event, "subtype")
    if event.get("is_error") or subtype not in {"", "success"}:
        yield ErrorReported(text or _message(event.get("errors")) or subtype or "error")
        yield Finished(succeeded=False)
    else:
        if isinstance(event.get("result"), str):
            yield FinalMessage(text)
        yield Finished(succeeded=True)


def _claude_limit(info: HarnessEvent) -> Iterator[AgentEvent]:
    if info.get("status") == "rejected" and not info.get("isUsingOverage"):
        resets_at = _number(info.get("resetsAt"))
        yield LimitReached(
            None if resets_at is None else _milliseconds(resets_at),
            f"usage limit reached ({info.get('rateLimitType', 'unknown')})",
        )


_CODEX_IGNORED = frozenset(("agent_message", "assistant_message", "reasoning", "todo_list", "error", "plan"))


def parse_codex(event: HarnessEvent) -> Iterator[AgentEvent]:
    """Parse an event of `codex exec --json`; an `error` may be recovered from, only `turn.failed` is final."""
    item = _object(event, "item")
    kind = _string(item, "type") or _string(item, "item_type")
    match event.get("type"):
        case "thread.started" | "session.created":
            thread_id = event.get("thread_id", event.get("session_id"))
            if isinstance(thread_id, str):
                yield SessionStarted(thread_id)
        case "item.completed" if kind in {"agent_message", "assistant_message"}:
            yield MessageText(_message(item.get("text")))
        case "item.started" | "item.completed" if kind and kind not in _CODEX_IGNORED:
            yield _tool_used(kind, item)
        case "turn.completed":
            usage = _object(event, "usage")
            yield Usage(_count(usage, "input_tokens"), _count(usage, "output_tokens"))
            yield Finished(succeeded=True)
        case "turn.failed":
            yield ErrorReported(_message(event.get("error")) or "the turn failed")
            yield Finished(succeeded=False)
        case "error":
            yield ErrorReported(_message(event) or "error")
        case _:
            yield from _parse_codex_before_0_45(_object(event, "msg"))


def _parse_codex_before_0_45(event: HarnessEvent) -> Iterator[AgentEvent]:
    """Parse the older `--json` format, whose events are nested in `msg`; prompt and settings come first."""
    match event.get("type"):
        case "session_configured" if isinstance(session_id := event.get("session_id"), str):
            yield SessionStarted(session_id)
        case "agent_message":
            yield MessageText(_message(event))
        case "exec_command_begin" | "patch_apply_begin" | "mcp_tool_call_begin" | "web_search_begin":
            yield _tool_used(str(event.get("type")).removesuffix("_begin"), event)
        case "token_count":
            usage = _object(_object(event, "info"), "total_token_usage") or event
            yield Usage(_count(usage, "input_tokens"), _count(usage, "output_tokens"))
        case "error":
            yield ErrorReported(_message(event) or "error")
        case "task_complete":
            if isinstance(text := event.get("last_agent_message"), str):
                yield FinalMessage(text)
            yield Finished(succeeded=True)
        case _:
            pass


def parse_gemini(event: HarnessEvent) -> Iterator[AgentEvent]:
    """Parse an event of `gemini --output-format stream-json`."""
    match event.get("type"):
        case "init" if isinstance(session_id := event.get("session_id"), str):
            yield SessionStarted(session_id)
        case "message" if event.get("role") == "assistant":
            yield MessageText(_message(event.get("content")), is_piece=bool(event.get("delta")))
        case "tool_use":
            yield _tool_used(event.get("tool_name"), event.get("parameters"))
        case "error" if event.get("severity") != "warning":
            yield ErrorReported(_message(event) or "error")
        case "result":
            stats = _object(event, "stats")
            yield Usage(_count(stats, "input_tokens"), _count(stats, "output_tokens"))
            if event.get("status") == "error":
                yield ErrorReported(_message(event.get("error")) or "error")
            yield Finished(succeeded=event.get("status") != "error")
        case _:
            pass


def parse_opencode(event: HarnessEvent) -> Iterator[AgentEvent]:
    """Parse an event of `opencode run --format json`."""
    if isinstance(session_id := event.get("sessionID"), str):
        yield SessionStarted(session_id)
    part = _object(event, "part")
    match event.get("type"):
        case "text":
            yield MessageText(_message(part.get("text")), message_id=_string(part, "messageID") or None)
        case "tool_use":
            yield _tool_used(part.get("tool"), _object(part, "state").get("input"))
        case "step_finish":
            tokens = _object(part, "tokens")
            cache = _object(tokens, "cache")
            input_counts = [_count(tokens, "input"), _count(cache, "read"), _count(cache, "write")]
            yield Usage(_sum(input_counts), _count(tokens, "output"), _number(part.get("cost")), is_increment=True)
        case "error":
            yield ErrorReported(_message(event.get("error")) or "error")
        case "done":
            yield Finished(succeeded=False)  # an earlier error still counts
        case _:
            pass


PARSERS: Mapping[EventFormat, Callable[[HarnessEvent], Iterator[AgentEvent]]] = {
    "claude": parse_claude,
    "codex": parse_codex,
    "gemini": parse_gemini,
    "opencode": parse_opencode,
}


_CLAUDE_TYPES = frozenset(("system", "assistant", "user", "result", "rate_limit_event"))
_CODEX_PREFIXES = ("thread.", "turn.", "item.")
_GEMINI_TYPES = frozenset(("init", "message", "tool_use", "tool_result", "result"))


def format_of(event: HarnessEvent) -> EventFormat | None:
    """Return the harness that prints such an event, which a custom command may run."""
    kind = _string(event, "type")
    if isinstance(event.get("sessionID"), str):
        return "opencode"
    if kind.startswith(_CODEX_PREFIXES) or _object(event, "msg"):
        return "codex"
    if kind in _CLAUDE_TYPES and isinstance(event.get("session_id"), str) and "status" not in event:
        return "claude"
    return "gemini" if kind in _GEMINI_TYPES else None


def _object(event: HarnessEvent, name: str) -> HarnessEvent:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def _string(event: HarnessEvent, name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _message(value: object) -> str:
    """Return the sentence of an error: a text, or a nested `message` within `_NESTED` levels."""
    for _ in range(_NESTED):
        match value:
            case [inner, *_] | {"message": inner} | {"data": inner} | {"error": inner} | {"name": inner}:
                value = inner
            case _:
                break
    return value if isinstance(value, str) else ""


_EDITING_TOOLS = frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit", "write_file", "replace", "edit", "write"))
_PATH_ARGUMENTS = ("file_path", "path", "filePath")


def _tool_used(name: object, raw_arguments: object) -> ToolUsed:
    """Return the use of a tool, with its name and its main argument on one line."""
    arguments = raw_arguments if isinstance(raw_arguments, dict) else {}
    names = (*_PATH_ARGUMENTS, "command", "pattern", "query", "description")
    target = next((value for key in names if isinstance(value := arguments.get(key), str)), "")
    return ToolUsed(" ".join(f"{name or 'tool'} {target}".split())[:120], tuple(_edited(name, arguments)))


def _edited(name: object, arguments: HarnessEvent) -> Iterator[str]:
    """Yield the paths that an editing tool names; Codex lists its changes, or has them as members by path."""
    if name in {"file_change", "patch_apply"}:
        changes: Any = arguments.get("changes")
        for change in changes if isinstance(changes, (list, dict)) else ():
            path = change.get("path") if isinstance(change, dict) else change
            if isinstance(path, str):
                yield path
    elif isinstance(name, str) and name in _EDITING_TOOLS:
        yield from (
            value for key in (*_PATH_ARGUMENTS, "notebook_path") if isinstance(value := arguments.get(key), str)
        )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _count(usage: HarnessEvent, name: str) -> int | None:
    value = _number(usage.get(name))
    return None if value is None else int(value)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _milliseconds(epoch: float) -> int:
    """Return milliseconds since 1970 for a value in seconds or milliseconds."""
    return int(epoch if epoch > 1e11 else epoch * 1000)
