"""The files and regions that are relevant to a query: chosen among ranked files, within the context's bytes."""

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence

from sidecar.codebase import (
    FAILURE_WORDS,
    NO_CODE_WORDS,
    CodeWords,
    Listing,
    RankedFile,
    RankedRegion,
    Region,
    Repository,
    RepositoryState,
    SearchedFile,
    Summary,
    choose_regions,
    content_identity,
    drop_unlikely,
    early_matches_first,
    identifiers_of,
    is_about_languages,
    is_named_file,
    is_pointed_at,
    is_test,
    paths_in,
    prompt_parts,
    query_terms,
    query_words,
    quoted_texts,
    read_evidence,
    score_without_names,
    shown_bytes,
    wants_tests,
)
from sidecar.core.clean_text import count_noun
from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.common_words import is_distinctive
from sidecar.packs.byte_budget import FOLLOW_UP_SHARE, context_share, names_place
from sidecar.packs.context_pack import (
    MAX_POINTERS,
    ContextFile,
    ShownRegion,
    comes_last,
    is_generated_file,
    known_file,
    lines_with_words,
    near_best,
    reasons_for,
    region_texts,
    sent_region,
    shown_region,
)
from sidecar.packs.file_cutoff import (
    MIN_COMMON_TERMS,
    OTHERS_SHARE,
    dominant_file,
    files_above_cutoff,
    near_subject,
    with_evidence,
)
from sidecar.packs.prompt_text import asks_to_go_on
from sidecar.packs.related_files import (
    ADDITION_BYTES,
    ADDITIONS,
    NO_RECENT,
    RecentChoice,
    failing_places,
    in_this_worktree,
    leads_beside_best,
    named_failing_tests,
    own_name,
    test_to_follow,
    with_best_of_requests,
    with_files_of_additions,
    with_newest_of_kind,
    with_recent_files,
)
from sidecar.packs.request import PackQuery
from sidecar.packs.task import GENERAL_TERMS
from sidecar.runs import SessionContents

CANDIDATE_FILES, LIKELY_FILES, FEW_FILES = 16, 8, 3
"""Number of best files a pack may show besides those that the prompt names: for a long prompt, a short one, and one
with only one or two words that say what it is about. In recorded conversations 45 % of the shown files of the first two
places were used, 15 % of those below the eighth; but with eight files for long prompts, 0.555 of 200 changes with long
texts are shown whole, 0.570 with sixteen.
"""

RECENT_LEADERS, BEST_FILES, BEST_FOUND = 8, 6, 4
"""Number of files of earlier conversations whose best region is shown first; with any, number of pointers by score, and
of the files pointed at that only match the prompt.

In recorded conversations 0.58 of the best eight files were used if earlier conversations had used them, else 0.17; of
the best four that only match the prompt, 0.19 (n = 464).
"""

RECENT_DEPTH, POINTER_BYTES = 80, 130
"""Number of best files among which the places of those of earlier conversations count; likely bytes of a pointer."""

MAX_LEADING_FILES, SMALL_LINES = 3, 130
"""Maximum number of files that lead because a first prompt names them: of more, most are frames of a stack trace.
Lines of a file that comes whole before the code of others, if it has the best region.
"""

TRANSLATION_REGIONS, TRANSLATION_BYTES = 4, 500
"""Number of regions of a translation whose lines may be shown, and bytes of the context for these."""

PARTIAL_FILES, OUTLINED_FILES = 10, 6
"""While files are still being indexed: the same, and those split by line patterns."""

FAILING_SHARE, FAILING_POINTER_BYTES = 0.25, 260
"""Share of the context's bytes for the lines of failing tests; the code under test has the rest. Likely bytes of a
pointer to a failing test without lines: it also says that the prompt names it.
"""

MAX_PLACES, MAX_DEFINITIONS, EDGE_LINES = 3, 4, 4
"""Number of places that a prompt names, as a compiler's message does, whose code comes before all other; and of the
definitions that it names in their files. Lines from the end of a window within which a place also shows the next one.
"""

