"""The program's commands as a user runs them: in this process by default, in one of their own where that matters."""

import io
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[bytes]
Command = Callable[..., Done]
"""Result of a test file's `command` fixture: runs its command with more arguments."""

TEMPORARY = ("TMPDIR", "TEMP", "TMP")


def run_command(*arguments: str, cwd: Path, temporary: Path, stdin: bytes = b"", **variables: str) -> Done:
    """Run `onecode-sidecar` in this process, which saves its start; temporary files are in a folder of the test."""
    from sidecar.cli.main import run

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
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        for name in TEMPORARY:
            patch.setenv(name, str(temporary))
        patch.setattr(tempfile, "tempdir", None)
        for name, value in variables.items():
            patch.setenv(name, value)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            status = program(list(arguments))
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return Done(arguments, status, *(_written(stream) for stream in streams[1:]))


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()
