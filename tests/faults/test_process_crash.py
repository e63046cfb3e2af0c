"""Several processes on one file, and killed processes: nothing acknowledged is lost."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from sidecar.storage.database import open_state
from sidecar.storage.recovery import find_damage
from tests.support.client import Client
from tests.support.clock import STARTS_AT_MS
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import ROOT, SidecarProcess
from tests.support.shop import PROMPT, StartChat, active, draft_each_change, shop, start_chat
from tests.support.warm_process import start_python

__all__ = ["active", "draft_each_change", "shop", "start_chat"]

WRITER = """
import sys
from pathlib import Path
from sidecar.storage.database import open_state

database = open_state(Path(sys.argv[1]), 0).database
for number in range(int(sys.argv[3])):
    with database.write(durable=number % 7 == 0) as tx:
        for part in ("x", "y"):
            row = (f"{sys.argv[2]}-{part}", str(number))
            tx.execute("INSERT INTO continuity_settings VALUES (?, ?, x'31', 0)", row)
    print(number, flush=True)
"""


def start_writer(state_dir: Path, name: str, rounds: int) -> subprocess.Popen[bytes]:
    return start_python(
        [sys.executable, "-c", WRITER, str(state_dir), name, str(rounds)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def numbers_of(state_dir: Path, project: str) -> list[int]:
    opened = open_state(state_dir, STARTS_AT_MS)
    assert opened.warnings == ()
    with opened.database.read() as reader:
        rows = reader.execute("SELECT name FROM continuity_settings WHERE project = ?", (project,))
        numbers = sorted(int(str(name)) for (name,) in rows)
        assert reader.execute("PRAGMA integrity_check").get == "ok"
    opened.database.close()
    return numbers


def test_a_prompt_passes_through_at_its_deadline_while_another_process_writes_the_state_file(
    active: MemorySidecar, start_chat: StartChat
) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    assert active.app.process is not None
    other = apsw.Connection(str(active.app.process.database.path))
    other.execute("BEGIN IMMEDIATE")
    for number in range(4):
        before = time.monotonic()
        folder = chat.cwd / "src" if number % 2 else chat.cwd
        result = chat.pre_run(f"and now price {number}", deadlineMs=400, cwd=str(folder))
        assert time.monotonic() - before < 2
        assert (result["action"], result["reason"]) == ("passthrough", "stateUnavailable")
        assert result["prompt"] == f"and now price {number}"
    other.execute("ROLLBACK")
    assert chat.pre_run("and now fix it")["reason"] != "stateUnavailable"


@pytest.mark.parametrize("reads", [1, 20, 300])
def test_a_process_killed_while_writing_has_stored_everything_it_acknowledged(state_dir: Path, reads: int) -> None:
    with start_writer(state_dir, "w", 100_000) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(reads)]
        writer.kill()
        acknowledged += [int(line) for line in writer.stdout.read().split(b"\n")[:-1]]
    stored = numbers_of(state_dir, "w-x")
    assert stored[: len(acknowledged)] == acknowledged
    assert stored == numbers_of(state_dir, "w-y")  # each transaction is complete
    assert len(stored) <= len(acknowledged) + 1


def test_concurrent_writers_lose_no_write(state_dir: Path) -> None:
    writers = {name: start_writer(state_dir, name, 150) for name in ("a", "b", "c")}
    for writer in writers.values():
        with writer:
            assert writer.wait(60) == 0
    for name in writers:
        assert numbers_of(state_dir, f"{name}-x") == list(range(150))


def value_of(client: Client, name: str) -> object:
    settings = client.request("settings/get", {})["settings"]
    return next(setting["value"] for setting in settings if setting["name"] == name)


def test_two_sidecars_on_one_file_see_settings_of_each_other_immediately(
    start_process: Callable[..., SidecarProcess],
) -> None:
    first, second = start_process().client, start_process().client
    for client in (first, second):
        assert client.initialize()["state"]["warnings"] == []
    for number in range(10):
        first.request("settings/update", {"settings": {"budgets": {"low": 2_000 + number}}})
        second.request("settings/update", {"settings": {"budgets": {"debug": 3_000 + number}}})
        for client in (first, second):
            assert (value_of(client, "budgets.low"), value_of(client, "budgets.debug")) == (
                2_000 + number,
                3_000 + number,
            )


def test_acknowledged_settings_survive_a_kill(start_process: Callable[..., SidecarProcess]) -> None:
    process = start_process()
    process.client.initialize()
    process.client.request("settings/update", {"settings": {"mode": "active"}})
    process.popen.kill()
    process.popen.wait()
    client = start_process().client
    assert client.initialize()["state"]["degraded"] is False
    assert value_of(client, "mode") == "active"


def test_the_handshake_reports_a_damaged_state(start_process: Callable[..., SidecarProcess], state_dir: Path) -> None:
    state_dir.mkdir()
    (state_dir / "continuity.db").write_bytes(b"damaged beyond recognition")
    state = start_process().client.initialize()["state"]
    assert state["degraded"] is True
    assert "continuity.db.damaged-" in state["warnings"][0]


def test_a_file_being_written_never_appears_damaged(state_dir: Path) -> None:
    with start_writer(state_dir, "w", 100_000) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        reading = threading.Thread(target=writer.stdout.read)
        reading.start()
        damages = {find_damage(state_dir / "continuity.db") for _ in range(60)}
        writer.kill()
        reading.join()
    assert damages == {None}
