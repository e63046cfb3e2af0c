"""A worker as the sidecar starts it, with faults by file name; it writes its pid and start time into a folder.

python -m tests.support.faulty_worker PIDS
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from sidecar.codebase import file_analysis_worker
from sidecar.codebase.summary.summarize import count_words, summarize
from sidecar.rpc.claim_stdio import claim
from sidecar.system.worker_processes import serve_lines


def faulty(analyse: Callable[..., Any]) -> Callable[..., Any]:
    """End the process at `crash…`, only once at `once…`, and never return at `hang…`."""

    def run(path: str, *arguments: Any, **options: Any) -> Any:
        name = Path(path).name
        if name.startswith("crash"):
            os._exit(11)
        if name.startswith("once") and not PIDS.joinpath("once").exists():
            PIDS.joinpath("once").touch()
            os._exit(11)
        if name.startswith("hang"):
            time.sleep(600)
        return analyse(path, *arguments, **options)

    return run


if __name__ == "__main__":
    PIDS = Path(sys.argv[1])
    PIDS.joinpath(f"{os.getpid()}.pid").write_text(str(psutil.Process().create_time()))
    vars(file_analysis_worker).update(count_words=faulty(count_words), summarize=faulty(summarize))
    pipe = claim()
    serve_lines(pipe.read_fd, pipe.write_fd, file_analysis_worker.handle_request)
