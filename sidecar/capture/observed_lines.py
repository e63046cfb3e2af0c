"""Looks at which lines of earlier runs a run has left, and which it has taken back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sidecar.call import Call
from sidecar.capture.direction import (
    MAX_LINES_OF_FILE,
    MAX_LINES_OF_RUN,
    Kept,
    TakenBack,
    added_marks,
    line_marks,
    taken_back,
)
from sidecar.capture.observed import Observed
from sidecar.codebase import is_generated, repository_of
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
    paths = [change.path for change in observed.changes if not is_generated(change.path)][:MAX_FILES]
    begun: dict[str, str] = (before.record.get("changed") or {}) if before is not None else {}
    present = {path: observed.files[path] for path in paths if path in observed.files}
    texts = repository_of(workspace, call.process).present_texts(present)
    untracked = {file.path for file in state.changed if file.kind == "untracked"}
    digests = {file.path: keys.change_digest(file) for file in state.changed}
    now: dict[str, frozenset[str]] = {}
    kept: dict[str, Kept] = {}
    new, left = 0, MAX_LINES_OF_RUN
    for path in paths:
        if path in present and path not in texts:
            continue  # it changed just now
        own = known.get(path, Kept(frozenset(), "")).lines
        now[path] = line_marks(texts.get(path, ""))
        added = (
            now[path]
            if path in untracked
            else added_marks(observed.diffs[path].hunks)
            if path in observed.diffs
            else ()
        )
        new += len(set(added) - own)
        is_ours = path in known or path not in begun
        lines = sorted(now[path] & (own | set(added)))[: min(left, MAX_LINES_OF_FILE)] if is_ours else []
        left -= len(lines)
        kept[path] = Kept(frozenset(lines), digests.get(path, ""))
    unclear = {path for path, one in known.items() if path in begun and one.digest and begun[path] != one.digest}
    clear = {path: one for path, one in known.items() if path not in unclear}
    return Lines(kept, taken_back(clear, now, new))
