"""A knowledge sync whose process is killed, ended or doubled: memory is whole afterwards, and one runs at a time."""

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.conversation import Conversation
from tests.support.knowledge_project import POINTERS, item
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.rpc_failures import RpcFailure

ITEMS = 120


@pytest.fixture
def repository(make_repository: Callable[..., Repository]) -> Repository:
    return make_repository({f"company/adrs/a{number:03}.md": item(f"A {number}") for number in range(ITEMS)})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def begun(process: SidecarProcess, project: Path, repository: Repository, ceiling: int) -> Client:
    client = process.client
    client.initialize()
    knowledge = {"repository": str(repository.path), "writesPerSecond": ceiling}
    client.request("settings/update", {"projectPath": str(project), "settings": {"knowledge": knowledge}})
    return client


def files(project: Path) -> dict[str, str]:
    lines = {path.name: path.read_text().splitlines() for path in (project / ".chati/memories" / POINTERS).glob("*.md")}
    moments = ("created_at:", "updated_at:")
    return {name: "\n".join(line for line in text if not line.startswith(moments)) for name, text in lines.items()}


def sync(client: Client, project: Path, **params: Any) -> Any:
    return client.request("knowledge/sync", {"cwd": str(project), "mode": "full", **params})


def half_done(client: Client, project: Path) -> int:
    """Begins a sync, waits until some pointers are written, and gives the request's id."""
    request_id = client.start("knowledge/sync", {"cwd": str(project), "mode": "full"})
    client.inbox.wait_for(lambda message: 0 < _done(message) < ITEMS)
    return request_id


def finished(client: Client, project: Path) -> tuple[str, str]:
    """Gives how the only sync ended: who cancels is answered at once, and what was begun is taken back behind it."""
    give_up_at = time.monotonic() + 20
    while time.monotonic() < give_up_at:
        (one,) = client.request("knowledge/status", {"cwd": str(project)})["checkpoints"]
        if one["status"] != "running":
            return one["status"], one["reason"]
        time.sleep(0.02)
    raise AssertionError("It is still running.")


def _done(message: Any) -> int:
    is_progress = isinstance(message, dict) and message.get("method") == "$/progress"
    return int(message["params"]["value"]["done"]) if is_progress else 0


def test_a_killed_sync_is_taken_back_by_the_next_process_and_ends_as_if_nothing_had_happened(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository, tmp_path: Path
) -> None:
    process = start_process()
    client = begun(process, project, repository, ceiling=90)
    half_done(client, project)
    process.popen.kill()
    process.popen.wait()
    assert 0 < len(files(project)) < ITEMS
    again = begun(start_process(), project, repository, ceiling=0)
    (killed,) = again.request("knowledge/status", {"cwd": str(project)})["checkpoints"]
    assert killed["status"] == "running"
    done = sync(again, project)
    assert (done["counts"]["added"], done["complete"]) == (ITEMS, True)
    assert again.request("knowledge/plan", {"cwd": str(project)})["operations"] == []
    told = {one["id"]: one for one in again.request("knowledge/status", {"cwd": str(project)})["checkpoints"]}
    assert (told[killed["id"]]["status"], bool(told[killed["id"]]["reason"])) == ("rolledBack", True)
    other = tmp_path / "undisturbed"
    other.mkdir()
    sync(begun(start_process(), other, repository, ceiling=0), other)
    assert files(project) == files(other)


def test_while_one_process_syncs_another_is_told_to_wait(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    first = begun(start_process(), project, repository, ceiling=90)
    second = begun(start_process(), project, repository, ceiling=90)
    request_id = half_done(first, project)
    with pytest.raises(RpcFailure) as refused:
        sync(second, project)
    assert (refused.value.code, refused.value.data["kind"]) == (-32001, "busy")
    assert first.result(request_id)["complete"]
    assert sync(second, project)["operations"] == []


def test_a_cancelled_sync_leaves_memory_as_it_was(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = begun(process, project, repository, ceiling=90)
    request_id = half_done(client, project)
    client.cancel(request_id)
    assert client.answer(request_id)["error"]["code"] == -32800
    assert finished(client, project) == ("rolledBack", "The request was cancelled.")
    assert files(project) == {}
    (line,) = process.stderr_lines(b'"knowledge.rolledBack"')
    assert b'"reason":"The request was cancelled."' in line


def test_a_repository_out_of_reach_is_tried_again_twice_ever_later_and_that_is_logged(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = begun(process, project, repository, ceiling=0)
    repository.path.rename(repository.path.with_name("away"))
    with pytest.raises(RpcFailure) as refused:
        sync(client, project)
    assert (refused.value.data["code"], refused.value.data["retryable"]) == ("KNOWLEDGE_UNAVAILABLE", True)
    process.stderr_lines(b'"knowledge.syncFailed"')
    delays = [json.loads(line)["delayMs"] for line in process.stderr_lines(b'"knowledge.retry"')]
    assert len(delays) == 2
    assert 500 <= delays[0] <= 1_000 <= delays[1] <= 2_000, "1 s and twice that, half of it by chance"


def test_a_damaged_state_is_logged(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository, state_dir: Path
) -> None:
    process = start_process()
    client = begun(process, project, repository, ceiling=0)
    sync(client, project)
    with closing(sqlite3.connect(state_dir / "continuity.db")) as database, database:
        database.execute("UPDATE continuity_knowledge_state SET value = substr(value, 1, 40)")
    with pytest.raises(RpcFailure) as refused:
        sync(client, project)
    assert refused.value.data["code"] == "STATE_CORRUPTED"
    (line,) = process.stderr_lines(b'"knowledge.stateCorrupted"')
    told = json.loads(line)
    assert (told["level"], told["bytes"], told["digestMatches"]) == ("error", 40, False)
    assert told["storedAs"] == refused.value.data["setAside"]


def test_a_sync_in_a_process_that_ends_leaves_memory_as_it_was_or_as_it_will_be(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = begun(process, project, repository, ceiling=90)
    half_done(client, project)
    process.close_stdin()
    process.wait()
    again = begun(start_process(), project, repository, ceiling=0)
    assert sync(again, project)["complete"]
    assert len(files(project)) == ITEMS
    assert again.request("knowledge/plan", {"cwd": str(project)})["operations"] == []


def test_a_sync_by_itself_takes_itself_back_when_the_client_is_gone_and_holds_up_no_end(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = begun(process, project, repository, ceiling=20)
    changed = {"mode": "active", "knowledge": {"stalenessThreshold": "6h"}}
    client.request("settings/update", {"projectPath": str(project), "settings": changed})
    Conversation(client, project).turn("Look at it", session="one")
    client.inbox.wait_for(lambda message: 0 < _done(message) < ITEMS)
    process.close_stdin()
    process.wait()
    (line,) = process.stderr_lines(b'"knowledge.rolledBack"')
    assert b'"skipped":0' in line
    assert files(project) == {}
    again = begun(start_process(), project, repository, ceiling=0)
    (only,) = again.request("knowledge/status", {"cwd": str(project)})["checkpoints"]
    assert (only["status"], only["reason"]) == ("rolledBack", "The request was cancelled.")
