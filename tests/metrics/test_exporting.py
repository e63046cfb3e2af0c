"""Exports are off unless set; then they tell the state file's sums, without projects, prompts and paths."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from sidecar.metrics import count_call
from sidecar.metrics.exported import COUNTERS, readings
from sidecar.metrics.exporting import _Exporter, emit
from sidecar.metrics.store import lifetime
from sidecar.metrics.telemetry import Measure
from sidecar.settings.table import problem_with
from tests.support.collector import Collector, open_collector
from tests.support.knowledge import Knowledge, item
from tests.support.memory import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, Talk, active, set_settings, shop, talk

__all__ = ["active", "shop", "talk"]


@pytest.fixture
def collector() -> Iterator[Collector]:
    """An endpoint on this machine."""
    with open_collector() as one:
        yield one


def points(sent: ExportMetricsServiceRequest) -> dict[str, list[tuple[dict[str, str], float]]]:
    scopes = (scope for resource in sent.resource_metrics for scope in resource.scope_metrics)
    return {
        metric.name: [
            ({one.key: one.value.string_value for one in point.attributes}, point.as_double or point.as_int)
            for point in metric.sum.data_points
        ]
        for scope in scopes
        for metric in scope.metrics
    }


def test_nothing_is_exported_unless_it_is_set(talk: Talk, active: MemorySidecar) -> None:
    talk().turn(PROMPT)
    process = active.app.process
    assert process is not None
    assert process.settings("")["metrics.otlpEndpoint"] is None
    assert process.settings("")["metrics.prometheusFile"] is None
    assert not process.has_part(_Exporter)


def test_the_endpoint_is_told_the_sums_of_the_state_file_and_the_syncs_own_names(
    talk: Talk, active: MemorySidecar, shop: Repository, collector: Collector
) -> None:
    address, got = collector
    chat = talk()
    chat.turn(PROMPT)
    set_settings(chat, metrics={"otlpEndpoint": address})
    chat.turn("go on")
    process = active.app.process
    assert process is not None
    process.database.behind.flush()
    exporter = process.part(_Exporter, lambda: pytest.fail("it was made by the run"))
    emit(process, [Measure("counter", "sync.operations.total", 1, (("type", "full"),))])
    assert process.settle(20)
    exporter._reader.force_flush()
    path, sent = got[-1]
    assert path == "/v1/metrics"
    told = points(sent)
    assert told["continuity.calls"] == [({"provider": "claude", "mode": "active"}, 2)]
    assert told["continuity.outcomes"] == [({"provider": "claude", "mode": "active", "outcome": "completed"}, 2)]
    assert told["sync.operations.total"] == [({"type": "full"}, 1)]
    last = [value for labels, value in told["continuity.prerun.duration.bucket"] if labels["le"] == "+Inf"]
    assert last == [2]
    assert {one.key: one.value.string_value for one in sent.resource_metrics[0].resource.attributes}[
        "service.name"
    ] == "onecode-sidecar"
    with process.database.read() as tx:
        counted = readings(lifetime(tx))
        project = tx.execute("SELECT DISTINCT project FROM continuity_metrics WHERE project <> ''").get
    for row, ones in counted.items():
        assert [value for _, value in told[row.name]] == [one.value for one in ones]
    body = str(sent)
    assert not any(secret in body for secret in (str(shop.path), str(project), "discount", "cart"))


def test_at_its_end_the_process_tells_the_endpoint_once_more_and_a_dead_one_does_not_hold_it(
    open_sidecar: Callable[..., MemorySidecar], collector: Collector
) -> None:
    address, got = collector
    for number, endpoint in enumerate((address, "http://127.0.0.1:9")):
        one = open_sidecar()
        one.client.initialize(settings={"metrics": {"otlpEndpoint": endpoint}})
        one.client.request("settings/get", {})
        process = one.app.process
        assert process is not None
        with process.database.write() as tx:
            count_call(tx, "p", "claude", shadow=False, now_ms=one.clock.now_ms(), measures={"calls": 1})
        _Exporter(process).update()
        before, began_ms = len(got), process.clock.monotonic_ms()
        process.end()
        assert process.clock.monotonic_ms() - began_ms < 2_000
        assert (len(got) > before) is (number == 0)


def test_the_file_for_prometheus_is_read_by_its_own_parser_and_rewritten_after_each_run(
    talk: Talk, active: MemorySidecar, tmp_path: Path
) -> None:
    target = tmp_path / "onecode.prom"
    chat = talk()
    set_settings(chat, metrics={"prometheusFile": str(target)})
    process = active.app.process
    assert process is not None

    def told() -> dict[str, Any]:
        process.database.behind.flush()
        return {family.name: family for family in text_string_to_metric_families(target.read_text())}

    chat.turn(PROMPT)
    assert [sample.value for sample in told()["continuity_calls"].samples] == [1]
    chat.turn("go on")
    families = told()
    sample = families["continuity_calls"].samples[0]
    assert (sample.name, sample.labels, sample.value) == (
        "continuity_calls_total", {"mode": "active", "provider": "claude"}, 2,
    )  # fmt: skip
    durations = {
        (one.name.rpartition("_")[2], one.labels.get("le")): one.value
        for one in families["continuity_prerun_duration_milliseconds"].samples
    }
    assert durations["count", None] == durations["bucket", "+Inf"] == 2
    with process.database.read() as tx:
        elapsed = tx.execute("SELECT sum(total) FROM continuity_metrics WHERE name = 'elapsedMs'").get
    assert durations["sum", None] == elapsed


def test_syncs_stand_in_the_file_by_the_specifications_names() -> None:
    from sidecar.metrics.exported import Counted
    from sidecar.metrics.prometheus import text_of

    text = text_of(
        [
            Counted("", False, "sync.operations.total{type=full}", 3, 3),
            Counted("", False, "sync.operations.duration{type=full}", 120.5, 3),
            Counted("", False, "sync.failures.total{code=KNOWLEDGE_UNAVAILABLE}", 1, 1),
            Counted("", False, "a measure of tomorrow", 1, 1),
        ]
    ).decode()
    assert 'sync_operations_total{type="full"} 3.0' in text
    assert 'sync_operations_duration_milliseconds_sum{type="full"} 120.5' in text
    assert 'sync_operations_duration_milliseconds_count{type="full"} 3.0' in text
    assert 'sync_failures_total{code="KNOWLEDGE_UNAVAILABLE"} 1.0' in text
    assert "tomorrow" not in text


def test_an_export_goes_nowhere_a_password_stands_and_into_no_other_file() -> None:
    for address in ("http://u:p@host", "ftp://host", "host:4318", "http://host/?key=1", "http://"):
        assert problem_with("metrics.otlpEndpoint", address) is not None, address
    for address in ("http://localhost:4318", "https://collector.example.com/v1/metrics"):
        assert problem_with("metrics.otlpEndpoint", address) is None, address
    for path in ("relative.prom", "/home/ada/.bashrc", 7):
        assert problem_with("metrics.prometheusFile", path) is not None, path
    assert problem_with("metrics.prometheusFile", "C:\\metrics\\onecode.prom") is None


def test_every_exported_name_says_what_it_counts() -> None:
    assert all(row.says.endswith(".") and row.name == row.name.lower() for row in COUNTERS.values())


def test_a_sync_before_any_run_is_told_to_the_endpoint_and_the_file(
    make_knowledge: Callable[..., Knowledge], collector: Any, tmp_path: Path
) -> None:
    address, got = collector
    knowledge = make_knowledge({"company/adrs/adr-1.md": item("Use PostgreSQL")})
    exports = {"otlpEndpoint": address, "prometheusFile": str(tmp_path / "sidecar.prom")}
    knowledge.sidecar.client.request("settings/update", {"settings": {"metrics": exports}})
    knowledge.ask("sync")
    assert 'sync_operations_total{type="full"} 1.0' in (tmp_path / "sidecar.prom").read_text()
    process = knowledge.sidecar.app.process
    assert process is not None
    process.part(_Exporter, lambda: pytest.fail("it was made by the sync"))._reader.force_flush()
    told = points(got[-1][1])
    assert told["sync.operations.total"] == [({"type": "full"}, 1)]
    assert told["sync.items.added"] == [({}, 1)]