MAX_DEFINING_FILES = 3
"""Maximum number of matches that define a name for it to add them; a name that more of them define says less."""

_SEPARATOR = lazy_regex(r"\.|::?|#")

Arrange = Callable[[Sequence[RankedRegion], Callable[[RankedRegion], str]], Sequence[RankedRegion]]
"""Returns those of ranked regions that may be shown, in their order; has also a function that returns their texts."""


def context_files(
    pack_query: PackQuery, state: RepositoryState, listing: Listing, early_matches: Sequence[RankedFile] | None
) -> tuple[tuple[ContextFile, ...], Sequence[RankedFile]]:
    """Return the context's files, and all candidates; `early_matches` are files found without the unfinished index."""
    labels = NO_CODE_WORDS
    if early_matches is None and not _is_long(pack_query.query):
        pack_query, labels = _with_code_words_of_labels(pack_query)
    specific = _specific_terms(pack_query, pack_query.query) - labels.translated
    subject = _subject_terms(pack_query, specific)
    if labels.translated and not subject and len(labels.words) >= MIN_COMMON_TERMS:
        subject = frozenset(labels.words)
    has_subject = bool(early_matches or subject) or _has_place(pack_query)
    recent = in_this_worktree(pack_query.recent, listing.searched, pack_query.repository.texts)
    if not (has_subject or recent or query_terms(pack_query.query)):
        return (), ()
    depth = RECENT_DEPTH if recent else CANDIDATE_FILES
    found = pack_query.repository.find(pack_query.query, state, depth, touched=pack_query.touched)
    has_subject = has_subject or any(map(is_named_file, found))  # the list of a dependency that many files import
    has_subject = has_subject or _names_macro(pack_query.query, found)
    if not has_subject:
        subject = _spelled_definitions(pack_query, found[:FEW_FILES], listing)
        has_subject = bool(subject)
    matches = found[:CANDIDATE_FILES] if has_subject else []
    is_specific = context_share(pack_query.query, specific) == 1.0
    subject = subject_with_best_match(subject, specific, matches)
    supported = with_evidence(drop_unlikely(matches), subject, by_commits=is_specific)
    most = _most_files(pack_query.query) if is_specific else FEW_FILES
    likely = [file for rank, file in enumerate(supported) if rank < most or is_named_file(file)]
    ranked = files_above_cutoff(_with_defining_files(pack_query, likely, matches, listing))
    if not (_is_long(pack_query.query) or names_place(pack_query.query)):
        ranked = near_subject(ranked, subject)
    if early_matches is None:
        goes_on = asks_to_go_on(pack_query.task.objective)
        recent = recent if has_subject or goes_on else []
        ranked, again = with_recent_files(ranked, found if has_subject else (), recent, goes_on=goes_on)
        opening, repository = pack_query.opening, pack_query.repository
        if opening.creation:
            ranked = with_files_of_additions(ranked, opening.creation, repository, listing.searched)
        if opening.kind:
            ranked = with_newest_of_kind(ranked, opening.kind, pack_query.query, repository, listing.searched)
        if has_subject and opening.requests:
            found_by_request = [repository.find(query, state, LIKELY_FILES) for query in opening.requests]
            ranked = with_best_of_requests(ranked, found_by_request)
        return with_regions(pack_query, pack_query.query, ranked, state, listing, again=again), matches
    candidates = early_matches_first(ranked, early_matches)
    return with_early_regions(pack_query, pack_query.query, candidates, state, listing), matches


def _names_macro(query: str, found: Sequence[RankedFile]) -> bool:
    """Whether a query names a macro that the repository defines, however common the word is."""
    is_marked = any(word.endswith("!") for word in query.split())
    return is_marked and any("identifiers" in file.parts for file in found)


def _with_code_words_of_labels(pack_query: PackQuery) -> tuple[PackQuery, CodeWords]:
    """Add the words by which the code calls what the prompt calls as users see it; return them too."""
    terms = [term for term in query_terms(pack_query.query) if term not in GENERAL_TERMS and is_distinctive(term)]
    found = pack_query.repository.code_words_of_labels(terms)
    return pack_query._replace(query=" ".join((pack_query.query, *found.words))), found


