"""A knowledge sync whose process is killed, ended or doubled: memory stays consistent, and only one sync runs at a
time.
"""

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


def configured(process: SidecarProcess, project: Path, repository: Repository, rate: int) -> Client:
    client = process.client
    client.initialize()
    knowledge = {"repository": str(repository.path), "writesPerSecond": rate}
    client.request("settings/update", {"projectPath": str(project), "settings": {"knowledge": knowledge}})
    return client


def files(project: Path) -> dict[str, str]:
    lines = {path.name: path.read_text().splitlines() for path in (project / ".chati/memories" / POINTERS).glob("*.md")}
    moments = ("created_at:", "updated_at:")
    return {name: "\n".join(line for line in text if not line.startswith(moments)) for name, text in lines.items()}


def sync(client: Client, project: Path, **params: Any) -> Any:
    return client.request("knowledge/sync", {"cwd": str(project), "mode": "full", **params})


def start_sync(client: Client, project: Path) -> int:
    """Start a sync, wait until some pointers are written, and return the request id."""
    request_id = client.start("knowledge/sync", {"cwd": str(project), "mode": "full"})
    client.inbox.wait_for(lambda message: 0 < _done_count(message) < ITEMS)
    return request_id


def sync_outcome(client: Client, project: Path) -> tuple[str, str]:
    """Return the status and reason of the only sync. A cancelled request is answered before its rollback ends."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        (checkpoint,) = client.request("knowledge/status", {"cwd": str(project)})["checkpoints"]
        if checkpoint["status"] != "running":
            return checkpoint["status"], checkpoint["reason"]
        time.sleep(0.02)
    raise AssertionError("The sync is still running.")


def _done_count(message: Any) -> int:
    is_progress = isinstance(message, dict) and message.get("method") == "$/progress"
    return int(message["params"]["value"]["done"]) if is_progress else 0


def test_a_killed_sync_is_rolled_back_by_the_next_process_and_can_be_repeated(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository, tmp_path: Path
) -> None:
    process = start_process()
    client = configured(process, project, repository, rate=90)
    start_sync(client, project)
    process.popen.kill()
    process.popen.wait()
    assert 0 < len(files(project)) < ITEMS
    again = configured(start_process(), project, repository, rate=0)
    (killed,) = again.request("knowledge/status", {"cwd": str(project)})["checkpoints"]
    assert killed["status"] == "running"
    done = sync(again, project)
    assert (done["counts"]["added"], done["complete"]) == (ITEMS, True)
    assert again.request("knowledge/plan", {"cwd": str(project)})["operations"] == []
    checkpoints = again.request("knowledge/status", {"cwd": str(project)})["checkpoints"]
    (rolled_back,) = [checkpoint for checkpoint in checkpoints if checkpoint["id"] == killed["id"]]
    assert (rolled_back["status"], bool(rolled_back["reason"])) == ("rolledBack", True)
    other = tmp_path / "undisturbed"
    other.mkdir()
    sync(configured(start_process(), other, repository, rate=0), other)
    assert files(project) == files(other)


def test_a_second_process_is_refused_during_a_sync(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    first = configured(start_process(), project, repository, rate=90)
    second = configured(start_process(), project, repository, rate=90)
    request_id = start_sync(first, project)
    with pytest.raises(RpcFailure) as raised:
        sync(second, project)
    assert (raised.value.code, raised.value.data["kind"]) == (-32001, "busy")
    assert first.result(request_id)["complete"]
    assert sync(second, project)["operations"] == []


def test_a_cancelled_sync_is_rolled_back(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = configured(process, project, repository, rate=90)
    request_id = start_sync(client, project)
    client.cancel(request_id)
    assert client.answer(request_id)["error"]["code"] == -32800
    assert sync_outcome(client, project) == ("rolledBack", "The request was cancelled.")
    assert files(project) == {}
    (line,) = process.stderr_lines(b'"knowledge.rolledBack"')
    assert b'"reason":"The request was cancelled."' in line


def test_an_unreachable_repository_is_retried_twice_with_backoff_and_logged(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = configured(process, project, repository, rate=0)
    repository.path.rename(repository.path.with_name("away"))
    with pytest.raises(RpcFailure) as raised:
        sync(client, project)
    assert (raised.value.data["code"], raised.value.data["retryable"]) == ("KNOWLEDGE_UNAVAILABLE", True)
    process.stderr_lines(b'"knowledge.syncFailed"')
    delays = [json.loads(line)["delayMs"] for line in process.stderr_lines(b'"knowledge.retry"')]
    assert len(delays) == 2
    assert 500 <= delays[0] <= 1_000 <= delays[1] <= 2_000, "1 s and 2 s, each with up to 50 % jitter"


def test_a_damaged_state_is_logged(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository, state_dir: Path
) -> None:
    process = start_process()
    client = configured(process, project, repository, rate=0)
    sync(client, project)
    with closing(sqlite3.connect(state_dir / "continuity.db")) as database, database:
        database.execute("UPDATE continuity_knowledge_state SET value = substr(value, 1, 40)")
    with pytest.raises(RpcFailure) as raised:
        sync(client, project)
    assert raised.value.data["code"] == "STATE_CORRUPTED"
    (line,) = process.stderr_lines(b'"knowledge.stateCorrupted"')
    record = json.loads(line)
    assert (record["level"], record["bytes"], record["digestMatches"]) == ("error", 40, False)
    assert record["storedAs"] == raised.value.data["setAside"]


def test_after_a_sync_in_a_process_that_ends_memory_is_in_its_old_or_new_state(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = configured(process, project, repository, rate=90)
    start_sync(client, project)
    process.close_stdin()
    process.wait()
    again = configured(start_process(), project, repository, rate=0)
    assert sync(again, project)["complete"]
    assert len(files(project)) == ITEMS
    assert again.request("knowledge/plan", {"cwd": str(project)})["operations"] == []


def test_an_auto_sync_is_rolled_back_at_shutdown_without_delaying_it(
    start_process: Callable[..., SidecarProcess], project: Path, repository: Repository
) -> None:
    process = start_process()
    client = configured(process, project, repository, rate=20)
    settings = {"mode": "active", "knowledge": {"stalenessThreshold": "6h"}}
    client.request("settings/update", {"projectPath": str(project), "settings": settings})
    Conversation(client, project).turn("Look at it", session="one")
    client.inbox.wait_for(lambda message: 0 < _done_count(message) < ITEMS)
    process.close_stdin()
    process.wait()
    (line,) = process.stderr_lines(b'"knowledge.rolledBack"')
    assert b'"skipped":0' in line
    assert files(project) == {}
    again = configured(start_process(), project, repository, rate=0)
    (only,) = again.request("knowledge/status", {"cwd": str(project)})["checkpoints"]
    assert (only["status"], only["reason"]) == ("rolledBack", "The request was cancelled.")
