"""The program's commands, run in a process of their own as a user runs them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support.process import ROOT

Done = subprocess.CompletedProcess[bytes]
Command = Callable[..., Done]
"""What a test file's `command` fixture gives: runs its command with more arguments."""

TEMPORARY = ("TMPDIR", "TEMP", "TMP")


def run_command(*arguments: str, cwd: Path, temporary: Path, stdin: bytes = b"", **variables: str) -> Done:
    """Runs `onecode-sidecar` from source; temporary files lie in a folder of the test."""
    return subprocess.run(
        (sys.executable, "-m", "sidecar", *arguments),
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **dict.fromkeys(TEMPORARY, str(temporary)), **variables},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
    )
