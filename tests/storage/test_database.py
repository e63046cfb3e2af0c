"""Tests of the database: one writer, concurrent readers, generations, translated errors."""

import inspect
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sidecar.core.errors import Busy, Conflict, SidecarError, StateDegraded
from sidecar.storage import repair, sqlite_connection
from sidecar.storage.database import DUE_PAGES, ChangeDetector, Database, open_state
from sidecar.storage.sqlite_connection import suspect_marker, translate_errors
from tests.support.cases import together


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "x.db")
    with opened.write() as tx:
        tx.execute("CREATE TABLE words (word TEXT PRIMARY KEY)")
    yield opened
    opened.close()


def words(database: Database) -> list[str]:
    with database.read() as reader:
        return [str(word) for (word,) in reader.execute("SELECT word FROM words ORDER BY word")]


def add(database: Database, word: str) -> None:
    with database.write() as tx:
        tx.execute("INSERT INTO words VALUES (?)", (word,))


def test_the_file_is_in_wal_mode_with_foreign_keys_on(database: Database) -> None:
    with database.write() as tx:
        assert tx.execute("PRAGMA journal_mode").get == "wal"
        assert tx.execute("PRAGMA foreign_keys").get == 1
        assert tx.execute("PRAGMA synchronous").get == 2  # FULL
        assert tx.execute("PRAGMA fullfsync").get == 1
    with database.write(durable=False) as tx:
        assert tx.execute("PRAGMA synchronous").get == 1  # NORMAL


def test_a_reader_caches_little_of_a_large_table(database: Database) -> None:
    with database.write() as tx:
        tx.executemany("INSERT INTO words VALUES (?)", ((f"{number:01000}",) for number in range(3_000)))
    assert len(words(database)) == 3_000
    with database.read() as reader:
        assert reader.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0] < 600_000


def test_an_exception_rolls_back_the_whole_transaction(database: Database) -> None:
    def fail_halfway() -> None:
        with database.write() as tx:
            tx.execute("INSERT INTO words VALUES ('anchor')")
            raise KeyError

    with pytest.raises(KeyError):
        fail_halfway()
    assert words(database) == []
    add(database, "delta")
    assert words(database) == ["delta"]


def test_a_reader_sees_one_snapshot_during_a_write(database: Database) -> None:
    with database.read() as reader:
        assert reader.execute("SELECT count(*) FROM words").get == 0
        add(database, "anchor")
        assert reader.execute("SELECT count(*) FROM words").get == 0
    assert words(database) == ["anchor"]


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StateDegraded), database.read() as reader:
        reader.execute("INSERT INTO words VALUES ('anchor')")
    assert words(database) == []


def test_a_reader_is_reusable_after_an_exception(database: Database) -> None:
    def fail_halfway() -> None:
        with database.read() as reader:
            next(iter(reader.execute("SELECT * FROM words")))
            raise KeyError

    add(database, "anchor")
    for _ in range(10):
        with pytest.raises(KeyError):
            fail_halfway()
    assert words(database) == ["anchor"]


def test_a_nested_transaction_is_a_programming_error_and_changes_nothing(database: Database) -> None:
    def nest() -> None:
        with database.write() as tx:
            tx.execute("INSERT INTO words VALUES ('anchor')")
            add(database, "inner")

    with pytest.raises(RuntimeError):
        nest()
    assert words(database) == []
    add(database, "after")


