"""The result of each harness's output, without a process."""

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.agent import PARSERS, OutputFormat, OutputParser, PromiseSearch, Tail, Usage, UsageLimit
from tests.support.cases import together

PROMISE = "<promise>COMPLETE</promise>"
NOTES = "Notes for next time:\n- Decision: keep the note in doc.go because the build reads it\n"
NOW_MS = 1_772_357_400_000


def parser(output_format: OutputFormat, shown: list[str] | None = None) -> OutputParser:
    return OutputParser(output_format, PromiseSearch("COMPLETE"), NOW_MS, None if shown is None else shown.append)


def agent_result(
    output_format: OutputFormat, *events: Any, exit_code: int | None = 0, cut: Sequence[int] = ()
) -> OutputParser:
    listening = parser(output_format)
    stream = b"".join(event if isinstance(event, bytes) else json.dumps(event).encode() + b"\n" for event in events)
    for length in cut:
        listening.stdout(stream[:length])
        stream = stream[length:]
    listening.stdout(stream)
    listening.close(exit_code)
    return listening


def claude_text(text: str, **members: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], **members.pop("message", {})}
    return {"type": "assistant", "message": message, **members}


CLAUDE_TOOL = {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Edit", "input": {}}]}}


@together(
    ("events", "promise"),
    [
        ([claude_text(PROMISE)], True),
        ([claude_text(PROMISE), CLAUDE_TOOL], False),
        ([claude_text(PROMISE), CLAUDE_TOOL, claude_text("not yet")], False),
        ([CLAUDE_TOOL, claude_text("It is done."), claude_text(PROMISE)], True),
        ([claude_text(PROMISE), claude_text("I was wrong: a test fails.")], False),
        ([claude_text(PROMISE, message={"id": "m"}), claude_text("Bye.", message={"id": "m"})], True),
        ([claude_text(PROMISE), {"type": "result", "subtype": "success", "result": "A test fails."}], False),
        ([claude_text(PROMISE), {"type": "result", "subtype": "success", "result": ""}], False),
        ([claude_text("x"), {"type": "result", "subtype": "success", "result": PROMISE}], True),
        ([claude_text(PROMISE, parent_tool_use_id="toolu_1")], False),
        ([{"type": "user", "message": {"content": PROMISE}}], False),
        ([{"type": "system", "subtype": "init", "note": PROMISE}], False),
        ([{"type": "assistant", "message": {"content": [{"type": "thinking", "thinking": PROMISE}]}}], False),
        ([{"type": "assistant", "message": {"content": PROMISE}}], True),
        ([{"type": "result", "subtype": "success", "is_error": False, "result": PROMISE}], True),
        ([{"type": "result", "subtype": "success", "is_error": True, "result": PROMISE}], False),
        ([{"type": "result", "subtype": "error_max_turns", "is_error": False, "result": PROMISE}], False),
        ([claude_text("\x1b[1m<prom\x1b[0mise>COMPLETE</promise>")], True),
        ([claude_text("x"), f"{PROMISE}\n".encode()], False),
        ([f"{PROMISE}\n".encode(), claude_text("x")], False),
    ],
)  # fmt: skip
def test_claude_promise_counts_in_the_final_message_only(events: list[Any], promise: bool) -> None:
    assert agent_result("claude", *events).promise is promise


def test_repeated_final_message_appears_once() -> None:
    result = {"type": "result", "subtype": "success", "result": "Done.\nAll of it."}
    assert (
        agent_result("claude", claude_text("Done."), claude_text("All of it."), result).final_text
        == "Done.\nAll of it."
    )


def test_claude_tokens_include_the_cache() -> None:
    cached = {"cache_creation_input_tokens": 26_313, "cache_read_input_tokens": 100}
    usage = {"input_tokens": 4, **cached, "output_tokens": 5}
    listening = agent_result(
        "claude", {"type": "result", "subtype": "success", "total_cost_usd": 0.0987, "usage": usage}
    )
    assert listening.usage == Usage(26_417, 5, 0.0987)
    assert listening.finished


@together(
    ("event", "failed"),
    [
        ({"type": "result", "is_error": True, "result": "Credit balance is too low"}, "Credit balance is too low"),
        ({"type": "result", "subtype": "error_max_turns"}, "error_max_turns"),
        ({"type": "result", "subtype": "error_during_execution", "errors": ["no network"]}, "no network"),
        (claude_text("API Error: 500\nserver", message={"model": "<synthetic>"}), "API Error: 500 server"),
        (claude_text("Invalid API key", error="authentication_failed"), "Invalid API key"),
    ],
)
def test_claude_errors_become_one_line(event: dict[str, Any], failed: str) -> None:
    assert agent_result("claude", event).error == failed


def test_successful_result_cancels_an_earlier_error() -> None:
    notice = claude_text("API Error: overloaded", error="server_error")
    assert agent_result("claude", notice, {"type": "result", "subtype": "success", "result": "ok"}).error is None
    again = {"type": "error", "message": "Reconnecting... 1/5"}
    assert agent_result("codex", again, {"type": "turn.completed", "usage": {}}).error is None
    assert agent_result("codex", again).error == "Reconnecting... 1/5"


def test_claude_rate_limit_event_counts_only_when_rejected() -> None:
    def event(status: str, **members: Any) -> dict[str, Any]:
        return {"type": "rate_limit_event", "rate_limit_info": {"status": status, "resetsAt": 1_772_400_000, **members}}

    refused = agent_result("claude", event("rejected", rateLimitType="five_hour")).limit
    assert refused is not None
    assert (refused.resets_at_ms, refused.text) == (1_772_400_000_000, "usage limit reached (five_hour)")
    assert agent_result("claude", event("allowed")).limit is None
    assert agent_result("claude", event("allowed_warning")).limit is None
    assert agent_result("claude", event("rejected", isUsingOverage=True)).limit is None


@together(
    ("output_format", "events", "exit_code"),
    [
        ("claude", [{"type": "result", "is_error": True, "result": "Claude AI usage limit reached|1772400000"}], 1),
        ("claude", [claude_text("Claude AI usage limit reached|1772400000", message={"model": "<synthetic>"})], 1),
        ("claude", [b"Claude AI usage limit reached|1772400000\n"], 1),
        ("claude", [b"Claude AI usage limit reached|1772400000\n"], 0),
        ("codex", [{"type": "error", "message": "You've hit your usage limit. resets_at: 1772400000"}], 1),
        ("plain", [b"working\nClaude AI usage limit reached|1772400000\n"], 1),
    ],
)
def test_usage_limit_is_detected_in_any_message(output_format: OutputFormat, events: list[Any], exit_code: int) -> None:
    limit = agent_result(output_format, *events, exit_code=exit_code).limit
    assert limit is not None
    assert limit.resets_at_ms == 1_772_400_000_000


def test_rate_limit_without_a_reset_time_is_a_limit() -> None:
    text = "API Error: Request rejected (429) · This request would exceed your account's rate limit."
    notice = claude_text(text, message={"model": "<synthetic>"}, error="rate_limit")
    result = {"type": "result", "subtype": "success", "is_error": True, "api_error_status": 429, "result": text}
    listening = agent_result("claude", notice, result, exit_code=1)
    assert (listening.limit, listening.error) == (UsageLimit(None, text), text)
    done = {"type": "result", "subtype": "success", "result": "Done after all."}
    assert agent_result("claude", notice, done).limit is None
    parsed = claude_text("You've hit your limit · resets 9pm (UTC)", error="rate_limit")
    limit = agent_result("claude", parsed, result, exit_code=1).limit
    assert limit is not None
    assert limit.resets_at_ms is not None


def test_unresponsive_provider_is_the_error_of_a_killed_run() -> None:
    retry = {"type": "system", "subtype": "api_retry", "attempt": 3, "error_status": 529, "error": "overloaded"}
    assert agent_result("claude", retry, exit_code=None).error == "the provider did not respond: 529"
    assert agent_result("claude", retry, {"type": "result", "subtype": "success", "result": "ok"}).error is None


@together(
    ("text", "promise"),
    [
        (f"I print {PROMISE} when all is done.\n\nTwo tests fail.\n", False),
        (f"Two tests fail.\n\nDone now.\n{PROMISE}\n", True),
        (f"Done now.\n{PROMISE}\n\nTokens: 4.2k sent, 1.1k received. Cost: $0.02\n", True),
        ("Done now.\n\n<promise>\n\nCOMPLETE\n\n</promise>\n", True),
        (f"<abort>No.</abort>\n\n{PROMISE}", True),
        (f"Done now.\n\n{PROMISE}\n\n{NOTES}", True),
        (f"Done now.\n\n{PROMISE}\n\n{NOTES}\n\nTokens: 4.2k sent. Cost: $0.02\n", True),
        (f"Done now.\n\n{NOTES}\n{PROMISE}\n", True),
        (f"Done now.\n\n{NOTES}\n\n{PROMISE}\n", True),
        (f"{PROMISE}\n\nTwo tests fail.\n\n{NOTES}", False),
        (f"{PROMISE}\n\n{NOTES}\n\nShall I go on?", False),
    ],
)
def test_promise_in_plain_text_counts_in_the_last_paragraph(text: str, promise: bool) -> None:
    listening = agent_result("plain", text.encode())
    assert listening.promise is promise
    assert "<abort>" not in listening.last_message


def test_an_abort_before_a_notes_block_ends_the_loop() -> None:
    listening = agent_result("plain", f"I cannot.\n\n<abort>No key.</abort>\n\n{NOTES}".encode())
    assert "<abort>No key.</abort>" in listening.last_message


def test_events_of_a_known_harness_are_recognised_in_a_custom_ones_output() -> None:
    def custom(*events: Any) -> OutputParser:
        return agent_result("plain", b"Starting.\n", *events)

    result = {"type": "result", "subtype": "success", "session_id": "s", "total_cost_usd": 0.5}
    early = custom(claude_text(PROMISE, session_id="s"), {**result, "result": "A test fails."})
    assert (early.promise, early.final_text, early.usage.cost_usd) == (False, "A test fails.", 0.5)
    assert custom(claude_text("x", session_id="s"), {**result, "result": PROMISE}).promise
    assert not custom(codex_text(PROMISE), codex_text("A test fails."), {"type": "turn.completed"}).promise
    assert custom(codex_text("x"), codex_text(PROMISE), {"type": "turn.completed"}).promise
    limited = custom({"type": "error", "message": "Reconnecting"}, {"type": "turn.failed", "error": "no network"})
    assert limited.error == "no network"


def test_array_of_events_in_a_custom_ones_output_is_not_its_last_message() -> None:
    early = claude_text(f"I will print {PROMISE} once all is done.", session_id="s")
    long = claude_text("x" * 3_000, session_id="s")
    result = {"type": "result", "subtype": "success", "session_id": "s", "result": "Half of it is done."}
    for events in ([early, result], [long, *[early, long] * 30, result]):
        for indent in (None, 2):
            listening = agent_result("plain", b"Starting.\n", json.dumps(events, indent=indent).encode(), b"\n")
            assert (listening.promise, listening.last_message) == (False, "Half of it is done."), (len(events), indent)
            events[-1] = {**result, "result": PROMISE}
            assert agent_result("plain", json.dumps(events, indent=indent).encode()).promise
            events[-1] = result
    assert not agent_result("plain", json.dumps({**result, "note": PROMISE}, indent=2).encode()).promise
    assert agent_result("plain", b"[\n\n" + PROMISE.encode() + b"\n").promise
    assert agent_result("plain", f"{json.dumps([early])}\n\n{PROMISE}".encode()).promise


@together("before, after", product([b"", b"Starting.\n\n"], [b"done\n", b"\nreal 0m3s\nuser 0m1s\n", PROMISE.encode()]))
def test_what_a_wrapper_prints_around_a_custom_harness_s_events_is_not_its_last_message(
    before: bytes, after: bytes
) -> None:
    result = {"type": "result", "subtype": "success", "session_id": "s", "result": "Two tests still fail.\u2028"}
    claude = [{"type": "system", "session_id": "s"}, claude_text(f"I will say {PROMISE} at the end.", session_id="s")]
    codex = [codex_text(f"I will say {PROMISE} at the end."), codex_text("Two tests still fail.")]
    for events in ([*claude, result], [*claude, claude_text("Two tests still fail.", session_id="s")], codex):
        listening = agent_result("plain", before, *events, after)
        assert (listening.promise, listening.last_message) == (False, "Two tests still fail.")
    assert agent_result("plain", before, *claude, {**result, "result": PROMISE}, after).promise
    quoted = json.dumps({"type": "error", "session_id": "s"}).encode() + b"\n" + json.dumps(result).encode()
    assert agent_result("plain", before, quoted, f"\n\n{PROMISE}\n".encode()).promise


def test_text_about_limits_is_not_a_limit() -> None:
    text = "I made the error say: You've hit your usage limit. Try again at 3pm."
    result = {"type": "result", "subtype": "success", "result": text}
    assert agent_result("claude", claude_text(text), result).limit is None
    assert agent_result("plain", text.encode()).limit is None
    assert agent_result("claude", claude_text(text), exit_code=1).limit is None
    failed = b"Claude usage limit reached\nFAILED test_limits.py - Claude usage limit reached\n"
    assert agent_result("plain", failed, exit_code=1).limit is None
    error = {"type": "turn.failed", "error": {"message": "the test 'usage limit reached' failed"}}
    assert agent_result("codex", error, exit_code=1).limit is None
    report = "The tests fail:\nUsage limit reached.\nin test_limits.py"
    assert agent_result("claude", {"type": "result", "is_error": True, "result": report}, exit_code=1).limit is None


def test_limit_is_believed_only_from_a_failed_run_or_one_without_its_harness_s_events() -> None:
    for line in (b"usage limit reached|1764600000\n", b"Claude AI usage limit reached|1764600000\n"):
        assert agent_result("plain", line).limit is None
        assert agent_result("plain", line, exit_code=1).limit is not None
        assert agent_result("claude", line).limit is not None
        assert agent_result("claude", claude_text("Done."), line).limit is None
    for line in (b"    \xe2\x9c\x96 usage limit reached\n", b"Quota exceeded: expected 3 to equal 4\n"):
        assert agent_result("plain", b"1 failing\n", line, exit_code=1).limit is None


CODEX_WORK = {"type": "item.completed", "item": {"id": "1", "type": "command_execution", "command": "ls"}}


def codex_text(text: str) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": "0", "type": "agent_message", "text": text}}


@together(
    ("events", "promise"),
    [
        ([codex_text(PROMISE)], True),
        ([codex_text(PROMISE), CODEX_WORK], False),
        ([codex_text(PROMISE), CODEX_WORK, codex_text("not yet")], False),
        ([CODEX_WORK, codex_text("It is done."), codex_text(PROMISE)], True),
        ([codex_text(PROMISE), codex_text("I was wrong: a test fails.")], False),
        ([codex_text(PROMISE), {"type": "item.completed", "item": {"type": "todo_list", "items": []}}], True),
        ([codex_text(PROMISE), {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}}], True),
        ([{"type": "item.completed", "item": {"type": "reasoning", "text": PROMISE}}], False),
        ([{"type": "item.completed", "item": {"type": "command_execution", "aggregated_output": PROMISE}}], False),
        ([{"type": "item.completed", "item": {"item_type": "assistant_message", "text": PROMISE}}], True),
        ([{"prompt": PROMISE}, {"id": "0", "msg": {"type": "agent_message", "message": "no"}}], False),
        ([{"id": "0", "msg": {"type": "agent_message", "message": PROMISE}}], True),
        ([{"msg": {"type": "agent_message", "message": PROMISE}}, {"msg": {"type": "exec_command_begin"}}], False),
    ],
)
def test_codex_promise_counts_in_the_final_message_only(events: list[Any], promise: bool) -> None:
    assert agent_result("codex", *events).promise is promise


