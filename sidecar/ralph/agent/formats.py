"""Reads what each harness prints: events, one JSON object per line, become the few things that count. Pure.

The names are those of the harnesses' own documentation: Claude's `stream-json`, the events of `codex exec --json`,
Gemini's `stream-json`, and what `opencode run --format json` writes. What is unknown says nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

# The few things an agent's output can say, whatever harness printed it.


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the agent's own, to its user: a message, or a piece of one that goes on with the next."""

    text: str
    is_piece: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole of the agent's last word, told once more with its result."""

    text: str


@dataclass(frozen=True, slots=True)
class Worked:
    """The agent used a tool: what it said before was not its last word. `what` is for people who look on."""

    what: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens and cost; what is null was not told. With `adds` they come on top of what was told before."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """The provider's id of the conversation."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The agent says that it failed, and why; a result that is well takes it back."""

    message: str


@dataclass(frozen=True, slots=True)
class Limited:
    """The agent may do no more until a moment, where it is told."""

    resets_at_ms: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The agent has given its result: nothing more is to come."""

    well: bool


Said = Text | Answer | Worked | Counted | Session | Failed | Limited | Finished


Event = Mapping[str, Any]

_NESTED = 8


def claude(event: Event) -> Iterator[Said]:
    """Reads an event of `claude -p --output-format stream-json --verbose`; what subagents say is not its own."""
    if isinstance(session_id := event.get("session_id"), str):
        yield Session(session_id)
    if event.get("parent_tool_use_id"):
        return
    match event.get("type"):
        case "assistant":
            yield from _claude_blocks(event)
        case "result":
            yield from _claude_result(event)
        case "system" if event.get("subtype") == "api_retry":
            yield Failed(f"the provider did not answer: {event.get('error_status') or event.get('error')}")
        case "rate_limit_event":
            yield from _claude_limit(_object(event, "rate_limit_info"))
        case _:
            pass


def _claude_blocks(event: Event) -> Iterator[Said]:
    content = _object(event, "message").get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in blocks:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text" and isinstance(text := block.get("text"), str):
            yield from _claude_notice(event, text) if _is_notice(event) else (Text(text),)
        elif _word(block, "type") in {"tool_use", "server_tool_use", "mcp_tool_use"}:
            yield Worked(_tool(block.get("name"), block.get("input")))


def _claude_notice(event: Event, text: str) -> Iterator[Said]:
    yield Failed(text)
    if event.get("error") == "rate_limit":
        yield Limited(None, text)


def _is_notice(event: Event) -> bool:
    """Says whether the harness itself speaks: an error of the provider's comes as if the agent had said it."""
    return bool(event.get("error") or event.get("isApiErrorMessage")) or (
        _object(event, "message").get("model") == "<synthetic>"
    )


