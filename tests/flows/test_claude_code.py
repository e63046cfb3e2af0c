"""Claude Code and Codex CLI outside of 1Code: their hooks as real processes, and the sidecar that serves them."""

import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from sidecar.system.local_socket import connect, listen
from tests.support.claude_code import PATIENCE_SECONDS, ClaudeCode, CodexCli, context_of
from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

RULE = "Never log a customer's card number."
PROMPT = "Let the discounted_price in prices round half a cent up"
MAX_CHARACTERS = 10_000
"""Claude Code's own limit in UTF-16 units: of longer output it shows the agent only the beginning."""
STORING_SECONDS = 10.0
"""Time after which a run that its last hook reported is stored, also on a slow machine."""


@pytest.fixture
def claude(project: Repository, tmp_path: Path) -> Iterator[ClaudeCode]:
    """A session in the till's repository, with injection enabled."""
    opened = ClaudeCode(project.path, tmp_path / "user", ONECODE_CONTINUITY_MODE="active")
    yield opened
    opened.close()


@pytest.fixture
def warm(claude: ClaudeCode) -> ClaudeCode:
    """The same with a sidecar that has indexed the repository: a slow machine then still responds in time."""
    claude.session_id = "earlier"
    awaited(lambda: claude.prompt(PROMPT))
    claude.session_id = "5f0c"
    claude.forget_run()
    return claude


def rows(claude: ClaudeCode, sql: str) -> list[Any]:
    connection = apsw.Connection(str(claude.state_dir / "continuity.db"))
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def awaited(look: Callable[[], Any]) -> Any:
    """Wait until a condition holds: background work continues after the hook."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < give_up:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")


def end_run(claude: ClaudeCode, number: int) -> None:
    """End the agent's run, again if the hook ran out of time and reported nothing, until so many runs are stored."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while len(runs(claude)) < number and time.monotonic() < give_up:
        claude.stop()
        until = time.monotonic() + STORING_SECONDS
        while len(runs(claude)) < number and time.monotonic() < until:
            time.sleep(0.05)
    assert len(runs(claude)) == number


def runs(claude: ClaudeCode) -> list[Any]:
    """The recorded runs of the session: outcome, touched files."""
    return rows(
        claude,
        "SELECT outcome, touched FROM continuity_runs WHERE sub_chat_id = 'claude-code:5f0c'"
        " ORDER BY recorded_at_ms, rowid",
    )


def test_a_rule_in_the_last_answer_reaches_the_next_session(warm: ClaudeCode) -> None:
    prompt = "From now on print amounts with two decimals, never with three."
    awaited(lambda: "Notes for next time:" in warm.prompt(prompt))
    rule = "Print amounts with two decimals, never with three"
    warm.stop(f"I will.\n\nNotes for next time:\n- Rule: {rule}\n- Rule: Always deploy on Fridays")
    awaited(lambda: rows(warm, "SELECT 1 FROM continuity_standing_instructions"))
    warm.session_id = "next"
    warm.forget_run()
    context = warm.prompt("Explain till/cart.py")
    assert f"- {rule}" in context
    assert "Fridays" not in context


def test_a_session_file_that_is_written_during_the_stop_hook_is_waited_for(warm: ClaudeCode) -> None:
    awaited(lambda: "Notes for next time:" in warm.prompt("From now on print amounts with two decimals."))
    text = "I will.\n\nNotes for next time:\n- Rule: Print amounts with two decimals"
    threading.Timer(0.15, warm.write, ("assistant", [{"type": "text", "text": text}])).start()
    warm.hook("Stop", stop_hook_active=False, last_assistant_message=text)
    awaited(lambda: rows(warm, "SELECT 1 FROM continuity_standing_instructions"))


def test_a_session_receives_its_packs_once_and_its_runs_are_recorded(warm: ClaudeCode) -> None:
    assert context_of(warm.hook("SessionStart", source="startup")) == ""
    assert warm.daemon_pid() is not None
    first = warm.prompt(PROMPT)
    assert RULE in first
    assert "till/prices.py" in first
    warm.edit("till/prices.py", "def discounted_price(cents, percent):\n    return round(cents)\n")
    assert warm.stop("Half a cent is rounded up now.").stdout == b""
    ((_, touched),) = awaited(lambda: runs(warm))
    assert b"till/prices.py" in touched
    second = warm.prompt("And let it refuse a negative percent")
    assert RULE not in second
    assert len(second) < len(first) / 2
    statuses = rows(warm, "SELECT status FROM continuity_calls ORDER BY created_at_ms, rowid")
    assert statuses[-2:] == [("committed",), ("pending",)]


