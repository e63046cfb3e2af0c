"""Count our own functions, and their files, that one call runs: a warm pre-run and one `settings/get`.

    .venv/bin/python -m tests.benchmarks.functions_per_call [--list]

The sidecar runs in this process, on a small repository in which nothing changes between two pre-runs. A second pre-run
row has two memories and one uncommitted edit, both known to the session. Every thread counts, from the bytes of the
request to those of the response. A function is a `def` or a `lambda` and counts once; generator expressions and
comprehensions are printed beside it. The smallest of several equal calls counts, without background work that an
earlier call left.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from tests.support.client import Client

SOURCES = Path(__file__).resolve().parents[2] / "sidecar"
FILES = 100
REPEATS = 7
PAUSE_SECONDS = 0.5
WATCH_POLLS = 300
MEMORIES = (
    "Always run make check before parse is changed.",
    "We decided to return early in parse because none is common.",
)
PROMPT = "Return early in parse when there is none."


class Target(NamedTuple):
    """Upper limits of one call."""

    functions: int
    files: int | None


PRE_RUN, SETTINGS, LARGER = "continuity/preRun", "settings/get", "the same, larger"
TARGETS = {PRE_RUN: Target(250, 45), SETTINGS: Target(45, None)}


class Recorder:
    """Collects the code that runs in this thread and in those started after the recorder."""

    def __init__(self) -> None:
        self._codes: set[CodeType] | None = None
        threading.setprofile(self._on_event)
        sys.setprofile(self._on_event)

    def record(self, action: Callable[[], object]) -> frozenset[CodeType]:
        """Return our own code that runs, in any thread, while the action does."""
        time.sleep(PAUSE_SECONDS)  # background work of the call before
        codes = self._codes = set()
        try:
            action()
        finally:
            self._codes = None
        return frozenset(code for code in codes if code.co_filename.startswith(str(SOURCES)))

    def _on_event(self, frame: FrameType, event: str, _argument: Any) -> None:
        codes = self._codes
        if event == "call" and codes is not None:
            codes.add(frame.f_code)


class Conversation:
    """One chat with delivered runs."""

    def __init__(self, client: Client, cwd: Path) -> None:
        self._client = client
        self._run = {"subChatId": "chat", "provider": "claude", "mode": "agent", "cwd": str(cwd), "prompt": PROMPT}
        self._session: str | None = None
        self._count = 0

    def pre_run(self) -> Any:
        """Return the result of the next pre-run."""
        self._count += 1
        session = {"id": self._session, "willResume": self._session is not None, "isFork": False}
        run = {**self._run, "runId": f"run-{self._count}", "session": session, "deadlineMs": 20_000}
        return self._client.request("continuity/preRun", run)

    def deliver(self) -> None:
        """Finish one run, so that the session has what its pre-run sent."""
        token = self.pre_run()["deliveryToken"]
        now = "2026-03-01T09:30:00Z"
        outcome = {"outcome": "completed", "startedAt": now, "finishedAt": now, "deliveryToken": token}
        session = {"before": self._session, "after": "session"}
        run = {**self._run, "runId": f"run-{self._count}", "session": session}
        self._client.request("continuity/postRun", {**run, **outcome})
        self._session = "session"

    def wait_until_watched(self) -> None:
        """Wait until a file watch proves the repository's state."""
        for _ in range(WATCH_POLLS):
            if self.pre_run()["metadata"]["proof"] == "watch":
                return
            time.sleep(0.1)
        raise TimeoutError("the worktree is not watched")


def main() -> None:
    """Prepare a warm conversation and print the figures of both calls."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the functions, file by file")
    options = parser.parse_args()
    recorder = Recorder()
    # Imported after the recorder is installed: threads that modules start are then recorded too.
    from tests.benchmarks.programs import quiet_sidecar
    from tests.benchmarks.synthetic import synthetic

    with tempfile.TemporaryDirectory() as folder:
        path = synthetic(Path(folder), FILES).path
        sidecar = quiet_sidecar(Path(folder) / "state")
        client = sidecar.client
        client.initialize(settings={"mode": "active"})
        conversation = Conversation(client, path)
        conversation.deliver()
        conversation.wait_until_watched()

        def measure(name: str, call: Callable[[], object]) -> None:
            report(name, min((recorder.record(call) for _ in range(REPEATS)), key=len), list_all=options.list)

        measure(PRE_RUN, conversation.pre_run)
        measure(SETTINGS, lambda: client.request("settings/get", {}))
        add_content(client, conversation, path)
        measure(LARGER, conversation.pre_run)
        sidecar.close()


def add_content(client: Client, conversation: Conversation, path: Path) -> None:
    """Deliver another run after memories and an edit."""
    for text in MEMORIES:
        client.request("memory/add", {"cwd": str(path), "text": text})
    edited = min(path.glob("**/*.py"))
    edited.write_bytes(edited.read_bytes() + b"# edited\n")
    conversation.deliver()
    for _ in range(3):
        conversation.pre_run()
        time.sleep(PAUSE_SECONDS)


def report(name: str, codes: frozenset[CodeType], *, list_all: bool) -> None:
    """Print one call's figures beside its target."""
    functions = [code for code in codes if code.co_name == "<lambda>" or not code.co_name.startswith("<")]
    files = {code.co_filename for code in codes}
    target = TARGETS.get(name)
    limit = (
        "no target"
        if target is None
        else f"at most {target.functions}" + (f" in {target.files}" if target.files else "")
    )
    print(f"{name:<20}{len(functions):4} functions in {len(files):3} files    ({limit}; with generators {len(codes)})")
    if list_all:
        ordered = sorted(functions, key=lambda code: (code.co_filename, code.co_qualname))
        for file, group in groupby(ordered, key=lambda code: code.co_filename):
            names = [code.co_qualname for code in group]
            print(f"  {Path(file).relative_to(SOURCES).as_posix()} ({len(names)}): {', '.join(names)}")


if __name__ == "__main__":
    main()
