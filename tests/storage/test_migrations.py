"""Tests of the migrations: steps run in order, completely and once, and are recorded."""

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from sidecar.core.errors import StateDegraded
from sidecar.storage.database import open_state
from sidecar.storage.migrations import DURABLE_TABLES, MIGRATIONS, Migration, current_step, migrate
from sidecar.storage.sqlite_connection import connect
from tests.support.clock import STARTS_AT_MS
from tests.support.process import ROOT

ONE = Migration("one", ("CREATE TABLE a (x)", "INSERT INTO a VALUES (1)"))
TWO = Migration("two", ("CREATE TABLE b (x)",))
BROKEN = Migration("broken", ("CREATE TABLE c (x)", "INSERT INTO a VALUES (2)", "CREATE TABLE nonsense ("))


def tables(connection: apsw.Connection) -> set[str]:
    return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_steps_are_applied_in_order_and_recorded_with_their_name(tmp_path: Path) -> None:
    connection = connect(tmp_path / "x.db")
    assert migrate(connection, STARTS_AT_MS, (ONE,)) == 1
    assert migrate(connection, STARTS_AT_MS + 5, (ONE, TWO)) == 2
    records = list(connection.execute("SELECT * FROM continuity_migrations ORDER BY step"))
    assert records == [(1, "one", STARTS_AT_MS), (2, "two", STARTS_AT_MS + 5)]
    assert connection.execute("SELECT count(*) FROM a").get == 1
    connection.close()


def test_a_failed_step_is_rolled_back_and_earlier_ones_remain(tmp_path: Path) -> None:
    connection = connect(tmp_path / "x.db")
    with pytest.raises(apsw.SQLError):
        migrate(connection, STARTS_AT_MS, (ONE, BROKEN))
    assert current_step(connection) == 1
    assert tables(connection) == {"a", "continuity_migrations"}
    assert connection.execute("SELECT count(*) FROM a").get == 1
    assert migrate(connection, STARTS_AT_MS, (ONE, TWO)) == 2
    connection.close()


def test_a_file_of_a_newer_version_is_refused_and_unchanged(state_dir: Path) -> None:
    opened = open_state(state_dir, STARTS_AT_MS)
    with opened.database.write() as tx:
        tx.execute("INSERT INTO continuity_migrations VALUES (99, 'from the future', 0)")
    opened.database.close()
    before = opened.database.path.read_bytes()
    with pytest.raises(StateDegraded) as refused:
        open_state(state_dir, STARTS_AT_MS)
    assert refused.value.data == {"step": 99, "knownStep": len(MIGRATIONS)}
    assert refused.value.hint
    assert opened.database.path.read_bytes() == before
    assert not list(state_dir.glob("*damaged*"))


def test_the_file_may_belong_to_another_program(state_dir: Path) -> None:
    state_dir.mkdir()
    theirs = apsw.Connection(str(state_dir / "continuity.db"))
    theirs.execute("CREATE TABLE chats (id)")
    theirs.execute("INSERT INTO chats VALUES (1)")
    theirs.close()
    opened = open_state(state_dir, STARTS_AT_MS)
    assert opened.warnings == ()
    with opened.database.read() as reader:
        assert reader.execute("SELECT id FROM chats").get == 1
        ours = {name for name in tables(reader) if not name.startswith("continuity_")}
    assert ours == {"chats"}
    opened.database.close()


def test_every_durable_table_exists(state_dir: Path) -> None:
    opened = open_state(state_dir, STARTS_AT_MS)
    with opened.database.read() as reader:
        assert set(DURABLE_TABLES) <= tables(reader)
    opened.database.close()


def test_processes_that_open_a_new_file_concurrently_migrate_it_once(state_dir: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from sidecar.storage.database import open_state;"
        "sys.stdin.readline(); opened = open_state(Path(sys.argv[1]), 0);"
        "print(opened.step, opened.warnings, opened.database.generation() > 0)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(state_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        for _ in range(6)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    outputs = {process.communicate()[0].decode().strip() for process in processes}
    assert outputs == {f"{len(MIGRATIONS)} () True"}
    connection = connect(state_dir / "continuity.db")
    assert connection.execute("SELECT count(*) FROM continuity_migrations").get == len(MIGRATIONS)
    connection.close()
