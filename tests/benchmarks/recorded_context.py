"""How much of what context blocks name is used: recorded conversations, played on the repository as it was then.

    python -m tests.benchmarks.recorded_context CLONES --mirrors FOLDER --conversations TABLE [--out FILE]
        [--repository OWNER/NAME ...] [--half learning|judging] [--per-repository 4] [--turns 10]
    python -m tests.benchmarks.recorded_context --figures FILE

CLONES has a folder per repository with `.specstory/history`; `FOLDER/owner+name/repo` its git directory. A conversation
is played on the last commit before it began, after the conversations before it: each of the last three is one run of
the project, and what it edited after that commit is still uncommitted. *Used*: read or edited by the main agent at a
prompt or later, as far as the recording names the file and the commit has it; each file counts once. *Named*: any path
in a context block. Recordings that omit the paths of many calls are left out: they hide most of what was used.
"""

import argparse
import json
import random
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from sidecar.core.clean_text import utf8_size
from sidecar.core.digests import short_id
from sidecar.core.terms import paths_in
from tests.benchmarks.programs import sidecar_on_clone
from tests.benchmarks.recall_in_use import conversations_of, selected_paths
from tests.labelled.messages import Message, text_before
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.shop import text_of

FILES_ABOVE = 8
"""Bytes of files below this place count as spent on unlikely ones."""

RESAMPLES = 400
PATIENCE_SECONDS = 300.0
EDITED, READ = "tool-Edit", "tool-Read"
EARLIER = 3
"""Number of conversations before the played one."""
NAMED_CALLS = 0.8
"""Minimum share of the calls that read or edit whose paths a recording names."""

_TOOL = re.compile(
    r"<tool-use data-tool-type=\"(\w+)\"(?: data-tool-name=\"([^\"]*)\")?[^>]*>(.*?)</tool-use>", re.DOTALL
)
_EDIT_TOOL = re.compile(r"apply_?patch|replace_?string|create_?file|edit_file", re.IGNORECASE)
_PARAMETER = re.compile(r"\"relativeWorkspacePath\": \"([^\"\n]+)\"")
_LINE = re.compile(r"^(?:\s*<summary>)?(Read|Edit) file: ([^<\n]+)", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_RESULT = re.compile(r"(?:The file|[Ff]ile (?:created|written)[^:\n]{0,30}:?) (\S+)(?: has been|$)", re.MULTILINE)
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ _T](\d\d)[:-](\d\d))?")
_NUMBERED = re.compile(r"\d+\| ")


class Use(NamedTuple):
    """A file that an agent used, and how."""

    path: str
    tool: str


class Entry(NamedTuple):
    """A file in a context block, with the bytes of its lines."""

    path: str
    bytes: int


class Call(NamedTuple):
    """A tool call that reads or edits files, with the paths it names."""

    tool: str
    names: tuple[str, ...]


def calls_in(text: str) -> list[Call]:
    """Return the tool calls in an answer that read or edit files, in order."""
    found = [(match.start(), _tool(match[1], match[2] or ""), match[3]) for match in _TOOL.finditer(text)]
    rest = _TOOL.sub(lambda match: " " * len(match[0]), text)
    found += [(match.start(), EDITED if match[1] == "Edit" else READ, match[2]) for match in _LINE.finditer(rest)]
    return [Call(tool, tuple(_names(body))) for _, tool, body in sorted(found) if tool]


def _tool(kind: str, name: str) -> str:
    if kind == "write" or (kind in ("generic", "unknown") and _EDIT_TOOL.search(name)):
        return EDITED
    return READ if kind == "read" and name != "WebFetch" else ""


def _names(body: str) -> list[str]:
    stated = (*(match[1] for match in _RESULT.finditer(body)), *(match[1] for match in _PARAMETER.finditer(body)))
    return paths_in(unquote("\n".join((_FENCE.sub(" ", body), *stated))).replace("\\", "/"))


def names_most_paths(answers: Iterable[Sequence[Call]]) -> bool:
    """Whether a recording names the paths of most calls."""
    named = [bool(call.names) for calls in answers for call in calls]
    return sum(named) >= NAMED_CALLS * len(named)


