"""Whether a run changed direction: steps dropped for others, work of earlier runs reverted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.capture.effects.run_activity import TextEdit
from sidecar.capture.effects.run_changes import RunEffects
from sidecar.codebase import Repository, StateUnavailable, is_document, is_generated, query_terms
from sidecar.core.clean_text import clip_at_word, without_emphasis
from sidecar.core.digests import READ_CHARACTERS, line_marks, short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.statement_openings import ruled_out
from sidecar.runs import entries
from sidecar.runs.model import FileLines
from sidecar.runs.pre_run_record import WorktreeBaseline
from sidecar.workspace import Workspace

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

MAX_LINES_OF_FILE, MAX_LINES_OF_RUN = 1_000, 2_000
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
    """Files in which the lines went before the run: by the user's hand, unless earlier runs were looked at."""
    within_run: tuple[str, ...] = ()
    """Files into which the run itself put lines that it removed again."""
    tried: frozenset[str] = frozenset()
    """Words of those lines that the files no longer contain."""
    dropped: int = 0
    """Lines of code among them that no new line replaces: the others were changed rather than removed."""
    definitions: tuple[str, ...] = ()
    """Names that the lost lines define and that no file contains any more, in order."""
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
        """Whether the user refused it, or most of what one earlier run wrote gave way, whatever is said of it."""
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
    """Return the first line of a plan, which names its goal."""
    return clip_at_word(plan.lstrip("# \n").partition("\n")[0].strip(), MAX_STEP)


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
    lost = {
        path: earlier[path].lines - present for path in present_lines if path in earlier and not _is_temporary(path)
    }
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


def _is_temporary(path: str) -> bool:
    """Whether a file is meant to be temporary, or shows no approach."""
    return bool(_SCRATCH.search(path)) or is_document(path) or is_generated(path)


MAX_FILES = 40


class SurvivingLines(NamedTuple):
    """Surviving lines of a conversation's runs in the files of its last run, and the work that run reverted."""

    by_path: Mapping[str, FileLines]
    reverted: RevertedWork | None
    lost: LostWork = LostWork()


NO_SURVIVING_LINES = SurvivingLines({}, None)


def surviving_lines(
    workspace: Workspace,
    effects: RunEffects,
    baseline: WorktreeBaseline | None,
    by_run: Sequence[Mapping[str, FileLines]],
    *,
    looks_back: bool = False,
    looks_further: bool = False,
    counts_values: bool = False,
    edits: Sequence[TextEdit] = (),
    refused: frozenset[str] = frozenset(),
) -> SurvivingLines:
    """Compare the files a run changed with what earlier runs of the conversation left in them, latest run first.

    With `looks_back`, lines that the user removed between two runs are found, too; with `looks_further` also those that
    an earlier run removed. Lines that only got other values count as lost with `counts_values` alone. `refused` has the
    names that the user's words refuse.

    Lines that were in a file before the conversation changed it belong to nobody here. If somebody else changed a file
    between two runs, its removed lines are attributed to nobody.
    """
    state = effects.state
    if state is None or state.kind != "git":
        return NO_SURVIVING_LINES
    stored: dict[str, FileLines] = {}
    for lines_of_run in by_run:
        for path, file_lines in lines_of_run.items():
            stored.setdefault(path, file_lines)
    repository = workspace.slices.repository
    paths = [change.path for change in effects.changes if not is_generated(change.path)][:MAX_FILES]
    changed_at_start = (baseline.changed or {}) if baseline is not None else {}
    at_start = _earlier_lines(repository, effects, baseline, {path: stored[path] for path in paths if path in stored})
    present = {path: effects.files[path] for path in paths if path in effects.files}
    texts = repository.worktree_texts(present)
    added = _added(repository, effects, baseline, paths)
    untracked = {file.path for file in state.all_changed if file.kind == "untracked"}
    digests = {file.path: entries.change_digest(file) for file in state.all_changed if file.path in paths}
    present_lines, added_lines = dict[str, frozenset[str]](), dict[str, frozenset[str]]()
    by_path: dict[str, FileLines] = {}
    new, remaining = 0, MAX_LINES_OF_RUN
    for path in paths:
        if path in present and path not in texts:
            continue  # it is changing at this moment
        earlier = at_start[path].lines if path in at_start else frozenset[str]()
        present_lines[path] = line_marks(texts.get(path, ""))
        added_here = present_lines[path] if path in untracked else added.get(path, frozenset())
        added_lines[path] = added_here
        new += len(added_here - earlier)
        before = entries.counted_key(path) if path in untracked else path
        is_own = path in stored or changed_at_start.keys().isdisjoint((before, path))
        own = present_lines[path] & (earlier | added_here) if is_own else frozenset[str]()
        lines = sorted(own, key=lambda mark: (mark in earlier, mark))[: min(remaining, MAX_LINES_OF_FILE)]
        remaining -= len(lines)
        by_path[path] = FileLines(lines=frozenset(lines), digest=digests.get(path, ""))
    left_lines = present_lines if counts_values else _with_other_values(present_lines, edits)
    lost = lost_work(at_start, left_lines, new)
    if looks_back and not lost.lines:
        lost = _lost_before(repository, effects, [stored], at_start)
    if looks_further and not lost.lines:
        lost = _lost_before(repository, effects, by_run, at_start)
    within_run, tried = _removed_again(repository, effects, edits)
    run_share = max(lost.run_share, _run_share(by_run, at_start, left_lines))
    lost = lost._replace(run_share=run_share, within_run=within_run, tried=tried)
    if not lost.by_user:
        new_marks = {path: marks - at_start[path].lines for path, marks in added_lines.items() if path in at_start}
        code = [text for path, text in texts.items() if not is_document(path)]
        lost = _with_dropped(lost, at_start, left_lines, new_marks, edits, code)
        lost = lost._replace(refused=lost.vanished & refused)
    reverted = reverted_work(at_start, left_lines, new)
    is_rewritten = not lost.by_user and lost.dropped < REPLACED * lost.lines
    return SurvivingLines(by_path, None if is_rewritten else reverted, lost)


