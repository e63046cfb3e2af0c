"""Whether a run changed direction: steps dropped for others, work of earlier runs reverted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import HeadMove, is_document, is_generated, query_terms
from sidecar.core.clean_text import clip_at_word, without_emphasis
from sidecar.core.digests import line_marks, short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.statement_openings import ruled_out
from sidecar.runs.model import FileLines

SAME_STEP = 0.5
"""Steps that share at least this part of the shorter one's words are the same step, reworded."""

LEAST_LINES, REVERTED_SHARE = 10, 0.6
"""Earlier work counts as reverted from this many lines and this share of its lines in the same files."""

LEAST_TRIED = 3
"""A run tried something in a file if it removed at least this many of its own lines again."""

REPLACED_SHARE, FAULTY_SHARE, REPLACED_LINES, REPLACED_DROPPED = 0.75, 0.55, 7, 3
"""Part and number of an earlier run's lines, and those without a counterpart, that show another approach by themselves.

A smaller part does where the user finds fault. Chosen on 1,206 and 1,141 turns of recorded conversations: it held in 6
and in 2, and all of them change the direction.
"""

REPLACED = 0.5
"""With more new lines than this per removed line, or more removed lines that new ones resemble, the work was rewritten
rather than reverted."""

_SCRATCH = lazy_regex(
    r"(?i)(?:^|[/_.-])(?:tmp|temp|scratch|debug|repro\w*|demo|playground|poc|try|check|verify|sandbox)(?=[/_.\d-]|$)"
)

Steps = Sequence[tuple[str, str]]
"""Content and status of each step."""


class DroppedSteps(NamedTuple):
    """Steps that were given up for others."""

    steps: tuple[str, ...]
    active: tuple[str, ...]
    """Dropped steps that were in progress."""
    instead: tuple[str, ...]


class RevertedWork(NamedTuple):
    """Work of earlier runs that a run removed."""

    files: tuple[str, ...]
    lines: int


class LostWork(NamedTuple):
    """Lines that earlier runs wrote and that are gone, whatever their number. Temporary files do not count."""

    files: tuple[str, ...] = ()
    lines: int = 0
    of: int = 0
    """Lines that earlier runs had left in those files."""
    new: int = 0
    """Lines that the run added to files that still exist."""
    run_share: float = 0.0
    """The greatest part of one earlier run's own lines that is gone."""
    by_user: tuple[str, ...] = ()
    """Files that lost the lines before the run: by the user's hand, unless earlier runs were compared, too."""
    within_run: tuple[str, ...] = ()
    """Files into which the run itself put lines that it removed again."""
    tried: frozenset[str] = frozenset()
    """Words of those lines that the files no longer contain."""
    dropped: int = 0
    """Lines of code among them that no new line replaces: the others were changed rather than removed."""
    definitions: tuple[str, ...] = ()
    """Names that the lost lines define and that no file contains any more, in order."""
    names: tuple[str, ...] = ()
    """Other such names: of dependencies, settings, elements of markup, local variables, else of members; in order.

    Of lines that no edit but a diff shows, they are all names.
    """
    vanished: frozenset[str] = frozenset()
    """Words and dotted names of the lost lines that the run's files, documents aside, no longer contain."""
    refused: frozenset[str] = frozenset()
    """Names in the lost lines that the user's words refuse, and that no file contains any more."""

    @property
    def share(self) -> float:
        """The part of the earlier lines in those files that is gone."""
        return self.lines / self.of if self.of else 0.0

    @property
    def greatest_share(self) -> float:
        """The greater part that is gone: of those lines, or of one earlier run's own."""
        return max(self.share, self.run_share)

    def is_replaced(self, *, finds_fault: bool) -> bool:
        """Whether the user refused it, or most of one earlier run's work was replaced, stated or not."""
        is_refused = bool(self.refused) and self.lines >= LEAST_TRIED
        is_much = self.lines >= REPLACED_LINES and self.dropped >= REPLACED_DROPPED
        return is_refused or (is_much and self.run_share >= (FAULTY_SHARE if finds_fault else REPLACED_SHARE))


