"""The files that go with those that match a prompt: of earlier conversations and commits, and their tests.

A first prompt often goes on where the last conversations were. One that adds something to a folder, such as one more
integration, changes the places where all of its kind are registered: the last commits that added one show them.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import NamedTuple

from sidecar.codebase import (
    COMMON_STEMS,
    FAILURE_WORDS,
    FEATURE_WEIGHTS,
    Additions,
    Definition,
    FileDiff,
    Listing,
    RankedFile,
    RankedRegion,
    Repository,
    RepositoryState,
    Summary,
    identifiers_of,
    is_generated,
    is_named_file,
    is_pointed_at,
    is_test,
    query_terms,
    split_hunks,
    stem_of,
    text_match,
)
from sidecar.core.clean_text import count_noun
from sidecar.core.digests import line_marks
from sidecar.core.ide_rules_files import AGENT_FILES
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import PROSE_ENDINGS
from sidecar.packs.task import GENERAL_TERMS
from sidecar.runs import RecentFile

RECENT_WEIGHTS = {
    "usedRecently": 1.45,  # one of the project's last conversations used it
    "usedInSeveral": 0.47,  # more than one of them did
    "editedRecently": 0.32,
}

RANK_WEIGHT = 0.65
"""Weight of the logarithm of a file's place among the files that match a prompt."""

FAR_RANK, MAX_RECENT_FILES = 80, 20

RECENT_CUTOFF, VAGUE_CUTOFF = -0.9, -1.2
"""Log odds below which a file of earlier conversations does not belong to a new one; and if no file matches its prompt.

In 134 recorded conversations 0.31 of the files above the first were used (n = 990), 0.12 of those between the two.
"""


LEADING_PLACES, LEADING_GAP = 3, 2.0
"""A file of earlier conversations comes before those that only match a prompt if it is among this many best matches,
and not farther (log odds) behind the best one.

That it is likely to be used is a reason to show it; that a prompt is about it, only its own score says: of 24 first
prompts about something else than the conversations before them, 9 had the right file first while all led.
"""

PRESENT_LINES = 0.5
"""Part of the lines that a conversation left in a file, from which the file has its edit."""


def in_this_worktree(
    recent: Sequence[RecentFile],
    listed: Mapping[str, str],
    read_texts: Callable[[dict[str, str]], Mapping[str, str]],
) -> list[RecentFile]:
    """Return files of earlier conversations, as far as this worktree has them and their edits.

    Missing edits were taken back, or are on a branch that this one does not contain. `listed` are the content ids of
    the files; of those with edits only the first few are read.
    """
    present = [file for file in recent if file.path in listed]
    edited = [file.path for file in present if file.edits][:MAX_RECENT_FILES]
    texts = read_texts({path: listed[path] for path in edited}) if edited else {}
    files = []
    for file in present:
        marks = line_marks(texts.get(file.path, "")) if file.edits else frozenset[str]()
        edits = sum(len(lines & marks) >= PRESENT_LINES * len(lines) for lines in file.edits)
        if file.conversations or edits:
            is_edited = file.is_edited or edits > 0
            files.append(replace(file, conversations=file.conversations + edits, is_edited=is_edited, edits=()))
    return files


class RecentChoice(NamedTuple):
    """Paths of the files of earlier conversations that a first prompt is likely to use, best first."""

    paths: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    """Those of them that come before the files that only match the prompt."""
    further: tuple[str, ...] = ()
    """Those that the prompt alone would not bring: they come after the others, if there is room."""


NO_RECENT = RecentChoice()