def _most_files(query: str) -> int:
    return CANDIDATE_FILES if _is_long(query) else LIKELY_FILES


def _is_long(query: str) -> bool:
    return len(prompt_parts(query).searched) > 1


def _with_defining_files(
    pack_query: PackQuery, likely: Sequence[RankedFile], matches: Sequence[RankedFile], listing: Listing
) -> list[RankedFile]:
    """Add the other matches that define a name spelled out in the query, if few of them define it."""
    names = {name for spelled in identifiers_of(pack_query.query) for name in _SEPARATOR.split(spelled)}
    paths = {file.path for file in likely}
    candidates = [file for file in matches if "identifiers" in file.parts and not is_test(file.path)] if names else []
    if paths.issuperset(file.path for file in candidates):
        return list(likely)
    defining: dict[str, set[str]] = {}
    for path, summary in pack_query.repository.summaries(_contents(candidates, listing)).items():
        for name in names.intersection(definition.name for definition in summary.definitions):
            defining.setdefault(name, set()).add(path)
    found = {path for files in defining.values() if len(files) <= MAX_DEFINING_FILES for path in files}
    return [*likely, *(file for file in candidates if file.path in found - paths)]


def _specific_terms(pack_query: PackQuery, query: str) -> frozenset[str]:
    """Return the words by which a query says what it is about: few files contain them."""
    terms = [term for term in query_terms(query) if term not in GENERAL_TERMS]
    return pack_query.repository.specific_terms(terms)


def _subject_terms(pack_query: PackQuery, specific: frozenset[str]) -> frozenset[str]:
    """Return those of the specific words that say what a query is about in this repository."""
    return pack_query.repository.subject_terms(specific) - GENERAL_TERMS


def _spelled_definitions(pack_query: PackQuery, best: list[RankedFile], listing: Listing) -> frozenset[str]:
    """Return the terms of the best files' definitions that a query spells in their case, however common the word is."""
    words = [word for word in pack_query.query.split() if word[0].isupper()]
    summaries = pack_query.repository.summaries(_contents(best, listing)) if words else {}
    names = {definition.name for summary in summaries.values() for definition in summary.definitions}
    return frozenset(term for word in words if word in names for term in query_terms(word))


def subject_with_best_match(
    subject: frozenset[str], specific: frozenset[str], ranked: Sequence[RankedFile]
) -> frozenset[str]:
    """Return the words that a prompt is about, with those of the best file, if it has several but no other of them.

    They are common words, such as the name of a function in the middle of a sentence.
    """
    words = specific.intersection(ranked[0].matched) if ranked else frozenset()
    is_other = bool(subject) and subject.isdisjoint(words) and len(words) >= MIN_COMMON_TERMS
    return subject | words if is_other else subject


def is_searchable(pack_query: PackQuery) -> bool:
    """Whether a query says what it is about, by its words or a path, or the conversation's work does."""
    return _has_place(pack_query) or bool(_subject_terms(pack_query, _specific_terms(pack_query, pack_query.query)))


def _has_place(pack_query: PackQuery) -> bool:
    """Whether a query names a path or quotes a text, or the conversation's work has files."""
    return bool(pack_query.touched or paths_in(pack_query.query) or quoted_texts(pack_query.query))


def with_regions(
    pack_query: PackQuery,
    query: str,
    ranked: list[RankedFile],
    state: RepositoryState,
    listing: Listing,
    *,
    mentioned: frozenset[str] = frozenset(),
    known: SessionContents | None = None,
    again: RecentChoice = NO_RECENT,
    arrange: Arrange | None = None,
) -> tuple[ContextFile, ...]:
    """Return the ranked files with the regions to show, then files to point at; omit a file that no longer exists.

    `again` are files of earlier conversations that this one is likely to use. `arrange` chooses the regions in the
    place of the rules for the words of a prompt.
    """
    summaries = pack_query.repository.summaries(_contents(ranked, listing))
    present = [ranked_file for ranked_file in ranked if ranked_file.path in summaries]
    return _files(pack_query, query, present, summaries, state, listing, mentioned, known, again, arrange)


