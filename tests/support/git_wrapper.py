"""A script before git on the path, which runs lines of its own first or instead."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

needs_script = pytest.mark.skipif(sys.platform == "win32", reason="a script stands before git")


def prepend_git_wrapper(folder: Path, lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create a script with shell lines in a folder and put the folder first on the path."""
    git = shutil.which("git")
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\n{lines}\nexec "{git}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def release_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Block each `git status` until it is released."""
    gate = tmp_path / "gate"
    held = f'case " $* " in *" status "*) while [ ! -e "{gate}" ]; do sleep 0.01; done;; esac'
    prepend_git_wrapper(tmp_path / "before", held, monkeypatch)
    return gate.touch
