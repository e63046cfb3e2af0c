"""Looks at which lines of earlier runs a run has left, and which it has taken back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sidecar.call import Call
from sidecar.capture.reading.direction import (
    MAX_LINES_OF_FILE,
    MAX_LINES_OF_RUN,
    Kept,
    TakenBack,
    added_marks,
    line_marks,
    taken_back,
)
from sidecar.capture.reading.observed import Observed
from sidecar.codebase import Repository, StateFailed, is_generated, repository_of
from sidecar.runs import CallRecord, keys
from sidecar.workspace import Workspace

MAX_FILES = 40


class Lines(NamedTuple):
    """What a conversation's runs have left in the files of the last one, and what that took back of it."""

    kept: Mapping[str, Kept]
    back: TakenBack | None


NO_LINES = Lines({}, None)


def lines_left(
    call: Call, workspace: Workspace, observed: Observed, before: CallRecord | None, known: Mapping[str, Kept]
) -> Lines:
    """Compares the files a run changed with what earlier runs of the conversation are known to have left in them.

    What stood in a file before the conversation came to it is nobody's work here; nor is it told whose work went where
    somebody else changed a file between two runs.
    """
    state = observed.state
    if state is None or state.kind != "git":
        return NO_LINES
    repository = repository_of(workspace, call.process)
    paths = [change.path for change in observed.changes if not is_generated(change.path)][:MAX_FILES]
    begun: dict[str, str] = (before.record.get("changed") or {}) if before is not None else {}
    standing = _standing(repository, observed, before, {path: known[path] for path in paths if path in known})
    present = {path: observed.files[path] for path in paths if path in observed.files}
    texts = repository.present_texts(present)
    added = _added(repository, observed, before, paths)
    untracked = {file.path for file in state.changed if file.kind == "untracked"}
    digests = {file.path: keys.change_digest(file) for file in state.changed}
    now: dict[str, frozenset[str]] = {}
    kept: dict[str, Kept] = {}
    new, left = 0, MAX_LINES_OF_RUN
    for path in paths:
        if path in present and path not in texts:
            continue  # it changed just now
        own = standing[path].lines if path in standing else frozenset[str]()
        now[path] = line_marks(texts.get(path, ""))
        come = now[path] if path in untracked else added.get(path, frozenset())
        new += len(come - own)
        is_ours = path in known or path not in begun
        lines = sorted(now[path] & (own | come))[: min(left, MAX_LINES_OF_FILE)] if is_ours else []
        left -= len(lines)
        kept[path] = Kept(frozenset(lines), digests.get(path, ""))
    return Lines(kept, taken_back(standing, now, new))


def _standing(
    repository: Repository, observed: Observed, before: CallRecord | None, known: Mapping[str, Kept]
) -> dict[str, Kept]:
    """What of earlier work stood there when the run began, as far as that is certain."""
    if before is None or observed.state is None:
        return dict(known)
    begun: dict[str, str] = before.record.get("changed") or {}
    standing = {path: one for path, one in known.items() if begun.get(path) == one.digest}
    clean, head = [path for path in known if path not in begun], before.record.get("head")
    if not clean or not isinstance(head, str):
        return standing
    try:
        texts = repository.texts(repository.at(head, clean, observed.state))
    except StateFailed:
        return standing
    standing |= {path: Kept(known[path].lines & line_marks(text), "") for path, text in texts.items()}
    return standing


def _added(
    repository: Repository, observed: Observed, before: CallRecord | None, paths: Collection[str]
) -> dict[str, frozenset[str]]:
    """The lines that a run's commits, and the worktree's difference to the last of them, add to each file."""
    hunks = {path: observed.diffs[path].hunks for path in paths if path in observed.diffs}
    old, new = before.record.get("head") if before is not None else None, observed.state and observed.state.head
    if observed.moved.way == "forward" and observed.moved.files and isinstance(old, str) and new is not None:
        for path, file in repository.committed(old, new, observed.moved).items():
            if path in paths:
                hunks[path] = f"{hunks.get(path, '')}\n{file.hunks}"
    return {path: added_marks(text) for path, text in hunks.items()}
