"""Tests of detecting the end of processes and streams."""

import errno
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

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


class QueueOfMacOS:
    """The kernel's event queue of macOS, made of Linux's polls: a change of a stream is reported once."""

    def __init__(self) -> None:
        self._poller = select.poll()
        self._watched: dict[int, tuple[int, int]] = {}

    def control(self, changes: list[SimpleNamespace] | None, limit: int, _timeout: None = None) -> list[object]:
        for change in changes or ():
            assert change.flags == 3, "added, and reported once"
            if os.path.isfile(f"/proc/self/fd/{change.ident}"):
                raise OSError(errno.EINVAL, "a file")
            self._watched[change.ident] = (change.filter, 0)
            self._poller.register(change.ident, select.POLLIN if change.filter == -1 else select.POLLOUT)
        events: list[object] = []
        while not events and limit:
            for fd, state in self._poller.poll():
                filter_, before = self._watched[fd]
                self._watched[fd] = (filter_, state)
                if state != before:
                    ended = 0x8000 if state & (select.POLLHUP | select.POLLERR) else 0
                    events.append(SimpleNamespace(ident=fd, filter=filter_, flags=1 | ended))
        return events

    def close(self) -> None:
        pass


@pytest.fixture(params=["poll", "kqueue"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Detect the end of streams by a poll, or by the queue of macOS."""
    if request.param == "kqueue" and sys.platform != "darwin":
        names = {"KQ_FILTER_READ": -1, "KQ_FILTER_WRITE": -2, "KQ_EV_ADD": 1, "KQ_EV_CLEAR": 2, "KQ_EV_EOF": 0x8000}
        for name, value in names.items():
            monkeypatch.setattr(select, name, value, raising=False)
        monkeypatch.setattr(select, "kqueue", QueueOfMacOS, raising=False)
        event = lambda fd, filter_, flags: SimpleNamespace(ident=fd, filter=filter_, flags=flags)  # noqa: E731
        monkeypatch.setattr(select, "kevent", event, raising=False)
    if sys.platform != "darwin" or request.param == "kqueue":
        monkeypatch.setattr(parent_watch, "_hangups", getattr(parent_watch, f"_hangups_of_{request.param}"))


@pytest.mark.usefixtures("way")
def test_a_file_has_no_end_and_is_not_watched(tmp_path: Path) -> None:
    our_read, their_write = os.pipe()
    events: list[str] = []
    with (tmp_path / "file").open("wb") as file:
        thread = watch_streams(
            our_read, file.fileno(), on_read_end=lambda: events.append("read"), on_write_end=lambda: events.append("x")
        )
        os.close(their_write)
        for _ in range(1_000):
            if events:
                break
            time.sleep(0.01)
    assert thread is not None
    assert events == ["read"]
    os.close(our_read)


@pytest.mark.usefixtures("way")
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
