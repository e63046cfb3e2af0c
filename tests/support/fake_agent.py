"""A scripted coding agent: it plays steps from a JSON file, run after run, as a program of its own.

    python tests/support/fake_agent.py SCRIPT.json [arguments that are only noted]

It serves as the `custom` harness, and as a `claude`, `codex`, … on PATH. Only the standard library is imported, so that
it starts fast. A script is a list of runs, each a list of steps; the last one is played again from then on. Each run
notes its arguments and what it was fed beside the script.
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
    """The test's end: writes the script, and says what the runs noted."""

    def __init__(self, folder: Path, *runs: list[Step]) -> None:
        self.script = folder / "agent.json"
        folder.mkdir(parents=True, exist_ok=True)
        self.plays(*runs)

    def plays(self, *runs: list[Step]) -> None:
        """Gives it what it plays from the next run on."""
        self.script.write_text(json.dumps(list(runs) or [[]]), encoding="utf-8")
        (self.script.parent / "agent.first").write_text(str(self.runs), encoding="utf-8")

    @property
    def command(self) -> str:
        """The command of the custom harness."""
        return shlex.join((sys.executable, "-S", "-E", str(Path(__file__).resolve()), str(self.script)))

    @property
    def runs(self) -> int:
        """How often it was run."""
        return len(list(self.script.parent.glob("run-*.json")))

    def prompt(self, number: int) -> str:
        """Gives what a run was fed, counted from 1."""
        return (self.script.parent / f"run-{number}.stdin").read_bytes().decode()

    def noted(self, number: int) -> dict[str, Any]:
        """Gives what a run noted: argv, cwd, environment, pid, isStdinTerminal."""
        noted: dict[str, Any] = json.loads((self.script.parent / f"run-{number}.json").read_text(encoding="utf-8"))
        return noted

    def installed_as(self, name: str, version: str = "2.1.0 (Claude Code)") -> Path:
        """Puts it into a folder for PATH under a harness's name, and gives that folder."""
        folder = self.script.parent / "bin"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.version").write_text(version, encoding="utf-8")
        if sys.platform == "win32":
            (folder / f"{name}.cmd").write_text(f"@{self.command} --called {name} %*\r\n", encoding="utf-8")
        else:
            (folder / name).write_text(f'#!/bin/sh\nexec {self.command} --called {name} "$@"\n', encoding="utf-8")
            (folder / name).chmod(0o755)
        return folder


def says(text: str) -> Step:
    """Text on standard output, as it is."""
    return {"out": text}


def complains(text: str) -> Step:
    """Text on standard error."""
    return {"err": text}


def prints(payload: bytes) -> Step:
    """Bytes on standard output."""
    return {"bytes": base64.b64encode(payload).decode()}


def event(**members: Any) -> Step:
    """One JSON object on a line of its own."""
    return {"json": members}


def claude_says(text: str, **members: Any) -> Step:
    """An assistant's message in Claude's stream."""
    content = [{"type": "text", "text": text}]
    return event(type="assistant", message={"role": "assistant", "content": content}, session_id="session-1", **members)


def claude_uses(tool: str, **given: str) -> Step:
    """The use of a tool in Claude's stream."""
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


def codex_says(text: str) -> Step:
    """An agent's message among Codex's events."""
    return event(type="item.completed", item={"id": "item_0", "type": "agent_message", "text": text})


def codex_done(tokens: tuple[int, int] = (1000, 50)) -> Step:
    """The end of a turn among Codex's events."""
    usage = {"input_tokens": tokens[0], "cached_input_tokens": 0, "output_tokens": tokens[1]}
    return event(type="turn.completed", usage=usage)


def waits(seconds: float) -> Step:
    """Nothing, for a while."""
    return {"sleep": seconds}


def awaits(path: str) -> Step:
    """Nothing, until a file is there."""
    return {"await": path}


def writes(path: str, text: str) -> Step:
    """A file, relative to where it runs."""
    return {"write": path, "text": text}


def runs(*argv: str) -> Step:
    """A program, to its end: `runs("git", "commit", "-qam", "work")`."""
    return {"run": list(argv)}


def exits(code: int) -> Step:
    """The end."""
    return {"exit": code}


def dies(name: str = "SIGKILL") -> Step:
    """The end by a signal."""
    return {"kill": name}


def ignores(*names: str) -> Step:
    """Signals that do nothing from now on."""
    return {"ignore": list(names)}


def echoes() -> Step:
    """What it was fed, on standard output."""
    return {"echo": True}


def spouts(megabytes: int, unit: bytes = b"x") -> Step:
    """Megabytes of output with the unit repeated, in no line of their own."""
    return {"megabytes": megabytes, "unit": base64.b64encode(unit).decode()}


def leaves(seconds: float, pid_file: str, *, detached: bool = False, orphan: bool = False, deaf: bool = False) -> Step:
    """A grandchild that holds the pipes: in a session of its own, without its parent, or deaf to SIGTERM, as asked."""
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


PLAYED: dict[str, Callable[[Step, bytes], object]] = {
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
    "echo": lambda _, fed: _out(fed),
    "megabytes": lambda step, _: _spout(step),
    "leave": lambda step, _: _leave(step),
    "close": lambda step, _: os.close(step["close"]),
}
"""What each step does, by the member it is known by."""


def main() -> None:
    """Plays one run. The first step may be `{"reads": false}`: it then never reads what it is fed."""
    script = Path(sys.argv[1])
    arguments = sys.argv[2:]
    name = arguments[1] if arguments[:1] == ["--called"] else None
    if name is not None and arguments[2:] == ["--version"]:
        print((script.parent / "bin" / f"{name}.version").read_text(encoding="utf-8"))
        return
    number = len(list(script.parent.glob("run-*.json"))) + 1
    noted = {
        "argv": arguments[2:] if name else arguments,
        "cwd": os.getcwd(),
        "environment": dict(os.environ),
        "pid": os.getpid(),
        "isStdinTerminal": os.isatty(0),
    }
    (script.parent / f"run-{number}.json").write_text(json.dumps(noted), encoding="utf-8")
    plays = json.loads(script.read_text(encoding="utf-8"))
    first = int((script.parent / "agent.first").read_text(encoding="utf-8"))
    steps = plays[min(number - first, len(plays)) - 1]
    fed = b""
    if steps[:1] == [{"reads": False}]:
        steps = steps[1:]
    else:
        fed = sys.stdin.buffer.read()
        (script.parent / f"run-{number}.stdin").write_bytes(fed)
    for step in steps:
        PLAYED[next(iter(step))](step, fed)


if __name__ == "__main__":
    main()
