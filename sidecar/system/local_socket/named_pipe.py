"""Local socket on Windows: a named pipe whose clients prove that they can read a file of the user."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener
from typing import Any

FOLDER = "socket"
KEY_NAME = "key"
KEY_BYTES = 32


class SocketConnection:
    """One connection's stream, on either side."""

    def __init__(self, connection: Any, seconds: float | None = None) -> None:
        self._connection = connection
        self._seconds = seconds

    def read(self) -> bytes:
        """Return the bytes that have arrived, empty after the peer has closed; raise OSError or TimeoutError."""
        if self._seconds is not None and not self._connection.poll(self._seconds):
            raise TimeoutError
        try:
            return bytes(self._connection.recv_bytes())
        except EOFError:
            return b""

    def write(self, payload: bytes) -> None:
        """Send everything; raise OSError."""
        self._connection.send_bytes(payload)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class SocketListener:
    """Accept clients; each is served on its own thread."""

    def __init__(self, listener: Listener, serve: Callable[[SocketConnection], None]) -> None:
        self._listener = listener
        self._serve = serve
        threading.Thread(target=self._accept_loop, name="local-socket", daemon=True).start()

    def close(self) -> None:
        """Stop accepting clients."""
        self._listener.close()

    def is_open(self) -> bool:
        """Whether clients still reach this listener: always, as a pipe's name cannot be taken twice."""
        return True

    def _accept_loop(self) -> None:
        while True:
            try:
                peer = self._listener.accept()
            except AuthenticationError:
                continue
            except OSError:
                return
            threading.Thread(
                target=self._serve, args=(SocketConnection(peer),), name="local-socket-client", daemon=True
            ).start()


def listen(state_dir: str, serve: Callable[[SocketConnection], None]) -> SocketListener:
    """Listen for a state folder's clients; raise OSError if another process does, or if the key cannot be stored."""
    key_path = _key_path(state_dir)
    os.makedirs(os.path.dirname(key_path), exist_ok=True)
    key = os.urandom(KEY_BYTES)
    listener = Listener(_address(state_dir), family="AF_PIPE", authkey=key)
    # The user's data folder passes its permissions on: other users cannot read files created in it.
    with open(key_path, "wb") as file:
        file.write(key)
    return SocketListener(listener, serve)


def connect(state_dir: str, seconds: float) -> SocketConnection | None:
    """Connect to the running sidecar of a state folder; return None if there is none, or if it is not the user's."""
    with suppress(OSError, EOFError, AuthenticationError):
        with open(_key_path(state_dir), "rb") as file:
            key = file.read()
        return SocketConnection(Client(_address(state_dir), family="AF_PIPE", authkey=key), seconds)
    return None


def _key_path(state_dir: str) -> str:
    return os.path.join(state_dir, FOLDER, KEY_NAME)


def _address(state_dir: str) -> str:
    name = blake2b(os.path.normcase(os.path.realpath(state_dir)).encode("utf-8", "surrogatepass"), digest_size=16)
    return rf"\\.\pipe\onecode-sidecar-{name.hexdigest()}"
