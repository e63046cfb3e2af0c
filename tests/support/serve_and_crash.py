"""`onecode-sidecar serve` that receives SIGKILL at the n-th write to its state file, once a file names n.

python -m tests.support.serve_and_crash    with SIDECAR_TEST_DIES_AT naming that file
"""

import os
import signal
from pathlib import Path

from sidecar.rpc import claim_stdio

if __name__ == "__main__":
    pipe = claim_stdio.claim()
    from sidecar.cli import serve
    from tests.support.failing_disk import Disk

    class CrashingDisk(Disk):
        """A disk whose process is killed before a write, half-way through a commit or between two."""

        orders = Path(os.environ["SIDECAR_TEST_DIES_AT"])

        def count(self) -> None:
            """Count writes once ordered to, and kill the process at the chosen one."""
            if self.fails_at is None and self.orders.exists():
                self.fail(int(self.orders.read_text()))
            if self.fails_at is not None:
                self.writes += 1
                if self.writes == self.fails_at:
                    os.kill(os.getpid(), signal.SIGKILL)

    if os.environ.get("SIDECAR_TEST_QUICK_SNAPSHOT"):
        from sidecar.governor.pressure_decision import THRESHOLDS

        for signal_name in ("turns", "files", "injectedBytes"):
            THRESHOLDS[signal_name] = THRESHOLDS[signal_name]._replace(snapshot=1)

    disk = CrashingDisk()
    serve.run(pipe)
