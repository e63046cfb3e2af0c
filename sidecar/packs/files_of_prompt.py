"""The files of a prompt alone, besides those of its task: those it mentions, and those that its own words match."""

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase import (
    FAILURE_WORDS,
    Listing,
    RankedFile,
    RankedRegion,
    RepositoryState,
    SearchedFile,
    identifiers_of,
    is_named_file,
    is_outside,
    is_own_code,
    is_test,
    package_of,
    paths_in,
    query_terms,
    query_words,
    submodule_paths,
)
from sidecar.core.terms import macros_in
from sidecar.language.message_intent import reports_failing_test
from sidecar.packs.context_pack import ContextFile, region_texts
from sidecar.packs.file_cutoff import (
    MIN_SOUGHT,
    PLACE_SCORE,
    is_other_place,
    likely_answers,
    siblings_first,
    uses_first,
)
from sidecar.packs.model import Mentions, PreRunParams
from sidecar.packs.prompt_text import (
    MAX_SHORT_PROMPT,
    TESTS_OF,
    THAT_TEST,
    asks_for_documents_of_work,
    asks_for_place,
    asks_for_tests_of_work,
    clean_prompt,
    is_about_another_place,
    mentioned_paths,
    name_whose_uses_are_sought,
    number_of_others,
    referenced_items,
    without_rules,
)
from sidecar.packs.related_files import (
    REPORTED_FILES,
    documents_of_code,
    edited_code,
    failing_places,
    named_failing_tests,
    own_name,
    tests_first,
    tests_of_code,
    with_called,
)
from sidecar.packs.relevant_files import with_regions
from sidecar.packs.request import (
    MAX_NAMED_PATHS,
    PackQuery,
    excluded_paths,
    named_unindexed,
    relative_path,
    repository_evidence,
)
from sidecar.packs.task import (
    GENERAL_TERMS,
    MIN_OWN_TERMS,
    VAGUE_TERMS,
    files_alike,
    files_left,
    matches_query,
    names_like_code,
    removed_names,
    search_query,
    task_terms,
    words_beside_paths,
)
from sidecar.runs import SessionContents


class PromptFiles(NamedTuple):
    """The files of a prompt alone, the number of candidates that match less, and the further files that it names."""

    files: tuple[ContextFile, ...]
    weaker: int
    further_named: tuple[str, ...] = ()


class FoundFiles(NamedTuple):
    """The files of a prompt, and everything that they depend on."""

    depends_on: tuple[object, ...]
    files: PromptFiles


NO_FILES = PromptFiles((), 0)

FOLLOW_UP_FILES, UNCLEAR_FILES = 6, 3
"""Maximum number of files that a follow-up adds besides those that it names, by its number of words."""

NAMED_FILES = 16
"""Maximum number of named files that are searched for code."""

MAX_DEFINED, MAX_USED = 3, 3
"""Maximum number of definitions of a name whose uses are shown, and of such names."""

CLEAR_FILES, CLEAR_SCORE = 3, 5.0
"""By words alone a follow-up adds only the best files, and only those with such a score (log odds). In 116 recorded
conversations 0.31 of these were used, 0.15 of the others.
"""

SOUGHT_CANDIDATES, SOUGHT_IN_PACKAGES = 40, 160
"""Number of files among which the tests of the conversation's work, or another place of its subject, are; and if only
those of some packages of the repository count.
"""

FOLDER_FILES = 4

MENTIONED_SCORE = 20.0
"""Score of a mentioned file that the index does not have."""


