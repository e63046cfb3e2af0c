"""`spool ralph` with the scripted agent as a custom harness: in this process, in one of its own where that matters."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import psutil

from tests.support.command import TEMPORARY, Done, run_in_process
from tests.support.fake_agent import FakeAgent
from tests.support.process import ROOT
from tests.support.warm_process import run_python, start_python

CHANGE = "add-login"
PATIENCE_SECONDS = 60.0
SPOOL = (sys.executable, "-c", "from sidecar.__main__ import spool; spool()", "ralph")
_WITH_PATIENCE = """from sidecar.__main__ import spool
from sidecar.cli import ralph_loop
from sidecar.ralph.agent import TimeLimits
TimeLimits.__init__.__defaults__ = (None, None, 3_600_000)
ralph_loop.AT_ONCE_SECONDS = 3_600
spool()
"""
PATIENT_SPOOL = (sys.executable, "-c", _WITH_PATIENCE, "ralph")
"""The same command with an hour for the agent's grace and for an end at once: what ends earlier was not waited for."""


class Ralph:
    """The command for one change in one folder; `close` leaves none of its processes running."""

    def __init__(self, cwd: Path, agent: FakeAgent, temporary: Path, change: str = CHANGE) -> None:
        self.cwd = cwd
        self.agent = agent
        self.change = change
        self.program = SPOOL
        self._temporary = temporary
        self._started: list[subprocess.Popen[bytes]] = []

    @property
    def folder(self) -> Path:
        """The loop's state folder."""
        return self.cwd / ".spool" / ".state" / "ralph" / self.change

    def __call__(self, *arguments: str, stdin: bytes = b"", cwd: Path | None = None, **variables: str) -> Done:
        """Run it with the change and more arguments, in this process, which saves its start."""
        from sidecar.cli import spool

        line = ("ralph", "--change", self.change, *arguments)
        environment = self._environment(variables)
        return run_in_process(spool, *line, cwd=cwd or self.cwd, temporary=self._temporary, stdin=stdin, **environment)

    def in_own_process(self, *arguments: str) -> Done:
        """Run it as its user does, in a process of its own."""
        environment = self._environment({})
        return run_python(self._line(arguments), cwd=self.cwd, env=environment, timeout=PATIENCE_SECONDS)

    def loop(self, *arguments: str, stdin: bytes = b"", **variables: str) -> Done:
        """Run a loop with the scripted agent; a prompt is among the arguments, and flags before or after it."""
        return self(*self._with_agent(arguments), stdin=stdin, cwd=None, **variables)

    def start(self, *arguments: str, **variables: str) -> "subprocess.Popen[bytes]":
        """Start a loop without waiting; its output can be read."""
        return self._begin(arguments, variables, subprocess.PIPE)

    def start_without_output(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start a loop whose output is discarded, with no more memory than its user's."""
        return self._begin(arguments, {}, subprocess.DEVNULL, start=subprocess.Popen)

    def _begin(
        self,
        arguments: tuple[str, ...],
        variables: dict[str, str],
        to: int,
        start: "Callable[..., subprocess.Popen[bytes]]" = start_python,
    ) -> "subprocess.Popen[bytes]":
        self._started.append(
            start(
                self._line(self._with_agent(arguments)),
                cwd=self.cwd,
                env=self._environment(variables),
                stdin=subprocess.DEVNULL,
                stdout=to,
                stderr=subprocess.STDOUT,
                start_new_session=sys.platform != "win32",
            )
        )
        return self._started[-1]

    def state(self) -> Any:
        """The content of `state.json`."""
        return orjson.loads((self.folder / "state.json").read_bytes())

    def history(self) -> list[Any]:
        """The lines of the history."""
        return [orjson.loads(line) for line in (self.folder / "history.jsonl").read_bytes().splitlines()]

    def status(self) -> Any:
        """The result of `--status --json`."""
        return orjson.loads(self("--status", "--json").stdout)

    def until(self, condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until a condition holds; what cannot be read yet does not hold."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                if condition():
                    return
            time.sleep(0.02)
        raise AssertionError("it did not happen in time")

    def until_running(self, number: int = 1) -> None:
        """Wait until an iteration's agent runs."""
        self.until(lambda: self.agent.runs >= number)

    def close(self) -> None:
        """End all running processes."""
        for process in self._started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def _line(self, arguments: tuple[str, ...]) -> tuple[str, ...]:
        return (*self.program, "--change", self.change, *arguments)

    def _with_agent(self, arguments: tuple[str, ...]) -> tuple[str, ...]:
        own = ["--harness", "custom", "--harness-command", self.agent.command]
        if "--harness" in arguments:
            own = []
        if not {"--continuity", "--no-continuity"} & set(arguments):
            own.append("--no-continuity")
        return (*own, *arguments) if "--" in arguments else (*arguments, *own)

    def _environment(self, variables: dict[str, str]) -> dict[str, str]:
        temporary = dict.fromkeys(TEMPORARY, str(self._temporary))
        return {**os.environ, "PYTHONPATH": str(ROOT), **temporary, **variables}


def last_line(done: Done) -> str:
    """The last line that a command printed."""
    return done.stdout.decode().strip().splitlines()[-1]


def is_running(pid_file: Path) -> bool:
    """Whether a process that wrote its id to a file still runs; a zombie does not."""
    try:
        status = psutil.Process(int(pid_file.read_text(encoding="utf-8"))).status()
        return bool(status != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
