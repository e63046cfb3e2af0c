"""A third provider is one file with a reader and its row: every consumer of transcripts then reads its sessions."""

import json
from typing import Any

import pytest

from sidecar.capture.effects.run_activity import transcript_errors, was_compacted
from sidecar.integrations.agent_hooks import run_since
from sidecar.memory import read_transcript
from sidecar.transcripts import transcript_tail
from tests.transcripts import gemini_reader

SINCE_MS = 1_772_357_400_000  # 2026-03-01T09:30:00Z
COMMAND = {"command": "pytest"}


def line(role: str, *parts: dict[str, Any], minute: int = 31, **more: Any) -> bytes:
    value = {"timestamp": f"2026-03-01T09:{minute}:00Z", "role": role, "parts": list(parts), **more}
    return json.dumps(value).encode()


def call(call_id: str) -> dict[str, Any]:
    return {"functionCall": {"id": call_id, "name": "run_shell_command", "args": COMMAND}}


def response(call_id: str, **result: str) -> dict[str, Any]:
    return {"functionResponse": {"id": call_id, "response": result}}


EDIT = {"functionCall": {"id": "e", "name": "write_file", "args": {"file_path": "cart.py", "content": "1"}}}

SESSION = (
    line("user", {"text": "An earlier prompt"}, minute=20),
    line("user", {"text": "Fix the cart."}),
    line("model", call("a"), id="1", usageMetadata={"promptTokenCount": 10, "candidatesTokenCount": 2}),
    line("user", response("a", error="1 failed")),
    line("model", {"text": "The total was wrong because it was rounded twice."}, EDIT, call("b")),
    line("user", response("b", output="1 passed")),
    line("compression"),
)


@pytest.fixture(autouse=True)
def third_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_tail, "READERS", (*transcript_tail.READERS, gemini_reader.READER))


def test_failed_tool_calls_are_read() -> None:
    assert [(failure.tool_call_id, failure.text) for failure in transcript_errors(SESSION, SINCE_MS)] == [
        ("a", "1 failed")
    ]


def test_compactions_are_detected() -> None:
    assert was_compacted(SESSION, SINCE_MS)
    assert not was_compacted(SESSION[:-1], SINCE_MS)


def test_messages_and_resolved_errors_are_captured() -> None:
    captured = read_transcript(SESSION, SINCE_MS)
    assert [(message.author, message.text) for message in captured.utterances] == [
        ("user", "Fix the cart."),
        ("assistant", "The total was wrong because it was rounded twice."),
    ]
    (error,) = captured.errors
    assert (error.text, error.resolution) == ("1 failed", "The total was wrong because it was rounded twice.")


def test_a_run_is_reconstructed() -> None:
    run = run_since(SESSION, SINCE_MS)
    assert (run.prompt, run.text) == ("Fix the cart.", "The total was wrong because it was rounded twice.")
    assert [(part["type"], part.get("state")) for part in run.parts] == [
        ("tool-run_shell_command", "call"),
        ("text", None),
        ("tool-write_file", "call"),
        ("tool-run_shell_command", "result"),
    ]
    assert run.usage["inputTokens"] == 10
