"""Works for as long as one likes on three repositories, with eight sub-chats, in two processes on one state folder.

python -m tests.faults.soak --minutes 10 [--seed 1]

Files and branches change under it, processes are killed, the clock jumps, the disk is full or takes no writes. What was
acknowledged stays, what is told is what stands in the files, nothing grows without bound, and no commit of ours is on
a branch of the user's. The same seed does the same, as far as two processes can.
"""

import argparse
import contextlib
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from tests.support.conversation import Conversation
from tests.support.failures import RpcFailure
from tests.support.process import SidecarProcess
from tests.support.random_work import OPERATIONS, RandomWork, make_own_files
from tests.support.repositories import HERMETIC, Repository, make_repository, stray_commits

SERVE = (sys.executable, "-m", "tests.support.soaked")
MOST_RSS_BYTES, MOST_DESCRIPTORS, MOST_STATE_BYTES = 400 << 20, 250, 300 << 20
WATCHED = "src/watched.py"


class Usage(NamedTuple):
    """What a process and the state folder take."""

    rss_bytes: int
    descriptors: int
    watches: int
    threads: int
    state_bytes: int


class Work(RandomWork):
    """Work of people and agents, who leave the memories' folder to us."""

    def file(self) -> Path:
        """Gives a file that is not ours."""
        found = super().file()
        return self.place() if ".chati" in found.parts else found

    def folder(self) -> Path:
        """Gives a folder that is not ours."""
        found = super().folder()
        return self.place().parent if ".chati" in found.parts or ".chati" in os.listdir(found) else found