def test_codex_usage_is_cumulative() -> None:
    def usage(tokens: int) -> dict[str, Any]:
        return {"type": "turn.completed", "usage": {"input_tokens": tokens, "output_tokens": 7}}

    assert agent_result("codex", usage(100), usage(250)).usage == Usage(250, 7)


def test_old_codex_format_is_parsed() -> None:
    usage = {"input_tokens": 9, "output_tokens": 2}
    listening = agent_result(
        "codex",
        {"id": "", "msg": {"type": "session_configured", "session_id": "old-1"}},
        {"id": "0", "msg": {"type": "agent_message", "message": "Done."}},
        {"id": "0", "msg": {"type": "token_count", "info": {"total_token_usage": usage}}},
        {"id": "0", "msg": {"type": "task_complete", "last_agent_message": "Done."}},
    )
    assert (listening.session_id, listening.final_text, listening.usage) == ("old-1", "Done.", Usage(9, 2))
    assert listening.finished


def test_gemini_message_pieces_are_joined() -> None:
    listening = agent_result(
        "gemini",
        {"type": "init", "session_id": "g-1", "model": "gemini-3-pro"},
        {"type": "message", "role": "user", "content": PROMISE},
        {"type": "message", "role": "assistant", "content": "Done <prom", "delta": True},
        {"type": "message", "role": "assistant", "content": "ise>COMPLETE</promise>", "delta": True},
        {"type": "result", "status": "success", "stats": {"input_tokens": 800, "output_tokens": 40}},
    )
    assert (listening.promise, listening.final_text, listening.session_id) == (True, f"Done {PROMISE}", "g-1")
    assert (listening.usage, listening.error, listening.finished) == (Usage(800, 40), None, True)


