"""The files that go with those that match a prompt: of earlier conversations and commits, and their tests.

A first prompt often goes on where the last conversations were. One that adds something to a folder, such as one more
integration, changes the places where all of its kind are registered: the last commits that added one show them.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from sidecar.codebase import (
    FAILURE_WORDS,
    Additions,
    RankedFile,
    RankedRegion,
    Repository,
    is_generated,
    is_pointed_at,
    is_test,
    query_terms,
)
from sidecar.core.clean_text import count_noun
from sidecar.core.supported_ides import AGENT_FILES
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


def with_recent_files(
    ranked: Sequence[RankedFile], found: Sequence[RankedFile], recent: Sequence[RecentFile]
) -> tuple[list[RankedFile], list[str]]:
    """Add to a first prompt's files those of earlier conversations that it is likely to use again, likeliest first.

    Return also their paths, best first, without files that a program writes. Both are ordered by the log odds of being
    used, learned from the first prompts of recorded conversations: `found` are the files that match the prompt.
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
    chosen = [path for path in files if path not in likely or path in best]
    return [files[path] for path in sorted(chosen, key=lambda path: -odds[path])], best


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
    """Return the regions of failing tests that a prompt points at, or names by all words of their title.

    `words` are the prompt's terms. Of files that it does not name, only a short prompt names tests: a long one has the
    words of many.
    """
    if FAILURE_WORDS.isdisjoint(words):
        return []
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
    return region.region.name.rpartition(".")[2].casefold().startswith("test")


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
