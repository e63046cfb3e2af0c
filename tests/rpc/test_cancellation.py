"""A cancelled request is answered once, with -32800, wherever it was."""

import random
import threading
from typing import Any

import pytest

from sidecar.method import Lane
from tests.support.blocking_methods import BlockingMethods
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar

CANCELLED = -32800


@pytest.fixture
def gate() -> BlockingMethods:
    return BlockingMethods()


@pytest.fixture
def sidecar(open_sidecar: Any, gate: BlockingMethods) -> MemorySidecar:
    sidecar: MemorySidecar = open_sidecar(methods=gate.rows())
    sidecar.client.initialize()
    return sidecar


@pytest.fixture
def client(sidecar: MemorySidecar) -> Client:
    return sidecar.client


def assert_cancelled_once(sidecar: MemorySidecar, request_id: object) -> None:
    sidecar.client.answer(request_id)
    assert sidecar.app.scheduler.drain(20_000)
    answers = sidecar.inbox.responses_to(request_id)
    assert [answer["error"]["code"] for answer in answers] == [CANCELLED]


@pytest.mark.parametrize("method", ["test/shared", "test/workspace", "test/job"])
def test_cancelling_a_running_request_answers_it_immediately_and_stops_its_work(
    sidecar: MemorySidecar, gate: BlockingMethods, method: str
) -> None:
    request_id = sidecar.client.start(method, {})
    gate.wait_for_call()
    sidecar.client.cancel(request_id)
    assert sidecar.client.answer(request_id)["error"]["code"] == CANCELLED
    gate.open.set()
    assert_cancelled_once(sidecar, request_id)
    assert gate.saw_cancellation.is_set()


def test_cancelled_queued_request_never_runs(sidecar: MemorySidecar, gate: BlockingMethods) -> None:
    client = sidecar.client
    first = client.start("test/workspace", {"name": "first", "cwd": "/w"})
    gate.wait_for_call()
    queued = [client.start("test/workspace", {"name": str(number), "cwd": "/w"}) for number in range(3)]
    client.cancel(queued[1])
    assert client.answer(queued[1])["error"]["code"] == CANCELLED
    gate.open.set()
    client.result(first)
    client.result(queued[2])
    assert_cancelled_once(sidecar, queued[1])
    assert gate.started == ["first", "0", "2"]


def test_cancelled_request_frees_its_place_in_the_queue(client: Client, gate: BlockingMethods) -> None:
    ids = [client.start("test/workspace", {"name": str(number), "cwd": "/w"}) for number in range(33)]
    client.wait_until_read()
    for request_id in ids[1:]:
        client.cancel(request_id)
    again = client.start("test/workspace", {"name": "again", "cwd": "/w"})
    gate.open.set()
    assert "result" in client.answer(again)


def test_cancelling_an_answered_or_unknown_request_does_nothing(sidecar: MemorySidecar) -> None:
    client = sidecar.client
    request_id = client.start("settings/get", {})
    client.result(request_id)
    for target in (request_id, 999, "x", 1.5):
        client.cancel(target)
    client.wait_until_read()
    assert len(sidecar.inbox.responses_to(request_id)) == 1


def test_request_cancelled_before_the_methods_are_loaded_never_runs(open_sidecar: Any, gate: BlockingMethods) -> None:
    may_load = threading.Event()
    sidecar: MemorySidecar = open_sidecar(methods=gate.rows(), may_load=may_load)
    client = sidecar.client
    gate.open.set()
    client.start("initialize", client.handshake())
    ids = [client.start("test/workspace", {"name": str(number), "cwd": "/w"}) for number in range(10)]
    for request_id in ids[:5]:
        client.cancel(request_id)
        assert client.answer(request_id)["error"]["code"] == CANCELLED
    may_load.set()
    for request_id in ids[5:]:
        client.result(request_id)
    for request_id in ids[:5]:
        assert_cancelled_once(sidecar, request_id)
    assert gate.started == [str(number) for number in range(5, 10)]


def test_id_can_be_reused_after_its_request_was_cancelled(sidecar: MemorySidecar, gate: BlockingMethods) -> None:
    client = sidecar.client
    client.start("test/job", {"name": "old"}, id=50)
    gate.wait_for_call()
    client.cancel(50)
    client.answer(50)
    client.start("test/job", {"name": "new"}, id=50)
    gate.wait_for_call()
    gate.open.set()
    answers = sidecar.inbox.wait_for_count(lambda message: message.get("id") == 50, 2)
    assert sidecar.app.scheduler.drain(20_000)
    assert [answer.get("error", {}).get("code") or answer["result"]["name"] for answer in answers] == [CANCELLED, "new"]


