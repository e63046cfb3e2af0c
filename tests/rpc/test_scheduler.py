"""Concurrency: nothing delays a ping, a workspace is served in order, other requests run side by side."""

import threading
from collections import defaultdict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from sidecar.core.errors import Busy
from sidecar.rpc import QueuedTask, QueueLimits, Scheduler
from tests.support.blocking_methods import BlockingMethods
from tests.support.client import Client
from tests.support.clock import FixedClock
from tests.support.inbox import Inbox
from tests.support.memory_sidecar import MemorySidecar


def stay(entered: threading.Event, release: threading.Event) -> Callable[[], None]:
    """Return a task that runs until it is released."""

    def run() -> None:
        entered.set()
        assert release.wait(20)

    return run


@pytest.fixture
def gate() -> BlockingMethods:
    return BlockingMethods()


@pytest.fixture
def client(open_sidecar: Any, gate: BlockingMethods) -> Client:
    sidecar: MemorySidecar = open_sidecar(methods=gate.rows())
    sidecar.client.initialize()
    return sidecar.client


@pytest.mark.parametrize("method", ["test/shared", "test/workspace", "test/job"])
def test_ping_is_answered_while_any_lane_is_busy(client: Client, gate: BlockingMethods, method: str) -> None:
    slow = client.start(method, {})
    gate.wait_for_call()
    client.wait_until_read()
    assert not client.inbox.responses_to(slow)
    gate.open.set()
    assert client.result(slow)["count"] == 1


def test_second_shared_request_does_not_wait_for_the_first(client: Client, gate: BlockingMethods) -> None:
    client.request("settings/get", {})  # leaves an idle worker behind
    ids = [client.start("test/shared", {"name": str(number)}) for number in range(6)]
    assert sorted(gate.wait_for_call() for _ in ids) == [str(number) for number in range(6)]
    gate.open.set()
    for request_id in ids:
        client.result(request_id)


def test_requests_of_one_workspace_run_one_at_a_time_in_order(client: Client, gate: BlockingMethods) -> None:
    gate.open.set()
    ids = [client.start("test/workspace", {"name": str(number), "cwd": "/w"}) for number in range(30)]
    counts = [client.result(request_id)["count"] for request_id in ids]
    assert counts == list(range(1, 31))
    assert gate.started == gate.ended


def test_workspaces_run_concurrently(client: Client, gate: BlockingMethods) -> None:
    ids = [client.start("test/workspace", {"name": cwd, "cwd": cwd}) for cwd in ("/a", "/b", "/c")]
    assert {gate.wait_for_call() for _ in ids} == {"/a", "/b", "/c"}
    gate.open.set()
    for request_id in ids:
        client.result(request_id)


@pytest.mark.parametrize("spelling", ["/w/", "/w/.", "//w/x/.."[1:]])
def test_two_spellings_of_a_folder_are_one_workspace(client: Client, gate: BlockingMethods, spelling: str) -> None:
    first = client.start("test/workspace", {"name": "first", "cwd": "/w"})
    gate.wait_for_call()
    second = client.start("test/workspace", {"name": "second", "cwd": spelling})
    client.wait_until_read()
    assert gate.started == ["first"]
    gate.open.set()
    client.result(first)
    client.result(second)


