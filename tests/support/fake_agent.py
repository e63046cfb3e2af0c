"""A scripted coding agent: a program that plays steps from a JSON file, run after run.

    python tests/support/fake_agent.py SCRIPT.json [arguments that are only recorded]

It serves as the `custom` harness, and as a `claude`, `codex`, … on PATH. It imports only the standard library, so that
it starts fast. A script is a list of runs, each a list of steps; the last one repeats. Each run records its arguments
and stdin beside the script.
"""

import base64
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Step = dict[str, Any]

_UNIT = 64 * 1024


class FakeAgent:
    """The test's side: writes the script, and reads what the runs recorded."""

    def __init__(self, folder: Path, *runs: list[Step]) -> None:
        self.script = folder / "agent.json"
        folder.mkdir(parents=True, exist_ok=True)
        self.set_runs(*runs)

    def set_runs(self, *runs: list[Step]) -> None:
        """Set the runs to play from the next one on."""
        self.script.write_text(json.dumps(list(runs) or [[]]), encoding="utf-8")
        (self.script.parent / "agent.first").write_text(str(self.runs), encoding="utf-8")

    @property
    def command(self) -> str:
        """The command of the custom harness."""
        return shlex.join((sys.executable, "-S", "-E", str(Path(__file__).resolve()), str(self.script)))

    @property
    def runs(self) -> int:
        """Number of runs so far."""
        return len(list(self.script.parent.glob("run-*.json")))

    def prompt(self, number: int) -> str:
        """Return the stdin of a run, counted from 1."""
        return (self.script.parent / f"run-{number}.stdin").read_bytes().decode()

    def recorded(self, number: int) -> dict[str, Any]:
        """Return what a run recorded: argv, cwd, environment, pid, isStdinTerminal."""
        recorded: dict[str, Any] = json.loads((self.script.parent / f"run-{number}.json").read_text(encoding="utf-8"))
        return recorded

    def install_as(self, name: str, version: str = "2.1.0 (Claude Code)") -> Path:
        """Install it in a folder for PATH under a harness's name, and return that folder."""
        folder = self.script.parent / "bin"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.version").write_text(version, encoding="utf-8")
        if sys.platform == "win32":
            (folder / f"{name}.cmd").write_text(f"@{self.command} --called {name} %*\r\n", encoding="utf-8")
        else:
            (folder / name).write_text(f'#!/bin/sh\nexec {self.command} --called {name} "$@"\n', encoding="utf-8")
            (folder / name).chmod(0o755)
        return folder


def outputs(text: str) -> Step:
    """Text on standard output."""
    return {"out": text}


def outputs_error(text: str) -> Step:
    """Text on standard error."""
    return {"err": text}


def outputs_bytes(payload: bytes) -> Step:
    """Bytes on standard output."""
    return {"bytes": base64.b64encode(payload).decode()}


def event(**members: Any) -> Step:
    """A JSON object on a line of its own."""
    return {"json": members}


def claude_text(text: str, **members: Any) -> Step:
    """An assistant message in Claude's stream."""
    content = [{"type": "text", "text": text}]
    return event(type="assistant", message={"role": "assistant", "content": content}, session_id="session-1", **members)