def with_recent_files(
    ranked: Sequence[RankedFile], found: Sequence[RankedFile], recent: Sequence[RecentFile], *, goes_on: bool = False
) -> tuple[list[RankedFile], RecentChoice]:
    """Add to a first prompt's files those of earlier conversations that it is likely to use again, likeliest first.

    Return also which of them these are, without files that a program writes. They are ordered by the log odds of being
    used, learned from the first prompts of recorded conversations: `found` are the files that match the prompt. If
    there are none, or the prompt asks to go on with earlier work, all lead.
    """
    places = {file.path: at for at, file in enumerate(found)}
    odds = {file.path: -RANK_WEIGHT * math.log1p(places.get(file.path, FAR_RANK)) for file in ranked}
    lowest = min((file.score for file in found), default=0.0)
    files = {file.path: file for file in ranked}
    likely: dict[str, float] = {}
    cutoff = RECENT_CUTOFF if found else VAGUE_CUTOFF
    for file in recent:
        parts = _recent_parts(file)
        value = sum(parts.values()) - RANK_WEIGHT * math.log1p(places.get(file.path, FAR_RANK))
        if value < cutoff or file.path.rpartition("/")[2] in AGENT_FILES or is_generated(file.path):
            continue
        likely[file.path] = odds[file.path] = value
        at = places.get(file.path)
        base = found[at] if at is not None else RankedFile(file.path, lowest, {"notFound": lowest}, (), ())
        score = round(base.score + sum(parts.values()), 4)
        files[file.path] = base._replace(score=score, parts={**base.parts, **parts})
    best = sorted(likely, key=lambda path: -likely[path])[:MAX_RECENT_FILES]
    near = {file.path for file in found[:LEADING_PLACES] if file.score >= found[0].score - LEADING_GAP}
    leading = tuple(path for path in best if goes_on or not found or path in near)
    own = {file.path for file in ranked}.union(leading)
    choice = RecentChoice(tuple(best), leading, tuple(path for path in best if path not in own))
    chosen = [path for path in files if path not in likely or path in best]
    return [files[path] for path in sorted(chosen, key=lambda path: (path in choice.further, -odds[path]))], choice


def _recent_parts(file: RecentFile) -> dict[str, float]:
    values = {"usedRecently": True, "usedInSeveral": file.conversations > 1, "editedRecently": file.is_edited}
    return {name: RECENT_WEIGHTS[name] for name, value in values.items() if value}


ADDITIONS = "changesWithAdditions"
"""Part of the score of a file that most of the last additions to a folder changed."""

ADDITION_WEIGHT, MAX_OF_ADDITIONS, ADDITION_BYTES = 1.0, 8, 190
"""Weight of the share of the additions that changed a file, maximum number of such files, and bytes kept for the line
that names each.
"""

KIND_WORDS = 3
"""Number of words of what a prompt asks to create that may say of which kind it is, as "integration with Signal"."""

BEST_MEMBERS, MIN_MEMBERS = 6, 3
"""A prompt also adds to a folder that has this many of its best files apart from tests."""


def with_files_of_additions(
    ranked: Sequence[RankedFile], creation: str, repository: Repository, listed: Collection[str]
) -> list[RankedFile]:
    """Add the files to change with one more member of the folder that a prompt adds something to, likeliest first.

    Of several files in one folder, such as translations, the first one comes before the others of any folder.
    """
    folder, additions = next(_additions(ranked, creation, repository), ("", None))
    if additions is None:
        return list(ranked)
    known = {file.path: file for file in ranked}
    lowest = min((file.score for file in ranked), default=0.0)
    by_folder: dict[str, list[tuple[int, str]]] = {}
    for path, count in sorted(additions.files.items(), key=lambda item: (-item[1], is_test(item[0]), item[0])):
        if path in listed and not is_generated(path):
            by_folder.setdefault(path.rpartition("/")[0], []).append((-count, path))
    likely = sorted((at, count, path) for files in by_folder.values() for at, (count, path) in enumerate(files))
    chosen: dict[str, RankedFile] = {}
    for at, count, path in likely[:MAX_OF_ADDITIONS]:
        value = round(ADDITION_WEIGHT * -count / additions.commits, 4)
        base = known.get(path) or RankedFile(path, lowest, {"notFound": lowest}, (), ())
        others = len(by_folder[path.rpartition("/")[0]]) - 1
        more = f", as {count_noun(others, 'other file')} here" if others and not at else ""
        related = (*base.related, (ADDITIONS, f"{folder}/{more}"))
        parts = {**base.parts, ADDITIONS: value}
        chosen[path] = base._replace(score=round(base.score + value, 4), parts=parts, related=related)
    return [*(chosen.pop(file.path, file) for file in ranked), *chosen.values()]


