"""The cut-off of ranked files: those likely enough to be shown for a prompt."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet

from sidecar.codebase import (
    NAMED_PARTS,
    Listing,
    RankedFile,
    RankedRegion,
    Repository,
    Summary,
    count_terms,
    is_agent_file,
    is_named_file,
    is_own_code,
    is_test,
    query_terms,
    score_without_names,
    text_match,
)
from sidecar.core.ide_rules_files import AGENT_FILES
from sidecar.packs.context_pack import REASON_SCORE, known_file
from sidecar.packs.related_files import own_name
from sidecar.runs import SessionContents

MIN_LINK = 0.3
"""Minimum score of a link to a file that the prompt names."""

MIN_COMMON_TERMS, MIN_WORD_SHARE = 2, 0.5
"""Minimum for a file without a link: terms in common, and how well they fit compared with the best file."""

BEST_OTHERS = 3
"""Number of best files that stay beside those a prompt names, whatever their relation: of 56 recorded first prompts
that name files, 0.27 of them were used, as many as of all files shown.
"""


def files_above_cutoff(ranked: Sequence[RankedFile]) -> list[RankedFile]:
    """Drop files that are covered elsewhere, and, if the prompt names files, those with little relation to them.

    The anchor covers the rules of instruction files, or the host sends them; other files for agents, such as skills,
    remain only where the prompt is about them. A prompt that names only tests is about what they test.
    """
    named = {file.path for file in ranked if is_named_file(file)}
    if all(map(is_test, named)):
        named = set()
    left = [file for file in ranked if file.path in named or not _is_for_agents(file)]
    best = [file.path for file in left if file.path not in named][:BEST_OTHERS]
    return [file for file in left if not named or file.path in {*named, *best} or _is_related(file, named)]


_WORK_PARTS = frozenset(("changedWithTouched", "folderTouched"))


def _is_for_agents(ranked: RankedFile) -> bool:
    """Whether a file only tells agents how to work, and neither two words of its path nor recent work lead to it."""
    if ranked.path.rpartition("/")[2] in AGENT_FILES:
        return True
    if not is_agent_file(ranked.path) or not _WORK_PARTS.isdisjoint(ranked.parts):
        return False
    return len(count_terms(ranked.path).keys() & set(ranked.matched)) < MIN_COMMON_TERMS


def _is_related(ranked: RankedFile, named: Collection[str]) -> bool:
    linked = any(seed in named and ranked.parts.get(kind, 0.0) >= MIN_LINK for kind, seed in ranked.related)
    return linked or (len(ranked.matched) >= MIN_COMMON_TERMS and text_match(ranked) >= MIN_WORD_SHARE)


MIN_TOUCHED_LINK = 0.5

_OWN_EVIDENCE = frozenset((*NAMED_PARTS, "identifiers", "scope"))

_TOUCHED_LINKS = ("changedWithTouched", "testPairTouched")

_COMMITS = ("nearestCommits", "similarCommits")


def with_evidence(
    ranked: Sequence[RankedFile], specific: Collection[str], *, by_commits: bool = True
) -> list[RankedFile]:
    """Drop files that only function words, or words of a quarter of the files, support, and no link to another file.

    `specific` are the prompt's terms that say more. Similar commits are evidence only of a prompt that says enough:
    else a word that is in every other commit's message makes them similar.
    """
    supported = {file.path for file in ranked if _has_evidence(file, specific, by_commits=by_commits)}
    return [
        file
        for file in ranked
        if file.path in supported
        or any(seed in supported and file.parts.get(kind, 0.0) >= MIN_LINK for kind, seed in file.related)
    ]


def _has_evidence(ranked: RankedFile, specific: Collection[str], *, by_commits: bool) -> bool:
    if not _OWN_EVIDENCE.isdisjoint(ranked.parts) or any(term in specific for term in ranked.matched):
        return True
    by_work = sum(ranked.parts.get(name, 0.0) for name in _TOUCHED_LINKS)
    similarity = max(ranked.parts.get(name, 0.0) for name in _COMMITS)
    return by_work >= MIN_TOUCHED_LINK or (by_commits and bool(specific) and similarity >= REASON_SCORE)


SUBJECT_SHARE, SUBJECT_GAP, PATH_MATCH = 0.5, 2.0, 0.9
"""Share of a short prompt's subject words below which a file this far (log odds) behind the best one is dropped, unless
its path matches the prompt half as well as the best path.
"""


def near_subject(ranked: Sequence[RankedFile], subject: AbstractSet[str]) -> list[RankedFile]:
    """Drop files that have none of the words that say what a short prompt is about, or few and a far lower score.

    With 145 labelled first prompts of 24 repositories, none of the 112 dropped files is one to change and 0.33 are
    of use; of the 742 others 0.25 and 0.65.
    """
    if not subject:
        return list(ranked)
    least = max((score_without_names(file) for file in ranked), default=0.0) - SUBJECT_GAP

    def is_near(file: RankedFile) -> bool:
        is_own = not (_OWN_EVIDENCE.isdisjoint(file.parts) and _WORK_PARTS.isdisjoint(file.parts))
        found = len(subject & set(file.matched))
        by_path = found >= MIN_COMMON_TERMS and file.parts.get("path", 0.0) >= PATH_MATCH
        return is_own or by_path or found >= SUBJECT_SHARE * len(subject) or (found > 0 and file.score > least)

    return [file for file in ranked if is_near(file)]


DOMINANT_GAP, OTHERS_SHARE = 3.0, 0.25
"""With the best file so far before the second one (log odds), the others get this share of the context's bytes. Of 234
prompts, the long texts and first lines of 117 changes of six public repositories, 23 have such a file: it was right in
22 of them, and another one as well in 4.
"""


def dominant_file(ranked: Sequence[RankedFile]) -> str | None:
    """Return the file that is far more likely than any other; None if there is none, or the prompt names files."""
    if len(ranked) < 2 or any(map(is_named_file, ranked)):
        return None
    first, second = sorted(ranked, key=lambda file: -file.score)[:2]
    return first.path if first.score - second.score >= DOMINANT_GAP else None


PLACE_SCORE = 4.0
"""Score (log odds) from which a file counts as another place of the task's subject."""


