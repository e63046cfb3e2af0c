"""Names of measures with labels, as in `passedThrough{reason=deadline}`, and the count of error answers."""

import threading
from collections import Counter
from collections.abc import Mapping

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.metrics.store import NO_PROJECT, count


def labelled(name: str, **labels: str) -> str:
    """Return a measure's name with its labels in alphabetical order."""
    pairs = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    return f"{name}{{{pairs}}}"


def name_and_labels(measure: str) -> tuple[str, dict[str, str]]:
    """Split a measure's name into its plain name and its labels."""
    name, _, label_text = measure.partition("{")
    pairs = (pair.partition("=") for pair in label_text.removesuffix("}").split(",") if pair)
    return name, {label: value for label, _, value in pairs}


def by_label(measured: Mapping[str, float], name: str) -> dict[str, float]:
    """Return the totals of one measure by label value; several values are joined by a space."""
    parsed = ((name_and_labels(measure), total) for measure, total in measured.items())
    return {" ".join(labels.values()): total for (name_, labels), total in parsed if name_ == name and labels}


METHOD_NOT_FOUND, CANCELLED = -32601, -32800


class ErrorCounter:
    """Counts of error answers that are not written yet."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._pending: Counter[str] = Counter()
        self._lock = threading.Lock()

    def note(self, measure: str) -> None:
        """Count one error answer; a background write follows."""
        with self._lock:
            self._pending[measure] += 1
        self._process.database.behind.soon(self.write)

    def write(self) -> None:
        """Write the pending counts. Counts that cannot be written are lost and logged."""
        with self._lock:
            pending, self._pending = self._pending, Counter()
        try:
            with self._process.database.write(durable=False) as tx:
                count(tx, NO_PROJECT, self._process.clock.now_ms(), pending)
        except SidecarError as error:
            self._process.log.warning("metrics.errors.unwritten", error=error.kind)


def note_error(process: Process, method: str, code: int) -> None:
    """Count an error answer. Cancelled requests are not counted; the name of an unknown method is not stored."""
    if code != CANCELLED:
        name = "unknown" if code == METHOD_NOT_FOUND else method
        process.slices.error_counter.note(labelled("error", code=str(code), method=name))