def _additions(ranked: Sequence[RankedFile], creation: str, repository: Repository) -> Iterator[tuple[str, Additions]]:
    """Yield the folders that a prompt may add something to, likeliest first, with what the last additions changed."""
    named = [folder for term in query_terms(creation)[:KIND_WORDS] for folder in repository.folders_named(term)]
    members: dict[str, set[str]] = {}
    for file in [file for file in ranked if not is_test(file.path)][:BEST_MEMBERS]:
        parts = file.path.split("/")
        for depth in range(1, len(parts)):
            members.setdefault("/".join(parts[:depth]), set()).add(parts[depth])
    full = [folder for folder, found in members.items() if len(found) >= MIN_MEMBERS]
    for folder in dict.fromkeys((*named, *sorted(full, key=lambda folder: (-folder.count("/"), folder)))):
        additions = repository.changed_with_additions(folder)
        if additions.files:
            yield folder, additions


BEST_OF_REQUEST, NEWEST_OF_KIND = "bestOfRequest", "newestOfKind"
"""Parts of the score of a file that one of a prompt's requests names, and of the newest of what a prompt adds to."""

LEADING_WEIGHTS = {BEST_OF_REQUEST: 0.5, NEWEST_OF_KIND: 0.5}
"""Set by hand: the place of such a file comes from what it is, and not from its score."""

MIN_REQUESTS, NAMED_BY_PATH, NAMED_BY_FILE_NAME, MIN_TEXT_MATCH, MIN_MATCHED, MAX_OF_KIND = 2, 0.5, 0.4, 0.6, 2, 2
"""Number of requests with files of their own from which each has its best file; match of a path's words, or of those of
its name, and of the text, with which a request names a file, and number of its words in the file; maximum number of
newest files.
"""


def leads_beside_best(file: RankedFile) -> bool:
    """Whether a file comes right after the best one, before the further files of that one's kind."""
    return not LEADING_WEIGHTS.keys().isdisjoint(file.parts)


def with_best_of_requests(
    ranked: Sequence[RankedFile], found_by_request: Sequence[Sequence[RankedFile]]
) -> list[RankedFile]:
    """Add the best file of each request of a prompt, by its words alone; files as they are if fewer than two have one.

    The ranking for the whole prompt has the best file of all, but may have many of one request and none of another.
    """
    best = {file.path: file for found in found_by_request if (file := _named_by_request(found)) is not None}
    return _with_leading(ranked, list(best.values()), BEST_OF_REQUEST) if len(best) >= MIN_REQUESTS else list(ranked)


def _named_by_request(found: Sequence[RankedFile]) -> RankedFile | None:
    """Return the best file that a request names by its path; None if it names none."""
    named = (file for file in found if _is_named_by_path(file) and not _is_fixed(file.path))
    return max(named, key=lambda file: file.score, default=None)


def _is_named_by_path(file: RankedFile) -> bool:
    by_path = file.parts.get("path", 0.0) / FEATURE_WEIGHTS["path"]
    by_name = file.parts.get("fileName", 0.0) / FEATURE_WEIGHTS["fileName"]
    is_clear = len(file.matched) >= MIN_MATCHED or min(by_path, by_name) == 1.0
    is_named = is_clear and (by_path >= NAMED_BY_PATH or by_name >= NAMED_BY_FILE_NAME)
    return is_named_file(file) or (is_named and text_match(file) >= MIN_TEXT_MATCH)


_WRITTEN_ONCE = lazy_regex(r"\d{3,}[_-]")


