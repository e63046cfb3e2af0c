"""Tests of detecting the end of processes and streams."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from sidecar.system import parent_watch
from sidecar.system.parent_watch import watch_streams

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


WAYS = [parent_watch.wait_for_exit, parent_watch._poll_for_exit]


@pytest.mark.parametrize("wait", WAYS)
@pytest.mark.parametrize("reaped", [True, False], ids=["reaped", "a zombie"])
def test_waiting_ends_when_the_process_ends(
    other: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, wait: object, reaped: bool
) -> None:
    monkeypatch.setattr(parent_watch, "POLL_SECONDS", 0.01)
    assert callable(wait)
    waiting = threading.Thread(target=wait, args=(other.pid,), daemon=True)
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    other.kill()
    if reaped:
        other.wait()
    waiting.join(10)
    assert not waiting.is_alive()


@pytest.mark.parametrize("wait", WAYS)
def test_waiting_for_an_exited_process_returns_at_once(other: subprocess.Popen[bytes], wait: object) -> None:
    other.kill()
    other.wait()
    assert callable(wait)
    wait(other.pid)


def test_the_watch_calls_back_once(other: subprocess.Popen[bytes]) -> None:
    calls: list[bool] = []
    thread = parent_watch.watch_process(other.pid, lambda: calls.append(True))
    other.kill()
    thread.join(10)
    assert calls == [True]


def test_the_end_of_either_stream_is_detected_without_reading_or_writing() -> None:
    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()
    events: list[str] = []
    thread = watch_streams(
        our_read, our_write, on_read_end=lambda: events.append("read"), on_write_end=lambda: events.append("write")
    )
    assert thread is not None
    os.write(their_write, b"unread")
    os.close(their_write)
    thread.join(0.2)
    assert events == ["read"]
    os.close(their_read)
    thread.join(10)
    assert events == ["read", "write"]
    for fd in (our_read, our_write):
        os.close(fd)
