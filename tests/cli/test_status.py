"""`onecode-sidecar status` and `explain`, run as by a user, beside a running sidecar and after it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.command import Command, Done, run_command
from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, set_settings


@pytest.fixture
def chat(process: SidecarProcess, shop: Repository) -> Conversation:
    """A conversation of two turns in active mode."""
    chat = Conversation(process.client, shop.path)
    set_settings(chat, mode="active")
    chat.turn(PROMPT)
    chat.turn("go on")
    return chat


@pytest.fixture
def command(state_dir: Path, tmp_path: Path) -> Command:
    def run(*arguments: str, **options: Any) -> Done:
        return run_command(*arguments, "--state-dir", str(state_dir), cwd=tmp_path, temporary=tmp_path, **options)

    return run


def test_status_shows_the_running_sidecar_mode_projects_and_latest_runs(
    chat: Conversation, process: SidecarProcess, output_of: Callable[..., str], state_dir: Path
) -> None:
    assert chat.session_id
    answer = orjson.loads(output_of("status", "--json"))
    (running,) = answer["others"]
    assert (running["pid"], running["client"], running["mode"]) == (process.popen.pid, "test", "passive")
    assert (answer["mode"], answer["modeSource"], answer["stateDir"]) == ("active", "global", str(state_dir))
    (project,) = answer["projects"]
    assert (project["name"], project["runs"], project["mode"]) == ("shop", 2, "active")
    assert project["hitRate"] == 1.0
    assert 0 < project["reduction"] < 1
    assert [run["status"] for run in answer["lastRuns"]] == ["committed", "committed"]
    assert answer["lastRuns"][0]["newBytes"] < answer["lastRuns"][1]["newBytes"]
    files = {file["kind"]: file["bytes"] for file in answer["files"]}
    in_use = sum(path.stat().st_size for path in state_dir.glob("continuity.db*") if path.suffix != ".lock")
    assert files["state"] == pytest.approx(in_use, rel=0.5)
    shown = output_of("status")
    assert f"process {process.popen.pid}" in shown
    assert answer["lastRuns"][0]["runId"] in shown
    assert re.search(r"free disk space [\d.,]+ GB\b", shown), "in the units of the report"
    assert "delivered" in shown
    assert "committed" not in shown
    head, *rows = shown.partition("explain RUN`):\n")[2].splitlines()
    assert all(row[head.index("run") :] == run["runId"] for row, run in zip(rows, answer["lastRuns"], strict=True))


def test_the_hooks_of_a_project_count_as_connected_in_it(
    shop: Repository, state_dir: Path, process: SidecarProcess, tmp_path: Path
) -> None:
    assert process.popen.poll() is None
    folders = {name: str(tmp_path) for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA")}
    installed = run_command(
        "hook", "install", "--project", "--yes", cwd=shop.path, temporary=tmp_path, stdin=b"", **folders
    )
    assert installed.returncode == 0

    def connected(cwd: Path) -> bool:
        done = run_command(
            "status",
            "--json",
            "--state-dir",
            str(state_dir),
            cwd=cwd,
            temporary=tmp_path,
            CLAUDE_CONFIG_DIR=str(tmp_path),
        )
        hosts = {host["name"]: host["connected"] for host in orjson.loads(done.stdout)["hosts"]}
        return bool(hosts["Claude Code"])

    assert connected(shop.path)
    assert not connected(tmp_path)


def test_a_project_has_its_name_before_its_first_run_ends(
    process: SidecarProcess, shop: Repository, output_of: Callable[..., str]
) -> None:
    Conversation(process.client, shop.path).pre_run(PROMPT)
    (project,) = orjson.loads(output_of("status", "--json"))["projects"]
    assert project["name"] == "shop"


def test_a_mode_from_initialize_is_shown_while_that_sidecar_runs(
    start_process: Callable[..., SidecarProcess], output_of: Callable[..., str], shop: Repository
) -> None:
    running = start_process()
    running.client.initialize(settings={"mode": "active"})
    running.client.request("settings/update", {"settings": {"rollout": {"share": 50}}})
    Conversation(running.client, shop.path).turn(PROMPT)
    answer = orjson.loads(output_of("status", "--json"))
    assert (answer["mode"], answer["modeSource"]) == ("active", "initialize")
    assert answer["rollout"]["problem"] is None
    assert [project["mode"] for project in answer["projects"]] == ["active"]
    running.close()
    assert orjson.loads(output_of("status", "--json"))["mode"] == "passive"


def test_a_killed_sidecar_is_not_shown_as_running(
    chat: Conversation, process: SidecarProcess, output_of: Callable[..., str], state_dir: Path
) -> None:
    assert chat.session_id
    process.popen.kill()
    process.popen.wait()
    assert list((state_dir / "running").glob("*.json"))
    assert "no sidecar" in output_of("status")
    assert not list((state_dir / "running").glob("*.json"))


def test_the_registration_of_a_killed_sidecar_is_removed_at_the_next_start(
    chat: Conversation, process: SidecarProcess, start_process: Callable[..., SidecarProcess], state_dir: Path
) -> None:
    assert chat.session_id
    process.popen.kill()
    process.popen.wait()
    again = start_process()
    again.client.initialize()
    (sign,) = (state_dir / "running").glob("*.json")
    assert sign.name.startswith(f"{again.popen.pid}-")


def test_explain_shows_the_newest_run_or_the_named_run(
    chat: Conversation,
    output_of: Callable[..., str],
    command: Command,
    shop: Repository,
    make_repository: Callable[..., Repository],
    state_dir: Path,
) -> None:
    third = chat.turn("What is in the cart?")
    newest = output_of("explain")
    assert newest.startswith(f"{third['runId']}, ")
    assert newest.splitlines()[0].endswith(" UTC, shop, claude")
    other = Conversation(chat.client, make_repository({"a.py": "a = 1\n"}, "other").path, sub_chat_id="other")
    fourth = other.turn("What is in a.py?")
    assert output_of("explain").startswith(f"{fourth['runId']}, "), "of any project, in a folder without runs"
    state = ("--state-dir", str(state_dir))
    in_shop = run_command("explain", *state, cwd=shop.path, temporary=state_dir.parent)
    assert in_shop.stdout.decode() == newest
    muted = run_command("explain", "--mute", "src/cart.py", *state, cwd=shop.path, temporary=state_dir.parent)
    assert muted.stdout.decode() == "Your overrides:\n  never    context:src/cart.py\n"
    reset = run_command("explain", "--reset", "context:src/cart.py", *state, cwd=shop.path, temporary=state_dir.parent)
    assert reset.stdout.decode() == "There are no overrides.\n"
    assert newest == output_of("explain", third["runId"]) == output_of("explain", "--project", str(shop.path))
    assert "delivered to the agent" in newest
    assert "context:src/cart.py" in newest
    assert "[continuity:anchor" not in newest
    assert "[continuity:anchor" in output_of("explain", third["runId"], "--texts")
    late = chat.pre_run("What is in the cart?", deadlineMs=1)
    assert "nothing was sent: nothing was ready at the deadline" in output_of("explain", late["runId"])
    refused = command("explain", "no-such-run")
    assert refused.returncode == 3
    assert b"No pre-run is recorded under that run id." in refused.stderr


def test_a_project_without_runs_has_none_to_explain(chat: Conversation, command: Command, tmp_path: Path) -> None:
    assert chat.session_id
    refused = command("explain", "--project", str(tmp_path))
    assert refused.returncode == 3
    assert b"No pre-run is recorded yet." in refused.stderr
