"""`build/setup.py` swaps complete environments only, so an interruption never breaks `.venv`."""

import os
import runpy
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.depth import is_thorough

ROOT = Path(__file__).resolve().parents[2]

# The real scripts in a small project: no package to download, one console script.
PROJECT = """
[project]
name = "onecode-sidecar"
version = "{version}"
requires-python = ">=3.11"
[project.scripts]
onecode-sidecar = "sidecar.__main__:main"
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[tool.setuptools.packages.find]
include = ["sidecar"]
"""
MAIN = "from importlib.metadata import version\n\ndef main() -> None:\n    print(version('onecode-sidecar'))\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project before its first setup: the real build scripts and a lock with setuptools only."""
    return _new_project(tmp_path / "a project")


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project after its setup; shared, because each environment takes seconds to create.

    By default its environment has no packages: this run's own environment came from the real setup.
    """
    project = _new_project(tmp_path_factory.mktemp("shared") / "a ready project")
    if not is_thorough() and os.name != "nt":
        _link_environment(project)
        return project
    assert [line.split(" ")[:2] for line in _set_up(project).splitlines()] == [
        ["setup:", "making"], ["setup:", "installing"], ["setup:", "compiling"], ["setup:", "installing"],
        ["setup:", ".venv"],
    ], "one line per phase"  # fmt: skip
    return project


def _link_environment(project: Path) -> None:
    """Make `.venv` a complete environment in setup's eyes: this Python, and a program that prints the version."""
    environment = runpy.run_path(str(project / "build" / "environment.py"))
    target = project / ".venvs" / f"{environment['_digest']()}-ready"
    (target / "bin").mkdir(parents=True)
    (target / "bin" / "python").symlink_to(sys.executable)
    program = target / "bin" / "onecode-sidecar"
    program.write_text("#!/bin/sh\necho 1.0\n", encoding="utf-8")
    program.chmod(0o755)
    (target / environment["STAMP"]).touch()
    environment["_point_venv_at"](target)


def _new_project(folder: Path) -> Path:
    (folder / "build").mkdir(parents=True)
    for name in ("environment.py", "setup.py"):
        shutil.copy(ROOT / "build" / name, folder / "build")
    (folder / "sidecar").mkdir()
    (folder / "sidecar" / "__init__.py").touch()
    (folder / "sidecar" / "__main__.py").write_text(MAIN, encoding="utf-8")
    (folder / "requirements.lock").write_text(_setuptools_entry(), encoding="utf-8")
    _require_version(folder, "1.0")
    return folder


def _setuptools_entry() -> str:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("setuptools=="))
    return "\n".join([lines[start], *[line for line in lines[start + 1 : start + 4] if "--hash" in line]]) + "\n"


def _require_version(project: Path, version: str) -> None:
    (project / "pyproject.toml").write_text(PROJECT.format(version=version), encoding="utf-8")


def _start(project: Path, cwd: Path | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, os.fspath(project / "build" / "setup.py")]
    return subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def _set_up(project: Path, cwd: Path | None = None) -> str:
    running = _start(project, cwd)
    output, _ = running.communicate(timeout=120)
    assert running.returncode == 0, output
    return output


def _try_to_set_up(project: Path) -> tuple[int | None, str]:
    """Return the status and the output of a setup; by default its environment has this one's pip, not a copy."""
    if is_thorough() or os.name == "nt":
        running = _start(project)
        output, _ = running.communicate(timeout=120)
        return running.returncode, output
    link = "import os, pip, sys; os.symlink(os.path.dirname(pip.__file__), sys.argv[1])"
    packages = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    program = f"""
import os, subprocess, sys
sys.path.insert(0, {os.fspath(project / "build")!r})
import environment
run = subprocess.run
def run_without_a_copy_of_pip(command, **options):
    if command[1:3] != ["-m", "venv"]:
        return run(command, **options)
    run([*command[:3], "--without-pip", command[3]], check=True)
    return run([sys.executable, "-c", {link!r}, os.path.join(command[3], {packages!r}, "pip")], **options)
subprocess.run = run_without_a_copy_of_pip
environment.ensure()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


def _version(project: Path) -> str:
    program = project / ".venv" / ("Scripts" if os.name == "nt" else "bin") / "onecode-sidecar"
    return subprocess.run([program], capture_output=True, text=True, check=True, timeout=30).stdout.strip()


def _environments(project: Path) -> list[str]:
    return sorted(path.name for path in (project / ".venvs").iterdir() if path.name not in ("lock", "setup.log"))


def test_a_second_setup_returns_immediately_without_changes(ready: Path, tmp_path: Path) -> None:
    made = _environments(ready)
    script_lock = runpy.run_path(str(ready / "build" / "environment.py"))["script_lock"]
    with script_lock(ready / ".venvs" / "lock", "test"):
        output = _set_up(ready, cwd=tmp_path)
    assert output == "", "it did not even wait for the lock"
    assert _environments(ready) == made


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX; Windows ends a process by other means")
def test_a_killed_setup_leaves_the_previous_environment(ready: Path) -> None:
    before = _version(ready)
    _require_version(ready, "2.0")
    for stage in ("making", "packages", "the project"):
        _kill_while(stage, ready)
        assert _version(ready) == before, f"killed while: {stage}"
    _set_up(ready)
    assert _version(ready) == "2.0"
    assert len(_environments(ready)) == 2, "the current and the previous one; killed attempts are removed"


def _kill_while(stage: str, project: Path) -> None:
    running = _start(project)
    assert running.stdout is not None
    next(line for line in running.stdout if stage in line)
    time.sleep(0.1)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    running.stdout.close()


@pytest.mark.thorough
def test_two_concurrent_setups_create_one_environment(project: Path) -> None:
    both = [_start(project), _start(project)]
    outputs = [running.communicate(timeout=120)[0] for running in both]
    assert [running.returncode for running in both] == [0, 0], outputs
    assert sum("installing the project" in output for output in outputs) == 1
    assert _version(project) == "1.0"


@pytest.mark.thorough
def test_a_plain_folder_named_venv_is_replaced(project: Path) -> None:
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").touch()
    _set_up(project)
    assert _version(project) == "1.0"
    assert len(_environments(project)) == 1


@pytest.mark.thorough
def test_an_environment_without_python_is_rebuilt(ready: Path) -> None:
    before = _version(ready)
    shutil.rmtree((ready / ".venv").resolve() / ("Scripts" if os.name == "nt" else "bin"))
    _set_up(ready)
    assert _version(ready) == before


def test_a_failed_install_changes_nothing_and_is_reported(ready: Path) -> None:
    before = _version(ready)
    lock = ready / "requirements.lock"
    right = lock.read_text(encoding="utf-8")
    lock.write_text(right.replace("sha256:", "sha256:0000"), encoding="utf-8")
    status, output = _try_to_set_up(ready)
    lock.write_text(right, encoding="utf-8")
    assert status == 2
    assert "Setup failed while installing the packages" in output
    assert ".venvs/setup.log" in output
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in (ready / ".venvs" / "setup.log").read_text(encoding="utf-8")
    assert len(output.splitlines()) < 20, "only the end of pip's output"
    assert _version(ready) == before


@pytest.mark.skipif(os.name == "nt", reason="programs are found through PATHEXT on Windows")
def test_missing_programs_are_named_in_one_sentence(project: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, project / "build" / "setup.py"],
        env={"PATH": os.fspath(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 2
    assert done.stderr == "Please install git and Node, then run this again.\n"
    assert not (project / ".venv").exists()
