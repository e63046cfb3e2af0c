"""A run reconstructed from Claude Code's session file."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sidecar.call import Call
from sidecar.integrations.agent_hooks import HookCall, OpenRun, run_with_last_message
from sidecar.transcripts.transcript_tail import TranscriptRun, add_touched_files, run_since

BEGAN_MS = 1_772_357_400_000  # 2026-03-01T09:30:00Z


def line(role: str, content: Any, *, at: str = "2026-03-01T09:31:00.000Z", **more: Any) -> bytes:
    message = {"role": role, "content": content, **more.pop("message", {})}
    return json.dumps({"type": role, "message": message, "timestamp": at, **more}).encode()


def use(call_id: str, tool: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": given}


def result(call_id: str, text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}


def test_run_has_prompt_calls_with_results_and_final_message() -> None:
    run = run_since(
        [
            line("user", "An earlier prompt", at="2026-03-01T09:29:00.000Z"),
            line("user", "Mend the cart"),
            line("assistant", [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "I look."}]),
            line("assistant", [use("a", "Bash", command="pytest"), use("b", "Edit", file_path="/shop/cart.py")]),
            line("user", [result("a", "1 passed")], toolUseResult={"stdout": "1 passed", "stderr": ""}),
            line("user", [result("b", "File not read", is_error=True)], toolUseResult="Error: File not read"),
            line("assistant", [{"type": "text", "text": "Mended."}]),
        ],
        BEGAN_MS,
    )
    assert (run.prompt, run.text) == ("Mend the cart", "Mended.")
    calls = [part for part in run.parts if part["type"] != "text"]
    assert [(part["type"], part["state"], part.get("output")) for part in calls] == [
        ("tool-Bash", "result", {"stdout": "1 passed", "stderr": ""}),
        ("tool-Edit", "call", None),
    ]


def test_the_end_of_the_previous_run_is_not_part_of_a_run_that_follows_at_once() -> None:
    usage = {"input_tokens": 10, "output_tokens": 5}
    before, prompted, after = (f"2026-03-01T09:29:{second}Z" for second in ("58.500", "59.500", "59.900"))
    ended = line("assistant", [{"type": "text", "text": "Done."}], at=before, message={"id": "m", "usage": usage})
    prompt = line("user", "Next", at=prompted)
    answer = line("assistant", [{"type": "text", "text": "Yes."}], at=after)
    started = line("user", "Next", at="2026-03-01T09:30:00.100Z")
    later = line("assistant", [{"type": "text", "text": "Yes."}])
    expected = TranscriptRun("Next", "Yes.", [{"type": "text", "text": "Yes."}], {})
    assert run_since([ended, prompt, answer], BEGAN_MS) == expected, "the prompt is dated before the start"
    assert run_since([ended, started, later], BEGAN_MS) == expected, "the prompt is dated after it"
    assert run_since([ended], BEGAN_MS) == TranscriptRun("", "", [], {}), "nothing is written yet"


@pytest.mark.parametrize(("age_ms", "waits"), [(60_000, 0), (300, 25)])
def test_a_session_without_a_file_is_not_waited_for_once_it_would_have_one(
    tmp_path: Path, age_ms: int, waits: int
) -> None:
    slept: list[float] = []
    closing = SimpleNamespace(wait=slept.append)
    call = cast("Call", SimpleNamespace(now_ms=lambda: BEGAN_MS + age_ms, process=SimpleNamespace(closing=closing)))
    hook = cast("HookCall", SimpleNamespace(transcript_path=str(tmp_path / "none.jsonl")))
    open_run = cast("OpenRun", SimpleNamespace(started_at=datetime.fromtimestamp(BEGAN_MS / 1000, UTC)))

    assert run_with_last_message(call, hook, open_run, "Done.").text == ""
    assert len(slept) == waits


def test_records_of_subagents_and_the_program_are_skipped() -> None:
    lines = [
        line("user", "Caveat: local commands", isMeta=True),
        line("assistant", [{"type": "text", "text": "from a subagent"}], isSidechain=True),
        line("user", "This session is continued from", isCompactSummary=True),
        b'{"type": "summary"}', b"{torn", b"", b"[]", line("user", 3), line("assistant", None),
    ]  # fmt: skip
    assert run_since(lines, BEGAN_MS) == TranscriptRun("", "", [], {})


def test_usage_of_an_answer_in_several_records_counts_once() -> None:
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 7, "cache_creation_input_tokens": "x"}
    lines = [
        line("assistant", [{"type": "text", "text": "one"}], message={"id": "m", "usage": usage}),
        line("assistant", [use("a", "Read", file_path="/shop/cart.py")], message={"id": "m", "usage": usage}),
        line("assistant", [{"type": "text", "text": "two"}], message={"id": "n", "usage": usage}),
    ]
    run = run_since(lines, BEGAN_MS)
    assert run.usage == {"inputTokens": 20, "outputTokens": 10, "cacheReadTokens": 14, "cacheCreationTokens": 0}


def test_files_reported_only_by_hooks_are_added_once() -> None:
    parts = [{"type": "tool-Edit", "toolCallId": "a", "input": {"file_path": "/shop/cart.py"}}]
    both = add_touched_files(parts, ["/shop/cart.py", "/shop/tax.py", "/shop/tax.py"])
    assert [part["input"]["file_path"] for part in both] == ["/shop/tax.py", "/shop/cart.py"]
    assert both[0]["state"] == "result"
