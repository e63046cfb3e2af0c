"""A sidecar ends within the host's two seconds, however it has to end, and stores what it acknowledged."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.app import DRAIN_MS
from sidecar.cli import serve
from tests.support.client import Client
from tests.support.depth import sample
from tests.support.process import END_SECONDS, ROOT, SERVE, SERVE_WITH_ROWS, SidecarProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups of POSIX")

_LONGER = "from sidecar.cli import serve; serve.DRAIN_MS = 30_000; serve.END_SECONDS = serve.HANGUP_SECONDS = 30"
PATIENT = (sys.executable, "-c", f"{_LONGER}; from sidecar.__main__ import main; main()", "serve")
"""Command of a sidecar whose requests can be answered longer than the host allows: a busy machine loads slowly."""

_ENDLESS = "import threading; from sidecar.app import App; App.close = lambda *_: threading.Event().wait()"
HANGING = (sys.executable, "-c", f"{_ENDLESS}; from sidecar.__main__ import main; main()", "serve")
"""Command of a sidecar that waits forever when it should end."""

BUSY = {
    "idle": None,
    "a worker asleep": "test/sleep",
    "a workspace asleep": "test/sleepThere",
    "a job asleep": "test/sleepJob",
    "a worker computing": "test/spin",
    "a job computing": "test/spinJob",
}


@pytest.fixture
def process(start_process: Callable[..., SidecarProcess]) -> SidecarProcess:
    process = start_process(command=SERVE_WITH_ROWS)
    process.client.initialize()
    return process


@pytest.fixture
def other_process() -> Iterator[subprocess.Popen[bytes]]:
    """A process in the role of the client, for `processId`."""
    with subprocess.Popen(["sleep", "600"]) as child:
        yield child
        child.kill()


def keep_busy(client: Client, with_what: str) -> None:
    method = BUSY[with_what]
    if method is not None:
        client.start(method, {"seconds": 60.0})
        client.request("settings/get", {})  # answered by another worker, while the first one is busy


def acknowledge_something(client: Client) -> None:
    client.request("settings/update", {"settings": {"tokenMode": "debug"}})


def assert_stored(start_process: Callable[..., SidecarProcess]) -> None:
    client = start_process().client
    assert client.initialize()["state"]["warnings"] == []
    settings = {setting["name"]: setting["value"] for setting in client.request("settings/get", {})["settings"]}
    assert settings["tokenMode"] == "debug"


def end_of_stdin(process: SidecarProcess) -> None:
    process.close_stdin()


def terminate(process: SidecarProcess) -> None:
    process.signal(signal.SIGTERM)


def interrupt(process: SidecarProcess) -> None:
    process.signal(signal.SIGINT)


def request_exit(process: SidecarProcess) -> None:
    process.client.request("shutdown")
    process.client.notify("exit")


def test_what_limits_an_end_adds_up_to_the_hosts_two_seconds() -> None:
    assert DRAIN_MS / 1_000 < serve.END_SECONDS
    assert serve.HANGUP_SECONDS + serve.END_SECONDS <= 2


ENDS = [
    *((end, busy) for end in (end_of_stdin, terminate, request_exit) for busy in ("idle", "a job computing")),
    *((end_of_stdin, busy) for busy in BUSY if busy not in {"idle", "a job computing"}),
    (interrupt, "a worker computing"),
    (terminate, "a worker asleep"),
]


@pytest.mark.parametrize(("end", "busy"), sample(ENDS, 6))
def test_process_ends_in_time_with_status_0_and_acknowledged_runs_stay_stored(
    process: SidecarProcess,
    start_process: Callable[..., SidecarProcess],
    end: Callable[[SidecarProcess], None],
    busy: str,
) -> None:
    acknowledge_something(process.client)
    keep_busy(process.client, busy)
    end(process)
    assert process.wait() == 0
    assert_stored(start_process)


@pytest.mark.parametrize("end", [end_of_stdin, terminate, request_exit])
def test_an_end_that_hangs_is_cut_short(
    start_process: Callable[..., SidecarProcess], end: Callable[[SidecarProcess], None]
) -> None:
    process = start_process(command=HANGING)
    process.client.initialize()
    end(process)
    assert process.wait() == 0


def test_exit_without_shutdown_ends_with_status_1(process: SidecarProcess) -> None:
    process.client.notify("exit")
    assert process.wait() == 1


def test_process_ends_before_any_handshake(start_process: Callable[..., SidecarProcess]) -> None:
    process = start_process(cold=True)
    process.close_stdin()
    assert process.wait() == 0


@pytest.mark.parametrize("busy", ["a worker asleep", "a job computing"])
def test_process_ends_with_a_killed_client_although_the_pipe_stays_open(
    start_process: Callable[..., SidecarProcess], other_process: subprocess.Popen[bytes], busy: str
) -> None:
    process = start_process(command=SERVE_WITH_ROWS)
    process.client.initialize(processId=other_process.pid)
    acknowledge_something(process.client)
    keep_busy(process.client, busy)
    other_process.kill()  # nobody waits for it: it stays a zombie
    assert process.wait() == 0
    assert other_process.poll() is not None
    assert_stored(start_process)


def test_process_ends_if_the_client_has_already_exited(
    start_process: Callable[..., SidecarProcess], other_process: subprocess.Popen[bytes]
) -> None:
    other_process.kill()
    other_process.wait()
    process = start_process()
    process.client.request("initialize", {**process.client.handshake(), "processId": other_process.pid})
    assert process.wait() == 0


def test_process_ends_with_a_killed_parent_whose_pipe_another_process_holds(state_dir: Path) -> None:
    """A launcher starts the sidecar, does the handshake in its own name and is killed; a third process holds both
    pipes.
    """
    launcher = (
        "import os, subprocess, sys, time;"
        'said = b\'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,'
        '"clientInfo":{"name":"t","version":"1"},"processId":%d,"stateDir":"%s"}}\' '
        f"% (os.getpid(), {os.fsencode(state_dir)!r});"
        "child = subprocess.Popen([sys.executable, '-m', 'sidecar', 'serve'], stdin=subprocess.PIPE,"
        " stdout=subprocess.PIPE, stderr=subprocess.DEVNULL);"
        "bystander = subprocess.Popen(['sleep', '60'], stdin=child.stdout, stdout=child.stdin);"
        "child.stdin.write(said + b'\\n'); child.stdin.flush(); child.stdout.readline();"
        "print(child.pid, bystander.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", launcher], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as parent:
        assert parent.stdout is not None
        sidecar_pid, bystander_pid = map(int, parent.stdout.readline().split())
        parent.kill()
        parent.wait()
        try:
            assert_ended(sidecar_pid)
        finally:
            for pid in (bystander_pid, sidecar_pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def assert_ended(pid: int) -> None:
    give_up_at = time.monotonic() + END_SECONDS
    while time.monotonic() < give_up_at:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")


def launch(state_dir: Path, stderr: int) -> subprocess.Popen[bytes]:
    """Start a sidecar whose streams only the caller reads, and do the handshake."""
    process = subprocess.Popen(
        SERVE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"stateDir":"%s",'
        b'"clientInfo":{"name":"t","version":"1"}}}\n' % os.fsencode(state_dir)
    )
    process.stdin.flush()
    assert b'"result"' in process.stdout.readline()
    return process


@pytest.mark.parametrize("end", [end_of_stdin, terminate])
def test_process_ends_although_nobody_reads_its_output(state_dir: Path, end: Callable[..., None]) -> None:
    with launch(state_dir, subprocess.PIPE) as process:  # stderr is not read either
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        request = b'{"jsonrpc":"2.0","id":"%s","method":"nope"}\n' % (b"x" * 1000)
        with contextlib.suppress(BlockingIOError):
            while True:  # until the sidecar stops reading because nobody reads its responses
                os.write(process.stdin.fileno(), request)
                time.sleep(0.0005)
        if end is terminate:
            process.terminate()
        else:
            with contextlib.suppress(BlockingIOError):
                process.stdin.close()
        assert process.wait() == 0


def test_process_ends_when_its_stdout_is_closed_and_stdin_stays_open(state_dir: Path) -> None:
    with launch(state_dir, subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait() == 0


def test_requests_right_before_the_end_of_stdin_are_answered(
    start_process: Callable[..., SidecarProcess],
) -> None:
    process = start_process(command=PATIENT, cold=True)
    client = process.client
    ids = [
        client.start("initialize", client.handshake()),
        client.start("settings/get", {}),
        client.start("rpc.discover"),
    ]
    process.close_stdin()
    assert process.wait(30) == 0
    assert all("result" in client.answer(request_id) for request_id in ids)


def test_end_waits_for_the_methods_of_pending_requests(
    start_process: Callable[..., SidecarProcess], tmp_path: Path
) -> None:
    process = start_process(command=PATIENT, cold=True)
    client = process.client
    ids = [client.start("initialize", client.handshake()), client.start("memory/list", {"cwd": str(tmp_path)})]
    process.close_stdin()
    assert process.wait(30) == 0
    assert all("result" in client.answer(request_id) for request_id in ids)


def test_full_stderr_that_nobody_reads_delays_no_response(state_dir: Path) -> None:
    read_fd, write_fd = os.pipe()
    with launch(state_dir, write_fd) as process:
        os.close(write_fd)
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(800):
            process.stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":"settings/get","params":{"x":1}}\n' % number)
            process.stdin.flush()
            assert process.stdout.readline()
        process.stdin.close()
        assert process.wait() == 0
    os.close(read_fd)


def test_kill_during_writes_loses_nothing_acknowledged(
    start_process: Callable[..., SidecarProcess],
) -> None:
    for round_number in range(3):
        process = start_process()
        process.client.initialize()
        before = [
            process.client.start(
                "settings/update", {"settings": {"budgets": {"low": 1_000 + 100 * round_number + number}}}
            )
            for number in range(30)
        ]
        process.client.result(before[10 + round_number])
        process.signal(signal.SIGKILL)
        process.wait()
        acknowledged = max(
            [index for index, request_id in enumerate(before) if process.inbox.responses_to(request_id)], default=-1
        )
        client = start_process().client
        assert client.initialize()["state"]["warnings"] == []
        settings = {setting["name"]: setting["value"] for setting in client.request("settings/get", {})["settings"]}
        assert settings["budgets.low"] >= 1_000 + 100 * round_number + acknowledged
