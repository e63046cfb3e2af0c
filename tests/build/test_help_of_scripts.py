"""`--help` of the build scripts and the benchmarks prints what they do, and does nothing else."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
BENCHMARKS = sorted(
    file.stem for file in (TOP / "tests" / "benchmarks").glob("*.py") if "__main__" in file.read_text(encoding="utf-8")
)
SCRIPTS = sorted(file.stem for file in (TOP / "build").glob("*.py") if "__main__" in file.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_benchmark_prints_its_help(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    environment = dict(os.environ)
    for name in BENCHMARKS:
        benchmark = importlib.import_module(f"tests.benchmarks.{name}")
        monkeypatch.setattr(sys, "argv", [name, "--help"])
        with pytest.raises(SystemExit) as ended:
            benchmark.main()
        assert ended.value.code == 0
        assert _opening(benchmark.__doc__) in capsys.readouterr().out
    assert dict(os.environ) == environment


@pytest.mark.slow
def test_a_build_script_prints_its_help() -> None:
    for name in SCRIPTS:
        script = TOP / "build" / f"{name}.py"
        done = subprocess.run(
            [sys.executable, script, "--help"], capture_output=True, text=True, timeout=60, check=True
        )
        assert _opening(script.read_text(encoding="utf-8").split('"""')[1]) in done.stdout
        assert done.stderr == ""


def _opening(text: str | None) -> str:
    """Return the words of a description that no width of the terminal breaks."""
    assert text
    return text[:40]
