"""A script that stands before git on the path: what it is given to do happens first, or instead."""

import os
import shutil
import sys
from pathlib import Path

import pytest

needs_script = pytest.mark.skipif(sys.platform == "win32", reason="a script stands before git")


def replace_git(folder: Path, lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the folder with the script, of shell lines, and puts it first on the path."""
    git = shutil.which("git")
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\n{lines}\nexec "{git}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
