"""A process killed or out of memory in a post-run: the run is recorded wholly or not at all; repeating it is safe."""

import errno
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from sidecar.capture import post_run
from sidecar.storage.database import open_state
from tests.support.client import Client
from tests.support.clock import STARTS_AT_MS
from tests.support.conversation import Conversation, bash
from tests.support.depth import is_thorough
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.rpc_failures import RpcFailure, StillWaiting
from tests.support.shop import PROMPT, SHOP, shop

__all__ = ["shop"]

CRASHING = (sys.executable, "-m", "tests.support.serve_and_crash")
RED = bash("pytest", "FAILED tests/test_cart.py::test_total\n1 failed in 0.1s\n")
RUN_TABLES = ("runs", "tests", "artifacts", "deliveries", "snapshots")
SETTINGS = {"mode": "active"}
StartProcess = Callable[..., SidecarProcess]


def stored_counts(state_dir: Path) -> dict[str, int]:
    """Count what a post-run stores, and the conversation's turns, in a file that must be intact."""
    opened = open_state(state_dir, STARTS_AT_MS)
    assert opened.warnings == ()
    with opened.database.read() as reader:
        assert reader.execute("PRAGMA integrity_check").get == "ok"
        counts = {name: int(str(reader.execute(f"SELECT count(*) FROM continuity_{name}").get)) for name in RUN_TABLES}
        turns = reader.execute("SELECT counters ->> 'turns' FROM continuity_state").get
    opened.database.close()
    return {**counts, "turns": int(str(turns or 0))}


def start_crashing(start: StartProcess, state_dir: Path, orders: Path) -> SidecarProcess:
    """Start a process that is killed as the order file says, with a governor that snapshots immediately."""
    environment = {"SIDECAR_TEST_DIES_AT": str(orders), "SIDECAR_TEST_QUICK_SNAPSHOT": "1"}
    return start(state_dir=state_dir, command=CRASHING, environment=environment)


def play_run(start: StartProcess, state_dir: Path, shop: Repository, orders: Path, dies_at: int | None) -> Any:
    """Play a run in a process that is killed at a write of its post-run; return what is needed to repeat it."""
    shop.write({"src/cart.py": SHOP["src/cart.py"]})
    process = start_crashing(start, state_dir, orders)
    process.client.initialize(settings=SETTINGS)
    chat = Conversation(process.client, shop.path)
    before = chat.pre_run(PROMPT)
    params: dict[str, Any] = {"assistant": {"parts": [chat.edit("src/cart.py", "class Cart: ...\n"), RED]}}
    if dies_at is not None:
        orders.write_text(str(dies_at))
    try:
        answer = chat.post_run(before, PROMPT, **params)
    except StillWaiting:
        answer = None
        assert process.wait() == -signal.SIGKILL
    else:
        process.popen.kill()  # recorded; only the answer is left
        process.wait()
    return chat, before, params, answer


def test_after_a_kill_at_any_write_a_run_is_recorded_completely_or_not_at_all(
    start_process: StartProcess, shop: Repository, tmp_path: Path
) -> None:
    (tmp_path / "whole").mkdir()
    play_run(start_process, tmp_path / "whole" / "state", shop, tmp_path / "whole" / "orders", None)
    whole = stored_counts(tmp_path / "whole" / "state")
    nothing = dict.fromkeys(whole, 0)
    assert all(whole.values())

    recorded, dies_at, survived = [], 1, False
    while not survived:
        folder = tmp_path / str(dies_at)
        folder.mkdir()
        chat, before, params, answer = play_run(start_process, folder / "state", shop, folder / "orders", dies_at)
        survived = answer is not None
        after = stored_counts(folder / "state")
        assert after in (nothing, whole)
        assert after == whole or not survived
        recorded.append(after == whole)

        again = start_crashing(start_process, folder / "state", folder / "no orders")
        again.client.initialize(settings=SETTINGS)
        chat.client, chat.session_id = again.client, None
        repeated = chat.post_run(before, PROMPT, **params)
        assert repeated["duplicate"] is (after == whole)
        assert not survived or repeated == {**answer, "duplicate": True}
        again.close()
        assert stored_counts(folder / "state") == whole
        dies_at += max(1, dies_at // 2) if is_thorough() else max(2, dies_at)
    assert len(recorded) > 2
    assert not recorded[0]


def test_a_run_that_found_too_little_memory_can_be_reported_again(
    client: Client, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.request("settings/update", {"settings": SETTINGS})
    for function, error in (
        ("touched_boundaries", MemoryError()),
        ("touched_boundaries", OSError(errno.ENOMEM, "x")),
        ("_store", apsw.NoMemError("x")),
        ("changes_in_memory", RuntimeError("can't start new thread")),
    ):
        chat = Conversation(client, shop.path, sub_chat_id=type(error).__name__)
        before = chat.pre_run(PROMPT)

        def fail(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        with monkeypatch.context() as patched:
            patched.setattr(post_run, function, fail)
            with pytest.raises(RpcFailure) as failed:
                chat.post_run(before, PROMPT)
        assert failed.value.message == "There is not enough memory for this request."
        assert (failed.value.data["kind"], failed.value.data["retryAfterMs"]) == ("busy", 1_000)
        repeated = chat.post_run(before, PROMPT)
        assert (repeated["accepted"], repeated["duplicate"]) == (True, function == "changes_in_memory")