def test_gemini_tools_and_errors_are_parsed() -> None:
    event = {"type": "message", "role": "assistant", "content": PROMISE}
    assert not agent_result("gemini", event, {"type": "tool_use", "tool_name": "write_file", "parameters": {}}).promise
    result = {"type": "result", "status": "error", "error": {"type": "FatalTurnLimited", "message": "too many turns"}}
    assert agent_result("gemini", result, exit_code=53).error == "too many turns"
    assert agent_result("gemini", {"type": "error", "severity": "warning", "message": "loop detected"}).error is None


def test_endlessly_nested_error_is_tolerated() -> None:
    error: Any = "lost"
    for _ in range(900):
        error = {"message": error}
    assert agent_result("opencode", {"type": "error", "error": error}).error == "error"


def test_answer_that_comes_only_with_the_result_is_streamed() -> None:
    shown: list[str] = []
    listening = parser("claude", shown)
    listening.stdout(b'{"type":"result","subtype":"success","result":"Done."}\n')
    assert shown == ["Done.\n"]


def test_opencode_events_are_parsed() -> None:
    def step(cost: float) -> dict[str, Any]:
        tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 100, "write": 1}}
        return {"type": "step_finish", "sessionID": "ses_1", "part": {"cost": cost, "tokens": tokens}}

    tool = {"type": "tool_use", "part": {"type": "tool", "tool": "bash", "state": {"input": {"command": "ls"}}}}
    listening = agent_result(
        "opencode",
        {"type": "text", "part": {"type": "text", "text": PROMISE}},
        tool,
        step(0.25),
        {"type": "text", "part": {"type": "text", "text": f"Done. {PROMISE}"}},
        step(0.5),
        {"type": "done", "reason": "idle"},
    )
    assert (listening.promise, listening.final_text, listening.session_id) == (True, f"Done. {PROMISE}", "ses_1")
    assert listening.usage == Usage(222, 10, 0.75)
    error = {"type": "error", "error": {"name": "APIError", "data": {"message": "no credits"}}}
    assert agent_result("opencode", error, {"type": "done"}, exit_code=1).error == "no credits"


