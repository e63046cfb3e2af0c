"""Runs of the fake agent: the result, and that no process or pipe remains."""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from sidecar.core.clock import SystemClock
from sidecar.core.errors import AgentUnavailable, WorkspaceUnavailable
from sidecar.ralph.agent import AgentOptions, AgentResult, TimeLimits, agent_command
from sidecar.ralph.agent.runner import HEAD_BYTES, TAIL_BYTES, run_agent
from sidecar.ralph.run_iteration import shell_command, verify
from tests.support.fake_agent import (
    FakeAgent,
    Step,
    claude_result,
    claude_text,
    claude_tool_use,
    codex_done,
    codex_text,
    echoes,
    event,
    exits,
    floods,
    ignores,
    kills_itself,
    leaves_grandchild,
    outputs,
    outputs_bytes,
    outputs_error,
    waits,
)
from tests.support.own_pipes import OwnPipes

PROMISE = "<promise>COMPLETE</promise>"
IDLE_MS = 2_000
"""Longer than an agent needs to start on a busy machine."""

LONG = 60.0
"""Seconds that no test waits for."""

NEVER: Step = {"reads": False}


class Stage:
    """A folder to run a fake agent in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.agent = FakeAgent(folder / "agent")
        self.log_path = folder / "output"
        self.stop = threading.Event()
        self.shown: list[str] = []

    def run(
        self,
        *steps: Step,
        prompt: str = "Do it.",
        harness: str = "custom",
        time_limits: TimeLimits | None = None,
        show: Callable[[str], None] | None = None,
    ) -> AgentResult:
        """Run the agent once with these steps."""
        self.agent.set_runs(list(steps))
        environment = dict(os.environ)
        if harness != "custom":
            folder = self.agent.install_as(harness)
            environment["PATH"] = f"{folder}{os.pathsep}{environment['PATH']}"
        options = AgentOptions(harness, command=self.agent.command)
        return run_agent(
            agent_command(options, prompt, self.folder, environment, prompt_file=self.folder / "prompt.md"),
            promise="COMPLETE",
            prompt=prompt,
            time_limits=time_limits or TimeLimits(grace_ms=300),
            stop=self.stop,
            clock=SystemClock(),
            log_path=self.log_path,
            stream=show or self.shown.append,
        )

    def stop_at_a_word(self, _: str) -> None:
        """Request a stop as soon as the agent prints something."""
        self.stop.set()

    def pid_file(self, name: str) -> str:
        """Return a file for the pid of a grandchild."""
        return str(self.folder / name)

    def is_running(self, name: str) -> bool:
        """Whether the grandchild still runs."""
        try:
            return bool(psutil.Process(int((self.folder / name).read_text())).status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_output_is_parsed_streamed_and_logged(stage: Stage) -> None:
    agent_result = stage.run(outputs("Working.\n"), outputs_error("a warning\n"), outputs(f"Done. {PROMISE}\n"))
    assert (agent_result.promise, agent_result.exit_code, agent_result.signal, agent_result.ended_by) == (
        True,
        0,
        None,
        "exit",
    )
    assert agent_result.succeeded
    assert agent_result.final_text == f"Working.\nDone. {PROMISE}"
    assert "".join(stage.shown).strip() == agent_result.final_text
    assert sorted(stage.log_path.read_text().splitlines()) == sorted(["Working.", "a warning", f"Done. {PROMISE}"])
    assert (agent_result.output_bytes, agent_result.output_truncated) == (stage.log_path.stat().st_size, False)


def test_prompt_of_any_size_reaches_the_agent_on_stdin(stage: Stage) -> None:
    prompt = "größe 漢字\n" * 100_000
    assert stage.run(outputs("ok"), prompt=prompt).exit_code == 0
    assert stage.agent.prompt(1) == prompt
    noted = stage.agent.recorded(1)
    assert max(len(argument) for argument in noted["argv"] or [""]) < 1000
    assert not noted["isStdinTerminal"]


def test_agent_that_never_reads_its_prompt_does_not_block(stage: Stage) -> None:
    agent_result = stage.run(NEVER, outputs(PROMISE), prompt="x" * 1_000_000)
    assert (agent_result.exit_code, agent_result.promise) == (0, True)


def test_agent_that_closes_stdin_and_continues_is_read_to_the_end(stage: Stage) -> None:
    agent_result = stage.run(NEVER, {"close": 0}, waits(0.1), outputs(PROMISE), prompt="x" * 1_000_000)
    assert (agent_result.exit_code, agent_result.promise) == (0, True)


def test_promise_on_stderr_does_not_count(stage: Stage) -> None:
    assert not stage.run(outputs_error(PROMISE)).promise


def test_echo_of_our_own_prompt_does_not_count(stage: Stage) -> None:
    prompt = (
        f"You work in a loop. When all of it is done and verified, say exactly {PROMISE} and nothing else.\nFix it."
    )
    assert not stage.run(echoes(), outputs("I could not finish."), prompt=prompt).promise
    assert stage.run(echoes(), outputs(f"All tests pass.\n{PROMISE}"), prompt=prompt).promise


def test_failed_run_has_promise_exit_code_and_error(stage: Stage) -> None:
    agent_result = stage.run(outputs(PROMISE), outputs_error("warming up\nError: no network\n"), exits(7))
    assert (agent_result.promise, agent_result.exit_code, agent_result.succeeded) == (True, 7, False)
    assert agent_result.error == "Error: no network"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals there")
def test_signal_that_ended_the_agent_is_reported(stage: Stage) -> None:
    agent_result = stage.run(kills_itself("SIGSEGV"))
    assert (agent_result.exit_code, agent_result.signal, agent_result.ended_by, agent_result.succeeded) == (
        None,
        "SIGSEGV",
        "exit",
        False,
    )


def test_idle_timeout_ends_the_agent_and_its_children(stage: Stage) -> None:
    agent_result = stage.run(
        leaves_grandchild(LONG, stage.pid_file("child")),
        outputs("hm"),
        waits(LONG),
        time_limits=TimeLimits(idle_ms=IDLE_MS, grace_ms=2_000),
    )
    assert agent_result.ended_by == "idle"
    assert agent_result.final_text == "hm"
    assert not agent_result.succeeded
    assert IDLE_MS <= agent_result.duration_ms < LONG * 1_000
    assert not stage.is_running("child")


def test_output_on_either_stream_resets_the_idle_timeout(stage: Stage) -> None:
    busy = [step for _ in range(5) for step in (waits(IDLE_MS / 4_000), outputs_error("."))]
    agent_result = stage.run(*busy, time_limits=TimeLimits(idle_ms=IDLE_MS))
    assert agent_result.ended_by == "exit"
    assert agent_result.duration_ms > IDLE_MS


def test_wall_limit_ends_an_agent_that_still_prints(stage: Stage) -> None:
    busy = [step for _ in range(600) for step in (waits(0.1), outputs("."))]
    agent_result = stage.run(*busy, time_limits=TimeLimits(idle_ms=5_000, wall_ms=800, grace_ms=500))
    assert agent_result.ended_by == "wall"
    assert agent_result.duration_ms < LONG * 1_000


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals there")
def test_agent_that_ignores_sigterm_is_killed(stage: Stage) -> None:
    agent_result = stage.run(ignores("SIGTERM"), outputs("no"), waits(LONG), show=stage.stop_at_a_word)
    assert (agent_result.ended_by, agent_result.signal) == ("stopped", "SIGKILL")
    assert agent_result.duration_ms < LONG * 1_000


@pytest.mark.parametrize(
    "how", [{}, {"detached": True}, {"detached": True, "deaf": True}, {"orphan": True, "deaf": True}]
)
def test_grandchildren_outside_the_group_or_orphaned_are_ended_with_it(stage: Stage, how: dict[str, bool]) -> None:
    agent_result = stage.run(
        leaves_grandchild(LONG, stage.pid_file("child"), **how), outputs("hm"), waits(LONG), show=stage.stop_at_a_word
    )
    assert agent_result.ended_by == "stopped"
    assert not stage.is_running("child")


def test_grandchild_in_the_group_that_holds_a_pipe_ends_with_the_agent(stage: Stage) -> None:
    agent_result = stage.run(leaves_grandchild(LONG, stage.pid_file("child")), outputs(PROMISE))
    assert (agent_result.exit_code, agent_result.promise, agent_result.ended_by) == (0, True, "exit")
    assert agent_result.duration_ms < LONG * 1_000
    assert not stage.is_running("child")


def test_daemon_that_holds_a_pipe_does_not_block_and_survives(stage: Stage) -> None:
    agent_result = stage.run(leaves_grandchild(LONG, stage.pid_file("child"), orphan=True), outputs(PROMISE))
    assert (agent_result.exit_code, agent_result.promise) == (0, True)
    assert agent_result.duration_ms < LONG * 1_000
    assert stage.is_running("child")
    psutil.Process(int(Path(stage.pid_file("child")).read_text(encoding="utf-8"))).kill()


def test_stop_request_ends_the_run_immediately(stage: Stage) -> None:
    agent_result = stage.run(outputs("hm"), waits(LONG), show=stage.stop_at_a_word)
    assert agent_result.ended_by == "stopped"
    assert agent_result.duration_ms < LONG * 1_000


def test_agent_that_lingers_after_its_result_is_ended_after_the_grace(stage: Stage) -> None:
    agent_result = stage.run(claude_text(PROMISE), claude_result(PROMISE), waits(LONG), harness="claude")
    assert (agent_result.ended_by, agent_result.promise, agent_result.succeeded) == ("result", True, True)
    assert agent_result.duration_ms < LONG * 1_000


def test_claude_stream_is_decoded(stage: Stage) -> None:
    agent_result = stage.run(
        event(type="system", subtype="init", session_id="session-1"),
        claude_text(f"I will say {PROMISE} in the end."),
        claude_tool_use("Bash", command="make test"),
        event(type="user", message={"content": [{"type": "tool_result", "content": PROMISE}]}),
        claude_text("Not yet done."),
        claude_result("Not yet done.", cost=0.5, tokens=(1200, 34)),
        harness="claude",
    )
    assert not agent_result.promise
    assert agent_result.final_text == "Not yet done."
    assert (agent_result.input_tokens, agent_result.output_tokens, agent_result.cost_usd) == (1200, 34, 0.5)
    assert agent_result.session_id == "session-1"
    assert "· Bash make test\n" in stage.shown


def test_promise_escaped_in_json_and_cut_anywhere_is_detected(stage: Stage) -> None:
    text = b"\\u003cpromise>\\n COMPLETE \\n<\\/promise>"
    line = b'{"type":"assistant","message":{"content":[{"type":"text","text":"' + text + b'"}]}}\n'
    pieces = [outputs_bytes(line[start : start + 7]) for start in range(0, len(line), 7)]
    assert stage.run(*pieces, harness="claude").promise


def test_codex_events_are_decoded(stage: Stage) -> None:
    agent_result = stage.run(
        event(type="thread.started", thread_id="thread-1"),
        codex_text(PROMISE),
        event(type="item.completed", item={"type": "command_execution", "command": "ls", "aggregated_output": PROMISE}),
        codex_text(f"Done.\n{PROMISE}"),
        codex_done((700, 20)),
        harness="codex",
    )
    assert (agent_result.promise, agent_result.final_text, agent_result.session_id) == (
        True,
        f"Done.\n{PROMISE}",
        "thread-1",
    )
    assert (agent_result.input_tokens, agent_result.output_tokens, agent_result.cost_usd) == (700, 20, None)


def test_harness_without_events_is_read_as_plain_text(stage: Stage) -> None:
    agent_result = stage.run(outputs(f"plain words\n{PROMISE}"), harness="claude")
    assert (agent_result.promise, agent_result.final_text) == (True, f"plain words\n{PROMISE}")


def test_error_reported_by_the_agent_fails_the_run_whatever_its_exit_code(stage: Stage) -> None:
    agent_result = stage.run(
        claude_text(PROMISE), claude_result("Credit balance is too low", is_error=True), harness="claude"
    )
    assert (agent_result.exit_code, agent_result.error, agent_result.succeeded) == (
        0,
        "Credit balance is too low",
        False,
    )


def test_usage_limit_is_returned_with_its_reset_time(stage: Stage) -> None:
    agent_result = stage.run(
        claude_result("Claude AI usage limit reached|1760000400", is_error=True), exits(1), harness="claude"
    )
    assert agent_result.usage_limit is not None
    assert agent_result.usage_limit.resets_at_ms == 1_760_000_400_000
    assert not agent_result.succeeded


def test_hundred_megabytes_of_invalid_utf8_in_one_line_are_searched_and_partly_logged(stage: Stage) -> None:
    before = psutil.Process().memory_info().rss
    highest = [before]
    agent_result = stage.run(
        outputs("first"),
        floods(100, b"a\xff<promise"),
        outputs(PROMISE),
        show=lambda _: highest.append(psutil.Process().memory_info().rss),
    )
    assert (agent_result.promise, agent_result.exit_code) == (True, 0)
    assert agent_result.output_bytes == 100 * 1024 * 1024 + len("first" + PROMISE)
    assert agent_result.output_truncated
    assert HEAD_BYTES + TAIL_BYTES <= stage.log_path.stat().st_size <= HEAD_BYTES + 2 * TAIL_BYTES
    logged = stage.log_path.read_bytes()
    assert (logged[:5], logged[-len(PROMISE) :].decode()) == (b"first", PROMISE)
    assert max(highest) - before < 24 * 1024 * 1024
    assert agent_result.duration_ms < 60_000


def test_hundred_megabytes_in_one_json_line_use_constant_memory(stage: Stage) -> None:
    before = psutil.Process().memory_info().rss
    agent_result = stage.run(
        outputs('{"type":"user","message":"'),
        floods(100),
        outputs('"}\n'),
        claude_result(PROMISE),
        harness="claude",
        show=lambda _: None,
    )
    assert (agent_result.promise, agent_result.exit_code) == (True, 0)
    assert psutil.Process().memory_info().rss - before < 24 * 1024 * 1024


def test_unwritable_output_file_does_not_stop_the_run(stage: Stage) -> None:
    stage.log_path = stage.folder / "nowhere" / "output"
    agent_result = stage.run(outputs(PROMISE))
    assert (agent_result.promise, agent_result.output_truncated) == (True, True)


def test_missing_agent_is_one_clear_sentence(stage: Stage) -> None:
    with pytest.raises(AgentUnavailable, match=r"^The agent claude is not installed\.$") as raised:
        _start(stage.folder, "claude", {"PATH": str(stage.folder)})
    assert raised.value.hint is not None


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such permission")
def test_agent_that_is_not_executable_is_one_clear_sentence(stage: Stage) -> None:
    (stage.folder / "claude").write_text("#!/bin/sh\n")
    with pytest.raises(AgentUnavailable, match=r"^The agent claude is not executable\.$"):
        _start(stage.folder, "claude", {"PATH": str(stage.folder)})


@pytest.mark.skipif(sys.platform == "win32", reason="programs are told by their names there")
def test_agent_that_is_not_a_program_is_one_clear_sentence(stage: Stage) -> None:
    (stage.folder / "claude").write_text("neither a script nor a binary")
    (stage.folder / "claude").chmod(0o755)
    with pytest.raises(AgentUnavailable, match="cannot be started"):
        _start(stage.folder, "claude", {"PATH": str(stage.folder)})


def test_missing_working_folder_is_reported(stage: Stage) -> None:
    with pytest.raises(WorkspaceUnavailable):
        _start(stage.folder / "gone", "claude", {"PATH": str(stage.agent.install_as("claude"))})


@pytest.mark.skipif(sys.platform == "win32", reason="the pipes have no inodes there")
def test_no_process_or_open_pipe_remains(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    pipes = OwnPipes(monkeypatch)
    for _ in range(5):
        stage.run(outputs(PROMISE), outputs_error("x"))
    _until(lambda: not pipes.still_open())
    assert len(pipes.inodes) >= 5 * 3
    assert not pipes.still_open()
    assert _children(stage, runs=5) == []


def test_a_check_is_read_by_the_shell_as_the_user_typed_it(tmp_path: Path) -> None:
    python = f'"{sys.executable}" -S -E -c'
    commands = {
        f'{python} "print(5 & 4)" && {python} "print(\'100%2F\')"': (0, ["4", "100%2F"]),
        f"{python} \"import sys; sys.stderr.write('failed'); sys.exit(3)\"": (3, ["failed"]),
        "exit 5": (5, []),
    }
    for command, expected in commands.items():
        (checked,) = verify(
            [command],
            tmp_path,
            os.environ,
            TimeLimits(),
            stop=threading.Event(),
            no_grace=threading.Event(),
            clock=SystemClock(),
            log_path=tmp_path / "check",
        )
        assert (checked.exit_code, checked.output.split()) == expected


def test_on_windows_the_command_prompt_gets_a_check_without_more_quotes() -> None:
    assert shell_command('a "b c" && d', is_windows=True) == ("cmd", "/d", "/s", "/c", '"a "b c" && d"')


def test_failing_stream_callback_leaves_no_agent_running(stage: Stage) -> None:
    def broken(_: str) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        stage.run(
            outputs("hm"), leaves_grandchild(LONG, stage.pid_file("child")), outputs("more"), waits(LONG), show=broken
        )
    assert [child for child in _children(stage, runs=1) if child.status() != psutil.STATUS_ZOMBIE] == []


def _children(stage: Stage, runs: int) -> list[psutil.Process]:
    """Return the agents among this process's children: running, or not waited for."""
    agents = {stage.agent.recorded(number)["pid"] for number in range(1, runs + 1)}
    assert len(agents) == stage.agent.runs == runs
    return [child for child in psutil.Process().children() if child.pid in agents]


def _start(cwd: Path, harness: str, environment: dict[str, str]) -> None:
    run_agent(
        agent_command(AgentOptions(harness), "hello", cwd, environment, prompt_file=cwd / "prompt.md"),
        promise="COMPLETE",
        prompt="hello",
        time_limits=TimeLimits(),
        stop=threading.Event(),
        clock=SystemClock(),
        log_path=cwd / "output",
        stream=None,
    )


def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