def used_files(answers: Sequence[Sequence[Call]], tree: Collection[str]) -> list[list[Use]]:
    """Return the files of a tree that each answer's calls read or edited, in order, each once."""
    paths = {name: _in_tree(name, tree) for calls in answers for call in calls for name in call.names}
    above = Counter(name.removesuffix(path) for name, path in paths.items() if path is not None and path != name)
    root = above.most_common(1)[0][0] if above else ""
    used: list[list[Use]] = []
    for calls in answers:
        tools: dict[str, str] = {}
        for call in calls:
            for name in call.names:
                path = paths[name]
                # The `README.md` of another folder is not the one at the top.
                is_own = path is not None and ("/" in path or name.removesuffix(path) in ("", root))
                if path is not None and is_own and tools.get(path) != EDITED:
                    tools[path] = call.tool
        used.append([Use(path, tool) for path, tool in tools.items()])
    return used


def _in_tree(name: str, tree: Collection[str]) -> str | None:
    """Return the file of a tree that a path from another machine ends with."""
    rest = name
    while rest not in tree:
        _, slash, rest = rest.partition("/")
        if not slash:
            return None
    return rest


def entries_of(block: str, tree: Collection[str]) -> list[Entry]:
    """Return the files of a context block in order."""
    entries: list[Entry] = []
    for line in block.splitlines():
        heading = "" if _NUMBERED.match(line) else _path_of(line, tree)
        if heading:
            entries.append(Entry(heading, 0))
        if entries:
            last = entries[-1]
            entries[-1] = last._replace(bytes=last.bytes + utf8_size(line) + 1)
    return entries


def _path_of(line: str, tree: Collection[str]) -> str:
    """Return the path in a line's first column; empty for a line of code."""
    for end in (len(line), line.find(" — "), line.find(" (")):
        if end > 0 and line[:end] in tree:
            return line[:end]
    return ""


class Recorded(NamedTuple):
    """A recorded conversation: its messages, the places of the typed ones, and the calls of each answer."""

    name: str
    base: str
    messages: Sequence[Message]
    typed: Sequence[int]
    answers: Sequence[Sequence[Call]]

    @property
    def ends(self) -> list[int]:
        """The message after each answer."""
        return [*self.typed[1:], len(self.messages)]


def read_recorded(name: str, base: str, messages: Sequence[Message]) -> Recorded:
    """Read the calls of a conversation."""
    typed = [at for at, message in enumerate(messages) if message.role == "user" and message.text.strip()]
    ends = [*typed[1:], len(messages)]
    answers = [calls_in(_answer(messages[at + 1 : end])) for at, end in zip(typed, ends, strict=True)]
    return Recorded(name, base, messages, typed, answers)


def play(sidecar: MemorySidecar, worktree: Path, recorded: Recorded, uses: Sequence[Sequence[Use]]) -> Iterator[Any]:
    """Play a conversation; yield a row for each prompt."""
    name, messages = recorded.name, recorded.messages
    tree = files_of(worktree)
    chat = Conversation(sidecar.client, worktree, sub_chat_id=name)
    known: set[str] = set()
    for turn, (at, end) in enumerate(zip(recorded.typed, recorded.ends, strict=True)):
        prompt = messages[at].text
        before = chat.pre_run(prompt)
        earlier = {use.path for turn_uses in uses[:turn] for use in turn_uses}
        later = {use.path for turn_uses in uses[turn:] for use in turn_uses}
        entries = entries_of(text_of(before, "context"), tree)
        new = [use.path for use in uses[turn] if use.path not in earlier]
        known.update(entry.path for entry in entries)
        yield {
            "conversation": name, "turn": turn, "prompt": prompt[:300], "entries": entries, "new": new,
            "newNamed": [path for path in new if path in known], "used": sorted(later),
            "session": sorted({use.path for turn_uses in uses for use in turn_uses}) if not turn else [],
        }  # fmt: skip
        finish_run(sidecar, worktree, chat, before, prompt, text_before(messages, end), uses[turn])


def finish_run(
    sidecar: MemorySidecar,
    worktree: Path,
    chat: Conversation,
    before: Any,
    prompt: str,
    text: str,
    uses: Iterable[Use],
) -> None:
    """Use the files and report the run."""
    parts = [_work(worktree, use, number) for number, use in enumerate(uses)]
    chat.post_run(before, prompt, session=chat.sub_chat_id, assistant={"text": text, "parts": parts})
    process = sidecar.app.process
    assert process is not None
    process.wait_idle(30)
    sidecar.clock.advance(60_000)


