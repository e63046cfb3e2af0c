"""Local socket in the state folder, through which other programs of the same user reach a running sidecar.

On Unix this is a socket only its user can open, in a folder only its user can enter; both sides check the peer's user.
On Windows it is a named pipe whose key is in such a folder. If several sidecars share a state folder, the one that
started to listen last answers. The client side imports almost nothing: a hook is a new process for each prompt.
"""

import sys

if sys.platform == "win32":
    from sidecar.system.local_socket.named_pipe import SocketConnection, SocketListener, connect, listen
else:
    from sidecar.system.local_socket.unix_socket import SocketConnection, SocketListener, connect, listen

__all__ = ["SocketConnection", "SocketListener", "connect", "listen"]