def dropped_steps(before: Steps, after: Steps | None) -> DroppedSteps | None:
    """Compare two task lists; None if no unfinished step was given up for another one.

    A step that is reworded, split up or finished is not given up, nor is any step of a list that only shrank.
    """
    if not before or not after:
        return None
    new = [content for content, _ in after if not any(_is_same(content, old) for old, _ in before)]
    dropped = [
        (content, status)
        for content, status in before
        if status != "completed" and not any(_is_same(content, step) for step, _ in after)
    ]
    if not new or not dropped:
        return None
    active = tuple(content for content, status in dropped if status == "in_progress")
    return DroppedSteps(tuple(content for content, _ in dropped), active, tuple(new))


def is_direction_change(dropped: DroppedSteps, before: Steps) -> bool:
    """Whether the dropped steps were the direction: the step in progress, or most of what was left to do."""
    open_steps = [content for content, status in before if status != "completed"]
    return bool(dropped.active) or (len(dropped.steps) >= 2 and 2 * len(dropped.steps) > len(open_steps))


def plan_replaced(before: str, after: str) -> bool:
    """Whether a plan differs from the previous one rather than revising it."""
    old, new = set(query_terms(before)), set(query_terms(after))
    return min(len(old), len(new)) >= 5 and len(old & new) < 0.4 * min(len(old), len(new))


_PLAN_STEP = lazy_regex(r"(?m)^[ \t]{0,8}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,4}(?:\[[ xX]\] )?(?P<text>\S[^\n]{2,400})")
_CODE_OR_PATH = lazy_regex(r"`[^`\n]{0,120}`|(?<!\S)[^\s/`]{0,120}/\S*")
MAX_STEP = 120


def plan_heading(plan: str) -> str:
    """Return the first line of a plan, which names its goal, without the word "Plan" before it."""
    return clip_at_word(_PLAN_LABEL.sub("", plan.lstrip("# \n").partition("\n")[0].strip()), MAX_STEP)


_PLAN_LABEL = lazy_regex(r"(?i)^(?:\w+ )?(?:plan|план|計画|计划)\s?(?:[:：]\s*|[–—-]\s+)(?=\S)")


def refused_steps(plan: str, refusal: str, later: str) -> DroppedSteps | None:
    """Return what a refusal rejects of a plan; `later` is the plan that was presented instead, empty without one.

    It is what the refusal rules out of the plan, else the steps that the later plan lacks, first those that the refusal
    names; else the whole plan, unless the later one has the same heading: then nothing tells them apart.
    """
    words = _beginnings(plan)
    negated = next((text for text in ruled_out(refusal) if not words.isdisjoint(_beginnings(text))), "")
    old, new = (
        [clip_at_word(without_emphasis(step["text"]).strip(), MAX_STEP) for step in _PLAN_STEP.finditer(text)]
        for text in (plan, later)
    )
    lacking = [step for step in old if not any(_is_same_step(step, other) for other in new)] if later else []
    lacking.sort(key=lambda step: _beginnings(refusal).isdisjoint(_beginnings(step)))
    added = [step for step in new if not any(_is_same_step(step, other) for other in old)][:1]
    heading = plan_heading(plan)
    is_same_goal = bool(later) and heading.casefold() == plan_heading(later).casefold()
    rejected = negated or next(iter(lacking), "") or ("" if is_same_goal else heading)
    return DroppedSteps((rejected,), (rejected,), tuple(added)) if rejected else None


def _is_same_step(left: str, right: str) -> bool:
    """Whether steps share most words without code and paths, which steps on the same file share."""
    terms = [query_terms(_CODE_OR_PATH.sub(" ", step)) for step in (left, right)]
    if min(map(len, terms)) < MIN_STEP_TERMS:
        return _is_same(left, right)
    return overlap(*terms) > SAME_STEP


def _beginnings(text: str) -> set[str]:
    """Return the beginnings of a text's words, which its forms in other sentences share."""
    return {term[:5] for term in query_terms(text)}


MIN_STEP_TERMS = 2


def added_marks(hunks: str) -> frozenset[str]:
    """Return hashes of the informative lines that a diff adds."""
    return line_marks("\n".join(line[1:] for line in hunks.split("\n") if line.startswith("+")))


def removed_lines(hunks: str) -> list[str]:
    """Return the lines that a diff removes, without their sign."""
    return [line[1:] for line in hunks.split("\n") if line.startswith("-")]


