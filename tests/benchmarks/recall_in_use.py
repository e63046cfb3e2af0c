"""What later sessions are told of what earlier ones said: recorded conversations, played in order.

    .venv/bin/python -m tests.benchmarks.recall_in_use CLONES --out FOLDER [--repository OWNER/NAME ...]
        [--conversations TABLE --half HALF] [--blocks FILE]
    .venv/bin/python -m tests.benchmarks.recall_in_use --figures FOLDER --judged FILE [FILE]

CLONES holds a folder per repository with `.specstory/history`; a table of tab-separated half, repository, date, count
and path selects conversations and their order. Each repository is copied, and its conversations are
played through the in-memory sidecar: a pre-run and a post-run per message, a provider session per conversation.
The recordings hold no notes blocks; FILE has those that a careful reader wrote in the agent's place, a line
`{"id": "owner/name:file#number of the user's message", "block"}` each, which then end the agent's answers.
`FOLDER/pairs.jsonl` (outside the repository: it quotes strangers) has each statement that a session was shown, and a
sample of those it was not, to be judged. A judgement is a line `{"id", "bears": "yes"|"no"|"stale",
"useful": "useful"|"harmless"|"misleading", "valid": true|false}`; two files give the agreement of two judges.
"""

import argparse
import json
import re
import shutil
import statistics
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.core.clean_text import utf8_size
from sidecar.core.digests import short_id
from sidecar.packs.anchor.build import STANDING_INSTRUCTIONS
from tests.benchmarks.programs import quiet_sidecar
from tests.labelled.messages import Message, read_conversation, text_before
from tests.support.conversation import Conversation, sent
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar

HISTORY = Path(".specstory") / "history"
SAMPLED = 8
"""Statements per session that were not shown, sampled by a hash of their ids."""
PROMPT_CHARACTERS = 3_000
DAY_MS = 86_400_000

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_REMEMBERED = re.compile(r"^Remembered [\d-]{10}, [\w ]+ \((?P<id>[^()\s]+)\): .*(?:\n {2}.*)*", re.MULTILINE)
_INSTRUCTION = re.compile(r"^- .* \((?P<id>[^()\s]+), [\d-]{10}\)$", re.MULTILINE)


class Shown(NamedTuple):
    """A statement that a session was shown."""

    kind: str
    """standing, or relevant."""
    text: str
    prompt: str


def shown_in(answer: Any, prompt: str) -> dict[str, Shown]:
    """Return the statements that a pre-run shows, by memory id."""
    text = sent(answer)
    found = {match["id"]: Shown("relevant", match[0], prompt) for match in _REMEMBERED.finditer(text)}
    _, heading, section = text.partition(STANDING_INSTRUCTIONS)
    lines = section.partition("\n\n")[0] if heading else ""
    return found | {match["id"]: Shown("standing", match[0], prompt) for match in _INSTRUCTION.finditer(lines)}


def selected_paths(table: Path, half: str) -> dict[str, list[str]]:
    """Return the paths of a table's conversations by folder of their clone, in order, for one half."""
    selected: dict[str, list[str]] = defaultdict(list)
    for line in table.read_text(encoding="utf-8").splitlines():
        row_half, repository, _, _, path = line.split("\t")
        if row_half == half:
            selected[repository.replace("/", "+")].append(path)
    return selected


def conversations_of(clone: Path, paths: Sequence[str]) -> list[tuple[Path, list[Message]]]:
    """Return a repository's recorded conversations with a message of the user, by default in order of their dates."""
    files = [clone / path for path in paths] or sorted((clone / HISTORY).glob("*.md"), key=lambda path: path.name)
    read = ((path, read_conversation(path)) for path in files)
    return [(path, messages) for path, messages in read if any(_is_typed(message) for message in messages)]


def _is_typed(message: Message) -> bool:
    return message.role == "user" and bool(message.text.strip())


