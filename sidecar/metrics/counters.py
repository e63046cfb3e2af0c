"""Labels stand in a measure's name, as in `passedThrough{reason=deadline}`. Pure."""

import threading
from collections import Counter
from collections.abc import Mapping

from sidecar.call import Process
from sidecar.core.errors import SidecarError
from sidecar.metrics.store import NO_PROJECT, count


def labelled(name: str, **labels: str) -> str:
    """Gives the name of a measure with its labels, in their alphabetical order."""
    told = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    return f"{name}{{{told}}}"


def name_and_labels(measure: str) -> tuple[str, dict[str, str]]:
    """Takes a measure's name apart; one without labels has none."""
    name, _, told = measure.partition("{")
    pairs = (pair.partition("=") for pair in told.removesuffix("}").split(",") if pair)
    return name, {label: value for label, _, value in pairs}


def by_label(measured: Mapping[str, float], name: str) -> dict[str, float]:
    """Gives what was measured under a name by the values of its labels, several of them with a space between."""
    found = ((name_and_labels(measure), total) for measure, total in measured.items())
    return {" ".join(labels.values()): total for (own, labels), total in found if own == name and labels}


# Requests that were answered with an error, counted by code and method a moment later.


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
