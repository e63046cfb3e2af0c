"""A process killed while a session is entered or left: nobody is locked in, and no byte of the user's is lost."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.session.managed_block import block_state, user_content
from tests.support.process import SidecarProcess
from tests.support.rpc_failures import StillWaiting

MORTAL = (sys.executable, "-m", "tests.support.serve_and_crash")
Starts = Callable[..., SidecarProcess]

USERS = b"# Mine\r\n\r\nlast line, without an end"


@pytest.mark.parametrize("verb", ["activate", "exit"])
@pytest.mark.parametrize("dies_at", [1, 2, 3, 4, 5, 6, 8])
def test_killed_at_any_write_the_session_is_entered_or_left_by_asking_again(
    start_process: Starts, tmp_path: Path, verb: str, dies_at: int
) -> None:
    project, orders = tmp_path / "project", tmp_path / "orders"
    project.mkdir()
    rules = project / "CLAUDE.md"
    rules.write_bytes(USERS)

    def ask(process: SidecarProcess, what: str, **params: Any) -> Any:
        return process.client.request(f"session/{what}", {"cwd": str(project), **params})

    first = start_process(command=MORTAL, environment={"SIDECAR_TEST_DIES_AT": str(orders)})
    first.client.initialize(settings={"sessionLockFile": "rules"})
    if verb == "exit":
        ask(first, "activate", agent="dev")
    orders.write_text(str(dies_at))
    try:
        ask(first, verb, **({"agent": "dev"} if verb == "activate" else {"progress": "Half"}))
    except StillWaiting:
        assert first.wait() == -signal.SIGKILL
    else:
        first.popen.kill()
        first.wait()

    second = start_process()
    second.client.initialize(settings={"sessionLockFile": "rules"})
    assert user_content(rules.read_bytes()) == USERS
    assert ask(second, "route", message="/chati exit")["intent"] == "exit"
    told = ask(second, "status")
    is_one = (told["session"]["status"] == "active") == (block_state(rules.read_bytes()) == "active")
    assert is_one or "session/activate" in told["warnings"][0], "what disagrees is said, and how to mend it"
    assert ask(second, "activate", agent="dev")["block"]["state"] == "active"
    left = ask(second, "exit")
    assert (left["session"]["status"], left["blocks"][0]["state"]) == ("inactive", "inactive")
    ask(second, "exit", removeBlock=True)
    assert rules.read_bytes() == USERS
