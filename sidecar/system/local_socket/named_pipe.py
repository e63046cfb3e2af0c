"""The door on Windows: a named pipe whose visitors prove that they can read a file of the user's own."""

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


class Visit:
    """One visitor's stream, on either side."""

    def __init__(self, own: Any, seconds: float | None = None) -> None:
        self._own = own
        self._seconds = seconds

    def read(self) -> bytes:
        """Gives what has come; empty once the other side is gone. Raises OSError, TimeoutError too."""
        if self._seconds is not None and not self._own.poll(self._seconds):
            raise TimeoutError
        try:
            return bytes(self._own.recv_bytes())
        except EOFError:
            return b""

    def write(self, payload: bytes) -> None:
        """Sends everything; raises OSError."""
        self._own.send_bytes(payload)

    def close(self) -> None:
        """Ends the visit."""
        self._own.close()


class Door:
    """An open door; visitors are let in one after the other, each served on a thread of its own."""

    def __init__(self, listening: Listener, serve: Callable[[Visit], None]) -> None:
        self._listening = listening
        self._serve = serve
        threading.Thread(target=self._let_in, name="local-socket", daemon=True).start()

    def close(self) -> None:
        """Closes it."""
        self._listening.close()

    def is_open(self) -> bool:
        """Says whether those who knock still come to this one: a pipe's name is no other's while it is taken."""
        return True

    def _let_in(self) -> None:
        while True:
            try:
                visitor = self._listening.accept()
            except AuthenticationError:
                continue
            except OSError:
                return
            threading.Thread(target=self._serve, args=(Visit(visitor),), name="local-socket-client", daemon=True).start()


def open_door(state_dir: str, serve: Callable[[Visit], None]) -> Door:
    """Opens the door of a state folder; raises OSError where another process has it open, or the key cannot be kept."""
    key_path = _key_path(state_dir)
    os.makedirs(os.path.dirname(key_path), exist_ok=True)
    key = os.urandom(KEY_BYTES)
    listening = Listener(_address(state_dir), family="AF_PIPE", authkey=key)
    # The user's own data folder passes its rights on: other users cannot read what is made in it.
    with open(key_path, "wb") as file:
        file.write(key)
    return Door(listening, serve)


def knock(state_dir: str, seconds: float) -> Visit | None:
    """Goes to the running sidecar of a state folder; None where there is none, or not the user's own."""
    with suppress(OSError, EOFError, AuthenticationError):
        with open(_key_path(state_dir), "rb") as file:
            key = file.read()
        return Visit(Client(_address(state_dir), family="AF_PIPE", authkey=key), seconds)
    return None


def _key_path(state_dir: str) -> str:
    return os.path.join(state_dir, FOLDER, KEY_NAME)


def _address(state_dir: str) -> str:
    name = blake2b(os.path.normcase(os.path.realpath(state_dir)).encode("utf-8", "surrogatepass"), digest_size=16)
    return rf"\\.\pipe\onecode-sidecar-{name.hexdigest()}"
