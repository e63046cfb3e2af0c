"""`onecode-sidecar hook <event>`: one hook of Claude Code, JSON in and JSON out. On any failure it prints nothing.

A process starts for each prompt and each edit, so it loads only what it needs to reach a sidecar: a running one, or one
that it starts and that stays alive for the next hooks.
"""

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sidecar.cli.hook_run_state import HookRunState, log_line, remove_stale_runs, run_state_of, undelivered_run
from sidecar.core.clock import Clock, SystemClock
from sidecar.system.environment import HOST_VARIABLE, MODE_VARIABLE, default_state_folder, environment

if TYPE_CHECKING:
    from sidecar.system.local_socket import SocketConnection


NOTIFY_SECONDS = 0.04
"""Maximum time to report an edit to a slow sidecar."""

POLL_SECONDS = 0.02
"""Interval of the checks whether a started sidecar listens."""


def request_answer(
    state_dir: str, params: dict[str, Any], clock: Clock, end_ms: float, *, waits: bool
) -> dict[str, Any] | None:
    """Return the answer to a hook; None if a sidecar was started that works on its own, or is not ready in time.

    The request carries the remaining time, so that the sidecar answers in time with what it has.
    """

    def left() -> float:
        return max(POLL_SECONDS, (end_ms - clock.monotonic_ms()) / 1000)

    connection = _connect(state_dir, left())
    if connection is None:
        spawn_daemon(state_dir, None if waits else params)
        while waits and connection is None and clock.monotonic_ms() < end_ms:
            time.sleep(POLL_SECONDS)
            connection = _connect(state_dir, left())
    if connection is None:
        return None
    return read_answer(connection, {**params, "timeLeftMs": max(0, int(end_ms - clock.monotonic_ms()))})


def notify(state_dir: str, params: dict[str, Any]) -> None:
    """Send an event to a running sidecar without waiting for an answer."""
    connection = _connect(state_dir, NOTIFY_SECONDS)
    if connection is not None:
        connection.write(_message(params))


def read_answer(connection: "SocketConnection", params: dict[str, Any]) -> dict[str, Any] | None:
    """Return a sidecar's answer; raise OSError when the connection is lost, RuntimeError for an error answer."""
    connection.write(_message(params))
    received = b""
    while not received.endswith(b"\n"):
        chunk = connection.read()
        if not chunk:
            raise ConnectionResetError
        received += chunk
    answer = json.loads(received)
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    result: dict[str, Any] = answer["result"]
    return result