class Soak:
    """The repositories, the sub-chats, the two processes, and all that was acknowledged."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.state_dir = folder / "state"
        self.orders = folder / "orders.json"
        self.places = [make_repository(folder / f"repository-{n}", _files(n)) for n in range(3)]
        works = [operation for operation in OPERATIONS if operation is not make_own_files]
        self.works = [Work(one, folder / f"out-{n}", seed + n, works) for n, one in enumerate(self.places)]
        self.order()
        self.processes = [self.start(), self.start()]
        self.chats = [self.chat(number) for number in range(8)]
        self.runs: dict[str, dict[str, Any]] = {}
        self.memories: dict[str, tuple[int, str]] = {}
        self.counts: Counter[str] = Counter()
        self.usages: list[Usage] = []
        self.number = 0
        self.findings: list[str] = []

    def order(self, disk: str | None = None, clock_ms: int | None = None) -> None:
        """Says how disk and clock are from now on; the clock stays as it is unless told."""
        before = json.loads(self.orders.read_bytes())["clockMs"] if self.orders.exists() else 0
        beside = self.orders.with_suffix(".new")
        beside.write_text(json.dumps({"disk": disk, "clockMs": before if clock_ms is None else clock_ms}))
        beside.replace(self.orders)

    def start(self) -> SidecarProcess:
        """Starts a process on the shared state folder."""
        environment = {**HERMETIC, "SIDECAR_TEST_ORDERS": str(self.orders), "ONECODE_CONTINUITY_MODE": "active"}
        process = SidecarProcess(self.state_dir, SERVE, environment)
        process.client.initialize(
            settings={"mode": "active", "artifactPolicy": "auto-write-memory-branch"},
            logDir=str(self.state_dir / "log"),
        )
        return process

    def chat(self, number: int) -> Conversation:
        """A sub-chat of one of the repositories, in one of the processes."""
        place = self.places[number % 3].path
        provider = "codex" if number % 2 else "claude"
        client = self.processes[number % 2].client
        return Conversation(client, place, provider=provider, sub_chat_id=f"chat-{number}", projectPath=str(place))

    def step(self) -> None:
        """Does one thing, and looks whether what it gives is right."""
        self.number += 1
        doing = self.random.choices(
            (self.turn, self.edit, self.remember, self.compare, self.kill, self.jump, self.fail_disk, self.look_back),
            (30, 40, 10, 10, 1.5, 3, 2, 6),
        )[0]
        self.counts[doing.__name__] += 1
        try:
            doing()
        except RpcFailure as failure:
            self.counts[f"refused {failure}"[:90]] += 1

    def edit(self) -> None:
        """Works at random in a repository, as agents, users and editors do."""
        self.random.choice(self.works).step()

    def turn(self) -> None:
        """Plays a turn; what is told of the watched file is what stands in it."""
        chat = self.random.choice(self.chats)
        token = f"token_{self.number}_{self.random.randrange(10**9)}"
        watched = chat.cwd / WATCHED
        try:
            watched.parent.mkdir(parents=True, exist_ok=True)
            before = {*_tokens(watched.read_text()), *_kept(chat.cwd)} if watched.is_file() else set()
            watched.write_text(f"def {token}() -> int:\n    return {self.number}\n")
            known = {token, *_kept(chat.cwd)}
        except OSError:
            return  # a link or a file is in the way
        told = chat.pre_run(f"Change the number that {WATCHED} gives", mentions={"files": [WATCHED], "folders": []})
        text = "".join(block["text"] for block in told["blocks"] if block["kind"] in ("context", "delta"))
        stale = {one for one in _tokens(text) if one in before - known}
        if stale:
            lines = [line for line in text.splitlines() if _tokens(line) & stale]
            self.findings.append(f"step {self.number}: {lines} of {WATCHED} was told, and stands there no more")
        self.counts[f"told {told['action']}"] += 1
        asked = {
            "runId": told["runId"], "deliveryToken": told["deliveryToken"], "subChatId": chat.sub_chat_id,
            "provider": chat.provider, "mode": "agent", "cwd": str(chat.cwd), "projectPath": str(chat.cwd),
            "prompt": "Change it", "outcome": "completed", "startedAt": "2026-03-01T09:30:00.000Z",
            "finishedAt": "2026-03-01T09:31:00.000Z",
            "session": {"before": chat.session_id, "after": f"s-{self.number}"},
            "assistant": {"text": f"I changed it. We keep number {self.number} because it is fast.", "parts": []},
        }  # fmt: skip
        if chat.client.request("continuity/postRun", asked)["accepted"]:
            self.runs[told["runId"]] = asked
        chat.session_id = f"s-{self.number}" if self.random.random() < 0.1 else chat.session_id or f"s-{self.number}"

    def remember(self) -> None:
        """Keeps a memory in a project."""
        place = self.random.randrange(3)
        text = f"Number {self.number} of the soak is {self.random.randrange(10**9)}."
        asked = {"cwd": str(self.places[place].path), "text": text, "title": f"Number {self.number}"}
        memory = self.random.choice(self.processes).client.request("memory/add", asked)
        self.memories[memory["id"]] = (place, text)

    def compare(self) -> None:
        """Both processes see a repository alike while nobody works in it."""
        place = str(self.random.choice(self.places).path)
        states = [one.client.request("codebase/state", {"cwd": place}) for one in self.processes]
        one, other = ({name: told.get(name) for name in ("headCommit", "changedFilesHash")} for told in states)
        if one != other:
            self.findings.append(f"step {self.number}: {one} here, {other} there")

    def kill(self) -> None:
        """Ends a process by force and starts it again."""
        at = self.random.randrange(2)
        self.processes[at].popen.kill()
        self.processes[at].close()
        self.order()
        self.processes[at] = self.start()
        for number, chat in enumerate(self.chats):
            chat.client = self.processes[number % 2].client

    def jump(self) -> None:
        """Moves the time of day, forward or back."""
        self.order(clock_ms=self.random.choice((0, -3_600_000, 3_600_000, 86_400_000, -86_400_000, 5 * 86_400_000)))

    def fail_disk(self) -> None:
        """Works for a while on a disk that is full or takes no writes; what is not kept is not acknowledged."""
        self.order(disk=self.random.choice(("full", "readOnly")))
        try:
            for _ in range(5):
                try:
                    self.random.choice((self.turn, self.edit, self.compare))()
                except RpcFailure as failure:
                    self.counts[f"refused {failure}"[:90]] += 1
        finally:
            self.order()

    def look_back(self, share: int = 5) -> None:
        """Some of what was acknowledged is still there, whatever process is asked."""
        client = self.random.choice(self.processes).client
        for run_id in self.random.sample(sorted(self.runs), min(share, len(self.runs))):
            if not client.request("continuity/postRun", self.runs[run_id])["duplicate"]:
                self.findings.append(f"step {self.number}: run {run_id} was acknowledged and is not known")
        for memory_id in self.random.sample(sorted(self.memories), min(share, len(self.memories))):
            place, text = self.memories[memory_id]
            self._look_for(client, self.places[place], memory_id, text)

    def _look_for(self, client: Any, place: Repository, memory_id: str, text: str) -> None:
        if not any(text in file.read_text("utf-8", "replace") for file in (place.path / ".chati").rglob("*.md")):
            self.counts["memory files taken away by random work"] += 1
            return
        try:
            found = client.request("memory/get", {"cwd": str(place.path), "id": memory_id})
        except RpcFailure as failure:
            found = str(failure)
        self.counts["memories found again"] += text in json.dumps(found)
        if text not in json.dumps(found):
            self.findings.append(f"step {self.number}: memory {memory_id} was acknowledged and is not told")

    def measure(self) -> None:
        """Looks at what the processes and the state folder take."""
        size = 0
        for path in self.state_dir.rglob("*"):
            with contextlib.suppress(FileNotFoundError):  # SQLite takes its own files away meanwhile
                size += path.stat().st_size
        for one in self.processes:
            process = psutil.Process(one.popen.pid)
            usage = Usage(
                process.memory_info().rss, _descriptors(process), _watches(process), process.num_threads(), size
            )
            self.usages.append(usage)
            for name, value, most in (
                ("rss", usage.rss_bytes, MOST_RSS_BYTES), ("descriptors", usage.descriptors, MOST_DESCRIPTORS),
                ("state", usage.state_bytes, MOST_STATE_BYTES), ("watches", usage.watches, 3 * self._folders() + 100),
            ):  # fmt: skip
                if value > most:
                    self.findings.append(f"step {self.number}: {name} is {value}")

    def _folders(self) -> int:
        return sum(len(folders) for place in self.places for _, folders, _ in os.walk(place.path))

    def close(self) -> None:
        """Looks for everything once more and ends the processes."""
        self.order()
        self.look_back(10**6)
        for place in self.places:
            if strays := stray_commits(place.path):
                self.findings.append(f"commits of ours on a branch of the user's: {strays}")
        for one in self.processes:
            self.findings += [f"not a message: {garbage!r:.200}" for garbage in one.garbage]
            one.close()


def _files(number: int) -> dict[str, str]:
    return {
        "README.md": f"# Project {number}\n\nIt counts.\n", WATCHED: "def token_0_0() -> int:\n    return 0\n",
        **{f"src/part{at}.py": f"def part_{number}_{at}() -> int:\n    return {at}\n" for at in range(12)},
    }  # fmt: skip


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"token_\d+_\d+", text))


def _kept(path: Path) -> set[str]:
    """What git keeps of the watched file: a difference may show it as what went."""
    found = set()
    for place in (f"HEAD:{WATCHED}", f":{WATCHED}"):
        with contextlib.suppress(AssertionError, OSError):  # random work may leave a repository without a commit
            found |= _tokens(Repository(path).git("show", place))
    return found


def _descriptors(process: psutil.Process) -> int:
    return int(process.num_fds() if sys.platform != "win32" else process.num_handles())


def _watches(process: psutil.Process) -> int:
    """Counts inotify watches, where the system tells them."""
    count = 0
    for file in Path(f"/proc/{process.pid}/fdinfo").glob("*"):
        try:
            count += file.read_text().count("inotify wd:")
        except OSError:
            continue
    return count


def soak(folder: Path, minutes: float, seed: int) -> Soak:
    """Works for some minutes in a folder and gives what was found."""
    run = Soak(folder, seed)
    end = time.monotonic() + 60 * minutes
    next_measure = 0.0
    try:
        while time.monotonic() < end:
            run.step()
            if time.monotonic() > next_measure:
                run.measure()
                next_measure = time.monotonic() + max(1.0, 0.6 * minutes)
        run.measure()
    finally:
        run.close()
    return run


def main() -> int:
    """Soaks as the command line says, and tells what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onecode-soak-", ignore_cleanup_errors=True) as folder:
        run = soak(Path(folder), arguments.minutes, arguments.seed)
    out = sys.stdout.write
    out(f"{run.number} steps, {len(run.runs)} runs and {len(run.memories)} memories acknowledged\n")
    out("".join(f"  {count:6} {name}\n" for name, count in run.counts.most_common()))
    for at in sorted({0, 1, len(run.usages) // 2, len(run.usages) - 2, len(run.usages) - 1}):
        out(f"  {run.usages[at]}\n")
    out("".join(f"FOUND {finding}\n" for finding in run.findings) or "nothing found\n")
    return bool(run.findings)


if __name__ == "__main__":
    sys.exit(main())
