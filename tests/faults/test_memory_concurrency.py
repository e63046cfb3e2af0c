"""Several sidecars on one project's memories, and killed sidecars: no memory is lost, and ids are unique."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.process import ROOT, SidecarProcess
from tests.support.warm_process import start_python

WRITER = """
import sys
from pathlib import Path
from sidecar.core.clock import SystemClock
from sidecar.cli.in_process import in_process

with in_process(Path(sys.argv[1]), SystemClock(), {}) as sidecar:
    for number in range(int(sys.argv[4])):
        params = {"cwd": sys.argv[2], "text": f"{sys.argv[3]} has found out {number}.", "tags": [sys.argv[3]]}
        print(sidecar.request("memory/add", params)["id"], flush=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def start_writer(state_dir: Path, project: Path, name: str, rounds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(state_dir), str(project), name, str(rounds)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return start_python(command, stdout=subprocess.PIPE, env=environment, text=True)


def listed_titles(process: SidecarProcess, project: Path) -> dict[str, str]:
    response = process.client.request("memory/list", {"cwd": str(project), "limit": 500})
    assert response["total"] == len(response["memories"])
    return {memory["id"]: memory["title"] for memory in response["memories"]}


@pytest.mark.parametrize("states", ["one state", "a state each"])
def test_concurrent_processes_lose_no_memory_and_assign_unique_ids(
    start_process: Callable[..., SidecarProcess], tmp_path: Path, project: Path, states: str
) -> None:
    folders = {name: tmp_path / ("state" if states == "one state" else name) for name in ("ada", "bob", "cyd")}
    writers = {name: start_writer(folder, project, name, 20) for name, folder in folders.items()}
    ids_by_writer = {}
    for name, writer in writers.items():
        with writer:
            assert writer.stdout is not None
            ids_by_writer[name] = writer.stdout.read().split()
            assert writer.wait(60) == 0
    ids = [memory_id for ids in ids_by_writer.values() for memory_id in ids]
    assert len(ids) == len(set(ids)) == 60
    process = start_process()
    process.client.initialize()
    assert listed_titles(process, project).keys() == set(ids)


def test_a_kill_at_any_moment_loses_no_acknowledged_memory(
    start_process: Callable[..., SidecarProcess], state_dir: Path, project: Path
) -> None:
    acknowledged: list[str] = []
    for rounds in (1, 4, 9):
        with start_writer(state_dir, project, f"ada{rounds}", 10_000) as writer:
            assert writer.stdout is not None
            acknowledged += [writer.stdout.readline().strip() for _ in range(rounds)]
            writer.kill()
            acknowledged += writer.stdout.read().split("\n")[:-1]
    process = start_process()
    process.client.initialize()
    titles = listed_titles(process, project)
    assert set(acknowledged) <= titles.keys()
    assert len(titles) <= len(acknowledged) + 3
    assert process.client.request("memory/status", {"cwd": str(project)})["warnings"] == []


def test_a_file_missing_from_the_index_after_a_kill_is_indexed_by_the_next_read(
    start_process: Callable[..., SidecarProcess], project: Path
) -> None:
    first = start_process()
    first.client.initialize()
    memory = first.client.request("memory/add", {"cwd": str(project), "text": "One."})
    first.popen.kill()
    first.popen.wait()
    path = project / memory["path"]
    path.with_name("two.md").write_text(path.read_text().replace(memory["id"], "mem-2026-01-01-001"))
    path.with_name(".onecode-99-1.new").write_text("half a fi")
    second = start_process()
    second.client.initialize()
    assert listed_titles(second, project).keys() == {memory["id"], "mem-2026-01-01-001"}