class PromptSearch(NamedTuple):
    """Files a prompt alone asks for, besides its task's: those it mentions, and those its own words match."""

    query: str
    mentioned: frozenset[str]
    unresolved: tuple[str, ...]
    """Mentions that lead to no file, and named files that exist but may not be shown."""
    evidence: frozenset[str]
    """Paths, names and rare terms of its subject in a follow-up that the repository has."""
    limit: int
    """Number of files that may be added because of them, besides those that the prompt names."""
    named: tuple[str, ...] = ()
    """Listed files whose paths the prompt names."""
    has_paths: bool = False
    """Whether the prompt has paths or names of files."""
    for_tests: bool = False
    """Whether it only asks for tests of the conversation's work."""
    for_documents: bool = False
    """Whether it only asks for documents of the conversation's work."""
    for_another_place: bool = False
    """Whether it asks for the task's subject in another place."""
    others: int = 0
    """Number of things beside what the conversation edited that it only points at, as in "now the other two"."""
    for_failing_test: bool = False
    """Whether it reports that a test fails."""
    tested: tuple[str, ...] = ()
    """Names in the conversation's work that it asks for tests of."""
    for_plan: bool = False
    """Whether it only starts the plan before it: it is about the files that the plan names."""
    for_that_test: bool = False
    """Whether it points back at a test: it is about that one."""
    sought: frozenset[str] = frozenset()
    """Terms of a question where or how the code does something; none with fewer than two."""
    used: str | None = None
    """Name whose uses it asks for; empty for those of what the conversation edited last."""
    place: frozenset[str] = frozenset()
    """Terms by which it names another place of the task's subject."""

    @classmethod
    def of_prompt(
        cls, pack_query: PackQuery, params: PreRunParams, listing: Listing, *, new_task: bool, is_follow_up: bool
    ) -> "PromptSearch":
        """Read a prompt. Words that began the task belong to the task, also when they are repeated.

        In a session that has context, even a new task brings only what the prompt points at.
        """
        written = params.prompt if new_task else without_rules(params.prompt)
        prompt = clean_prompt(written)
        references = [] if new_task else referenced_items(prompt, pack_query.work.answer)
        text = "\n".join(references) or prompt
        mentioned, unresolved = _mentioned(pack_query, params, listing)
        mentioned |= named_unindexed(prompt, listing)
        query = search_query(text)
        paths = paths_in(prompt)
        is_repeated = not new_task and query == pack_query.query and not paths  # the task's own files are the answer
        is_own = (is_follow_up and not is_repeated) or not (new_task or matches_query(prompt, pack_query.task.query))
        known = repository_evidence(pack_query.workspace, text, pack_query.touched) if is_own else frozenset[str]()
        evidence = pack_query.repository.subject_terms(known) if known else known
        words, names = task_terms(text)
        has_work = not (new_task or mentioned) and bool(pack_query.touched)
        work = _request_about_work(written, prompt, pack_query) if has_work else _WorkRequest()
        for_failing_test = is_follow_up and not (mentioned or work.for_tests) and reports_failing_test(prompt)
        others = number_of_others(written) if has_work and not references else 0
        for_another_place = not (new_task or references or others or work.for_tests) and is_about_another_place(written)
        place = frozenset(query_terms(query)) - VAGUE_TERMS if for_another_place else frozenset[str]()
        if for_another_place:
            evidence |= frozenset(query_terms(query)) - GENERAL_TERMS
            query = " ".join(dict.fromkeys((query, pack_query.query)))
        used = name_whose_uses_are_sought(prompt) if is_follow_up and not (mentioned or references or paths) else None
        sought = _sought_terms(query) if is_own and used is None and asks_for_place(prompt) else frozenset[str]()
        that_test = ""
        if is_follow_up and not (mentioned or work.for_tests or work.for_documents or names):
            that_test = _test_pointed_at(prompt, pack_query)
        for_plan = is_follow_up and pack_query.work.is_planned and bool(pack_query.plan_paths)
        for_plan = for_plan and not (that_test or mentioned or evidence or sought)
        own_words = words_beside_paths(words, names, paths) if paths and not new_task else None
        if own_words is not None and len(own_words) < MIN_OWN_TERMS:  # the task says what matters in a file
            query = " ".join((*paths, *sorted(words[term] for term in own_words), pack_query.query))
        if that_test or for_plan:
            query = f"{that_test} {query} {pack_query.query}".strip()
        is_clear = bool(references or names or macros_in(text)) or len(words) >= MIN_OWN_TERMS
        return cls(
            query=query,
            mentioned=frozenset(mentioned),
            unresolved=tuple(dict.fromkeys((*unresolved, *excluded_paths(pack_query, params.cwd, paths, listing)))),
            evidence=evidence,
            limit=FOLLOW_UP_FILES if is_clear else UNCLEAR_FILES,
            named=tuple(path for path in dict.fromkeys(paths) if path in listing.searched),
            has_paths=bool(paths),
            for_tests=work.for_tests,
            for_documents=work.for_documents,
            for_another_place=for_another_place,
            others=others,
            for_failing_test=for_failing_test,
            sought=sought,
            used=used,
            place=place,
            tested=work.tested,
            for_plan=for_plan,
            for_that_test=bool(that_test),
        )

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to search for."""
        is_about_work = self.for_tests or self.for_documents or self.for_failing_test
        points_back = self.for_plan or self.for_that_test or bool(self.others) or self.used is not None
        return is_about_work or points_back or bool(self.evidence or self.mentioned or self.sought)


class _WorkRequest(NamedTuple):
    """A prompt's request for tests or documents of the conversation's work."""

    for_tests: bool = False
    for_documents: bool = False
    tested: tuple[str, ...] = ()
    """Names in the work that it asks for tests of."""


def _request_about_work(written: str, prompt: str, pack_query: PackQuery) -> _WorkRequest:
    """Read what a prompt, as it is written and cleaned, asks for about the conversation's work."""
    tested = () if reports_failing_test(prompt) else _names_tested(prompt, pack_query)
    for_tests = bool(tested) or asks_for_tests_of_work(written)
    return _WorkRequest(for_tests, asks_for_documents_of_work(written), tested)


