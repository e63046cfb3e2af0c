"""How the ledger names what a provider session can be given, so that a run's own work can be named too. Pure."""

from sidecar.codebase import ChangedFile
from sidecar.core.digests import short_id

ANCHOR = "anchor"
HEAD = "delta:head"
TODOS = "delta:todos"
RULES = "delta:anchor"
CONTRACT = "plan"
PLAN = "plan:text"
_CHANGE = "delta:file:"
_CONTEXT = "context:"

GONE = "gone"
"""The digest of a change that the session was told of and that is no more."""


def change_key(path: str) -> str:
    """Names a changed file's difference."""
    return _CHANGE + path


def changed_path(key: str) -> str | None:
    """Gives the path of a changed file's key; None for another key."""
    return key.removeprefix(_CHANGE) if key.startswith(_CHANGE) else None


def context_key(path: str) -> str:
    """Names a file's summary."""
    return _CONTEXT + path


def context_path(key: str) -> str | None:
    """Gives the path of a summary's key; None for another key."""
    return key.removeprefix(_CONTEXT) if key.startswith(_CONTEXT) else None


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


def content_digest(content_id: str) -> str:
    """Identifies a file's content, committed or not."""
    return content_id.removeprefix("w:").removeprefix("x:")


def head_digest(branch: str | None, head: str | None) -> str:
    """Identifies where the worktree stands."""
    return short_id([branch, head])


def folder_digest(files_hash: str) -> str:
    """Identifies the content of a folder without git."""
    return short_id(["folder", files_hash])


def plan_digest(plan: str) -> str:
    """Identifies a plan."""
    return short_id(plan)


def todos_digest(todos: tuple[tuple[str, str], ...]) -> str:
    """Identifies a task list."""
    return short_id([list(todo) for todo in todos])
