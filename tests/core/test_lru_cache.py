"""Tests of the in-memory cache against a simple model."""

import gc
import threading

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.lru_cache import LruCache, RetainingLruCache

KEYS = st.integers(0, 6)
STEPS = st.lists(
    st.tuples(st.just("put"), KEYS, st.integers(0, 12)) | st.tuples(st.sampled_from(["get", "drop"]), KEYS, st.just(0)),
    max_size=60,
)


@given(STEPS, st.integers(0, 20))
def test_exactly_the_most_recently_used_entries_remain_within_the_limit(
    steps: list[tuple[str, int, int]], limit: int
) -> None:
    cache, model = LruCache[int, tuple[int, int]](limit), dict[int, int]()
    for step, key, size in steps:
        if step == "put":
            cache.put(key, (key, size), size)
            model.pop(key, None)
            if size <= limit:
                model[key] = size
                while sum(model.values()) > limit:
                    del model[next(iter(model))]
        elif step == "drop":
            cache.drop(key)
            model.pop(key, None)
        else:
            assert cache.get(key) == ((key, model[key]) if key in model else None)
            if key in model:
                model[key] = model.pop(key)
        assert cache.size == sum(model.values()) <= limit
        assert len(cache) == len(model)


def test_clear_removes_everything() -> None:
    cache = LruCache[str, int](10)
    cache.put("a", 1, 5)
    cache.clear()
    assert (len(cache), cache.size, cache.get("a")) == (0, 0, None)


def test_concurrent_use_never_exceeds_the_limit() -> None:
    cache = LruCache[tuple[int, int], int](1000)

    def use(offset: int) -> None:
        for number in range(2000):
            cache.put((offset, number % 50), number, number % 97)
            cache.get((offset - 1, number % 50))
            assert cache.size <= 1000

    threads = [threading.Thread(target=use, args=(offset,)) for offset in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.size == sum(size for _, size in cache._entries.values())


def test_a_value_is_created_once_and_evicted_values_are_returned() -> None:
    cache = LruCache[str, list[int]](2)
    first = cache.get_or_create("a", list)
    assert cache.get_or_create("a", list) is first
    assert cache.put("b", [1], 1) == []
    assert cache.put("c", [2], 1) == [first]
    assert cache.values() == [[1], [2]]


def test_a_retained_value_is_found_while_others_use_it() -> None:
    cache = RetainingLruCache[str, threading.Event](1)
    used = threading.Event()
    cache.put("used", used, 1)
    cache.put("unused", threading.Event(), 1)
    assert cache.get("used") is used
    gc.collect()
    assert cache.get("unused") is None
    assert cache.values() == [used]
