"""Any input from hosts, hooks, agents and session files is accepted or refused with a message."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sidecar.capture.effects.run_activity import ToolFailure, activity_of, relative_to, was_compacted
from sidecar.integrations import Location
from sidecar.memory import read_transcript
from sidecar.transcripts.transcript_tail import add_touched_files, run_since
from tests.support.depth import examples
from tests.support.fuzz_strategies import hostile_texts, json_values, line_of, objects_of
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.rpc_failures import RpcFailure

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

NAMES = (
    "type", "text", "content", "input", "output", "command", "file_path", "notebook_path", "path", "changes",
    "todos", "plan",
    "status", "id", "tool_use_id", "toolCallId", "state", "usage", "input_tokens", "exit_code", "stdout",
    "move_path", "payload",
)  # fmt: skip
WORDS = (
    "user", "assistant", "system", "tool_use", "tool_result", "text", "tool-Bash", "tool-Edit", "tool-Read",
    "tool-TodoWrite",
    "tool-ExitPlanMode", "Bash", "Edit", "call", "result", "pytest -q", "cat a.py > b.py", "a.py", "../../b.py",
    "compact_boundary",
    "event_msg", "exec_command_end", "user_message", "agent_message", "2026-03-01T09:30:01Z",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.999-23:59", "pending",
)  # fmt: skip
ODD = json_values(NAMES, WORDS, 8)
TEXT = st.one_of(hostile_texts(), st.sampled_from(WORDS))
ID = st.sampled_from(("a", "b", ""))
TOOL_INPUT = objects_of(
    {
        "command": st.one_of(TEXT, st.lists(TEXT, max_size=3)),
        "file_path": TEXT, "notebook_path": TEXT, "plan": TEXT,
        "todos": st.lists(objects_of({"content": TEXT, "status": TEXT}, ODD), max_size=3),
        "changes": st.dictionaries(TEXT, objects_of({"type": TEXT, "move_path": TEXT}, ODD), max_size=2),
    },
    ODD,
)  # fmt: skip
BLOCK = objects_of(
    {
        "type": st.sampled_from(("text", "tool_use", "tool_result")),
        "text": TEXT, "id": ID, "tool_use_id": ID, "name": st.sampled_from(WORDS),
        "input": TOOL_INPUT, "content": TEXT, "is_error": st.booleans(),
    },
    ODD,
)  # fmt: skip
USAGE = objects_of({"input_tokens": st.integers(0, 2**64), "output_tokens": st.integers(-1, 2**63)}, ODD)
RECORD = objects_of(
    {
        "type": st.sampled_from(("user", "assistant", "system", "event_msg")), "timestamp": st.sampled_from(WORDS),
        "message": objects_of({"id": ID, "content": st.one_of(TEXT, st.lists(BLOCK, max_size=3)), "usage": USAGE},
        ODD),
        "payload": objects_of({"type": st.sampled_from(WORDS), "command": TEXT, "exit_code": st.integers(),
        "stdout": TEXT, "message": TEXT}, ODD),
        "toolUseResult": objects_of({"stdout": TEXT, "exit_code": st.integers()}, ODD), "isSidechain": st.booleans(),
        "isCompactSummary": st.booleans(), "subtype": st.sampled_from(WORDS),
    },
    ODD,
)  # fmt: skip
PART = objects_of(
    {
        "type": st.sampled_from(WORDS), "toolCallId": ID, "state": TEXT, "text": TEXT, "input": TOOL_INPUT,
        "output": st.one_of(TEXT, objects_of({"stdout": TEXT, "stderr": TEXT, "exit_code": st.integers()}, ODD)),
    },
    ODD,
)  # fmt: skip
LINES = st.lists(
    st.one_of(RECORD.map(line_of), RECORD.map(line_of), ODD.map(line_of), st.binary(max_size=9)), max_size=8
)


NAMELESS = {"type": "tool_use", "id": "a", "name": "Edit", "input": {"file_path": ["a"]}}
CUT = {"type": "text", "text": "I saw \ud83d"}
MOMENT = "2026-03-01T09:30:01Z"


@given(LINES, st.lists(TEXT, max_size=3), st.sampled_from((0, 1_772_357_400_000)))
@example([line_of({"type": "assistant", "timestamp": MOMENT, "message": {"content": [NAMELESS]}})], ["b.py"], 0)
def test_any_claude_code_session_file_is_read(lines: list[bytes], touched: list[str], since_ms: int) -> None:
    run = run_since(lines, since_ms)
    assert all(isinstance(part.get("type"), str) for part in run.parts)
    assert all(count >= 0 for count in run.usage.values())
    work = activity_of(add_touched_files(run.parts, touched), [])
    assert all(path and "\0" not in path for path in (*work.written, *work.read))
    assert isinstance(was_compacted(lines, since_ms), bool)
    assert all(utterance.text.strip() for utterance in read_transcript(lines, since_ms).utterances)


def test_a_text_cut_inside_a_character_is_read() -> None:
    lines = [line_of({"type": "assistant", "timestamp": MOMENT, "message": {"content": [CUT]}})]
    assert run_since(lines, 0).text == "I saw \ufffd"
    assert [utterance.text for utterance in read_transcript(lines, 0).utterances] == ["I saw \ufffd"]


@given(st.lists(PART.filter(lambda part: isinstance(part, dict)), max_size=5), TEXT, st.sampled_from((None, 0, 2**70)))
def test_any_parts_of_a_message_are_read(parts: list[dict[str, Any]], text: str, code: int | None) -> None:
    work = activity_of(parts, [ToolFailure("a", text, code), ToolFailure(None, text, None, "shell")])
    assert all(isinstance(command.command, str) for command in work.commands)
    for path in (*work.written, *work.read):
        relative = relative_to("/work/shop", path)
        assert relative is None or not relative.startswith(("/", "../"))


@pytest.fixture
def shop(sidecar: MemorySidecar, make_repository: Callable[..., Repository]) -> Repository:
    sidecar.client.request("settings/update", {"settings": {"mode": "active"}})
    return make_repository({"README.md": "# Shop\n", "src/a.py": "def price() -> int:\n    return 1\n"})


def unexpected(sidecar: MemorySidecar) -> list[Any]:
    """Return the answers with internal errors."""
    return [
        message
        for message in sidecar.inbox.messages
        if isinstance(message, dict) and message.get("error", {}).get("code") == -32603
    ]


def send_request(sidecar: MemorySidecar, method: str, params: Any) -> None:
    """Send a request as a host in JavaScript does, with lone surrogates escaped; there is an answer in any case."""
    request = sidecar.client.start("ping") + 1_000_000
    sidecar.client.send(json.dumps({"jsonrpc": "2.0", "id": request, "method": method, "params": params}).encode())
    sidecar.client.answer(request, 10)


EVENTS = st.sampled_from(("UserPromptSubmit", "SessionStart", "PreCompact", "PostToolUse", "Stop"))


def test_any_json_of_a_hook_is_answered(sidecar: MemorySidecar, shop: Repository, tmp_path: Path) -> None:
    transcript = tmp_path / "session.jsonl"
    here = st.one_of(
        st.just(str(shop.path)), st.just(str(shop.path / "src")), st.sampled_from(("/nowhere", "a", "/\0"))
    )
    hook_inputs = objects_of(
        {
            "session_id": st.sampled_from(("s", "t", "x" * 200, "\x00", "a\ud800")),
            "cwd": here, "prompt": TEXT, "tool_input": TOOL_INPUT,
            "source": st.sampled_from(("startup", "compact", "resume", "clear")),
            "permission_mode": st.sampled_from(("plan", "x")),
            "transcript_path": st.one_of(st.just(str(transcript)), TEXT), "last_assistant_message": TEXT,
        },
        ODD,
    )  # fmt: skip
    open_run = st.fixed_dictionaries(
        {
            "runId": st.sampled_from(("r", "q")), "deliveryToken": st.none(), "cwd": st.just(str(shop.path)),
            "projectPath": st.just(str(shop.path)), "mode": st.just("agent"),
            "startedAt": st.just("2026-03-01T09:30:00Z"),
        }
    )  # fmt: skip

    @settings(max_examples=examples(60, 15), suppress_health_check=list(HealthCheck), deadline=None)
    @given(EVENTS, hook_inputs, st.one_of(st.none(), open_run, ODD), st.lists(TEXT, max_size=2), LINES)
    @example(
        "Stop",
        {"session_id": "e", "cwd": str(shop.path), "transcript_path": str(transcript)},
        {
            "runId": "e",
            "deliveryToken": None,
            "cwd": str(shop.path),
            "projectPath": str(shop.path),
            "mode": "agent",
            "startedAt": "2026-03-01T09:30:00Z",
        },
        ["b.py"],
        [
            line_of(
                {
                    "type": "assistant",
                    "timestamp": MOMENT,
                    "message": {"id": "m", "content": [CUT], "usage": {"input_tokens": 2**64 - 1}},
                }
            )
        ],
    )
    def run_hook(event: str, hook_json: Any, run: Any, touched: list[str], lines: list[bytes]) -> None:
        transcript.write_bytes(b"\n".join(lines))
        send_request(sidecar, "hook/run", {"event": event, "input": hook_json, "openRun": run, "touched": touched})
        assert unexpected(sidecar) == []

    run_hook()


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "PreCompact", "SessionStart"])
@pytest.mark.parametrize(
    "odd",
    [{"session_id": "\x00"}, {"session_id": "a\ud800"}, {"transcript_path": "\x00"}, {"transcript_path": "/x" * 5_000},
     {"last_assistant_message": "\ud800", "prompt": "\ud800"}],
)  # fmt: skip
def test_a_hook_with_an_odd_member_is_answered(
    sidecar: MemorySidecar, shop: Repository, event: str, odd: dict[str, str]
) -> None:
    here = str(shop.path)
    run = {"runId": "r", "deliveryToken": None, "cwd": here, "projectPath": here, "mode": "agent", "startedAt": MOMENT}
    hook = {"session_id": "s", "cwd": here, "prompt": "Why?", **odd}
    send_request(sidecar, "hook/run", {"event": event, "input": hook, "openRun": run})
    assert unexpected(sidecar) == []


def test_any_prompt_and_any_run_are_answered(sidecar: MemorySidecar, shop: Repository) -> None:
    common = {"subChatId": "c", "provider": "claude", "mode": "agent", "cwd": str(shop.path)}
    numbers = iter(range(10**6))
    moment = st.sampled_from(("2026-03-01T09:30:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"))
    usage = st.fixed_dictionaries(
        {
            "inputTokens": st.integers(0, 2**64),
            "costUsd": st.one_of(st.floats(0, 1e308), st.just(2**64)),
            "durationMs": st.integers(0, 2**64),
        }
    )

    @settings(max_examples=examples(60, 15), suppress_health_check=list(HealthCheck), deadline=None)
    @given(TEXT, st.lists(PART, max_size=4), st.lists(TEXT, max_size=2), moment, st.one_of(st.none(), usage), TEXT)
    @example("\ud83d", [], [], "2026-03-01T09:30:00Z", {"inputTokens": 2**64 - 1}, "\ud83d")
    def play(prompt: str, parts: Any, files: list[str], at: str, used: Any, text: str) -> None:
        run = f"run-{next(numbers)}"
        session = {"id": "s", "willResume": True, "isFork": False}
        mentions = {"files": files, "folders": files}
        send_request(
            sidecar,
            "continuity/preRun",
            {**common, "runId": run, "prompt": prompt, "session": session, "mentions": mentions},
        )
        ended = {
            **common, "runId": run, "prompt": prompt, "outcome": "completed", "session": {"before": "s",
            "after": "s"},
            "assistant": {"text": text, "parts": parts}, "startedAt": at, "finishedAt": at, "usage": used,
            "toolErrors": [{"text": text}], "todos": [{"content": text[:4_000], "status": "pending"}],
        }  # fmt: skip
        send_request(sidecar, "continuity/postRun", ended)
        assert unexpected(sidecar) == []

    play()


def test_any_tool_call_is_answered(sidecar: MemorySidecar, shop: Repository) -> None:
    from mcp import Client as McpClient  # here, because each process of a run imports every test

    from sidecar.integrations import MethodFailed, Tools, build_server

    def request(method: str, params: dict[str, Any]) -> Any:
        try:
            return sidecar.client.request(method, params)
        except RpcFailure as failure:
            raise MethodFailed(str(failure)) from failure

    tools = (
        "memory_search",
        "memory_get",
        "artifact_list",
        "artifact_get",
        "codebase_search",
        "explain",
        "memory_add",
        "none",
    )
    arguments_of = objects_of(
        {
            "query": TEXT,
            "id": TEXT,
            "text": TEXT,
            "title": TEXT,
            "run_id": TEXT,
            "limit": st.integers(-1, 2**70),
            "type": TEXT,
            "status": TEXT,
        },
        ODD,
    )
    calls = st.lists(st.tuples(st.sampled_from(tools), arguments_of), min_size=1, max_size=6)

    @settings(max_examples=examples(20, 8), suppress_health_check=list(HealthCheck), deadline=None)
    @given(calls)
    def play(tool_calls: list[tuple[str, Any]]) -> None:
        async def call_tools() -> None:
            server = build_server(
                Tools(request, Location(str(shop.path), str(shop.path)), str(shop.path)), may_write=True
            )
            async with McpClient(server) as client:
                for tool, arguments in tool_calls:
                    with suppress(Exception):
                        await client.call_tool(tool, arguments)
                message = await client.call_tool("artifact_list", {})
                assert not message.is_error

        anyio.run(call_tools)
        assert unexpected(sidecar) == []

    play()
