"""`onecode-sidecar hook EVENT [codex]`: a hook of Claude Code or Codex CLI, JSON in and out. Failures print nothing.

A process starts for each prompt and each edit, so it loads only what it needs to reach a sidecar: a running one, or one
that it starts and that stays alive for the next hooks.
"""

import json
import os
import sys
import threading
import time
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sidecar.core.clock import DAY_MS, Clock, SystemClock
from sidecar.system.environment import (
    HOST_VARIABLE,
    SWITCHED_OFF,
    default_state_folder,
    environment,
    mode_variable,
)

if TYPE_CHECKING:
    from sidecar.system.local_socket import SocketConnection


FOLDER = "hooks"
MAX_TOUCHED_FILES = 4_000
MAX_LOG_BYTES = 256 * 1024
MAX_AGE_MS = 7 * DAY_MS
"""Age at which the files of a run that never ended are removed, as when the terminal was closed."""

MAX_UNSHOWN_RUNS = 5
"""Maximum number of runs whose memories the next Stop hook shows because their own could not."""

SUFFIXES = (".run", ".touched", ".unshown")

_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class HookRunState:
    """The stored run state of one session."""

    def __init__(self, path: str) -> None:
        self._run = f"{path}.run"
        self._touched = f"{path}.touched"
        self._unshown = f"{path}.unshown"

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
        """Return the current run, as the sidecar's request contains it; one whose end is not answered is unshown."""
        try:
            with open(self._run, "rb") as file:
                open_run = json.loads(file.read())
        except (OSError, ValueError):
            return {}
        unshown = self._unshown_runs()
        return {"openRun": open_run, **({"unshownRuns": unshown} if open_run["runId"] in unshown else {})}

    def end(self) -> dict[str, Any]:
        """Return the current run with its files, and the earlier runs that no Stop hook has shown.

        It counts as unshown until `clear_ended`, so that the next prompt's hook knows what was printed for it, and the
        next Stop hook shows what this one cannot.
        """
        taken: dict[str, Any] = {**self.read(), "touched": self._files()}
        ended = [taken["openRun"]["runId"]] if "openRun" in taken else []
        unshown = [run_id for run_id in self._unshown_runs() if run_id not in ended]
        if ended:
            run_ids = [*unshown, *ended][-MAX_UNSHOWN_RUNS:]
            _write(self._unshown, json.dumps(run_ids).encode(), os.O_TRUNC)
        return {**taken, "unshownRuns": unshown}

    def clear_ended(self, run_id: str) -> None:
        """Forget a run whose end the sidecar has answered, and the earlier ones that its Stop hook has shown."""
        is_current = self.read().get("openRun", {}).get("runId") == run_id
        for path in (self._unshown, *((self._run, self._touched) if is_current else ())):
            with suppress(FileNotFoundError):
                os.unlink(path)

    def _unshown_runs(self) -> list[str]:
        try:
            with open(self._unshown, "rb") as file:
                return [run_id for run_id in json.loads(file.read()) if isinstance(run_id, str)]
        except (OSError, ValueError, TypeError):
            return []

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


def private_folder(state_dir: str, name: str) -> str:
    """Return a folder in the state folder, both created if needed, so that only the user can enter them."""
    folder = os.path.join(state_dir, name)
    if not os.path.isdir(folder):
        os.makedirs(state_dir, mode=0o700, exist_ok=True)  # the mode is that of the last folder only
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    return folder


def run_state_of(state_dir: str, session_id: str) -> HookRunState:
    """Return a session's run state, in a folder that only the user can enter."""
    folder = private_folder(state_dir, FOLDER)
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
    with suppress(OSError):
        path = os.path.join(private_folder(state_dir, "log"), "hooks.log")
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


NOTIFY_SECONDS = 0.04
"""Maximum time to report an edit to a slow sidecar."""

POLL_SECONDS = 0.02
"""Interval of the checks whether a started sidecar listens."""


def request_answer(
    state_dir: str, params: dict[str, Any], clock: Clock, end_ms: float, *, waits: bool
) -> dict[str, Any] | None:
    """Return the answer to a hook; None if a sidecar was started that works on its own, or is not ready in time.

    The request carries the remaining time, so that the sidecar answers in time with what it has. One that starts too
    slowly to answer opens the project all the same: the next hook may be long in coming.
    """

    def left() -> float:
        return max(POLL_SECONDS, (end_ms - clock.monotonic_ms()) / 1000)

    connection = _connect(state_dir, left())
    if connection is None:
        spawn_daemon(state_dir, _opening(params) if waits else params)
        while waits and connection is None and clock.monotonic_ms() < end_ms:
            time.sleep(POLL_SECONDS)
            connection = _connect(state_dir, left())
    if connection is None:
        return None
    return read_answer(connection, {**params, "timeLeftMs": max(0, int(end_ms - clock.monotonic_ms()))})


def _opening(params: dict[str, Any]) -> dict[str, Any]:
    """Return a request that opens a hook's project and does nothing else: that of a tool that wrote no file."""
    place = {name: params["input"][name] for name in ("session_id", "cwd") if name in params["input"]}
    return {"event": "PostToolUse", "agent": params["agent"], "input": place}


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


