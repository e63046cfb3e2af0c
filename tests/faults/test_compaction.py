"""A process that is killed before a compaction: repeating the call ends where an undisturbed one does."""

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

MORTAL = (sys.executable, "-m", "tests.support.serve_and_crash")
Starts = Callable[..., SidecarProcess]

DIGEST = {
    "messages": [
        {"author": "user", "text": "No, use pnpm instead of npm.", "at": "2026-03-01T09:00:00Z"},
        {"author": "user", "text": "Always write the test first, please.", "at": "2026-03-01T09:01:00Z"},
    ]
}
KNOWN = "---\ntype: decision\nconfidence: 0.8\nevidence_count: 1\nat: 2026-02-01T09:00:00Z\n---\n"
MEMORIES = {
    "npm": f"{KNOWN}# Use npm for the build\n\nUse npm for the build.\n",
    "test": f"{KNOWN}# Always write the test first\n\nAlways write the test first, please.\n",
}


def made(project: Path) -> Path:
    folder = ".chati/memories/shared/durable"
    for path, text in {**PROJECT, **{f"{folder}/{name}.md": text for name, text in MEMORIES.items()}}.items():
        target = project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return project


def tell(process: SidecarProcess, project: Path, verb: str = "preCompact", **more: Any) -> Any:
    told = {"cwd": str(project), "sessionId": "s-1", "compactionId": "c-1", **more}
    return process.client.request(f"context/{verb}", told)


def ends(process: SidecarProcess, project: Path) -> dict[str, str]:
    """Gives all that a compaction leaves in the project, but for ids and the moment."""
    folder = project / ".chati"
    paths = [folder / "session.yaml", *sorted((folder / "memories").rglob("*.md"))]
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    after = tell(process, project, "postCompact")
    texts["count"] = f"{after['compactions']} {after['context']['data']['memory']['text']}"
    varying = r"mem-\d{4}-\d\d-\d\d-\d+|\d{4}-\d\d-\d\dT[\d:.]+Z|daily/[\d-]+|(?<=digest, )[\d-]+|(?<=date: \")[\d-]+"
    return {re.sub(varying, "…", path): re.sub(varying, "…", text) for path, text in texts.items()}


@pytest.mark.parametrize("dies_at", sample([1, 2, 3, 4, 6, 8, 11, 14, 18, 22, 27, 33, 38, 43, 48, 54, 60], 5))
def test_killed_at_any_write_the_next_call_finishes_what_was_begun(
    start_process: Starts, tmp_path: Path, dies_at: int
) -> None:
    more: dict[str, Any] = {"digest": DIGEST, "progress": "Half"}
    whole = start_process(state_dir=tmp_path / "whole")
    whole.client.initialize(settings={"mode": "active"})
    tell(whole, made(tmp_path / "a"), **more)
    orders = tmp_path / "orders"
    first = start_process(
        state_dir=tmp_path / "state", command=MORTAL, environment={"SIDECAR_TEST_DIES_AT": str(orders)}
    )
    first.client.initialize(settings={"mode": "active"})
    project = made(tmp_path / "b")
    orders.write_text(str(dies_at))
    try:
        tell(first, project, **more)
    except StillWaiting:
        assert first.wait() == -signal.SIGKILL
    else:
        first.popen.kill()
        first.wait()
    second = start_process(state_dir=tmp_path / "state")
    second.client.initialize(settings={"mode": "active"})
    again = tell(second, project, **more)
    assert (again["compactions"], again["captured"] is not None) == (1, True)
    assert ends(second, project) == ends(whole, tmp_path / "a")
