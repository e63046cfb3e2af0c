"""What is kept of runs and calls, straight at the tables."""

from pathlib import Path

import pytest

from sidecar.runs import CallRecord, Counters, SubChat, Task, records
from sidecar.runs.records import CALLS_PRUNED_AT_ONCE, MAX_CALLS
from sidecar.storage.database import Database
from sidecar.storage.open_state import open_state


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_state(tmp_path / "state", 1).database


def call(number: int) -> CallRecord:
    return CallRecord(
        f"token-{number % 7}-{number}", f"run-{number}", "chat", "p", "w", "claude", None, False, "pending", 1, {}, {}
    )


def test_only_the_latest_calls_are_stored_even_within_one_millisecond(database: Database) -> None:
    with database.write() as tx:
        for number in range(MAX_CALLS + 25):
            records.record_call(tx, call(number))
        stored = int(str(tx.execute("SELECT count(*) FROM continuity_calls").get))
        assert MAX_CALLS <= stored < MAX_CALLS + CALLS_PRUNED_AT_ONCE
        assert records.call_of_run(tx, f"run-{24 - CALLS_PRUNED_AT_ONCE}") is None
        assert records.call_of_run(tx, "run-25") is not None
        assert records.call_of_run(tx, f"run-{MAX_CALLS + 24}") is not None


def test_a_stored_conversation_is_read_back_unchanged(database: Database) -> None:
    task = Task("f", ("a", "b"), ("C.d",), "a b", "Do it")
    counters = Counters(turns=3, injected=(1, 2), files=("x",), sessions=("s",), rehydrate_reason="")
    stored = SubChat(task, counters, (("a", "pending"),), "1. Do it")
    with database.write() as tx:
        assert records.sub_chat(tx, "chat").task is None
        assert records.conversation_place(tx, "chat") is None
        records.put_sub_chat(tx, "chat", "project", "workspace", stored, 1)
        assert records.sub_chat(tx, "chat") == stored
        assert records.conversation_place(tx, "chat") == ("project", "workspace")