def _sought_terms(query: str) -> frozenset[str]:
    """Return the terms of a question for a place; none if they are too few, or all of them general."""
    terms = frozenset(query_terms(query))
    return terms if len(terms) >= MIN_SOUGHT and not terms <= GENERAL_TERMS else frozenset()


def _names_tested(prompt: str, pack_query: PackQuery) -> tuple[str, ...]:
    """Return the names in the conversation's work that a short prompt asks for tests of."""
    found = TESTS_OF.findall(prompt) if len(prompt) <= MAX_SHORT_PROMPT else []
    names = [name.strip(".").rpartition(".")[2] for name in found]
    known = pack_query.repository.names_in(pack_query.touched) if names else frozenset[str]()
    return tuple(name for name in names if name in known)


def _test_pointed_at(prompt: str, pack_query: PackQuery) -> str:
    """Return the paths of the test that a short prompt calls "that test": the last prompt's, or those that fail."""
    if len(prompt) > MAX_SHORT_PROMPT or THAT_TEST.search(prompt) is None:
        return ""
    texts = (*reversed(pack_query.task.recent), pack_query.task.query, "\n".join(pack_query.failing_tests))
    return next(filter(None, (" ".join(filter(is_test, paths_in(text))) for text in texts)), "")


def search_files(
    search: PromptSearch, pack_query: PackQuery, state: RepositoryState, listing: Listing, known: SessionContents
) -> PromptFiles:
    """Return the mentioned files and those that the prompt's own words match; they come before the task's files.

    Regions that the session has leave their room to others.
    """
    if search.for_plan or search.for_that_test:
        found = pack_query.repository.find(search.query, state, MAX_NAMED_PATHS, touched=pack_query.touched)
        named = [file for file in found if "namedPath" in file.parts and (search.for_plan or is_test(file.path))]
        return PromptFiles(with_regions(pack_query, search.query, named, state, listing, known=known), 0)
    if search.others:
        return PromptFiles(_others_of_work(search.others, pack_query, state, listing, known), 0)
    if search.for_tests or search.for_documents:
        files = _tests_of_work(search, pack_query, state, listing, known) if search.for_tests else ()
        files += _documents_of_work(search, pack_query, state, listing, known) if search.for_documents else ()
        if files or search.for_tests:
            return PromptFiles(files, 0)
    if search.for_failing_test and (files := _failing_tests(search, pack_query, state, listing, known)):
        return PromptFiles(files, 0)
    if search.used is not None and (uses := _uses(search.used, pack_query, state, listing, known)) is not None:
        return PromptFiles(uses, 0)
    if search.for_another_place and (files := _same_beside_edited(search, pack_query, state, listing, known)):
        return PromptFiles(files, 0)
    mentioned = search.mentioned
    limit = SOUGHT_CANDIDATES if search.for_another_place or search.sought else search.limit
    limit += len(mentioned)
    touched = pack_query.touched if search.evidence else ()
    has_paths = search.has_paths or not search.evidence.isdisjoint(listing.searched)
    depth = max(limit, MAX_NAMED_PATHS) if has_paths else limit
    found = pack_query.repository.find(search.query, state, depth, mentioned=mentioned, touched=touched)
    matches = [
        file for rank, file in enumerate(found) if rank < limit or is_named_file(file) or file.path in search.evidence
    ]
    if search.for_another_place:  # what the session has is the first place
        matches = [file for file in matches if file.path in mentioned or is_other_place(file, known)]
        matches = siblings_first(matches, search.evidence, pack_query.touched)
    answers = likely_answers(matches, search.sought, pack_query.repository, listing)
    selected = [
        file
        for rank, file in enumerate(matches)
        if file.path in {*mentioned, *answers}
        or ((rank < search.limit or not search.sought) and _is_match(file, search, is_best=rank < CLEAR_FILES))
    ]
    named = [file.path for file in selected if is_named_file(file)]
    further_named = named[NAMED_FILES + len(mentioned) :]
    selected = [file for file in selected if file.path not in further_named]
    selected[:0] = [
        RankedFile(path, MENTIONED_SCORE, {"mentioned": MENTIONED_SCORE}, (), ())
        for path in sorted(mentioned)
        if path in listing.unindexed
    ]
    files = with_regions(pack_query, search.query, selected, state, listing, mentioned=mentioned, known=known)
    candidates = {file.path for file in (*matches, *selected)}.difference(further_named)
    return PromptFiles(files, len(candidates - {file.ranked.path for file in files}), tuple(further_named))


