"""The handshake comes first, once; shutdown and exit end in order."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.blocking_methods import BlockingMethods
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar
from tests.support.rpc_failures import StillWaiting


@pytest.fixture
def fresh(open_sidecar: Any) -> Client:
    client: Client = open_sidecar().client
    return client


@pytest.mark.parametrize("method", ["ping", "shutdown", "settings/get", "rpc.discover", "nope"])
def test_requests_before_initialize_fail_with_not_initialized(fresh: Client, method: str) -> None:
    assert fresh.error(method).code == -32002


def test_notifications_before_initialize_are_dropped(fresh: Client) -> None:
    fresh.notify("settings/get")
    fresh.notify("$/cancelRequest", {"id": 1})
    fresh.notify("nope")
    fresh.initialize()
    assert len(fresh.inbox.messages) == 2


def test_initialize_returns_the_server_and_the_state(fresh: Client) -> None:
    result = fresh.initialize()
    assert result["protocolVersion"] == 1
    assert result["serverInfo"]["name"] == "onecode-sidecar"
    assert result["limits"] == {"maxMessageBytes": 16 * 1024 * 1024}
    assert result["state"] == {"schema": result["state"]["schema"], "degraded": False, "warnings": []}


@pytest.mark.parametrize("version", [0, 2, 99])
def test_other_protocol_version_is_refused_with_the_supported_ones(fresh: Client, version: int) -> None:
    failure = fresh.error("initialize", {**fresh.handshake(), "protocolVersion": version})
    assert failure.code == -32602
    assert failure.data["supportedVersions"] == [1]
    assert failure.data["hint"]


@pytest.mark.parametrize(
    "change",
    [
        {"protocolVersion": "1"},
        {"clientInfo": {}},
        {"stateDir": 1},
        {"stateDir": "relative/path"},
        {"logDir": "relative/path"},
        {"processId": 0},
        {"settings": {"mode": "sideways"}},
        {"settings": {"nope": 1}},
        {"unknown": 1},
    ],
)
def test_failed_initialize_can_be_retried(fresh: Client, change: dict[str, Any]) -> None:
    assert fresh.error("initialize", {**fresh.handshake(), **change}).code == -32602
    assert fresh.error("ping").code == -32002
    fresh.initialize()


def test_initialize_can_be_retried_after_its_folder_could_not_be_created(fresh: Client, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    failure = fresh.error("initialize", {**fresh.handshake(), "stateDir": str(tmp_path / "file" / "state")})
    assert failure.code == -32012
    fresh.initialize()


def test_second_initialize_is_refused_and_changes_nothing(client: Client) -> None:
    assert client.error("initialize", client.handshake()).code == -32600
    assert client.request("ping") == {}


def test_initialize_without_an_id_does_nothing(fresh: Client) -> None:
    fresh.notify("initialize", fresh.handshake())
    assert fresh.error("ping").code == -32002


def test_requests_right_after_initialize_are_answered(fresh: Client) -> None:
    ids = [fresh.start("initialize", fresh.handshake())]
    ids += [fresh.start("settings/get", {}) for _ in range(20)] + [fresh.start("nope")]
    answers = [fresh.answer(request_id) for request_id in ids]
    assert all("result" in answer for answer in answers[:-1])
    assert answers[-1]["error"]["code"] == -32601


def test_ping_takes_no_params_and_returns_an_empty_object(client: Client) -> None:
    assert client.request("ping") == {}
    assert client.request("ping", {}) == {}
    assert client.request("ping", []) == {}


def test_discover_lists_every_method(client: Client) -> None:
    names = {method["name"] for method in client.request("rpc.discover")["methods"]}
    assert {"initialize", "ping", "shutdown", "settings/get", "settings/update"} <= names


def test_requests_after_shutdown_are_refused_and_running_ones_answered(open_sidecar: Any) -> None:
    gate = BlockingMethods()
    sidecar: MemorySidecar = open_sidecar(methods=gate.rows())
    client = sidecar.client
    client.initialize()
    running = client.start("test/shared", {})
    gate.wait_for_call()
    assert client.request("shutdown") == {}
    for method in ("ping", "settings/get", "shutdown", "initialize"):
        assert client.error(method).code == -32600
    gate.open.set()
    assert client.result(running)["count"] == 1


@pytest.mark.parametrize(("shut_down", "status"), [(True, 0), (False, 1)])
def test_exit_status_is_0_after_shutdown_and_1_without(sidecar: MemorySidecar, shut_down: bool, status: int) -> None:
    if shut_down:
        sidecar.client.request("shutdown")
    assert sidecar.app.connection.exit_code is None
    sidecar.client.notify("exit")
    assert sidecar.app.connection.exit_code == status


def test_invalid_notifications_get_no_response(client: Client) -> None:
    before = len(client.inbox.messages)
    for method in ("nope", "settings/get", "settings/update", "ping", "shutdown", "initialize", "$/progress"):
        shapes: tuple[Any, ...] = (None, {}, [], [1], {"x": 1})
        for params in shapes:
            client.notify(method, params)
    wrong: tuple[Any, ...] = ({}, [], {"id": None}, {"id": [1]}, {"id": True}, {"id": "unknown"})
    for params in wrong:
        client.notify("$/cancelRequest", params)
    client.wait_until_read()
    assert len(client.inbox.messages) == before + 1


def test_number_of_requests_during_loading_is_bounded(open_sidecar: Any) -> None:
    may_load = threading.Event()
    client: Client = open_sidecar(may_load=may_load).client
    client.request("initialize", client.handshake())
    ids = [client.start("settings/get", {}) for _ in range(300)]
    client.wait_until_read()
    refused = [answer for request_id in ids for answer in client.inbox.responses_to(request_id)]
    assert {answer["error"]["code"] for answer in refused} == {-32001}
    assert len(refused) == 300 - 256
    may_load.set()
    assert all("result" in client.answer(request_id) for request_id in ids[:256])


def test_process_ends_with_a_reason_if_methods_cannot_be_loaded(open_sidecar: Any) -> None:
    sidecar: MemorySidecar = open_sidecar(methods=[None])
    with pytest.raises(StillWaiting):
        sidecar.client.initialize()
    assert sidecar.ended_with == [(70, "the methods could not be loaded")]
