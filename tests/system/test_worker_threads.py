"""Tests of the thread pool's count of unfinished work."""

import threading

import pytest

from sidecar.system.worker_threads import ThreadPool


def report(job: str, error: BaseException) -> None:
    """Fail the work of a test that expects no error."""
    raise AssertionError(f"{job}: {error}")


def test_the_pool_is_done_when_nothing_is_queued_or_running() -> None:
    may_go = threading.Event()
    with ThreadPool(1, "test", report) as pool:
        assert pool.wait_until_done(0)
        pool.submit(may_go.wait, 20)
        queued = pool.submit(may_go.wait, 20)
        assert not pool.wait_until_done(0)
        assert queued.cancel()
        may_go.set()
        assert pool.wait_until_done(20)
    assert pool.submitted == 2


def test_work_refused_by_a_closed_pool_does_not_count() -> None:
    pool = ThreadPool(1, "test", report)
    pool.shutdown()
    with pytest.raises(RuntimeError):
        pool.submit(print)
    assert pool.wait_until_done(0)


def test_reserved_work_counts_as_unfinished() -> None:
    with ThreadPool(1, "test", report) as pool:
        came = pool.reserve()
        assert not pool.wait_until_done(0)
        came()
        assert pool.wait_until_done(0)


def test_an_error_of_work_that_nobody_waits_for_is_reported_with_its_name() -> None:
    reported: list[tuple[str, str]] = []

    def fail() -> None:
        raise ValueError("three")

    with ThreadPool(1, "test", lambda job, error: reported.append((job, str(error)))) as pool:
        pool.start(fail)
        assert pool.start(int, "3").result(20) == 3
        assert pool.wait_until_done(20)
    assert reported == [("fail", "three")]