def with_early_regions(
    pack_query: PackQuery, query: str, ranked: list[RankedFile], state: RepositoryState, listing: Listing
) -> tuple[ContextFile, ...]:
    """Return the ranked files with regions, while files are still being indexed.

    The first ones without a summary are split by line patterns: to build a summary here could delay the call past its
    deadline, because the first file of a language loads its grammar.
    """
    present = [ranked_file for ranked_file in ranked if ranked_file.path in listing.searched]
    contents = _contents(present[:PARTIAL_FILES], listing)
    summaries = pack_query.repository.cached_summaries(contents)
    missing = [path for path in contents if path not in summaries][:OUTLINED_FILES]
    summaries |= pack_query.repository.outlines({path: contents[path] for path in missing})
    return _files(pack_query, query, present, summaries, state, listing, frozenset(), None)


def _contents(ranked: list[RankedFile], listing: Listing) -> dict[str, str]:
    contents = ((ranked_file.path, listing.content_of(ranked_file.path)) for ranked_file in ranked)
    return {path: content for path, content in contents if content is not None}


def _files(
    pack_query: PackQuery,
    query: str,
    ranked: list[RankedFile],
    summaries: Mapping[str, Summary],
    state: RepositoryState,
    listing: Listing,
    mentioned: frozenset[str],
    known: SessionContents | None,
    again: RecentChoice = NO_RECENT,
    arrange: Arrange | None = None,
) -> tuple[ContextFile, ...]:
    """The files with regions, and near the best one those without. A file without a summary is only pointed at."""
    changed = {file.path for file in state.all_changed} if state.kind == "git" else set()
    words = query_words(query)
    names_test = any(is_named_file(file) and is_test(file.path) for file in ranked)
    asks_for_tests = not names_test and wants_tests(query)
    asks_for_texts = is_about_languages(words.keys())
    contents = _contents(ranked, listing)
    ranked = [file for file in ranked if is_named_file(file) or not _is_unreadable(summaries.get(file.path))]
    weaker_translations = {file.path for file in _translations(ranked)[1:]}
    ranked = [file for file in ranked if file.path not in weaker_translations]
    failing = named_failing_tests(ranked, words.keys())
    followed_test = test_to_follow(ranked) if pack_query.opening.adds_tests and not asks_for_tests else None
    regions, further = _regions(
        pack_query, query, ranked, summaries, contents, known, failing, again, followed_test, arrange
    )
    near = near_best(_best_files(ranked, again.paths) if again.paths else ranked)
    pointed = {*(ranked_file.path for ranked_file in near), *mentioned, *again.paths, followed_test}
    added = {file.path for file in ranked if ADDITIONS in file.parts or leads_beside_best(file)}
    first = {*regions, *added}
    shown = [ranked_file for ranked_file in ranked if ranked_file.path in first or ranked_file.path in pointed]
    chosen = sorted(shown, key=lambda ranked_file: ranked_file.path not in first)
    return tuple(
        ContextFile(
            ranked_file,
            contents[ranked_file.path] if ranked_file.path in summaries else f"pointer:{ranked_file.path}",
            _purpose(summaries[ranked_file.path]) if ranked_file.path in summaries else "",
            reasons_for(
                ranked_file, words, mentioned=ranked_file.path in mentioned, changed=ranked_file.path in changed
            ),
            tuple(regions.get(ranked_file.path, ())),
            comes_last(
                ranked_file,
                summaries.get(ranked_file.path),
                wants_tests=asks_for_tests,
                wants_texts=asks_for_texts,
                listed=listing.searched,
                is_failing=ranked_file.path in failing or ranked_file.path == followed_test,
            ),
            further[ranked_file.path],
        )
        for ranked_file in chosen
    )


