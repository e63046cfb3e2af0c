"""Keys and digests of the delivery ledger: how it names what a provider session can receive. Pure.

A run's own work is named with the same keys.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import orjson

from sidecar.codebase import ChangedFile, Hunk
from sidecar.core.digests import digest_bytes, short_id
from sidecar.core.lazy_regex import lazy_regex

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
_INSTRUCTION = "instruction:"

POINTER = "pointer"
"""Digest of a file of which the session only knows that it exists; its content may follow."""

REMOVED = "gone"
"""Digest of a change that the session knows and that no longer exists."""


SEEN = ":seen"
"""Suffix of the digest of a failure that the session saw in a run of its own."""

NAMED_ONLY = "named"
"""Marks in a digest what was only named because its diff came too late; the next call sends it completely."""

MAX_HUNKS = 400
"""Maximum number of hunks of a file recorded as sent; the rest is sent again if the file changes."""

MAX_LISTED = 4_000
"""Maximum number of ids stored of a list; further files are sent again when it changes."""

TODO_CHARACTERS = 80
"""Number of characters stored of a task, so that it can be named once it is dropped."""

_HUNK = lazy_regex(r"([-+\d]+)([=~])([0-9a-f]+)")
_DURATION = lazy_regex(r"\b\d+(?:\.\d+)?\s?m?s\b")


class SentHunk(NamedTuple):
    """A hunk that a session received."""

    hunk_id: str
    position: str
    is_shown: bool
    """False if it was only counted: the session knows that it exists, but not its text."""


class SentChange(NamedTuple):
    """Part of a changed file's diff that a session received."""

    change: str
    """Digest of the diff at that time; empty if none was sent."""
    hunks: tuple[SentHunk, ...] = ()
    """In file order."""
    is_whole: bool = True
    """False if the file was only named."""


def change_key(path: str) -> str:
    """Return the key of a changed file's diff."""
    return _CHANGE + path


def changed_path(key: str) -> str | None:
    """Return the path of a changed file's key; None for another key."""
    return key.removeprefix(_CHANGE) if key.startswith(_CHANGE) else None


def commit_key(path: str) -> str:
    """Return the key of what commits changed in a file."""
    return _COMMIT + path


def context_key(path: str) -> str:
    """Return the key of a file's summary."""
    return _CONTEXT + path


def context_path(key: str) -> str | None:
    """Return the path of a summary's key; None for another key."""
    return key.removeprefix(_CONTEXT) if key.startswith(_CONTEXT) else None


def memory_key(memory_id: str) -> str:
    """Return the key of a memory."""
    return _MEMORY + memory_id


def entity_key(entity_id: str) -> str:
    """Return the key of a registry entity."""
    return _ENTITY + entity_id


def memory_id(key: str) -> str | None:
    """Return the id of a memory's key; None for another key."""
    return key.removeprefix(_MEMORY) if key.startswith(_MEMORY) else None


def instruction_key(memory_id: str) -> str:
    """Return the key of the standing instruction that a memory states."""
    return _INSTRUCTION + memory_id


def instruction_id(key: str) -> str | None:
    """Return the memory's id of a standing instruction's key; None for another key."""
    return key.removeprefix(_INSTRUCTION) if key.startswith(_INSTRUCTION) else None


@lru_cache(maxsize=1_024)
def change_digest(file: ChangedFile) -> str:
    """Return a digest of what a changed file's diff depends on; staging alone does not change it."""
    origin = file.original if file.kind == "renamed" else None
    return short_id(
        [
            file.content_hash.removeprefix("x:"),
            origin and origin.encode("utf-8", "replace").decode(),
            file.kind == "conflicted",
        ]
    )


