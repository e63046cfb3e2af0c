"""A scripted coding agent, which plays steps, run after run.

It serves as the `custom` harness, and as a `claude`, `codex`, … on PATH. A script is a list of runs, each a list of
steps; the last one repeats. Each run records its arguments and stdin beside the script.
"""

import functools
import json
import marshal
import py_compile
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support import agent_program

Step = dict[str, Any]


class FakeAgent:
    """The test's side: writes the script, and reads what the runs recorded."""

    def __init__(self, folder: Path, *runs: list[Step]) -> None:
        self.script = folder / "agent.script"
        folder.mkdir(parents=True, exist_ok=True)
        self.set_runs(*runs)

    def set_runs(self, *runs: list[Step]) -> None:
        """Set the runs to play from the next one on."""
        self.script.write_bytes(marshal.dumps((self.runs, list(runs) or [[]])))

    @property
    def command(self) -> str:
        """The command of the custom harness."""
        words = (sys.executable, "-S", "-E", _program(), str(self.script))
        return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)

    @property
    def runs(self) -> int:
        """Number of runs so far."""
        return len(list(self.script.parent.glob(agent_program.RECORD.format(number="*"))))

    def prompt(self, number: int) -> str:
        """Return the stdin of a run, counted from 1."""
        return (self.script.parent / f"run-{number}.stdin").read_bytes().decode()

    def recorded(self, number: int) -> dict[str, Any]:
        """Return what a run recorded: argv, cwd, environment, pid, isStdinTerminal."""
        record = self.script.parent / agent_program.RECORD.format(number=number)
        recorded: dict[str, Any] = marshal.loads(record.read_bytes())
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


@functools.cache
def _program() -> str:
    """Return the compiled program: compiling it would take half of each start."""
    compiled = Path(tempfile.mkdtemp(prefix="agent-")) / "agent_program.pyc"
    return str(py_compile.compile(str(agent_program.__file__), str(compiled), doraise=True))


def outputs(text: str) -> Step:
    """Text on standard output."""
    return outputs_bytes(text.encode())


def outputs_error(text: str) -> Step:
    """Text on standard error."""
    return {"err": text.encode()}


def outputs_bytes(payload: bytes) -> Step:
    """Bytes on standard output."""
    return {"out": payload}


def event(**members: Any) -> Step:
    """A JSON object on a line of its own."""
    return outputs(json.dumps(members) + "\n")


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
    return {"write": path, "content": text.encode()}


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


def notes_signal(name: str, path: str) -> Step:
    """A signal that from now on creates a file and ends nothing."""
    return {"note": path, "name": name}


def echoes() -> Step:
    """A copy of stdin on standard output."""
    return {"echo": True}


def floods(megabytes: int, unit: bytes = b"x") -> Step:
    """Megabytes of output that repeat the unit, without a line end of their own."""
    return {"megabytes": megabytes, "unit": unit}


def leaves_grandchild(
    seconds: float, pid_file: str, *, detached: bool = False, orphan: bool = False, deaf: bool = False
) -> Step:
    """A grandchild that holds the pipes: in its own session, without its parent, or ignoring SIGTERM.

    It deletes the file with its id when its time is over.
    """
    return {"leave": seconds, "pid": pid_file, "detached": detached, "orphan": orphan, "deaf": deaf}
