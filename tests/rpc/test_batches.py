"""Batches of JSON-RPC 2.0: one array of responses, without notifications."""

from typing import Any

import pytest

from sidecar.method import Lane
from sidecar.rpc.envelope import BatchResponse, response
from sidecar.rpc.framing import MAX_MESSAGE_BYTES
from tests.support.blocking_methods import BlockingMethods
from tests.support.client import Client


def request(request_id: Any, method: str = "ping", **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, **more}


def batch_answer(client: Client) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = client.inbox.wait_for(lambda message: isinstance(message, list))
    return answers


def test_batch_returns_one_array_with_a_response_per_request(client: Client) -> None:
    client.post(
        [request(101), request("b", "settings/get"), {"jsonrpc": "2.0", "method": "ping"}, request(103, "nope")]
    )
    answers = {answer["id"]: answer for answer in batch_answer(client)}
    assert set(answers) == {101, "b", 103}
    assert answers[101]["result"] == {}
    assert answers["b"]["result"]["settings"]
    assert answers[103]["error"]["code"] == -32601


def test_batch_of_notifications_gets_no_response(client: Client) -> None:
    before = len(client.inbox.messages)
    client.post([{"jsonrpc": "2.0", "method": "ping"}, {"jsonrpc": "2.0", "method": "nope"}])
    client.wait_until_read()
    assert len(client.inbox.messages) == before + 1


def test_empty_batch_is_one_invalid_request(client: Client) -> None:
    client.post([])
    answer = client.inbox.wait_for(lambda message: isinstance(message, dict) and "error" in message)
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_each_invalid_member_gets_its_own_error(client: Client) -> None:
    client.post([1, {}, [], request(9), {"jsonrpc": "2.0", "method": 5}])
    answers = batch_answer(client)
    assert sorted(answer.get("error", {}).get("code", 0) for answer in answers) == [-32600] * 4 + [0]


def test_batch_of_responses_is_ignored(client: Client) -> None:
    before = len(client.inbox.messages)
    client.post([{"jsonrpc": "2.0", "id": 1, "result": 1}])
    client.wait_until_read()
    assert len(client.inbox.messages) == before + 1


def test_too_large_batch_is_refused_as_a_whole(client: Client) -> None:
    client.post([request(number) for number in range(257)])
    answer = client.inbox.wait_for(lambda message: isinstance(message, dict) and "error" in message)
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_batch_waits_for_its_slowest_member_and_counts_its_cancellation(open_sidecar: Any) -> None:
    gate = BlockingMethods()
    client: Client = open_sidecar(methods=[gate.row("test/shared", Lane.SHARED)]).client
    client.initialize()
    client.post([request("slow", "test/shared"), request("quick")])
    gate.wait_for_call()
    client.wait_until_read()
    assert not [message for message in client.inbox.messages if isinstance(message, list)]
    client.cancel("slow")
    codes = {answer["id"]: answer.get("error", {}).get("code") for answer in batch_answer(client)}
    assert codes == {"slow": -32800, "quick": None}
    gate.open.set()


def test_initialize_and_later_requests_can_share_a_batch(open_sidecar: Any) -> None:
    client: Client = open_sidecar().client
    client.post(
        [request(1, "initialize", params=client.handshake()), request(2, "settings/get", params={}), request(3)]
    )
    assert all("result" in answer for answer in batch_answer(client))


@pytest.mark.parametrize("members", [1, 3])
def test_batch_response_stays_below_the_message_limit(members: int) -> None:
    sent: list[bytes] = []
    batch = BatchResponse(members, sent.append)
    large = {"result": "x" * (MAX_MESSAGE_BYTES - 1_000_000)}
    for number in range(members):
        batch.add(number, large)
    assert len(sent) == 1
    assert len(sent[0]) <= MAX_MESSAGE_BYTES
    assert sent[0].count(b'"code":-32013') == members - 1


def test_response_larger_than_a_message_becomes_an_error() -> None:
    assert b'"code":-32013' in response(1, {"result": "x" * MAX_MESSAGE_BYTES})


def test_response_that_is_not_json_becomes_an_error() -> None:
    assert b'"code":-32603' in response(1, {"result": "\ud800"})
