"""`onecode-sidecar analyse`: a worker of the sidecar's own, that reads source files (codebase/analysis_workers.py)."""

from typing import NoReturn

from sidecar.codebase.analysis_workers import answer
from sidecar.rpc.stdio import Pipe
from sidecar.system.worker import serve_lines


def run(pipe: Pipe) -> NoReturn:
    """Answers until its stdin ends."""
    serve_lines(pipe.read_fd, pipe.write_fd, answer)
