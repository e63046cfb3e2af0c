"""Exports, where the settings say so: OTLP to an endpoint, and a text file for Prometheus. Off unless set.

Both tell the lifetime totals of the state file, so that restarts and several processes lose and double nothing. The
knowledge sync's own instruments go to the endpoint as they are.
"""

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.metrics.exported import COUNTERS, PRE_RUN, Counted, pre_runs, readings
from sidecar.metrics.latency import BOUNDS_MS
from sidecar.metrics.store import lifetime
from sidecar.metrics.telemetry import Measure, telemetry_of
from sidecar.system.whole_files import write_whole

INTERVAL_MS = 60_000
"""How often the endpoint is told."""

TIMEOUT_SECONDS = 5.0
LAST_WORD_SECONDS = 0.3
"""How long the process waits at its end for the endpoint to be told once more."""

PATH = "/v1/metrics"


def export_later(process: Process) -> None:
    """Has what was measured exported, behind the answer; nothing where no export is set."""
    exporter = _exporter(process)
    if exporter is not None:
        exporter.soon()


def emit(process: Process, measures: Iterable[Measure]) -> None:
    """Adds observations to the process's instruments, without waiting unless an export is set.

    An endpoint is told of what is added while it is known only: it is made known before. Once the process is ending,
    what nobody is told is dropped.
    """
    exporter, telemetry = _exporter(process), telemetry_of(process)
    if exporter is not None:
        exporter.update()
        telemetry.record(measures)
        return
    with suppress(RuntimeError):
        process.background.submit(telemetry.record, tuple(measures))


def _exporter(process: Process) -> "_Exporter | None":
    settings = process.settings("")
    if settings["metrics.otlpEndpoint"] or settings["metrics.prometheusFile"] or process.has_part(_Exporter):
        return process.part(_Exporter, lambda: _Exporter(process))
    return None


class _Exporter:
    """The process's exports; made once one is set."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._endpoint: str | None = None
        self._reader: Any = None
        self._lock = threading.Lock()
        process.at_end.append(self.end)

    def soon(self) -> None:
        """Brings the exports up to date a moment later."""
        self._process.database.behind.soon(self.update)

    def update(self) -> None:
        """Sends where the settings say now, and writes the file; what cannot be done is logged."""
        settings = self._process.settings("")
        try:
            if not self._process.ending.is_set():
                with self._lock:
                    self._send_to(settings["metrics.otlpEndpoint"])
            if settings["metrics.prometheusFile"]:
                self._write(settings["metrics.prometheusFile"])
        except (OSError, SidecarError) as error:
            self._process.log.warning("metrics.export.failed", kind=type(error).__name__)

    def end(self) -> None:
        """Tells the endpoint once more, as long as that takes no time worth speaking of."""
        reader, self._reader = self._reader, None
        if reader is not None:
            last = threading.Thread(target=reader.shutdown, args=(TIMEOUT_SECONDS * 1000,), daemon=True)
            last.start()
            last.join(LAST_WORD_SECONDS)

    def _send_to(self, endpoint: str | None) -> None:
        if endpoint == self._endpoint:
            return
        provider = telemetry_of(self._process).provider
        if self._reader is not None:
            provider.remove_metric_reader(self._reader)
        elif self._endpoint is None:
            _observe(provider.get_meter("onecode-sidecar"), self._counted)
        self._endpoint, self._reader = endpoint, None
        if endpoint is not None:
            self._reader = _reader(endpoint, self._process)
            provider.add_metric_reader(self._reader)

    def _write(self, path: str) -> None:
        from sidecar.metrics.prometheus import text_of

        write_whole(path, text_of(self._counted()), durable=False)

    def _counted(self) -> list[Counted]:
        with self._process.database.read() as tx:
            return lifetime(tx)


def _reader(endpoint: str, process: Process) -> Any:
    """Makes what sends to an endpoint every minute; its complaints go to our log, without their texts."""
    import logging

    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    class ToOurLog(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            process.log.warning("metrics.export.failed", kind=record.name.rpartition(".")[2])

    told = logging.getLogger("opentelemetry")
    told.handlers, told.propagate = [ToOurLog(logging.WARNING)], False
    address = endpoint if endpoint.endswith(PATH) else endpoint.rstrip("/") + PATH
    exporter = OTLPMetricExporter(endpoint=address, timeout=TIMEOUT_SECONDS)
    return PeriodicExportingMetricReader(exporter, export_interval_millis=INTERVAL_MS)


def _observe(meter: Any, counted: Any) -> None:
    """Makes an instrument of each name in the table; they read the state file when they are asked."""
    from opentelemetry.metrics import Observation

    def reading(name: str) -> Any:
        def observe(_options: Any) -> Iterable[Any]:
            found = readings(counted())
            ones = (one for row, of_row in found.items() if row.name == name for one in of_row)
            return [Observation(one.value, dict(one.labels)) for one in ones]

        return observe

    def bucketed(_options: Any) -> Iterable[Any]:
        for one in pre_runs(counted()):
            for bound, count in zip((*(f"{bound:g}" for bound in BOUNDS_MS), "+Inf"), one.up_to, strict=True):
                yield Observation(count, {**dict(one.labels), "le": bound})

    def summed(_options: Any) -> Iterable[Any]:
        return [Observation(one.total, dict(one.labels)) for one in pre_runs(counted())]

    for row in {row.name: row for row in COUNTERS.values() if not row.name.startswith("sync.")}.values():
        meter.create_observable_counter(row.name, [reading(row.name)], row.unit, row.says)
    meter.create_observable_counter(f"{PRE_RUN.name}.bucket", [bucketed], "1", PRE_RUN.says)
    meter.create_observable_counter(f"{PRE_RUN.name}.sum", [summed], PRE_RUN.unit, PRE_RUN.says)