def is_other_place(ranked: RankedFile, known: SessionContents) -> bool:
    """Whether a file is not a test, and the session has none of its code."""
    entry = known_file(known, ranked.path)
    return (entry is None or entry.is_pointer) and not is_test(ranked.path)


def siblings_first(matches: Sequence[RankedFile], evidence: frozenset[str], touched: Sequence[str]) -> list[RankedFile]:
    """Put the likely files beside the edited ones first that have as many words of another place as any has."""
    counts = {file.path: len(evidence.intersection(file.matched)) for file in matches if file.score >= PLACE_SCORE}
    most = max((1, *counts.values()))
    folders = {path.rpartition("/")[0] for path in touched}

    def is_sibling(file: RankedFile) -> bool:
        return counts.get(file.path, 0) >= most and file.path.rpartition("/")[0] in folders

    return sorted(matches, key=lambda file: not is_sibling(file))


MIN_SOUGHT, LIKELY_ANSWERS, MAX_ANSWERS, ANSWER_GAP, NAMED_ANSWER = 2, 6, 2, 1.5, 1.0
"""Number of words of a question that a file has to have; number of the best files of code that may answer it, and of
those that do; and their distance (log odds) from the best one.
"""


def likely_answers(
    matches: Sequence[RankedFile], sought: frozenset[str], repository: Repository, listing: Listing
) -> list[str]:
    """Return the likeliest files of code that have at least two words of a question.

    Several of its words in the name of one definition make a file likelier.
    """
    code = [file for file in matches if is_own_code(file.path)][:LIKELY_ANSWERS] if sought else []
    code = [file for file in code if len(sought.intersection(file.matched)) >= MIN_SOUGHT]
    summaries = repository.summaries({file.path: listing.searched[file.path] for file in code})
    scores = {
        file.path: file.score + NAMED_ANSWER * _most_in_a_name(summaries[file.path], sought)
        for file in code
        if file.path in summaries
    }
    best = sorted(scores, key=lambda path: (-scores[path], path))[:MAX_ANSWERS]
    return [path for path in best if scores[path] >= scores[best[0]] - ANSWER_GAP]


def _most_in_a_name(summary: Summary, sought: frozenset[str]) -> int:
    """Return the largest number of some terms that the name of one definition has, with its container's."""
    names = (f"{definition.container} {definition.name}" for definition in summary.definitions)
    return max((len(sought.intersection(query_terms(name))) for name in names), default=0)


def uses_first(
    names: Collection[str], regions: Sequence[RankedRegion], text_of: Callable[[RankedRegion], str]
) -> list[RankedRegion]:
    """Return those of ranked regions that use some names, beside their definitions: code first, then tests.

    Imports use nothing. Each file comes with its best use before the second one of any.
    """
    pattern = rf"(?<![\w$])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w$])"
    using = [each for each in regions if not each.region.is_imports and _uses_any(each, names, pattern, text_of)]
    order = Counter[str]()
    places: dict[tuple[str, int], int] = {}
    for region in using:
        places[region.path, region.region.first] = order[region.path]
        order[region.path] += 1
    return sorted(using, key=lambda each: (is_test(each.path), places[each.path, each.region.first]))


def _uses_any(
    region: RankedRegion, names: Collection[str], pattern: str, text_of: Callable[[RankedRegion], str]
) -> bool:
    """Whether a region has one of some names; the definition of one has it once more."""
    is_definition = own_name(region) in names and not region.region.head
    return len(re.findall(pattern, text_of(region))) > is_definition
