"""Reads `git status --porcelain=v2 -z --branch`. Pure."""

from typing import Literal, NamedTuple

ChangeKind = Literal["staged", "unstaged", "untracked", "deleted", "renamed", "conflicted"]


class Entry(NamedTuple):
    """One changed path, relative to the repository's root; undecodable bytes are kept as surrogates."""

    path: str
    kind: ChangeKind
    """staged, unstaged, untracked, deleted, renamed or conflicted; what the user would call it first."""
    code: str
    """git's two letters: index, worktree."""
    index_id: str
    original: str | None
    is_submodule: bool


class Status(NamedTuple):
    """What git says of a worktree."""

    head: str | None
    branch: str | None
    entries: tuple[Entry, ...]


def parse_status(output: bytes) -> Status:
    """Turns git's answer into a Status; `head` is None before the first commit, `branch` when detached."""
    head = branch = None
    entries: list[Entry] = []
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        if field.startswith("# branch.oid "):
            head = _unless(field[13:], "(initial)")
        elif field.startswith("# branch.head "):
            branch = _unless(field[14:], "(detached)")
        elif field[:2] == "1 ":
            _, code, sub, *_, index_id, path = field.split(" ", 8)
            entries.append(Entry(path, _kind(code), code, index_id, None, sub != "N..."))
        elif field[:2] == "2 ":
            _, code, sub, *_, index_id, _, path = field.split(" ", 9)
            entries.append(Entry(path, "renamed", code, index_id, next(fields), sub != "N..."))
        elif field[:2] == "u ":
            _, code, sub, *_, path = field.split(" ", 10)
            entries.append(Entry(path, "conflicted", code, "", None, sub != "N..."))
        elif field[:2] == "? ":
            entries.append(Entry(field[2:], "untracked", "??", "", None, field.endswith("/")))
    return Status(head, branch, tuple(sorted(entries)))


def _kind(code: str) -> ChangeKind:
    if "D" in code:
        return "deleted"
    return "staged" if code[1] == "." else "unstaged"


def _unless(text: str, nothing: str) -> str | None:
    return None if text == nothing else text