def test_writers_in_many_threads_wait_for_each_other(database: Database) -> None:
    threads = [threading.Thread(target=add, args=(database, f"{number:02}")) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words(database) == [f"{number:02}" for number in range(24)]


def test_the_generation_changes_exactly_with_every_commit_of_any_process(database: Database, tmp_path: Path) -> None:
    other = Database(tmp_path / "x.db")
    seen = [database.generation()]
    add(database, "ours")
    seen.append(database.generation())
    add(other, "theirs")
    seen.append(database.generation())
    assert len(set(seen)) == 3
    assert database.generation() == seen[-1]
    other.close()


def test_a_write_can_keep_the_generation_without_hiding_other_commits(database: Database, tmp_path: Path) -> None:
    other = Database(tmp_path / "x.db")
    before = database.generation()
    with database.write(keep_generation=True) as tx:
        tx.execute("INSERT INTO words VALUES ('aside')")
    assert database.generation() == before
    assert other.generation() != 0  # to another process it is a commit like any other
    add(other, "theirs")
    with database.write(keep_generation=True) as tx:
        tx.execute("INSERT INTO words VALUES ('aside again')")
    assert database.generation() != before
    other.close()


def test_a_commit_of_others_right_after_is_not_ignored(database: Database, tmp_path: Path) -> None:
    observer, writer = ChangeDetector(tmp_path / "x.db"), sqlite_connection.connect(tmp_path / "x.db")
    before = observer.generation()
    writer.execute("BEGIN IMMEDIATE")
    versions = observer.versions(writer)
    writer.execute("INSERT INTO words VALUES ('aside')")
    writer.execute("COMMIT")
    add(database, "theirs")
    observer.ignore_commit(writer, versions)
    assert observer.generation() != before
    writer.close()
    observer.close()


def test_data_read_at_a_generation_is_valid_despite_concurrent_writes(database: Database, tmp_path: Path) -> None:
    other, done = Database(tmp_path / "x.db"), threading.Event()

    def write_aside() -> None:
        number = 0
        while not done.is_set():
            with database.write(durable=False, keep_generation=True) as tx:
                tx.execute("INSERT OR REPLACE INTO words VALUES (?)", (f"aside {(number := number + 1) % 7}",))

    def write_theirs() -> None:
        number = 0
        while not done.wait(0.001):
            with other.write(durable=False) as tx:
                tx.execute("INSERT INTO words VALUES (?)", (f"theirs {(number := number + 1)}",))

    threads = [threading.Thread(target=run) for run in (write_aside, write_theirs)]
    for thread in threads:
        thread.start()
    seen: dict[int, list[str]] = {}
    wrong = []
    while len(seen) < 30:
        generation = database.generation()
        theirs = [word for word in words(database) if word.startswith("theirs")]
        if database.generation() == generation and seen.setdefault(generation, theirs) != theirs:
            wrong.append(generation)
    done.set()
    for thread in threads:
        thread.join()
    other.close()
    assert wrong == []


def test_generation_and_read_never_wait_for_a_writer(database: Database) -> None:
    version = database.generation()
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with database.write() as tx:
            tx.execute("INSERT INTO words VALUES ('slow')")
            held.set()
            assert release.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(20)
    assert database.generation() == version
    assert words(database) == []
    release.set()
    thread.join()
    assert database.generation() != version


def test_a_file_locked_by_another_process_is_busy(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT_MS", 1)
    other = Database(tmp_path / "x.db")
    with database.write() as tx:
        tx.execute("INSERT INTO words VALUES ('first')")
        with pytest.raises(Busy) as busy:
            add(other, "second")
    assert busy.value.data["retryAfterMs"]
    add(other, "second")
    assert words(database) == ["first", "second"]
    other.close()


def test_using_a_closed_file_is_an_error(database: Database) -> None:
    database.close()
    database.close()
    for use in (lambda: words(database), lambda: add(database, "x"), database.generation):
        with pytest.raises(StateDegraded):
            use()


def test_the_log_is_moved_into_the_file_in_the_background(database: Database) -> None:
    with database.write() as tx:
        tx.execute("CREATE TABLE blobs (content BLOB)")
    for _ in range(30):
        with database.write(durable=False) as tx:
            tx.execute("INSERT INTO blobs VALUES (randomblob(1000000))")
    give_up_at = time.monotonic() + 20
    while frames_in_log(database) >= DUE_PAGES:  # with nothing left to move, the next commit begins the log anew
        add(database, str(time.monotonic()))
        assert time.monotonic() < give_up_at
    assert database.path.stat().st_size > 10_000_000


def frames_in_log(database: Database) -> int:
    with closing(apsw.Connection(str(database.path))) as connection:
        frames, _ = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
        return frames


EVERY_ERROR = sorted(
    {error for _, error in inspect.getmembers(apsw, inspect.isclass) if issubclass(error, apsw.Error)},
    key=lambda error: error.__name__,
)


@together("error", EVERY_ERROR)
def test_every_exception_of_sqlite_is_translated_or_a_known_programming_error(error: type[apsw.Error]) -> None:
    with pytest.raises((SidecarError, *sqlite_connection._PROGRAMMING_ERRORS)) as raised, translate_errors():
        raise error("kumquat")
    assert "kumquat" not in getattr(raised.value, "message", "")


def test_damage_detected_in_use_leaves_a_marker(database: Database) -> None:
    with pytest.raises(StateDegraded), database.read():
        raise apsw.CorruptError("as met by a query")
    assert suspect_marker(database.path).exists()


def test_writes_to_a_moved_file_are_refused(database: Database) -> None:
    moved = database.path.rename(database.path.with_name("elsewhere.db"))
    with pytest.raises(StateDegraded, match="moved or deleted"):
        add(database, "lost")
    moved.rename(database.path)
    add(database, "kept")
    assert words(database) == ["kept"]


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Database]:
    opened = open_state(tmp_path / "state", 0).database
    yield opened
    opened.close()


def add_damaged_row(state: Database) -> None:
    with state.write() as tx:
        tx.execute("INSERT INTO continuity_settings VALUES (CAST(x'70ff' AS TEXT), 'mode', x'31', 0)")


def read_settings(state: Database) -> StateDegraded | None:
    """Return the error of reading a damaged row."""
    try:
        with state.read() as reader:
            assert reader.execute("SELECT max(project) FROM continuity_settings").get is None
    except StateDegraded as error:
        return error
    return None


def test_damage_that_another_thread_set_aside_is_worth_a_retry(state: Database) -> None:
    add_damaged_row(state)
    error = read_settings(state)
    assert error is not None
    state.write_behind.flush()  # the job that the failed read left
    assert state.repair(error)
    assert not state.repair(ValueError("no row"))
    assert read_settings(state) is None


def search_full_text(state: Database) -> Exception | None:
    """Return the error of a search in the full-text index."""
    try:
        with state.read() as reader:
            assert reader.execute("SELECT rowid FROM continuity_memory_text('cents')").get is None
    except (SidecarError, apsw.Error) as error:
        return error
    return None


@pytest.mark.parametrize("part", ["config", "data"])
@pytest.mark.parametrize("meanwhile", [False, True], ids=["before", "meanwhile"])
def test_an_index_that_another_thread_repaired_is_worth_a_retry(
    state: Database, monkeypatch: pytest.MonkeyPatch, part: str, *, meanwhile: bool
) -> None:
    with apsw.Connection(str(state.path)) as other:
        other.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        other.execute(f"DROP TABLE continuity_memory_text_{part}")
    other.close()
    error = search_full_text(state)
    assert error is not None
    check, checks = state._is_full_text_damaged, 0

    def check_while_another_thread_repairs() -> bool:
        nonlocal checks
        checks += 1
        found = check()
        if checks == 1:
            Database.repair_full_text(state)
        return found

    if meanwhile:
        monkeypatch.setattr(state, "_is_full_text_damaged", check_while_another_thread_repairs)
    else:
        state.write_behind.flush()  # the job that the failed search left
    assert state.repair(error)
    assert search_full_text(state) is None


def test_an_error_in_one_thread_is_repaired_while_another_thread_repairs(state: Database) -> None:
    add_damaged_row(state)
    with state._repairing():
        reader = threading.Thread(target=read_settings, args=(state,))
        reader.start()
        reader.join()
    state.write_behind.flush()
    assert read_settings(state) is None


def set_aside_without_commit(state: Database) -> None:
    with state.write() as tx:
        repair.set_aside(tx, "continuity_settings", state.path)
        raise OSError("no space for the commit")


def test_rows_are_listed_once_whatever_cut_off_an_earlier_append(state: Database) -> None:
    add_damaged_row(state)
    repair.damaged_rows_path(state.path).write_bytes(b'[1]\n{"table": "continuity_runs", "row": {}')
    for _ in range(3):
        with pytest.raises(OSError, match="no space"):
            set_aside_without_commit(state)
    assert repair.rows_set_aside(state.path) == {"continuity_settings": 1}


def error_of(text: bytes, unlike: Exception, *, shows_cause: bool) -> Exception:
    """Return an error raised while text that is no JSON was parsed."""
    try:
        try:
            json.loads(text)
        except ValueError as cause:
            raise unlike from cause if shows_cause else None
    except type(unlike) as error:
        return error
    raise AssertionError


def test_only_damage_that_was_found_makes_other_writers_wait(state: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: bool) -> None:
        raise AssertionError("a needless transaction")

    no_utf8, no_json = b"\xff\xfe[", b"{"
    monkeypatch.setattr(state, "write", refuse)
    assert not state.repair(error_of(no_json, KeyError("a bug"), shows_cause=True))
    assert not state.repair(apsw.SQLError("no such table: nowhere"))
    monkeypatch.setattr(state, "read", refuse)
    assert not state.repair(error_of(no_utf8, Conflict("The registry's file is not UTF-8."), shows_cause=True))
    assert not state.repair(error_of(no_json, KeyError("a bug"), shows_cause=False))


@pytest.mark.parametrize("has_damaged_page", [False, True])
def test_a_repaired_index_leaves_the_marker_of_other_damage(state: Database, *, has_damaged_page: bool) -> None:
    add_damaged_row(state)
    with state.write() as tx:
        tx.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        tx.execute(f"DELETE FROM {repair.FULL_TEXT}_config")
        page = int(str(tx.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'continuity_settings'").get))
        page_bytes = int(str(tx.pragma("page_size")))
    state.empty_log()
    if has_damaged_page:
        with state.path.open("rb+") as file:
            file.seek((page - 1) * page_bytes)
            file.write(bytes(page_bytes))
    suspect_marker(state.path).touch()
    assert state.repair_full_text()
    state.write_behind.flush()
    assert suspect_marker(state.path).exists() == has_damaged_page


def test_a_file_that_others_lock_at_once_is_opened_when_they_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    creator = apsw.Connection(str(path))
    creator.execute("CREATE TABLE t (a)")
    creator.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT_MS", 0)
    release = threading.Timer(0.3, lambda: creator.execute("COMMIT"))
    release.start()
    connection = sqlite_connection.connect(path)
    release.join()
    assert connection.execute("PRAGMA journal_mode").get == "wal"
    monkeypatch.setattr(sqlite_connection, "OPEN_TIMEOUT_MS", 0.0)
    other = tmp_path / "other.db"
    holder = apsw.Connection(str(other))
    holder.execute("CREATE TABLE t (a)")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(apsw.BusyError):
        sqlite_connection.connect(other)


def test_a_flush_ends_after_the_writes_that_another_thread_is_running(database: Database) -> None:
    started, may_end = threading.Event(), threading.Event()
    events: list[str] = []

    def write_slowly() -> None:
        started.set()
        may_end.wait(20)
        events.append("written")

    def flush() -> None:
        database.write_behind.flush()
        events.append("flushed")

    database.write_behind.schedule(write_slowly)
    assert started.wait(20)
    flushing = threading.Thread(target=flush)
    flushing.start()
    flushing.join(0.1)
    assert events == []
    may_end.set()
    flushing.join(20)
    assert events == ["written", "flushed"]


def test_a_write_that_fails_is_reported_and_stops_no_later_one(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda failed: reported.append(str(failed.exc_value)))

    def fail() -> None:
        raise apsw.SQLError("no such table")

    database.write_behind.schedule(fail)
    database.write_behind.schedule(lambda: add(database, "first"))
    database.write_behind.flush()
    database.write_behind.schedule(fail)
    database.write_behind.schedule(lambda: add(database, "second"))
    waited_until = time.monotonic() + 20
    while words(database) != ["first", "second"] and time.monotonic() < waited_until:
        time.sleep(0.01)
    assert (words(database), reported) == (["first", "second"], ["no such table", "no such table"])
