"""The program of the scripted agent: plays one run of its script.

    python agent_program.py SCRIPT [arguments that are only recorded]

Hundreds of tests start it, so it imports only what the interpreter has loaded, and reads the interpreter's own format:
a start takes 12 ms instead of 45. `tests/support/fake_agent.py` writes the script and reads what the runs record.
"""

import marshal
import os
import sys
import time
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Step = dict[str, Any]

_UNIT = 64 * 1024
RECORD = "run-{number}.record"


def _out(payload: bytes) -> None:
    view = memoryview(payload)
    while view:
        view = view[os.write(1, view) :]


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, content: bytes) -> None:
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def _run(command: "list[str]") -> None:
    import subprocess

    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def _leave(step: "Step") -> None:
    import subprocess

    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if step["deaf"] else ""
    pid_file = repr(step["pid"])
    sleeping = (
        f"{deaf}import os, time\nopen({pid_file}, 'w').write(str(os.getpid()))\n"
        f"time.sleep({step['leave']})\nos.remove({pid_file})"
    )
    command = [sys.executable, "-S", "-E", "-c", sleeping]
    if step["orphan"]:
        command = [*command[:4], f"import subprocess\nsubprocess.Popen({command!r}, start_new_session=True)"]
    child = subprocess.Popen(command, start_new_session=step["detached"])
    if step["orphan"]:
        child.wait()
    while not os.path.exists(step["pid"]) or not _read(step["pid"]):
        time.sleep(0.005)


def _spout(step: "Step") -> None:
    unit = step["unit"]
    chunk = unit * (_UNIT // len(unit) + 1)
    left = step["megabytes"] * 1024 * 1024
    while left > 0:
        _out(chunk[: min(left, len(chunk))])
        left -= len(chunk)


def _await(path: str) -> None:
    while not os.path.exists(path):
        time.sleep(0.02)


def _kill(name: str) -> None:
    import signal

    os.kill(os.getpid(), getattr(signal, name))
    time.sleep(5)


def _ignore(names: "list[str]") -> None:
    import signal

    for name in names:
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def _note_signal(step: "Step") -> None:
    import signal

    signal.signal(getattr(signal, step["name"]), lambda _number, _frame: _write(step["note"], b""))


STEP_ACTIONS: "dict[str, Callable[[Step, bytes], object]]" = {
    "out": lambda step, _: _out(step["out"]),
    "err": lambda step, _: os.write(2, step["err"]),
    "sleep": lambda step, _: time.sleep(step["sleep"]),
    "await": lambda step, _: _await(step["await"]),
    "write": lambda step, _: _write(step["write"], step["content"]),
    "run": lambda step, _: _run(step["run"]),
    "exit": lambda step, _: os._exit(step["exit"]),
    "kill": lambda step, _: _kill(step["kill"]),
    "ignore": lambda step, _: _ignore(step["ignore"]),
    "note": lambda step, _: _note_signal(step),
    "echo": lambda _, stdin: _out(stdin),
    "megabytes": lambda step, _: _spout(step),
    "leave": lambda step, _: _leave(step),
    "close": lambda step, _: os.close(step["close"]),
}
"""Action of each step, by the member that identifies it."""


def main() -> None:
    """Play one run. With `{"reads": False}` as the first step it never reads stdin."""
    script, *arguments = sys.argv[1:]
    folder = os.path.dirname(script)
    name = arguments[1] if arguments[:1] == ["--called"] else None
    if name is not None and arguments[2:] == ["--version"]:
        _out(_read(os.path.join(folder, "bin", f"{name}.version")) + b"\n")
        return
    number = sum(entry.startswith("run-") and entry.endswith(".record") for entry in os.listdir(folder)) + 1
    recorded = {
        "argv": arguments[2:] if name else arguments,
        "cwd": os.getcwd(),
        "environment": dict(os.environ),
        "pid": os.getpid(),
        "isStdinTerminal": os.isatty(0),
    }
    _write(os.path.join(folder, RECORD.format(number=number)), marshal.dumps(recorded))
    first, runs = marshal.loads(_read(script))
    steps = runs[min(number - first, len(runs)) - 1]
    stdin = b""
    if steps[:1] == [{"reads": False}]:
        steps = steps[1:]
    else:
        stdin = sys.stdin.buffer.read()
        _write(os.path.join(folder, f"run-{number}.stdin"), stdin)
    for step in steps:
        STEP_ACTIONS[next(iter(step))](step, stdin)


if __name__ == "__main__":
    main()
