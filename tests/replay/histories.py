"""Repositories built from text.

`=== message` starts a commit, `--- path` a file in it, `+++ path` an addition to a file.
"""

import re
from pathlib import Path

from tests.support.repositories import Repository, make_repository

SESSIONS = Path(__file__).resolve().parent / "sessions"


def make_histories(folder: Path) -> Path:
    """Make every repository of tests/replay/sessions in a folder, and return the folder."""
    for history in sorted(SESSIONS.glob("*.history")):
        make_history(folder / history.stem, history.read_text(encoding="utf-8"))
    return folder


def make_history(path: Path, history: str) -> Repository:
    """Build a repository from a history."""
    repository = make_repository(path)
    for commit in re.split(r"^=== ", history, flags=re.MULTILINE)[1:]:
        message, _, changes = commit.partition("\n")
        for change in re.findall(
            r"^(---|\+\+\+) (\S+)\n(.*?)(?=^(?:---|\+\+\+) \S+\n|\Z)", changes, re.MULTILINE | re.DOTALL
        ):
            kind, name, text = change
            target = path / name
            before = target.read_text(encoding="utf-8") if kind == "+++" and target.exists() else ""
            repository.write({name: before + (text if before else text.lstrip("\n"))})
        repository.commit(message=message)
    return repository