def sent_change_digest(sent: SentChange) -> str:
    """Return the ledger's digest of what is sent of a file: `change[:named][:hunks]`."""
    name_only = (NAMED_ONLY,) if not sent.is_whole else ()
    hunks = ",".join(f"{hunk.position}{'=' if hunk.is_shown else '~'}{hunk.hunk_id}" for hunk in sent.hunks[:MAX_HUNKS])
    return ":".join((sent.change, *name_only, *((hunks,) if hunks else ())))


@lru_cache(maxsize=512)
def sent_change_of(digest: str | None) -> SentChange:
    """Parse what a session received of a file; empty for a file that no longer differs or was never sent."""
    if digest is None or digest == REMOVED:
        return SentChange("")
    change, *parts = digest.split(":")
    matches = (_HUNK.fullmatch(text) for text in (parts[-1] if parts else "").split(","))
    hunks = tuple(SentHunk(text[3], text[1], text[2] == "=") for text in matches if text is not None)
    return SentChange(change, hunks, NAMED_ONLY not in parts)


def shown_hunks(hunks: Sequence[Hunk]) -> tuple[SentHunk, ...]:
    """Return hunks as they are recorded once they were shown, or written by the agent itself."""
    return tuple(SentHunk(hunk.hunk_id, hunk.position, is_shown=True) for hunk in hunks[:MAX_HUNKS])


@lru_cache(maxsize=4_096)
def listed_id(file: ChangedFile) -> str:
    """Return an id of a changed file and its content for a list of many."""
    return digest_bytes(f"{file.path}\0{file.content_hash}".encode("utf-8", "surrogatepass"))[:8]


def listed_digest(ids: Sequence[str]) -> str:
    """Return a digest of a list of changed files with enough of its ids to recognise new entries."""
    return f"{short_id(list(ids))}:{','.join(ids[:MAX_LISTED])}"


def listed_ids(digest: str) -> frozenset[str]:
    """Return the ids of a list."""
    return frozenset(digest.partition(":")[2].split(",")) - {""}


def content_digest(content_id: str) -> str:
    """Return a digest of a file's content, committed or not."""
    return content_id.removeprefix("w:").removeprefix("x:")


def head_digest(branch: str | None, head: str | None) -> str:
    """Return a digest of branch and head commit, with the branch's name to recognise a switch."""
    return f"{short_id([branch, head])}:{branch or ''}"


def sent_branch(digest: str) -> str | None:
    """Return the branch that a session knows; None if it knows none, or its worktree was on none."""
    return digest.partition(":")[2].partition(":")[0] or None


def folder_digest(files_hash: str) -> str:
    """Return a digest of the content of a folder without git."""
    return short_id(["folder", files_hash])


def plan_digest(plan: str) -> str:
    """Return a digest of a plan."""
    return short_id(plan)


def todos_digest(todos: Sequence[tuple[str, str]]) -> str:
    """Return a digest of a task list with each task's status and beginning, to recognise changes."""
    entries = [[todo_id(content), status[:12], content[:TODO_CHARACTERS]] for content, status in todos]
    return short_id([list(todo) for todo in todos]) + orjson.dumps(entries).decode()


def sent_todos(digest: str) -> list[tuple[str, str, str]]:
    """Return the tasks that a session knows: id, status, beginning."""
    start = digest.find("[")
    return (
        [(task_id, status, content) for task_id, status, content in orjson.loads(digest[start:])] if start >= 0 else []
    )


def todo_id(content: str) -> str:
    """Return a digest of a task's text."""
    return short_id(content, 8)


def tests_key(runner: str) -> str:
    """Return the key of a test runner's last verdict."""
    return _TESTS + runner


def tests_runner(key: str) -> str | None:
    """Return the runner of a test verdict's key; None for another key."""
    return key.removeprefix(_TESTS) if key.startswith(_TESTS) else None


def tests_digest(names: Sequence[str], excerpt: str, run_id: str) -> str:
    """Return a digest of a failure. Timings do not change it; a pass in between does."""
    return short_id([list(names), _DURATION.sub("", excerpt), run_id])