def _is_fixed(path: str) -> bool:
    """Whether a request hardly means to change a file: a test, a generated file, or a numbered or dated one."""
    return is_test(path) or is_generated(path) or _WRITTEN_ONCE.match(path.rpartition("/")[2]) is not None


_NUMBERED, _DIGITS = lazy_regex(r"(?i)(?:[a-z]{1,8}[_-]?)?(\d[\d_.-]*)"), lazy_regex(r"\d+")


def with_newest_of_kind(
    ranked: Sequence[RankedFile], kind: str, query: str, repository: Repository, listed: Collection[str]
) -> list[RankedFile]:
    """Add the newest file of the kind that a prompt asks to create, where such files have numbers or dates in order.

    The next one is written after it, as a migration is. Of several folders of that kind it comes from the one with the
    most of the query's words in its path, else from those nearest to the best files.
    """
    terms = set(query_terms(kind))
    terms |= {term.removesuffix("ion") for term in terms if term.endswith("ation")}  # the folder may be named `migrate`
    folders = {folder for term in terms for folder in repository.folders_named(term)}
    newest = _newest_numbered(folders, listed) if folders else {}
    terms.update(query_terms(query))
    words = {folder: len(terms.intersection(query_terms(folder))) for folder in newest}
    around = {folder: folder[: folder.rfind("/") + 1] for folder in newest}
    places = {
        folder: next((at for at, file in enumerate(ranked) if file.path.startswith(around[folder])), len(ranked))
        for folder in newest
    }
    nearest = sorted(newest, key=lambda folder: (-words[folder], places[folder], -len(around[folder]), folder))
    files = [
        RankedFile(newest[folder], 0.0, {}, (), ((NEWEST_OF_KIND, f"{folder}/"),))
        for folder in nearest[:MAX_OF_KIND]
        if words[folder] == words[nearest[0]]
    ]
    return _with_leading(ranked, files, NEWEST_OF_KIND)


def _newest_numbered(folders: Collection[str], listed: Collection[str]) -> dict[str, str]:
    """Return the file with the highest number in each folder most of whose members are numbered; no tests."""
    members: dict[str, dict[str, list[str]]] = {}
    prefixes = tuple(f"{folder}/" for folder in folders)
    for path in (path for path in listed if path.startswith(prefixes) and not is_test(path)):
        end = path.find("/")
        while end >= 0:
            if path[:end] in folders:
                name = path[end + 1 :].partition("/")[0]
                members.setdefault(path[:end], {}).setdefault(name, []).append(path)
            end = path.find("/", end + 1)
    newest: dict[str, str] = {}
    for folder, paths in members.items():
        numbered = [name for name in paths if _numbers_of(name)]
        if len(numbered) >= MIN_MEMBERS and 2 * len(numbered) >= len(paths):
            last = max(sorted(numbered), key=_numbers_of)
            skipped = len(f"{folder}/{last}/")
            newest[folder] = max(sorted(paths[last]), key=lambda path: _numbers_of(path[skipped:]))
    return newest


def _numbers_of(name: str) -> tuple[int, ...]:
    """Return the numbers that a name begins with, or has after a short word; none if it has no such ones."""
    match = _NUMBERED.match(name)
    return tuple(map(int, _DIGITS.findall(match[1]))) if match is not None else ()


def _with_leading(ranked: Sequence[RankedFile], leading: Sequence[RankedFile], part: str) -> list[RankedFile]:
    """Give files a part of the score by which they lead; those that are not among the ranked ones are added."""
    files = {file.path: file for file in ranked}
    lowest, value = min((file.score for file in ranked), default=0.0), LEADING_WEIGHTS[part]
    for file in leading:
        base = files.get(file.path) or RankedFile(file.path, lowest, {"notFound": lowest}, file.matched, ())
        related = (*base.related, *(link for link in file.related if link[0] == part))
        score, parts = round(base.score + value, 4), {**base.parts, part: value}
        files[file.path] = base._replace(score=score, parts=parts, related=related)
    return list(files.values())