def claude_tool_use(tool: str, **given: str) -> Step:
    """A tool use in Claude's stream."""
    content = [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": given}]
    return event(type="assistant", message={"role": "assistant", "content": content}, session_id="session-1")


def claude_result(
    text: str, *, is_error: bool = False, cost: float = 0.25, tokens: tuple[int, int] = (1000, 50)
) -> Step:
    """The last event of Claude's stream."""
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    return event(
        type="result",
        subtype="success",
        is_error=is_error,
        result=text,
        session_id="session-1",
        total_cost_usd=cost,
        usage=usage,
    )


def codex_text(text: str) -> Step:
    """An agent message among Codex's events."""
    return event(type="item.completed", item={"id": "item_0", "type": "agent_message", "text": text})


def codex_done(tokens: tuple[int, int] = (1000, 50)) -> Step:
    """The end of a turn among Codex's events."""
    usage = {"input_tokens": tokens[0], "cached_input_tokens": 0, "output_tokens": tokens[1]}
    return event(type="turn.completed", usage=usage)


def waits(seconds: float) -> Step:
    """A pause."""
    return {"sleep": seconds}


def awaits(path: str) -> Step:
    """A pause until a file exists."""
    return {"await": path}


def writes(path: str, text: str) -> Step:
    """A file, relative to the working directory."""
    return {"write": path, "text": text}


def runs(*argv: str) -> Step:
    """A program, run to its end: `runs("git", "commit", "-qam", "work")`."""
    return {"run": list(argv)}


def exits(code: int) -> Step:
    """An exit with a code."""
    return {"exit": code}


def kills_itself(name: str = "SIGKILL") -> Step:
    """An exit by a signal."""
    return {"kill": name}


def ignores(*names: str) -> Step:
    """Signals that are ignored from now on."""
    return {"ignore": list(names)}


def echoes() -> Step:
    """A copy of stdin on standard output."""
    return {"echo": True}


def floods(megabytes: int, unit: bytes = b"x") -> Step:
    """Megabytes of output that repeat the unit, without a line end of their own."""
    return {"megabytes": megabytes, "unit": base64.b64encode(unit).decode()}


def leaves_grandchild(
    seconds: float, pid_file: str, *, detached: bool = False, orphan: bool = False, deaf: bool = False
) -> Step:
    """A grandchild that holds the pipes: in its own session, without its parent, or ignoring SIGTERM."""
    return {"leave": seconds, "pid": pid_file, "detached": detached, "orphan": orphan, "deaf": deaf}


def _out(payload: bytes) -> None:
    view = memoryview(payload)
    while view:
        view = view[os.write(1, view) :]


def _leave(step: Step) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if step["deaf"] else ""
    sleeping = f"{deaf}import os, time\nopen({step['pid']!r}, 'w').write(str(os.getpid()))\ntime.sleep({step['leave']})"
    command = [sys.executable, "-S", "-E", "-c", sleeping]
    if step["orphan"]:
        command = [*command[:4], f"import subprocess\nsubprocess.Popen({command!r}, start_new_session=True)"]
    child = subprocess.Popen(command, start_new_session=step["detached"])
    if step["orphan"]:
        child.wait()
    while not Path(step["pid"]).exists() or not Path(step["pid"]).read_text():
        time.sleep(0.005)


def _spout(step: Step) -> None:
    unit = base64.b64decode(step["unit"])
    chunk = unit * (_UNIT // len(unit) + 1)
    left = step["megabytes"] * 1024 * 1024
    while left > 0:
        _out(chunk[: min(left, len(chunk))])
        left -= len(chunk)


def _write(step: Step) -> None:
    path = Path(step["write"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(step["text"], encoding="utf-8")


def _await(step: Step) -> None:
    while not Path(step["await"]).exists():
        time.sleep(0.02)


def _kill(step: Step) -> None:
    os.kill(os.getpid(), getattr(signal, step["kill"]))
    time.sleep(5)


def _ignore(step: Step) -> None:
    for name in step["ignore"]:
        signal.signal(getattr(signal, name), signal.SIG_IGN)


STEP_ACTIONS: dict[str, Callable[[Step, bytes], object]] = {
    "out": lambda step, _: _out(step["out"].encode()),
    "err": lambda step, _: os.write(2, step["err"].encode()),
    "bytes": lambda step, _: _out(base64.b64decode(step["bytes"])),
    "json": lambda step, _: _out(json.dumps(step["json"]).encode() + b"\n"),
    "sleep": lambda step, _: time.sleep(step["sleep"]),
    "await": lambda step, _: _await(step),
    "write": lambda step, _: _write(step),
    "run": lambda step, _: subprocess.run(step["run"], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL),
    "exit": lambda step, _: os._exit(step["exit"]),
    "kill": lambda step, _: _kill(step),
    "ignore": lambda step, _: _ignore(step),
    "echo": lambda _, stdin: _out(stdin),
    "megabytes": lambda step, _: _spout(step),
    "leave": lambda step, _: _leave(step),
    "close": lambda step, _: os.close(step["close"]),
}
"""Action of each step, by the member that identifies it."""


def main() -> None:
    """Play one run. With `{"reads": false}` as the first step it never reads stdin."""
    script = Path(sys.argv[1])
    arguments = sys.argv[2:]
    name = arguments[1] if arguments[:1] == ["--called"] else None
    if name is not None and arguments[2:] == ["--version"]:
        print((script.parent / "bin" / f"{name}.version").read_text(encoding="utf-8"))
        return
    number = len(list(script.parent.glob("run-*.json"))) + 1
    recorded = {
        "argv": arguments[2:] if name else arguments,
        "cwd": os.getcwd(),
        "environment": dict(os.environ),
        "pid": os.getpid(),
        "isStdinTerminal": os.isatty(0),
    }
    (script.parent / f"run-{number}.json").write_text(json.dumps(recorded), encoding="utf-8")
    runs = json.loads(script.read_text(encoding="utf-8"))
    first = int((script.parent / "agent.first").read_text(encoding="utf-8"))
    steps = runs[min(number - first, len(runs)) - 1]
    stdin = b""
    if steps[:1] == [{"reads": False}]:
        steps = steps[1:]
    else:
        stdin = sys.stdin.buffer.read()
        (script.parent / f"run-{number}.stdin").write_bytes(stdin)
    for step in steps:
        STEP_ACTIONS[next(iter(step))](step, stdin)


if __name__ == "__main__":
    main()