def _translations(ranked: Sequence[RankedFile]) -> list[RankedFile]:
    """Return the translations that a prompt neither names nor is about, best first."""
    return [file for file in ranked if "translation" in file.parts and _POINTED.isdisjoint(file.parts)]


_POINTED = frozenset(("mentioned", "namedPath"))
"""Parts of the score of a file that the prompt names itself, and not only a text in it."""


def _best_files(ranked: Sequence[RankedFile], again: Sequence[str]) -> list[RankedFile]:
    """Return the best files, and the best of those that no earlier conversation used: the others may fill the pack."""
    found = [file.path for file in ranked if file.path not in again][:BEST_FOUND]
    return [file for at, file in enumerate(ranked) if at < BEST_FILES or file.path in found]


def _regions(
    pack_query: PackQuery,
    query: str,
    ranked: list[RankedFile],
    summaries: Mapping[str, Summary],
    contents: Mapping[str, str],
    known: SessionContents | None,
    failing: frozenset[str],
    again: RecentChoice,
    followed_test: str | None,
    arrange: Arrange | None,
) -> tuple[dict[str, list[ShownRegion]], Counter[str]]:
    """Return the regions to show of each file, chosen among all files within the context's bytes; count the others.

    With `known`, the contents of a session, a file that the prompt names comes with something that the session lacks,
    until all of it was sent.
    The best regions of a few named files come first. Of failing tests only the places that the prompt names are shown;
    the tests that new ones are added to, `followed_test`, have as many bytes as these.
    """
    repository = pack_query.repository
    searched = [
        SearchedFile(
            file,
            contents[file.path],
            summaries[file.path],
            arrange is not None or (is_named_file(file) and _has_code(known, file)),
        )
        for file in ranked
        if file.path in summaries and (not is_generated_file(file.path, summaries[file.path]) or is_named_file(file))
    ]
    own = [file for file in searched if file.ranked.path not in again.further]
    found_regions: Sequence[RankedRegion] = repository.regions(query, own)
    if len(own) < len(searched):
        found_regions = [*found_regions, *repository.regions(query, [file for file in searched if file not in own])]
    places = _named_places(query, ranked, found_regions)
    if arrange is not None:
        found_regions = arrange(found_regions, region_texts(repository, contents))
    translated = {file.path for file in _translations(ranked)}
    of_translation = [region for region in found_regions if region.path in translated][:TRANSLATION_REGIONS]
    if translated:
        found_regions = [region for region in found_regions if region.path not in translated]
        pack_query = pack_query._replace(context_bytes=pack_query.context_bytes - TRANSLATION_BYTES)
    already_sent = _already_sent(repository, found_regions, contents, known) if known is not None else frozenset()
    leading = choose_regions(places, pack_query.context_bytes, already_sent)
    used = sum(shown_bytes(region) for region in leading if _place(region) not in already_sent)
    pack_query = pack_query._replace(context_bytes=pack_query.context_bytes - used)
    settled = already_sent.union(map(_place, leading))
    if arrange is not None:
        chosen = choose_regions(found_regions, int(pack_query.context_bytes * FOLLOW_UP_SHARE), settled)
    else:
        chosen = _chosen_by_words(
            pack_query, query, ranked, summaries, found_regions, known, failing, again, followed_test, settled
        )
    chosen = list({_place(region): region for region in (*leading, *chosen)}.values())
    regions: dict[str, list[ShownRegion]] = {}
    for order, region in enumerate(chosen):
        found = repository.region_lines(region, contents[region.path])
        if found is not None:
            regions.setdefault(region.path, []).append(shown_region(order, found))
    found_lines = filter(None, (repository.region_lines(region, contents[region.path]) for region in of_translation))
    lines = lines_with_words(tuple(found_lines), query_words(query).keys(), len(chosen)) if of_translation else None
    if lines is not None:
        regions[of_translation[0].path] = [lines]
    shown = already_sent.union(map(_place, chosen))
    further = Counter(region.path for region in found_regions if _place(region) not in shown)
    return regions, further


