"""Works for as long as one likes on three repositories, with eight sub-chats, in two processes on one state folder.

python -m tests.faults.soak --minutes 10 [--seed 1]

Files and branches change under it, processes are killed at rest and at work, the clock jumps, the disk is full or takes
no writes. What was acknowledged stays, what is told is what stands in the files, nothing grows without bound, and of
the user's repository nothing but our memory branch is touched. The same seed does the same, as far
as two processes can.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.random_work import OPERATIONS, make_own_files
from tests.support.repositories import HERMETIC, make_repository, stray_commits
from tests.support.resource_usage import Usage, exceeded_limits, growth, measure_usage
from tests.support.rpc_failures import RpcFailure
from tests.support.token_tracking import (
    WATCHED,
    Work,
    files_of,
    head_index_and_branches,
    head_of,
    is_removed_line,
    memory_commits,
    tokens_in,
    tokens_on_disk,
)

SERVE = (sys.executable, "-m", "tests.support.serve_with_faults")
CLOCK_SLACK_MS, UNEXPECTED = 60_000, -32603
CHECKOUTS = ("switch_branch", "force_branch", "detach", "move_head_only", "reset_hard", "stash")
HAPPENED = (
    "kill at rest", "kill at work", "clock jumps", "clock jumps seen", "full disks", "read-only disks",
    "refused while the disk was full: -32012", "refused while the disk was read-only: -32012", "checkouts",
    "packs compared",
    "repositories compared", "memories found again", "artifacts found again", "runs found again",
)  # fmt: skip
"""What a run of more than a few steps has to have done, to show anything."""
LONG_STEPS = 400


class Soak:
    """The repositories, the sub-chats, the two processes, and all that was acknowledged."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.state_dir = folder / "state"
        self.orders = folder / "orders.json"
        self.places = [make_repository(folder / f"repository-{n}", files_of(n)) for n in range(3)]
        works = [operation for operation in OPERATIONS if operation is not make_own_files]
        self.works = [Work(one, folder / f"out-{n}", seed + n, works) for n, one in enumerate(self.places)]
        self.order()
        self.processes = [self.start(), self.start()]
        self.chats = [self.chat(number) for number in range(8)]
        self.runs: dict[str, dict[str, Any]] = {}
        self.artifacts: dict[str, Path] = {}
        self.memories: dict[tuple[int, str], str] = {}
        self.counts: Counter[str] = Counter()
        self.usages: list[Usage] = []
        self.number = 0
        self.killed: tuple[int, ...] = (0, 1)
        """Which processes may be killed: one is spared at last, so that what it takes can be seen to grow."""
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
        doings: tuple[Callable[[], None], ...] = (
            *(self.turn, self.edit, self.remember, self.compare, self.kill, self.kill_at_work, self.jump),
            *(lambda: self.fail_disk("full"), lambda: self.fail_disk("readOnly"), self.look_back),
        )
        if self.number <= 2 * len(doings):
            doing = doings[self.number % len(doings)]
        else:
            doing = self.random.choices(doings, (30, 40, 10, 10, 0.7, 0.8, 3, 1, 1, 6))[0]
        try:
            doing()
        except RpcFailure as failure:
            self._refused(failure, "refused")

    def _refused(self, failure: RpcFailure, how: str) -> None:
        """Counts a refusal; one that nobody thought of is a finding, with what the log tells of it."""
        self.counts[f"{how}: {failure.code}"] += 1
        if failure.code == UNEXPECTED:
            logs = [path.read_text("utf-8", "replace") for path in (self.state_dir / "log").glob("*.log")]
            told = [line for text in logs for line in text.splitlines() if failure.data["incidentId"] in line]
            self.findings.append(f"step {self.number}: {failure}, {told}")

    def edit(self) -> None:
        """Works at random in a repository, as agents, users and editors do."""
        names = self.random.choice(self.works).step().split("+")
        self.counts["edits"] += len(names)
        self.counts["checkouts"] += sum(name in CHECKOUTS for name in names)

    def turn(self) -> None:
        """Plays a turn; what is told of the watched file is what stands in it, and the user's branches stay."""
        chat = self.random.choice(self.chats)
        before = head_index_and_branches(chat.cwd)
        asked = self._told(chat)
        if asked is None:
            return
        self._acknowledged(asked, chat.client.request("continuity/postRun", asked))
        after = asked["session"]["after"]
        chat.session_id = after if self.random.random() < 0.1 else chat.session_id or after
        if before != head_index_and_branches(chat.cwd):
            self.findings.append(f"step {self.number}: HEAD, index or branches changed in a turn: {chat.cwd}")

    def _told(self, chat: Conversation) -> dict[str, Any] | None:
        """Changes the watched file and asks for a pack; gives the run it comes to, None where a link is in the way."""
        token = f"token_{self.number}_{self.random.randrange(10**9)}"
        watched = chat.cwd / WATCHED
        try:
            watched.parent.mkdir(parents=True, exist_ok=True)
            watched.write_text(f"def {token}() -> int:\n    return {self.number}\n")
        except OSError:
            return None
        standing = tokens_on_disk(chat.cwd)
        told = chat.pre_run(f"Change the number that {WATCHED} gives", mentions={"files": [WATCHED], "folders": []})
        text = "".join(block["text"] for block in told["blocks"] if block["kind"] in ("context", "delta"))
        self.counts["packs compared"] += token in text
        if lines := [line for line in text.splitlines() if tokens_in(line) - standing and not is_removed_line(line)]:
            self.findings.append(f"step {self.number}: {lines} was told, and stands nowhere in the repository")
        self.counts[f"told {told['action']}"] += 1
        return {
            "runId": told["runId"], "deliveryToken": told["deliveryToken"], "subChatId": chat.sub_chat_id,
            "provider": chat.provider, "mode": "agent", "cwd": str(chat.cwd), "projectPath": str(chat.cwd),
            "prompt": "Change it", "outcome": "completed", "startedAt": "2026-03-01T09:30:00.000Z",
            "finishedAt": "2026-03-01T09:31:00.000Z",
            "session": {"before": chat.session_id, "after": f"s-{self.number}"},
            "assistant": {"text": _conclusion(self.number), "parts": []},
        }  # fmt: skip

    def _acknowledged(self, asked: dict[str, Any], answer: Any) -> None:
        """Remembers what has to be there from now on."""
        if answer["accepted"]:
            self.runs[asked["runId"]] = asked
            self.artifacts |= {one["id"]: Path(asked["cwd"]) for one in answer["artifacts"]}

    def remember(self) -> None:
        """Keeps a memory in a project, at the time that the clock was told to show."""
        place = self.random.randrange(3)
        text = f"Number {self.number} of the soak is {self.random.randrange(10**9)}."
        asked = {"cwd": str(self.places[place].path), "text": text, "title": f"Number {self.number}"}
        memory = self.random.choice(self.processes).client.request("memory/add", asked)
        self.memories[place, memory["id"]] = text
        shift_ms = json.loads(self.orders.read_bytes())["clockMs"]
        created_ms = datetime.fromisoformat(memory["createdAt"]).timestamp() * 1000
        if abs(created_ms - shift_ms - time.time() * 1000) > CLOCK_SLACK_MS:
            self.findings.append(f"step {self.number}: the clock shows {memory['createdAt']}, shifted by {shift_ms} ms")
        self.counts["clock jumps seen"] += shift_ms != 0

    def compare(self) -> None:
        """Both processes see a repository as git does while nobody works in it."""
        place = self.random.choice(self.places)
        states = [one.client.request("codebase/state", {"cwd": str(place.path)}) for one in self.processes]
        one, other = ({name: told.get(name) for name in ("headCommit", "changedFilesHash")} for told in states)
        self.counts["repositories compared"] += 1
        if one != other:
            self.findings.append(f"step {self.number}: {one} here, {other} there")
        if (head := head_of(place)) != (one["headCommit"] or ""):
            self.findings.append(f"step {self.number}: {one['headCommit']} is told, and {head} is the head")

    def kill(self) -> None:
        """Ends a process by force and starts it again."""
        self._kill(self.random.choice(self.killed))
        self.counts["kill at rest"] += 1

    def kill_at_work(self) -> None:
        """Ends a process by force while it keeps a run; a run whose answer came is kept."""
        at = self.random.choice(self.killed)
        chat = self.random.choice(self.chats)
        chat.client = client = self.processes[at].client
        asked = self._told(chat)
        if asked is None:
            return
        request = client.start("continuity/postRun", asked)
        time.sleep(self.random.choice((0, 0.002, 0.005, 0.01, 0.02)))
        self._kill(at)
        answers = [one["result"] for one in client.inbox.responses_to(request) if "result" in one]
        for answer in answers:
            self._acknowledged(asked, answer)
        self.counts["kill at work"] += 1
        self.counts["kill at work, after the answer"] += bool(answers)
        if not answers:
            self._acknowledged(asked, chat.client.request("continuity/postRun", asked))

    def _kill(self, at: int) -> None:
        self.processes[at].popen.kill()
        self.processes[at].close()
        self.order()
        self.processes[at] = self.start()
        for chat in self.chats:
            chat.client = self.random.choice(self.processes).client

    def jump(self) -> None:
        """Moves the time of day, forward or back."""
        self.order(clock_ms=self.random.choice((0, -3_600_000, 3_600_000, 86_400_000, -86_400_000, 5 * 86_400_000)))
        self.counts["clock jumps"] += 1

    def fail_disk(self, how: str) -> None:
        """Works for a while on a disk that is full or takes no writes; what is not kept is not acknowledged."""
        called = {"full": "full", "readOnly": "read-only"}[how]
        self.order(disk=how)
        self.counts[f"{called} disks"] += 1
        try:
            for _ in range(5):
                try:
                    self.random.choice((self.turn, self.turn, self.edit, self.compare, self.remember))()
                except RpcFailure as failure:
                    self._refused(failure, f"refused while the disk was {called}")
        finally:
            self.order()

    def look_back(self, share: int = 5) -> None:
        """Some of what was acknowledged is still there, whatever process is asked."""
        client = self.random.choice(self.processes).client
        for run_id in self._some(self.runs, share):
            self.counts["runs found again"] += 1
            if not client.request("continuity/postRun", self.runs[run_id])["duplicate"]:
                self.findings.append(f"step {self.number}: run {run_id} was acknowledged and is not known")
        for artifact_id in self._some(self.artifacts, share):
            asked = {"projectPath": str(self.artifacts[artifact_id]), "id": artifact_id}
            self._look_for(client, "artifact", "artifact/get", asked, artifact_id)
        for place, memory_id in self._some(self.memories, share):
            asked = {"cwd": str(self.places[place].path), "id": memory_id}
            self._look_for(client, "memory", "memory/get", asked, self.memories[place, memory_id])

    def _some(self, acknowledged: dict[Any, Any], share: int) -> list[Any]:
        return self.random.sample(sorted(acknowledged), min(share, len(acknowledged)))

    def _look_for(self, client: Any, what: str, method: str, asked: dict[str, str], text: str) -> None:
        try:
            found = json.dumps(client.request(method, asked))
        except RpcFailure as failure:
            found = str(failure)
        self.counts["memories found again" if what == "memory" else "artifacts found again"] += text in found
        if text not in found:
            self.findings.append(
                f"step {self.number}: {what} {asked['id']} was acknowledged and is not told: {found:.200}"
            )

    def measure(self) -> None:
        """Looks at what the processes and the state folder take."""
        folders = sum(len(inner) + 1 for place in self.places for _, inner, _ in os.walk(place.path))
        for one in self.processes:
            usage = measure_usage(one.popen.pid, self.state_dir, len(self.runs), folders)
            self.usages.append(usage)
            self.findings += [f"step {self.number}: {what}" for what in exceeded_limits(usage)]

    def close(self) -> None:
        """Looks for everything once more and ends the processes."""
        self.order()
        self.look_back(10**6)
        for place in self.places:
            place.git("rev-parse", "--absolute-git-dir")  # of a repository that is gone no commit would be found
            if strays := stray_commits(place.path):
                self.findings.append(f"commits of ours on a branch of the user's: {strays}")
            self.counts["commits on memory branches"] += memory_commits(place)
        self.findings += growth(self.usages)
        if self.number > LONG_STEPS:
            self.findings += [f"{what} never happened" for what in HAPPENED if not self.counts[what]]
        for one in self.processes:
            self.findings += [f"not a message: {garbage!r:.200}" for garbage in one.garbage]
            one.close()