def _claude_result(event: Event) -> Iterator[Said]:
    usage = _object(event, "usage")
    read = [_count(usage, name) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")]
    cost = event.get("total_cost_usd", event.get("cost_usd"))
    yield Counted(_sum(read), _count(usage, "output_tokens"), _number(cost))
    text = _message(event.get("result"))
    subtype = _word(event, "subtype")
    if event.get("is_error") or subtype not in {"", "success"}:
        yield Failed(text or _message(event.get("errors")) or subtype or "error")
        yield Finished(well=False)
    else:
        yield Answer(text)
        yield Finished(well=True)


def _claude_limit(info: Event) -> Iterator[Said]:
    if info.get("status") == "rejected" and not info.get("isUsingOverage"):
        resets_at = _number(info.get("resetsAt"))
        yield Limited(
            None if resets_at is None else _milliseconds(resets_at),
            f"usage limit reached ({info.get('rateLimitType', 'unknown')})",
        )


_CODEX_SILENT = frozenset(("agent_message", "assistant_message", "reasoning", "todo_list", "error", "plan"))


def codex(event: Event) -> Iterator[Said]:
    """Reads an event of `codex exec --json`; an `error` may be mended, only `turn.failed` is final."""
    item = _object(event, "item")
    kind = _word(item, "type") or _word(item, "item_type")
    match event.get("type"):
        case "thread.started" | "session.created":
            thread_id = event.get("thread_id", event.get("session_id"))
            if isinstance(thread_id, str):
                yield Session(thread_id)
        case "item.completed" if kind in {"agent_message", "assistant_message"}:
            yield Text(_message(item.get("text")))
        case "item.started" | "item.completed" if kind and kind not in _CODEX_SILENT:
            yield Worked(_tool(kind, item))
        case "turn.completed":
            usage = _object(event, "usage")
            yield Counted(_count(usage, "input_tokens"), _count(usage, "output_tokens"))
            yield Finished(well=True)
        case "turn.failed":
            yield Failed(_message(event.get("error")) or "the turn failed")
            yield Finished(well=False)
        case "error":
            yield Failed(_message(event) or "error")
        case _:
            yield from _codex_before_0_45(_object(event, "msg"))


def _codex_before_0_45(event: Event) -> Iterator[Said]:
    """Reads what `--json` meant before its events had names of their own; the prompt and the settings come first."""
    match event.get("type"):
        case "session_configured" if isinstance(session_id := event.get("session_id"), str):
            yield Session(session_id)
        case "agent_message":
            yield Text(_message(event))
        case "exec_command_begin" | "patch_apply_begin" | "mcp_tool_call_begin" | "web_search_begin":
            yield Worked(_tool(str(event.get("type")).removesuffix("_begin"), event))
        case "token_count":
            usage = _object(_object(event, "info"), "total_token_usage") or event
            yield Counted(_count(usage, "input_tokens"), _count(usage, "output_tokens"))
        case "error":
            yield Failed(_message(event) or "error")
        case "task_complete":
            yield Finished(well=True)
        case _:
            pass


def gemini(event: Event) -> Iterator[Said]:
    """Reads an event of `gemini --output-format stream-json`."""
    match event.get("type"):
        case "init" if isinstance(session_id := event.get("session_id"), str):
            yield Session(session_id)
        case "message" if event.get("role") == "assistant":
            yield Text(_message(event.get("content")), is_piece=bool(event.get("delta")))
        case "tool_use":
            yield Worked(_tool(event.get("tool_name"), event.get("parameters")))
        case "error" if event.get("severity") != "warning":
            yield Failed(_message(event) or "error")
        case "result":
            stats = _object(event, "stats")
            yield Counted(_count(stats, "input_tokens"), _count(stats, "output_tokens"))
            if event.get("status") == "error":
                yield Failed(_message(event.get("error")) or "error")
            yield Finished(well=event.get("status") != "error")
        case _:
            pass


def opencode(event: Event) -> Iterator[Said]:
    """Reads an event of `opencode run --format json`."""
    if isinstance(session_id := event.get("sessionID"), str):
        yield Session(session_id)
    part = _object(event, "part")
    match event.get("type"):
        case "text":
            yield Text(_message(part.get("text")))
        case "tool_use":
            yield Worked(_tool(part.get("tool"), _object(part, "state").get("input")))
        case "step_finish":
            tokens = _object(part, "tokens")
            cache = _object(tokens, "cache")
            read = [_count(tokens, "input"), _count(cache, "read"), _count(cache, "write")]
            yield Counted(_sum(read), _count(tokens, "output"), _number(part.get("cost")), adds=True)
        case "error":
            yield Failed(_message(event.get("error")) or "error")
        case "done":
            yield Finished(well=False)  # an error before it stands
        case _:
            pass


READERS: Mapping[Literal["claude", "codex", "gemini", "opencode"], Callable[[Event], Iterator[Said]]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
}


def _object(event: Event, name: str) -> Event:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def _word(event: Event, name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _message(value: object) -> str:
    """Finds the sentence of an error: a text, or a `message` within, not too deep."""
    for _ in range(_NESTED):
        match value:
            case [inner, *_] | {"message": inner} | {"data": inner} | {"error": inner} | {"name": inner}:
                value = inner
            case _:
                break
    return value if isinstance(value, str) else ""


def _tool(name: object, given: object) -> str:
    """Says which tool was used, and on what, in one line."""
    told = given if isinstance(given, dict) else {}
    names = ("file_path", "path", "filePath", "command", "pattern", "query", "description")
    on_what = next((value for key in names if isinstance(value := told.get(key), str)), "")
    return " ".join(f"{name or 'tool'} {on_what}".split())[:120]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(usage: Event, name: str) -> int | None:
    value = _number(usage.get(name))
    return None if value is None else int(value)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _milliseconds(epoch: float) -> int:
    """Takes seconds or milliseconds since 1970 for what they are."""
    return int(epoch if epoch > 1e11 else epoch * 1000)