def _tests_of_work(
    search: PromptSearch, pack_query: PackQuery, state: RepositoryState, listing: Listing, known: SessionContents
) -> tuple[ContextFile, ...]:
    """Return the tests of what the conversation edited, with what they are made with."""
    repository, touched = pack_query.repository, pack_query.touched
    code = edited_code(repository, state, listing, touched)
    if search.tested:
        code = code._replace(names=search.tested)
    query = f"{code.query} {pack_query.query}"
    packages = {package_of(path, listing.searched) for path in code.paths}
    is_in_packages = bool(packages) and "" not in packages
    depth = SOUGHT_IN_PACKAGES if is_in_packages else SOUGHT_CANDIDATES
    found = repository.find(query, state, depth, touched=touched)
    if is_in_packages:  # the tests of another package test something else
        found = [file for file in found if package_of(file.path, listing.searched) in {"", *packages}]
    tests = tests_of_code(code, found)
    if is_in_packages and not tests:  # new ones go beside the others of their package
        tests = [file for file in found if is_test(file.path)][:1]
    edited = [file for file in found if file.path in code.paths]  # may have tests beside the code

    arrange = partial(tests_first, code, [file.path for file in tests])
    files = with_regions(pack_query, query, [*tests, *edited], state, listing, known=known, arrange=arrange)
    return tuple(file for file in files if file.regions)


def _uses(
    name: str, pack_query: PackQuery, state: RepositoryState, listing: Listing, known: SessionContents
) -> tuple[ContextFile, ...] | None:
    """Return the code that uses a name, or what the conversation edited last; None if no file defines the name.

    A name that many files define says nothing; then the type around what was edited counts.
    """
    repository = pack_query.repository
    groups = [(name.replace(":", ".").rpartition(".")[2],)] if name else _last_edited(pack_query, state, listing)
    for names in groups:
        terms = frozenset(term for each in names for term in query_terms(each)[:1])
        found = repository.find(" ".join(names), state, SOUGHT_CANDIDATES)
        found = [file for file in found if file.path in listing.searched and not terms.isdisjoint(file.matched)]
        summaries = repository.summaries({file.path: listing.searched[file.path] for file in found})
        defined = Counter(each.name for summary in summaries.values() for each in summary.definitions)
        own = [each for each in names if 0 < defined[each] <= MAX_DEFINED]
        if not own:
            continue
        arrange = partial(uses_first, own)
        files = with_regions(pack_query, " ".join(own), found, state, listing, known=known, arrange=arrange)
        shown = tuple(file for file in files if file.regions)
        if shown or name:
            return shown
    return None if name else ()


def _last_edited(pack_query: PackQuery, state: RepositoryState, listing: Listing) -> list[tuple[str, ...]]:
    """Return the names of the definitions that the conversation edited last, then those of the types around them.

    Those that the last answer names come before others; without an edit these are those that it or the prompts name.
    """
    repository, work = pack_query.repository, pack_query.work
    edited = [path for path in work.edited if path in listing.searched and not is_test(path)]
    code = edited_code(repository, state, listing, edited[:1])
    if not code.names:
        names = identifiers_of(f"{work.answer} {' '.join(pack_query.task.names)}")
        return [tuple(dict.fromkeys(name.rpartition(".")[2] for name in names))[:MAX_USED]]
    words = frozenset(re.findall(r"\w+", work.answer))
    named = tuple(name for name in code.names if name in words)
    return [names[:MAX_USED] for names in (named or code.names, code.containers) if names]