def play_as_one_run(sidecar: MemorySidecar, worktree: Path, recorded: Recorded) -> None:
    """Play an earlier conversation as one run on the present files."""
    uses = used_files(recorded.answers, files_of(worktree))
    chat = Conversation(sidecar.client, worktree, sub_chat_id=recorded.name)
    prompt = recorded.messages[recorded.typed[0]].text
    text = text_before(recorded.messages, len(recorded.messages))
    finish_run(sidecar, worktree, chat, chat.pre_run(prompt), prompt, text, [use for own in uses for use in own])


def files_of(worktree: Path) -> frozenset[str]:
    """Return the tracked files."""
    return frozenset(_git(worktree, "ls-files", "-z").split("\0")) - {""}


def _answer(messages: Iterable[Message]) -> str:
    return "\n".join(message.text for message in messages if message.role == "assistant")


def _work(worktree: Path, use: Use, number: int) -> dict[str, Any]:
    """Use a file as the agent did: an edit adds a line end."""
    target = worktree / use.path
    if use.tool == EDITED and target.is_file():
        target.write_bytes(target.read_bytes() + b"\n")
    return {"type": use.tool, "toolCallId": f"{number}", "state": "result", "input": {"file_path": str(target)}}


def base_commit(clone: Path, commit: str, path: Path, messages: Sequence[Message]) -> str:
    """Return the last commit before a conversation began; empty without one."""
    moment = began_at(path, messages)
    return _git(clone, "rev-list", "-1", f"--before={moment}", commit).strip() if moment else ""


def began_at(path: Path, messages: Sequence[Message]) -> str:
    """Return when a conversation began; empty if its file does not state it."""
    stated = next((message.time for message in messages if message.time), None)
    match = _TIME.search(stated or "") or _TIME.search(path.name)
    return f"{match[1]}T{match[2] or '00'}:{match[3] or '00'}:00+00:00" if match is not None else ""


