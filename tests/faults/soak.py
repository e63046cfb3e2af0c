"""Soak test: three repositories, eight sub-chats, two processes on one state folder, for any duration.

python -m tests.faults.soak --minutes 10 [--seed 1] [--messages 100000]

With --messages it also ends after that many; long runs are split by seed.

Files and branches change in the meantime, processes are killed at rest and at work, the clock jumps, the disk is full
or read-only. What was acknowledged stays, what is sent is in the files, nothing grows without bound, and of the user's
repository only our memory branch changes. The same seed does the same, as far as two processes can.
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

from sidecar.method import Method
from tests.contract.catalog import ROWS, goldens
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

UNMIXED = ("initialize", "shutdown", "exit", "settings/update", "state/purge", "ralph/start", "rollout/resume")
"""Methods that would end the process, delete what was acknowledged, or start agents."""
MIXED_AT_ONCE, ODD_SHARE, MIXED_WEIGHT = 40, 0.3, 400
ODD_VALUES: tuple[object, ...] = (
    None,
    "",
    0,
    -1,
    2**53,
    1e300,
    True,
    [],
    {},
    "\0",
    "a/../../b",
    "\ud800",
    "x" * 5_000,
    "größe\u202e\x1b[2J",
)

SERVE = (sys.executable, "-m", "tests.support.serve_with_faults")
CLOCK_SLACK_MS, UNEXPECTED = 60_000, -32603
CHECKOUTS = ("switch_branch", "force_branch", "detach", "move_head_only", "reset_hard", "stash")
REQUIRED_EVENTS = (
    "kill at rest", "kill at work", "clock jumps", "clock jumps seen", "full disks", "read-only disks",
    "refused while the disk was full: -32012", "refused while the disk was read-only: -32012", "checkouts",
    "packs compared",
    "repositories compared", "memories found again", "artifacts found again", "runs found again",
)  # fmt: skip
"""Events that a long run must contain to be meaningful."""
LONG_STEPS = 400


class Soak:
    """The repositories, the sub-chats, the two processes, and everything acknowledged."""

    def __init__(self, folder: Path, seed: int, mixed_weight: float = 10) -> None:
        self.random = random.Random(seed)
        self.mixed_weight = mixed_weight
        self.state_dir = folder / "state"
        self.orders = folder / "orders.json"
        self.repositories = [make_repository(folder / f"repository-{n}", files_of(n)) for n in range(3)]
        works = [operation for operation in OPERATIONS if operation is not make_own_files]
        self.works = [
            Work(repository, folder / f"out-{n}", seed + n, works) for n, repository in enumerate(self.repositories)
        ]
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
        """Processes that may be killed; one is spared at the end, so that its growth can be measured."""
        self.findings: list[str] = []
        self.messages = [
            (name, message)
            for name, part, is_valid, _, message in goldens()
            if part == "params" and is_valid and isinstance(ROWS[name], Method) and name not in UNMIXED
        ]

    def order(self, disk: str | None = None, clock_ms: int | None = None) -> None:
        """Set disk and clock from now on; the clock stays as it is by default."""
        before = json.loads(self.orders.read_bytes())["clockMs"] if self.orders.exists() else 0
        new_file = self.orders.with_suffix(".new")
        new_file.write_text(json.dumps({"disk": disk, "clockMs": before if clock_ms is None else clock_ms}))
        new_file.replace(self.orders)

    def start(self) -> SidecarProcess:
        """Start a process on the shared state folder."""
        environment = {**HERMETIC, "SIDECAR_TEST_ORDERS": str(self.orders), "ONECODE_CONTINUITY_MODE": "active"}
        process = SidecarProcess(self.state_dir, SERVE, environment, cold=True)
        process.client.initialize(
            settings={"mode": "active", "artifactPolicy": "auto-write-memory-branch"},
            logDir=str(self.state_dir / "log"),
        )
        return process

    def chat(self, number: int) -> Conversation:
        """Return a sub-chat of one of the repositories, in one of the processes."""
        path = self.repositories[number % 3].path
        provider = "codex" if number % 2 else "claude"
        client = self.processes[number % 2].client
        return Conversation(client, path, provider=provider, sub_chat_id=f"chat-{number}", projectPath=str(path))

    def step(self) -> None:
        """Do one action and check its results."""
        self.number += 1
        actions: tuple[Callable[[], None], ...] = (
            *(self.turn, self.edit, self.remember, self.compare, self.kill, self.kill_at_work, self.jump),
            *(lambda: self.fail_disk("full"), lambda: self.fail_disk("readOnly"), self.check_acknowledged, self.mix),
        )
        if self.number <= 2 * len(actions):
            action = actions[self.number % len(actions)]
        else:
            action = self.random.choices(actions, (30, 40, 10, 10, 0.7, 0.8, 3, 1, 1, 6, self.mixed_weight))[0]
        try:
            action()
        except RpcFailure as failure:
            self._refused(failure, "refused")

    def _refused(self, failure: RpcFailure, kind: str) -> None:
        """Count a refusal. An unexpected one is a finding, with its log lines."""
        self.counts[f"{kind}: {failure.code}"] += 1
        if failure.code == UNEXPECTED:
            logs = [path.read_text("utf-8", "replace") for path in (self.state_dir / "log").glob("*.log")]
            lines = [line for text in logs for line in text.splitlines() if failure.data["incidentId"] in line]
            self.findings.append(f"step {self.number}: {failure}, {lines}")

    def edit(self) -> None:
        """Work at random in a repository, as agents, users and editors do."""
        names = self.random.choice(self.works).step().split("+")
        self.counts["edits"] += len(names)
        self.counts["checkouts"] += sum(name in CHECKOUTS for name in names)

    def turn(self) -> None:
        """Play a turn. What is sent about the watched file is in it, and the user's branches do not change."""
        chat = self.random.choice(self.chats)
        before = head_index_and_branches(chat.cwd)
        params = self._request_pack(chat)
        if params is None:
            return
        self._record_acknowledged(params, chat.client.request("continuity/postRun", params))
        after = params["session"]["after"]
        chat.session_id = after if self.random.random() < 0.1 else chat.session_id or after
        if before != head_index_and_branches(chat.cwd):
            self.findings.append(f"step {self.number}: HEAD, index or branches changed in a turn: {chat.cwd}")

    def _request_pack(self, chat: Conversation) -> dict[str, Any] | None:
        """Change the watched file and request a pack. Return its post-run params; None if a link is in the way."""
        token = f"token_{self.number}_{self.random.randrange(10**9)}"
        watched = chat.cwd / WATCHED
        try:
            watched.parent.mkdir(parents=True, exist_ok=True)
            watched.write_text(f"def {token}() -> int:\n    return {self.number}\n")
        except OSError:
            return None
        present_tokens = tokens_on_disk(chat.cwd)
        response = chat.pre_run(f"Change the number that {WATCHED} gives", mentions={"files": [WATCHED], "folders": []})
        text = "".join(block["text"] for block in response["blocks"] if block["kind"] in ("context", "delta"))
        self.counts["packs compared"] += token in text
        if lines := [
            line for line in text.splitlines() if tokens_in(line) - present_tokens and not is_removed_line(line)
        ]:
            self.findings.append(f"step {self.number}: {lines} was sent but is nowhere in the repository")
        self.counts[f"told {response['action']}"] += 1
        return {
            "runId": response["runId"], "deliveryToken": response["deliveryToken"], "subChatId": chat.sub_chat_id,
            "provider": chat.provider, "mode": "agent", "cwd": str(chat.cwd), "projectPath": str(chat.cwd),
            "prompt": "Change it", "outcome": "completed", "startedAt": "2026-03-01T09:30:00.000Z",
            "finishedAt": "2026-03-01T09:31:00.000Z",
            "session": {"before": chat.session_id, "after": f"s-{self.number}"},
            "assistant": {"text": _conclusion(self.number), "parts": []},
        }  # fmt: skip

    def _record_acknowledged(self, params: dict[str, Any], answer: Any) -> None:
        """Record what must exist from now on."""
        if answer["accepted"]:
            self.runs[params["runId"]] = params
            self.artifacts |= {artifact["id"]: Path(params["cwd"]) for artifact in answer["artifacts"]}

    def remember(self) -> None:
        """Add a memory to a project, at the ordered time."""
        index = self.random.randrange(3)
        text = f"Number {self.number} of the soak is {self.random.randrange(10**9)}."
        params = {"cwd": str(self.repositories[index].path), "text": text, "title": f"Number {self.number}"}
        memory = self.random.choice(self.processes).client.request("memory/add", params)
        self.memories[index, memory["id"]] = text
        shift_ms = json.loads(self.orders.read_bytes())["clockMs"]
        created_ms = datetime.fromisoformat(memory["createdAt"]).timestamp() * 1000
        if abs(created_ms - shift_ms - time.time() * 1000) > CLOCK_SLACK_MS:
            self.findings.append(f"step {self.number}: the clock shows {memory['createdAt']}, shifted by {shift_ms} ms")
        self.counts["clock jumps seen"] += shift_ms != 0

    def mix(self) -> None:
        """Send many messages at once, some with odd values. Each request is answered, none by an internal error."""
        client = self.random.choice(self.processes).client
        place = str(self.random.choice(self.repositories).path)
        requests = []
        for name, message in self.random.choices(self.messages, k=MIXED_AT_ONCE):
            params = json.loads(json.dumps(message).replace("/home/ada/shop", place))
            if self.random.random() < ODD_SHARE:
                self._put_odd_value(params)
            self.counts["mixed messages"] += 1
            payload = {"jsonrpc": "2.0", "id": f"mixed-{self.counts['mixed messages']}", "method": name}
            client.send(json.dumps({**payload, "params": params}).encode())
            requests.append((name, payload["id"], params))
        for name, request_id, params in requests:
            try:
                client.result(request_id)
            except RpcFailure as failure:
                self._refused(failure, f"{name} {params!r:.300} refused" if failure.code == UNEXPECTED else "mixed")

    def _put_odd_value(self, params: Any) -> None:
        """Replace a value at random, at any depth."""
        while isinstance(params, (dict, list)) and params:
            key = self.random.choice(sorted(params) if isinstance(params, dict) else range(len(params)))
            if not isinstance(params[key], (dict, list)) or not params[key] or self.random.random() < 0.3:
                params[key] = self.random.choice(ODD_VALUES)
                return
            params = params[key]

    def compare(self) -> None:
        """Check that both processes see a repository as git does while nobody works in it."""
        repository = self.random.choice(self.repositories)
        states = [first.client.request("codebase/state", {"cwd": str(repository.path)}) for first in self.processes]
        first, second = ({name: state.get(name) for name in ("headCommit", "changedFilesHash")} for state in states)
        self.counts["repositories compared"] += 1
        if first != second:
            self.findings.append(f"step {self.number}: {first} here, {second} there")
        if (head := head_of(repository)) != (first["headCommit"] or ""):
            self.findings.append(f"step {self.number}: {first['headCommit']} was reported, but {head} is the head")

    def kill(self) -> None:
        """Kill a process and start it again."""
        self._kill(self.random.choice(self.killed))
        self.counts["kill at rest"] += 1

    def kill_at_work(self) -> None:
        """Kill a process while it stores a run. A run whose answer arrived is stored."""
        index = self.random.choice(self.killed)
        chat = self.random.choice(self.chats)
        chat.client = client = self.processes[index].client
        params = self._request_pack(chat)
        if params is None:
            return
        request = client.start("continuity/postRun", params)
        time.sleep(self.random.choice((0, 0.002, 0.005, 0.01, 0.02)))
        self._kill(index)
        answers = [
            response_message["result"]
            for response_message in client.inbox.responses_to(request)
            if "result" in response_message
        ]
        for answer in answers:
            self._record_acknowledged(params, answer)
        self.counts["kill at work"] += 1
        self.counts["kill at work, after the answer"] += bool(answers)
        if not answers:
            self._record_acknowledged(params, chat.client.request("continuity/postRun", params))

    def _kill(self, index: int) -> None:
        self.processes[index].popen.kill()
        self.processes[index].close()
        self.order()
        self.processes[index] = self.start()
        for chat in self.chats:
            chat.client = self.random.choice(self.processes).client

    def jump(self) -> None:
        """Move the time of day, forward or back."""
        self.order(clock_ms=self.random.choice((0, -3_600_000, 3_600_000, 86_400_000, -86_400_000, 5 * 86_400_000)))
        self.counts["clock jumps"] += 1

    def fail_disk(self, kind: str) -> None:
        """Work for a while on a full or read-only disk. What is not stored is not acknowledged."""
        name = {"full": "full", "readOnly": "read-only"}[kind]
        self.order(disk=kind)
        self.counts[f"{name} disks"] += 1
        try:
            for _ in range(5):
                try:
                    self.random.choice((self.turn, self.turn, self.edit, self.compare, self.remember))()
                except RpcFailure as failure:
                    self._refused(failure, f"refused while the disk was {name}")
        finally:
            self.order()

    def check_acknowledged(self, share: int = 5) -> None:
        """Some of what was acknowledged is still there, whatever process is asked."""
        client = self.random.choice(self.processes).client
        for run_id in self._some(self.runs, share):
            self.counts["runs found again"] += 1
            if not client.request("continuity/postRun", self.runs[run_id])["duplicate"]:
                self.findings.append(f"step {self.number}: run {run_id} was acknowledged and is not known")
        for artifact_id in self._some(self.artifacts, share):
            params = {"projectPath": str(self.artifacts[artifact_id]), "id": artifact_id}
            self._check_one(client, "artifact", "artifact/get", params, artifact_id)
        for index, memory_id in self._some(self.memories, share):
            params = {"cwd": str(self.repositories[index].path), "id": memory_id}
            self._check_one(client, "memory", "memory/get", params, self.memories[index, memory_id])

    def _some(self, acknowledged: dict[Any, Any], share: int) -> list[Any]:
        return self.random.sample(sorted(acknowledged), min(share, len(acknowledged)))

    def _check_one(self, client: Any, event: str, method: str, params: dict[str, str], text: str) -> None:
        try:
            content = json.dumps(client.request(method, params))
        except RpcFailure as failure:
            content = str(failure)
        self.counts["memories found again" if event == "memory" else "artifacts found again"] += text in content
        if text not in content:
            self.findings.append(
                f"step {self.number}: {event} {params['id']} was acknowledged but is missing: {content:.200}"
            )

    def measure(self) -> None:
        """Measure the processes and the state folder."""
        folders = sum(len(inner) + 1 for repository in self.repositories for _, inner, _ in os.walk(repository.path))
        for process in self.processes:
            usage = measure_usage(process.popen.pid, self.state_dir, len(self.runs), folders)
            self.usages.append(usage)
            self.findings += [f"step {self.number}: {event}" for event in exceeded_limits(usage)]

    def close(self) -> None:
        """Check everything once more and end the processes."""
        self.order()
        self.check_acknowledged(10**6)
        for repository in self.repositories:
            repository.git("rev-parse", "--absolute-git-dir")  # a removed repository would have no commits
            if commits_on_branches := stray_commits(repository.path):
                self.findings.append(f"commits of ours on a branch of the user's: {commits_on_branches}")
            self.counts["commits on memory branches"] += memory_commits(repository)
        self.findings += growth(self.usages)
        if self.number > LONG_STEPS:
            self.findings += [f"{event} never happened" for event in REQUIRED_EVENTS if not self.counts[event]]
        for process in self.processes:
            self.findings += [f"not a message: {garbage!r:.200}" for garbage in process.garbage]
            process.close()