def play(
    clone: Path, paths: Sequence[str], sidecar: MemorySidecar, worktree: Path, blocks: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Play a repository's conversations; yield a row for each statement and session to be judged."""
    memories, started = Memories(sidecar, worktree), 0
    for number, (path, messages) in enumerate(conversations_of(clone, paths), 1):
        day = _day_of(path)
        sidecar.clock.advance(max(0, day - started) * DAY_MS if started and day else 60_000)
        started = max(started, day)
        known = _statements(memories)
        prefix = f"{clone.name.replace('+', '/', 1)}:{path.name}#"
        own = {int(key.removeprefix(prefix)): block for key, block in blocks.items() if key.startswith(prefix)}
        shown = _play_conversation(sidecar, worktree, f"{clone.name}-{number}", messages, own)
        opening = next(message.text for message in messages if _is_typed(message))
        yield from _rows(clone.name, number, path.name, opening, known, shown)


def _day_of(path: Path) -> int:
    match = _DATE.search(path.name)
    return date.fromisoformat(match[0]).toordinal() if match else 0


def _statements(memories: Memories) -> dict[str, Any]:
    return {memory["id"]: memory for memory in memories.ask("list", limit=500)["memories"]}


def _play_conversation(
    sidecar: MemorySidecar, worktree: Path, name: str, messages: Sequence[Message], blocks: Mapping[int, str]
) -> dict[str, Shown]:
    chat = Conversation(sidecar.client, worktree, sub_chat_id=name)
    shown: dict[str, Shown] = {}
    typed = [at for at, message in enumerate(messages) if _is_typed(message)]
    for at, following in zip(typed, [*typed[1:], len(messages)], strict=True):
        prompt, answer = messages[at].text, text_before(messages, following)
        if messages[at].number in blocks:
            answer = f"{answer}\n\n{blocks[messages[at].number]}"
        before = chat.pre_run(prompt)
        shown = shown_in(before, prompt) | shown
        chat.post_run(before, prompt, session=name, assistant={"text": answer, "parts": []})
        process = sidecar.app.process
        assert process is not None
        process.wait_idle(30)
        sidecar.clock.advance(60_000)
    return shown


def _rows(
    repository: str, number: int, file: str, opening: str, known: Mapping[str, Any], shown: Mapping[str, Shown]
) -> Iterator[dict[str, Any]]:
    common = {"repository": repository, "session": number, "conversation": file, "opening": opening[:PROMPT_CHARACTERS]}
    missed = sorted((memory_id for memory_id in known if memory_id not in shown), key=lambda key: short_id([file, key]))
    for memory_id, item in shown.items():
        yield {
            **common, "id": short_id([repository, file, memory_id]), "memory": memory_id, "kind": item.kind,
            "isNew": memory_id not in known, "text": item.text, "bytes": utf8_size(item.text) + 1, "weight": 1.0,
            "prompt": item.prompt[:PROMPT_CHARACTERS],
        }  # fmt: skip
    for memory_id in missed[:SAMPLED]:
        yield {
            **common, "id": short_id([repository, file, memory_id]), "memory": memory_id, "kind": "notShown",
            "text": f"{known[memory_id]['type']}: {known[memory_id]['title']}", "bytes": 0,
            "weight": len(missed) / min(len(missed), SAMPLED),
        }  # fmt: skip


def figures(rows: Sequence[Mapping[str, Any]], judged: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the figures as lines; those that need judgements only for the rows that have one."""
    sessions: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for row in rows:
        sessions[row["repository"], row["session"]][row["kind"]] += row["bytes"]
    lines = [f"{len(sessions)} sessions with statements, {len(rows)} pairs, {len(judged)} judged"]
    for kind in ("standing", "relevant"):
        delivered = [row for row in rows if row["kind"] == kind]
        sizes = [counter[kind] for counter in sessions.values()]
        median, most = statistics.median(sizes or [0]), max(sizes, default=0)
        lines.append(f"{kind}: {len(delivered)} shown; bytes per session: median {median:g}, most {most}")
        verdicts = [judged[row["id"]] for row in delivered if row["id"] in judged]
        if kind == "standing":
            lines.append(f"  still valid: {_share(verdict['valid'] for verdict in verdicts)}")
        else:
            lines.append(f"  useful: {_share(verdict['useful'] == 'useful' for verdict in verdicts)}")
            lines.append(f"  misleading: {_share(verdict['useful'] == 'misleading' for verdict in verdicts)}")
    bearing = [row for row in rows if judged.get(row["id"], {}).get("bears") == "yes"]
    weight = sum(row["weight"] for row in bearing)
    reached = sum(row["weight"] for row in bearing if row["kind"] != "notShown")
    if weight:
        lines.append(f"of those that bear on the session: {reached / weight:.2f} shown (n = {len(bearing)}, weighted)")
    return lines


def agreement(first: Mapping[str, Mapping[str, Any]], second: Mapping[str, Mapping[str, Any]], key: str) -> float:
    """Return Cohen's kappa of two judges on one question."""
    pairs = [(first[name].get(key), second[name].get(key)) for name in first if name in second]
    if not pairs:
        return 0.0
    observed = sum(left == right for left, right in pairs) / len(pairs)
    left_counts, right_counts = Counter(left for left, _ in pairs), Counter(right for _, right in pairs)
    expected = sum(left_counts[value] * right_counts[value] for value in left_counts) / len(pairs) ** 2
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)


def _share(verdicts: Iterable[bool]) -> str:
    values = list(verdicts)
    return f"{sum(values) / len(values):.2f} (n = {len(values)})" if values else "not judged"


def _lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _copy(clone: Path, folder: Path) -> Path:
    """Copy a repository without its recorded chats, and commit it."""
    worktree = folder / clone.name.partition("+")[2]
    shutil.copytree(clone, worktree, ignore=shutil.ignore_patterns(".specstory", ".git", ".chati"), symlinks=True)
    identity = ("-c", "user.name=b", "-c", "user.email=b@example.org")
    for command in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-q", "--allow-empty", "-m", "All")):
        subprocess.run(["git", *command], cwd=worktree, check=True, stdout=subprocess.DEVNULL)
    return worktree


def record(
    clones: Path, selected: Mapping[str, Sequence[str]], out: Path, blocks: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Play the selected conversations by clone, write the pairs to be judged, and return them."""
    rows: list[dict[str, Any]] = []
    for name, paths in sorted(selected.items()):
        with tempfile.TemporaryDirectory() as temporary:
            sidecar = quiet_sidecar(Path(temporary) / "state")
            try:
                sidecar.client.initialize(settings={"mode": "active"})
                played = list(play(clones / name, paths, sidecar, _copy(clones / name, Path(temporary)), blocks))
            finally:
                sidecar.close()
        print(name, *figures(played, {}), sep="\n  ", flush=True)
        rows += played
    out.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (out / "pairs.jsonl").write_text(text, encoding="utf-8")
    return rows


def _selection(chosen: argparse.Namespace) -> dict[str, list[str]]:
    """Return the conversations to play by clone; without paths, all of a clone."""
    if chosen.conversations is not None:
        selected = selected_paths(chosen.conversations, chosen.half)
    else:
        selected = {path.name: [] for path in chosen.clones.iterdir() if (path / HISTORY).is_dir()}
    folders = [name.replace("/", "+") for name in chosen.repository]
    return {name: paths for name, paths in selected.items() if not folders or name in folders}


def main() -> None:
    """Play conversations, or compute the figures of judged ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="?", type=Path)
    parser.add_argument("--out", type=Path, help="folder of the pairs to be judged; outside the repository")
    parser.add_argument("--repository", action="append", default=[])
    parser.add_argument("--conversations", type=Path, help="table of the conversations to play")
    parser.add_argument("--half", default="learning", help="the first column of the table")
    parser.add_argument("--blocks", type=Path, help="notes blocks written in the agent's place")
    parser.add_argument("--figures", type=Path, help="folder of pairs that are judged")
    parser.add_argument("--judged", nargs="+", type=Path, default=[])
    chosen = parser.parse_args()
    if chosen.figures is not None:
        rows = _lines_of(chosen.figures / "pairs.jsonl")
    elif chosen.clones is not None and chosen.out is not None:
        blocks = {line["id"]: line["block"] for line in _lines_of(chosen.blocks)} if chosen.blocks else {}
        rows = record(chosen.clones, _selection(chosen), chosen.out, blocks)
    else:
        parser.error("CLONES with --out, or --figures, is required")
    judges = [{line["id"]: line for line in _lines_of(path)} for path in chosen.judged]
    for judged in judges or [{}]:
        print(*figures(rows, judged), sep="\n")
    for key in ("bears", "useful", "valid") if len(judges) == 2 else ():
        print(f"agreement on {key}: kappa {agreement(judges[0], judges[1], key):.2f}")


if __name__ == "__main__":
    main()
