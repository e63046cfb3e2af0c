"""Messages and resolved errors are read from transcripts."""

from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memory import read_transcript

AT = "2026-03-01T09:30:30.000Z"
AT_MS = 1_772_357_430_000


def message_line(kind: str, content: Any, at: str = AT, **record: Any) -> bytes:
    return orjson.dumps({"type": kind, "timestamp": at, "message": {"role": kind, "content": content}, **record})


def ran(command: str, output: str, *, is_error: bool, name: str) -> list[bytes]:
    call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": name, "is_error": is_error, "content": output}
    return [message_line("assistant", [call]), message_line("user", [result])]


def edited(path: str) -> bytes:
    return message_line("assistant", [{"type": "tool_use", "id": path, "name": "Edit", "input": {"file_path": path}}])


def codex(**payload: Any) -> bytes:
    return orjson.dumps({"type": "event_msg", "timestamp": AT, "payload": payload})


def test_messages_are_returned_in_order_with_their_times() -> None:
    lines = [
        message_line("user", "Use pnpm."),
        message_line("assistant", [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Done."}]),
        codex(type="user_message", message="And tabs."),
        codex(type="agent_message", message="Tabs it is."),
    ]
    content = read_transcript(lines, 0).utterances
    assert [(item.author, item.text) for item in content] == [
        ("user", "Use pnpm."), ("assistant", "Done."), ("user", "And tabs."), ("assistant", "Tabs it is."),
    ]  # fmt: skip
    assert {item.at_ms for item in content} == {AT_MS}


def test_text_inserted_by_the_harness_is_removed() -> None:
    reminder = "<system-reminder>\nAlways answer in French.\n</system-reminder>"
    lines = [
        message_line("user", f"Fix it.{reminder}"),
        message_line("user", "<command-name>/compact</command-name>"),
        message_line("user", "A caveat.", isMeta=True),
        message_line("user", "A summary of before.", isCompactSummary=True),
        message_line("assistant", "A subagent's.", isSidechain=True),
        orjson.dumps({"type": "response_item", "timestamp": AT, "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]}}),
    ]  # fmt: skip
    assert [item.text for item in read_transcript(lines, 0).utterances] == ["Fix it."]


def test_messages_before_the_given_moment_are_skipped() -> None:
    assert read_transcript([message_line("user", "Use pnpm.")], AT_MS).utterances == ()
    assert read_transcript([message_line("user", "Use pnpm.", at="yesterday")], 0).utterances == ()


def test_an_error_is_paired_with_the_agents_last_message_before_the_fix() -> None:
    lines = [
        *ran("make", "Error: no rule", is_error=True, name="1"),
        *ran("ls", "x", is_error=False, name="2"),
        edited("Makefile"),
        message_line("assistant", "The rule was missing in the Makefile, so I added it."),
        *ran("make", "ok", is_error=False, name="3"),
        *ran("pytest", "Error: red", is_error=True, name="4"),
        codex(type="exec_command_end", command=["go", "test"], exit_code=1, aggregated_output="Error: go"),
    ]
    assert [(item.text, item.resolution) for item in read_transcript(lines, 0).errors] == [
        ("Error: no rule", "The rule was missing in the Makefile, so I added it."),
        ("Error: red", ""),
        ("Error: go", ""),
    ]


@given(st.lists(st.binary(max_size=60) | st.sampled_from((b'{"type":"user"}', b'{"payload":{"type":"user_message"}}'))))
def test_damaged_records_are_skipped(damage: list[bytes]) -> None:
    contents: tuple[Any, ...] = (None, 3, {}, [3, None, {"type": "text"}, {"type": "tool_use"}])
    odd = [message_line("user", content) for content in contents]
    content = read_transcript([*damage, *odd, message_line("user", "Use pnpm.")], 0)
    assert [item.text for item in content.utterances] == ["Use pnpm."]