def named_failing_tests(ranked: Sequence[RankedFile], terms: Collection[str]) -> frozenset[str]:
    """Return the tests that a prompt names by path because they fail; `terms` are the prompt's."""
    if FAILURE_WORDS.isdisjoint(terms):
        return frozenset()
    return frozenset(file.path for file in ranked if "namedPath" in file.parts and is_test(file.path))


MIN_TITLE_TERMS = 2
"""A test whose title has fewer words that tell it from others is not named by them; elsewhere one more is needed."""


def failing_places(
    regions: Sequence[RankedRegion], failing: Collection[str], words: AbstractSet[str], *, is_short: bool
) -> list[RankedRegion]:
    """Return the regions of tests that a prompt about failing tests points at, or names by all words of their title.

    `words` are the prompt's terms. Of files that it does not name, only a short prompt names tests: a long one has the
    words of many.
    """
    tests = [region for region in regions if region.path in failing or (is_short and is_test(region.path))]
    lengths = [_title_length(region, words, 0 if region.path in failing else 1) for region in tests]
    longest = max(lengths, default=0)
    return [
        region
        for region, length in zip(tests, lengths, strict=True)
        if length == longest > 0 or (is_pointed_at(region) and (region.path in failing or _is_test_function(region)))
    ]


def _title_length(region: RankedRegion, words: AbstractSet[str], more: int) -> int:
    """Return the number of words in a test's title, if the prompt has them all; else 0."""
    title = {term for term in query_terms(region.region.name) if term not in GENERAL_TERMS}
    return len(title) if len(title) >= MIN_TITLE_TERMS + more and title <= words else 0


def _is_test_function(region: RankedRegion) -> bool:
    return own_name(region).casefold().startswith("test")


REPORTED_FILES, CALLED_DEFINITIONS = 6, 4
"""Number of test files that are searched for a failing test, and of the definitions shown that it calls."""


def with_called(
    places: Sequence[RankedRegion], regions: Sequence[RankedRegion], text_of: Callable[[RankedRegion], str]
) -> list[RankedRegion]:
    """Return failing tests, then the definitions that the prompt points at, and those that the tests call.

    A plain word, and a name that several definitions have, says nothing.
    """
    text = "\n".join(map(text_of, places))
    code = [
        region
        for region in regions
        if region.region.is_definition
        and not (region.region.head or region.region.is_test or _is_test_function(region))
    ]
    counts = Counter(map(own_name, code))
    names = {name.rpartition(".")[2] for name in identifiers_of(text)}
    names = {name for name in names if identifiers_of(name) and counts[name] == 1}
    called = [region for region in code if is_pointed_at(region) or own_name(region) in names]
    called.sort(key=lambda region: not is_pointed_at(region))
    return [*places, *called[:CALLED_DEFINITIONS]]


def own_name(region: RankedRegion) -> str:
    """The name of a region without those of what is around it."""
    return region.region.name.rpartition(".")[2]


FOLLOWED_SUBJECTS = 3


def test_to_follow(ranked: Sequence[RankedFile]) -> str | None:
    """Return the likeliest tests of the best files, which new ones are added to; None if there are none."""
    best = {file.path: file for file in [file for file in ranked if not is_test(file.path)][:FOLLOWED_SUBJECTS]}
    related = {path for file in best.values() for _, path in file.related}
    return next(
        (
            file.path
            for file in ranked
            if is_test(file.path) and (file.path in related or any(seed in best for _, seed in file.related))
        ),
        None,
    )


MAX_EDITED_FILES, MAX_EDITED_NAMES, SHOWN_DOCUMENTS = 6, 12, 3
"""Number of edited files, and of the names of each, whose tests are sought; and of documents about them."""


class EditedCode(NamedTuple):
    """Files that a conversation edited, apart from tests, and the names of the definitions in the changed lines."""

    paths: tuple[str, ...]
    names: tuple[str, ...]
    containers: tuple[str, ...]
    """The types around them."""

    @property
    def query(self) -> str:
        """Return the words by which its tests are found."""
        return " ".join(dict.fromkeys((*self.words, "test")))

    @property
    def words(self) -> tuple[str, ...]:
        """The names of what is edited and of its files."""
        stems = (stem_of(path).strip("_") for path in self.paths)
        return tuple(dict.fromkeys((*self.names, *self.containers, *stems)))


