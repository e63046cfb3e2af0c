"""A process killed before a compaction: repeating the call ends in the same state as an undisturbed one."""

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.context.chati_project import PROJECT
from tests.support.depth import sample
from tests.support.process import SidecarProcess
from tests.support.rpc_failures import StillWaiting

KILLABLE = (sys.executable, "-m", "tests.support.serve_and_crash")
StartProcess = Callable[..., SidecarProcess]

SUMMARY = {
    "messages": [
        {"author": "user", "text": "No, use pnpm instead of npm.", "at": "2026-03-01T09:00:00Z"},
        {"author": "user", "text": "Always write the test first, please.", "at": "2026-03-01T09:01:00Z"},
    ]
}
FRONT_MATTER = "---\ntype: decision\nconfidence: 0.8\nevidence_count: 1\nat: 2026-02-01T09:00:00Z\n---\n"
MEMORIES = {
    "npm": f"{FRONT_MATTER}# Use npm for the build\n\nUse npm for the build.\n",
    "test": f"{FRONT_MATTER}# Always write the test first\n\nAlways write the test first, please.\n",
}


def create_project(project: Path) -> Path:
    folder = ".chati/memories/shared/durable"
    for path, text in {**PROJECT, **{f"{folder}/{name}.md": text for name, text in MEMORIES.items()}}.items():
        target = project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return project


def report(process: SidecarProcess, project: Path, verb: str = "preCompact", **params: Any) -> Any:
    session = {"cwd": str(project), "sessionId": "s-1", "compactionId": "c-1"}
    return process.client.request(f"context/{verb}", {**session, **params})


def end_state(process: SidecarProcess, project: Path) -> dict[str, str]:
    """Return what a compaction leaves in the project, without ids and times."""
    folder = project / ".chati"
    paths = [folder / "session.yaml", *sorted((folder / "memories").rglob("*.md"))]
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    after = report(process, project, "postCompact")
    texts["count"] = f"{after['compactions']} {after['context']['data']['memory']['text']}"
    varying = r"mem-\d{4}-\d\d-\d\d-\d+|\d{4}-\d\d-\d\dT[\d:.]+Z|daily/[\d-]+|(?<=digest, )[\d-]+|(?<=date: \")[\d-]+"
    return {re.sub(varying, "…", path): re.sub(varying, "…", text) for path, text in texts.items()}


@pytest.mark.parametrize("killed_at", sample([1, 2, 3, 4, 6, 8, 11, 14, 18, 22, 27, 33, 38, 43, 48, 54, 60], 3))
def test_after_a_kill_at_any_write_the_next_call_finishes_the_compaction(
    start_process: StartProcess, tmp_path: Path, killed_at: int
) -> None:
    params: dict[str, Any] = {"summary": SUMMARY, "progress": "Half"}
    undisturbed = start_process(state_dir=tmp_path / "undisturbed")
    undisturbed.client.initialize(settings={"mode": "active"})
    report(undisturbed, create_project(tmp_path / "a"), **params)
    order = tmp_path / "order"
    first = start_process(
        state_dir=tmp_path / "state", command=KILLABLE, environment={"SIDECAR_TEST_DIES_AT": str(order)}
    )
    first.client.initialize(settings={"mode": "active"})
    project = create_project(tmp_path / "b")
    order.write_text(str(killed_at))
    try:
        report(first, project, **params)
    except StillWaiting:
        assert first.wait() == -signal.SIGKILL
    else:
        first.popen.kill()
        first.wait()
    second = start_process(state_dir=tmp_path / "state")
    second.client.initialize(settings={"mode": "active"})
    result = report(second, project, **params)
    assert (result["compactions"], result["captured"] is not None) == (1, True)
    assert end_state(second, project) == end_state(undisturbed, tmp_path / "a")
