"""What one hook of a session stores for the next: the current run, and the files that its tools wrote.

Two small files in the state folder for the duration of a run. They contain no prompt and no text.
"""

import json
import os
from contextlib import suppress
from hashlib import blake2b
from typing import Any

FOLDER = "hooks"
MAX_TOUCHED_FILES = 4_000
MAX_LOG_BYTES = 256 * 1024
MAX_AGE_MS = 7 * 86_400_000
"""Age at which the files of a run that never ended are removed, as when the terminal was closed."""

SUFFIXES = (".run", ".touched")

_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


class HookRunState:
    """The stored run state of one session."""

    def __init__(self, path: str) -> None:
        self._run = f"{path}.run"
        self._touched = f"{path}.touched"

    def store(self, open_run: dict[str, Any] | None) -> None:
        """Store the run that starts, and forget the files of the previous one."""
        with suppress(FileNotFoundError):
            os.unlink(self._touched)
        if open_run is None:
            with suppress(FileNotFoundError):
                os.unlink(self._run)
            return
        self.update(open_run)

    def update(self, open_run: dict[str, Any]) -> None:
        """Update the current run; its files remain."""
        _write(self._run, json.dumps(open_run).encode(), os.O_TRUNC)

    def touch(self, path: str) -> None:
        """Record a file that a tool wrote."""
        if path:
            _write(self._touched, json.dumps(path).encode() + b"\n", os.O_APPEND)

    def read(self) -> dict[str, Any]:
        """Return the current run, as the sidecar's request contains it."""
        try:
            with open(self._run, "rb") as file:
                return {"openRun": json.loads(file.read())}
        except (OSError, ValueError):
            return {}

    def pop(self) -> dict[str, Any]:
        """Return the current run with its files, and remove it: it has ended."""
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
        paths: dict[str, None] = {}
        for line in lines:
            with suppress(ValueError):
                paths[json.loads(line)] = None
        return list(paths)[-MAX_TOUCHED_FILES:]


def run_state_of(state_dir: str, session_id: str) -> HookRunState:
    """Return a session's run state, in a folder that only the user can enter."""
    folder = os.path.join(state_dir, FOLDER)
    if not os.path.isdir(folder):
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    return HookRunState(os.path.join(folder, blake2b(session_id.encode(), digest_size=12).hexdigest()))


def remove_stale_runs(state_dir: str, now_ms: int) -> None:
    """Remove the state of runs that never ended."""
    with suppress(OSError), os.scandir(os.path.join(state_dir, FOLDER)) as entries:
        for entry in entries:
            if entry.name.endswith(SUFFIXES) and entry.stat().st_mtime * 1000 < now_ms - MAX_AGE_MS:
                os.unlink(entry.path)


def undelivered_run(hook_input: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """Return the run that a prompt starts without a sidecar's answer: nothing was delivered to it."""
    from sidecar.core.clock import rfc3339

    return {
        "runId": os.urandom(16).hex(),
        "deliveryToken": None,
        "cwd": hook_input["cwd"],
        "projectPath": None,
        "mode": "plan" if hook_input.get("permission_mode") == "plan" else "agent",
        "startedAt": rfc3339(now_ms),
    }


def log_line(state_dir: str, now_ms: int, event: str, reason: str) -> None:
    """Log why a hook printed nothing; a log that cannot be written is ignored."""
    from sidecar.core.clock import rfc3339

    line = json.dumps({"at": rfc3339(now_ms), "level": "warning", "event": "hook.silent", "hook": event, "why": reason})
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
