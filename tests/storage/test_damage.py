"""A damaged file is set aside, reported, and what cannot be derived again is carried over."""

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from sidecar.core.errors import StateDegraded
from sidecar.settings.resolve import GLOBAL, put, values_of
from sidecar.storage.database import Database, suspect_marker
from sidecar.storage.open_state import OpenedState, open_state
from sidecar.storage.recovery import is_recovery_unfinished
from tests.support.clock import STARTS_AT_MS

SETTINGS = {"mode": "active", "tokenMode": "debug"}
ARTIFACTS = 1_000
PAGE = 4096


def fill(database: Database) -> None:
    with database.write() as tx:
        put(tx, GLOBAL, dict(SETTINGS), STARTS_AT_MS)
        for number in range(ARTIFACTS):
            tx.execute(
                "INSERT INTO continuity_artifacts"
                " VALUES (?, 'p', 'devlog', 'draft', ?, ?, 'e', 'k', x'7b7d', 'h', 0, 0)",
                (f"a{number:04}", f"title {number}", "body " * 100),
            )


@pytest.fixture
def path(state_dir: Path) -> Path:
    """A state file at rest, without a log, of some two hundred pages, most of them artifacts."""
    opened = open_state(state_dir, STARTS_AT_MS)
    fill(opened.database)
    opened.database.close()
    assert not Path(f"{opened.database.path}-wal").exists()
    return opened.database.path


@pytest.fixture
def path_with_log(state_dir: Path, tmp_path: Path) -> Path:
    """A state file as a killed process leaves it: everything is in the write-ahead log."""
    opened = open_state(tmp_path / "live", STARTS_AT_MS)
    fill(opened.database)
    shutil.copytree(tmp_path / "live", state_dir)
    opened.database.close()
    return state_dir / "continuity.db"


def kept(opened: OpenedState) -> tuple[dict[str, object], int]:
    with opened.database.read() as reader:
        count = reader.execute("SELECT count(*) FROM continuity_artifacts").get
        return values_of(reader, GLOBAL), int(str(count))


def reopen(path: Path) -> OpenedState:
    return open_state(path.parent, STARTS_AT_MS + 1)


def assert_set_aside(opened: OpenedState, damaged: bytes | None = None) -> None:
    """One warning names the file under which the damaged one is kept, byte for byte, and all is well from then on."""
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
def test_with_its_beginning_overwritten_everything_is_carried_over(path: Path, length: int) -> None:
    damaged = overwrite(path, 0, length)
    opened = reopen(path)
    assert kept(opened) == (SETTINGS, ARTIFACTS)
    assert "could not read" not in opened.warnings[0]
    assert_set_aside(opened, damaged)


def test_cut_off_in_the_middle_it_is_noticed_at_once_and_what_is_there_is_carried_over(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)
    damaged = path.read_bytes()
    opened = reopen(path)
    settings, artifacts = kept(opened)
    assert settings == SETTINGS
    assert 0 < artifacts < ARTIFACTS
    assert "could not read all of continuity_artifacts" in opened.warnings[0]
    assert_set_aside(opened, damaged)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_page_is_overwritten_nothing_is_lost_without_a_word(path: Path, seed: int) -> None:
    pages = path.stat().st_size // PAGE
    overwrite(path, random.Random(seed).randrange(1, pages) * PAGE, PAGE)
    opened = reopen(path)
    if not opened.warnings:
        try:
            settings, artifacts = kept(opened)
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
    settings, artifacts = kept(opened)
    assert artifacts >= ARTIFACTS - 40
    complete = (settings, artifacts) == (SETTINGS, ARTIFACTS)
    assert complete or "could not read all of" in opened.warnings[0]
    assert_set_aside(opened)


@pytest.mark.parametrize("contents", [b"hello, this is a note\n", b"\0" * 5000, b"SQLite format 3\0"])
def test_a_file_that_never_was_a_state_file_is_kept_beside_a_new_one(state_dir: Path, contents: bytes) -> None:
    state_dir.mkdir()
    path = state_dir / "continuity.db"
    path.write_bytes(contents)
    opened = reopen(path)
    assert kept(opened) == ({}, 0)
    assert_set_aside(opened, contents)


