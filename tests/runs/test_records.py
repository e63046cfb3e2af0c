"""What is kept of runs and calls, straight at the tables."""

from pathlib import Path

import pytest

from sidecar.runs import CallRecord, Counters, SubChat, Task, records
from sidecar.runs.records import FORGOTTEN_AT_ONCE, KEPT_CALLS
from sidecar.storage.database import Database
from sidecar.storage.open_state import open_state


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_state(tmp_path / "state", 1).database


def call(number: int) -> CallRecord:
    return CallRecord(
        f"token-{number % 7}-{number}", f"run-{number}", "chat", "p", "w", "claude", None, False, "pending", 1, {}, {}
    )


def test_only_the_latest_calls_are_kept_also_within_one_millisecond(database: Database) -> None:
    with database.write() as tx:
        for number in range(KEPT_CALLS + 25):
            records.record_call(tx, call(number))
        kept = int(str(tx.execute("SELECT count(*) FROM continuity_calls").get))
        assert KEPT_CALLS <= kept < KEPT_CALLS + FORGOTTEN_AT_ONCE
        assert records.call_of_run(tx, f"run-{24 - FORGOTTEN_AT_ONCE}") is None
        assert records.call_of_run(tx, "run-25") is not None
        assert records.call_of_run(tx, f"run-{KEPT_CALLS + 24}") is not None


def test_a_conversation_comes_back_as_it_was_kept(database: Database) -> None:
    task = Task("f", ("a", "b"), ("C.d",), "a b", "Do it")
    counters = Counters(turns=3, injected=(1, 2), files=("x",), sessions=("s",), asked="")
    kept = SubChat(task, counters, (("a", "pending"),), "1. Do it")
    with database.write() as tx:
        assert records.sub_chat(tx, "chat").task is None
        assert records.place_of(tx, "chat") is None
        records.put_sub_chat(tx, "chat", "project", "workspace", kept, 1)
        assert records.sub_chat(tx, "chat") == kept
        assert records.place_of(tx, "chat") == ("project", "workspace")