def edited_code(
    repository: Repository, state: RepositoryState, listing: Listing, touched: Collection[str]
) -> EditedCode:
    """Return what is edited in some files, compared with the head commit; the definitions of a new file are all new."""
    paths = [path for path in touched if path in listing.searched and not is_test(path)][:MAX_EDITED_FILES]
    summaries = repository.summaries({path: listing.searched[path] for path in paths})
    diffs = repository.diffs(state)
    new = {file.path for file in state.changed if file.kind == "untracked"}
    names, containers = dict[str, None](), dict[str, None]()
    for path, summary in summaries.items():
        changed = summary.definitions if path in new else _changed_definitions(summary, diffs.get(path))
        for definition in changed[:MAX_EDITED_NAMES]:
            names[definition.name] = None
            if definition.container:
                containers[definition.container.rpartition(".")[2]] = None
    return EditedCode(tuple(paths), tuple(names), tuple(name for name in containers if name not in names))


def _changed_definitions(summary: Summary, diff: FileDiff | None) -> list[Definition]:
    """Return the innermost definitions around the changed lines of a file."""
    lines = sorted(_changed_lines(diff.hunks)) if diff is not None else []
    found: dict[Definition, None] = {}
    for number in lines:
        around = [each for each in summary.definitions if each.line <= number <= (each.end_line or number)]
        if around:
            found[max(around, key=lambda definition: definition.line)] = None
    return list(found)


def _changed_lines(hunks: str) -> set[int]:
    """Return the numbers, in the new text, of added lines and of those that follow removed ones."""
    numbers: set[int] = set()
    for hunk in split_hunks(hunks):
        number = hunk.new
        for line in hunk.lines:
            if line[:1] in "+-":
                numbers.add(number)
            number += line[:1] in "+ "
    return numbers


USED_NAME, USED_CONTAINER, NAMED_AFTER, PAIRED, PARTLY_PAIRED, CHANGED_WITH = 3.0, 2.0, 3.0, 2.0, 1.5, 1.0
"""Weights of what makes a file the tests of edited code: it uses the edited definition, or the type around it, and few
tests do; its name has the definition's words; it is that of the edited file, or has words of its path; it mostly
changes with it.
"""

FEW_TESTS, TESTED_FILES, SHOWN_TESTS = 4, 2, 4
"""Number of tests whose use of a name says most; of files that are searched for tests; and of tests that are shown."""

MIN_TESTED = 0.9
"""Weight from which a file counts as the tests of edited code."""


def tests_of_code(code: EditedCode, ranked: Sequence[RankedFile]) -> list[RankedFile]:
    """Return the likeliest tests of edited code among ranked files, best first."""
    tests = [file for file in ranked if is_test(file.path)]
    terms = [(term, USED_NAME) for name in code.names for term in query_terms(name)[:1]]
    terms += [(term, USED_CONTAINER) for name in code.containers for term in query_terms(name)[:1]]
    counts = Counter(term for file in tests for term in file.matched)
    stems = {stem_of(path).strip("_") for path in code.paths}
    of_names = frozenset(query_terms(" ".join((*code.names, *code.containers))))
    of_paths = frozenset(query_terms(" ".join(path.partition(".")[0] for path in code.paths)))

    def weight(file: RankedFile) -> float:
        rare = [value / max(1.0, counts[term] / FEW_TESTS) for term, value in terms if term in file.matched]
        own = frozenset(query_terms(file.path.rpartition("/")[2].rpartition(".")[0])) - GENERAL_TERMS
        by_name = NAMED_AFTER * len(own & of_names) / max(1, len(own))
        by_path = PARTLY_PAIRED * len(own & (of_names | of_paths)) / max(1, len(own))
        paired = PAIRED if stem_of(file.path).strip("_") in stems else by_path
        return max(rare, default=0.0) + max(by_name, paired) + CHANGED_WITH * file.parts.get("changedWithTouched", 0.0)

    weights = {file.path: weight(file) for file in tests}
    likely = [file for file in tests if weights[file.path] >= MIN_TESTED]
    return sorted(likely, key=lambda file: (-weights[file.path], -file.score, file.path))[:TESTED_FILES]


