"""Tests of the log: it records what happened, and never contains client input."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.system import log as log_module
from sidecar.system.log import Log
from tests.support.clock import FixedClock
from tests.support.process import SERVE_WITH_ROWS, SidecarProcess
from tests.support.secret_shapes import TOKENS

MARKER = "kumquat-4711"


def records_of(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for path in sorted(folder.glob("*.log*")) for line in path.read_bytes().splitlines()]


def marked(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """Return a value for a JSON Schema with the marker in every text."""
    if "$ref" in schema:
        return marked(schemas[schema["$ref"].rsplit("/", 1)[-1]], schemas)
    for alternatives in ("anyOf", "oneOf"):
        if alternatives in schema:
            return marked(schema[alternatives][0], schemas)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            return {name: marked(inner, schemas) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [marked(schema.get("items", {}), schemas)]
        case "integer" | "number":
            return max(1, int(schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)))
        case "boolean":
            return True
        case _:
            return f"/nowhere/{MARKER}"


def test_client_input_never_reaches_the_log(start_process: Callable[..., SidecarProcess], tmp_path: Path) -> None:
    process = start_process(command=SERVE_WITH_ROWS)
    client = process.client
    client.initialize(logDir=str(tmp_path / "logs"), clientInfo={"name": MARKER, "version": MARKER})
    document = client.request("rpc.discover")
    schemas = document.get("components", {}).get("schemas", {})
    sent = [client.start("test/fail", {"text": MARKER}), client.start(f"no such {MARKER}", {"x": MARKER})]
    for method in document["methods"]:
        if method["name"] in {"initialize", "shutdown", "ping"}:
            continue
        params = {param["name"]: marked(param["schema"], schemas) for param in method["params"]}
        sent.append(client.start(method["name"], params))
        sent.append(client.start(method["name"], {**params, MARKER: MARKER}))
        sent.append(client.start(method["name"], dict.fromkeys(params, MARKER)))
        sent.append(client.start(method["name"], [MARKER]))
    for request_id in sent:
        client.answer(request_id)
    for wrong in (f'"{MARKER}"', f"{MARKER}", f'{{"jsonrpc":"2.0","id":["{MARKER}"],"method":"{MARKER}"}}'):
        client.send(wrong.encode())
    client.notify(f"{MARKER} {MARKER}", {"x": MARKER})
    client.wait_until_read()
    process.close_stdin()
    process.wait()
    written = process.stderr() + b"".join(path.read_bytes() for path in (tmp_path / "logs").iterdir())
    assert MARKER.encode() not in written
    records = records_of(tmp_path / "logs")
    assert {record["id"] for record in records if record["event"] == "request"} >= set(sent)


def test_a_secret_in_the_name_of_a_method_or_member_or_in_an_id_is_neither_logged_nor_returned(
    start_process: Callable[..., SidecarProcess], tmp_path: Path
) -> None:
    process = start_process()
    client = process.client
    client.initialize(logDir=str(tmp_path / "logs"))
    secrets = [TOKENS[name].text for name in ("Supabase", "Shippo", "GitHub app")]
    for secret in secrets:
        errors = [client.error(secret), client.error("settings/get", {secret: 1})]
        errors.append(client.error("settings/update", {"settings": {secret: 1}}))
        assert secret not in str([(error.message, error.data) for error in errors])
        client.post({"jsonrpc": "2.0", "id": secret, "method": "settings/get", "params": {}})
        client.answer(secret)
    process.close_stdin()
    process.wait()
    written = process.stderr() + b"".join(path.read_bytes() for path in (tmp_path / "logs").iterdir())
    assert [secret for secret in secrets if secret.encode() in written] == []


def test_an_internal_error_is_logged_with_its_incident_id(
    start_process: Callable[..., SidecarProcess], tmp_path: Path
) -> None:
    process = start_process(command=SERVE_WITH_ROWS)
    process.client.initialize(logDir=str(tmp_path / "logs"))
    for method, kind in (("test/fail", "RuntimeError"), ("test/leave", "SystemExit")):
        failure = process.client.error(method, {"text": MARKER} if method == "test/fail" else {})
        assert failure.code == -32603
        incident_id = failure.data["incidentId"]
        assert incident_id in failure.message
        assert process.client.request("ping") == {}
        incident = orjson.loads(process.stderr_lines(b'"incidentId":"' + incident_id.encode())[0])
        assert incident["kind"] == kind
        assert any("misbehaving_methods.py" in frame for frame in incident["frames"])


def test_every_line_is_one_json_object_with_time_level_and_event(
    start_process: Callable[..., SidecarProcess], tmp_path: Path
) -> None:
    process = start_process()
    process.client.initialize(logDir=str(tmp_path / "logs"))
    process.client.error("nope")
    process.client.notify("exit")
    process.wait()
    in_file = records_of(tmp_path / "logs")
    assert in_file == [orjson.loads(line) for line in process.stderr().splitlines()]
    assert all({"at", "level", "event"} <= record.keys() for record in in_file)
    assert in_file[0]["method"] == "initialize"
    assert [record["status"] for record in in_file if record["event"] == "ended"] == [1]


def test_the_file_rotates_by_size_and_files_of_old_processes_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "FILE_BYTES", 2_000)
    for number in range(40):
        (tmp_path / f"sidecar-{number}.log").touch()
    log = Log(FixedClock())
    log.attach(tmp_path, 99)
    for number in range(100):
        log.info("event", number=number)
        log.flush(5, bytes)
    log.close()
    assert {path.name for path in tmp_path.glob("sidecar-99*")} == {"sidecar-99.log", "sidecar-99.log.1"}
    assert all(path.stat().st_size <= 2_000 for path in tmp_path.glob("sidecar-99*"))
    assert len(list(tmp_path.iterdir())) <= log_module.MAX_PROCESSES * log_module.MAX_FILES_PER_PROCESS + 2


def test_an_unusable_log_folder_causes_a_warning_only(client_in: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    process = client_in(str(tmp_path / "file"))
    assert process.client.request("ping") == {}
    process.close_stdin()
    process.wait()
    assert b'"log.file.unavailable"' in process.stderr()


@pytest.fixture
def client_in(start_process: Callable[..., SidecarProcess]) -> Callable[[str], SidecarProcess]:
    def start(log_dir: str) -> SidecarProcess:
        process = start_process()
        process.client.initialize(logDir=log_dir)
        return process

    return start


def test_records_logged_before_attach_come_first(tmp_path: Path) -> None:
    log = Log(FixedClock())
    log.info("early")
    log.attach(tmp_path, 1)
    log.info("late", path=tmp_path)
    log.warning("odd", text="\ud800")
    log.close()
    assert [record["event"] for record in records_of(tmp_path)] == ["early", "late", "odd"]


def test_a_log_that_was_never_attached_can_be_flushed() -> None:
    log = Log(FixedClock())
    log.error("failed early")
    written: list[bytes] = []
    log.flush(1, written.append)
    assert [orjson.loads(line)["event"] for line in written] == ["failed early"]


def test_pending_records_are_bounded_and_the_newest_survive() -> None:
    log = Log(FixedClock())
    for number in range(log_module.MAX_PENDING_RECORDS + 10):
        log.info("event", number=number)
    written: list[bytes] = []
    log.flush(1, written.append)
    assert len(written) == log_module.MAX_PENDING_RECORDS
    assert orjson.loads(written[-1])["number"] == log_module.MAX_PENDING_RECORDS + 9


def test_the_log_does_not_write_into_other_libraries_loggers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = Log(FixedClock())
    log.attach(tmp_path, 1)
    log.info("event")
    log.close()
    assert not caplog.records
    assert "sidecar" not in logging.Logger.manager.loggerDict