_COLOURS = (
    "aqua beige black blue brown charcoal coral cream crimson cyan gold gray green grey indigo ivory lavender"
    " lime magenta maroon mint navy olive orange pink purple red rose salmon silver slate tan teal turquoise violet"
    " white yellow"
)
_VALUE = lazy_regex(
    r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|(?<=>)[^<>\n]+(?=</)|#[0-9a-f]{3,8}\b|\b0x[0-9a-f]+\b"
    r"|(?<![\w.])\d[\d.]*(?:[a-z]{1,3}\b|%)?"
    rf"|\b(?:{_COLOURS.replace(' ', '|')})\b",
    re.IGNORECASE,
)
"""A text, a number or a colour: a parameter of the work."""
_METHOD = lazy_regex(r"(?<=[\w)\]]\.)[a-zA-Z_]\w{0,80}(?=\()")
"""A method that is called on something."""
_NAMES_MODULE = lazy_regex(r"\b(?:import|from|require|include|using|use)\b")
"""A line in which a text is the name of a module."""


def _with_other_values(
    present_lines: Mapping[str, frozenset[str]], edits: Sequence[TextEdit]
) -> dict[str, frozenset[str]]:
    """Return the lines of the files together with those of which an edit left all but values: one for each new line."""
    left_lines = dict(present_lines)
    for edit in edits:
        if edit.before is None or edit.path not in left_lines:
            continue
        before, after = (dict.fromkeys(text[:READ_CHARACTERS].split("\n")) for text in (edit.before, edit.after))
        new = Counter(_without_values(line) for line in after if line not in before)
        for line in before:
            if line not in after and new[without := _without_values(line)] > 0:
                new[without] -= 1
                left_lines[edit.path] |= line_marks(line)
    return left_lines


def _without_values(line: str) -> str:
    """Return a line of code without its values and without the names of the methods that it calls on something."""
    return line.strip() if _NAMES_MODULE.search(line) else _METHOD.sub("call", _VALUE.sub("0", line.strip()))


def _run_share(
    by_run: Sequence[Mapping[str, FileLines]],
    at_start: Mapping[str, FileLines],
    present_lines: Mapping[str, frozenset[str]],
) -> float:
    """Return the greatest part of one run's own lines that was there at the start and is gone."""
    present: frozenset[str] = frozenset[str]().union(*present_lines.values())
    shares = [0.0]
    for number, lines_of_run in enumerate(by_run):
        own = lost = 0
        for path, file_lines in lines_of_run.items():
            before = next((earlier[path].lines for earlier in by_run[number + 1 :] if path in earlier), frozenset())
            lines = file_lines.lines - before
            own += len(lines)
            if path in present_lines and path in at_start:
                lost += len((lines & at_start[path].lines) - present)
        if lost >= LEAST_TRIED:
            shares.append(lost / own)
    return max(shares)


