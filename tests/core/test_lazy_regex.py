import copy
import re
import threading

import pytest

from sidecar.core.lazy_regex import lazy_regex


def test_it_behaves_like_the_compiled_pattern() -> None:
    lazy, compiled = lazy_regex(r"(?P<word>[a-z]+)\d", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)\d", re.IGNORECASE)
    text = "Ab1 cd2"
    assert [match["word"] for match in lazy.finditer(text)] == [match["word"] for match in compiled.finditer(text)]
    assert lazy.sub("-", text) == compiled.sub("-", text)
    assert lazy.match(text, 4).span() == (4, 7)  # pyrefly: ignore[missing-attribute]
    assert (lazy.pattern, lazy.flags, dict(lazy.groupindex)) == (compiled.pattern, compiled.flags, {"word": 1})


def test_bytes_are_searched_too() -> None:
    assert lazy_regex(rb"\d+").findall(b"a12b3") == [b"12", b"3"]


def test_a_copy_works() -> None:
    assert copy.deepcopy(lazy_regex("a+")).fullmatch("aa")


def test_an_invalid_pattern_raises_at_first_use() -> None:
    wrong = lazy_regex("(")
    with pytest.raises(re.error):
        wrong.search("")


def test_threads_may_race_for_the_first_use() -> None:
    begin, result = threading.Barrier(8), []

    def search() -> None:
        begin.wait()
        result.append([lazy.findall("aab") for lazy in shared])

    shared = [lazy_regex(f"a{{{number}}}b?") for number in range(1, 200)]
    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(result) == 8
    assert all(pattern == result[0] for pattern in result)
