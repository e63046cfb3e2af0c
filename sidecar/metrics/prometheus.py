"""The text file that Prometheus's node exporter collects."""

from collections.abc import Iterator, Sequence
from typing import Any

from sidecar.metrics.exported import PRE_RUN, SYNC_DURATION, Counted, Exported, pre_runs, readings, sync_durations
from sidecar.metrics.latency import BOUNDS_MS

_UNITS = {"By": "_bytes", "ms": "_milliseconds", "USD": "_usd"}


def text_of(counted: Sequence[Counted]) -> bytes:
    """Gives the file's content."""
    from prometheus_client import CollectorRegistry, generate_latest

    class Collector:
        def collect(self) -> Iterator[Any]:
            return _families(counted)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector())
    return bytes(generate_latest(registry))


def _families(counted: Sequence[Counted]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, SummaryMetricFamily

    for row, ones in readings(counted).items():
        names = sorted({name for one in ones for name, _ in one.labels})
        counter = CounterMetricFamily(_name(row).removesuffix("_total"), row.says, labels=names)
        for one in ones:
            counter.add_metric([dict(one.labels).get(name, "") for name in names], one.value)
        yield counter
    durations = pre_runs(counted)
    if durations:
        histogram = HistogramMetricFamily(
            _name(PRE_RUN), PRE_RUN.says, labels=[name for name, _ in durations[0].labels]
        )
        bounds = (*(f"{bound:g}" for bound in BOUNDS_MS), "+Inf")
        for of_mode in durations:
            buckets = list(zip(bounds, of_mode.up_to, strict=True))
            histogram.add_metric([value for _, value in of_mode.labels], buckets, of_mode.total)
        yield histogram
    syncs = sync_durations(counted)
    if syncs:
        summary = SummaryMetricFamily(
            _name(SYNC_DURATION), SYNC_DURATION.says, labels=[name for name, _ in syncs[0][0].labels]
        )
        for one, count in syncs:
            summary.add_metric([value for _, value in one.labels], count, one.value)
        yield summary


def _name(row: Exported) -> str:
    return row.name.replace(".", "_") + _UNITS.get(row.unit, "")
