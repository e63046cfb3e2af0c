"""Tests of the local socket, through which other programs of the user reach a running sidecar."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sidecar.system import local_socket
from sidecar.system.local_socket import SocketConnection, connect, listen

SECONDS = 10


def echo(connection: SocketConnection) -> None:
    with suppress(OSError):
        if content := connection.read():
            connection.write(content)
    connection.close()


@pytest.fixture
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)  # where a path is too long for a socket, that is the way to it
    listener = listen(str(tmp_path), echo)
    yield str(tmp_path)
    listener.close()


def hang_up_at_once(state_dir: str) -> None:
    """Connect like a hook that is killed before it has sent anything."""
    if sys.platform == "win32":
        os.close(os.open(local_socket._address(state_dir), os.O_RDWR | os.O_BINARY))
    else:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(local_socket._socket_path(state_dir))


def send_another_key(state_dir: str) -> None:
    """Connect like a program that cannot read the user's files."""
    if sys.platform == "win32":
        key = Path(local_socket._key_path(state_dir))
        content = key.read_bytes()
        key.write_bytes(b"another key")
        assert connect(state_dir, SECONDS) is None
        key.write_bytes(content)


@pytest.mark.parametrize("visit", [hang_up_at_once, send_another_key])
def test_a_client_that_is_not_served_keeps_no_other_out(state_dir: str, visit: Callable[[str], None]) -> None:
    for _ in range(2):
        visit(state_dir)
        connection = connect(state_dir, SECONDS)
        assert connection is not None
        connection.write(b"hello")
        assert connection.read() == b"hello"
        connection.close()