def test_on_macos_a_folder_in_another_case_is_one_workspace(
    client: Client, gate: BlockingMethods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.rpc.connection.sys", SimpleNamespace(platform="darwin"))
    test_two_spellings_of_a_folder_are_one_workspace(client, gate, "/W")


def test_full_queue_refuses_requests_with_a_retry_time(client: Client, gate: BlockingMethods) -> None:
    ids = [client.start("test/workspace", {"name": str(number), "cwd": "/w"}) for number in range(60)]
    client.wait_until_read()
    refused = [
        client.inbox.responses_to(request_id)[0]["error"] for request_id in ids if client.inbox.responses_to(request_id)
    ]
    assert len(refused) == 60 - 33  # one at the gate, thirty-two behind it
    assert {error["code"] for error in refused} == {-32001}
    assert all(50 <= error["data"]["retryAfterMs"] <= 5_000 for error in refused)
    gate.open.set()
    assert sum("result" in client.answer(request_id) for request_id in ids) == 33


def test_job_beyond_the_maximum_is_refused(client: Client, gate: BlockingMethods) -> None:
    ids = [client.start("test/job", {"name": str(number)}) for number in range(5)]
    client.wait_until_read()
    assert client.answer(ids[-1])["error"]["code"] == -32001
    gate.open.set()
    assert all("result" in client.answer(request_id) for request_id in ids[:-1])


def test_a_client_that_waits_for_each_jobs_answer_is_never_refused(
    open_sidecar: Any, gate: BlockingMethods, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The threads of the earlier jobs have sent their answers and do not get to their end."""
    may_end, put = threading.Event(), Inbox.put

    def put_and_stay(inbox: Inbox, payload: bytes) -> None:
        put(inbox, payload)
        if threading.current_thread().name == "job":
            assert may_end.wait(20)

    monkeypatch.setattr(Inbox, "put", put_and_stay)
    sidecar: MemorySidecar = open_sidecar(methods=gate.rows())
    sidecar.client.initialize()
    gate.open.set()
    assert [sidecar.client.request("test/job", {})["count"] for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    assert not sidecar.app.scheduler.drain(0)
    may_end.set()
    assert sidecar.app.scheduler.drain(20_000)


def test_queue_is_bounded_in_bytes() -> None:
    scheduler = Scheduler(FixedClock(), QueueLimits(workers=1, queued_bytes=1000))
    release, entered = threading.Event(), threading.Event()
    scheduler.submit(QueuedTask(stay(entered, release), None, 900))
    assert entered.wait(20)
    scheduler.submit(QueuedTask(lambda: None, None, 900))
    with pytest.raises(Busy) as busy:
        scheduler.submit(QueuedTask(lambda: None, None, 200))
    assert busy.value.data["retryAfterMs"]
    release.set()
    assert scheduler.drain(20_000)


def test_worker_survives_an_exception_of_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _failed: None)
    scheduler = Scheduler(FixedClock(), QueueLimits(workers=1))
    done = threading.Event()

    def leave() -> None:
        raise SystemExit(3)

    scheduler.submit(QueuedTask(leave, "key", 1))
    scheduler.submit(QueuedTask(done.set, "key", 1))
    assert done.wait(20)
    assert scheduler.close(20_000)


def test_many_threads_submit_and_each_workspace_stays_in_order() -> None:
    scheduler = Scheduler(FixedClock(), QueueLimits(queued=10_000, queued_per_key=10_000))
    seen: dict[str, list[int]] = defaultdict(list)
    inside: dict[str, int] = defaultdict(int)
    overlaps: list[str] = []

    def visit(key: str, number: int) -> None:
        inside[key] += 1
        if inside[key] != 1:
            overlaps.append(key)
        seen[key].append(number)
        inside[key] -= 1

    def submit_all(key: str) -> None:
        for number in range(200):
            scheduler.submit(QueuedTask(lambda number=number: visit(key, number), key, 1))

    threads = [threading.Thread(target=submit_all, args=(f"/{name}",)) for name in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scheduler.drain(20_000)
    assert not overlaps
    assert list(seen.values()) == [list(range(200))] * 12


def test_close_drops_queued_tasks_and_waits_for_running_ones() -> None:
    scheduler = Scheduler(FixedClock(), QueueLimits(workers=1))
    entered, release, second_ran = threading.Event(), threading.Event(), threading.Event()
    scheduler.submit(QueuedTask(stay(entered, release), None, 1))
    assert entered.wait(20)
    scheduler.submit(QueuedTask(second_ran.set, None, 1))
    assert not scheduler.close(1)
    release.set()
    assert scheduler.close(20_000)
    assert not second_ran.is_set()
    with pytest.raises(Busy):
        scheduler.submit(QueuedTask(lambda: None, None, 1))