def _same_beside_edited(
    search: PromptSearch, pack_query: PackQuery, state: RepositoryState, listing: Listing, known: SessionContents
) -> tuple[ContextFile, ...]:
    """Return the definitions in the edited files that have all words of another place in their names, and their calls.

    They are not edited yet: "same for the rating" after an edit of `set_star` is about `set_rating` beside it.
    """
    repository, place = pack_query.repository, search.place
    code = edited_code(repository, state, listing, pack_query.touched)
    summaries = repository.summaries({path: listing.searched[path] for path in code.paths})
    names = {
        each.name
        for summary in summaries.values()
        for each in summary.definitions
        if place and each.name not in code.names and place.issubset(query_terms(each.name))
    }

    def arrange(regions: Sequence[RankedRegion], text_of: Callable[[RankedRegion], str]) -> Sequence[RankedRegion]:
        places = [region for region in regions if own_name(region) in names]
        return with_called(places, regions, text_of)

    files = [RankedFile(path, MENTIONED_SCORE, {"namedPath": MENTIONED_SCORE}, (), ()) for path in code.paths]
    query = " ".join(sorted(names))
    shown = with_regions(pack_query, query, files, state, listing, known=known, arrange=arrange) if names else ()
    return tuple(file for file in shown if file.regions)


def _documents_of_work(
    search: PromptSearch, pack_query: PackQuery, state: RepositoryState, listing: Listing, known: SessionContents
) -> tuple[ContextFile, ...]:
    """Return the documents that name what the conversation edited."""
    code = edited_code(pack_query.repository, state, listing, pack_query.touched)
    query = " ".join((search.query, *code.words))
    found = pack_query.repository.find(query, state, SOUGHT_CANDIDATES, touched=pack_query.touched)
    documents = documents_of_code(code, found)
    files = with_regions(pack_query, query, documents, state, listing, known=known)
    return tuple(file for file in files if file.regions)


def _others_of_work(
    number: int, pack_query: PackQuery, state: RepositoryState, listing: Listing, known: SessionContents
) -> tuple[ContextFile, ...]:
    """Return what the conversation named beside what it edited: other files, else other definitions of those files.

    If it named none, return those that use what the edits removed or renamed, or else those with names like the edited
    files', unless there are more than the prompt points at.
    """
    query = pack_query.query
    edited = [path for path in pack_query.work.edited if path in pack_query.touched and path in listing.searched]
    for text in (*reversed(pack_query.task.recent), pack_query.work.answer, " ".join(pack_query.plan_paths)):
        left = files_left(text, edited, listing.searched)
        names = [] if left else _definitions_left(text, edited, pack_query, state, listing)
        if 0 < len(left or names) <= number + 1:
            break
    else:
        names = []
        removed, left = _users_of_removed_names(edited, pack_query, state, listing)
        query = f"{' '.join(removed)} {query}"
        alike = files_alike(edited[:1], listing.searched) if not left else []
        left = left or (alike if len(alike) <= number else [])

    def arrange(regions: Sequence[RankedRegion], _: Callable[[RankedRegion], str]) -> Sequence[RankedRegion]:
        return [region for region in regions if region.region.name.rpartition(".")[2] in names[:number]]

    paths, order = (edited, arrange) if names else (left[:number], None)
    files = [RankedFile(path, MENTIONED_SCORE, {"namedPath": MENTIONED_SCORE}, (), ()) for path in paths]
    shown = with_regions(pack_query, query, files, state, listing, known=known, arrange=order)
    return tuple(file for file in shown if file.regions)


def _users_of_removed_names(
    edited: Sequence[str], pack_query: PackQuery, state: RepositoryState, listing: Listing
) -> tuple[Sequence[str], list[str]]:
    """Return the names that edits removed from files, and the other files that still use one, code first."""
    repository = pack_query.repository
    diffs = repository.diffs(state)
    names = removed_names([diffs[path].hunks for path in edited if path in diffs])
    names = [name for name in names if name not in repository.names_in(edited)]
    found = repository.find(" ".join(names), state, SOUGHT_CANDIDATES) if names else []
    users = [file.path for file in found if not repository.names_in([file.path]).isdisjoint(names)]
    users = [path for path in users if path in listing.searched and path not in edited]
    return names, sorted(users, key=lambda path: not is_own_code(path))


def _definitions_left(
    text: str, edited: Sequence[str], pack_query: PackQuery, state: RepositoryState, listing: Listing
) -> list[str]:
    """Return the definitions in edited files that a text names as code does: of the edited ones' kind, not edited."""
    code = edited_code(pack_query.repository, state, listing, edited)
    names = names_like_code(text) - {*code.names, *code.containers}
    summaries = pack_query.repository.summaries({path: listing.searched[path] for path in code.paths})
    definitions = [definition for summary in summaries.values() for definition in summary.definitions]
    kinds = {definition.kind for definition in definitions if definition.name in code.names}
    return list(dict.fromkeys(each.name for each in definitions if each.name in names and each.kind in kinds))