def test_identical_requests_share_one_computation(sidecar: MemorySidecar, gate: BlockingMethods) -> None:
    client = sidecar.client
    ids = [client.start("test/shared", {"name": "same", "cwd": "x"}) for _ in range(20)]
    other = client.start("test/shared", {"name": "other"})
    gate.open.set()
    counts = {client.result(request_id)["count"] for request_id in ids}
    assert len(counts) == 1
    client.result(other)
    assert sorted(gate.started) == ["other", "same"]


def test_requests_with_reordered_params_are_identical(client: Client, gate: BlockingMethods) -> None:
    first = client.start("test/shared", {"name": "a", "cwd": "b"})
    second = client.start("test/shared", {"cwd": "b", "name": "a"})
    gate.open.set()
    assert client.result(first) == client.result(second)
    assert len(gate.started) == 1


@pytest.mark.parametrize("cancelled", [0, 1, 2])
def test_cancelling_one_of_several_identical_requests_leaves_the_others(
    sidecar: MemorySidecar, gate: BlockingMethods, cancelled: int
) -> None:
    client = sidecar.client
    ids = [client.start("test/shared", {"name": "same"}) for _ in range(3)]
    gate.wait_for_call()
    client.cancel(ids[cancelled])
    gate.open.set()
    assert_cancelled_once(sidecar, ids[cancelled])
    for request_id in set(ids) - {ids[cancelled]}:
        assert client.result(request_id)["count"] == 1


def test_cancelling_all_identical_requests_stops_the_work_and_the_next_one_runs_again(
    sidecar: MemorySidecar, gate: BlockingMethods
) -> None:
    client = sidecar.client
    ids = [client.start("test/shared", {"name": "same"}) for _ in range(3)]
    gate.wait_for_call()
    for request_id in ids:
        client.cancel(request_id)
    again = client.start("test/shared", {"name": "same"})
    gate.wait_for_call()
    gate.open.set()
    assert client.result(again)["count"] == 2
    for request_id in ids:
        assert_cancelled_once(sidecar, request_id)
    assert gate.saw_cancellation.is_set()


def test_number_of_identical_requests_is_bounded_and_each_is_answered(client: Client, gate: BlockingMethods) -> None:
    ids = [client.start("test/shared", {"name": "same"}) for _ in range(700)]
    gate.open.set()
    codes = [client.answer(request_id).get("error", {}).get("code") for request_id in ids]
    assert set(codes) == {None, -32001}
    assert codes.count(None) >= 512


def test_many_cancelled_requests_leave_nothing_behind(sidecar: MemorySidecar, gate: BlockingMethods) -> None:
    client = sidecar.client
    remaining = client.start("test/shared", {"name": "same"})
    gate.wait_for_call()
    for _ in range(2000):
        client.cancel(client.start("test/shared", {"name": "same"}))
    client.wait_until_read()
    connection = sidecar.app.connection
    (leader,) = connection._coalescer._leaders.values()
    assert leader.followers == []
    assert len(connection._in_flight) == connection._in_flight_count == 1
    gate.open.set()
    client.result(remaining)


def test_concurrent_requests_and_cancellations_are_answered_exactly_once(open_sidecar: Any) -> None:
    gate = BlockingMethods()
    gate.open.set()
    sidecar: MemorySidecar = open_sidecar(methods=(*gate.rows(), gate.row("test/other", Lane.SHARED)))
    client = sidecar.client
    client.initialize()
    dice = random.Random(7)
    sent: list[int] = []
    reading = threading.Lock()  # one stream: messages arrive one after another, from whatever thread

    def storm(offset: int) -> None:
        for number in range(150):
            request_id = 10_000 * offset + number + 1_000
            method = dice.choice(["test/shared", "test/workspace", "test/job", "test/other", "settings/get"])
            params = {} if method == "settings/get" else {"name": str(number % 5), "cwd": f"/{number % 3}"}
            with reading:
                client.start(method, params, id=request_id)
                sent.append(request_id)
                if dice.random() < 0.5:
                    client.cancel(dice.choice(sent))

    threads = [threading.Thread(target=storm, args=(offset,)) for offset in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for request_id in sent:
        client.answer(request_id)
    assert sidecar.app.scheduler.drain(20_000)
    assert [len(sidecar.inbox.responses_to(request_id)) for request_id in sent] == [1] * len(sent)
    codes = {answer.get("error", {}).get("code") for answer in sidecar.inbox.messages}
    assert codes <= {None, CANCELLED, -32001}
    assert not sidecar.app.connection._in_flight
