"""The door on Unix: a socket, and the user it belongs to."""

import os
import socket
import stat
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

FOLDER = "socket"
NAME = "sidecar.sock"
LONGEST_PATH = 100
"""Bytes of a socket's path that every Unix takes; a longer one is reached from the state folder itself."""

WAITING_VISITORS = 16
CHUNK_BYTES = 256 * 1024

assert sys.platform != "win32"  # what follows is not looked at there


class Visit:
    """One visitor's stream, on either side."""

    def __init__(self, own: socket.socket) -> None:
        self._own = own

    def read(self) -> bytes:
        """Gives what has come; empty once the other side is gone. Raises OSError, TimeoutError too."""
        return self._own.recv(CHUNK_BYTES)

    def write(self, payload: bytes) -> None:
        """Sends everything; raises OSError."""
        self._own.sendall(payload)

    def close(self) -> None:
        """Ends the visit."""
        self._own.close()


class Door:
    """An open door; visitors are let in one after the other, each served on a thread of its own."""

    def __init__(self, listening: socket.socket, path: str, serve: Callable[[Visit], None]) -> None:
        self._listening = listening
        self._path = path
        self._serve = serve
        self._identity = _identity(path)
        threading.Thread(target=self._let_in, name="local-socket", daemon=True).start()

    def close(self) -> None:
        """Closes it; one that another process has opened since stays."""
        with suppress(OSError):
            if _identity(self._path) == self._identity:
                os.unlink(self._path)
        self._listening.close()

    def is_open(self) -> bool:
        """Says whether those who knock still come to this one, and to no other that was opened since."""
        with suppress(OSError):
            return _identity(self._path) == self._identity
        return False

    def _let_in(self) -> None:
        while True:
            try:
                visitor, _ = self._listening.accept()
            except OSError:
                return
            if peer_of(visitor) != os.getuid():
                visitor.close()
                continue
            threading.Thread(target=self._serve, args=(Visit(visitor),), name="local-socket-client", daemon=True).start()


def open_door(state_dir: str, serve: Callable[[Visit], None]) -> Door:
    """Opens the door of a state folder; raises OSError where that cannot be done safely."""
    path = _path(state_dir)
    _own_folder(os.path.dirname(path))
    unfinished = f"{path}.{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(unfinished)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(unfinished)
        os.chmod(unfinished, 0o600)
        listening.listen(WAITING_VISITORS)
        os.replace(unfinished, path)
        return Door(listening, path, serve)
    except OSError:
        listening.close()
        raise


def knock(state_dir: str, seconds: float) -> Visit | None:
    """Goes to the running sidecar of a state folder; None where there is none, or not the user's own.

    Each read and write may take so many seconds.
    """
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    own.settimeout(seconds)
    try:
        own.connect(_path(state_dir))
        if peer_of(own) == os.getuid():
            return Visit(own)
    except OSError:
        pass
    own.close()
    return None


def peer_of(connected: socket.socket) -> int | None:
    """Gives the user on the other side; None where the system does not tell."""
    if sys.platform == "linux":
        told = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int(struct.unpack("3i", told)[1])
    with suppress(OSError, struct.error):
        told = connected.getsockopt(0, 1, 128)  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred begins with version and user
        return int(struct.unpack_from("=II", told)[1])
    return None


def _path(state_dir: str) -> str:
    path = os.path.join(state_dir, FOLDER, NAME)
    if len(os.fsencode(path)) <= LONGEST_PATH:
        return path
    os.chdir(state_dir)  # a sidecar stands there anyway, and a hook has no other business
    return os.path.join(FOLDER, NAME)


def _own_folder(folder: str) -> None:
    """Makes a folder that nobody else may enter; raises OSError for one that is a link or another user's."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError("the socket's folder does not belong to the user")
    if stat.S_IMODE(found.st_mode) != 0o700:
        os.chmod(folder, 0o700)


def _identity(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_dev, found.st_ino
