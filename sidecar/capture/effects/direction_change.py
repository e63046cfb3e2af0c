"""Whether a run changed the direction: steps dropped for others, work of earlier runs taken back. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from sidecar.call import Call
from sidecar.capture.effects.worktree_changes import Observed
from sidecar.codebase import Repository, StateFailed, is_document, is_generated, query_terms, repository_of
from sidecar.core.lazy_regex import regex
from sidecar.runs import CallRecord, keys
from sidecar.workspace import Workspace

SAME_STEP = 0.5
"""Steps that share so large a part of the shorter one's words are one step, worded anew."""

LEAST_LINES, TAKEN_BACK = 10, 0.6
"""So many lines of earlier runs, and so large a share of theirs in these files, are work that was taken back."""

REPLACED = 0.5
"""With more new lines than this for each one that went, the work was written anew rather than taken back."""

MAX_LINES_OF_FILE, MAX_LINES_OF_RUN = 400, 2_000
_LOOKED_AT = 200_000
_UNTELLING = regex(r"[^\S\n]+|[,;'\"]+")
_TELLING = regex(r"(?:[^\W_][\W_]*+){4}")
_SCRATCH = regex(
    r"(?i)(?:^|[/_.-])(?:tmp|temp|scratch|debug|repro\w*|demo|playground|poc|try|check|verify|sandbox)(?=[/_.\d-]|$)"
)

Steps = Sequence[tuple[str, str]]
"""(content, status) of each step."""


class Dropped(NamedTuple):
    """Steps that were given up for others."""

    steps: tuple[str, ...]
    active: tuple[str, ...]
    """Those that were under way."""
    instead: tuple[str, ...]


class TakenBack(NamedTuple):
    """Work of earlier runs that a run removed."""

    files: tuple[str, ...]
    lines: int


class Kept(NamedTuple):
    """What a conversation's runs left in a file, as it was after the last of them."""

    lines: frozenset[str]
    digest: str
    """Identifies the file's difference as it was then; empty for none."""


def dropped_steps(before: Steps, after: Steps | None) -> Dropped | None:
    """Compares two task lists; None where no unfinished step was given up for another one.

    A step that is worded anew, split up or finished is not given up, nor is any by a list that only shrank.
    """
    if not before or not after:
        return None
    new = [content for content, _ in after if not any(_is_same(content, old) for old, _ in before)]
    gone = [
        (content, status)
        for content, status in before
        if status != "completed" and not any(_is_same(content, now) for now, _ in after)
    ]
    if not new or not gone:
        return None
    active = tuple(content for content, status in gone if status == "in_progress")
    return Dropped(tuple(content for content, _ in gone), active, tuple(new))


def is_turn(dropped: Dropped, before: Steps) -> bool:
    """Says whether what was dropped was the direction: the step under way, or most of what was left to do."""
    left = [content for content, status in before if status != "completed"]
    return bool(dropped.active) or (len(dropped.steps) >= 2 and 2 * len(dropped.steps) > len(left))


def plan_replaced(before: str, after: str) -> bool:
    """Says whether a plan is another one than before, rather than the same one revised."""
    old, new = set(query_terms(before)), set(query_terms(after))
    return min(len(old), len(new)) >= 5 and len(old & new) < 0.4 * min(len(old), len(new))


def line_marks(text: str) -> frozenset[str]:
    """Identifies a text's telling lines, whatever their indent, quotes and spaces."""
    plain = set(_UNTELLING.sub("", text[:_LOOKED_AT]).split("\n"))
    return frozenset(f"{crc32(line.encode('utf-8', 'replace')):08x}" for line in plain if _TELLING.search(line))


def added_marks(hunks: str) -> frozenset[str]:
    """Identifies the telling lines that a difference adds."""
    return line_marks("\n".join(line[1:] for line in hunks.split("\n") if line.startswith("+")))


def taken_back(kept: Mapping[str, Kept], now: Mapping[str, frozenset[str]], new: int) -> TakenBack | None:
    """Says whether a run took earlier work back; `now` are the lines of each file that it changed, none of a gone one.

    `kept` is what earlier runs left in those files, `new` how many lines the run added to those that are still there.
    What stands in another of the changed files now was moved.
    """
    present: frozenset[str] = frozenset[str]().union(*now.values())
    lost = {path: kept[path].lines - present for path in now if path in kept and not _is_passing(path)}
    lost = {path: lines for path, lines in lost.items() if lines}
    count, total = sum(map(len, lost.values())), sum(len(kept[path].lines) for path in lost)
    if count < LEAST_LINES or count < TAKEN_BACK * total or new > REPLACED * count:
        return None
    return TakenBack(tuple(sorted(lost)), count)


def files_named(paths: Iterable[str], words: Collection[str]) -> list[str]:
    """Gives those of the files whose names hold one of the words."""
    return [path for path in paths if not set(query_terms(path.rpartition("/")[2].partition(".")[0])).isdisjoint(words)]


def overlap(one: Collection[str], other: Collection[str]) -> float:
    """Gives the share of the shorter one's words that both have; 0 where one has none."""
    return len(set(one) & set(other)) / min(len(set(one)), len(set(other))) if one and other else 0.0


def _is_same(one: str, other: str) -> bool:
    if one.strip().casefold() == other.strip().casefold():
        return True
    return overlap(query_terms(one), query_terms(other)) >= SAME_STEP


def _is_passing(path: str) -> bool:
    """Whether a file is of the kind that is made to be thrown away, or that no approach shows in."""
    return bool(_SCRATCH.search(path)) or is_document(path) or is_generated(path)


# Looks at which lines of earlier runs a run has left, and which it has taken back.


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
