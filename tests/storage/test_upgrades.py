"""Tests of schema upgrades: files of every earlier schema migrate, and older processes do no harm."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import orjson
import pytest

from sidecar.core.errors import StateDegraded
from sidecar.runs import DeliveredItem, PinnedAnchor, SessionContents, SessionKey, entries, ledger
from sidecar.storage import doctor_checks
from sidecar.storage.database import open_state
from sidecar.storage.migrations import MIGRATIONS, migrate
from sidecar.storage.sqlite_connection import connect
from sidecar.workspace import project_key
from tests.support.clock import STARTS_AT_MS
from tests.support.conversation import Conversation
from tests.support.depth import sample
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import ROOT
from tests.support.shop import PROMPT, shop

__all__ = ["shop"]

STEPS = range(1, len(MIGRATIONS) + 1)
ANEW = {
    "continuity_memory_files", "continuity_memories", "continuity_memory_text", "continuity_memory_words",
    "continuity_memory_term_counts",
}  # fmt: skip
"""Derived from the memory files; a later step empties them, and they are rebuilt."""
LEDGER = {"continuity_sessions", "continuity_session_turns", "continuity_deliveries"}
"""Tables whose rows a later step converts; rows of a session belong together."""
IDENTITY = next(
    number for number, migration in enumerate(MIGRATIONS, 1) if migration.name.startswith("the identity of memories")
)
Shape = dict[str, dict[str, str]]
"""Columns by table, each with its type."""
Earlier = tuple[int, Shape]
RENAMED_TABLES = {
    "continuity_context_halts": "continuity_context_resume_points",
    "continuity_wishes": "continuity_overrides",
    "continuity_memory_words": "continuity_memory_term_counts",
    "continuity_memory_material": "continuity_memory_pending",
    "continuity_memory_meetings": "continuity_memory_sightings",
}
RENAMED_COLUMNS = {
    "continuity_memories": {"keeping": "retention"},
    "continuity_memory_resolutions": {"word": "decision"},
    "continuity_session_locks": {"told_agent": "file_agent"},
    "continuity_session_files": {"made": "created_count"},
    "continuity_context_sessions": {"counted": "counters"},
    "continuity_wishes": {"word": "kind"},
    "continuity_runs": {"worth": "pack_metrics"},
}
"""Names that the first build's tables and columns have now."""
VALUES = {"INTEGER": 7, "REAL": 0.5, "TEXT": "text ✓", "BLOB": b"[]"}


def tables(connection: apsw.Connection) -> list[str]:
    """Return our tables, referenced ones first."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'continuity_*'")
    names = [str(name) for (name,) in rows if not str(name).startswith("continuity_memory_text")]
    names.remove("continuity_migrations")
    last = ("continuity_session_turns", "continuity_deliveries")
    return sorted(names, key=lambda name: last.index(name) if name in last else -1)


def columns(connection: apsw.Connection, table: str) -> dict[str, str]:
    rows: Any = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,))
    return dict(rows)


def fill(connection: apsw.Connection, shape: Shape, marks: str) -> None:
    """Insert a row into each table, with the columns of its shape; `marks` distinguishes it from others."""
    for table, of in shape.items():
        row = {name: f"{marks} {VALUES[kind]}" if kind == "TEXT" else VALUES[kind] for name, kind in of.items()}
        if "row_id" in row:
            row["row_id"] = len(marks)
        if "number" in row:
            row["number"] = len(marks)
        if table == "continuity_deliveries":
            row["session_id"] = f"{marks} {VALUES['TEXT']}"
        names = ", ".join(row)
        marked = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marked})", tuple(row.values()))


def held(connection: apsw.Connection, shape: Shape) -> dict[str, list[tuple[Any, ...]]]:
    return {table: sorted(connection.execute(f"SELECT {', '.join(of)} FROM {table}")) for table, of in shape.items()}


def upgraded(connection: apsw.Connection, shape: Shape) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of an upgraded file by the tables' former names."""
    present = set(tables(connection))
    rows = {}
    for table, former in shape.items():
        if table in LEDGER:
            continue
        name = table if table in present else RENAMED_TABLES[table]
        known = columns(connection, name)
        names = [column if column in known else RENAMED_COLUMNS[table][column] for column in former]
        rows[table] = sorted(connection.execute(f"SELECT {', '.join(names)} FROM {name}"))
    return rows