def spawn_daemon(state_dir: str, params: dict[str, Any] | None) -> None:
    """Start a sidecar that outlives the hook, with a first request if `params` are given."""
    import subprocess

    from sidecar.system.environment import child_environment

    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "sidecar"]
    flags = 0x08000000 | 0x00000200 if sys.platform == "win32" else 0  # no window, own process group
    started = subprocess.Popen(
        [*program, "hook", "daemon"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=state_dir,
        env=child_environment(),
        start_new_session=True,
        creationflags=flags,
    )
    assert started.stdin is not None
    started.stdin.write(json.dumps(params).encode() if params is not None else b"")
    started.stdin.close()
    started.returncode = 0  # nothing waits for it


def _connect(state_dir: str, seconds: float) -> "SocketConnection | None":
    from sidecar.system.local_socket import connect  # loaded only by hooks that have work to do

    return connect(state_dir, seconds)


def _message(params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": os.getpid(), "method": "hook/run", "params": params}).encode() + b"\n"


EVENTS = ("UserPromptSubmit", "SessionStart", "PreCompact", "PostToolUse", "Stop")

LIMIT_MS = 780.0
"""Time limit of a hook. With the program's start and end it stays below a second, also on a busy machine."""

UNAWAITED_EVENTS = ("Stop", "PreCompact")
"""Hooks that nothing waits for. If no sidecar is running, the one that is started runs them later.

A session's start does wait, although it mostly returns nothing: Claude Code runs it in the background, and the first
prompt then finds a running sidecar.
"""


def run(event: str) -> None:
    """Run a hook and end the process, always with status 0."""
    variables = environment()
    mode = variables.get(MODE_VARIABLE, "").strip().lower()
    if variables.get(HOST_VARIABLE) or mode == "off":
        os._exit(0)
    hook = Hook(event, SystemClock(), default_state_folder(), may_print=mode != "passive")
    watch = threading.Timer(LIMIT_MS / 1000, hook.give_up, ("timeout",))
    watch.daemon = True
    watch.start()
    try:
        hook.do(sys.stdin.buffer.read())
    except TimeoutError:
        hook.give_up("timeout")
    except Exception as error:
        hook.give_up(type(error).__name__)
    os._exit(0)


class Hook:
    """One hook. It either prints its output or gives up, never both."""

    def __init__(self, event: str, clock: Clock, state_dir: str, *, may_print: bool) -> None:
        self.event = event
        self._clock = clock
        self._state_dir = state_dir
        self._may_print = may_print
        self._end_ms = clock.monotonic_ms() + LIMIT_MS
        self._once = threading.Lock()
        self._run_state: HookRunState | None = None
        self._started_run: dict[str, Any] | None = None
        """The run that a prompt starts, as it is stored if nothing is printed for it."""

    def do(self, text: bytes) -> None:
        """Run the hook; raise on any failure."""
        hook_input = json.loads(text)
        run_state = self._run_state = run_state_of(self._state_dir, str(hook_input["session_id"]))
        request: dict[str, Any] = {"event": self.event, "input": hook_input}
        if self.event == "SessionStart":
            remove_stale_runs(self._state_dir, self._clock.now_ms())
        if self.event == "PostToolUse":
            run_state.touch(_written_file(hook_input))
            notify(self._state_dir, request)
            return
        request |= run_state.pop() if self.event == "Stop" else run_state.read()
        if self.event == "UserPromptSubmit":
            self._started_run = undelivered_run(hook_input, self._clock.now_ms())
            request["runId"] = self._started_run["runId"]
        waits = self.event not in UNAWAITED_EVENTS
        answer = request_answer(self._state_dir, request, self._clock, self._end_ms, waits=waits)
        if answer is not None:
            self._print(answer, run_state)
        elif waits:
            raise TimeoutError

    def give_up(self, reason: str) -> None:
        """End the process without output, unless it is printing."""
        if self._once.acquire(blocking=False):
            self._store_started_run()
            log_line(self._state_dir, self._clock.now_ms(), self.event, reason)
            os._exit(0)
        threading.Event().wait()

    def _store_started_run(self) -> None:
        """Store a run that receives nothing, so that its effects are recorded at its end."""
        if self._started_run is not None and self._run_state is not None:
            with suppress(OSError):
                self._run_state.store(self._started_run)

    def _print(self, answer: dict[str, Any], run_state: HookRunState) -> None:
        """Print the output, then store the run. What was not printed was not delivered."""
        if not self._once.acquire(blocking=False):
            threading.Event().wait()  # giving up ends the process, once the run is stored
        output = answer.get("output")
        if output is not None and not self._may_print:
            self._store_started_run()
            return
        if output is not None:
            sys.stdout.buffer.write(json.dumps(output, ensure_ascii=False, separators=(",", ":")).encode())
            sys.stdout.buffer.flush()
        if self.event == "UserPromptSubmit":
            run_state.store(answer.get("openRun"))
        elif output is not None and answer.get("openRun") is not None:
            run_state.update(answer["openRun"])


def _written_file(hook_input: dict[str, Any]) -> str:
    """Return the file that a tool wrote; empty for none."""
    given = hook_input.get("tool_input")
    path = (given.get("file_path") or given.get("notebook_path")) if isinstance(given, dict) else None
    return path if isinstance(path, str) else ""