def _conclusion(number: int) -> str:
    """What an agent says at the end; some runs leave something that is written down."""
    if number % 3:
        return f"I changed it. We keep number {number} because it is fast."
    return (
        f"I first tried to count with a table of {number} rows, but it was too slow, so I dropped it and add instead."
    )


def soak(folder: Path, minutes: float, seed: int) -> Soak:
    """Works for some minutes in a folder and gives what was found."""
    run = Soak(folder, seed)
    begin = time.monotonic()
    next_measure = 0.0
    try:
        while (gone := time.monotonic() - begin) < 60 * minutes or run.number < 22:
            run.killed = (0, 1) if gone < 24 * minutes else (1,)
            run.step()
            if time.monotonic() > next_measure:
                run.measure()
                next_measure = time.monotonic() + max(1.0, 0.4 * minutes)
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
    out(
        f"{run.number} steps, {len(run.runs)} runs, {len(run.memories)} memories, {len(run.artifacts)} artifacts kept\n"
    )
    out("".join(f"  {count:6} {name}\n" for name, count in run.counts.most_common()))
    for usage in run.usages[:: max(1, len(run.usages) // 12)]:
        out(f"  {usage}\n")
    out("".join(f"FOUND {finding}\n" for finding in run.findings) or "nothing found\n")
    return bool(run.findings)


if __name__ == "__main__":
    sys.exit(main())
