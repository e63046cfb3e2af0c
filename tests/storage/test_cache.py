"""Tests of the cache table: eviction by use, damaged rows, deferred writes."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sidecar.core.lru_cache import LruCache
from sidecar.storage.database import Database, open_state
from sidecar.storage.doctor_checks import cache_sizes
from sidecar.storage.two_level_cache import BULK_SIZE, MAX_UNWRITTEN, MAX_USES, Cache
from tests.support.clock import STARTS_AT_MS

TABLE, COLUMNS = "continuity_search_cache", ("query", "commit_hash", "scope")


@pytest.fixture
def database(state_dir: Path) -> Iterator[Database]:
    opened = open_state(state_dir, STARTS_AT_MS)
    yield opened.database
    opened.database.close()


@pytest.fixture
def open_cache(database: Database) -> Callable[..., Cache]:
    return lambda hot=1_000_000, disk=1_000_000: Cache(TABLE, COLUMNS, database, LruCache(hot), disk)


def put(cache: Cache, name: object, value: object, now_ms: int = STARTS_AT_MS) -> None:
    """Put a value and flush."""
    cache.put(key(name), lambda: value, now_ms)
    cache.flush()


def key(name: object) -> tuple[str, str, str]:
    return (str(name), "c0ffee", "scope")


def test_a_value_is_found_by_its_whole_key_after_a_restart(open_cache: Callable[..., Cache]) -> None:
    put(open_cache(), "a", {"hits": [1, 2]})
    again = open_cache()
    assert again.get(key("a")) == {"hits": [1, 2]}
    assert again.get(("a", "c0ffee", "elsewhere")) is None
    assert again.get_many([key("a"), key("b"), key("a")]) == {key("a"): {"hits": [1, 2]}}


def test_a_large_batch_bypasses_the_memory_cache_and_invalidates_it(database: Database) -> None:
    hot: LruCache[tuple[str, tuple[str, ...]], bytes] = LruCache(1_000_000)
    cache = Cache(TABLE, COLUMNS, database, hot, 1_000_000)
    put(cache, "used", "again")
    put(cache, 0, "old")
    cache.put_many([(key(number), partial("new {}".format, number)) for number in range(BULK_SIZE + 1)], STARTS_AT_MS)
    assert len(hot) == 1
    found = cache.get_many([key(number) for number in range(BULK_SIZE + 1)])
    assert found == {key(number): f"new {number}" for number in range(BULK_SIZE + 1)}
    assert len(hot) == 1
    assert cache.get(key(0)) == "new 0"
    assert cache.get(key("used")) == "again"


@pytest.mark.parametrize("value", [[], {}, 0, False, ""])
def test_empty_and_false_values_are_cached(open_cache: Callable[..., Cache], value: object) -> None:
    put(open_cache(), "a", value)
    assert open_cache().get(key("a")) == value
    assert open_cache().get_many([key("a")]) == {key("a"): value}


@pytest.mark.parametrize(
    "damage",
    [
        "value = CAST(replace(CAST(value AS TEXT), 'fine', 'fino') AS BLOB)",
        "value = zeroblob(length(value))",
        "value = 'text'",
        "value = 17",
        "row_hash = 'other'",
    ],
)
def test_a_row_with_one_wrong_byte_counts_as_absent(
    open_cache: Callable[..., Cache], database: Database, damage: str
) -> None:
    put(open_cache(), "a", {"word": "fine"})
    with database.write() as tx:
        tx.execute(f"UPDATE {TABLE} SET {damage}")
    assert open_cache().get(key("a")) is None
    assert open_cache().get_many([key("a")]) == {}
    cache = open_cache()
    put(cache, "a", {"word": "new"})
    assert open_cache().get(key("a")) == {"word": "new"}


def on_disk(database: Database) -> tuple[int, set[str]]:
    with database.read() as reader:
        rows = list(reader.execute(f"SELECT query, bytes FROM {TABLE}"))
    return sum(int(str(size)) for _, size in rows), {str(name) for name, _ in rows}


def test_the_table_stays_within_its_limit_and_evicts_the_least_recently_used(
    open_cache: Callable[..., Cache], database: Database
) -> None:
    cache = open_cache(hot=0, disk=20_000)
    for number in range(100):
        put(cache, number, "x" * 1_000, STARTS_AT_MS + number)
        assert cache.get(key(0)) == "x" * 1_000
        assert on_disk(database)[0] <= 20_000 + 1_100
    _, remaining = on_disk(database)
    assert {"0", "99", "98"} <= remaining
    assert "1" not in remaining


def test_a_use_is_recorded_with_the_next_write(open_cache: Callable[..., Cache], database: Database) -> None:
    cache = open_cache()
    put(cache, "a", 1)
    assert open_cache().get(key("a")) == 1
    assert cache.get_many([key("a")]) == {key("a"): 1}
    cache.flush()
    assert used_at(database) == {"a": STARTS_AT_MS}
    put(cache, "b", 2, STARTS_AT_MS + 5)
    assert used_at(database) == {"a": STARTS_AT_MS + 5, "b": STARTS_AT_MS + 5}


def test_no_request_waits_while_the_uses_of_a_whole_repository_are_recorded(
    open_cache: Callable[..., Cache], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [key(number) for number in range(3 * MAX_USES)]
    open_cache().put_many([(name, partial(int, 1)) for name in names], STARTS_AT_MS)
    cache = open_cache()
    assert len(cache.get_many(names)) == len(names)
    changed_rows: list[int] = []

    @contextmanager
    def counted(write: Callable[..., AbstractContextManager[Any]], **options: bool) -> Generator[Any]:
        with write(**options) as tx:
            before = tx.total_changes()
            yield tx
            changed_rows.append(tx.total_changes() - before)

    monkeypatch.setattr(database, "write", partial(counted, database.write))
    put(cache, "new", 1, STARTS_AT_MS + 5)
    assert changed_rows == [1 + MAX_USES], "a pre-run that records its delivery waits for this transaction"
    for _ in range(3):
        database.write_behind.flush()
    assert max(changed_rows) == 1 + MAX_USES
    assert set(used_at(database).values()) == {STARTS_AT_MS + 5}, "the other uses are recorded later"


def test_an_entry_whose_use_is_not_recorded_yet_is_not_evicted(
    open_cache: Callable[..., Cache], database: Database
) -> None:
    names = [key(number) for number in range(MAX_USES + 20)]
    open_cache().put_many([(name, partial(int, 1)) for name in names], STARTS_AT_MS)
    open_cache().put_many([(key(f"other {number}"), partial(int, 1)) for number in range(40)], STARTS_AT_MS + 1)
    cache = open_cache(disk=on_disk(database)[0] - 200)
    cache.get_many(names)
    put(cache, "new", 1, STARTS_AT_MS + 5)
    remaining = on_disk(database)[1]
    assert {name for name, *_ in names} <= remaining
    assert len(remaining) < len(names) + 41


def used_at(database: Database) -> dict[str, int]:
    with database.read() as reader:
        return {str(name): int(str(at)) for name, at in reader.execute(f"SELECT query, used_at_ms FROM {TABLE}")}


def test_keys_count_towards_the_size(open_cache: Callable[..., Cache], database: Database) -> None:
    cache = open_cache(hot=0, disk=20_000)
    for number in range(100):
        put(cache, f"{number:01000}", 1, STARTS_AT_MS + number)
    assert on_disk(database)[0] <= 21_100
    assert len(on_disk(database)[1]) < 25


@pytest.mark.parametrize("damage", ["x'80ff41'", "x'31ff32'", "'many'"])
def test_a_damaged_size_of_one_row_leaves_the_sums_whole_numbers(
    open_cache: Callable[..., Cache], database: Database, damage: str
) -> None:
    cache = open_cache(disk=400)
    put(cache, "damaged", "x" * 50)
    with database.write() as tx:
        tx.execute(f"UPDATE {TABLE} SET bytes = CAST({damage} AS TEXT)")
    for number in range(8):
        put(cache, number, "x" * 50, STARTS_AT_MS + number + 1)
    with database.read() as tx:
        (size,) = (size for size in cache_sizes(tx) if size.name == "search")
    assert (type(size.bytes), 0 < size.bytes <= 400) == (int, True)
    assert open_cache().get(key("damaged")) is None
    assert open_cache().get(key(7)) == "x" * 50


def test_a_value_larger_than_the_whole_cache_is_evicted(open_cache: Callable[..., Cache], database: Database) -> None:
    cache = open_cache(hot=100, disk=1_000)
    put(cache, "large", "x" * 5_000)
    assert on_disk(database) == (0, set())


def test_an_unusable_cache_table_causes_no_error(open_cache: Callable[..., Cache], database: Database) -> None:
    cache = open_cache()
    database.close()
    put(cache, "a", 1)
    assert cache.get(key("a")) == 1
    assert cache.get(key("b")) is None
    assert cache.get_many([key("a"), key("b")]) == {key("a"): 1}


def test_small_batches_are_written_later_and_served_at_once(
    open_cache: Callable[..., Cache], database: Database
) -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return 17

    cache = open_cache(hot=0)
    cache.put(key("a"), make, STARTS_AT_MS)
    assert made == []
    assert cache.get(key("a")) == 17
    assert cache.get_many([key("a"), key("b")]) == {key("a"): 17}
    assert on_disk(database)[1] == set()
    database.write_behind.flush()
    assert on_disk(database)[1] == {"a"}
    assert open_cache().get(key("a")) == 17


def test_of_short_lived_states_only_the_latest_is_written(database: Database) -> None:
    cache = Cache(TABLE, COLUMNS, database, LruCache(1_000_000), 1_000_000, short_lived=("commit_hash",))
    for query, commit in (("a", "1"), ("b", "1"), ("a", "2"), ("a", "1"), ("a", "3")):
        cache.put((query, commit, "scope"), partial("{} {}".format, query, commit), STARTS_AT_MS)
    assert cache.get(("a", "3", "scope")) == "a 3"
    cache.flush()
    cache.put(("a", "4", "scope"), partial("a 4".format), STARTS_AT_MS)
    cache.flush()
    remaining = {("b", "1"), ("a", "3"), ("a", "4")}
    again = Cache(TABLE, COLUMNS, database, LruCache(1_000_000), 1_000_000)
    assert {(q, c) for q in "ab" for c in "1234" if again.get((q, c, "scope")) == f"{q} {c}"} == remaining


def test_closing_the_state_file_writes_deferred_values(state_dir: Path) -> None:
    database = open_state(state_dir, STARTS_AT_MS).database
    Cache(TABLE, COLUMNS, database, LruCache(0), 1_000_000).put(key("a"), lambda: 1, STARTS_AT_MS)
    database.close()
    again = open_state(state_dir, STARTS_AT_MS).database
    assert on_disk(again)[1] == {"a"}
    again.close()


def test_many_small_writes_do_not_accumulate(open_cache: Callable[..., Cache], database: Database) -> None:
    cache = open_cache(hot=0)
    for number in range(MAX_UNWRITTEN + 1):
        cache.put(key(number), partial(int, number), STARTS_AT_MS)
    assert len(on_disk(database)[1]) == MAX_UNWRITTEN + 1


def test_a_value_put_during_a_flush_is_not_lost(open_cache: Callable[..., Cache], database: Database) -> None:
    cache = open_cache(hot=0)

    def make_and_replace() -> str:
        cache.put(key("a"), lambda: "new", STARTS_AT_MS)
        return "old"

    cache.put(key("a"), make_and_replace, STARTS_AT_MS)
    cache.flush()
    assert cache.get(key("a")) == "new"
    database.write_behind.flush()
    assert open_cache().get(key("a")) == "new"
