"""The MCP server, as a real process or in this one, driven by the SDK's own client."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from sidecar.cli.in_process import InProcess
from sidecar.cli.mcp import add_arguments, create_server
from sidecar.core.token_estimate import estimate_tokens
from tests.support.command import run_command
from tests.support.conversation import Conversation
from tests.support.depth import is_thorough
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import ROOT
from tests.support.repositories import Repository, make_repository

if TYPE_CHECKING:  # each process of a run imports every test, and the SDK takes longer than all others
    from mcp import Client

Play = Callable[["Client"], Awaitable[Any]]


@pytest.fixture
def play(
    active: MemorySidecar, project: Repository, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Connect a client to the server in a project with an earlier conversation."""
    from mcp import Client

    Conversation(active.client, project.path).turn("Round the discounted_price", text="Decided: half a cent goes up.")
    memory = {"cwd": str(project.path), "title": "Printer width", "text": "The receipt printer takes 42 columns."}
    active.client.request("memory/add", memory)

    def run(story: Play, *arguments: str, cwd: Path = project.path, own_process: bool = False, **options: Any) -> Any:
        line = ("--state-dir", str(state_dir), *arguments)

        async def main() -> Any:
            with ExitStack() as until_it_goes:
                server = in_own_process(line, cwd) if own_process else create_server(parsed(line), until_it_goes)
                async with Client(server, **options) as client:
                    return await story(client)

        monkeypatch.chdir(cwd)
        return anyio.run(main)

    return run


def in_own_process(line: Sequence[str], cwd: Path) -> Any:
    """Return the transport to a server in a process of its own."""
    from mcp import StdioServerParameters, stdio_client

    command = ["-m", "sidecar", "mcp", *line]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return stdio_client(StdioServerParameters(command=sys.executable, args=command, cwd=cwd, env=environment))