def reverted_work(
    earlier: Mapping[str, FileLines], present_lines: Mapping[str, frozenset[str]], new: int
) -> RevertedWork | None:
    """Return the earlier work that a run reverted, if any.

    `present_lines` are the lines of each changed file, empty if it was deleted.

    `earlier` is what earlier runs left in those files, `new` the number of added lines in files that still exist.
    Lines that are now in another changed file were moved.
    """
    lost = lost_work(earlier, present_lines, new)
    if lost.lines < LEAST_LINES or lost.share < REVERTED_SHARE or new > REPLACED * lost.lines:
        return None
    return RevertedWork(lost.files, lost.lines)


def lost_work(earlier: Mapping[str, FileLines], present_lines: Mapping[str, frozenset[str]], new: int) -> LostWork:
    """Return the earlier work that is no longer in the files, and in no other changed file either."""
    present: frozenset[str] = frozenset[str]().union(*present_lines.values())
    lost = {path: earlier[path].lines - present for path in present_lines if path in earlier and not is_temporary(path)}
    lost = {path: lines for path, lines in lost.items() if lines}
    return LostWork(
        tuple(sorted(lost, key=lambda path: (-len(lost[path]), path))),
        sum(map(len, lost.values())),
        sum(len(earlier[path].lines) for path in lost),
        new,
    )


def lines_taken_out(by_run: Mapping[str, Mapping[str, FileLines]], run_id: str, files: Iterable[str]) -> frozenset[str]:
    """Return the lines of earlier runs that a run did not leave in files; `by_run` has the latest run first."""
    run_ids = list(by_run)
    if run_id not in by_run:
        return frozenset()
    earlier = [by_run[other] for other in run_ids[run_ids.index(run_id) + 1 :]]
    lost: set[str] = set()
    for path in files:
        lost |= _latest_lines(path, earlier) - (by_run[run_id][path].lines if path in by_run[run_id] else frozenset())
    return frozenset(lost)


def runs_taken_back(by_run: Mapping[str, Mapping[str, FileLines]], current: Mapping[str, FileLines]) -> frozenset[str]:
    """Return the runs most of whose own lines are gone; `current` are the lines in the files of the last run."""
    taken_back: set[str] = set()
    runs = list(by_run.values())
    for number, (run_id, files) in enumerate(by_run.items()):
        own = lost = 0
        for path, file in files.items():
            lines = file.lines - _latest_lines(path, runs[number + 1 :])
            own += len(lines)
            lost += len(lines - current[path].lines) if path in current else 0
        if lost and lost >= REVERTED_SHARE * own:
            taken_back.add(run_id)
    return frozenset(taken_back)


def _latest_lines(path: str, runs: Iterable[Mapping[str, FileLines]]) -> frozenset[str]:
    """Return the lines that the first run with a file left in it; none if no run has it."""
    return next((files[path].lines for files in runs if path in files), frozenset())


_REVERT = lazy_regex(r"\w+ Revert \"(?P<subject>.+)\"")


def commits_taken_back(moved: HeadMove) -> list[str]:
    """Return the subjects of the commits that new commits revert, or that a move of the head left behind."""
    if moved.direction == "backward":
        return [subject.partition(" ")[2] for subject in moved.lost]
    reverts = (_REVERT.fullmatch(subject) for subject in moved.subjects)
    return [revert["subject"] for revert in reverts if revert is not None]


def direction_key(sub_chat_id: str, terms: Sequence[str], files: Sequence[str] = ()) -> str:
    """Return the key of the event of a rejected approach, or of dropped steps."""
    return f"direction:{sub_chat_id}:{short_id(sorted(terms) or list(files))}"


def files_named(paths: Iterable[str], words: Collection[str]) -> list[str]:
    """Return the files whose names contain one of the words."""
    return [path for path in paths if not set(query_terms(path.rpartition("/")[2].partition(".")[0])).isdisjoint(words)]


def overlap(left: Collection[str], right: Collection[str]) -> float:
    """Return the shared part of the shorter collection's words; 0 if one is empty."""
    return len(set(left) & set(right)) / min(len(set(left)), len(set(right))) if left and right else 0.0


def _is_same(left: str, right: str) -> bool:
    is_equal = left.strip().casefold() == right.strip().casefold()
    return is_equal or overlap(query_terms(left), query_terms(right)) >= SAME_STEP


def is_temporary(path: str) -> bool:
    """Whether a file is meant to be temporary, or shows no approach."""
    return bool(_SCRATCH.search(path)) or is_document(path) or is_generated(path)
