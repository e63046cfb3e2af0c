"""The stream of typed events in transcripts of Claude Code and Codex."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.transcripts import (
    Compaction,
    Event,
    EventType,
    Message,
    TokenUsage,
    ToolCall,
    ToolResult,
    read_events,
    was_rolled_back,
)
from tests.support.cases import together

AT, AT_MS = "2026-03-01T09:31:00Z", 1_772_357_460_000
ALL: tuple[EventType, ...] = get_args(Event)


def events(*values: Any, since_ms: int = 0) -> list[Event]:
    return list(read_events([json.dumps(value).encode() for value in values], since_ms, *ALL))


def claude(author: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    message = {"role": author, "content": list(blocks), **more.pop("message", {})}
    return {"type": author, "timestamp": AT, "message": message, **more}


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": "event_msg", "timestamp": AT, "payload": {"type": kind, **payload}}


def test_claude_record_yields_its_blocks_in_order() -> None:
    usage = {"input_tokens": 3, "output_tokens": True, "cache_read_input_tokens": -1}
    record = claude(
        "assistant",
        {"type": "text", "text": "I run it."},
        {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "pytest"}},
        message={"id": "m", "usage": usage},
    )
    assert events(record) == [
        Message(AT_MS, 0, "assistant", "I run it."),
        ToolCall(AT_MS, "a", "Bash", {"command": "pytest"}),
        TokenUsage(AT_MS, "m", 3, 0, 0, 0),
    ]


def test_claude_result_has_text_failure_and_structured_form() -> None:
    block = {"type": "tool_result", "tool_use_id": "a", "is_error": True, "content": [{"type": "text", "text": "red"}]}
    assert events(claude("user", block, toolUseResult={"stdout": "red"})) == [
        ToolResult(AT_MS, "a", "red", failed=True, structured={"stdout": "red"})
    ]


@pytest.mark.parametrize("flag", ["isSidechain", "isMeta", "isCompactSummary"])
def test_claude_records_of_subagents_and_the_program_have_no_message(flag: str) -> None:
    found = events(claude("user", {"type": "text", "text": "x"}, **{flag: True}))
    assert found == ([Compaction(AT_MS)] if flag == "isCompactSummary" else [])


def test_codex_records_of_newer_versions_yield_the_same_events() -> None:
    command = {"type": "CommandExecution", "id": "a", "command": ["bash", "-lc", "pytest -q"], "exit_code": 1}
    usage = {"input_tokens": 10, "cached_input_tokens": 7, "output_tokens": 2}
    records = [
        codex("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "Fix it."}]}),
        codex("item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": "Done."}, None]}),
        codex("item_completed", item={**command, "aggregated_output": "red"}),
        codex("item_completed", item={"type": "Reasoning", "content": 3}),
        {**codex("", usage=usage), "type": "token_usage_record"},
        {**codex("", usage={"input_tokens": "many"}), "type": "token_usage_record"},
    ]
    lines = [json.dumps(record).encode() for record in records]
    events = list(read_events(lines, 0, Message, ToolResult, TokenUsage))
    messages = [(event.author, event.text) for event in events if isinstance(event, Message)]
    assert messages == [("user", "Fix it."), ("assistant", "Done.")]
    (result,) = (event for event in events if isinstance(event, ToolResult))
    assert (result.call_id, result.command, result.failed, result.text) == ("a", "pytest -q", True, "red")
    tokens = [event[2:] for event in events if isinstance(event, TokenUsage)]
    assert tokens == [(3, 2, 7, 0), (0, 0, 0, 0)]


def test_codex_records_yield_messages_results_and_compactions() -> None:
    assert events(
        codex("user_message", message="Fix it."),
        codex("agent_message", message="Done."),
        codex("exec_command_end", call_id="a", command=["pytest"], stdout="red", exit_code=1),
        codex("custom_tool_call_output", call_id="b", output='{"output": "ok", "metadata": {"exit_code": 0}}'),
        codex("function_call_output", call_id="c", output="Process exited with code 2\nOutput:\nred"),
        codex("context_compacted"),
        {"type": "compacted", "payload": {}},
    ) == [
        Message(AT_MS, 0, "user", "Fix it."),
        Message(AT_MS, 1, "assistant", "Done."),
        ToolResult(AT_MS, "a", "red", failed=True, exit_code=1, command="['pytest']"),
        ToolResult(AT_MS, "b", "ok", failed=False, exit_code=0),
        ToolResult(AT_MS, "c", "Process exited with code 2\nOutput:\nred", failed=True, exit_code=2),
        Compaction(AT_MS),
        Compaction(None),
    ]


def test_only_the_requested_kinds_since_a_moment_are_yielded() -> None:
    lines = [json.dumps(codex("user_message", message="Fix it.")).encode()]
    assert len(list(read_events(lines, AT_MS, Message))) == 1
    assert list(read_events(lines, AT_MS + 1, Message)) == []
    assert list(read_events(lines, 0, ToolResult, Compaction)) == []


def claude_line(record_id: str, parent: str | None, text: str = "", at: str = AT, **members: Any) -> bytes:
    content = [{"type": "text", "text": text}] if text else [{"type": "tool_result", "tool_use_id": "a", "content": ""}]
    record = {"type": "user", "uuid": record_id, "parentUuid": parent, "timestamp": at, "message": {"content": content}}
    return json.dumps(record | members).encode()


LATER = "2026-03-01T10:30:00Z"
CHAIN = [claude_line("a", None, "One"), claude_line("b", "a"), claude_line("c", "a"), claude_line("d", "c", "Two")]


@together(
    ("lines", "expected"),
    [
        ([*CHAIN, claude_line("e", "d", "Three", LATER)], False),
        ([*CHAIN, claude_line("e", "c", "Three", LATER)], True),
        ([*CHAIN, claude_line("e", None, "Three", LATER)], True),
        ([*CHAIN, claude_line("e", "c", "Three", LATER, isSidechain=True)], False),
        ([*CHAIN, claude_line("e", "d", "Expanded", LATER, isMeta=True)], False),
        (
            [*CHAIN, claude_line("s", None, "Summary", isCompactSummary=True), claude_line("e", "s", "Three", LATER)],
            False,
        ),
        ([*CHAIN, claude_line("e", "c", "Three"), claude_line("f", "e", "Four", LATER)], False),
        ([claude_line("a", "a", "One"), claude_line("e", "a", "Two", LATER)], False),
        ([json.dumps(codex("thread_rolled_back", num_turns=1)).encode()], False),
        ([json.dumps({**codex("thread_rolled_back", num_turns=1), "timestamp": LATER}).encode()], True),
        ([b"{", b'{"parentUuid":', b'{"uuid": 3, "parentUuid": [], "type": "user"}'], False),
    ],
)
def test_a_rollback_is_a_record_of_codex_or_another_branch_of_claudes_records(
    lines: list[bytes], *, expected: bool
) -> None:
    assert was_rolled_back(lines, AT_MS, AT_MS + 1) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["user", "text", "tool_use"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "input", "id"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["user", "assistant", "system", "event_msg", "compacted"]), JSON, JSON, st.binary(max_size=20))
def test_records_of_any_shape_are_read_without_an_error(kind: str, content: Any, payload: Any, damage: bytes) -> None:
    value = {"type": kind, "timestamp": AT, "message": {"content": content}, "payload": payload, "note": "compact"}
    list(read_events([damage, json.dumps(value).encode(), damage], 0, *ALL))