def _named_places(query: str, ranked: Sequence[RankedFile], regions: Sequence[RankedRegion]) -> list[RankedRegion]:
    """Return the code at the first places that a query names, then the definitions that it names in their files.

    Places in tests come after the others.
    """
    files = [file.path for file in ranked if not _POINTED.isdisjoint(file.parts)]
    frames = read_evidence(query).frames if files else ()
    found = [(frame, paths[0]) for frame in frames if len(paths := list(filter(frame.lies_in, files))) == 1]
    places: dict[tuple[str, int], RankedRegion] = {}
    beside: list[RankedRegion] = []
    for frame, path in sorted(found, key=lambda place: is_test(place[1])):
        own = [region for region in regions if region.path == path]
        inside = [region for region in own if frame.line in region.region.numbers]
        at = [*inside, *(region for region in own if frame.function and own_name(region) == frame.function)][:1]
        if not at or len(places) == MAX_PLACES:
            continue
        places.setdefault(_place(at[0]), at[0])
        beside += [region for region in own if _goes_on_near(at[0].region, region.region, frame.line)]
    paths = {path for path, _ in places}
    named = [region for region in regions if region.path in paths and is_pointed_at(region) and not region.region.head]
    return list({_place(region): region for region in (*places.values(), *beside, *named[:MAX_DEFINITIONS])}.values())


def _goes_on_near(window: Region, other: Region, line: int) -> bool:
    """Whether another window of the same definition begins or ends near a line."""
    distance = max(other.first - line, line - other.last)
    return bool(window.name) and other.name == window.name and 0 < distance <= EDGE_LINES


def _place(region: RankedRegion) -> tuple[str, int]:
    return region.path, region.region.first


def _chosen_by_words(
    pack_query: PackQuery,
    query: str,
    ranked: list[RankedFile],
    summaries: Mapping[str, Summary],
    found_regions: Sequence[RankedRegion],
    known: SessionContents | None,
    failing: frozenset[str],
    again: RecentChoice,
    followed_test: str | None,
    already_sent: frozenset[tuple[str, int]],
) -> list[RankedRegion]:
    named = {file.path for file in ranked if is_named_file(file)} - failing
    if known is None and len(named) > MAX_LEADING_FILES and not pack_query.plan_paths:
        named = set()
    beside_best = {file.path for file in ranked if leads_beside_best(file)}
    beside_best.difference_update(region.path for region in found_regions[:1])
    found_regions = [*found_regions[:1], *_named_first(found_regions[1:], beside_best, already_sent)]
    found_regions = _named_first(found_regions, again.leading[:RECENT_LEADERS], already_sent)
    found_regions = _named_first(found_regions, named, already_sent)
    best = found_regions[0].path if found_regions else ""
    small = {best} if best and known is None and summaries[best].lines <= SMALL_LINES else set()
    if small:
        found_regions = sorted(found_regions, key=lambda region: region.path != best or region.region.is_prose)
    users = {file.path for file in ranked if "usesQuoted" in file.parts}
    found_regions = _named_first(found_regions, users, already_sent)
    share = context_share(query, _specific_terms(pack_query, query))
    left = int(pack_query.context_bytes * share) - POINTER_BYTES * min(len(again.paths), MAX_POINTERS)
    left -= ADDITION_BYTES * sum(ADDITIONS in file.parts for file in ranked)
    tests = [region for region in found_regions if region.path == followed_test]
    words = query_words(query).keys()
    if not FAILURE_WORDS.isdisjoint(words):
        tests += failing_places(found_regions, failing, words, is_short=not _is_long(query))
    lines_of_tests = choose_regions(tests, int(left * FAILING_SHARE), already_sent)
    shown_tests = {region.path for region in lines_of_tests}
    left -= sum(shown_bytes(region) for region in lines_of_tests)
    left -= FAILING_POINTER_BYTES * len(failing - shown_tests)
    apart = failing | shown_tests | {followed_test}
    found_regions = [region for region in found_regions if region.path not in apart]
    chosen = _chosen_regions(found_regions, left, already_sent, None if beside_best else dominant_file(ranked))
    leading = {*users, *named, *small, *again.leading[:RECENT_LEADERS]}
    scores = {file.path: score_without_names(file) for file in ranked}
    own = [region for region in chosen if region.path not in again.further]
    further = [region for region in chosen if region.path in again.further]
    return [*lines_of_tests, *likeliest_file_first(own, scores, leading), *further]


