"""A loop's processes: its agent, its own end, and its remains after a crash."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.support.depth import examples
from tests.support.fake_agent import (
    FakeAgent,
    awaits,
    event,
    floods,
    ignores,
    leaves_grandchild,
    notes_signal,
    outputs,
    outputs_bytes,
    runs,
    waits,
    writes,
)
from tests.support.growth import takes_linear_time
from tests.support.process import ROOT
from tests.support.ralph_command import (
    CHANGE,
    PATIENCE_SECONDS,
    PATIENT_SPOOL,
    SPOOL,
    Ralph,
    is_running,
    last_line,
)
from tests.support.repositories import Repository

PROMISE_STEP = outputs("<promise>COMPLETE</promise>\n")
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")


def test_an_agent_has_its_own_process_group_and_not_the_loops_input(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    assert ralph.loop("Add a login.", stdin=b"not for the agent").returncode == 0

    assert "not for the agent" not in agent.prompt(1)
    assert not agent.recorded(1)["isStdinTerminal"]
    assert agent.recorded(1)["cwd"] == str(ralph.cwd)


def test_a_hanging_agent_is_killed_with_its_children_and_the_loop_continues(
    ralph: Ralph, agent: FakeAgent, tmp_path: Path
) -> None:
    deaf, child = tmp_path / "deaf.pid", tmp_path / "child.pid"
    agent.set_runs(
        [ignores("SIGTERM"), leaves_grandchild(90, str(deaf), detached=True, deaf=True), waits(90)],
        [
            leaves_grandchild(90, str(child)),
            outputs("Busy.\n"),
            *[step for _ in range(40) for step in (waits(0.25), outputs("."))],
        ],
        [PROMISE_STEP],
    )
    done = ralph.loop("Add a login.", "--idle-timeout", "2s", "--iteration-timeout", "4s")

    assert done.returncode == 0, done.stdout
    assert [entry["outcome"] for entry in ralph.history()] == ["timedOut", "timedOut", "succeeded"]
    assert "`idleTimeoutMs`" in ralph.history()[0]["reason"]
    assert "`iterationTimeoutMs`" in ralph.history()[1]["reason"]
    assert not is_running(deaf)
    assert not is_running(child)


def test_a_grandchild_holding_a_pipe_does_not_block_the_loop(ralph: Ralph, agent: FakeAgent, tmp_path: Path) -> None:
    child = tmp_path / "child.pid"
    agent.set_runs([leaves_grandchild(90, str(child)), PROMISE_STEP])

    assert ralph.loop("Add a login.").returncode == 0
    assert child.exists(), "the loop did not wait for the end of its time"


@posix_only
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_signal_ends_the_loop_cleanly(
    ralph: Ralph, agent: FakeAgent, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    child = tmp_path / "child.pid"
    agent.set_runs([outputs("Working.\n"), writes("a.txt", "a"), leaves_grandchild(90, str(child)), waits(90)])
    running = ralph.start("Add a login.")
    ralph.until(child.exists)
    running.send_signal(number)

    assert running.wait(PATIENCE_SECONDS) == status
    assert running.stdout is not None
    assert running.stdout.read().decode().splitlines()[-1] == f"interrupted: It was interrupted ({number.name})."
    assert [(entry["outcome"], entry["filesChanged"]) for entry in ralph.history()] == [("interrupted", 1)]
    assert ralph.history()[0]["endedLoop"] == ralph.state()["reason"]
    assert (ralph.state()["status"], ralph.state()["exitCode"]) == ("interrupted", status)
    assert ralph.status()["isRunning"] is False
    assert not is_running(child)


@posix_only
def test_a_second_signal_ends_it_without_the_agents_grace(ralph: Ralph, agent: FakeAgent, tmp_path: Path) -> None:
    child, requested = tmp_path / "child.pid", tmp_path / "requested"
    agent.set_runs(
        [
            ignores("SIGINT"),
            notes_signal("SIGTERM", str(requested)),
            leaves_grandchild(90, str(child), deaf=True),
            waits(90),
        ]
    )
    ralph.program = PATIENT_SPOOL
    running = ralph.start("Add a login.")
    ralph.until(child.exists)
    running.send_signal(signal.SIGINT)
    ralph.until(requested.exists)
    assert running.poll() is None, "the agent has its grace"
    running.send_signal(signal.SIGINT)

    assert running.wait(PATIENCE_SECONDS) == 130
    ralph.until(lambda: not is_running(child))
    assert child.exists(), "it was ended before its time"
    assert ralph.status()["isRunning"] is False


@posix_only
def test_a_killed_loop_leaves_readable_state_and_a_lock_that_is_taken_over(
    ralph: Ralph, agent: FakeAgent, tmp_path: Path
) -> None:
    child = tmp_path / "child.pid"
    agent.set_runs(
        [writes("a.txt", "a")], [outputs("Working.\n"), leaves_grandchild(90, str(child), detached=True), waits(90)]
    )
    running = ralph.start("Add a login.")
    ralph.until(child.exists)
    before = (ralph.folder / "history.jsonl").read_bytes()
    running.kill()
    running.wait()

    shown = ralph.status()
    assert (shown["isRunning"], shown["state"]["status"], shown["iterations"]) == (False, "interrupted", 1)
    agent.set_runs([PROMISE_STEP])
    again = ralph.loop("Add a login.")

    assert again.returncode == 0
    assert (ralph.folder / "history.jsonl").read_bytes().startswith(before)
    assert [(entry["number"], entry["outcome"]) for entry in ralph.history()] == [
        (1, "succeeded"),
        (2, "lost"),
        (3, "succeeded"),
    ]
    assert not is_running(child), "the agent that outlived its loop works no more beside the next one's"


@posix_only
@pytest.mark.parametrize("action", ["--stop", "--reset"])
def test_an_agent_that_outlived_its_loop_is_ended(ralph: Ralph, agent: FakeAgent, tmp_path: Path, action: str) -> None:
    child = tmp_path / "child.pid"
    agent.set_runs([leaves_grandchild(90, str(child), detached=True), waits(90)])
    running = ralph.start("Add a login.")
    ralph.until(child.exists)
    running.kill()
    running.wait()
    if sys.platform == "linux":
        ralph.until(lambda: not psutil.pid_exists(agent.recorded(1)["pid"]), 5)
    shutil.rmtree(ralph.folder)
    assert is_running(child)

    done = ralph(action)
    assert done.returncode == 0
    assert b"The agent of a loop that had died was still at work; it was ended." in done.stdout
    assert not is_running(child)
    assert b"ended" not in ralph("--stop").stdout


def test_a_cleaned_worktree_keeps_its_loop(ralph: Ralph, agent: FakeAgent, tmp_path: Path) -> None:
    agent.set_runs(
        [runs("git", "clean", "-fdxq")], [runs("git", "clean", "-fdxq"), awaits(str(tmp_path / "go")), PROMISE_STEP]
    )
    running = ralph.start("Add a login.", "--verify", "echo fine; git clean -fdxq")
    ralph.until_running(2)
    assert ralph.loop("Add a login.").returncode == 1, "the lock is not in the worktree"
    (tmp_path / "go").touch()

    assert running.wait(30) == 0
    assert [entry["number"] for entry in ralph.history()] == [2], "the first line went with the folder"
    assert ralph.state()["status"] == "completed"


def test_a_torn_history_is_continued_after_the_damage(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    ralph.loop("Add a login.")
    file = ralph.folder / "history.jsonl"
    file.write_bytes(file.read_bytes() + b'{"number":2,"startedAt":"2026')
    torn = file.read_bytes()
    (ralph.folder / "state.json").write_bytes(b"{")
    ralph.loop("Add a login.")

    assert file.read_bytes().startswith(torn + b"\n")
    shown = ralph.status()
    assert (shown["iterations"], shown["damagedLines"]) == (2, 1)
    assert [entry["number"] for entry in shown["recent"]] == [1, 2]
    assert b"unreadable lines in the history: 1" in ralph("--status").stdout


def test_one_change_has_one_loop_and_other_changes_run_in_parallel(
    ralph: Ralph, agent: FakeAgent, tmp_path: Path
) -> None:
    agent.set_runs([outputs("Working.\n"), waits(90)])
    running = ralph.start("Add a login.")
    ralph.until_running()

    second = ralph.loop("Add a login.")
    assert second.returncode == 1
    assert f"A loop for `{CHANGE}` is already running (process {running.pid}" in second.stderr.decode()
    assert ralph("--reset").returncode == 1

    other = Ralph(ralph.cwd, FakeAgent(tmp_path / "other", [PROMISE_STEP]), tmp_path / "tmp", change="other-change")
    assert other.loop("Something else.").returncode == 0
    status = ralph("--status").stdout.decode()
    assert "running: iteration 1, since " in status
    stopped = ralph("--stop")
    assert stopped.stdout.decode() == f"{CHANGE}: It has stopped.\n"
    assert running.wait(PATIENCE_SECONDS) == 130
    assert ralph.state()["reason"] == "It was stopped on request."
    assert ralph("--stop").stdout.decode() == f"{CHANGE}: No loop is running.\n"


def test_a_waiting_loop_can_be_stopped(ralph: Ralph, agent: FakeAgent) -> None:
    limited = f"Claude AI usage limit reached|{int(time.time()) + 3_600}"
    agent.set_runs([event(type="result", subtype="success", is_error=True, result=limited, session_id="s")])
    path = f"{agent.install_as('claude')}:/usr/bin:/bin"
    running = ralph.start("Add a login.", "--harness", "claude", PATH=path)
    ralph.until(lambda: ralph.state()["pausedUntil"] is not None)
    assert f"waiting until {ralph.state()['pausedUntil']}" in ralph("--status").stdout.decode()
    assert ralph("--stop").stdout.decode() == f"{CHANGE}: It has stopped.\n"

    assert running.wait(PATIENCE_SECONDS) == 130
    assert len(ralph.history()) == 1
    assert ralph.state()["pausedUntil"] is None


def test_a_missing_agent_program_is_one_clear_error_without_retries(ralph: Ralph, tmp_path: Path) -> None:
    no_program = tmp_path / "agent.sh"
    no_program.write_text("#!/bin/sh\n", encoding="utf-8")
    git, programs = shutil.which("git"), tmp_path / "programs"
    assert git is not None
    programs.mkdir()
    (programs / "git").symlink_to(git)  # the agent may be installed beside it
    missing = ralph("Add a login.", "--harness", "codex", "--no-continuity", PATH=str(programs))
    plain = ralph("Add a login.", "--harness", "custom", "--harness-command", str(no_program), "--no-continuity")

    assert (missing.returncode, plain.returncode) == (1, 1)
    assert last_line(missing).startswith("failed: The agent codex is not installed. ")
    assert last_line(plain).startswith(f"failed: The agent {no_program} is not executable. ")
    assert ralph.status()["state"]["status"] == "failed"
    assert ralph.status()["iterations"] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="tells its memory in another way")
def test_a_binary_line_of_many_megabytes_takes_linear_time_and_little_memory(
    ralph: Ralph, agent: FakeAgent, tmp_path: Path
) -> None:
    spent = [0.0]
    (tmp_path / "state").mkdir()

    def play(megabytes: int) -> None:
        line = [outputs_bytes(b"\xff\xfe"), floods(megabytes, b"\xffx<promise>"), outputs("\n")]
        agent.set_runs([*line, PROMISE_STEP])
        running = ralph.start_without_output("Add a login.", "--continuity", "--state-dir", str(tmp_path / "state"))
        process, status, highest, seconds = psutil.Process(running.pid), Path(f"/proc/{running.pid}/status"), 0, 0.0
        while running.poll() is None:
            shown = [line.split() for line in status.read_text(encoding="utf-8").splitlines()]
            highest = max([highest, *(int(words[1]) for words in shown if words[0] == "VmHWM:")])
            seconds = sum(process.cpu_times()[:2])
            time.sleep(0.02)
        spent.append(seconds)

        assert running.returncode == 0
        assert ralph.history()[-1]["outputBytes"] > megabytes * 2**20
        assert all(file.stat().st_size < 3 * 2**20 for file in (ralph.folder / "iterations").glob("*.output"))
        assert 0 < highest < 84 * 1024, (
            "KiB, of the whole program with the libraries it loads: the line is 60 or 100 MiB"
        )

    assert takes_linear_time(
        lambda megabytes: partial(play, megabytes), examples(25, 15), quick_seconds=20.0, clock=lambda: sum(spent)
    )
    assert (ralph.folder / "iterations" / "0001.output").exists()


def test_an_agent_that_never_reads_its_prompt_does_not_block(ralph: Ralph, agent: FakeAgent, tmp_path: Path) -> None:
    (tmp_path / "task.md").write_text("x" * 3_000_000, encoding="utf-8")
    agent.set_runs([{"reads": False}, PROMISE_STEP])

    assert ralph.loop("--prompt-file", str(tmp_path / "task.md")).returncode == 0


def test_the_ralph_command_equals_the_spool_command(ralph: Ralph, project: Repository) -> None:
    as_spool = ralph("--status", "--json")
    as_program = subprocess.run(
        (sys.executable, "-m", "sidecar", "ralph", "--change", CHANGE, "--status", "--json"),
        cwd=project.path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=False,
    )
    assert (as_spool.returncode, as_spool.stdout) == (as_program.returncode, as_program.stdout)


def test_closed_output_does_not_end_the_loop(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([outputs("Working.\n"), waits(1), writes("a.txt", "a")], [PROMISE_STEP])
    running = ralph.start("Add a login.")
    assert running.stdout is not None
    running.stdout.close()

    assert running.wait(30) == 0
    assert [entry["outcome"] for entry in ralph.history()] == ["succeeded", "succeeded"]


@posix_only
def test_full_or_closed_output_causes_no_traceback(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    command = shlex.join((*SPOOL, "--change", ralph.change))
    loop = f"{command} 'Add a login.' --no-continuity --harness custom --harness-command {shlex.quote(agent.command)}"
    lines = {f"{loop} >&- 2>&-": 0, f"{command} --status --json >&-": 0}
    if Path("/dev/full").exists():
        lines |= {f"{loop} >/dev/full": 0, f"{command} --status >/dev/full": 1}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for line, status in lines.items():
        done = subprocess.run(line, shell=True, cwd=ralph.cwd, env=environment, capture_output=True, check=False)

        assert done.returncode == status, line
        assert b"Traceback" not in done.stderr
    assert {entry["promiseAccepted"] for entry in ralph.history()} == {True}
