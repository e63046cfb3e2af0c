"""Judge what capture drafts by labelled turns of whole recorded conversations.

    python -m tests.labelled.evaluate_changes CLONES [--half HALF] [--repository OWNER/NAME ...] [--drafts FILE]

The conversations are played through the in-memory sidecar: a pre-run and a post-run per turn. Recorded edits are
performed in a worktree made of them; lines that an edit removes although no edit added them are committed before the
turn. A draft is right if its turn has a label of its kind, for a change also the turn before or after it. Turns that
are labelled as unclear count neither for nor against. FILE, outside the repository, gets a line for each draft. Shares
are given with their 95 % Wilson interval.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.programs import quiet_sidecar
from tests.labelled.changes import (
    CHANGES,
    READ,
    Labelled,
    ReadConversation,
    RecordedFiles,
    read_changes,
    read_conversations,
    turns_of,
)  # fmt: skip
from tests.labelled.corpus import MissingClones
from tests.labelled.evaluate import wilson
from tests.labelled.turns import Turn
from tests.support.conversation import Conversation
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar

REJECTED, ADR, DECISION = "rejectedApproach", "adr", "decision"
"""Kinds of drafts: two of artifacts, and memories of type decision."""
EVIDENCE_TITLES = {
    "code": "code of an earlier run went, recorded edits",
    "words": "code of an earlier run went, words alone",
    "none": "no such code",
}
TurnKey = tuple[str, str, int]


class Draft(NamedTuple):
    """What capture made of a turn."""

    key: TurnKey
    kind: str
    text: str


class Played(NamedTuple):
    """The turns that were played, and the drafts they led to."""

    turns: frozenset[TurnKey]
    drafts: tuple[Draft, ...]
    artifacts: int


def play(clones: Path, repository: str, conversations: Sequence[ReadConversation]) -> Played:
    """Play a repository's conversations in order of their names."""
    turns: set[TurnKey] = set()
    drafts: list[Draft] = []
    with tempfile.TemporaryDirectory() as temporary:
        worktree = Path(temporary) / "worktree"
        worktree.mkdir()
        _git(worktree, "init", "-q")
        _commit(worktree)
        sidecar = quiet_sidecar(Path(temporary) / "state")
        try:
            sidecar.client.initialize(settings={"mode": "active"})
            player = _Player(sidecar, worktree)
            for number, conversation in enumerate(sorted(conversations, key=lambda row: row.path), 1):
                for turn in turns_of(clones, conversation):
                    key = (repository, conversation.path, turn.number)
                    turns.add(key)
                    drafts += (Draft(key, kind, text) for kind, text in player.play(f"chat-{number}", turn))
            return Played(frozenset(turns), tuple(drafts), player.artifacts)
        finally:
            sidecar.close()


class _Player:
    """The host's side of a repository's conversations."""

    def __init__(self, sidecar: MemorySidecar, worktree: Path) -> None:
        self._sidecar = sidecar
        self._worktree = worktree
        self._memories = Memories(sidecar, worktree)
        self._recorded = RecordedFiles()
        self._chats: dict[str, Conversation] = {}
        self._known: set[str] = set()
        self.artifacts = 0

    def play(self, name: str, turn: Turn) -> Iterator[tuple[str, str]]:
        """Play a turn; yield the kind and text of what capture made of it."""
        chat = self._chats.setdefault(name, Conversation(self._sidecar.client, self._worktree, sub_chat_id=name))
        self._commit_older_lines(turn)
        before = chat.pre_run(turn.prompt)
        parts = list(self._work(turn))
        after = chat.post_run(
            before, turn.prompt, session=name, assistant={"text": turn.answer, "parts": parts},
        )  # fmt: skip
        process = self._sidecar.app.process
        assert process is not None
        process.wait_idle(30)
        self._sidecar.clock.advance(60_000)
        for artifact in after["artifacts"]:
            if artifact["id"] not in self._known:
                self._known.add(artifact["id"])
                self.artifacts += 1
                text = chat.artifact(artifact["id"])
                yield artifact["type"], f"{text['title']}\n{text['body']}"
        if after["remembered"]:
            decisions = {memory["id"] for memory in self._memories.ask("list", type=DECISION, limit=500)["memories"]}
            yield from ((DECISION, row["text"]) for row in after["remembered"] if row["id"] in decisions)

    def _commit_older_lines(self, turn: Turn) -> None:
        """Commit what the turn's edits remove and no recorded edit has added."""
        trial = RecordedFiles({path: list(lines) for path, lines in self._recorded.files.items()})
        older: dict[str, list[str]] = defaultdict(list)
        for hunk in turn.hunks:
            path = trial.place(hunk)
            older[path] += trial.apply(hunk)
        for path, lines in older.items():
            if lines:
                self._recorded.files.setdefault(path, []).extend(lines)
                self._write(path)
        if any(older.values()):
            _commit(self._worktree)

    def _work(self, turn: Turn) -> Iterator[dict[str, Any]]:
        """Perform the turn's edits; yield the parts that the host stores for its words, edits and commands."""
        for number, step in enumerate(turn.steps):
            if step.words:
                yield {"type": "text", "text": step.words}
            if step.hunk is not None:
                path = self._recorded.place(step.hunk)
                self._recorded.apply(step.hunk)
                self._write(path)
                given = {
                    "file_path": str(self._worktree / path),
                    "old_string": step.hunk.side("-"),
                    "new_string": step.hunk.side("+"),
                }
                yield _part("tool-Edit", f"edit-{number}", given, {})
            elif step.command:
                output = {"stdout": step.output, "stderr": ""}
                yield _part("tool-Bash", f"bash-{number}", {"command": step.command}, output)

    def _write(self, path: str) -> None:
        target = self._worktree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(self._recorded.files[path]) + "\n", encoding="utf-8")