@pytest.fixture(params=sample(STEPS, 8))
def earlier(request: pytest.FixtureRequest, state_dir: Path) -> Earlier:
    """Return a file of an earlier schema with a row in each table, and the tables' columns."""
    state_dir.mkdir(mode=0o700)
    with closing(connect(state_dir / "continuity.db")) as connection:
        migrate(connection, 0, MIGRATIONS[: request.param])
        shape = {table: columns(connection, table) for table in tables(connection)}
        fill(connection, shape, "a")
    return request.param, shape


def test_a_file_of_an_earlier_schema_migrates_with_every_row(earlier: Earlier, state_dir: Path) -> None:
    step, shape = earlier
    with closing(connect(state_dir / "continuity.db")) as connection:
        before = held(connection, shape)
    opened = open_state(state_dir, STARTS_AT_MS)
    assert (opened.step, opened.warnings) == (len(MIGRATIONS), ())
    with opened.database.read() as tx:
        after = upgraded(tx, shape)
    for table in shape.keys() - LEDGER:
        expected = [] if step < IDENTITY and table in ANEW else before[table]
        assert after[table] == expected, table
    assert list(doctor_checks.check_database(opened.database)) == []
    opened.database.close()


def test_rows_an_older_process_writes_into_an_upgraded_file_are_valid(earlier: Earlier, state_dir: Path) -> None:
    """Versions that did not check for an upgrade can still write into every table that was not renamed."""
    _, former = earlier
    shape = {table: of for table, of in former.items() if table not in {*RENAMED_TABLES, *RENAMED_COLUMNS, *LEDGER}}
    with closing(connect(state_dir / "continuity.db")) as older:
        opened = open_state(state_dir, STARTS_AT_MS)
        fill(older, shape, "bb")
        written = held(older, shape)
        with opened.database.read() as tx:
            assert held(tx, shape) == written
            assert tx.execute("PRAGMA integrity_check").get == "ok"
        opened.database.close()
    assert all(any("bb" in str(cell) for row in rows for cell in row) for rows in written.values())


DELIVERIES = [
    ("context:a.py", "9f2c", entries.FileEntry("9f2c")),
    ("context:b.py", "pointer", entries.FileEntry()),
    (
        "context:c.py",
        "r:.77ab,1f0c2a.9be0",
        entries.FileEntry("", (entries.SentRegion("", "77ab"), entries.SentRegion("1f0c2a", "9be0"))),
    ),
    (
        "delta:file:a.py",
        "5d:-1+1=ab,-9+9~cd",
        entries.ChangeEntry("5d", (entries.SentHunk("ab", "-1+1", True), entries.SentHunk("cd", "-9+9", False))),
    ),
    (
        "delta:file:b.py",
        "5d:named:+3=ab",
        entries.ChangeEntry("5d", (entries.SentHunk("ab", "+3", True),), is_whole=False),
    ),
    ("delta:file:c.py", "gone", entries.RemovedEntry()),
    ("delta:head", "77:feature/tax", entries.HeadEntry("77", "feature/tax")),
    ("delta:head", "77:main:named", entries.HeadEntry("77", "main", is_whole=False)),
    ("delta:head", "77", entries.HeadEntry("77")),
    (
        "delta:todos",
        '8a[["1f","pending","Fix: the \u2713"]]',
        entries.TaskListEntry("8a", (entries.SentTask("1f", "pending", "Fix: the \u2713"),)),
    ),
    ("delta:more", "5d:ab,cd", entries.FileListEntry("5d", ("ab", "cd"))),
    ("delta:tests:pytest", "5d:seen", entries.FailureEntry("5d", is_own=True)),
    ("delta:tests:pytest", "5d", entries.FailureEntry("5d")),
    ("memory:m1", "v2", entries.MemoryEntry("v2")),
    ("memory:m1", "v2:metadata", entries.MemoryEntry("v2", "metadata")),
    ("plan:text", "5d", entries.TextEntry("5d")),
]


