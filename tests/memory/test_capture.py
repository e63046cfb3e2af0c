"""Capture's edges: what is refused, what is found in odd texts, what survives a damaged digest."""

import threading
from contextlib import suppress

import pytest

from sidecar.memory.access_control import Reach
from sidecar.memory.capture import capture_session
from sidecar.memory.capture.session_material import SessionSummary, Utterance, to_json
from sidecar.memory.store import captures
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of


def test_a_capture_of_nothing_is_refused(memories: Memories) -> None:
    assert memories.refused("capture", sessionId="s1").message == "The capture is empty."


def test_threads_that_capture_at_once_capture_pending_material_once(
    memories: Memories, sidecar: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = process_of(sidecar)
    workspace = process.workspaces.get(str(memories.project), None)
    summary = SessionSummary("s1", "run-1", (Utterance("user", "From now on, use pnpm.", 0, True),))
    with process.database.write() as tx:
        captures.add_pending(tx, workspace.project_key, "s1", 0, to_json(summary))
    captured: list[str] = []
    capture, both_read = capture_session._capture, threading.Barrier(2)

    def capture_slowly(context: capture_session.CaptureContext, material: SessionSummary) -> object:
        captured.append(material.source)
        with suppress(threading.BrokenBarrierError):
            both_read.wait(0.3)  # time for another thread to read the same row
        return capture(context, material)

    monkeypatch.setattr(capture_session, "_capture", capture_slowly)
    context = capture_session.CaptureContext(process, workspace, Reach(("shared",), "", ""), "run", automatic=True)
    threads = [threading.Thread(target=capture_session.capture_pending, args=(context,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert captured == ["run-1"]
