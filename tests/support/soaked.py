"""`onecode-sidecar serve` whose time of day and whose disk obey a file, once it is there.

python -m tests.support.soaked    with SIDECAR_TEST_ORDERS naming that file: {"clockMs": 0, "disk": "full"}
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from sidecar.rpc import stdio

if __name__ == "__main__":
    pipe = stdio.claim()
    import apsw

    from sidecar.cli import serve
    from sidecar.core.clock import SystemClock
    from tests.support.faults import Disk

    PATH = Path(os.environ["SIDECAR_TEST_ORDERS"])

    def ordered(name: str) -> Any:
        """Gives what the file says now; nothing while it is being written."""
        with suppress(OSError, ValueError):
            return json.loads(PATH.read_bytes()).get(name)
        return None

    class ObedientClock(SystemClock):
        """The machine's clocks, but that the time of day jumps when it is told to."""

        def now_ms(self) -> int:
            return super().now_ms() + int(ordered("clockMs") or 0)

    class ObedientDisk(Disk):
        """A disk that is full, or takes no writes, while it is told to be."""

        failures = {"full": apsw.FullError, "readOnly": apsw.ReadOnlyError}  # noqa: RUF012

        def count(self) -> None:
            """Fails the write if the orders say so."""
            failure = self.failures.get(str(ordered("disk")))
            if failure is not None:
                raise failure("the disk fails, as it was told to")

    disk = ObedientDisk()
    setattr(serve, "SystemClock", ObedientClock)  # noqa: B010  (a name of its module that is not exported)
    serve.run(pipe)
