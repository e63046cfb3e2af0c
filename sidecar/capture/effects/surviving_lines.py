"""Lines of a conversation's runs that survive in the files a run changed, and the work that it took out of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.capture.effects.direction_change import (
    LEAST_TRIED,
    REPLACED,
    LostWork,
    RevertedWork,
    added_marks,
    is_temporary,
    lost_work,
    removed_lines,
    reverted_work,
)
from sidecar.capture.effects.run_activity import TextEdit
from sidecar.capture.effects.run_changes import RunEffects
from sidecar.codebase import Repository, StateUnavailable, is_document, is_generated, query_terms
from sidecar.core.digests import READ_CHARACTERS, line_marks
from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import is_distinctive
from sidecar.runs import entries
from sidecar.runs.model import FileLines
from sidecar.runs.pre_run_record import WorktreeBaseline
from sidecar.workspace import Workspace

MAX_FILES, MAX_LINES_OF_FILE, MAX_LINES_OF_RUN = 40, 1_000, 2_000


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
    an earlier run removed. Lines that only got other values count as lost with `counts_values` alone. `refused` holds
    the names that the user's words refuse.

    Lines that were in a file before the conversation changed it belong to nobody here. If somebody else changed a file
    between two runs, its removed lines are attributed to nobody.
    """
    if effects.state is None or effects.state.kind != "git":
        return NO_SURVIVING_LINES
    stored: dict[str, FileLines] = {}
    for lines_of_run in by_run:
        for path, file_lines in lines_of_run.items():
            stored.setdefault(path, file_lines)
    repository = workspace.slices.repository
    now = _lines_now(repository, effects, baseline, stored)
    left_lines = now.present if counts_values else _with_other_values(now.present, edits)
    lost = lost_work(now.at_start, left_lines, now.new)
    if looks_back and not lost.lines:
        lost = _lost_before(repository, effects, [stored], now.at_start)
    if looks_further and not lost.lines:
        lost = _lost_before(repository, effects, by_run, now.at_start)
    within_run, tried = _removed_again(repository, effects, edits)
    run_share = max(lost.run_share, _run_share(by_run, now.at_start, left_lines))
    lost = lost._replace(run_share=run_share, within_run=within_run, tried=tried)
    if not lost.by_user:
        added = {path: marks - now.at_start[path].lines for path, marks in now.added.items() if path in now.at_start}
        code = [text for path, text in now.texts.items() if not is_document(path)]
        lost = _with_dropped(lost, now.at_start, left_lines, added, edits, code)
        if not (lost.definitions or lost.names):
            shown = _with_names(lost, _lines_in_diffs(now, left_lines, lost.files), "\n".join(code))
            lost = lost._replace(names=(*shown.definitions, *shown.names))
        lost = lost._replace(refused=lost.vanished & refused)
    reverted = reverted_work(now.at_start, left_lines, now.new)
    is_rewritten = not lost.by_user and lost.dropped < REPLACED * lost.lines
    return SurvivingLines(now.own, None if is_rewritten else reverted, lost)


class _LinesNow(NamedTuple):
    """Marks of lines in the files that a run changed, by path."""

    texts: Mapping[str, str]
    at_start: Mapping[str, FileLines]
    """The lines of earlier runs that were there when the run began."""
    present: Mapping[str, frozenset[str]]
    added: Mapping[str, frozenset[str]]
    """The lines that differ from the last commit; all lines of an untracked file."""
    hunks: Mapping[str, str]
    """The hunks of the run's commits and of the worktree's diff, by path."""
    own: Mapping[str, FileLines]
    """The present lines that the conversation's runs wrote, at most `MAX_LINES_OF_RUN`."""
    new: int
    """Number of added lines that were not there when the run began."""