@pytest.mark.parametrize(("item", "digest", "entry"), DELIVERIES)
def test_a_session_still_knows_its_content_after_the_upgrade(
    item: str, digest: str, entry: entries.Entry, state_dir: Path
) -> None:
    before = next(number for number, step in enumerate(MIGRATIONS) if step.name.startswith("the delivery ledger by"))
    record = {"version": 2, "delivered": [{"key": item, "digest": digest, "bytes": 5}], "items": [{"key": item}]}
    state_dir.mkdir(mode=0o700)
    with closing(connect(state_dir / "continuity.db")) as connection:
        migrate(connection, 0, MIGRATIONS[:before])
        for provider in ("claude", "codex"):
            connection.execute(
                "INSERT INTO continuity_sessions VALUES (?, 's', 0, 'chat', 'a', 'anchor', 'commit', 1, 2)", (provider,)
            )
            connection.execute(
                "INSERT INTO continuity_deliveries VALUES (?, 's', 0, ?, ?, 5, 'run', 3)", (provider, item, digest)
            )
        connection.execute(
            "INSERT INTO continuity_calls VALUES ('t', 'r', 'chat', 'p', 'w', 'claude', 's', 0, 'pending', 1, ?, x'')",
            (orjson.dumps(record),),
        )
    opened = open_state(state_dir, STARTS_AT_MS)
    with opened.database.read() as tx:
        claude = ledger.session_contents(tx, SessionKey("chat", "claude", "s", shadow=False))
        codex = ledger.session_contents(tx, SessionKey("chat", "codex", "s", shadow=False))
        stored: Any = tx.execute("SELECT record FROM continuity_calls").get
    opened.database.close()
    assert claude == SessionContents(
        {item: DeliveredItem(item, entry, 5)}, PinnedAnchor("a", "anchor"), "commit", exists=True
    )
    assert codex.items == {**claude.items, entries.ANCHOR: DeliveredItem(entries.ANCHOR, entries.TextEntry("a"), 6)}
    converted = orjson.loads(stored)
    assert (converted["version"], converted["items"]) == (3, [{"key": item, "regions": []}])
    (delivered,) = converted["delivered"]
    assert entries.entry_from_json(orjson.dumps(delivered["entry"])) == entry