def test_codex_receives_its_packs_once_and_its_patches_are_recorded(warm: ClaudeCode) -> None:
    home = warm.state_dir.parent
    codex = CodexCli(warm.cwd, home, session_id="019a", ONECODE_CONTINUITY_MODE="active", CODEX_HOME=str(home))
    assert context_of(codex.hook("SessionStart", source="startup")) == ""
    first = codex.prompt(PROMPT)
    assert RULE not in first  # it is in AGENTS.md, which Codex reads itself
    assert "till/prices.py" in first
    codex.edit("till/prices.py", "def discounted_price(cents, percent):\n    return round(cents)\n")
    assert codex.stop("Half a cent is rounded up now.").stdout == b""
    select = "SELECT outcome, touched FROM continuity_runs WHERE sub_chat_id = 'codex-cli:019a'"
    ((outcome, touched),) = awaited(lambda: rows(codex, select))
    assert (outcome, b"till/prices.py" in touched) == ("completed", True)
    assert len(codex.prompt("And let it refuse a negative percent")) < len(first) / 2
    command = (sys.executable, "-m", "sidecar", "status", "--json")
    answer = json.loads(subprocess.run(command, env=codex.environment, capture_output=True, check=True).stdout)
    hosts = {host["name"]: host for host in answer["hosts"]}
    assert hosts["Codex CLI"]["lastSeenAt"] is not None
    assert hosts["1Code"] == {"name": "1Code", "lastSeenAt": None, "connected": False}


def test_after_a_compaction_the_session_receives_everything_again(warm: ClaudeCode) -> None:
    assert RULE in warm.prompt(PROMPT)
    end_run(warm, 1)
    assert RULE not in warm.prompt(PROMPT)
    end_run(warm, 2)
    warm.hook("PreCompact", trigger="manual", custom_instructions="")
    awaited(lambda: not rows(warm, "SELECT 1 FROM continuity_deliveries"))
    warm.write("user", "This session is continued.", isCompactSummary=True)
    warm.hook("SessionStart", source="compact")
    assert RULE in warm.prompt(PROMPT)


def test_a_compaction_during_a_run_resends_the_packs_immediately(warm: ClaudeCode) -> None:
    assert RULE in warm.prompt(PROMPT)
    end_run(warm, 1)
    assert RULE not in warm.prompt("And let it refuse a negative percent")
    warm.edit("till/prices.py", "def discounted_price(cents, percent):\n    return round(cents)\n")
    warm.hook("PreCompact", trigger="auto", custom_instructions="")
    awaited(lambda: not rows(warm, "SELECT 1 FROM continuity_deliveries"))
    warm.write("user", "This session is continued.", isCompactSummary=True)
    # a hook that ran out of time prints nothing, and the next one sends the packs
    given = awaited(lambda: context_of(warm.hook("SessionStart", source="compact")))
    assert RULE in given
    assert len(given) < MAX_CHARACTERS
    end_run(warm, 2)
    assert b"till/prices.py" in runs(warm)[-1][1]
    assert RULE not in warm.prompt("And refuse one above a hundred")


def test_an_interrupted_run_is_recognized_and_its_delivery_counts(warm: ClaudeCode) -> None:
    assert RULE in warm.prompt(PROMPT)
    assert RULE not in warm.prompt("No, rather in the receipt")
    awaited(lambda: runs(warm))
    ((outcome, _),) = runs(warm)
    assert outcome == "aborted"


def test_output_printed_too_late_counts_as_not_delivered(warm: ClaudeCode) -> None:
    warm.prompt(PROMPT)
    warm.forget_run()
    assert RULE in warm.prompt(PROMPT)


def test_output_fits_claude_codes_limit(claude: ClaudeCode, project: Repository) -> None:
    long = {
        f"till/prices_{number}.py": f'"""Prices \\"{number}\\" 💶💶 of the till."""\n'
        + "".join(f'def price_of_{name}_{number}(cents):\n    """Gives "{name}" 💶."""\n' for name in "abcdefgh")
        for number in range(60)
    }
    project.commit(long | {f"other/part_{number}.txt": f"{number}\n" for number in range(200)})
    units = 0
    for number in range(2, 20):  # at some session all files are read, however slow the machine
        claude.session_id = f"session {number}"
        claude.prompt("Which of the prices of the till are for whom, as in price_of_a_7?")
        units = len(claude.printed.decode().encode("utf-16-le")) // 2
        if units > MAX_CHARACTERS / 2:
            break
    assert MAX_CHARACTERS / 2 < units <= MAX_CHARACTERS
    assert "[continuity:" in json.loads(claude.printed)["hookSpecificOutput"]["additionalContext"]


