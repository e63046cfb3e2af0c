"""Messages and resolved errors are read from transcripts."""

from pathlib import Path
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memory import read_transcript
from sidecar.memory.capture.session_material import error_line
from tests.support.cases import together

AT = "2026-03-01T09:30:30.000Z"
AT_MS = 1_772_357_430_000


def message_line(kind: str, content: Any, at: str = AT, **record: Any) -> bytes:
    return orjson.dumps({"type": kind, "timestamp": at, "message": {"role": kind, "content": content}, **record})


def ran(command: str, output: str, *, is_error: bool, name: str) -> list[bytes]:
    call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": name, "is_error": is_error, "content": output}
    return [message_line("assistant", [call]), message_line("user", [result])]


def edited(path: str, **texts: str) -> bytes:
    call = {"type": "tool_use", "id": path, "name": "Edit", "input": {"file_path": path, **texts}}
    return message_line("assistant", [call])


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


OUTPUTS = (Path(__file__).parent / "data" / "failed_commands.txt").read_text("utf-8").split("=== ")[1:]
"""A tool and the line that names the error, then the output of a failed command of that tool."""


@together("sample", OUTPUTS)
def test_the_line_that_names_an_error_is_found_in_the_output_of_any_compiler(sample: str) -> None:
    head, _, output = sample.partition("\n")
    assert error_line(f"Exit code 1\n{output}") == head.partition(": ")[2]


def test_lines_that_the_passing_command_also_prints_are_no_error() -> None:
    lines = [
        *ran("make check", "Reading 3 files\ntotal is off by 2\nDone in 1.5s", is_error=True, name="1"),
        edited("till.c"),
        message_line("assistant", "The sum was wrong because the first line was skipped."),
        *ran("make check", "Reading 4 files\nDone in 0.9s", is_error=False, name="2"),
    ]
    (error,) = read_transcript(lines, 0).errors
    assert (error_line(error.text), error.changed) == ("total is off by 2", ("till.c",))


PASTED = (
    "Length.cs(41,18): error CS0019: Operator '/' fits no 'FileName'\n\nfix this",
    "Error (active)\tCS1715\t'FileName.Dimension': type must be 'Size'\tShop\tC:\\dev\\Length.cs\t13",
    "it crashes:\nSystem.ArgumentException: 'FileName' is null",
)
EXPLANATION = "The build failed because the operator was missing, so I added it to FileName."


@together("message", PASTED)
def test_an_error_that_the_user_pasted_is_resolved_by_a_change_of_what_it_names(message: str) -> None:
    lines = [
        message_line("user", message),
        edited("src/Path.cs", old_string="a", new_string="public static FileName operator"),
        message_line("assistant", EXPLANATION),
    ]
    (error,) = read_transcript(lines, 0).errors
    assert (error.resolution, error.changed, error.is_pasted) == (EXPLANATION, ("src/Path.cs",), True)


def test_a_pasted_error_stays_unresolved_if_it_is_shown_again_or_something_else_was_changed() -> None:
    explained = message_line("assistant", EXPLANATION)
    change = edited("src/Path.cs", new_string="FileName")
    again = PASTED[0].replace("41,18", "43,18")
    for lines in (
        [message_line("user", PASTED[0]), change, explained, message_line("user", f"still there\n{again}")],
        [message_line("user", PASTED[0]), change, *ran("dotnet build", again, is_error=True, name="1"), explained],
        [message_line("user", PASTED[0]), edited("README.md", new_string="Shop"), explained],
        [message_line("user", PASTED[0]), explained],
    ):
        assert {error.resolution for error in read_transcript(lines, 0).errors} == {""}


@together("message", ("I get an error: the button is gone", "FileName should not be null", "see src/a.go:4:2 for it"))
def test_a_users_own_words_on_a_fault_are_no_pasted_error(message: str) -> None:
    lines = [
        message_line("user", message),
        edited("src/a.go", new_string="FileName"),
        message_line("assistant", EXPLANATION),
    ]
    assert read_transcript(lines, 0).errors == ()


@given(st.lists(st.binary(max_size=60) | st.sampled_from((b'{"type":"user"}', b'{"payload":{"type":"user_message"}}'))))
def test_damaged_records_are_skipped(damage: list[bytes]) -> None:
    contents: tuple[Any, ...] = (None, 3, {}, [3, None, {"type": "text"}, {"type": "tool_use"}])
    odd = [message_line("user", content) for content in contents]
    content = read_transcript([*damage, *odd, message_line("user", "Use pnpm.")], 0)
    assert [item.text for item in content.utterances] == ["Use pnpm."]
