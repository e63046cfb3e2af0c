"""OpenTelemetry's metrics, of one MeterProvider per process: kept in memory, and sent on by the readers added to it.

OpenTelemetry is imported when something is measured for the first time, in the background, so that no start and no
request waits for it.
"""

from collections.abc import Iterable
from functools import cached_property
from threading import Lock
from typing import Any, Literal, NamedTuple

from sidecar.call import Process

Kind = Literal["counter", "histogram"]


class Measure(NamedTuple):
    """One observation, by the name and the labels under which it is known everywhere."""

    kind: Kind
    name: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()
    unit: str = "1"

    @property
    def key(self) -> str:
        """Gives name and labels as one word, as in `a.total{b=c}`."""
        told = ",".join(f"{name}={value}" for name, value in self.labels)
        return f"{self.name}{{{told}}}" if told else self.name


class Telemetry:
    """The process's meter and what it measured; made by `telemetry_of` alone."""

    def __init__(self, version: str) -> None:
        """Takes the program's version, which stands on all that is sent."""
        self._version = version
        self._instruments: dict[str, Any] = {}
        self._lock = Lock()

    @cached_property
    def provider(self) -> Any:
        """The MeterProvider; more readers are added by its `add_metric_reader`."""
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.resources import Resource

        resource = Resource({"service.name": "onecode-sidecar", "service.version": self._version})
        return MeterProvider((self._memory,), resource, shutdown_on_exit=False)

    @cached_property
    def _memory(self) -> Any:
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader

        return InMemoryMetricReader()

    def record(self, measures: Iterable[Measure]) -> None:
        """Adds observations."""
        with self._lock:
            for one in measures:
                instrument = self._instruments.get(one.name) or self._made(one)
                take = instrument.add if one.kind == "counter" else instrument.record
                take(one.value, dict(one.labels))

    def collected(self) -> list[Measure]:
        """Gives what was measured since the process began: totals of counters, sums of histograms."""
        with self._lock:
            measured = self._memory.get_metrics_data() if self._instruments else None
        if measured is None:
            return []
        return [
            _measure(metric, point)
            for resource in measured.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            for point in metric.data.data_points
        ]

    def _made(self, one: Measure) -> Any:
        meter = self.provider.get_meter("onecode-sidecar", self._version)
        make = meter.create_counter if one.kind == "counter" else meter.create_histogram
        self._instruments[one.name] = make(one.name, one.unit)
        return self._instruments[one.name]


def telemetry_of(process: Process) -> Telemetry:
    """Gives the process's own telemetry."""
    return process.part(Telemetry, lambda: Telemetry(process.version))


def _measure(metric: Any, point: Any) -> Measure:
    labels = tuple(sorted((name, str(value)) for name, value in point.attributes.items()))
    is_counter = hasattr(point, "value")
    value = point.value if is_counter else point.sum
    return Measure("counter" if is_counter else "histogram", metric.name, value, labels, metric.unit)