def documents_of_code(code: EditedCode, ranked: Sequence[RankedFile]) -> list[RankedFile]:
    """Return the likeliest documents about edited code among ranked files, best first.

    The prompt names them, or they have the name of an edited file; without such a one they name the code or its file.
    """
    terms = frozenset(term for word in code.words for term in query_terms(word)[:1]) - GENERAL_TERMS
    stems = set(map(stem_of, code.paths)) - COMMON_STEMS
    prose = [file for file in ranked if file.path.lower().endswith(PROSE_ENDINGS)]
    alike = {file.path for file in prose if stem_of(file.path) in stems}
    about = [
        file
        for file in prose
        if is_named_file(file) or (file.path in alike if alike else not terms.isdisjoint(file.matched))
    ]
    return sorted(about, key=lambda file: not is_named_file(file))[:SHOWN_DOCUMENTS]


def tests_first(
    code: EditedCode, tests: Sequence[str], regions: Sequence[RankedRegion], text_of: Callable[[RankedRegion], str]
) -> list[RankedRegion]:
    """Return those of ranked regions that are tests of edited code, and what the first one is made with.

    They are those beside the code itself, or else in the best of the files `tests`: first what uses, or is named after,
    the edited definitions and the types around them, by rarity; without such a use the likeliest test alone. Imports,
    the head of the type around the first test and what it uses in its file follow it.
    """
    places = {path: place for place, path in enumerate(tests)}
    cases = [_Case(region, text_of(region)) for region in _cases(regions, tests)]
    for name in (*code.names, *code.containers):
        words = frozenset(query_terms(name)[1:] or query_terms(name))
        using = [
            case for case in cases if _uses(case.text, name) or words.issubset(query_terms(case.region.region.name))
        ]
        for case in using:
            case.used += 1 / len(using)
    cases = [case for case in cases if case.region.path in places or case.used]
    if not cases:
        return []
    first, *others = sorted(cases, key=lambda case: (places.get(case.region.path, -1), -case.used))
    more = [case.region for case in others if case.region.path == first.region.path and case.used]
    return [first.region, *_made_with(first, regions), *more[: SHOWN_TESTS - 1]]


@dataclass
class _Case:
    """A test with its text, and how much it uses of the edited code."""

    region: RankedRegion
    text: str
    used: float = 0.0


def _uses(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _cases(regions: Sequence[RankedRegion], tests: Collection[str]) -> list[RankedRegion]:
    """Return the tests beside code and in the files `tests`; of a file that has none by its names, all definitions."""
    definitions = [each for each in regions if each.region.is_definition and not each.region.head]
    cases = [each for each in definitions if each.region.is_test or (each.path in tests and _is_test_function(each))]
    with_cases = {region.path for region in cases}
    return [*cases, *(region for region in definitions if region.path in tests and region.path not in with_cases)]


def _made_with(case: _Case, regions: Sequence[RankedRegion]) -> list[RankedRegion]:
    """Return the imports of a test's file, the head of the type around it, and the functions there that it uses."""
    test = case.region
    own = [region for region in regions if region.path == test.path and region != test]
    return [
        region
        for region in own
        if region.region.is_imports
        or (region.region.is_frame and region.region.first < test.region.first <= region.region.encloser_last)
        or (_is_helper(region) and _uses(case.text, region.region.name))
    ]


def _is_helper(region: RankedRegion) -> bool:
    name = region.region.name
    return region.region.is_definition and "." not in name and not region.region.head and not _is_test_function(region)