def _removed_again(
    repository: Repository, effects: RunEffects, edits: Sequence[TextEdit]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the files from which some of what the run put into them is gone again, and the words that went."""
    added_texts: dict[str, str] = {}
    for edit in edits:
        added_texts[edit.path] = f"{added_texts.get(edit.path, '')}\n{edit.after}"
    paths = [path for path in added_texts if not _is_temporary(path)][:MAX_FILES]
    texts = repository.worktree_texts({path: effects.files[path] for path in paths if path in effects.files})
    files: list[str] = []
    words: set[str] = set()
    for path in paths:
        text = texts.get(path, "")
        removed = line_marks(added_texts[path]) - line_marks(text)
        if len(removed) >= LEAST_TRIED:
            files.append(path)
            words.update(query_terms(added_texts[path][:READ_CHARACTERS]))
            words.difference_update(query_terms(text[:READ_CHARACTERS]))
    return tuple(files), frozenset(words)


SAME_LINE = 0.5
"""A line that shares at least this part of its words with a new one was changed rather than removed."""

MAX_COMPARED = 400
"""Maximum number of lost lines, and of new ones, that are compared word by word."""

LEAST_OF_DEFINITION = 3
"""Words of a definition's line that identify it without its name: `def name(value)`."""

_WORDS = lazy_regex(r"[^\W\d_][\w$]*")
DOTTED_NAME = lazy_regex(r"(?<![\w$.])[A-Za-z_$][\w$]{0,80}(?:\.[A-Za-z_][\w$]{0,80}){1,8}")
"""A name with its owner's, as in `client.timeout`."""
_DEFINITION = lazy_regex(
    r"\b(?:def|class|function|func|fn|fun|struct|interface|type|enum|trait|const|let|var|val)\s{1,4}([\w$]{1,80})"
    r"|(?<![\w$])([\w$]{1,80})\s?\([^()\n]{0,200}\)[^;(){\n]{0,60}\{\s{0,8}$"
)
"""The name that a line of code defines."""
_LOCAL_VARIABLE = lazy_regex(r"\s{1,80}(?:const|let|var|val)\b")
"""The beginning of a definition that names nothing outside its function."""
_SELECTOR = lazy_regex(r"\s{0,40}([.#][a-zA-Z][\w-]{1,80})[^;{}()\n]{0,80}\{\s{0,8}$")
"""The beginning of a rule of a style sheet."""
_NO_CODE = lazy_regex(r"\s*(?://|#|\*|/\*|<!--|--|import\b|from\b[^\n]*\bimport\b)")


def _with_dropped(
    lost: LostWork,
    at_start: Mapping[str, FileLines],
    present_lines: Mapping[str, frozenset[str]],
    new_marks: Mapping[str, frozenset[str]],
    edits: Sequence[TextEdit],
    texts: Collection[str],
) -> LostWork:
    """Count the lost lines that no new line replaces, and collect the words that went with them.

    Where no edit shows a file's lost lines, as many of them count as exceed its new ones.
    """
    present: frozenset[str] = frozenset[str]().union(*present_lines.values())
    lost_lines: list[str] = []
    dropped = 0
    for path in lost.files:
        marks = at_start[path].lines - present
        befores = "\n".join(edit.before for edit in edits if edit.path == path and edit.before is not None)
        shown = [line for line in dict.fromkeys(befores.split("\n")) if not marks.isdisjoint(line_marks(line))]
        lost_lines += shown
        if not shown:
            dropped += max(0, len(marks) - len(new_marks.get(path, ())))
    after = "\n".join(edit.after for edit in edits)
    new = [words for line in dict.fromkeys(after.split("\n")) if (words := set(_WORDS.findall(line)))][:MAX_COMPARED]
    renamed = _renamed(lost_lines[:MAX_COMPARED], new)
    unmatched: list[str] = lost_lines[MAX_COMPARED:]
    for line in lost_lines[:MAX_COMPARED]:
        words = {renamed.get(word, word) for word in _WORDS.findall(line)} if not _NO_CODE.match(line) else set()
        same = next((other for other in new if len(words & other) >= SAME_LINE * len(words | other)), None)
        if same is not None:
            new.remove(same)
        else:
            unmatched.append(line)
        dropped += bool(words) and same is None
    remaining = {term for text in texts for term in query_terms(text[:READ_CHARACTERS])} if lost_lines else set()
    only_renamed = set(query_terms(" ".join(renamed))).difference(query_terms("\n".join(unmatched)))
    vanished = frozenset(query_terms("\n".join(lost_lines))) - remaining - only_renamed
    names = frozenset(DOTTED_NAME.findall("\n".join(lost_lines))).difference(*map(DOTTED_NAME.findall, texts))
    everywhere = "\n".join(texts)
    global_lines = (line for line in unmatched if not _LOCAL_VARIABLE.match(line))
    defined = dict.fromkeys(name for line in global_lines for name in _defined_in(line) if name not in everywhere)
    return lost._replace(dropped=dropped, definitions=tuple(defined), vanished=vanished | names)


def _defined_in(line: str) -> list[str]:
    """Return the names that a line of code defines, selectors of a style sheet included."""
    selector = _SELECTOR.match(line)
    names = [name for match in _DEFINITION.finditer(line) for name in match.groups() if name]
    return [selector[1], *names] if selector is not None else names


def names_in(text: str) -> set[str]:
    """Return the terms and the dotted names of a text."""
    return {*query_terms(text), *DOTTED_NAME.findall(text)}


def _renamed(lost_lines: Iterable[str], new: Iterable[Collection[str]]) -> dict[str, str]:
    """Return the new name of each definition of which a new line differs by nothing but that name."""
    renamed: dict[str, str] = {}
    for line in lost_lines:
        words = set(_WORDS.findall(line))
        names = set(_defined_in(line))
        for other in map(set, new):
            old, new_name = words - other, other - words
            if len(words) >= LEAST_OF_DEFINITION and len(old) == len(new_name) == 1 and old <= names:
                renamed |= dict(zip(old, new_name, strict=True))
    return renamed


def _lost_before(
    repository: Repository,
    effects: RunEffects,
    by_run: Sequence[Mapping[str, FileLines]],
    at_start: Mapping[str, FileLines],
) -> LostWork:
    """Return the work of runs that was gone when the run started."""
    written: dict[str, frozenset[str]] = {}
    for lines_of_run in by_run:
        for path, file in lines_of_run.items():
            written[path] = written.get(path, frozenset()) | file.lines
    paths = [path for path in written if not is_generated(path)][:MAX_FILES]
    before = {
        path: FileLines(lines=written[path] - (at_start[path].lines if path in at_start else frozenset()), digest="")
        for path in paths
    }
    texts = repository.worktree_texts({path: effects.files[path] for path in paths if path in effects.files})
    lost = lost_work(before, {path: line_marks(texts.get(path, "")) for path in paths}, 0)
    shares = [0.0]
    for lines_of_run in by_run:
        lines = frozenset[str]().union(*(lines_of_run[path].lines for path in lost.files if path in lines_of_run))
        present = frozenset[str]().union(*(line_marks(texts.get(path, "")) for path in lost.files))
        shares += [len(lines - present) / len(lines)] if lines else []
    return lost._replace(by_user=lost.files, run_share=max(shares))


def _earlier_lines(
    repository: Repository, effects: RunEffects, baseline: WorktreeBaseline | None, stored: Mapping[str, FileLines]
) -> dict[str, FileLines]:
    """Return the earlier work that was present when the run started, as far as that is certain."""
    if baseline is None or effects.state is None:
        return dict(stored)
    changed_at_start = baseline.changed or {}
    lines = {path: file_lines for path, file_lines in stored.items() if changed_at_start.get(path) == file_lines.digest}
    clean, head = [path for path in stored if path not in changed_at_start], baseline.head
    if not clean or head is None:
        return lines
    try:
        texts = repository.texts(repository.content_ids_at(head, clean, effects.state))
    except StateUnavailable:
        return lines
    lines |= {path: FileLines(lines=stored[path].lines & line_marks(text), digest="") for path, text in texts.items()}
    return lines


def _added(
    repository: Repository, effects: RunEffects, baseline: WorktreeBaseline | None, paths: Collection[str]
) -> dict[str, frozenset[str]]:
    """Return the lines that a run's commits, and the worktree's diff against the last of them, add to each file."""
    hunks = {path: effects.diffs[path].hunks for path in paths if path in effects.diffs}
    old = baseline.head if baseline is not None else None
    new = effects.state.head if effects.state is not None else None
    if effects.moved.direction == "forward" and effects.moved.files and old is not None and new is not None:
        for path, file in repository.committed_diffs(old, new, effects.moved).items():
            if path in paths:
                hunks[path] = f"{hunks.get(path, '')}\n{file.hunks}"
    return {path: added_marks(text) for path, text in hunks.items()}