def test_event_is_parsed_despite_surrounding_bytes() -> None:
    line = json.dumps(claude_text(PROMISE)).encode()
    assert agent_result("claude", b"\x1b[?25l\r", line, b"\r\n").promise
    assert agent_result("claude", line.replace(b"COMPLETE", b"COMPLETE</promise>\xff\xfe<promise>COMPLETE")).promise
    assert not agent_result("claude", claude_text("x"), b"log: " + line + b"\n").promise


@given(st.lists(st.integers(1, 40), max_size=30))
def test_events_are_parsed_whatever_the_chunks(cut: list[int]) -> None:
    listening = agent_result("claude", claude_text("größe"), CLAUDE_TOOL, claude_text(f"漢字 {PROMISE}"), cut=cut)
    assert listening.final_text == f"漢字 {PROMISE}"
    assert listening.promise


HARNESS_NAMES = [
    "type", "message", "content", "text", "item", "usage", "error", "result", "part", "tokens", "cache", "stats", "msg",
    "rate_limit_info", "session_id", "info", "input", "state", "subtype", "status", "is_error", "errors",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(HARNESS_NAMES), inner, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(
    ["assistant", "result", "rate_limit_event", "item.completed", "turn.completed", "turn.failed", "error", "message",
     "tool_use", "text", "step_finish", "done", "init", "thread.started"]
)  # fmt: skip


@given(st.sampled_from(sorted(PARSERS)), TYPES, st.dictionaries(st.sampled_from(HARNESS_NAMES), JSON, max_size=5))
def test_event_of_any_shape_is_parsed_without_an_error(output_format: Any, kind: str, members: dict[str, Any]) -> None:
    after = agent_result(output_format, {**members, "type": kind}, claude_text("still heard"), b"plain\n")
    assert not after.promise


@given(
    st.sampled_from(["claude", "codex", "gemini", "opencode", "plain"]), st.lists(st.binary(max_size=30), max_size=10)
)
def test_any_bytes_are_parsed_without_an_error(output_format: OutputFormat, chunks: list[bytes]) -> None:
    listening = parser(output_format, [])
    for chunk in chunks:
        listening.stdout(chunk)
        listening.stderr(chunk)
    listening.close(1)
    assert not listening.promise


def test_tail_stores_the_end_in_constant_memory() -> None:
    tail = Tail(100)
    for number in range(10_000):
        tail.add(f"{number},")
        assert tail._size <= 200
    assert tail.text() == "".join(f"{number}," for number in range(10_000))[-100:]
    tail.clear()
    assert tail.text() == ""
