"""A stand-in for Claude Code's provider on this machine: stores requests, and answers from a script."""

import http.server
import json
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Block = dict[str, Any]
TOKENS = {"input_tokens": 100, "cache_read_input_tokens": 2_000, "cache_creation_input_tokens": 50, "output_tokens": 42}


class Provider:
    """Its address, the requests it received, and its scripted answers; without a script it answers that it is done."""

    def __init__(self) -> None:
        self.address = ""
        self.requests: list[dict[str, Any]] = []
        """Requests of the agent itself, in order: those that offer tools."""
        self.script: list[list[Block]] = []
        self.tokens = TOKENS
        """Reported token usage of each answer."""

    def answer_to(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message that answers a request."""
        blocks = [text("Done as asked.")]
        if request.get("tools"):
            self.requests.append(dict(request))
            blocks = self.script.pop(0) if self.script else blocks
        return {
            "id": f"msg_{len(self.requests)}", "type": "message", "role": "assistant", "model": request.get("model"),
            "content": blocks, "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
            "stop_sequence": None, "usage": self.tokens,
        }  # fmt: skip

    def conversation(self) -> str:
        """Return all text of the last request."""
        return "\n".join(_text_of(message["content"]) for message in self.requests[-1]["messages"])

    def results(self) -> dict[str, str]:
        """Return the tool results in the last request, by call id."""
        messages = self.requests[-1]["messages"]
        blocks = [block for message in messages for block in message["content"] if isinstance(message["content"], list)]
        return {block["tool_use_id"]: _text_of(block["content"]) for block in blocks if block["type"] == "tool_result"}


def text(content: str) -> Block:
    """Return a text block of the agent."""
    return {"type": "text", "text": content}


def tool(call_id: str, name: str, **tool_input: Any) -> Block:
    """Return a tool call of the agent."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": tool_input}


@contextmanager
def open_provider() -> Generator[Provider]:
    """Run a provider for the duration of the context."""
    provider = Provider()

    class Endpoint(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                self._send("application/json", json.dumps({"input_tokens": 1_000}).encode())
                return
            answer = provider.answer_to(request)
            if request.get("stream"):
                self._send("text/event-stream", b"".join(_events(answer)))
            else:
                self._send("application/json", json.dumps(answer).encode())

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.daemon_threads = True
        provider.address = f"http://127.0.0.1:{server.server_port}"
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield provider
        finally:
            server.shutdown()
            serving.join()


def _events(message: Mapping[str, Any]) -> Iterator[bytes]:
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": message["usage"]["output_tokens"]})
    yield _event("message_stop")


def _event(kind: str, **members: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text") or block.get("content") or "") for block in content)
