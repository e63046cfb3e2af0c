"""OpenTelemetry's side of the measures: the same names and labels as everywhere, and no cost before the first."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from sidecar.metrics.exporting import emit
from sidecar.metrics.telemetry import Measure, Telemetry, telemetry_of
from tests.support.memory import MemorySidecar

ROOT = Path(__file__).parents[2]
RUN = (("type", "full"),)


def test_counters_and_histograms_add_up_by_name_and_labels() -> None:
    telemetry = Telemetry("1")
    telemetry.record([Measure("counter", "a.total", 1, RUN), Measure("counter", "a.total", 2, RUN)])
    telemetry.record([Measure("counter", "a.total", 4), Measure("histogram", "a.duration", 1.5, RUN, "ms")])
    telemetry.record([Measure("histogram", "a.duration", 3.0, RUN, "ms")])
    found = {one.key: one for one in telemetry.collected()}
    assert {key: one.value for key, one in found.items()} == {
        "a.total{type=full}": 3,
        "a.total": 4,
        "a.duration{type=full}": 4.5,
    }
    assert found["a.duration{type=full}"] == Measure("histogram", "a.duration", 4.5, RUN, "ms")


def test_a_reader_added_later_is_given_what_is_measured_from_then_on() -> None:
    telemetry = Telemetry("1.2")
    telemetry.record([Measure("counter", "a.total", 1)])
    reader = InMemoryMetricReader()
    telemetry.provider.add_metric_reader(reader)
    telemetry.record([Measure("counter", "a.total", 2)])
    measured = reader.get_metrics_data()
    assert measured is not None
    (of_program,) = measured.resource_metrics
    assert of_program.resource.attributes["service.version"] == "1.2"
    (metric,) = of_program.scope_metrics[0].metrics
    (point,) = metric.data.data_points
    assert (metric.name, getattr(point, "value", None)) == ("a.total", 2)


def test_nothing_measured_is_nothing_collected() -> None:
    assert Telemetry("1").collected() == []


def test_a_process_has_one_meter_and_what_comes_while_it_ends_is_dropped(
    open_sidecar: Callable[..., MemorySidecar],
) -> None:
    sidecar = open_sidecar()
    sidecar.client.initialize()
    process = sidecar.app.process
    assert process is not None
    emit(process, [Measure("counter", "a.total", 1)])
    assert process.settle(10)
    assert telemetry_of(process).provider is telemetry_of(process).provider
    process.background.shutdown(wait=True)
    emit(process, [Measure("counter", "a.total", 1)])
    assert [one.value for one in telemetry_of(process).collected()] == [1]


@pytest.mark.parametrize("loads", [False, True])
def test_opentelemetry_is_loaded_by_the_first_measure_and_by_nothing_before(*, loads: bool) -> None:
    script = (
        "import sys\nfrom sidecar.catalog import every\nevery()\n"
        "from sidecar.metrics.telemetry import Measure, Telemetry\ntelemetry = Telemetry('1')\n"
        + ("telemetry.record([Measure('counter', 'a', 1)])\n" if loads else "telemetry.collected()\n")
        + "print(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == str(loads)