def _git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(["git", "-c", "core.quotepath=off", *arguments], cwd=folder, check=check, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def _check_out(worktree: Path, commit: str) -> None:
    """Check out a commit; objects that the mirror lacks stay away, and are no change."""
    _git(worktree, "checkout", "-q", "-f", "--detach", commit, check=False)
    _git(worktree, "read-tree", commit)
    _git(worktree, "clean", "-qfdx")
    _git(worktree, "checkout-index", "-a", "-f", "-q", check=False)
    _git(worktree, "update-ref", "--no-deref", "HEAD", commit)
    absent = _git(worktree, "ls-files", "-z", "--deleted")
    if absent:
        subprocess.run(
            ["git", "update-index", "-z", "--skip-worktree", "--stdin"],
            cwd=worktree, check=True, input=absent.encode("utf-8", "surrogateescape"),
        )  # fmt: skip


def record(
    chosen: argparse.Namespace, selected: Mapping[str, Sequence[str]], commits: Mapping[str, str]
) -> Iterator[Any]:
    """Play the selected conversations by clone; yield a row for each prompt."""
    for name, paths in sorted(selected.items()):
        mirror = chosen.mirrors / name / "repo"
        if not mirror.is_dir():
            continue
        conversations = recorded_of(chosen.clones / name, paths, mirror, commits[name])
        rows: list[Any] = []
        for at in sampled(conversations, mirror, chosen.per_repository):
            rows += play_in_project(conversations[max(0, at - EARLIER) : at + 1], mirror, chosen.turns)
        print(name, *figures(rows), sep="\n  ", flush=True)
        yield from rows


def recorded_of(clone: Path, paths: Sequence[str], mirror: Path, commit: str) -> list[Recorded]:
    """Return a repository's conversations in the order in which they began."""
    read = []
    for path, messages in conversations_of(clone, paths):
        base = base_commit(mirror, commit, path, messages)
        if base:
            read.append((began_at(path, messages), f"{clone.name}/{path.stem}", base, messages))
    return [read_recorded(name, base, messages) for _, name, base, messages in sorted(read, key=lambda row: row[:2])]


def sampled(conversations: Sequence[Recorded], mirror: Path, limit: int) -> list[int]:
    """Return the places of at most `limit` conversations that use files and name most paths; by a hash, in order."""
    usable: list[int] = []
    for at in sorted(range(len(conversations)), key=lambda at: short_id([conversations[at].name])):
        recorded = conversations[at]
        tree = frozenset(_git(mirror, "ls-tree", "-r", "-z", "--name-only", recorded.base).split("\0"))
        if len(usable) < limit and names_most_paths(recorded.answers) and any(used_files(recorded.answers, tree)):
            usable.append(at)
    return sorted(usable)


def play_in_project(conversations: Sequence[Recorded], mirror: Path, turns: int) -> list[Any]:
    """Play the last conversation after the others, in a project of its own; return its rows."""
    *earlier, played = conversations
    with sidecar_on_clone(mirror) as (sidecar, worktree):
        _check_out(worktree, played.base)
        sidecar.client.request("codebase/index", {"cwd": str(worktree)}, PATIENCE_SECONDS)
        for recorded in earlier:
            play_as_one_run(sidecar, worktree, recorded)
            if recorded.base != played.base:
                _git(worktree, "checkout-index", "-a", "-f", "-q", check=False)  # it was committed since
        uses = used_files(played.answers, files_of(worktree))
        return list(islice(play(sidecar, worktree, played, uses), turns))


def figures(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the figures as lines, with intervals over conversations."""
    first = [row for row in rows if row["turn"] == 0]
    later = [row for row in rows if row["turn"] > 0]
    return [
        _line("first prompts: used files named (session)", first, _session_named),
        _line("first prompts: files used at once that are named", first, _new_named),
        _line("first prompts: named files used", first, _named_used),
        _line("follow-ups: newly used files named", later, _new_named),
        _line("follow-ups: named files used", later, _named_used),
        _line(f"bytes below the file of place {FILES_ABOVE}", rows, _bytes_below),
        _line("prompts with a block: first", first, _with_block),
        _line("prompts with a block: follow-ups", later, _with_block),
    ]


Share = Callable[[Mapping[str, Any]], tuple[float, float]]
"""Returns a row's part and whole."""


def _session_named(row: Mapping[str, Any]) -> tuple[float, float]:
    named = {entry[0] for entry in row["entries"]}
    return sum(path in named for path in row["session"]), len(row["session"])


def _new_named(row: Mapping[str, Any]) -> tuple[float, float]:
    return len(row["newNamed"]), len(row["new"])


def _named_used(row: Mapping[str, Any]) -> tuple[float, float]:
    used = set(row["used"])
    return sum(entry[0] in used for entry in row["entries"]), len(row["entries"])


def _bytes_below(row: Mapping[str, Any]) -> tuple[float, float]:
    sizes = [entry[1] for entry in row["entries"]]
    return sum(sizes[FILES_ABOVE:]), sum(sizes)


def _with_block(row: Mapping[str, Any]) -> tuple[float, float]:
    return float(bool(row["entries"])), 1.0


def _line(title: str, rows: Sequence[Mapping[str, Any]], share: Share) -> str:
    by_conversation: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        by_conversation[row["conversation"]].append(share(row))
    sums = [(sum(part for part, _ in own), sum(whole for _, whole in own)) for own in by_conversation.values()]
    chance = random.Random(1)
    samples = sorted(_ratio(chance.choices(sums, k=len(sums))) for _ in range(RESAMPLES)) if sums else [0.0]
    low, high = samples[len(samples) // 40], samples[-1 - len(samples) // 40]
    whole = sum(total for _, total in sums)
    return f"{title:50} {_ratio(sums):.2f} [{low:.2f}, {high:.2f}]  n = {whole:.0f} in {len(sums)} conversations"


def _ratio(sums: Iterable[tuple[float, float]]) -> float:
    pairs = list(sums)
    whole = sum(total for _, total in pairs)
    return sum(part for part, _ in pairs) / whole if whole else 0.0


def main() -> None:
    """Play conversations, or print the figures of played ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="?", type=Path)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--conversations", type=Path)
    parser.add_argument("--half", choices=("learning", "judging"), default="learning")
    parser.add_argument("--repository", action="append", default=[])
    parser.add_argument("--per-repository", type=int, default=4)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--out", type=Path, help="file of the rows; outside the repository")
    parser.add_argument("--figures", type=Path)
    chosen = parser.parse_args()
    if chosen.figures is not None:
        rows = [json.loads(line) for line in chosen.figures.read_text(encoding="utf-8").splitlines()]
    else:
        folders = [name.replace("/", "+") for name in chosen.repository]
        selected = {
            name: paths
            for name, paths in selected_paths(chosen.conversations, chosen.half).items()
            if not folders or name in folders
        }
        rows = list(record(chosen, selected, _commits(chosen.conversations.with_name("clones.tsv"))))
        if chosen.out is not None:
            chosen.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print("all", *figures(rows), sep="\n  ")


def _commits(table: Path) -> dict[str, str]:
    """Return the recorded commit of each clone."""
    lines = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines())
    return {fields[0].replace("/", "+"): fields[1] for fields in lines}


if __name__ == "__main__":
    main()
