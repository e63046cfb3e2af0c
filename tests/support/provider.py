"""A stand-in for Claude Code's provider on this machine: keeps what it is asked, and answers by a script."""

import http.server
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Block = dict[str, Any]
TOKENS = {"input_tokens": 100, "cache_read_input_tokens": 2_000, "cache_creation_input_tokens": 50, "output_tokens": 42}


class Provider:
    """Its address, what it was asked, and what the agent is going to say; with nothing scripted it says it is done."""

    def __init__(self) -> None:
        self.address = ""
        self.asked: list[dict[str, Any]] = []
        """The requests of the agent itself, in order: those that offer it tools."""
        self.script: list[list[Block]] = []
        self.tokens = TOKENS
        """What each answer is said to have cost."""

    def answer_to(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Gives the message that answers a request."""
        said = [text("Done as asked.")]
        if request.get("tools"):
            self.asked.append(dict(request))
            said = self.script.pop(0) if self.script else said
        return {
            "id": f"msg_{len(self.asked)}", "type": "message", "role": "assistant", "model": request.get("model"),
            "content": said, "stop_reason": "tool_use" if said[-1]["type"] == "tool_use" else "end_turn",
            "stop_sequence": None, "usage": self.tokens,
        }  # fmt: skip

    def conversation(self) -> str:
        """Gives all that the last request told the agent."""
        return "\n".join(_text_of(message["content"]) for message in self.asked[-1]["messages"])

    def results(self) -> dict[str, str]:
        """Gives what the agent's tools answered in the last request, by the call's id."""
        messages = self.asked[-1]["messages"]
        blocks = [one for message in messages for one in message["content"] if isinstance(message["content"], list)]
        return {one["tool_use_id"]: _text_of(one["content"]) for one in blocks if one["type"] == "tool_result"}


def text(said: str) -> Block:
    """Words of the agent's."""
    return {"type": "text", "text": said}


def tool(call_id: str, name: str, **given: Any) -> Block:
    """A tool the agent calls."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


@contextmanager
def open_provider() -> Iterator[Provider]:
    """Starts a provider, and ends it."""
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

        def log_message(self, *_: Any) -> None:
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


def _event(kind: str, **said: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **said})}\n\n".encode()


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text") or block.get("content") or "") for block in content)
