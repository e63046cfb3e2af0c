"""A run in forked processes reports what one process would report."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forked_run import can_fork

pytestmark = pytest.mark.skipif(not can_fork(), reason="the system cannot fork")

ROOT = Path(__file__).resolve().parents[1]

CONFTEST = """
import os, pytest
from tests.support.forked_run import ForkedRun

def pytest_addoption(parser):
    parser.addoption("--processes", type=int)

@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    scopes = {}
    for index, item in enumerate(session.items):
        scopes.setdefault(item.path, []).append(index)
    ForkedRun(session, scopes.values()).run(session.config.option.processes)
    return True

@pytest.fixture(scope="session", autouse=True)
def shared():
    yield
    assert "test_last" not in os.environ["PYTEST_CURRENT_TEST"], "teardown of the session"
"""

WAIT = """
import time
from pathlib import Path

def wait_for(name):
    while not Path(name).exists():
        time.sleep(0.01)
"""

FIRST = """
import os, pathlib, pytest, warnings
from wait import wait_for

def test_passes(tmp_path):
    (tmp_path / "file").touch()

def test_fails():
    os.system("echo printed by the first")
    pathlib.Path("printed").touch()
    wait_for("printed by both")
    assert 1 == 2, "what failed"

def test_ends_its_process():
    os._exit(7)

def test_after_the_end():
    warnings.warn("be careful")

@pytest.mark.xfail
def test_is_expected_to_fail():
    assert 0

@pytest.mark.skip(reason="not here")
def test_is_skipped():
    pass
"""

SECOND = """
import os, pathlib, pytest
from wait import wait_for

@pytest.fixture(scope="module")
def once(tmp_path_factory):
    yield tmp_path_factory.mktemp("once")
    raise ValueError("teardown of the module")

def test_captures(once, capfd):
    print("printed")
    assert capfd.readouterr().out == "printed\\n"

def test_last(once):
    assert once.is_dir()
    wait_for("printed")
    os.system("echo printed by the second")
    pathlib.Path("printed by both").touch()
"""

PLUGIN = """
import os

CONTROLLER = os.getpid()

def pytest_unconfigure(config):
    if os.getpid() != CONTROLLER:
        raise ValueError("at the end of a worker")
"""


def run(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    for name, text in (("conftest", CONFTEST), ("wait", WAIT), ("test_first", FIRST), ("test_second", SECOND)):
        (folder / f"{name}.py").write_text(text)
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-rA", *options)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_every_outcome_is_reported(tmp_path: Path) -> None:
    done = run(tmp_path, "--processes", "2")
    assert done.returncode == 1
    assert set(re.findall(r"^(?:PASSED|FAILED|ERROR|XFAIL) test_.*|^SKIPPED .*", done.stdout, re.MULTILINE)) == {
        "PASSED test_first.py::test_passes",
        "FAILED test_first.py::test_fails - AssertionError: what failed",
        "FAILED test_first.py::test_ends_its_process - its process ended with status 7",
        "PASSED test_first.py::test_after_the_end",
        "XFAIL test_first.py::test_is_expected_to_fail",
        "SKIPPED [1] test_first.py:24: not here",
        "PASSED test_second.py::test_captures",
        "PASSED test_second.py::test_last",
        "ERROR test_second.py::test_last - ExceptionGroup: errors during test teardown...",
    }
    printed = re.findall(r"^-+ Captured stdout call -+\n((?:printed by.*\n)+)", done.stdout, re.MULTILINE)
    assert set(printed) == {"printed by the first\n", "printed by the second\n"}
    for text in ("teardown of the module", "teardown of the session", "UserWarning: be careful"):
        assert text in done.stdout
    assert re.search(r"\n\S+ +\[100%\]\n", done.stdout)


def test_a_run_ends_after_the_first_failure(tmp_path: Path) -> None:
    (tmp_path / "printed by both").touch()
    done = run(tmp_path, "--processes", "1", "-x")
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout


def test_an_error_outside_of_a_test_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(PLUGIN)
    done = run(tmp_path, "--processes", "1", "-p", "plugin", "-k", "test_passes")
    assert done.returncode == 1
    assert "ValueError: at the end of a worker" in done.stdout