_NAMING = frozenset(("identifiers", "namedPath"))


def _failing_tests(
    search: PromptSearch, pack_query: PackQuery, state: RepositoryState, listing: Listing, known: SessionContents
) -> tuple[ContextFile, ...]:
    """Return the tests that a prompt says fail, with the code that they call; nothing if it names none."""
    repository, query, touched = pack_query.repository, search.query, pack_query.touched
    words = query_words(query).keys()
    found = repository.find(query, state, SOUGHT_CANDIDATES, touched=touched)
    failing = named_failing_tests(found, FAILURE_WORDS)
    tests = [file for file in found if is_test(file.path) and file.path in listing.searched]
    tests = ([file for file in tests if not _NAMING.isdisjoint(file.parts)] or tests)[:REPORTED_FILES]
    contents = {file.path: listing.searched[file.path] for file in tests}
    summaries = repository.summaries(contents)
    searched = [SearchedFile(file, contents[file.path], summaries[file.path]) for file in tests]
    places = failing_places(repository.regions(query, searched), failing, words, is_short=True)
    if not places:
        return ()
    paths = {place.path for place in places}
    names = identifiers_of("\n".join(map(region_texts(repository, contents), places)))
    calls = repository.find(" ".join(names), state, FOLLOW_UP_FILES, touched=touched) if names else []
    code = {file.path: file for file in (*calls, *found[:FOLLOW_UP_FILES]) if not is_test(file.path)}
    files = [*code.values(), *(file for file in tests if file.path in paths)]

    def arrange(regions: Sequence[RankedRegion], text_of: Callable[[RankedRegion], str]) -> Sequence[RankedRegion]:
        reported = failing_places(regions, failing, words, is_short=True)
        return with_called(reported, regions, text_of)

    shown = with_regions(pack_query, query, files, state, listing, known=known, arrange=arrange)
    return tuple(file for file in shown if file.regions)


_POINTED_PARTS = frozenset(("namedPath", "identifiers", "quoted", "usesQuoted"))


def _is_match(ranked: RankedFile, search: PromptSearch, *, is_best: bool) -> bool:
    """Whether a follow-up names a file, or something in it, clearly enough to add it to what the session has."""
    if search.for_another_place:
        return is_best and ranked.score >= PLACE_SCORE and not search.evidence.isdisjoint(ranked.matched)
    if not _POINTED_PARTS.isdisjoint(ranked.parts):
        return bool(search.evidence)
    if ranked.path in search.evidence:
        return True
    return is_best and ranked.score >= CLEAR_SCORE and not search.evidence.isdisjoint(ranked.matched)


def _mentioned(pack_query: PackQuery, params: PreRunParams, listing: Listing) -> tuple[set[str], list[str]]:
    """The mentioned files that exist here and may be shown, and the mentions that lead nowhere.

    Who names a submodule mentions the file that describes it.
    """
    mentions = params.mentions or Mentions()
    files, folders = mentioned_paths(params.prompt)
    files_found: set[str] = set()
    unresolved: list[str] = []
    for path in dict.fromkeys((*mentions.files, *files)):
        relative = relative_path(pack_query, params.cwd, path)
        if listing.content_of(relative) is not None:
            files_found.add(relative)
        else:
            unresolved.append(path)
    for path in dict.fromkeys((*mentions.folders, *folders)):
        relative = relative_path(pack_query, params.cwd, path).rstrip("/")
        folder = "" if relative == os.curdir else relative + "/"
        candidates = listing.searched if is_outside(folder) else listing.files
        inside = sorted(name for name in candidates if name.startswith(folder))[:FOLDER_FILES]
        files_found.update(inside)
        if not inside:
            unresolved.append(path)
    words = params.prompt.casefold()
    has_submodules = "submodule" in words and listing.content_of(_SUBMODULES) is not None
    if has_submodules and _names_submodule(words, pack_query.workspace.cwd):
        files_found.add(_SUBMODULES)
    return files_found, unresolved


_SUBMODULES = ".gitmodules"


def _names_submodule(words: str, cwd: Path) -> bool:
    """Whether words name a submodule of the worktree, as in "the editor submodule is empty"."""
    names = (path.rpartition("/")[2].casefold() for path in submodule_paths(cwd))
    return any(len(name) > 2 and name in words for name in names)
