"""`onecode-sidecar analyse`: the worker process that analyses files for the sidecar (codebase/analysis_workers.py)."""

from typing import NoReturn

from sidecar.codebase.analysis_workers import handle_request
from sidecar.rpc.stdio import Pipe
from sidecar.system.worker import serve_lines


def run(pipe: Pipe) -> NoReturn:
    """Answer requests until stdin ends."""
    serve_lines(pipe.read_fd, pipe.write_fd, handle_request)
