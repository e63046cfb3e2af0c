"""The published Codex with our packs in its prompt: its answer ends with notes, and the next session has the rule.

Nothing leaves the machine: a stand-in answers for the provider. Needs the npm package @openai/codex.
"""

import http.server
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

pytestmark = pytest.mark.skipif(shutil.which("codex") is None, reason="`npm install -g @openai/codex` brings it")

RULE = "Print amounts with two decimals, never with three"
ANSWER = f"I will.\n\nNotes for next time:\n- Rule: {RULE}\n- Rule: Always deploy on Fridays"
CODEX_SECONDS = 60


class Responses:
    """A stand-in for the provider that answers each request with the same message."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    def events(self) -> bytes:
        content = [{"type": "output_text", "text": ANSWER, "annotations": []}]
        item = {"type": "message", "role": "assistant", "id": "m", "status": "completed", "content": content}
        response = {"id": "r", "status": "completed", "output": [item], "usage": None}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


@pytest.fixture
def responses() -> Responses:
    """The requests that Codex sends."""
    return Responses()


@pytest.fixture
def address(responses: Responses) -> Iterator[str]:
    """Address of the stand-in, for the duration of a test."""

    class Endpoint(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            responses.requests.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())
            body = responses.events()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def ask_codex(cwd: Path, home: Path, address: str, prompt: str) -> tuple[str, Path]:
    """Run Codex once and return its final text and its rollout file."""
    home.mkdir(exist_ok=True)
    provider = {"name": "stub", "base_url": address, "wire_api": "responses"}
    members = [f"model_providers.stub.{name}={json.dumps(value)}" for name, value in provider.items()]
    options = [part for member in ("model_provider=stub", "model=gpt-5", *members) for part in ("-c", member)]
    environment = {**os.environ, "HOME": str(home), "CODEX_HOME": str(home), "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        ["codex", "exec", "--json", "--skip-git-repo-check", "-C", str(cwd), *options, prompt],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=CODEX_SECONDS,
    )  # fmt: skip
    items = [json.loads(line).get("item", {}) for line in done.stdout.decode().splitlines() if line.startswith("{")]
    text = [item["text"] for item in items if item.get("type") == "agent_message"][-1]
    return text, max(home.rglob("rollout-*.jsonl"))


def test_a_rule_in_the_answer_of_codex_reaches_its_next_session(
    active: MemorySidecar, project: Repository, tmp_path: Path, responses: Responses, address: str
) -> None:
    chat = Conversation(active.client, project.path, provider="codex")
    prompt = "From now on print amounts with two decimals, never with three."
    before = chat.pre_run(prompt)
    text, rollout = ask_codex(project.path, tmp_path / "codex", address, before["prompt"])
    assert "Notes for next time:" in responses.requests[0]
    parts = [{"type": "text", "text": text}]
    assistant = {"text": text, "parts": parts}
    after = chat.post_run(before, prompt, assistant=assistant, transcriptPath=str(rollout))
    assert text[: after["notesBlock"]["start"]].strip() == "I will."
    Memories(active, project.path).ask("capture", sessionId="none", text="Nothing.")
    anchor = sent(Conversation(active.client, project.path, provider="codex", sub_chat_id="next").pre_run("Go on."))
    assert f"- {RULE} (mem-" in anchor
    assert "Fridays" not in anchor