def parsed(line: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(line)


async def called(client: "Client", tool: str, **arguments: Any) -> Any:
    """Call a tool and return its result; its text is the same, and has no spaces between its members."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    (content,) = result.content
    text = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
    assert content.model_dump()["text"] == text
    return result.structured_content


def test_an_agent_finds_memories_code_and_its_last_delivery(play: Callable[..., Any]) -> None:
    async def story(client: "Client") -> Any:
        found = await called(client, "memory_search", query="How wide is the receipt printer?")
        opened = await called(client, "memory_get", id=found["memories"][0]["id"])
        files = await called(client, "codebase_search", query="Where is the discounted_price?")
        explained = await called(client, "explain")
        return opened, files, explained, await called(client, "artifact_list")

    opened, files, explained, artifacts = play(story, own_process=True)
    assert "42 columns" in json.dumps(opened)
    assert "till/prices.py" in json.dumps(files)
    assert explained["status"] == "committed"
    assert any(item["item"] == "anchor" for item in explained["items"])
    assert isinstance(artifacts["artifacts"], list)


def test_the_last_run_is_that_of_the_project_however_many_others_ran_since(
    play: Callable[..., Any], active: MemorySidecar, tmp_path: Path
) -> None:
    other = Conversation(active.client, make_repository(tmp_path / "other", {"a.py": "a = 1\n"}).path)
    for turn in range(11):
        other.turn(f"Round number {turn}")

    async def story(client: "Client") -> Any:
        return await called(client, "explain")

    assert "discounted_price" in json.dumps(play(story)["items"])


def test_a_search_shows_code_once_within_a_connection(play: Callable[..., Any]) -> None:
    async def story(client: "Client") -> Any:
        ask = {"query": "Where is the discounted_price?"}
        first = await called(client, "codebase_search", **ask)
        again = await called(client, "codebase_search", **ask)
        full = await called(client, "codebase_search", **ask, repeat=True)
        return first, again, full, await called(client, "codebase_search", **ask, path_only=True)

    first, again, full, paths = play(story)
    texts = [region["text"] for region in first["regions"]]
    assert any("def discounted_price" in text for text in texts)
    assert all(region["text"].endswith("(shown above)") for region in again["regions"])
    assert full["regions"] == first["regions"] == play(story)[0]["regions"]
    assert (paths["regions"], paths["files"]) == ([], first["files"])


def test_a_search_stays_within_its_budget_and_scores_on_request_change_nothing_else(
    play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    requests, send = [], InProcess.request

    def request(sidecar: InProcess, method: str, *arguments: Any) -> Any:
        requests.append(method)
        return send(sidecar, method, *arguments)

    async def story(client: "Client") -> Any:
        ask = {"query": "Where is the discounted_price?", "budget_tokens": 400, "limit": 3}
        found = await called(client, "codebase_search", **ask)
        return found, await called(client, "codebase_search", **ask, repeat=True, scores=True)

    monkeypatch.setattr(InProcess, "request", request)
    found, scored = play(story)
    assert found["regions"]
    assert estimate_tokens(json.dumps(found, separators=(",", ":"))) <= 400
    assert not [entry for entry in (*found["files"], *found["regions"]) if entry.keys() & {"score", "parts"}]
    assert all(entry.pop("score") and entry.pop("parts") for entry in (*scored["files"], *scored["regions"]))
    assert scored == found
    assert requests.count("codebase/search") == 2, "each search waits for the index once"


def test_the_ranking_of_a_search_is_within_its_budget_too(play: Callable[..., Any], project: Repository) -> None:
    part = "def discounted_price_{n}(cart):\n    return cart.discounted_price\n"
    project.commit({f"src/prices_{n}.py": part.replace("{n}", str(n)) for n in range(20)}, "Add prices")

    async def story(client: "Client") -> Any:
        ask = {"query": "Where is the discounted_price?"}
        return [await called(client, "codebase_search", **ask, budget_tokens=most) for most in (100, 200, 400, 4_000)]

    results = play(story)
    for most, found in zip((100, 200, 400, 4_000), results, strict=True):
        assert found["files"]
        assert estimate_tokens(json.dumps(found, separators=(",", ":"))) <= most
    assert [len(found["files"]) for found in results] == sorted(len(found["files"]) for found in results)
    assert len(results[-1]["files"]) == 12
    assert results[-1]["regions"]


def test_a_compaction_that_the_app_records_shows_code_again(
    play: Callable[..., Any], active: MemorySidecar, project: Repository
) -> None:
    async def story(client: "Client") -> Any:
        ask = {"query": "Where is the discounted_price?"}
        first = await called(client, "codebase_search", **ask)
        await anyio.to_thread.run_sync(lambda: Conversation(active.client, project.path, sub_chat_id="other").turn("x"))
        before = await called(client, "codebase_search", **ask)
        params = {"cwd": str(project.path), "sessionId": "session", "compactionId": "one"}
        await anyio.to_thread.run_sync(lambda: active.client.request("context/preCompact", params))
        return first, before, await called(client, "codebase_search", **ask)

    first, before, after = play(story)
    assert all(region["repeated"] for region in before["regions"])
    assert after["regions"] == first["regions"]


def test_write_tools_are_opt_in(play: Callable[..., Any]) -> None:
    async def tools(client: "Client") -> dict[str, bool | None]:
        listed = (await client.list_tools()).tools
        return {tool.name: tool.annotations.read_only_hint if tool.annotations else None for tool in listed}

    async def add(client: "Client") -> Any:
        await called(client, "memory_add", text="The till opens at seven.", title="Opening")
        return await called(client, "memory_search", query="When does the till open?")

    reading = play(tools)
    assert "memory_add" not in reading
    assert set(reading.values()) == {True}
    assert play(tools, "--write")["memory_add"] is False
    found = json.dumps(play(add, "--write"))
    assert "opens at seven" in found
    assert ".chati/memories/shared/daily/" in found  # for good only by the user's word


def test_an_error_is_one_sentence_and_the_server_continues(play: Callable[..., Any]) -> None:
    async def story(client: "Client") -> Any:
        refused = await client.call_tool("artifact_get", {"id": "none"})
        assert refused.is_error
        (message,) = refused.content
        wrong = await client.call_tool("memory_search", {"limit": 10_000})
        assert wrong.content[0].model_dump()["text"] == "memory_search: `query` is missing. There is 1 more problem."
        return message.model_dump()["text"], await called(client, "artifact_list", type="adr")

    message, listed = play(story, own_process=is_thorough())
    assert message.endswith("`artifact_list` shows a project's artifacts.")
    assert listed == {"artifacts": []}


def test_unknown_arguments_are_named_and_refused(play: Callable[..., Any]) -> None:
    async def story(client: "Client") -> Any:
        wrong = await client.call_tool("memory_search", {"query": "printer", "project": "other"})
        (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "memory_search"]
        return wrong.is_error, wrong.content[0].model_dump()["text"], tool.input_schema

    is_error, message, schema = play(story)
    assert is_error
    assert message == "memory_search: There is no member `project`."
    assert schema["additionalProperties"] is False


def test_the_project_is_the_clients_root_or_the_servers_working_folder(
    play: Callable[..., Any], project: Repository, tmp_path: Path
) -> None:
    from mcp.types import ListRootsResult, Root

    async def roots(_context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=project.path.as_uri())])

    async def story(client: "Client") -> Any:
        return await called(client, "memory_search", query="receipt printer")

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert play(story, cwd=elsewhere)["memories"] == []
    assert play(story, cwd=elsewhere, list_roots_callback=roots, mode="legacy")["memories"]
    assert play(story, "--project", str(project.path / "till"), cwd=elsewhere)["memories"]


@pytest.mark.parametrize(
    ("option", "message", "status"),
    [
        ("--state-dir", "There is no state file in {folder}. (notFound)", 3),
        ("--project", "The project's folder does not exist. (workspaceUnavailable)", 1),
    ],
)
def test_a_folder_that_does_not_exist_is_named_at_the_start_and_not_created(
    active: MemorySidecar, state_dir: Path, tmp_path: Path, option: str, message: str, status: int
) -> None:
    assert active.app.process is not None
    nowhere = tmp_path / "nowhere"
    others = () if option == "--state-dir" else ("--state-dir", str(state_dir))
    refused = run_command("mcp", option, str(nowhere), *others, cwd=tmp_path, temporary=tmp_path)
    assert (refused.returncode, refused.stdout) == (status, b"")
    assert refused.stderr.decode().splitlines()[0] == f"mcp: {message.format(folder=nowhere)}"
    assert not nowhere.exists()


def test_no_other_command_loads_the_sdk(tmp_path: Path) -> None:
    run = "main.run(['status', '--state-dir', sys.argv[1]])"
    code = f"import sys, sidecar.cli.main as main; {run}; print('mcp' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = (sys.executable, "-c", code, str(tmp_path))
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == b"False"
