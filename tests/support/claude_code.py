"""Claude Code and Codex CLI from their hooks' point of view: each a process with JSON on stdin, and a session file."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sidecar.cli.hook_client import FOLDER
from sidecar.cli.hook_daemon import LOCK
from sidecar.core.clock import rfc3339
from tests.support.process import ROOT
from tests.support.warm_process import run_python

PATIENCE_SECONDS = 60.0
HOOK = (sys.executable, "-m", "sidecar", "hook")
Done = subprocess.CompletedProcess[bytes]


class ClaudeCode:
    """A session in a folder; `state_dir` is the location of the user's state, once it exists."""

    arguments: tuple[str, ...] = ()
    """What the hooks' command line has after the event."""

    def __init__(self, cwd: Path, home: Path, *, session_id: str = "5f0c", **variables: str) -> None:
        self.cwd = cwd
        self.session_id = session_id
        self.state_dir = home / "onecode-continuity"
        folders = dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA", "HOME"), str(home))
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), **folders, **variables}
        self.transcript = home / "sessions" / f"{session_id}.jsonl"
        self.printed = b""
        """Output of the last prompt's hook."""
        self.transcript.parent.mkdir(parents=True, exist_ok=True)

    def hook(self, event: str, *, variables: Mapping[str, str] | None = None, **members: Any) -> Done:
        """Run a hook as Claude Code does."""
        payload = {
            "session_id": self.session_id, "transcript_path": str(self.transcript), "cwd": str(self.cwd),
            "permission_mode": "default", "hook_event_name": event, **members,
        }  # fmt: skip
        return self.raw(event, json.dumps(payload).encode(), variables)

    def raw(self, event: str, stdin: bytes, variables: Mapping[str, str] | None = None) -> Done:
        """Run a hook with any bytes on stdin."""
        environment = {**self.environment, **(variables or {})}
        done = run_python((*HOOK, event, *self.arguments), timeout=60, stdin=stdin, env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        return done

    def prompt(self, text: str, **members: Any) -> str:
        """Submit a prompt and return the context the agent receives with it; repeat it if the machine was too slow."""
        self.write("user", text)
        give_up = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < give_up:
            before = self._run_notes()
            done = self.hook("UserPromptSubmit", prompt=text, **members)
            if self._run_notes() != before:
                self.printed = done.stdout
                return context_of(done)
        raise AssertionError("no prompt was answered in time")

    def stop(self, text: str = "Done.", **members: Any) -> Done:
        """End the run with the agent's final words."""
        self.write("assistant", [{"type": "text", "text": text}])
        return self.hook("Stop", stop_hook_active=False, last_assistant_message=text, **members)

    def edit(self, path: str, content: str) -> Done:
        """Write a file as the agent's tool does, and run its hook."""
        target = self.cwd / path
        target.write_text(content, encoding="utf-8")
        payload = {"file_path": str(target), "content": content}
        self.write("assistant", [{"type": "tool_use", "id": path, "name": "Write", "input": payload}])
        self.write("user", [{"type": "tool_result", "tool_use_id": path, "content": "written"}])
        return self.hook("PostToolUse", tool_name="Write", tool_input=payload, tool_response={"success": True})

    def write(self, role: str, content: Any, **record: Any) -> None:
        """Append a record to the session file."""
        now = rfc3339(time.time_ns() // 1_000_000)
        message = {"id": f"message-{time.monotonic_ns()}", "role": role, "content": content}
        line = {"type": role, "message": message, "timestamp": now, "sessionId": self.session_id, **record}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def forget_run(self) -> None:
        """Delete the hooks' notes of active runs, as if a hook had given up before it printed."""
        for path in (self.state_dir / FOLDER).glob("*.run"):
            path.unlink()

    def log(self) -> list[dict[str, Any]]:
        """Return the hooks' own log."""
        path = self.state_dir / "log" / "hooks.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def daemon_pid(self) -> int | None:
        """Return the process id of the sidecar that a hook started."""
        with suppress(OSError, ValueError):
            return int((self.state_dir / FOLDER / LOCK).read_text())
        return None

    def close(self) -> None:
        """End the sidecar that a hook started."""
        process = self.daemon_pid()
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
        give_up = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < give_up and _is_alive(process):
            time.sleep(0.05)

    def _run_notes(self) -> list[tuple[str, bytes]]:
        """Return the notes of answered runs. A hook that gave up knows no project."""
        paths = sorted((self.state_dir / FOLDER).glob("*.run"))
        notes = [(path.name, path.read_bytes()) for path in paths]
        return [note for note in notes if json.loads(note[1])["projectPath"] is not None]


class CodexCli(ClaudeCode):
    """A session of Codex CLI, with its rollout file."""

    arguments = ("codex",)

    def prompt(self, text: str, **members: Any) -> str:
        """Submit a prompt and return the context the agent receives with it."""
        return super().prompt(text, model="gpt-5", turn_id="1", **members)

    def edit(self, path: str, content: str) -> Done:
        """Replace a file as the agent's patch does, and run its hook."""
        (self.cwd / path).write_text(content, encoding="utf-8")
        patch = f"*** Begin Patch\n*** Update File: {path}\n*** End Patch"
        self._append(
            "response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": "a", "input": patch}
        )
        return self.hook("PostToolUse", tool_name="apply_patch", tool_input={"command": patch}, tool_response="Done!")

    def write(self, role: str, content: Any, **record: Any) -> None:
        """Append a message to the rollout file."""
        kind = "user_message" if role == "user" else "agent_message"
        text = content if isinstance(content, str) else "".join(part["text"] for part in content)
        self._append("event_msg", {"type": kind, "message": text, **record})

    def _append(self, kind: str, payload: dict[str, Any]) -> None:
        line = {"timestamp": rfc3339(time.time_ns() // 1_000_000), "type": kind, "payload": payload}
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def context_of(done: Done) -> str:
    """Return what a hook adds to the agent's context; empty without output."""
    if not done.stdout:
        return ""
    text: str = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    return text


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return Path(f"/proc/{process}").exists() if sys.platform == "linux" else True
