"""A pool that knows when all its work is done."""

import threading

import pytest

from sidecar.system.threads import ThreadPool


def test_it_is_done_when_nothing_is_queued_or_runs() -> None:
    may_go = threading.Event()
    with ThreadPool(1, "test") as pool:
        assert pool.wait_until_done(0)
        pool.submit(may_go.wait, 20)
        queued = pool.submit(may_go.wait, 20)
        assert not pool.wait_until_done(0)
        assert queued.cancel()
        may_go.set()
        assert pool.wait_until_done(20)
    assert pool.submitted == 2


def test_what_a_closed_pool_refuses_is_no_work() -> None:
    pool = ThreadPool(1, "test")
    pool.shutdown()
    with pytest.raises(RuntimeError):
        pool.submit(print)
    assert pool.wait_until_done(0)


def test_what_is_to_come_counts_as_work() -> None:
    with ThreadPool(1, "test") as pool:
        came = pool.reserve()
        assert not pool.wait_until_done(0)
        came()
        assert pool.wait_until_done(0)
