"""Capture's edges: what is refused, what is found in odd texts, what survives a damaged digest."""

from tests.support.memory_project import Memories


def test_a_capture_of_nothing_is_refused(memories: Memories) -> None:
    assert memories.refused("capture", sessionId="s1").message == "The capture is empty."
