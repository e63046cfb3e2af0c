"""Requests that were answered with an error, counted by code and method a moment later."""

import threading
from collections import Counter

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.metrics.labels import labelled
from sidecar.metrics.store import NO_PROJECT, count

METHOD_NOT_FOUND, CANCELLED = -32601, -32800


class _Errors:
    """Those that are not written yet."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._noted: Counter[str] = Counter()
        self._lock = threading.Lock()

    def note(self, measure: str) -> None:
        """Has one counted."""
        with self._lock:
            self._noted[measure] += 1
        self._process.database.behind.soon(self.write)

    def write(self) -> None:
        """Counts those noted; what cannot be written is lost, and stands in the log."""
        with self._lock:
            noted, self._noted = self._noted, Counter()
        try:
            with self._process.database.write(durable=False) as tx:
                count(tx, NO_PROJECT, self._process.clock.now_ms(), noted)
        except SidecarError as error:
            self._process.log.warning("metrics.errors.unwritten", error=error.kind)


def note_error(process: Process, method: str, code: int) -> None:
    """Counts an answer that is an error; a name that is no method's is not kept, nor what the client cancelled."""
    if code != CANCELLED:
        name = "unknown" if code == METHOD_NOT_FOUND else method
        process.part(_Errors, lambda: _Errors(process)).note(labelled("error", code=str(code), method=name))