def test_an_empty_file_is_reported(path: Path) -> None:
    path.write_bytes(b"")
    opened = reopen(path)
    assert kept(opened) == ({}, 0)
    assert_set_aside(opened, b"")


def test_a_folder_in_its_place_is_set_aside_with_what_is_in_it(state_dir: Path) -> None:
    path = state_dir / "continuity.db"
    path.mkdir(parents=True)
    (path / "thesis.txt").write_text("years of work")
    opened = reopen(path)
    (aside,) = state_dir.glob("*.damaged-*")
    assert aside.name in opened.warnings[0]
    assert (aside / "thesis.txt").read_text() == "years of work"
    opened.database.close()


def test_what_a_killed_process_left_in_the_log_is_there(path_with_log: Path) -> None:
    opened = reopen(path_with_log)
    assert opened.warnings == ()
    assert kept(opened) == (SETTINGS, ARTIFACTS)
    opened.database.close()


def cut_main(path: Path) -> None:
    path.write_bytes(b"")


def remove_main(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("lose", [cut_main, remove_main])
def test_the_log_alone_brings_everything_back(path_with_log: Path, lose: Callable[[Path], None]) -> None:
    lose(path_with_log)
    opened = reopen(path_with_log)
    assert "only its write-ahead log is left" in opened.warnings[0]
    assert kept(opened) == (SETTINGS, ARTIFACTS)
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
def test_a_log_that_is_damaged_is_reported_because_sqlite_passes_over_it_in_silence(
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


def test_a_commit_that_was_never_finished_is_no_damage(path_with_log: Path) -> None:
    wal = Path(f"{path_with_log}-wal")
    with wal.open("r+b") as stream:
        stream.truncate(wal.stat().st_size - 1000)
    opened = reopen(path_with_log)
    assert opened.warnings == ()
    opened.database.close()


def test_damage_met_in_use_is_dealt_with_at_the_next_start(path: Path) -> None:
    connection = apsw.Connection(str(path))
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'continuity_settings'").get
    connection.close()
    overwrite(path, (int(str(root)) - 1) * PAGE, PAGE)
    first = reopen(path)
    with pytest.raises(StateDegraded):
        kept(first)
    first.database.close()
    second = reopen(path)
    assert kept(second) == ({}, ARTIFACTS)
    assert "could not read all of continuity_settings" in second.warnings[0]
    assert_set_aside(second)


def test_two_damages_in_one_moment_are_both_kept(path: Path) -> None:
    for _ in range(2):
        path.write_bytes(b"not a database at all")
        reopen(path).database.close()
    assert len(list(path.parent.glob("*.damaged-*"))) == 2


@pytest.mark.parametrize("stop_at", ["salvage", "replace"])
def test_a_rescue_that_was_interrupted_is_taken_up_again(
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
    assert kept(opened) == (SETTINGS, ARTIFACTS)
    assert_set_aside(opened)


def test_a_setting_that_no_longer_fits_says_nothing(path: Path) -> None:
    opened = reopen(path)
    with opened.database.write() as tx:
        tx.execute("UPDATE continuity_settings SET value = x'ff00' WHERE name = 'mode'")
        tx.execute("INSERT INTO continuity_settings VALUES ('', 'tokenMode2', '1', 0), ('', 'snapshot', '7', 0)")
    assert kept(opened)[0] == {"tokenMode": "debug"}
    opened.database.close()


_OPEN = """
import os, sys
from pathlib import Path
from sidecar.core.errors import StateDegraded
from sidecar.storage.open_state import open_state
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
def test_a_folder_that_may_not_be_written_is_an_error_with_a_hint(path: Path) -> None:
    """In a process of its own, which gives up the rights of root that no mode binds."""
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