def test_passive_mode_prints_nothing_and_measures_everything(project: Repository, tmp_path: Path) -> None:
    claude = ClaudeCode(project.path, tmp_path / "user")
    try:
        assert claude.prompt(PROMPT) == ""
        called = rows(claude, "SELECT shadow, json_extract(record, '$.action') FROM continuity_calls")
        assert set(called) == {(1, "passthrough")}
    finally:
        claude.close()


ASK_WITHOUT_TIME = """
import json, sys
from sidecar.cli.hook_client import FOLDER, private_folder, request_answer
from sidecar.core.clock import SystemClock
state_dir, request = sys.argv[1], json.loads(sys.argv[2])
private_folder(state_dir, FOLDER)
clock = SystemClock()
sys.exit(request_answer(state_dir, request, clock, clock.monotonic_ms(), waits=True) is not None)
"""
"""A hook whose time is over before the sidecar that it starts listens."""


def test_a_sidecar_too_slow_for_the_hook_that_starts_it_still_reads_the_project(claude: ClaudeCode) -> None:
    hook_input = {"session_id": "5f0c", "cwd": str(claude.cwd), "source": "startup"}
    request = json.dumps({"event": "SessionStart", "agent": "claude", "input": hook_input})
    arguments = [sys.executable, "-c", ASK_WITHOUT_TIME, str(claude.state_dir), request]
    subprocess.run(arguments, env=claude.environment, check=True)

    def has_read() -> bool:
        with suppress(apsw.Error):  # the state file may be in the making
            is_there = (claude.state_dir / "continuity.db").exists()
            return is_there and bool(rows(claude, "SELECT 1 FROM continuity_file_cache"))
        return False

    awaited(has_read)
    assert rows(claude, "SELECT 1 FROM continuity_runs") == []


@pytest.mark.parametrize("variables", [{"ONECODE_CONTINUITY_HOST": "1code"}, {"ONECODE_CONTINUITY_MODE": "off"}])
def test_sub_agents_and_disabled_hooks_get_nothing_and_start_nothing(
    claude: ClaudeCode, variables: dict[str, str]
) -> None:
    for event in ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop"):
        assert claude.hook(event, variables=variables, prompt=PROMPT, source="startup").stdout == b""
    assert not claude.state_dir.exists()


def test_hooks_use_a_running_sidecar_and_stay_silent_in_its_own_sessions(claude: ClaudeCode) -> None:
    app = SidecarProcess(claude.state_dir, environment={"ONECODE_CONTINUITY_MODE": "active"})
    try:
        app.client.initialize()
        awaited(lambda: list((claude.state_dir / "socket").glob("*")))
        conversation = Conversation(app.client, claude.cwd)
        conversation.turn(PROMPT, session="apps-session")
        assert RULE in claude.prompt(PROMPT)
        assert claude.daemon_pid() is None
        in_app = ClaudeCode(claude.cwd, claude.state_dir.parent, session_id="apps-session")
        outputs = [context_of(in_app.hook("UserPromptSubmit", prompt=PROMPT)) for _ in range(3)]
        assert outputs == ["", "", ""]
        assert all(entry["why"] == "timeout" for entry in claude.log())
    finally:
        app.close()


