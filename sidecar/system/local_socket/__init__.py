"""A door in the state folder: how other programs of the same user speak with a running sidecar.

On Unix a socket that only its user can open, in a folder that only its user can enter, and both sides look at who is
there; on Windows a named pipe with a key in such a folder. Of several sidecars on one state folder the one that opened
last answers. The client's side loads next to nothing: a hook is a process that starts for each prompt.
"""

import sys

if sys.platform == "win32":
    from sidecar.system.local_socket.named_pipe import Door, Visit, knock, open_door
else:
    from sidecar.system.local_socket.unix_socket import Door, Visit, knock, open_door

__all__ = ["Door", "Visit", "knock", "open_door"]
