"""Only the protocol reaches stdout, whoever writes there."""

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.rpc import Framing
from tests.support.process import ROOT, SERVE_WITH_ROWS, SidecarProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the misbehaving methods use a POSIX shell")


@pytest.mark.parametrize("framing", Framing)
def test_prints_of_python_c_and_a_child_go_to_stderr(
    start_process: Callable[..., SidecarProcess], framing: Framing
) -> None:
    process = start_process(command=SERVE_WITH_ROWS, framing=framing, cold=framing is Framing.LINES)
    process.client.initialize()
    ids = [process.client.start("test/babble", {}) for _ in range(20)]
    for request_id in ids:
        assert process.client.result(request_id) == {}
    process.client.wait_until_read()
    process.client.notify("exit")
    process.wait()
    assert process.garbage == []
    for line in (b"a print", b"a write", b"a raw write", b"a line from C", b"a child", b"a child again"):
        assert line in process.stderr()


def test_children_and_libraries_read_nothing_from_stdin(start_process: Callable[..., SidecarProcess]) -> None:
    process = start_process(command=SERVE_WITH_ROWS)
    process.client.initialize()
    assert process.client.request("test/readStdin", {}) == {"text": ""}
    assert process.client.request("ping") == {}


@pytest.mark.parametrize("framing", Framing)
def test_responses_use_the_framing_of_the_client(
    start_process: Callable[..., SidecarProcess], framing: Framing
) -> None:
    process = start_process(framing=framing)
    process.client.initialize()
    assert process.client.request("settings/get", {})["settings"]
    assert process.garbage == []


def test_streams_are_claimed_before_any_other_import() -> None:
    program = (
        "import sys; before = set(sys.modules); import sidecar.rpc.claim_stdio; loaded = set(sys.modules) - before;"
        "print(sorted(loaded))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {program}"],
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == "['sidecar', 'sidecar.rpc', 'sidecar.rpc.claim_stdio']"


@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_closed_standard_stream_is_not_reused_for_another_file(closed: str, tmp_path: Path) -> None:
    program = (
        "from sidecar.rpc import claim_stdio; import os; pipe = claim_stdio.claim();"
        "opened = os.open('probe', os.O_CREAT | os.O_RDWR); assert opened > 2, opened; os.write(1, b'stray');"
        "os.write(pipe.write_fd, b'message')"
    )
    shell = f'exec {shlex.quote(sys.executable)} -c "{program}" {closed}>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", shell],
        capture_output=True,
        cwd=tmp_path,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (b"" if closed == "1" else b"message")
    assert (tmp_path / "probe").read_bytes() == b""