FILE_SHARE = 0.2
"""Weight of a file's score beside the value of its best region, where the first file of a pack is chosen.

With 240 first lines and beginnings of texts of changes in twelve public repositories, the first file is right in 167
cases, without it in 163.
"""


def likeliest_file_first(
    chosen: Sequence[RankedRegion], scores: Mapping[str, float], leading: Container[str]
) -> list[RankedRegion]:
    """Put the best region of the likeliest file first, by that region and the file's own score, if no file leads."""
    if not chosen or chosen[0].path in leading:
        return list(chosen)
    first = max(chosen, key=lambda region: region.value + FILE_SHARE * scores[region.path])
    return [first, *(region for region in chosen if region is not first)]


def _chosen_regions(
    found: Sequence[RankedRegion], context_bytes: int, already_sent: Container[tuple[str, int]], dominant: str | None
) -> list[RankedRegion]:
    """Choose regions within the context's bytes; beside a dominant file, a part of them is for the others."""
    if dominant is None:
        return choose_regions(found, context_bytes, already_sent)
    room = int(context_bytes * OTHERS_SHARE)
    of_file = [region for region in found if region.path == dominant]
    others = choose_regions([region for region in found if region.path != dominant], room, already_sent)
    used = sum(shown_bytes(region) for region in others if _place(region) not in already_sent)
    own = choose_regions(of_file, context_bytes - used, already_sent)
    surest = {_place(region) for region in (*choose_regions(of_file, context_bytes - room, already_sent), *others)}
    return sorted((*own, *others), key=lambda region: _place(region) not in surest)


def _has_code(known: SessionContents | None, file: RankedFile) -> bool:
    """Whether a session has some code of a file."""
    entry = known_file(known, file.path) if known is not None else None
    return entry is not None and not entry.is_pointer


def _already_sent(
    repository: Repository, regions: Sequence[RankedRegion], contents: Mapping[str, str], known: SessionContents
) -> frozenset[tuple[str, int]]:
    """Return path and first line of the regions that a session has."""
    files = {region.path: known_file(known, region.path) for region in regions}
    sent = {path: frozenset(entry.regions) for path, entry in files.items() if entry is not None}
    places = set()
    for region in regions:
        entry = files[region.path]
        if entry is None or entry.is_pointer:
            continue
        is_whole = bool(entry.content) and entry.content == content_identity(contents[region.path])
        found = None if is_whole else repository.region_lines(region, contents[region.path])
        if is_whole or (found is not None and sent_region(found) in sent[region.path]):
            places.add(_place(region))
    return frozenset(places)


def _named_first(
    regions: Sequence[RankedRegion], named: Container[str], already_sent: Container[tuple[str, int]]
) -> list[RankedRegion]:
    """Put the best region that a session lacks of each named file first; imports only if it lacks no other code."""
    leaders: dict[str, RankedRegion] = {}
    for region in sorted(regions, key=lambda each: each.region.is_imports):
        if region.path in named and _place(region) not in already_sent:
            leaders.setdefault(region.path, region)
    first = list(leaders.values())
    return [*first, *(region for region in regions if leaders.get(region.path) is not region)]


def _purpose(summary: Summary) -> str:
    """Return a file's stated purpose; of a file too large to be analysed, its number of lines."""
    return (
        count_noun(summary.lines, "line") if summary.analysis == "large" and summary.lines else summary.stated_purpose
    )


def _is_unreadable(summary: Summary | None) -> bool:
    """Whether a file's content shows that nobody reads it: minified, or a recorded chat."""
    return summary is not None and summary.analysis in ("minified", "recordedChat")
