"""A worker as the sidecar starts it, with faults by file name; it writes its pid into a folder.

python -m tests.support.faulty_worker PIDS
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from sidecar.codebase.indexer import handle_request
from sidecar.rpc.claim_stdio import claim
from sidecar.system.worker import serve_lines


def faulty(line: bytes) -> Iterator[bytes]:
    """End the process at `crash…`, only once at `once…`, and never return at `hang…`."""
    for message in handle_request(line):
        yield message
        name = Path(orjson.loads(message)[1]).name if message.startswith(b'["started"') else ""
        if name.startswith("crash"):
            os._exit(11)
        if name.startswith("once") and not PIDS.joinpath("once").exists():
            PIDS.joinpath("once").touch()
            os._exit(11)
        if name.startswith("hang"):
            time.sleep(600)


if __name__ == "__main__":
    PIDS = Path(sys.argv[1])
    PIDS.joinpath(f"{os.getpid()}.pid").touch()
    pipe = claim()
    serve_lines(pipe.read_fd, pipe.write_fd, faulty)
