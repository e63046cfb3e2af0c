"""The program's commands as a user runs them: in this process by default, in one of their own where that matters."""

import io
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from sidecar.storage import database
from tests.support.depth import is_thorough
from tests.support.memory_sidecar import empty_state

Done = subprocess.CompletedProcess[bytes]
Command = Callable[..., Done]
"""Result of a test file's `command` fixture: runs its command with more arguments."""

TEMPORARY = ("TMPDIR", "TEMP", "TMP")


def run_command(*arguments: str, cwd: Path, temporary: Path, stdin: bytes = b"", **variables: str) -> Done:
    """Run `onecode-sidecar` in this process, which saves its start; temporary files are in a folder of the test."""
    from sidecar.cli import run

    return run_in_process(run, *arguments, cwd=cwd, temporary=temporary, stdin=stdin, **variables)


def run_in_process(
    program: Callable[[list[str]], int],
    *arguments: str,
    cwd: Path,
    temporary: Path,
    stdin: bytes = b"",
    **variables: str,
) -> Done:
    """Run a program's main function with its own streams, folder and environment; they are the whole process's."""
    assert threading.current_thread() is threading.main_thread(), "two at once would restore each other's folder"
    streams = [io.TextIOWrapper(io.BytesIO(content), "utf-8", newline="") for content in (stdin, b"", b"")]
    template = empty_state()  # created before the folder for temporary files is the test's
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        for name in TEMPORARY:
            patch.setenv(name, str(temporary))
        patch.setattr(tempfile, "tempdir", None)
        if not is_thorough():
            patch.setattr(database, "_create_or_recover", partial(_copy_or_recover, template))
        for name, value in variables.items():
            patch.setenv(name, value)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            status = program(list(arguments))
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return Done(arguments, status, *(_written(stream) for stream in streams[1:]))


_create_or_recover = database._create_or_recover


def _copy_or_recover(template: Path, path: Path, now_ms: int) -> database.OpenedState:
    """Create a new state file as a copy of an empty one, which takes a tenth of the time."""
    if not path.exists():
        shutil.copy(template / path.name, path)
    return _create_or_recover(path, now_ms)


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()
