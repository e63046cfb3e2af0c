"""`onecode-sidecar serve` whose time of day and disk follow orders from a file, once it exists.

python -m tests.support.serve_with_faults    with SIDECAR_TEST_ORDERS naming that file: {"clockMs": 0, "disk": "full"}
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from sidecar.rpc import claim_stdio

if __name__ == "__main__":
    pipe = claim_stdio.claim()
    import apsw

    from sidecar.cli import serve
    from sidecar.core.clock import SystemClock
    from tests.support.failing_disk import Disk

    PATH = Path(os.environ["SIDECAR_TEST_ORDERS"])

    def ordered(name: str) -> Any:
        """Return the file's current value; None while it is being written."""
        with suppress(OSError, ValueError):
            return json.loads(PATH.read_bytes()).get(name)
        return None

    class OrderedClock(SystemClock):
        """The machine's clocks, except that the time of day jumps on order."""

        def now_ms(self) -> int:
            return super().now_ms() + int(ordered("clockMs") or 0)

    class OrderedDisk(Disk):
        """A disk that is full, or read-only, on order."""

        failures = {"full": apsw.FullError, "readOnly": apsw.ReadOnlyError}  # noqa: RUF012

        def count(self) -> None:
            """Fail the write if ordered."""
            failure = self.failures.get(str(ordered("disk")))
            if failure is not None:
                raise failure("the disk fails, as it was told to")

    disk = OrderedDisk()
    setattr(serve, "SystemClock", OrderedClock)  # noqa: B010  (a name of its module that is not exported)
    serve.run(pipe)