@pytest.mark.parametrize("step", [1, len(MIGRATIONS) // 2, len(MIGRATIONS) - 1])
def test_a_conversation_continues_in_an_upgraded_file(step: int, state_dir: Path, shop: Any) -> None:
    state_dir.mkdir(mode=0o700)
    with closing(connect(state_dir / "continuity.db")) as connection:
        migrate(connection, 0, MIGRATIONS[:step])
        connection.execute("INSERT INTO continuity_settings VALUES ('', 'mode', CAST('\"active\"' AS BLOB), 0)")
    sidecar = MemorySidecar(state_dir)
    try:
        assert sidecar.client.initialize()["state"] == {"schema": len(MIGRATIONS), "degraded": False, "warnings": []}
        chat = Conversation(sidecar.client, shop.path)
        assert chat.turn(PROMPT)["action"] == "inject"
        assert chat.turn("go on")["metadata"]["reusedBytes"] > 0
        assert sidecar.client.request("state/doctor", {"projectPath": str(shop.path)})["findings"] == []
    finally:
        sidecar.close()


OLDER = """
import sys
from pathlib import Path
from sidecar.core.errors import StateDegraded
from sidecar.storage import migrations
from sidecar.storage import database as storage

known = migrations.MIGRATIONS[:-1]
storage.migrate = lambda connection, now_ms: migrations.migrate(connection, now_ms, known)
database = storage.open_state(Path(sys.argv[1]), 0).database
for number in range(1_000_000):
    try:
        with database.write() as tx:
            tx.execute("INSERT INTO continuity_settings VALUES ('older', ?, x'31', 0)", (str(number),))
    except StateDegraded as refused:
        print(refused.message, refused.hint, flush=True)
        break
    print(number, flush=True)
"""


def test_an_older_process_stops_writing_once_a_newer_one_has_upgraded_the_file(state_dir: Path) -> None:
    command = [sys.executable, "-c", OLDER, str(state_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}) as older:
        assert older.stdout is not None
        acknowledged = [int(older.stdout.readline()) for _ in range(20)]
        opened = open_state(state_dir, STARTS_AT_MS)
        *rest, last = older.stdout.read().decode().splitlines()
    acknowledged += [int(number) for number in rest]
    known = len(MIGRATIONS) - 1
    assert last == (
        f"The state file was upgraded by a newer sidecar (step {known + 1}; this one knows {known})."
        " Restart 1Code, or run `onecode-sidecar hook stop` for terminals; the stored data is safe."
    )
    with opened.database.write() as tx:
        rows = tx.execute("SELECT name FROM continuity_settings WHERE project = 'older'")
        assert sorted(int(str(name)) for (name,) in rows) == acknowledged
        assert tx.execute("PRAGMA integrity_check").get == "ok"
    assert list(doctor_checks.check_database(opened.database)) == []
    opened.database.close()


def test_a_pre_run_reports_that_the_file_was_upgraded_meanwhile(state_dir: Path, shop: Any) -> None:
    sidecar = MemorySidecar(state_dir)
    try:
        sidecar.client.initialize(settings={"mode": "active"})
        chat = Conversation(sidecar.client, shop.path)
        chat.turn(PROMPT)
        with closing(connect(state_dir / "continuity.db")) as newer:
            newer.execute("ALTER TABLE continuity_runs ADD COLUMN mood TEXT")
            newer.execute("INSERT INTO continuity_migrations VALUES (99, 'how it felt', 0)")
        passed = chat.pre_run("go on")
        assert (passed["action"], passed["reason"], passed["prompt"]) == ("passthrough", "stateUnavailable", "go on")
        answer = chat.client.error("settings/update", {"settings": {"mode": "off"}})
        assert answer.data["kind"] == "stateDegraded"
        assert answer.message.startswith("The state file was upgraded by a newer sidecar (step 99;")
    finally:
        sidecar.close()


def test_a_downgrade_is_refused_with_a_hint(state_dir: Path, tmp_path: Path) -> None:
    opened = open_state(state_dir, STARTS_AT_MS)
    with opened.database.write() as tx:
        tx.execute("INSERT INTO continuity_migrations VALUES (99, 'from the future', 0)")
    opened.database.close()
    with pytest.raises(StateDegraded):
        open_state(state_dir, STARTS_AT_MS)
    command = [sys.executable, "-m", "sidecar", "status", "--state-dir", str(state_dir)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"status: The state file is of a newer version (step 99; this one knows {len(MIGRATIONS)}). (stateDegraded)",
        "hint: Update the sidecar, or start it with another stateDir.",
    ]


def test_measures_of_the_first_build_have_their_plain_names() -> None:
    connection = apsw.Connection(":memory:")
    before = next(step for step, migration in enumerate(MIGRATIONS) if migration.name.endswith("and for measures"))
    migrate(connection, 0, MIGRATIONS[:before])
    renamed = {
        "governor.cause{cause=turns}": "governor.reason{reason=turns}",
        "governor.withheld{action=rehydrate}": "governor.suppressed{action=rehydrate}",
        "packGiven": "filesSent", "packUsed": "filesSentAndUsed", "filesFound": "filesDiscovered", "calls": "calls",
    }  # fmt: skip
    for name in renamed:
        connection.execute("INSERT INTO continuity_metrics VALUES ('2026-03-01', 'p', 'claude', 0, ?, 2, 1)", (name,))
    migrate(connection, 0, MIGRATIONS)
    assert {name for (name,) in connection.execute("SELECT name FROM continuity_metrics")} == set(renamed.values())


@pytest.mark.skipif(os.name == "nt", reason="a path of POSIX has another key there")
def test_a_project_has_the_key_that_every_version_gave_it() -> None:
    assert project_key(Path("/srv/shop")) == "8c32c8090887ef24"
