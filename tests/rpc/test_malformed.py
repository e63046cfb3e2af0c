"""An invalid message gets the standard's error, and the next message is served."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from sidecar.rpc import MAX_MESSAGE_BYTES, Refused
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import SidecarProcess

MARKER = "kumquat"
"""Content of the user's that no error may repeat."""

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602

NOT_JSON = [
    b"hello kumquat",
    b'{"jsonrpc":"2.0","id":1,"method":"ping"',
    b'{"jsonrpc":"2.0","id":1,"method":"ping"} kumquat',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":NaN}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":Infinity}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e400}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":"\xff kumquat"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":"\xed\xa0\x80"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 2000 + b"]" * 2000 + b"}",
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 200 + b"]" * 200 + b"}",
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 300 + b"1" + b"}" * 300 + b"}",
    b"[" * 100_000,
    b"'single'",
    b"\x00",
    b"Content-Length: 2",
]

NOT_A_REQUEST: list[tuple[Any, Any]] = [
    (1, None),
    ("kumquat", None),
    (None, None),
    (True, None),
    ([], None),
    ({}, None),
    ({"kumquat": 1}, None),
    ({"jsonrpc": "2.0", "id": 7}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": 1}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": None}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": {"kumquat": 1}}, 7),
    ({"jsonrpc": "1.0", "id": 7, "method": "ping"}, 7),
    ({"jsonrpc": 2.0, "id": 7, "method": "ping"}, 7),
    ({"id": 7, "method": "ping"}, 7),
    ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
    ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, None),
    ({"jsonrpc": "2.0", "id": {"kumquat": 1}, "method": "ping"}, None),
    ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": "kumquat"}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": 1}, 7),
    ({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": None}, 7),
]


def _is_error(message: Any) -> bool:
    return isinstance(message, dict) and "error" in message


def assert_refused(client: Client, code: int, request_id: Any) -> dict[str, Any]:
    """Assert that the last message is the only error, repeats nothing, and that a ping is served after it."""
    client.inbox.wait_for(_is_error)
    client.wait_until_read()
    errors = [message for message in client.inbox.messages if _is_error(message)]
    assert len(errors) == 1
    assert errors[0]["error"]["code"] == code
    assert errors[0]["id"] == request_id
    assert type(errors[0]["id"]) is type(request_id)
    assert MARKER not in str(errors[0])
    error: dict[str, Any] = errors[0]["error"]
    return error


@pytest.mark.parametrize("message", NOT_JSON, ids=range(len(NOT_JSON)))
def test_message_that_is_not_json_is_a_parse_error_without_an_id(client: Client, message: bytes) -> None:
    client.send(message)
    assert_refused(client, PARSE_ERROR, None)


@pytest.mark.parametrize(("message", "request_id"), NOT_A_REQUEST)
def test_json_that_is_not_a_request_is_an_invalid_request(client: Client, message: Any, request_id: Any) -> None:
    client.post(message)
    assert_refused(client, INVALID_REQUEST, request_id)


def test_id_too_large_to_be_exact_is_refused(client: Client) -> None:
    client.send(b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}')
    assert_refused(client, INVALID_REQUEST, None)


@pytest.mark.parametrize("request_id", [0, -1, 2**63, 1.5, "", "ü", "1"])
def test_any_string_or_number_is_returned_as_the_same_id(client: Client, request_id: Any) -> None:
    client.post({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    assert client.answer(request_id)["result"] == {}


def test_request_with_a_null_id_is_answered_with_null(client: Client) -> None:
    client.post({"jsonrpc": "2.0", "id": None, "method": "settings/get", "params": {}})
    assert "result" in client.answer(None)


@pytest.mark.parametrize("method", ["nope", "rpc.nope", "exit", "$/cancelRequest", "$/progress", "", "x" * 100_000])
def test_unknown_method_is_not_found(client: Client, method: str) -> None:
    request_id = client.start(method, {"text": MARKER})
    error = assert_refused(client, NOT_FOUND, request_id)
    assert len(error["message"]) < 200


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("settings/get", {"kumquat with spaces": 1}),
        ("settings/get", {"projectPath": 1}),
        ("settings/get", {"projectPath": ["kumquat"]}),
        ("settings/get", {"projectPath": ""}),
        ("settings/get", ["kumquat"]),
        ("settings/get", [1, 2]),
        ("settings/update", {}),
        ("settings/update", []),
        ("settings/update", {"settings": {"mode": "kumquat"}}),
        ("settings/update", {"settings": {"memoryBranch": "kumquat kumquat"}}),
        ("settings/update", {"settings": {"budgets": {"kumquat kumquat": 1}}}),
        ("settings/update", {"settings": "kumquat"}),
        ("ping", {"kumquat": 1}),
        ("ping", ["kumquat"]),
        ("shutdown", {"kumquat": 1}),
    ],
)
def test_invalid_params_are_refused_without_repeating_their_values(client: Client, method: str, params: Any) -> None:
    request_id = client.start(method, params)
    assert client.answer(request_id)["error"]["code"] == INVALID_PARAMS
    assert_refused(client, INVALID_PARAMS, request_id)


def test_unknown_field_is_named_in_the_error(client: Client) -> None:
    failure = client.error("settings/get", {"projektPath": "/x"})
    problem = {"path": "projektPath", "problem": "is unknown; did you mean `projectPath`"}
    assert failure.data["errors"] == [problem]
    assert failure.message == "There is no member `projektPath`; did you mean `projectPath`?"
    assert failure.data["hint"] == "METHODS.md lists the params of settings/get."


@pytest.mark.parametrize(
    ("method", "params", "sentence"),
    [
        ("settings/update", {"settings": {"mode": 1}}, "`settings.mode` must be one of off, passive, active."),
        ("settings/update", {}, "`settings` is missing."),
        ("settings/update", {"settings": {"memoryBranch": "main"}}, "`settings.memoryBranch` must be the name of a "),
        (
            "settings/update",
            {"settings": {"budgets.context": 5000}},
            'There is no member `settings.budgets.context`; nest it: {"budgets": {"context": …}}.',
        ),
        ("state/purge", {"kinds": []}, "`kinds` must not be empty."),
        ("state/purge", {"kinds": "runs"}, "`kinds` must be a list."),
        ("governor/status", {"subChatId": ""}, "`subChatId` must not be empty."),
        ("state/purge", {}, "The params must name a project, an age, or kinds."),
        ("continuity/explain", {"runId": "a", "projectPath": "/b"}, "The params must have at most one of"),
        ("metrics/summary", {"days": 0}, "`days` must be at least 1."),
        ("hook/run", {}, "`event` and `input` are missing."),
        (
            "hook/run",
            {"evant": "Stop", "input": 1},
            "There is no member `evant`; did you mean `event`? There are 2 more",
        ),
        ("continuity/preRun", {}, "`runId`, `subChatId`, `provider`, `mode` and 3 more are missing."),
    ],
)
def test_an_invalid_value_is_refused_in_one_plain_sentence(
    client: Client, method: str, params: dict[str, Any], sentence: str
) -> None:
    assert client.error(method, params).message.startswith(sentence)


def test_no_method_has_an_internal_error_on_params_of_the_wrong_shape(sidecar: MemorySidecar) -> None:
    wrong: list[Any] = [[], [1], {}, {"kumquat": {}}, {"cwd": 1}, {"cwd": "relative", "projectPath": 2}]
    names = [method["name"] for method in sidecar.client.request("rpc.discover")["methods"]]
    client = sidecar.client
    for name in set(names) - {"initialize", "shutdown"}:
        for params in wrong:
            answer = client.answer(client.start(name, params))
            assert "result" in answer or answer["error"]["code"] != -32603, (name, params, answer)
            assert "result" in answer or MARKER not in answer["error"]["message"].replace("`kumquat`", "")


def test_id_in_flight_cannot_be_used_twice(start_process: Callable[..., SidecarProcess]) -> None:
    client = start_process().client
    client.request("initialize", client.handshake())
    client.post([{"jsonrpc": "2.0", "id": "a", "method": "settings/get"}] * 2 + [ping("a")])
    answers = client.inbox.wait_for(lambda message: isinstance(message, list))
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert sorted(codes, key=str) == [INVALID_REQUEST, INVALID_REQUEST, None]
    assert client.request("ping") == {}


def ping(request_id: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": "ping"}


def test_responses_from_the_client_are_ignored(client: Client) -> None:
    client.post({"jsonrpc": "2.0", "id": 1000, "result": {}})
    client.post({"jsonrpc": "2.0", "id": 1001, "error": {"code": 1, "message": "x"}})
    client.wait_until_read()
    assert not client.inbox.responses_to(1000)
    assert not client.inbox.responses_to(1001)


@pytest.mark.parametrize(
    ("refused", "code"),
    [(Refused.TOO_LARGE, -32013), (Refused.BAD_HEADER, INVALID_REQUEST), (Refused.CUT_OFF, PARSE_ERROR)],
)
def test_bytes_that_are_not_a_message_get_an_error_without_an_id(
    sidecar: MemorySidecar, refused: Refused, code: int
) -> None:
    sidecar.app.connection.receive(refused)
    assert_refused(sidecar.client, code, None)


def test_line_over_16_mib_is_refused_and_the_next_message_is_read(process: SidecarProcess) -> None:
    process.write(b'{"jsonrpc":"2.0","id":5,"method":"ping","params":"' + b"x" * MAX_MESSAGE_BYTES + b'"}\n')
    error = assert_refused(process.client, -32013, None)
    assert error["data"]["limitBytes"] == MAX_MESSAGE_BYTES


def test_message_of_16_mib_is_accepted(process: SidecarProcess) -> None:
    message = orjson.dumps({"jsonrpc": "2.0", "id": 5, "method": "ping", "padding": ""})
    padding = b"x" * (MAX_MESSAGE_BYTES - len(message))
    process.write(message.replace(b'"padding":""', b'"padding":"' + padding + b'"') + b"\r\n")
    assert process.client.answer(5)["result"] == {}


def test_partial_line_at_the_end_is_a_parse_error(process: SidecarProcess) -> None:
    process.write(b'{"jsonrpc":"2.0","id":5,"meth')
    process.close_stdin()
    assert process.wait() == 0
    answer = process.inbox.wait_for(lambda message: "error" in message)
    assert (answer["id"], answer["error"]["code"]) == (None, PARSE_ERROR)


def test_last_line_without_a_newline_is_served(process: SidecarProcess) -> None:
    process.write(b'{"jsonrpc":"2.0","id":5,"method":"ping"}')
    process.close_stdin()
    assert process.client.answer(5)["result"] == {}
