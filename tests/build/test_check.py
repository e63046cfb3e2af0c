"""`build/check.py --changed` repeats a type check only if something that it reads has changed."""

import sys
from pathlib import Path

import check
import pytest

import environment

TYPES = ("pyrefly", "check", "--output-format", "min-text")
OF_THE_PRODUCT = (*TYPES, "--python-platform", "win32", "sidecar")
SOURCES = ("pyproject.toml", "requirements.lock", "sidecar/app.py", "tests/test_app.py")


@pytest.fixture
def checks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project whose type checker passes; return the file in which it notes each run."""
    for name in SOURCES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    checker, runs = tmp_path / "checker", tmp_path / "runs"
    checker.write_text(f"#!/bin/sh\necho run >> {runs}\nexit ${{STATUS:-0}}\n", encoding="utf-8")
    checker.chmod(0o755)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "program", lambda _: checker)
    monkeypatch.setattr(check, "PASSED", tmp_path / "passed")
    return runs


def runs_of(command: tuple[str, ...], runs: Path, *, only_changed: bool = True) -> int:
    """Return how often the checker runs."""
    runs.write_text("", encoding="utf-8")
    check.passes(("types", command), only_changed=only_changed)
    return len(runs.read_text(encoding="utf-8").splitlines())


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for the checker is a shell script")
def test_a_type_check_is_repeated_only_after_a_change(checks_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (TYPES, OF_THE_PRODUCT):
        assert [runs_of(command, checks_run) for _ in range(2)] == [1, 0]
        assert runs_of(command, checks_run, only_changed=False) == 1
        for name in SOURCES:
            with (checks_run.parent / name).open("a", encoding="utf-8") as source:
                source.write("y = 2\n")
            is_read = command == TYPES or not name.startswith("tests")
            assert [runs_of(command, checks_run) for _ in range(2)] == [int(is_read), 0], name
    (checks_run.parent / "sidecar" / "new.py").write_text("z = 3\n", encoding="utf-8")
    monkeypatch.setenv("STATUS", "1")
    assert [runs_of(TYPES, checks_run) for _ in range(2)] == [1, 1], "a failure is shown until it is fixed"
    assert [runs_of(("ruff", "check"), checks_run) for _ in range(2)] == [1, 1]