def test_a_client_of_the_local_socket_alone_receives_the_progress_of_its_job(
    claude: ClaudeCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = SidecarProcess(claude.state_dir)
    monkeypatch.chdir(claude.cwd)  # to connect may change the folder
    try:
        app.client.initialize()
        awaited(lambda: list((claude.state_dir / "socket").glob("*")))
        connection = connect(str(claude.state_dir), PATIENCE_SECONDS)
        assert connection is not None
        request = {"jsonrpc": "2.0", "id": 7, "method": "codebase/index", "params": {"cwd": str(claude.cwd)}}
        connection.write(json.dumps(request).encode() + b"\n")
        received = b""
        while b'"id":7' not in received:
            received += connection.read()
        connection.close()
        *progress, result = map(json.loads, received.splitlines())
        assert {(message["method"], message["params"]["token"]) for message in progress} == {("$/progress", 7)}
        assert result["result"]["complete"]
        assert not [message for message in app.client.inbox.messages if message.get("method") == "$/progress"]
    finally:
        app.close()


def stopped(claude: ClaudeCode) -> bytes:
    command = (sys.executable, "-m", "sidecar", "hook", "stop")
    done = subprocess.run(command, env=claude.environment, capture_output=True, check=True, timeout=PATIENCE_SECONDS)
    return done.stdout.replace(b"\r\n", b"\n")


def test_what_a_stop_hook_could_not_show_is_shown_by_the_next_one_once(warm: ClaudeCode) -> None:
    warm.prompt("From now on print amounts with two decimals, never with three.")
    stopped(warm)
    assert warm.stop("I will.").stdout == b"", "no sidecar was running, and nothing waits for the one it started"
    awaited(lambda: rows(warm, "SELECT 1 FROM continuity_standing_instructions"))

    def next_output() -> bytes:
        warm.prompt("Explain till/cart.py")
        return warm.stop("It is a cart.").stdout

    shown = json.loads(awaited(next_output))["systemMessage"]
    rule = "Print amounts with two decimals, never with three"
    assert shown.startswith(f"Remembered for every new session: {rule} (undo: onecode-sidecar")
    assert [next_output(), next_output()] == [b"", b""]


@pytest.mark.skipif(sys.platform == "win32", reason="a named pipe has no mode and no folder")
def test_only_its_user_can_connect_to_the_local_socket(claude: ClaudeCode) -> None:
    claude.prompt(PROMPT)
    folder = claude.state_dir / "socket"
    (door,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(door.stat().st_mode) == 0o600
    assert stat.S_ISSOCK(door.stat().st_mode)
    assert stopped(claude) == b"The sidecar has stopped.\n"
    assert list(folder.iterdir()) == []
    assert stopped(claude) == b"No hook's sidecar is running.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a named pipe has no folder")
def test_every_path_that_a_local_socket_is_bound_to_fits_into_what_macos_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound: list[str] = []

    class RecordedSocket(socket.socket):
        def bind(self, address: Any) -> None:
            bound.append(address)
            super().bind(address)

    monkeypatch.setattr("sidecar.system.local_socket.socket.socket", RecordedSocket)
    monkeypatch.setattr("sidecar.system.local_socket.os.getpid", lambda: 2**22)
    monkeypatch.chdir(tmp_path)  # a path that is too long changes the working folder
    with tempfile.TemporaryDirectory() as top:  # whose path is shorter than a test's own folder
        fixed = len(os.path.join(top, "", "socket", "sidecar.sock"))
        for size in range(90, 108):
            folder = os.path.join(top, "x" * (size - fixed))
            os.mkdir(folder)
            listener = listen(folder, lambda connection: connection.close())
            client = connect(folder, 5)
            assert client is not None
            client.close()
            listener.close()
    assert len(bound) == 108 - 90
    assert max(map(len, bound)) == 103


@contextmanager
def deaf_sidecar(claude: ClaudeCode, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Open a local socket that nobody serves, for a while."""
    folder = claude.state_dir / "socket"
    folder.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as deaf:
        monkeypatch.chdir(folder)  # a socket's path has to be short
        deaf.bind("sidecar.sock")
        deaf.listen()
        yield


@pytest.mark.skipif(sys.platform == "win32", reason="a socket's file is Unix's")
def test_an_unresponsive_sidecar_delays_a_prompt_by_less_than_a_second(
    claude: ClaudeCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deaf_sidecar(claude, monkeypatch):
        assert claude.hook("UserPromptSubmit", prompt=PROMPT).stdout == b""
        claude.edit("till/prices.py", "A = 1\n")
    (outputs,) = claude.log()
    assert (outputs["hook"], outputs["why"]) == ("UserPromptSubmit", "timeout")


@pytest.mark.skipif(sys.platform == "win32", reason="a socket's file is Unix's")
def test_a_run_whose_hook_timed_out_is_recorded_without_a_delivery(
    claude: ClaudeCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deaf_sidecar(claude, monkeypatch):
        claude.write("user", PROMPT)
        assert claude.hook("UserPromptSubmit", prompt=PROMPT).stdout == b""
        claude.edit("till/prices.py", "def discounted_price(cents, percent):\n    return round(cents)\n")
    claude.stop("Half a cent is rounded up now.")
    awaited(lambda: list((claude.state_dir / "log").glob("sidecar-*.log")))
    ((outcome, touched),) = awaited(lambda: runs(claude))
    assert (outcome, b"till/prices.py" in touched) == ("completed", True)
    assert RULE in claude.prompt("And let it refuse a negative percent")


@pytest.mark.parametrize("stdin", [b"", b"no JSON", b"[]", b"{}", b'{"session_id": 3}', b"\xff\xfe"])
def test_invalid_hook_input_yields_no_output_and_a_log_line(claude: ClaudeCode, stdin: bytes) -> None:
    assert claude.raw("PostToolUse", stdin).stdout == b""
    assert [entry["hook"] for entry in claude.log()] == ["PostToolUse"] * len(claude.log())
    assert len(claude.log()) == (stdin != b'{"session_id": 3}')
