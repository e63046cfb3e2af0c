"""Whether a run changed the direction: steps dropped for others, work of earlier runs taken back. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from sidecar.codebase import is_document, is_generated, query_terms
from sidecar.core.regex import regex

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