def _part(kind: str, call_id: str, given: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "toolCallId": call_id, "state": "result", "input": given, "output": output}


def _git(worktree: Path, *command: str) -> None:
    subprocess.run(["git", *command], cwd=worktree, check=True, stdout=subprocess.DEVNULL)


def _commit(worktree: Path) -> None:
    _git(worktree, "add", "-A")
    _git(
        worktree, "-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-q", "--allow-empty", "-m", "Older"
    )


def _share(right: int, total: int) -> str:
    low, high = wilson(right, total)
    return f"{right / total if total else 0:.2f} [{low:.2f}, {high:.2f}] ({right} of {total})"


def _near(key: TurnKey, distance: int) -> Iterable[TurnKey]:
    return ((key[0], key[1], key[2] + step) for step in range(-distance, distance + 1))


def report(played: Played, labels: Sequence[Labelled]) -> list[str]:
    """Return the lines of the report for the turns that were played."""
    rows = [(row, (row.repository, row.path, row.number)) for row in labels]
    rows = [(row, key) for row, key in rows if key in played.turns]
    lines = [f"{len(played.turns)} turns of {len({key[:2] for key in played.turns})} conversations"]
    lines.append(f"artifacts per turn: {played.artifacts / max(1, len(played.turns)):.2f} ({played.artifacts})")
    changes = [(row, key) for row, key in rows if row.kind == "change"]
    found = [draft.key for draft in played.drafts if draft.kind == REJECTED]
    lines += _precision("changes, rejected approaches drafted", found, changes, 1)
    for evidence, title in EVIDENCE_TITLES.items():
        expected = [key for row, key in changes if row.evidence == evidence and not row.is_unclear]
        lines.append(f"  noticed, {title}: {_share(_hits(expected, found, 1), len(expected))}")
    decisions = [(row, key) for row, key in rows if row.kind == "decision"]
    expected = sorted({key for row, key in decisions if not row.is_unclear})
    for title, kinds in (("decision records drafted", {ADR}), ("decision records or memories", {ADR, DECISION})):
        found = sorted({draft.key for draft in played.drafts if draft.kind in kinds})
        lines += _precision(f"decisions, {title}", found, decisions, 0)
        lines.append(f"  turns with a decision that have one: {_share(_hits(expected, found, 0), len(expected))}")
    return lines


def _hits(expected: Sequence[TurnKey], found: Sequence[TurnKey], distance: int) -> int:
    return sum(any(near in set(found) for near in _near(key, distance)) for key in expected)


def _precision(
    title: str, found: Sequence[TurnKey], rows: Sequence[tuple[Labelled, TurnKey]], distance: int
) -> list[str]:
    clear = {key for row, key in rows if not row.is_unclear}
    unclear = {key for row, key in rows if row.is_unclear}
    right = [key for key in found if any(near in clear for near in _near(key, distance))]
    undecided = [key for key in found if key not in right and any(near in unclear for near in _near(key, distance))]
    judged = len(found) - len(undecided)
    return [f"{title}: precision {_share(len(right), judged)}, {len(undecided)} on unclear turns"]


def _write_drafts(path: Path, played: Played, labels: Sequence[Labelled]) -> None:
    """Write each draft with the labels of its turn, for a reader who judges it."""
    by_turn: dict[TurnKey, list[str]] = defaultdict(list)
    for row in labels:
        by_turn[row.repository, row.path, row.number].append(row.kind + ("?" if row.is_unclear else ""))
    rows: Iterable[Mapping[str, Any]] = (
        {"turn": draft.key, "kind": draft.kind, "labels": by_turn[draft.key], "text": draft.text}
        for draft in played.drafts
    )
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main(arguments: Sequence[str] | None = None, changes: Path = CHANGES, read: Path = READ) -> int:
    """Play the conversations of each half and print their figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("clones", type=Path, help="folder of clones, each named <owner>+<name>")
    parser.add_argument("--half", choices=("learning", "judging"), help="default: both")
    parser.add_argument("--repository", action="append", default=[])
    parser.add_argument("--drafts", type=Path, help="file for the drafts, outside the repository")
    chosen = parser.parse_args(arguments)
    if not chosen.clones.is_dir():
        print(f"There is no folder {chosen.clones}; clone the repositories of {read.name} into it.", file=sys.stderr)
        return 1
    labels, conversations = read_changes(changes), read_conversations(read)
    halves = [chosen.half] if chosen.half else ["learning", "judging"]
    everything: list[Played] = []
    for half in halves:
        by_repository: dict[str, list[ReadConversation]] = defaultdict(list)
        for row in conversations:
            if row.half == half and (not chosen.repository or row.repository in chosen.repository):
                by_repository[row.repository].append(row)
        try:
            parts = [play(chosen.clones, name, rows) for name, rows in sorted(by_repository.items())]
        except MissingClones as missing:
            print(missing, file=sys.stderr)
            return 1
        everything += parts
        print(f"{half}: {len(parts)} repositories", *report(_sum(parts), labels), sep="\n  ", flush=True)
    if chosen.drafts is not None:
        _write_drafts(chosen.drafts, _sum(everything), labels)
    return 0


def _sum(parts: Sequence[Played]) -> Played:
    return Played(
        frozenset(key for part in parts for key in part.turns),
        tuple(draft for part in parts for draft in part.drafts),
        sum(part.artifacts for part in parts),
    )


if __name__ == "__main__":
    sys.exit(main())
