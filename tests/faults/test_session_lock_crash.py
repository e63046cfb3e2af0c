"""A process killed while a session is entered or left: nobody is locked in, and no byte of the user's is lost."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.session import block_state, user_content
from tests.support.depth import sample
from tests.support.process import SidecarProcess
from tests.support.rpc_failures import StillWaiting

KILLABLE = (sys.executable, "-m", "tests.support.serve_and_crash")
StartProcess = Callable[..., SidecarProcess]

USER_CONTENT = b"# Mine\r\n\r\nlast line, without a newline"


@pytest.mark.parametrize("verb", ["activate", "exit"])
@pytest.mark.parametrize("killed_at", sample([1, 2, 3, 4, 5, 6, 8], 3))
def test_after_a_kill_at_any_write_repeating_the_call_succeeds(
    start_process: StartProcess, tmp_path: Path, verb: str, killed_at: int
) -> None:
    project, order = tmp_path / "project", tmp_path / "order"
    project.mkdir()
    rules = project / "CLAUDE.md"
    rules.write_bytes(USER_CONTENT)

    def call(process: SidecarProcess, method: str, **params: Any) -> Any:
        return process.client.request(f"session/{method}", {"cwd": str(project), **params})

    first = start_process(command=KILLABLE, environment={"SIDECAR_TEST_DIES_AT": str(order)})
    first.client.initialize(settings={"sessionLockFile": "rules"})
    if verb == "exit":
        call(first, "activate", agent="dev")
    order.write_text(str(killed_at))
    try:
        call(first, verb, **({"agent": "dev"} if verb == "activate" else {"progress": "Half"}))
    except StillWaiting:
        assert first.wait() == -signal.SIGKILL
    else:
        first.popen.kill()
        first.wait()

    second = start_process()
    second.client.initialize(settings={"sessionLockFile": "rules"})
    assert user_content(rules.read_bytes()) == USER_CONTENT
    assert call(second, "route", message="/chati exit")["intent"] == "exit"
    status = call(second, "status")
    is_consistent = (status["session"]["status"] == "active") == (block_state(rules.read_bytes()) == "active")
    assert is_consistent or "session/activate" in status["warnings"][0], "a warning names the repair"
    assert call(second, "activate", agent="dev")["block"]["state"] == "active"
    exited = call(second, "exit")
    assert (exited["session"]["status"], exited["blocks"][0]["state"]) == ("inactive", "inactive")
    call(second, "exit", removeBlock=True)
    assert rules.read_bytes() == USER_CONTENT
