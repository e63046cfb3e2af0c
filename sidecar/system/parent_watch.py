"""Notices that the other side of a stream has gone, also while nobody reads or writes it."""

import os
import select
import sys
import threading
import time
from collections.abc import Callable


def watch_streams(
    read_fd: int, write_fd: int, *, on_read_end: Callable[[], None], on_write_end: Callable[[], None]
) -> threading.Thread | None:
    """Calls back, from one thread of its own, when nobody can write to `read_fd` or read from `write_fd` any more.

    What was written to `read_fd` before may still wait to be read. Gives None where the platform cannot tell.
    """
    if sys.platform == "win32":
        return None
    callbacks = {read_fd: on_read_end, write_fd: on_write_end}
    poller = select.poll()
    # No events asked for: an end, which is what is left, is always told.
    poller.register(read_fd, getattr(select, "POLLRDHUP", 0))
    poller.register(write_fd, 0)

    def watch() -> None:
        while callbacks:
            for fd, event in poller.poll():
                poller.unregister(fd)
                callback = callbacks.pop(fd)
                if not event & select.POLLNVAL:  # what macOS says of a terminal, which it cannot watch
                    callback()

    thread = threading.Thread(target=watch, name="stream-watch", daemon=True)
    thread.start()
    return thread


# Notices the death of the process that started us, also when it was killed and could tell nobody.


POLL_SECONDS = 0.5


def watch(pid: int, on_death: Callable[[], None]) -> threading.Thread:
    """Calls `on_death` once, from a thread of its own, when the process has ended or was never there."""

    def wait_and_tell() -> None:
        wait_for_end(pid)
        on_death()

    thread = threading.Thread(target=wait_and_tell, name="parent-watch", daemon=True)
    thread.start()
    return thread


def wait_for_end(pid: int) -> None:
    """Blocks until a process has ended: by the kernel's word where there is one, else by asking twice a second."""
    if sys.platform == "win32":
        _wait_windows(pid)
    elif sys.platform == "darwin":
        _wait_kqueue(pid)
    elif hasattr(os, "pidfd_open"):
        _wait_pidfd(pid)
    else:
        _wait_polling(pid)


def _wait_polling(pid: int) -> None:
    """Asks whether the pid exists, is no zombie (which still exists) and, if it was our parent, still is."""
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
    """Asks Linux, where `/proc` tells; elsewhere nothing does."""
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
                threading.Event().wait()  # it lives and may not be watched: stdin's end has to do
            return
        kernel32.WaitForSingleObject(handle, infinite)
        kernel32.CloseHandle(handle)

elif sys.platform == "darwin":

    def _wait_kqueue(pid: int) -> None:
        queue = select.kqueue()
        ended = select.kevent(
            pid, filter=select.KQ_FILTER_PROC, flags=select.KQ_EV_ADD | select.KQ_EV_ONESHOT, fflags=select.KQ_NOTE_EXIT
        )
        try:
            queue.control([ended], 1, None)
        except ProcessLookupError:
            return
        except OSError:
            _wait_polling(pid)
        finally:
            queue.close()

else:

    def _wait_pidfd(pid: int) -> None:
        try:
            process_fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        except OSError:
            _wait_polling(pid)
            return
        try:
            poller = select.poll()
            poller.register(process_fd, select.POLLIN)
            poller.poll()
        finally:
            os.close(process_fd)