def _lines_now(
    repository: Repository, effects: RunEffects, baseline: WorktreeBaseline | None, stored: Mapping[str, FileLines]
) -> _LinesNow:
    """Read the files that a run changed; `stored` has the latest lines of earlier runs."""
    assert effects.state is not None
    paths = [change.path for change in effects.changes if not is_generated(change.path)][:MAX_FILES]
    changed_at_start = (baseline.changed or {}) if baseline is not None else {}
    at_start = _earlier_lines(repository, effects, baseline, {path: stored[path] for path in paths if path in stored})
    existing = {path: effects.files[path] for path in paths if path in effects.files}
    texts = repository.worktree_texts(existing)
    hunks = _hunks_of_run(repository, effects, baseline, paths)
    untracked = {file.path for file in effects.state.all_changed if file.kind == "untracked"}
    digests = {file.path: entries.change_digest(file) for file in effects.state.all_changed if file.path in paths}
    present, added = dict[str, frozenset[str]](), dict[str, frozenset[str]]()
    own: dict[str, FileLines] = {}
    new, remaining = 0, MAX_LINES_OF_RUN
    for path in paths:
        if path in existing and path not in texts:
            continue  # it is changing at this moment
        earlier = at_start[path].lines if path in at_start else frozenset[str]()
        present[path] = line_marks(texts.get(path, ""))
        added[path] = present[path] if path in untracked else added_marks(hunks.get(path, ""))
        new += len(added[path] - earlier)
        before = entries.counted_key(path) if path in untracked else path
        is_own = path in stored or changed_at_start.keys().isdisjoint((before, path))
        marks = present[path] & (earlier | added[path]) if is_own else frozenset[str]()
        lines = sorted(marks, key=lambda mark: (mark in earlier, mark))[: min(remaining, MAX_LINES_OF_FILE)]
        remaining -= len(lines)
        own[path] = FileLines(lines=frozenset(lines), digest=digests.get(path, ""))
    return _LinesNow(texts, at_start, present, added, hunks, own, new)


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
    """Return the files into which the run put lines that it removed again, and the words lost with them."""
    added_texts: dict[str, str] = {}
    for edit in edits:
        added_texts[edit.path] = f"{added_texts.get(edit.path, '')}\n{edit.after}"
    paths = [path for path in added_texts if not is_temporary(path)][:MAX_FILES]
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

LEAST_MEMBERS = 2
"""Minimum number of lost members, such as calls: one alone is too small a part of lost lines to name them."""

_WORDS = lazy_regex(r"[^\W\d_][\w$]*")
DOTTED_NAME = lazy_regex(r"(?<![\w$.])[A-Za-z_$][\w$]{0,80}(?:\.[A-Za-z_][\w$]{0,80}){1,8}")
"""A name with its owner's, as in `client.timeout`."""
_DEFINITION = lazy_regex(
    r"\b(?:def|class|function|func|fn|fun|struct|interface|type|enum|trait|const|let|var|val)\s{1,4}([\w$]{1,80})"
    r"|(?<![\w$])([\w$]{1,80})\s?\([^()\n]{0,200}\)[^;(){\n]{0,60}\{\s{0,8}$"
)
"""The name that a line of code defines."""
_KEYWORDS = frozenset("for foreach if while switch catch".split())
"""Words that stand before parentheses and a block as a name does."""
_LOCAL_VARIABLE = lazy_regex(r"\s{1,80}(?:const|let|var|val)\b")
"""The beginning of a definition that names nothing outside its function."""
_SELECTOR = lazy_regex(r"\s{0,40}([.#][a-zA-Z][\w-]{1,80})[^;{}()\n]{0,80}\{\s{0,8}$")
"""The beginning of a rule of a style sheet."""
_IMPORT = lazy_regex(r"\s{0,40}(?:import|from|use|using|require|#?include)\b(?!\s{0,4}[:=])")
_MODULE = lazy_regex(
    r"(?:\bfrom|\bimport|\brequire|\binclude|\buse|\busing)[\s(]{0,4}[\"'<]?([@\w][\w@./:\\-]{0,99}[\w/])"
)
"""The name of a module, or of what is imported of it."""
_SETTING = lazy_regex(
    r"\s{0,80}(?:-\s)?[\"']?(?!default\b)([A-Za-z_@][\w@/.-]{1,80})[\"']?(?:[=~]=|\s{0,4}(?::(?![:/])|=(?![=>])))\s{0,4}\S"
)
"""The name of a value at the beginning of a line: `timeout: 30`, `"redis": "^4.0"`, `TIMEOUT=30`, `redis==4.5`."""
_ELEMENT = lazy_regex(r"<([A-Z][\w.]{1,80})")
"""The name of a component in markup."""
_COMMENT_LINE = lazy_regex(r"\s*(?://|#(?!include)|\*|/\*|<!--|--)")
_NO_CODE = lazy_regex(r"\s*(?://|#|\*|/\*|<!--|--|import\b|from\b[^\n]*\bimport\b)")


