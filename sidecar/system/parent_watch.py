"""Detects the end of the parent process, even if it was killed, and of streams that nobody reads or writes."""

import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any


def watch_streams(
    read_fd: int, write_fd: int, *, on_read_end: Callable[[], None], on_write_end: Callable[[], None]
) -> threading.Thread | None:
    """Call back, from its own thread, when `read_fd` has no writer or `write_fd` no reader any more.

    Bytes written to `read_fd` earlier may still be unread. Return None if the platform cannot detect this.
    """
    if sys.platform != "win32":
        callbacks = {read_fd: on_read_end, write_fd: on_write_end}

        def wait_for_hangups() -> None:
            for fd in _hangups(read_fd, write_fd):
                callbacks[fd]()

        thread = threading.Thread(target=wait_for_hangups, name="stream-watch", daemon=True)
        thread.start()
        return thread
    return None


if sys.platform != "win32":

    def _hangups_of_poll(read_fd: int, write_fd: int) -> Iterator[int]:
        """Yield each descriptor when its other end is closed."""
        poller = select.poll()
        # No events requested: hang-ups are always reported.
        poller.register(read_fd, getattr(select, "POLLRDHUP", 0))
        poller.register(write_fd, 0)
        watched = {read_fd, write_fd}
        while watched:
            for fd, event in poller.poll():
                poller.unregister(fd)
                watched.discard(fd)
                if not event & select.POLLNVAL:
                    yield fd

    def _hangups_of_kqueue(read_fd: int, write_fd: int) -> Iterator[int]:
        """Yield each descriptor when its other end is closed.

        A poll of macOS reports no hang-up unless events are requested, which nearly always wait already. Its queue
        reports each change of what can be read or written once.
        """
        kernel: Any = select  # only the platforms with these queues declare them
        queue = kernel.kqueue()
        watched: dict[int, int] = {}
        for fd, filter_ in ((read_fd, kernel.KQ_FILTER_READ), (write_fd, kernel.KQ_FILTER_WRITE)):
            with suppress(OSError):  # a kind of file that cannot be watched
                queue.control([kernel.kevent(fd, filter_, kernel.KQ_EV_ADD | kernel.KQ_EV_CLEAR)], 0)
                watched[filter_] = fd
        while watched:
            for event in queue.control(None, len(watched), None):
                fd = watched.pop(event.filter, None) if event.flags & kernel.KQ_EV_EOF else None
                if fd is not None:
                    yield fd
        queue.close()

    _hangups = _hangups_of_kqueue if sys.platform == "darwin" else _hangups_of_poll

POLL_SECONDS = 0.5


def watch_process(pid: int, on_death: Callable[[], None]) -> threading.Thread:
    """Call `on_death` once, from its own thread, when the process has ended or never existed."""

    def wait_and_notify() -> None:
        wait_for_exit(pid)
        on_death()

    thread = threading.Thread(target=wait_and_notify, name="parent-watch", daemon=True)
    thread.start()
    return thread


def wait_for_exit(pid: int) -> None:
    """Block until a process has ended: through the kernel if it offers that, else by polling twice a second."""
    if sys.platform == "win32":
        _wait_windows(pid)
    elif sys.platform == "darwin":
        _wait_kqueue(pid)
    elif hasattr(os, "pidfd_open"):
        _wait_pidfd(pid)
    else:
        _poll_for_exit(pid)


def _poll_for_exit(pid: int) -> None:
    """Poll until the pid is gone or a zombie (which still exists), or no longer our parent if it was."""
    was_parent = os.getppid() == pid
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        except PermissionError:
            pass
        if (was_parent and os.getppid() != pid) or _is_zombie(pid):
            return
        time.sleep(POLL_SECONDS)


def _is_zombie(pid: int) -> bool:
    """Whether Linux reports the process as a zombie in `/proc`; False elsewhere."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            return stream.read().rpartition(b")")[2].split()[:1] == [b"Z"]
    except OSError:
        return False


if sys.platform == "win32":

    def _wait_windows(pid: int) -> None:
        import ctypes

        synchronize, infinite, access_denied = 0x00100000, 0xFFFFFFFF, 5
        kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel32.OpenProcess.restype = ctypes.c_void_p
        kernel32.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
        kernel32.CloseHandle.argtypes = (ctypes.c_void_p,)
        handle = kernel32.OpenProcess(synchronize, False, pid)
        if not handle:
            if ctypes.get_last_error() == access_denied:
                threading.Event().wait()  # it is alive but may not be watched: only the end of stdin remains
            return
        kernel32.WaitForSingleObject(handle, infinite)
        kernel32.CloseHandle(handle)

elif sys.platform == "darwin":

    def _wait_kqueue(pid: int) -> None:
        kernel_queue = select.kqueue()
        exit_event = select.kevent(
            pid, filter=select.KQ_FILTER_PROC, flags=select.KQ_EV_ADD | select.KQ_EV_ONESHOT, fflags=select.KQ_NOTE_EXIT
        )
        try:
            kernel_queue.control([exit_event], 1, None)
        except ProcessLookupError:
            return
        except OSError:
            _poll_for_exit(pid)
        finally:
            kernel_queue.close()

else:

    def _wait_pidfd(pid: int) -> None:
        try:
            process_fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        except OSError:
            _poll_for_exit(pid)
            return
        try:
            poller = select.poll()
            poller.register(process_fd, select.POLLIN)
            poller.poll()
        finally:
            os.close(process_fd)
