"""A loop inside the sidecar: a job with notifications for each iteration."""

import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.fake_agent import FakeAgent, awaits, exits, leaves_grandchild, outputs, waits, writes
from tests.support.process import SidecarProcess
from tests.support.ralph_command import CHANGE, Ralph, is_running
from tests.support.repositories import Repository

KEPT = outputs("<promise>COMPLETE</promise>\n")


@pytest.fixture
def asked(project: Repository, agent: FakeAgent) -> dict[str, Any]:
    """What starts a loop with the scripted agent."""
    where = {"cwd": str(project.path), "change": CHANGE}
    return {**where, "prompt": "Add a login.", "harness": "custom", "harnessCommand": agent.command}


def notices(client: Client, method: str) -> list[Any]:
    return [message["params"] for message in client.inbox.messages if message.get("method") == method]


def test_a_job_tells_of_each_iteration_and_answers_with_the_end(
    process: SidecarProcess, agent: FakeAgent, asked: dict[str, Any], project: Repository
) -> None:
    client, where = process.client, {"cwd": str(project.path), "change": CHANGE}
    agent.set_runs([outputs("Working.\n"), exits(1)], [KEPT])
    added = client.request("ralph/addContext", {**where, "text": "Use argon2."})
    ended = client.request("ralph/start", {**asked, "stream": True}, patience=60)

    assert (ended["status"], ended["exitCode"], ended["iterations"]) == ("completed", 0, 2)
    told = [(one["phase"], one["number"]) for one in notices(client, "ralph/iteration")]
    assert told == [("started", 1), ("finished", 1), ("paused", 1), ("started", 2), ("finished", 2)]
    assert notices(client, "ralph/iteration")[1]["iteration"]["exitCode"] == 1
    assert "Working." in "".join(one["text"] for one in notices(client, "ralph/output"))
    assert "Use argon2." in agent.prompt(1)
    status = client.request("ralph/status", where)
    assert (status["iterations"], status["state"]["status"]) == (2, "completed")
    assert client.request("ralph/clearContext", where) == added
    assert client.request("ralph/reset", where) == {"iterations": 2}
    assert client.request("ralph/status", where)["state"] is None


def test_a_loop_is_stopped_by_the_method_and_by_a_cancellation(
    process: SidecarProcess, agent: FakeAgent, asked: dict[str, Any], ralph: Ralph, tmp_path: Path
) -> None:
    client = process.client
    agent.set_runs(
        [leaves_grandchild(90, str(tmp_path / "one.pid")), waits(90)],
        [leaves_grandchild(90, str(tmp_path / "two.pid")), waits(90)],
    )
    first = client.start("ralph/start", asked)
    ralph.until((tmp_path / "one.pid").exists)
    assert client.request("ralph/status", {key: asked[key] for key in ("cwd", "change")})["isRunning"]
    assert client.request("ralph/stop", {key: asked[key] for key in ("cwd", "change")}) == {"wasRunning": True}
    assert client.result(first, patience=30)["status"] == "interrupted"

    second = client.start("ralph/start", asked)
    ralph.until((tmp_path / "two.pid").exists)
    client.cancel(second)
    assert client.answer(second)["error"]["code"] == -32800
    ralph.until(lambda: ralph.state()["status"] == "interrupted")
    assert ralph.state()["reason"] == "The request was cancelled."
    ralph.until(lambda: not is_running(tmp_path / "two.pid"))


def test_loops_for_several_changes_run_at_once_and_for_one_there_is_one(
    process: SidecarProcess, ralph: Ralph, asked: dict[str, Any], tmp_path: Path
) -> None:
    client = process.client
    gate = tmp_path / "gate"
    agents = [FakeAgent(tmp_path / f"agent-{number}", [awaits(str(gate)), KEPT]) for number in range(3)]
    started = [
        client.start("ralph/start", {**asked, "change": f"change-{number}", "harnessCommand": one.command})
        for number, one in enumerate(agents)
    ]
    ralph.until(lambda: all(one.runs for one in agents))
    refused = client.error("ralph/start", {**asked, "change": "change-0"})
    gate.touch()

    assert refused.code == -32015
    assert [client.result(one, patience=60)["status"] for one in started] == ["completed"] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process at once there")
@pytest.mark.parametrize("how", ["stdin", "signal"])
def test_when_the_sidecar_ends_its_loops_agents_do_too(
    process: SidecarProcess, agent: FakeAgent, asked: dict[str, Any], ralph: Ralph, tmp_path: Path, how: str
) -> None:
    child = tmp_path / "child.pid"
    agent.set_runs([writes("a.txt", "a"), leaves_grandchild(90, str(child), deaf=True), waits(90)])
    process.client.start("ralph/start", asked)
    ralph.until(child.exists)
    if how == "stdin":
        process.close_stdin()
    else:
        process.signal(signal.SIGTERM)

    process.wait(5)
    ralph.until(lambda: not is_running(child), 5)
    assert ralph.status()["isRunning"] is False


def test_what_is_wrong_is_refused_with_its_code(process: SidecarProcess, asked: dict[str, Any], tmp_path: Path) -> None:
    client = process.client

    assert client.error("ralph/start", {**asked, "change": "../x"}).code == -32602
    assert client.error("ralph/start", {**asked, "prompt": " "}).code == -32602
    assert client.error("ralph/start", {**asked, "cwd": str(tmp_path / "nowhere")}).code == -32010
    assert client.error("ralph/start", {**asked, "cwd": "relative"}).code == -32010