def _with_dropped(
    lost: LostWork,
    at_start: Mapping[str, FileLines],
    present_lines: Mapping[str, frozenset[str]],
    new_marks: Mapping[str, frozenset[str]],
    edits: Sequence[TextEdit],
    texts: Collection[str],
) -> LostWork:
    """Count the lost lines that no new line replaces, and collect the words lost with them.

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
    lost = lost._replace(dropped=dropped, vanished=vanished | names)
    return _with_names(lost, unmatched, "\n".join(texts))


def _with_names(lost: LostWork, lines: Sequence[str], everywhere: str) -> LostWork:
    """Return lost work with the names in its lines that `everywhere`, the text of the run's files, does not contain.

    Members of something name it only where nothing else does, and there are several.
    """

    def absent(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name in names if name not in everywhere))

    defined = absent(name for line in lines if not _LOCAL_VARIABLE.match(line) for name in _defined_in(line))
    others, members = (
        absent(name for line in lines for name in names_of(line) if any(map(is_distinctive, query_terms(name))))
        for names_of in (_used_in, DOTTED_NAME.findall)
    )
    if not others and len(members) >= LEAST_MEMBERS:
        others = members
    return lost._replace(definitions=defined, names=tuple(name for name in others if name not in defined))


def _lines_in_diffs(now: _LinesNow, present_lines: Mapping[str, frozenset[str]], files: Collection[str]) -> list[str]:
    """Return the texts of lost lines as the diffs show them, for work that no edit but a command took out."""
    present: frozenset[str] = frozenset[str]().union(*present_lines.values())
    return [
        line
        for path in files
        for line in dict.fromkeys(removed_lines(now.hunks.get(path, "")))
        if not (now.at_start[path].lines - present).isdisjoint(line_marks(line))
    ]


def _used_in(line: str) -> list[str]:
    """Return the names in a line of code other than those that it defines for all: of modules, settings, elements."""
    if _COMMENT_LINE.match(line):
        return []
    if _IMPORT.match(line):
        return [match[1] for match in _MODULE.finditer(line)]
    setting = _SETTING.match(line)
    names = [setting[1]] if setting is not None else _defined_in(line)
    return [*names, *(match[1] for match in _ELEMENT.finditer(line))]


def _defined_in(line: str) -> list[str]:
    """Return the names that a line of code defines, selectors of a style sheet included."""
    selector = _SELECTOR.match(line)
    names = [name for match in _DEFINITION.finditer(line) for name in match.groups() if name and name not in _KEYWORDS]
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


def _hunks_of_run(
    repository: Repository, effects: RunEffects, baseline: WorktreeBaseline | None, paths: Collection[str]
) -> dict[str, str]:
    """Return the hunks of a run's commits, and of the worktree's diff against the last of them, by path."""
    hunks = {path: effects.diffs[path].hunks for path in paths if path in effects.diffs}
    old = baseline.head if baseline is not None else None
    new = effects.state.head if effects.state is not None else None
    if effects.moved.direction == "forward" and effects.moved.files and old is not None and new is not None:
        for path, file in repository.committed_diffs(old, new, effects.moved).items():
            if path in paths:
                hunks[path] = f"{hunks.get(path, '')}\n{file.hunks}"
    return hunks
