"""How the ledger names what a provider session can be given, so that a run's own work can be named too. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import orjson

from sidecar.codebase import ChangedFile, Hunk
from sidecar.core.digests import digest_bytes, short_id
from sidecar.core.lazy_regex import regex

ANCHOR = "anchor"
HEAD = "delta:head"
TODOS = "delta:todos"
RULES = "delta:anchor"
CONTRACT = "plan"
PLAN = "plan:text"
UNCHANGED = "delta:unchanged"
MORE = "delta:more"
_CHANGE = "delta:file:"
_COMMIT = "delta:commit:"
_TESTS = "delta:tests:"
_CONTEXT = "context:"
_MEMORY = "memory:"
_ENTITY = "registry:"

POINTER = "pointer"
"""The digest of a file the session was only told to be there: what is in it may follow."""

GONE = "gone"
"""The digest of a change that the session was told of and that is no more."""


SEEN = ":seen"
"""Ends the digest of a failure that the session saw in a run of its own."""

NAMED_ONLY = "named"
"""Stands in the digest of what was only named because its difference came too late: the next call tells it wholly."""

MAX_HUNKS = 400
"""Hunks of one file that are remembered as told; what is beyond is told again should the file change."""

MAX_LISTED = 4_000
"""Ids of a list that are kept; a longer list's further files are told again when it changes."""

TODO_CHARACTERS = 80
"""How much of a task is remembered, so that it can be named once it is dropped."""

_HUNK = regex(r"([-+\d]+)([=~])([0-9a-f]+)")
_DURATION = regex(r"\b\d+(?:\.\d+)?\s?m?s\b")


class ToldHunk(NamedTuple):
    """A hunk that a session was told of."""

    mark: str
    place: str
    was_shown: bool
    """False where it was only counted: it is known to be there, and what it says is not."""


class Told(NamedTuple):
    """What a session was told of a changed file's difference."""

    change: str
    """The digest of the difference as it was then; empty where none was told."""
    hunks: tuple[ToldHunk, ...] = ()
    """In their order."""
    is_whole: bool = True
    """False where the file was only named."""


def change_key(path: str) -> str:
    """Names a changed file's difference."""
    return _CHANGE + path


def changed_path(key: str) -> str | None:
    """Gives the path of a changed file's key; None for another key."""
    return key.removeprefix(_CHANGE) if key.startswith(_CHANGE) else None


def commit_key(path: str) -> str:
    """Names what commits changed in a file."""
    return _COMMIT + path


def context_key(path: str) -> str:
    """Names a file's summary."""
    return _CONTEXT + path


def context_path(key: str) -> str | None:
    """Gives the path of a summary's key; None for another key."""
    return key.removeprefix(_CONTEXT) if key.startswith(_CONTEXT) else None


def memory_key(memory_id: str) -> str:
    """Names a memory."""
    return _MEMORY + memory_id


def entity_key(entity_id: str) -> str:
    """Names something that the registry has."""
    return _ENTITY + entity_id


def memory_id(key: str) -> str | None:
    """Gives the id of a memory's key; None for another key."""
    return key.removeprefix(_MEMORY) if key.startswith(_MEMORY) else None


@lru_cache(maxsize=1_024)
def change_digest(file: ChangedFile) -> str:
    """Identifies a changed file's difference by what it depends on; that it was staged is no other difference."""
    origin = file.original if file.kind == "renamed" else None
    return short_id(
        [
            file.content_hash.removeprefix("x:"),
            origin and origin.encode("utf-8", "replace").decode(),
            file.kind == "conflicted",
        ]
    )


def told_digest(told: Told) -> str:
    """Writes what is told of a file as the digest that the ledger keeps: `change[:named][:hunks]`."""
    named = (NAMED_ONLY,) if not told.is_whole else ()
    hunks = ",".join(f"{one.place}{'=' if one.was_shown else '~'}{one.mark}" for one in told.hunks[:MAX_HUNKS])
    return ":".join((told.change, *named, *((hunks,) if hunks else ())))


@lru_cache(maxsize=512)
def told_of(digest: str | None) -> Told:
    """Reads what a session was told of a file; of one that changed no more, or was never told, nothing."""
    if digest is None or digest == GONE:
        return Told("")
    change, *rest = digest.split(":")
    found = (_HUNK.fullmatch(one) for one in (rest[-1] if rest else "").split(","))
    hunks = tuple(ToldHunk(one[3], one[1], one[2] == "=") for one in found if one is not None)
    return Told(change, hunks, NAMED_ONLY not in rest)


def all_shown(hunks: Sequence[Hunk]) -> tuple[ToldHunk, ...]:
    """Gives hunks as they are remembered once they were shown, or written by the agent itself."""
    return tuple(ToldHunk(hunk.mark, hunk.place, was_shown=True) for hunk in hunks[:MAX_HUNKS])


@lru_cache(maxsize=4_096)
def listed_id(file: ChangedFile) -> str:
    """Identifies a changed file with its content on a list of many."""
    return digest_bytes(f"{file.path}\0{file.content_hash}".encode("utf-8", "surrogatepass"))[:8]


def listed_digest(ids: Sequence[str]) -> str:
    """Identifies a list of changed files, and keeps so many of its ids as to tell what is new on it."""
    return f"{short_id(list(ids))}:{','.join(ids[:MAX_LISTED])}"


def listed_of(digest: str) -> frozenset[str]:
    """Gives the ids of a list."""
    return frozenset(digest.partition(":")[2].split(",")) - {""}


def content_digest(content_id: str) -> str:
    """Identifies a file's content, committed or not."""
    return content_id.removeprefix("w:").removeprefix("x:")


def head_digest(branch: str | None, head: str | None) -> str:
    """Identifies where the worktree stands, and keeps the branch's name to tell of a switch."""
    return f"{short_id([branch, head])}:{branch or ''}"


def told_branch(digest: str) -> str | None:
    """Gives the branch a session was told of; None where it was told none, or its worktree stood on none."""
    return digest.partition(":")[2].partition(":")[0] or None


def folder_digest(files_hash: str) -> str:
    """Identifies the content of a folder without git."""
    return short_id(["folder", files_hash])


def plan_digest(plan: str) -> str:
    """Identifies a plan."""
    return short_id(plan)


def todos_digest(todos: Sequence[tuple[str, str]]) -> str:
    """Identifies a task list, and keeps of each task its state and how it begins to tell of changes."""
    kept = [[todo_id(content), status[:12], content[:TODO_CHARACTERS]] for content, status in todos]
    return short_id([list(todo) for todo in todos]) + orjson.dumps(kept).decode()


def told_todos(digest: str) -> list[tuple[str, str, str]]:
    """Gives the tasks a session was told of: id, state, how it begins."""
    at = digest.find("[")
    return [(one, status, content) for one, status, content in orjson.loads(digest[at:])] if at >= 0 else []


def todo_id(content: str) -> str:
    """Identifies a task by what it says."""
    return short_id(content, 8)


def tests_key(runner: str) -> str:
    """Names a test runner's last word."""
    return _TESTS + runner


def tests_runner(key: str) -> str | None:
    """Gives the runner of a test outcome's key; None for another key."""
    return key.removeprefix(_TESTS) if key.startswith(_TESTS) else None


def tests_digest(names: Sequence[str], excerpt: str, run_id: str) -> str:
    """Identifies a failure: the same one in another time is no other, one after a pass is."""
    return short_id([list(names), _DURATION.sub("", excerpt), run_id])