def spawn_daemon(state_dir: str, params: dict[str, Any]) -> None:
    """Start a sidecar that outlives the hook, with a first request."""
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
    started.stdin.write(json.dumps(params).encode())
    started.stdin.close()
    started.returncode = 0  # nothing waits for it


def _connect(state_dir: str, seconds: float) -> "SocketConnection | None":
    from sidecar.system.local_socket import connect  # loaded only by hooks that have work to do

    return connect(state_dir, seconds)


def _message(params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": os.getpid(), "method": "hook/run", "params": params}).encode() + b"\n"


EVENTS = ("UserPromptSubmit", "SessionStart", "PreCompact", "PostToolUse", "Stop")

MAX_REASON_CHARACTERS = 400

LIMIT_MS = 780.0
"""Time limit of a hook. With the program's start and end it stays below a second, also on a busy machine."""

AGENTS = ("claude", "codex")

UNAWAITED_EVENTS = ("Stop", "PreCompact")
"""Hooks that nothing waits for. If no sidecar is running, the one that is started runs them later.

A session's start does wait, although it mostly returns nothing: Claude Code runs it in the background, and the first
prompt then finds a running sidecar.
"""


def run(event: str, agent: str = "claude") -> None:
    """Run a hook and end the process, always with status 0."""
    variables = environment()
    mode = mode_variable()
    if variables.get(HOST_VARIABLE) or mode == SWITCHED_OFF:
        os._exit(0)
    hook = Hook(event, agent, SystemClock(), default_state_folder(), may_print=mode != "passive")
    watch = threading.Timer(LIMIT_MS / 1000, hook.give_up, ("timeout",))
    watch.daemon = True
    watch.start()
    try:
        hook.do(sys.stdin.buffer.read())
    except TimeoutError:
        hook.give_up("timeout")
    except Exception as error:
        hook.give_up(reason_of(error))
    os._exit(0)


def reason_of(error: Exception) -> str:
    """Return why a hook printed nothing: the sidecar's sentence, or what is wrong with the input."""
    if isinstance(error, RuntimeError):
        return str(error)[:MAX_REASON_CHARACTERS]
    if isinstance(error, KeyError):
        return f"The hook's input has no `{error.args[0]}`."
    if isinstance(error, (ValueError, TypeError)):
        return "The hook's input is not a JSON object."
    if isinstance(error, OSError) and error.strerror:
        return f"The sidecar cannot be reached: {error.strerror}."
    return type(error).__name__


class Hook:
    """One hook. It either prints its output or gives up, never both."""

    def __init__(self, event: str, agent: str, clock: Clock, state_dir: str, *, may_print: bool) -> None:
        self.event = event
        self._agent = agent
        self._clock = clock
        self._state_dir = state_dir
        self._may_print = may_print
        self._end_ms = clock.monotonic_ms() + LIMIT_MS
        self._once = threading.Lock()
        self._run_state: HookRunState | None = None
        self._started_run: dict[str, Any] | None = None
        """The run that a prompt starts, as it is stored if nothing is printed for it."""
        self._ended_run_id: str | None = None
        """The run that a Stop hook ends."""

    def do(self, text: bytes) -> None:
        """Run the hook; raise on any failure."""
        hook_input = json.loads(text)
        run_state = self._run_state = run_state_of(self._state_dir, str(hook_input["session_id"]))
        request: dict[str, Any] = {"event": self.event, "agent": self._agent, "input": hook_input}
        if self.event == "SessionStart":
            remove_stale_runs(self._state_dir, self._clock.now_ms())
        if self.event == "PostToolUse":
            touched = written_files(hook_input)
            for path in touched:
                run_state.touch(path)
            notify(self._state_dir, {**request, "touched": touched})
            return
        request |= run_state.end() if self.event == "Stop" else run_state.read()
        if self.event == "Stop" and "openRun" in request:
            self._ended_run_id = request["openRun"]["runId"]
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
        if self._ended_run_id is not None:
            run_state.clear_ended(self._ended_run_id)
        if self.event == "UserPromptSubmit":
            run_state.store(answer.get("openRun"))
        elif output is not None and answer.get("openRun") is not None:
            run_state.update(answer["openRun"])


_PATCH_HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def written_files(hook_input: dict[str, Any]) -> list[str]:
    """Return the files that a tool wrote: the one that Claude Code names, or those of Codex's patch."""
    given = hook_input.get("tool_input")
    if not isinstance(given, dict):
        return []
    path = given.get("file_path") or given.get("notebook_path")
    if isinstance(path, str):
        return [path]
    patch = given.get("command") if hook_input.get("tool_name") == "apply_patch" else None
    lines = patch.splitlines() if isinstance(patch, str) else []
    named = (line.removeprefix(header) for line in lines for header in _PATCH_HEADERS if line.startswith(header))
    return [os.path.join(str(hook_input.get("cwd") or ""), path.strip()) for path in named]