def _conclusion(number: int) -> str:
    """Return an agent's final words; some of them become artifacts or memories."""
    if number % 3:
        return f"I changed it. We keep number {number} because it is fast."
    return (
        f"I first tried to count with a table of {number} rows, but it was too slow, so I dropped it and add instead."
    )


def soak(folder: Path, minutes: float, seed: int, messages: int | None = None, *, steps: int = 24) -> Soak:
    """Run in a folder for some minutes and steps, or until enough mixed messages are answered, and return the result.

    The first eleven steps are each action once, and the next eleven once more.
    """
    run = Soak(folder, seed, *(() if messages is None else (MIXED_WEIGHT,)))
    start_time = time.monotonic()
    next_measure = 0.0
    try:
        while (elapsed := time.monotonic() - start_time) < 60 * minutes or run.number < steps:
            if messages is not None and run.counts["mixed messages"] >= messages:
                break
            run.killed = (0, 1) if elapsed < 24 * minutes else (1,)
            run.step()
            if time.monotonic() > next_measure:
                run.measure()
                next_measure = time.monotonic() + max(1.0, 0.4 * minutes)
        run.measure()
    finally:
        run.close()
    return run


def main() -> int:
    """Run from the command line and print the findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--messages", type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onecode-soak-", ignore_cleanup_errors=True) as folder:
        run = soak(Path(folder), arguments.minutes, arguments.seed, arguments.messages)
    out = sys.stdout.write
    out(f"{run.number} steps, {len(run.runs)} runs, {len(run.memories)} memories, {len(run.artifacts)} artifacts\n")
    out("".join(f"  {count:6} {name}\n" for name, count in run.counts.most_common()))
    for usage in run.usages[:: max(1, len(run.usages) // 12)]:
        out(f"  {usage}\n")
    out("".join(f"FOUND {finding}\n" for finding in run.findings) or "nothing found\n")
    return bool(run.findings)


if __name__ == "__main__":
    sys.exit(main())
