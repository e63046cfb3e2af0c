"""How a hook asks: the sidecar that runs, or one that it starts for itself and the hooks after it."""

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from sidecar.core.clock import Clock
from sidecar.system.door import knock

if TYPE_CHECKING:
    from sidecar.system.door import Visit

TELL_SECONDS = 0.04
"""What noting an edit may take where the sidecar is slow to take it."""

LOOK_SECONDS = 0.02
"""How often is looked whether a sidecar that was started has opened its door."""


def ask(state_dir: str, params: dict[str, Any], clock: Clock, end_ms: float, *, waits: bool) -> dict[str, Any] | None:
    """Gives the answer to a hook; None where a sidecar was started that works by itself, or is not there in time.

    The sidecar is told what time is left, so that it gives in time what it has by then.
    """

    def left() -> float:
        return max(LOOK_SECONDS, (end_ms - clock.monotonic_ms()) / 1000)

    visit = knock(state_dir, left())
    if visit is None:
        linger(state_dir, None if waits else params)
        while waits and visit is None and clock.monotonic_ms() < end_ms:
            time.sleep(LOOK_SECONDS)
            visit = knock(state_dir, left())
    if visit is None:
        return None
    return answer_of(visit, {**params, "timeLeftMs": max(0, int(end_ms - clock.monotonic_ms()))})


def tell(state_dir: str, params: dict[str, Any]) -> None:
    """Tells a sidecar that runs, and waits for no answer."""
    visit = knock(state_dir, TELL_SECONDS)
    if visit is not None:
        visit.write(_message(params))


def answer_of(visit: "Visit", params: dict[str, Any]) -> dict[str, Any] | None:
    """Gives a sidecar's answer to a hook; raises OSError for one that has gone, RuntimeError for an error."""
    visit.write(_message(params))
    taken = b""
    while not taken.endswith(b"\n"):
        chunk = visit.read()
        if not chunk:
            raise ConnectionResetError
        taken += chunk
    answer = json.loads(taken)
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    result: dict[str, Any] = answer["result"]
    return result


def linger(state_dir: str, params: dict[str, Any] | None) -> None:
    """Starts a sidecar that outlives the hook, with something to be done first where `params` are given."""
    import subprocess

    from sidecar.system.environment import for_child

    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "sidecar"]
    flags = 0x08000000 | 0x00000200 if sys.platform == "win32" else 0  # no window, and a group of its own
    started = subprocess.Popen(
        [*program, "hook", "linger"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=state_dir,
        env=for_child(),
        start_new_session=True,
        creationflags=flags,
    )
    assert started.stdin is not None
    started.stdin.write(json.dumps(params).encode() if params is not None else b"")
    started.stdin.close()
    started.returncode = 0  # nobody waits for it


def _message(params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": os.getpid(), "method": "hook/run", "params": params}).encode() + b"\n"
