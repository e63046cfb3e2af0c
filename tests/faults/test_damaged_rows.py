"""One undecodable byte in any column of any table fails no method: derived rows are rebuilt, others are set aside.

A table that the conversation leaves empty gets a row, whose values have the wrong form: that fails no method either.
The tables behind the full-text index are included: a damaged index is created again.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from sidecar.method import Method
from sidecar.storage.repair import is_derived
from tests.contract.catalog import ROWS, goldens
from tests.faults.soak import UNMIXED
from tests.support.conversation import Conversation
from tests.support.depth import sample
from tests.support.memory_sidecar import MemorySidecar
from tests.support.shop import PROMPT, StartChat, active, draft_each_change, shop, start_chat

__all__ = ["active", "draft_each_change", "shop", "start_chat"]

MESSAGES = [
    (name, message)
    for name, part, is_valid, _, message in goldens()
    if part == "params" and is_valid and isinstance(ROWS[name], Method) and name not in (*UNMIXED, "knowledge/sync")
]
INTERNAL, DEGRADED = -32603, -32012


class Patient:
    """A sidecar whose state has rows in every table, and their values can be damaged from outside."""

    def __init__(self, sidecar: MemorySidecar, chat: Conversation) -> None:
        self.sidecar, self.chat = sidecar, chat
        assert sidecar.app.process is not None
        self.process = sidecar.app.process
        self.path = self.process.database.path

    def connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(5_000)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        return connection

    def columns(self) -> list[tuple[str, str, str]]:
        """Return table, name and type of each column."""
        columns: Any = self.connect().execute(
            "SELECT t.name, c.name, c.type FROM pragma_table_list AS t, pragma_table_info(t.name) AS c"
            " WHERE t.type IN ('table', 'shadow') AND t.name GLOB 'continuity_*' ORDER BY t.name, c.cid"
        )
        return list(columns)

    def fill_empty_columns(self) -> None:
        """Give each empty table a row, and each empty column a value, of this project and chat."""
        connection = self.connect()
        list(connection.execute("PRAGMA foreign_keys = OFF"))
        project = connection.execute("SELECT project FROM continuity_runs LIMIT 1").get
        known: dict[str, Any] = {"project": project, "sub_chat_id": "chat", "session_id": "session", "value": "{}"}
        by_type: dict[str, Any] = {"INTEGER": 1, "REAL": 1.0, "BLOB": b"{}"}
        tables: dict[str, dict[str, Any]] = {}
        for table, name, kind in self.columns():
            tables.setdefault(table, {})[name] = known.get(name, by_type.get(kind, "abc"))
        for table, values in tables.items():
            if connection.execute(f"SELECT count(*) FROM {table}").get == 0:
                cells = ", ".join("?" * len(values))
                connection.execute(f"INSERT INTO {table} VALUES ({cells})", tuple(values.values()))
            for name, value in values.items():
                if connection.execute(f"SELECT count({name}) FROM {table}").get == 0:
                    connection.execute(f"UPDATE {table} SET {name} = ?", (value,))

    def filled_columns(self) -> list[tuple[str, str]]:
        return [
            (table, name)
            for table, name, _ in self.columns()
            if self.connect().execute(f"SELECT count({name}) FROM {table}").get
        ]

    def damage(self, table: str, name: str) -> bool:
        """Put an undecodable byte into each row's value; return whether that was possible."""
        connection = self.connect()
        value: Any = connection.execute(f"SELECT CAST({name} AS BLOB) FROM {table} WHERE {name} NOT NULL LIMIT 1").get
        if value is None:
            return False  # an earlier repair removed the rows
        kind = "BLOB" if connection.execute(f"SELECT typeof({name}) FROM {table} LIMIT 1").get == "blob" else "TEXT"
        damaged = bytes(value[: len(value) // 2]) + b"\xff" + bytes(value[len(value) // 2 :])
        try:
            connection.execute(
                f"UPDATE OR IGNORE {table} SET {name} = CAST(? AS {kind}) WHERE CAST({name} AS BLOB) = ?",
                (damaged, value),
            )
        except apsw.Error:  # a row id has no text
            return False
        return bool(connection.changes())

    def failures(self) -> Iterator[str]:
        """Send every message and yield the answers that no method may give."""
        for name, message in MESSAGES:
            params = json.loads(json.dumps(message).replace("/home/ada/shop", str(self.chat.cwd)))
            answer = self.sidecar.client.answer(self.sidecar.client.start(name, params))
            if answer.get("error", {}).get("code") in (INTERNAL, DEGRADED):
                yield f"{name}: {answer['error']}"


@pytest.fixture
def patient(active: MemorySidecar, start_chat: StartChat) -> Patient:
    chat = start_chat()
    long = "".join(f"line_{number} = {number}\n" for number in range(130))
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", long)])
    chat.turn("go on")
    where = {"cwd": chat.project_path}
    active.client.request("memory/add", {**where, "title": "Money", "text": "Whole cents.", "type": "decision"})
    patient = Patient(active, chat)
    assert list(patient.failures()) == []
    chat.turn("and now the prices")
    assert patient.process.wait_idle(10)
    patient.process.database.write_behind.flush()
    patient.fill_empty_columns()
    return patient


def test_an_undecodable_byte_in_any_row_fails_no_method(patient: Patient) -> None:
    columns = patient.filled_columns()
    assert columns == [(table, name) for table, name, _ in patient.columns()]
    failures = list(patient.failures())
    for table, name in sample(columns, 2):
        patient.process.database.write_behind.flush()
        connection = patient.connect()
        rows: Any = list(connection.execute(f"SELECT * FROM {table}")) if not is_derived(table) else []
        if not patient.damage(table, name):
            continue
        failures += [f"{table}.{name}: {failure}" for failure in patient.failures()]
        if patient.chat.pre_run("and now fix it")["reason"] == "stateUnavailable":
            failures.append(f"{table}.{name}: a pre-run had no state")
        doctor = patient.sidecar.client.request("state/doctor", {"projectPath": patient.chat.project_path, "fix": True})
        if unfixed := [row for row in doctor["findings"] if "cannot be" in row["message"] and not row["fixed"]]:
            failures.append(f"{table}.{name}: {unfixed}")
        if rows:
            connection = patient.connect()
            cells = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({cells})", rows)
    assert failures == []


FULL_TEXT_DAMAGE = [
    *(
        f"UPDATE continuity_memory_text_{column} = {value}"
        for column in (
            "data SET block",
            "idx SET term",
            "idx SET pgno",
            "docsize SET sz",
            "docsize SET origin",
            "config SET k",
            "config SET v",
        )
        for value in ("CAST(x'41ff42' AS TEXT)", "x'41ff42'")
    ),
    "UPDATE continuity_memory_text_data SET block = CAST(x'41ff42' AS TEXT) WHERE id = 10",
    "UPDATE continuity_memory_text_data SET block = x'41ff42' WHERE id > 10",
    *(f"DELETE FROM continuity_memory_text_{part}" for part in ("data", "idx", "docsize", "config")),
    *(f"DROP TABLE continuity_memory_text_{part}" for part in ("data", "idx", "docsize", "config")),
]


@pytest.mark.parametrize("repair", [None, "state/doctor", "memory/rebuild"])
def test_a_damaged_full_text_index_is_created_again(
    active: MemorySidecar, start_chat: StartChat, repair: str | None
) -> None:
    patient = Patient(active, start_chat())
    where, request = {"cwd": patient.chat.project_path}, active.client.request
    failures = []
    for number, damage in enumerate(sample(FULL_TEXT_DAMAGE, 8)):
        new = {"title": f"Price {number}", "text": f"Whole cents, quorum{number}.", "type": "decision"}
        request("memory/add", {**where, **new})
        patient.connect().execute(damage.replace("UPDATE", "UPDATE OR IGNORE"))
        try:
            if repair is not None:
                request(repair, {"fix": True} if repair == "state/doctor" else where)
                found = request("memory/search", {**where, "query": f"quorum{number}"})["memories"]
                failures += [] if new["title"] in {row["title"] for row in found} else [f"{damage}: not found"]
            request("memory/search", {**where, "query": "cents"})
            request("memory/list", where)
        except AssertionError as error:
            failures.append(f"{damage}: {error}")
    assert failures == []


@pytest.mark.parametrize("column", ["name", "value"])
def test_a_process_starts_on_settings_that_cannot_be_decoded(
    open_sidecar: Callable[..., MemorySidecar], state_dir: Path, column: str
) -> None:
    first = open_sidecar()
    first.client.initialize()
    settings = {"mode": "active", "secretPatterns": ["acme_[A-Za-z0-9]{32}"]}
    first.client.request("settings/update", {"settings": settings})
    first.close()
    connection = apsw.Connection(str(state_dir / "continuity.db"))
    connection.execute(f"UPDATE continuity_settings SET {column} = CAST(x'61ff62' AS TEXT) WHERE name = 'mode'")
    connection.close()
    second = open_sidecar()
    second.client.initialize()
    found = {row["name"]: row["value"] for row in second.client.request("settings/get", {})["settings"]}
    assert (found["mode"], found["secretPatterns"]) == ("passive", settings["secretPatterns"])
    findings = second.client.request("state/doctor", {})["findings"]
    assert [row["message"] for row in findings if "continuity_settings" in row["message"]] == [
        "1 row of continuity_settings could not be decoded and is in continuity.db.damaged-rows."
    ]


def test_a_process_starts_where_settings_and_the_full_text_index_are_damaged(
    open_sidecar: Callable[..., MemorySidecar], state_dir: Path, tmp_path: Path
) -> None:
    first = open_sidecar()
    first.client.initialize()
    first.client.request("settings/update", {"settings": {"mode": "active"}})
    first.close()
    connection = apsw.Connection(str(state_dir / "continuity.db"))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("UPDATE continuity_settings SET name = CAST(x'61ff62' AS TEXT)")
    connection.execute(
        "INSERT INTO continuity_memory_files VALUES ('p', CAST(x'61ff62' AS TEXT), 0, 0, 0, 0, 0, '', 0, '')"
    )
    connection.execute("UPDATE continuity_memory_text_config SET v = CAST(x'61ff62' AS TEXT)")
    connection.close()
    (state_dir / "continuity.db.suspect").touch()
    second = open_sidecar()
    second.client.initialize()
    assert second.client.request("memory/list", {"cwd": str(tmp_path)})["memories"] == []
    findings = second.client.request("state/doctor", {"fix": True})["findings"]
    assert not [row for row in findings if "cannot" in row["message"] and not row["fixed"]]


def test_damaged_values_of_runs_are_set_aside_by_the_call_that_reads_them(patient: Patient) -> None:
    for name in ("pack_metrics", "result"):
        prompt = f"look at {name}"
        turn = patient.chat.turn(prompt)
        patient.connect().execute(f"UPDATE continuity_runs SET {name} = x'7b22ff223a317d'")
        assert patient.chat.pre_run(f"and now fix {name}")["reason"] != "stateUnavailable", name
        patient.connect().execute(f"UPDATE continuity_runs SET {name} = x'7b22ff223a317d'")
        assert patient.chat.post_run(turn, prompt)["accepted"], name


def test_a_durable_row_is_set_aside_whole_and_listed(patient: Patient) -> None:
    connection = patient.connect()
    run: Any = connection.execute("SELECT run_id FROM continuity_runs ORDER BY rowid DESC LIMIT 1").get
    connection.execute("UPDATE continuity_runs SET result = x'7b22ff223a317d' WHERE run_id = ?", (run,))
    connection.execute("UPDATE continuity_artifacts SET body = CAST(x'61ff62' AS TEXT)")
    assert list(patient.failures()) == []
    patient.process.database.write_behind.flush()
    path = Path(f"{patient.path}.damaged-rows")
    if path.exists():  # else no message read the run
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert {line["table"] for line in lines} <= {"continuity_runs", "continuity_artifacts"}
    patient.sidecar.client.request("state/doctor", {"fix": True})
    findings = patient.sidecar.client.request("state/doctor", {})["findings"]
    assert any("continuity_runs could not be decoded" in finding["message"] for finding in findings)
    purged = patient.sidecar.client.request("state/purge", {"kinds": ["damaged"]})
    assert purged is not None
    assert not path.exists()
