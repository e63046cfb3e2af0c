"""Local socket in the state folder, through which other programs of the same user reach a running sidecar.

On Unix this is a socket only its user can open, in a folder only its user can enter; both sides check the peer's user.
On Windows it is a named pipe whose key is in such a folder. If several sidecars share a state folder, the one that
started to listen last answers. The client side imports almost nothing: a hook is a new process for each prompt.
"""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

FOLDER = "socket"

if sys.platform == "win32":
    from hashlib import blake2b
    from multiprocessing import AuthenticationError
    from multiprocessing.connection import Client, Listener
    from typing import Any

    KEY_NAME = "key"
    KEY_BYTES = 32
    RETRY_SECONDS = 0.05

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
            self._is_closed = threading.Event()
            threading.Thread(target=self._accept_loop, name="local-socket", daemon=True).start()

        def close(self) -> None:
            """Stop accepting clients."""
            self._is_closed.set()
            self._listener.close()

        def is_open(self) -> bool:
            """Whether clients still reach this listener: always, as a pipe's name cannot be taken twice."""
            return True

        def _accept_loop(self) -> None:
            while not self._is_closed.is_set():
                try:
                    peer = self._listener.accept()
                except (AuthenticationError, EOFError):
                    continue  # a client without the key, or one that ended before it had shown it
                except OSError:
                    self._is_closed.wait(RETRY_SECONDS)
                    continue
                threading.Thread(
                    target=self._serve, args=(SocketConnection(peer),), name="local-socket-client", daemon=True
                ).start()

    def listen(state_dir: str, serve: Callable[[SocketConnection], None]) -> SocketListener:
        """Listen for a state folder's clients; raise OSError if another process does, or without a stored key."""
        key_path = _key_path(state_dir)
        os.makedirs(os.path.dirname(key_path), exist_ok=True)
        key = os.urandom(KEY_BYTES)
        listener = Listener(_address(state_dir), family="AF_PIPE", authkey=key)
        # The user's data folder passes its permissions on: other users cannot read files created in it.
        with open(key_path, "wb") as file:
            file.write(key)
        return SocketListener(listener, serve)

    def connect(state_dir: str, seconds: float) -> SocketConnection | None:
        """Connect to the running sidecar of a state folder; return None if there is none, or it is not the user's."""
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

else:
    import socket
    import stat
    import struct

    NAME = "sidecar.sock"
    MAX_BOUND_BYTES = 103
    """Maximum bytes of a path that a socket is bound to: macOS takes 104 with the zero byte at the end, Linux 108."""
    MAX_PATH_BYTES = MAX_BOUND_BYTES - len(".4194304")
    """The same for the socket's final path: it is bound with a process id at its end, at most 2²² on Linux. A longer
    one is opened relative to the state folder.
    """

    BACKLOG = 16
    CHUNK_BYTES = 256 * 1024

    class SocketConnection:
        """One connection's stream, on either side."""

        def __init__(self, client: socket.socket) -> None:
            self._socket = client

        def read(self) -> bytes:
            """Return the bytes that have arrived, empty after the peer has closed; raise OSError or TimeoutError."""
            return self._socket.recv(CHUNK_BYTES)

        def write(self, payload: bytes) -> None:
            """Send everything; raise OSError."""
            self._socket.sendall(payload)

        def close(self) -> None:
            """Close the connection."""
            self._socket.close()

    class SocketListener:
        """Accept clients; each is served on its own thread."""

        def __init__(self, listener: socket.socket, path: str, serve: Callable[[SocketConnection], None]) -> None:
            self._listener = listener
            self._socket_path = path
            self._serve = serve
            self._identity = _identity(path)
            threading.Thread(target=self._accept_loop, name="local-socket", daemon=True).start()

        def close(self) -> None:
            """Stop accepting clients; leave the socket in place if another process has replaced it."""
            with suppress(OSError):
                if _identity(self._socket_path) == self._identity:
                    os.unlink(self._socket_path)
            self._listener.close()

        def is_open(self) -> bool:
            """Whether clients still reach this listener; False once another process has replaced the socket."""
            with suppress(OSError):
                return _identity(self._socket_path) == self._identity
            return False

        def _accept_loop(self) -> None:
            while True:
                try:
                    peer, _ = self._listener.accept()
                except OSError:
                    return
                if peer_uid(peer) != os.getuid():
                    peer.close()
                    continue
                threading.Thread(
                    target=self._serve, args=(SocketConnection(peer),), name="local-socket-client", daemon=True
                ).start()

    def listen(state_dir: str, serve: Callable[[SocketConnection], None]) -> SocketListener:
        """Listen for a state folder's clients; raise OSError if that is not safe."""
        path = _socket_path(state_dir)
        _make_private_folder(os.path.dirname(path))
        temporary = f"{path}.{os.getpid()}"
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(temporary)
            os.chmod(temporary, 0o600)
            listener.listen(BACKLOG)
            os.replace(temporary, path)
            return SocketListener(listener, path, serve)
        except OSError:
            listener.close()
            raise

    def connect(state_dir: str, seconds: float) -> SocketConnection | None:
        """Connect to the running sidecar of a state folder; return None if there is none, or if it is not the user's.

        `seconds` is the timeout of each read and write.
        """
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(seconds)
        try:
            client.connect(_socket_path(state_dir))
            if peer_uid(client) == os.getuid():
                return SocketConnection(client)
        except OSError:
            pass
        client.close()
        return None

    def peer_uid(connected: socket.socket) -> int | None:
        """Return the peer's user id; None if the system does not report it."""
        if sys.platform == "linux":
            credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return int(struct.unpack("3i", credentials)[1])
        with suppress(OSError, struct.error):
            credentials = connected.getsockopt(
                0, 1, 128
            )  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred starts with version and user
            return int(struct.unpack_from("=II", credentials)[1])
        return None

    def _socket_path(state_dir: str) -> str:
        path = os.path.join(state_dir, FOLDER, NAME)
        if len(os.fsencode(path)) <= MAX_PATH_BYTES:
            return path
        os.chdir(
            state_dir
        )  # a sidecar runs in that folder anyway, and a hook has no other use for its working directory
        return os.path.join(FOLDER, NAME)

    def _make_private_folder(folder: str) -> None:
        """Create a folder nobody else may enter; raise OSError if it is a link or belongs to another user."""
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        info = os.lstat(folder)
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid():
            raise PermissionError("the socket's folder does not belong to the user")
        if stat.S_IMODE(info.st_mode) != 0o700:
            os.chmod(folder, 0o700)

    def _identity(path: str) -> tuple[int, int]:
        info = os.lstat(path)
        return info.st_dev, info.st_ino
