"""Errors that only a provider's transcript contains; read from its end, damaged or not."""

import random
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.effects import transcript_errors
from sidecar.transcripts import CHUNK_BYTES, read_tail
from tests.support.conversation import sent
from tests.support.shop import PROMPT, StartChat, text_of

RED = "FAILED tests/test_cart.py::test_total - assert 1 == 2\n1 failed in 0.1s\n"
DURING, EARLIER = "2026-03-01T09:30:30.000Z", "2026-03-01T09:20:00.000Z"
BEGAN_MS = 1_772_357_400_000


def claude(text: str, at: str = DURING, call_id: str = "bash", **record: Any) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": call_id, "is_error": True, "content": f"Exit code 1\n{text}"}
    return {"type": "user", "timestamp": at, "message": {"role": "user", "content": [result]}, **record}


def codex(text: str, at: str = DURING, call_id: str = "bash") -> dict[str, Any]:
    output = orjson.dumps({"output": text, "metadata": {"exit_code": 1}}).decode()
    payload = {"type": "function_call_output", "call_id": call_id, "output": output}
    return {"type": "response_item", "timestamp": at, "payload": payload}


def codex_lines(text: str, at: str = DURING, call_id: str = "bash") -> dict[str, Any]:
    output = f"Chunk ID: a1\nWall time: 0.5 seconds\nProcess exited with code 1\nOutput:\n{text}"
    payload = {"type": "function_call_output", "call_id": call_id, "output": output}
    return {"type": "response_item", "timestamp": at, "payload": payload}


def codex_event(text: str, at: str = DURING, call_id: str = "bash") -> dict[str, Any]:
    payload = {"type": "exec_command_end", "call_id": call_id, "aggregated_output": text, "exit_code": 1}
    return {"type": "event_msg", "timestamp": at, "payload": payload}


def write_transcript(folder: Path, *records: Any) -> str:
    path = folder / "session.jsonl"
    path.write_bytes(
        b"".join(record if isinstance(record, bytes) else orjson.dumps(record) + b"\n" for record in records)
    )
    return str(path)


def failed_call() -> list[dict[str, Any]]:
    """The part of a failing command as the host stores it: a call without an output."""
    return [{"type": "tool-Bash", "toolCallId": "bash", "state": "call", "input": {"command": "pytest"}}]


@pytest.mark.parametrize("record", [claude, codex, codex_lines, codex_event])
def test_a_failed_command_found_only_in_the_transcript_is_sent_next(
    start_chat: StartChat, tmp_path: Path, record: Any
) -> None:
    chat, other = start_chat("claude" if record is claude else "codex"), start_chat("codex", sub_chat_id="other")
    path = write_transcript(
        tmp_path, {"timestamp": EARLIER}, b'{"damaged\n', record(RED), b"\xff\n", record("", call_id="x")
    )
    chat.turn(PROMPT, failed_call, transcriptPath=path)
    assert "tests/test_cart.py::test_total" in text_of(other.turn(PROMPT), "delta")


@pytest.mark.parametrize(
    "record", [claude(RED, at=EARLIER), claude(RED, call_id="another"), claude(RED, isSidechain=True)]
)
def test_failures_of_other_runs_are_not_sent(start_chat: StartChat, tmp_path: Path, record: dict[str, Any]) -> None:
    chat, other = start_chat(), start_chat("codex", sub_chat_id="other")
    chat.turn(PROMPT, failed_call, transcriptPath=write_transcript(tmp_path, record))
    assert "Failing tests" not in sent(other.turn(PROMPT))


def test_only_the_end_of_a_transcript_is_read(tmp_path: Path) -> None:
    old = {"type": "user", "timestamp": EARLIER, "text": "x" * 4_000}
    path = write_transcript(tmp_path, *[old] * 1_000, claude(RED))
    found = read_tail(path, BEGAN_MS)
    assert found is not None
    assert found.is_complete
    assert sum(map(len, found.lines)) <= CHUNK_BYTES
    assert len(transcript_errors(found.lines, BEGAN_MS)) == 1


@given(st.lists(st.binary(max_size=80), max_size=6), st.randoms(use_true_random=False))
def test_damaged_lines_in_any_order_change_nothing(damage: list[bytes], order: random.Random) -> None:
    lines = [*damage, b'{"tool_result": [1, {}], "message": {"content": [3, {"type": "tool_result"}]}}']
    lines += [
        orjson.dumps(claude(RED)),
        b'{"payload": {"type": "function_call_output", "call_id": "a", "output": "{"}}',
    ]
    order.shuffle(lines)
    assert [failure.tool_call_id for failure in transcript_errors(lines, BEGAN_MS)] == ["bash"]
