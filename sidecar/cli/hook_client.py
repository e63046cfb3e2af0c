"""How a hook asks: the sidecar that runs, or one that it starts for itself and the hooks after it."""

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sidecar.cli.hook_run_state import Notes, forget_old, log_line, notes_of, unanswered
from sidecar.core.clock import Clock, SystemClock
from sidecar.system.environment import HOST_VARIABLE, MODE_VARIABLE, environment, state_folder_of_user
from sidecar.system.local_socket import knock

if TYPE_CHECKING:
    from sidecar.system.local_socket import Visit


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


# `onecode-sidecar hook <event>`: one hook of Claude Code, JSON in and JSON out; whatever goes wrong, nothing is said.
#
# A process starts for each prompt and each edit, so all it loads is what it takes to ask a sidecar: one that runs, or
# one that it starts, which lingers for the next hooks.


EVENTS = ("UserPromptSubmit", "SessionStart", "PreCompact", "PostToolUse", "Stop")

LIMIT_MS = 780.0
"""After so long the hook gives up: with the program's own start and end it stays below a second, also on a busy one."""

UNHEARD = ("Stop", "PreCompact")
"""Hooks whose work nobody waits for: where no sidecar runs, the one that is started does it in its own time.

A session's start does wait, though it mostly has nothing to say: Claude Code calls it behind its screen, and the first
prompt then finds a sidecar that runs.
"""


def run(event: str) -> None:
    """Does what a hook is for and ends the process, with status 0 in any case."""
    variables = environment()
    mode = variables.get(MODE_VARIABLE, "").strip().lower()
    if variables.get(HOST_VARIABLE) or mode == "off":
        os._exit(0)
    hook = Hook(event, SystemClock(), state_folder_of_user(), may_speak=mode != "passive")
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
    """One hook on its way; of giving up and printing only one happens."""

    def __init__(self, event: str, clock: Clock, state_dir: str, *, may_speak: bool) -> None:
        self.event = event
        self._clock = clock
        self._state_dir = state_dir
        self._may_speak = may_speak
        self._end_ms = clock.monotonic_ms() + LIMIT_MS
        self._once = threading.Lock()
        self._notes: Notes | None = None
        self._begun: dict[str, Any] | None = None
        """The run that a prompt begins, as it is kept where nothing is printed for it."""

    def do(self, text: bytes) -> None:
        """Does what the hook is for; raises whatever goes wrong."""
        said = json.loads(text)
        notes = self._notes = notes_of(self._state_dir, str(said["session_id"]))
        request: dict[str, Any] = {"event": self.event, "input": said}
        if self.event == "SessionStart":
            forget_old(self._state_dir, self._clock.now_ms())
        if self.event == "PostToolUse":
            notes.touch(_file_of(said))
            tell(self._state_dir, request)
            return
        request |= notes.take() if self.event == "Stop" else notes.read()
        if self.event == "UserPromptSubmit":
            self._begun = unanswered(said, self._clock.now_ms())
            request["runId"] = self._begun["runId"]
        waits = self.event not in UNHEARD
        answer = ask(self._state_dir, request, self._clock, self._end_ms, waits=waits)
        if answer is not None:
            self._say(answer, notes)
        elif waits:
            raise TimeoutError

    def give_up(self, why: str) -> None:
        """Ends the process and says nothing, unless it is printing."""
        if self._once.acquire(blocking=False):
            self._keep_begun()
            log_line(self._state_dir, self._clock.now_ms(), self.event, why)
            os._exit(0)
        threading.Event().wait()

    def _keep_begun(self) -> None:
        """Keeps a run that is told nothing, so that what it does is known once it ends."""
        if self._begun is not None and self._notes is not None:
            with suppress(OSError):
                self._notes.keep(self._begun)

    def _say(self, answer: dict[str, Any], notes: Notes) -> None:
        """Prints, and only then keeps what the end of the run is told by: what was not printed was not given."""
        if not self._once.acquire(blocking=False):
            threading.Event().wait()  # giving up ends the process, once it has kept what there is to keep
        output = answer.get("output")
        if output is not None and not self._may_speak:
            self._keep_begun()
            return
        if output is not None:
            sys.stdout.buffer.write(json.dumps(output, ensure_ascii=False, separators=(",", ":")).encode())
            sys.stdout.buffer.flush()
        if self.event == "UserPromptSubmit":
            notes.keep(answer.get("openRun"))
        elif output is not None and answer.get("openRun") is not None:
            notes.renew(answer["openRun"])


def _file_of(said: dict[str, Any]) -> str:
    """Gives the file that a tool wrote; empty where it wrote none."""
    given = said.get("tool_input")
    path = (given.get("file_path") or given.get("notebook_path")) if isinstance(given, dict) else None
    return path if isinstance(path, str) else ""
