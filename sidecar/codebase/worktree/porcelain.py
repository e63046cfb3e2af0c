"""Reads `git status --porcelain=v2 -z --branch`. Pure."""

from typing import Literal, NamedTuple

from sidecar.codebase.worktree.hashing import ObjectFormat

ChangeKind = Literal["staged", "unstaged", "untracked", "deleted", "renamed", "conflicted"]


class Entry(NamedTuple):
    """One changed path, relative to the repository's root; undecodable bytes are kept as surrogates."""

    path: str
    kind: ChangeKind
    """staged, unstaged, untracked, deleted, renamed or conflicted; what the user would call it first."""
    code: str
    """git's two letters: index, worktree."""
    index_id: str
    """Modes and blob ids in the index; three of each while there is a conflict."""
    original: str | None
    is_nested: bool
    """A submodule, or a repository that is not tracked."""


class Status(NamedTuple):
    """What git says of a worktree."""

    head: str | None
    branch: str | None
    entries: tuple[Entry, ...]
    object_format: ObjectFormat


def parse_status(output: bytes) -> Status:
    """Turns git's answer into a Status; `head` is None before the first commit, `branch` when detached."""
    head = branch = None
    entries: list[Entry] = []
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        if field.startswith("# branch.oid "):
            head = _unless(field[13:], "(initial)")
        elif field.startswith("# branch.head "):
            branch = _unless(field[14:].encode("utf-8", "surrogateescape").decode("utf-8", "replace"), "(detached)")
        elif field[:2] == "1 ":
            _, code, sub, _, mode, _, _, blob, path = field.split(" ", 8)
            entries.append(Entry(path, kind_of(code), code, f"{mode} {blob}", None, sub != "N..."))
        elif field[:2] == "2 ":
            _, code, sub, _, mode, _, _, blob, _, path = field.split(" ", 9)
            entries.append(Entry(path, "renamed", code, f"{mode} {blob}", next(fields), sub != "N..."))
        elif field[:2] == "u ":
            _, code, sub, *stages, path = field.split(" ", 10)
            entries.append(Entry(path, "conflicted", code, " ".join(stages), None, sub != "N..."))
        elif field[:2] == "? ":
            entries.append(Entry(field[2:], "untracked", "??", "", None, field.endswith("/")))
    return Status(head, branch, tuple(sorted(_once_each(entries))), _object_format(head, entries))


def _once_each(entries: list[Entry]) -> list[Entry]:
    """A file taken out of the index and kept in the worktree is two entries of git's; here it is one, untracked."""
    removed = {entry.path: entry for entry in entries if entry.code == "D."}
    kept_on_disk = {entry.path for entry in entries if entry.code == "??" and entry.path in removed}
    if not kept_on_disk:
        return entries
    return [
        entry._replace(code="D?") if entry.code == "??" and entry.path in kept_on_disk else entry
        for entry in entries
        if not (entry.code == "D." and entry.path in kept_on_disk)
    ]


def _object_format(head: str | None, entries: list[Entry]) -> ObjectFormat:
    ids = [head or "", *(entry.index_id.rsplit(" ", 1)[-1] for entry in entries)]
    return "sha256" if any(len(id_) == 64 for id_ in ids) else "sha1"


def kind_of(code: str) -> ChangeKind:
    """Names the change of a tracked file by git's two letters."""
    if "D" in code:
        return "deleted"
    return "staged" if code[1] == "." else "unstaged"


def _unless(text: str, nothing: str) -> str | None:
    return None if text == nothing else text
