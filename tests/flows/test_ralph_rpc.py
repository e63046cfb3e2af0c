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

PROMISE_STEP = outputs("<promise>COMPLETE</promise>\n")


@pytest.fixture
def start_params(project: Repository, agent: FakeAgent) -> dict[str, Any]:
    """Params that start a loop with the scripted agent."""
    where = {"cwd": str(project.path), "change": CHANGE}
    return {**where, "prompt": "Add a login.", "harness": "custom", "harnessCommand": agent.command}


def notices(client: Client, method: str) -> list[Any]:
    return [message["params"] for message in client.inbox.messages if message.get("method") == method]


def test_a_job_reports_each_iteration_and_returns_the_outcome(
    process: SidecarProcess, agent: FakeAgent, start_params: dict[str, Any], project: Repository
) -> None:
    client, where = process.client, {"cwd": str(project.path), "change": CHANGE}
    agent.set_runs([outputs("Working.\n"), exits(1)], [PROMISE_STEP])
    added = client.request("ralph/addContext", {**where, "text": "Use argon2."})
    ended = client.request("ralph/start", {**start_params, "stream": True}, patience=60)

    assert (ended["status"], ended["exitCode"], ended["iterations"]) == ("completed", 0, 2)
    phases = [(entry["phase"], entry["number"]) for entry in notices(client, "ralph/iteration")]
    assert phases == [("started", 1), ("finished", 1), ("paused", 1), ("started", 2), ("finished", 2)]
    assert notices(client, "ralph/iteration")[1]["iteration"]["exitCode"] == 1
    assert "Working." in "".join(entry["text"] for entry in notices(client, "ralph/output"))
    assert "Use argon2." in agent.prompt(1)
    status = client.request("ralph/status", where)
    assert (status["iterations"], status["state"]["status"]) == (2, "completed")
    assert client.request("ralph/clearContext", where) == added
    assert client.request("ralph/reset", where) == {"iterations": 2, "endedAgent": False}
    assert client.request("ralph/status", where)["state"] is None


def test_a_loop_is_stopped_by_method_and_by_cancellation(
    process: SidecarProcess, agent: FakeAgent, start_params: dict[str, Any], ralph: Ralph, tmp_path: Path
) -> None:
    client = process.client
    agent.set_runs(
        [leaves_grandchild(90, str(tmp_path / "one.pid")), waits(90)],
        [leaves_grandchild(90, str(tmp_path / "two.pid")), waits(90)],
    )
    first = client.start("ralph/start", start_params)
    ralph.until((tmp_path / "one.pid").exists)
    assert client.request("ralph/status", {key: start_params[key] for key in ("cwd", "change")})["isRunning"]
    stopped = client.request("ralph/stop", {key: start_params[key] for key in ("cwd", "change")})
    assert stopped == {"wasRunning": True, "endedAgent": False}
    assert client.result(first, patience=30)["status"] == "interrupted"

    second = client.start("ralph/start", start_params)
    ralph.until((tmp_path / "two.pid").exists)
    client.cancel(second)
    assert client.answer(second)["error"]["code"] == -32800
    ralph.until(lambda: ralph.state()["status"] == "interrupted")
    assert ralph.state()["reason"] == "The request was cancelled."
    ralph.until(lambda: not is_running(tmp_path / "two.pid"))


def test_loops_run_in_parallel_for_several_changes_and_once_per_change(
    process: SidecarProcess, ralph: Ralph, start_params: dict[str, Any], tmp_path: Path
) -> None:
    client = process.client
    gate = tmp_path / "gate"
    agents = [FakeAgent(tmp_path / f"agent-{number}", [awaits(str(gate)), PROMISE_STEP]) for number in range(5)]
    started = [
        client.start("ralph/start", {**start_params, "change": f"change-{number}", "harnessCommand": entry.command})
        for number, entry in enumerate(agents)
    ]
    ralph.until(lambda: all(entry.runs for entry in agents))
    for job in ("registry/refresh", "codebase/index"):
        client.request(job, {"cwd": start_params["cwd"]})
    refused = client.error("ralph/start", {**start_params, "change": "change-0"})
    gate.touch()

    assert refused.code == -32015
    assert [client.result(entry, patience=60)["status"] for entry in started] == ["completed"] * 5


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process at once there")
@pytest.mark.parametrize("how", ["stdin", "signal"])
def test_agents_end_with_the_sidecar(
    process: SidecarProcess, agent: FakeAgent, start_params: dict[str, Any], ralph: Ralph, tmp_path: Path, how: str
) -> None:
    child = tmp_path / "child.pid"
    agent.set_runs([writes("a.txt", "a"), leaves_grandchild(90, str(child), deaf=True), waits(90)])
    process.client.start("ralph/start", start_params)
    ralph.until(child.exists)
    if how == "stdin":
        process.close_stdin()
    else:
        process.signal(signal.SIGTERM)

    process.wait()
    ralph.until(lambda: not is_running(child))
    assert child.exists(), "it was ended before its time"
    assert ralph.status()["isRunning"] is False


def test_invalid_requests_are_refused_with_their_code(
    process: SidecarProcess, start_params: dict[str, Any], tmp_path: Path
) -> None:
    client = process.client

    assert client.error("ralph/start", {**start_params, "change": "../x"}).code == -32602
    assert client.error("ralph/start", {**start_params, "prompt": " "}).code == -32602
    assert client.error("ralph/start", {**start_params, "completionPromise": " "}).code == -32602
    assert client.error("ralph/start", {**start_params, "cwd": str(tmp_path / "nowhere")}).code == -32010
    assert client.error("ralph/start", {**start_params, "cwd": "relative"}).code == -32010


def test_errors_name_params_and_methods_to_clients_and_options_to_users(
    process: SidecarProcess, agent: FakeAgent, start_params: dict[str, Any], ralph: Ralph, tmp_path: Path
) -> None:
    client, where = process.client, {key: start_params[key] for key in ("cwd", "change")}
    swapped = client.error("ralph/start", {**start_params, "minIterations": 3, "maxIterations": 2})
    assert swapped.message == "`minIterations` is larger than `maxIterations`."
    without = client.error("ralph/start", {**start_params, "harnessCommand": None})
    assert without.data["hint"] == "Set it with `harnessCommand`."
    assert b"hint: Set it with `--harness-command`.\n" in ralph("Add a login.", "--harness", "custom").stderr
    large = "x" * 3_000_000
    client.request("ralph/addContext", {**where, "text": large})
    full = client.error("ralph/addContext", {**where, "text": large})
    assert full.data["hint"] == "It has 3000001 bytes; `ralph/clearContext` empties it."
    client.request("ralph/clearContext", where)

    gate = tmp_path / "gate"
    agent.set_runs([awaits(str(gate)), PROMISE_STEP])
    running = client.start("ralph/start", start_params)
    ralph.until_running()
    rest = "stops it; loops of other changes can run at the same time."
    assert client.error("ralph/start", start_params).data["hint"] == f"`ralph/stop` {rest}"
    assert f"hint: `spool ralph --stop --change ID` {rest}\n" in ralph("--reset").stderr.decode()
    gate.touch()
    assert client.result(running, patience=30)["status"] == "completed"
