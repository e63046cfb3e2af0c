"""What one hook of a session leaves for the next: the run under way, and the files that its tools wrote.

Two small files in the state folder, for the time of a run; no prompt and no text is in them.
"""

import json
import os
from contextlib import suppress
from hashlib import blake2b
from typing import Any

FOLDER = "hooks"
MAX_TOUCHED = 4_000
MAX_LOG_BYTES = 256 * 1024
KEPT_MS = 7 * 86_400_000
"""Notes of a run that nobody ended, as where the terminal was closed, go after so long."""

ENDINGS = (".run", ".touched")

_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


class Notes:
    """The notes of one session."""

    def __init__(self, path: str) -> None:
        self._run = f"{path}.run"
        self._touched = f"{path}.touched"

    def keep(self, open_run: dict[str, Any] | None) -> None:
        """Keeps the run that begins; what the last one touched is over."""
        with suppress(FileNotFoundError):
            os.unlink(self._touched)
        if open_run is None:
            with suppress(FileNotFoundError):
                os.unlink(self._run)
            return
        self.renew(open_run)

    def renew(self, open_run: dict[str, Any]) -> None:
        """Keeps what was given to the run under way since; what it touched stays."""
        _write(self._run, json.dumps(open_run).encode(), os.O_TRUNC)

    def touch(self, path: str) -> None:
        """Notes that a tool wrote a file."""
        if path:
            _write(self._touched, json.dumps(path).encode() + b"\n", os.O_APPEND)

    def read(self) -> dict[str, Any]:
        """Gives the run under way, as the sidecar is told of it."""
        try:
            with open(self._run, "rb") as file:
                return {"openRun": json.loads(file.read())}
        except (OSError, ValueError):
            return {}

    def take(self) -> dict[str, Any]:
        """Gives the run under way with the files it touched, and forgets it: it has ended."""
        taken = {**self.read(), "touched": self._files()}
        for path in (self._run, self._touched):
            with suppress(FileNotFoundError):
                os.unlink(path)
        return taken

    def _files(self) -> list[str]:
        try:
            with open(self._touched, "rb") as file:
                lines = file.read().splitlines()
        except OSError:
            return []
        found: dict[str, None] = {}
        for line in lines:
            with suppress(ValueError):
                found[json.loads(line)] = None
        return list(found)[-MAX_TOUCHED:]


def notes_of(state_dir: str, session_id: str) -> Notes:
    """Gives a session's notes, in a folder that only the user may enter."""
    folder = os.path.join(state_dir, FOLDER)
    if not os.path.isdir(folder):
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    return Notes(os.path.join(folder, blake2b(session_id.encode(), digest_size=12).hexdigest()))


def forget_old(state_dir: str, now_ms: int) -> None:
    """Takes away the notes of runs that nobody ended."""
    with suppress(OSError), os.scandir(os.path.join(state_dir, FOLDER)) as found:
        for one in found:
            if one.name.endswith(ENDINGS) and one.stat().st_mtime * 1000 < now_ms - KEPT_MS:
                os.unlink(one.path)


def unanswered(said: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """Gives the run that a prompt begins as a hook knows it by itself: in some folder, and given nothing."""
    from sidecar.core.clock import rfc3339

    return {
        "runId": os.urandom(16).hex(),
        "deliveryToken": None,
        "cwd": said["cwd"],
        "projectPath": None,
        "mode": "plan" if said.get("permission_mode") == "plan" else "agent",
        "startedAt": rfc3339(now_ms),
    }


def log_line(state_dir: str, now_ms: int, event: str, why: str) -> None:
    """Notes why a hook said nothing; a log that cannot be written disturbs nothing."""
    from sidecar.core.clock import rfc3339

    line = json.dumps({"at": rfc3339(now_ms), "level": "warning", "event": "hook.silent", "hook": event, "why": why})
    path = os.path.join(state_dir, "log", "hooks.log")
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            if os.stat(path).st_size > MAX_LOG_BYTES:
                os.replace(path, f"{path}.1")
        _write(path, line.encode() + b"\n", os.O_APPEND)


def _write(path: str, content: bytes, how: int) -> None:
    fd = os.open(path, _FLAGS | how, 0o600)
    try:
        os.write(fd, content)
    finally:
        os.close(fd)
