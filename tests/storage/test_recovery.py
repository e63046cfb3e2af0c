"""Tests of recovery: a damaged file is set aside, reported, and its durable rows are recovered."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from sidecar.core.errors import StateDegraded
from sidecar.settings import GLOBAL, values_of
from sidecar.storage import recovery
from sidecar.storage.database import Database, OpenedState, open_state
from sidecar.storage.migrations import DURABLE_TABLES, MIGRATIONS, migrate
from sidecar.storage.recovery import is_recovery_unfinished, lost_tables
from sidecar.storage.sqlite_connection import connect, suspect_marker
from tests.support.clock import STARTS_AT_MS

SETTINGS = {"mode": "active", "tokenMode": "debug"}
ARTIFACTS = 1_000
PAGE = 4096


def fill(database: Database) -> None:
    with database.write() as tx:
        for name, value in SETTINGS.items():
            tx.execute("INSERT INTO continuity_settings VALUES ('', ?, ?, 0)", (name, json.dumps(value).encode()))
        for number in range(ARTIFACTS):
            tx.execute(
                "INSERT INTO continuity_artifacts"
                " VALUES (?, 'p', 'devlog', 'draft', ?, ?, 'e', 'k', x'7b7d', 'h', 0, 0)",
                (f"a{number:04}", f"title {number}", "body " * 100),
            )


class Filled(NamedTuple):
    """Two state folders with the same content, to copy."""

    closed: Path
    with_log: Path


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    folder = tmp_path_factory.mktemp("filled")
    opened = open_state(folder / "closed", STARTS_AT_MS)
    fill(opened.database)
    shutil.copytree(folder / "closed", folder / "with log")
    opened.database.close()
    assert not Path(f"{opened.database.path}-wal").exists()
    return Filled(folder / "closed", folder / "with log")


@pytest.fixture
def path(filled: Filled, state_dir: Path) -> Path:
    """A closed state file without a log, of some 200 pages, most of them artifacts."""
    return Path(shutil.copytree(filled.closed, state_dir)) / "continuity.db"


@pytest.fixture
def path_with_log(filled: Filled, state_dir: Path) -> Path:
    """A state file as a killed process leaves it, with everything in the write-ahead log."""
    return Path(shutil.copytree(filled.with_log, state_dir)) / "continuity.db"


@pytest.fixture(scope="module")
def schema_pages() -> Callable[..., Any]:
    """Make the schema of each earlier step once for all tests: a foreign file is compared with each."""
    pages: dict[int, Any] = {}
    make = recovery._schema_pages

    def made(fresh: Path, step: int, now_ms: int) -> Any:
        if step not in pages:
            pages[step] = make(fresh, step, now_ms)
        return pages[step]

    return made


@pytest.fixture(autouse=True)
def shared_schema_pages(monkeypatch: pytest.MonkeyPatch, schema_pages: Callable[..., Any]) -> None:
    monkeypatch.setattr(recovery, "_schema_pages", schema_pages)


def recovered_rows(opened: OpenedState) -> tuple[dict[str, object], int]:
    with opened.database.read() as reader:
        count = reader.execute("SELECT count(*) FROM continuity_artifacts").get
        return values_of(reader, GLOBAL), int(str(count))


def reopen(path: Path) -> OpenedState:
    return open_state(path.parent, STARTS_AT_MS + 1)


def assert_set_aside(opened: OpenedState, damaged: bytes | None = None) -> None:
    """Assert that one warning names the damaged file, that it is unchanged, and that the next start has no warning."""
    (warning,) = opened.warnings
    (aside,) = (file for file in opened.database.path.parent.glob("*.damaged-*") if file.suffix[-1].isdigit())
    assert aside.name in warning
    if damaged is not None:
        assert aside.read_bytes() == damaged
    assert not is_recovery_unfinished(opened.database.path)
    assert not suspect_marker(opened.database.path).exists()
    opened.database.close()
    again = reopen(opened.database.path)
    assert again.warnings == ()
    again.database.close()


def overwrite(path: Path, start: int, length: int) -> bytes:
    with path.open("r+b") as stream:
        stream.seek(start)
        stream.write(random.Random(start).randbytes(length))
    return path.read_bytes()


@pytest.mark.parametrize("length", [16, 100, PAGE], ids=["its magic", "its header", "its whole first page"])
def test_a_file_with_an_overwritten_start_is_recovered_completely(path: Path, length: int) -> None:
    damaged = overwrite(path, 0, length)
    opened = reopen(path)
    assert recovered_rows(opened) == (SETTINGS, ARTIFACTS)
    assert "could not read" not in opened.warnings[0]
    assert_set_aside(opened, damaged)


RENAMES = next(
    number for number, migration in enumerate(MIGRATIONS) if any(" RENAME " in text for text in migration.statements)
)


@pytest.mark.parametrize("length", [16, PAGE], ids=["its magic", "its whole first page"])
def test_rows_of_an_earlier_schema_are_recovered_under_their_current_names(state_dir: Path, length: int) -> None:
    state_dir.mkdir(mode=0o700)
    path = state_dir / "continuity.db"
    with closing(connect(path)) as connection:
        migrate(connection, 0, MIGRATIONS[:RENAMES])
        connection.execute("INSERT INTO continuity_wishes VALUES ('p', 'context:a.py', 'never', '', 1)")
    path.write_bytes(b"\xff" * length + path.read_bytes()[length:])
    opened = open_state(state_dir, STARTS_AT_MS)
    with opened.database.read() as tx:
        assert list(tx.execute("SELECT item, kind FROM continuity_overrides")) == [("context:a.py", "never")]
    opened.database.close()


def test_a_truncated_file_is_detected_and_its_readable_rows_are_recovered(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)
    damaged = path.read_bytes()
    opened = reopen(path)
    settings, artifacts = recovered_rows(opened)
    assert settings == SETTINGS
    assert 0 < artifacts < ARTIFACTS
    assert "could not read all of continuity_artifacts" in opened.warnings[0]
    assert_set_aside(opened, damaged)


@pytest.mark.parametrize("seed", range(12))
def test_no_overwritten_page_loses_rows_silently(path: Path, seed: int) -> None:
    pages = path.stat().st_size // PAGE
    overwrite(path, random.Random(seed).randrange(1, pages) * PAGE, PAGE)
    opened = reopen(path)
    if not opened.warnings:
        try:
            settings, artifacts = recovered_rows(opened)
            with opened.database.read() as reader:
                bodies = [body for (body,) in reader.execute("SELECT body FROM continuity_artifacts")]
            if (settings, artifacts) == (SETTINGS, ARTIFACTS) and set(bodies) == {"body " * 100}:
                opened.database.close()
                return  # a page that holds nothing of ours
        except StateDegraded:
            assert suspect_marker(path).exists()
        opened.database.close()
        suspect_marker(path).touch()
        opened = reopen(path)
    settings, artifacts = recovered_rows(opened)
    assert artifacts >= ARTIFACTS - 40
    complete = (settings, artifacts) == (SETTINGS, ARTIFACTS)
    assert complete or "could not read all of" in opened.warnings[0]
    assert_set_aside(opened)


def test_rows_of_a_table_with_a_damaged_column_name_are_reported_as_lost(path: Path) -> None:
    with closing(connect(path)) as connection:
        index = "SELECT rootpage FROM sqlite_schema WHERE name = 'continuity_artifacts_by_event'"
        page = int(str(connection.execute(index).get))
    path.write_bytes(path.read_bytes().replace(b"title TEXT NOT NULL, body", b"titlf TEXT NOT NULL, body"))
    damaged = overwrite(path, (page - 1) * PAGE, PAGE)
    suspect_marker(path).touch()
    opened = reopen(path)
    assert recovered_rows(opened) == (SETTINGS, 0)
    assert "could not read all of continuity_artifacts" in opened.warnings[0]
    assert_set_aside(opened, damaged)


@pytest.mark.parametrize("contents", [b"hello, this is a note\n", b"\0" * 5000, b"SQLite format 3\0"])
def test_a_foreign_file_is_set_aside_unchanged(state_dir: Path, contents: bytes) -> None:
    state_dir.mkdir()
    path = state_dir / "continuity.db"
    path.write_bytes(contents)
    opened = reopen(path)
    assert recovered_rows(opened) == ({}, 0)
    assert opened.warnings[0].endswith("; nothing in it could be read.")
    assert_set_aside(opened, contents)


def test_an_empty_file_is_reported(path: Path) -> None:
    path.write_bytes(b"")
    opened = reopen(path)
    assert recovered_rows(opened) == ({}, 0)
    assert_set_aside(opened, b"")


def test_a_folder_in_the_files_place_is_set_aside_with_its_contents(state_dir: Path) -> None:
    path = state_dir / "continuity.db"
    path.mkdir(parents=True)
    (path / "thesis.txt").write_text("years of work")
    opened = reopen(path)
    (aside,) = (file for file in state_dir.glob("*.damaged-*") if file.is_dir())
    assert aside.name in opened.warnings[0]
    assert (aside / "thesis.txt").read_text() == "years of work"
    opened.database.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_in_the_files_place_is_set_aside(state_dir: Path) -> None:
    state_dir.mkdir()
    os.mkfifo(state_dir / "continuity.db")
    opened = reopen(state_dir / "continuity.db")
    assert "a pipe or a device is in its place" in opened.warnings[0]
    assert_set_aside(opened)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("name", ["continuity.db-wal", "continuity.db-shm"])
def test_a_pipe_beside_the_state_file_is_an_error_that_names_it(path: Path, name: str) -> None:
    pipe = path.with_name(name)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(StateDegraded, match=f"{name} in the state folder is not a regular file"):
        reopen(path)
    pipe.unlink()
    opened = reopen(path)
    assert opened.warnings == ()
    opened.database.close()


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir], ids=["an empty file", "a folder"])
def test_no_schema_is_reconstructed_where_nothing_can_be_read(
    state_dir: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    state_dir.mkdir()
    make(state_dir / "continuity.db")
    reconstructed: list[int] = []
    monkeypatch.setattr(recovery, "_schema_pages", lambda _fresh, step, _now_ms: reconstructed.append(step))
    opened = reopen(state_dir / "continuity.db")
    assert (reconstructed, recovered_rows(opened)) == ([], ({}, 0))
    opened.database.close()


def test_commits_a_killed_process_left_in_the_log_are_read(path_with_log: Path) -> None:
    opened = reopen(path_with_log)
    assert opened.warnings == ()
    assert recovered_rows(opened) == (SETTINGS, ARTIFACTS)
    opened.database.close()


def cut_main(path: Path) -> None:
    path.write_bytes(b"")


def remove_main(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("lose", [cut_main, remove_main])
def test_everything_is_recovered_from_the_log_alone(path_with_log: Path, lose: Callable[[Path], None]) -> None:
    lose(path_with_log)
    opened = reopen(path_with_log)
    assert "only its write-ahead log is left" in opened.warnings[0]
    assert recovered_rows(opened) == (SETTINGS, ARTIFACTS)
    opened.database.close()


def garble_header(wal: Path) -> None:
    overwrite(wal, 0, 32)


def garble_salts(wal: Path) -> None:
    overwrite(wal, 16, 8)


def garble_everything(wal: Path) -> None:
    overwrite(wal, 0, wal.stat().st_size)


def garble_the_middle(wal: Path) -> None:
    frames = (wal.stat().st_size - 32) // (PAGE + 24)
    overwrite(wal, 32 + frames // 2 * (PAGE + 24) + 100, 50)


@pytest.mark.parametrize("garble", [garble_header, garble_salts, garble_everything, garble_the_middle])
def test_a_damaged_log_is_reported_although_sqlite_ignores_it(
    path_with_log: Path, garble: Callable[[Path], None]
) -> None:
    wal = Path(f"{path_with_log}-wal")
    garble(wal)
    damaged = wal.read_bytes()
    opened = reopen(path_with_log)
    assert "write-ahead log is damaged" in opened.warnings[0]
    (aside,) = path_with_log.parent.glob("*.damaged-*-wal")
    assert aside.read_bytes() == damaged
    opened.database.close()


def test_an_unfinished_commit_is_not_damage(path_with_log: Path) -> None:
    wal = Path(f"{path_with_log}-wal")
    with wal.open("r+b") as stream:
        stream.truncate(wal.stat().st_size - 1000)
    opened = reopen(path_with_log)
    assert opened.warnings == ()
    opened.database.close()


def test_damage_detected_in_use_is_repaired_at_the_next_start(path: Path) -> None:
    connection = apsw.Connection(str(path))
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'continuity_settings'").get
    connection.close()
    overwrite(path, (int(str(root)) - 1) * PAGE, PAGE)
    first = reopen(path)
    with pytest.raises(StateDegraded):
        recovered_rows(first)
    first.database.close()
    second = reopen(path)
    assert recovered_rows(second) == ({}, ARTIFACTS)
    assert "could not read all of continuity_settings" in second.warnings[0]
    assert [lost_tables(file) for file in path.parent.glob("*.damaged-*[0-9]")] == [("continuity_settings",)]
    assert_set_aside(second)


def test_two_damaged_files_of_the_same_moment_are_both_set_aside(path: Path) -> None:
    for _ in range(2):
        path.write_bytes(b"not a database at all")
        reopen(path).database.close()
    aside = [file for file in path.parent.glob("*.damaged-*") if file.suffix[-1].isdigit()]
    assert [lost_tables(file) for file in aside] == [DURABLE_TABLES] * 2


@pytest.mark.parametrize("stop_at", ["salvage", "replace"])
def test_an_interrupted_recovery_continues_at_the_next_start(
    path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: str
) -> None:
    overwrite(path, 0, PAGE)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"sidecar.storage.recovery.{'salvage' if stop_at == 'salvage' else 'os.replace'}", die)
        with pytest.raises(KeyboardInterrupt):
            reopen(path)
    opened = reopen(path)
    assert recovered_rows(opened) == (SETTINGS, ARTIFACTS)
    assert_set_aside(opened)


def test_an_invalid_stored_setting_is_ignored(path: Path) -> None:
    opened = reopen(path)
    with opened.database.write() as tx:
        tx.execute("UPDATE continuity_settings SET value = x'ff00' WHERE name = 'mode'")
        tx.execute("INSERT INTO continuity_settings VALUES ('', 'tokenMode2', '1', 0), ('', 'snapshot', '7', 0)")
    assert recovered_rows(opened)[0] == {"tokenMode": "debug"}
    opened.database.close()


_OPEN = """
import os, sys
from pathlib import Path
from sidecar.core.errors import StateDegraded
from sidecar.storage.database import open_state
folder = Path(sys.argv[1])
os.chdir(folder.parent)
if os.geteuid() == 0:
    os.setgroups([])
    os.setuid(65534)
try:
    open_state(Path(folder.name), 0).database.write().__enter__()
except StateDegraded as error:
    print(error.hint)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_read_only_folder_is_an_error_with_a_hint(path: Path) -> None:
    """Runs in a child process, which gives up root's rights: file modes do not bind root."""
    path.parent.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _OPEN, str(path.parent)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
    finally:
        path.parent.chmod(0o700)
    assert done.stdout.strip(), done.stderr
