"""Searches without an index: files by the words of their paths, and by the lines that `git grep` finds."""

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import islice
from pathlib import Path

from sidecar.codebase.file_exclusions import is_unindexed
from sidecar.codebase.files import is_own_code, may_show
from sidecar.codebase.region_search import is_named_file
from sidecar.codebase.search import RankedFile
from sidecar.codebase.search.prompt_parts import prompt_parts
from sidecar.codebase.search.quoted_texts import quoted_texts
from sidecar.core.terms import identifiers_of, paths_in, query_terms
from sidecar.system.git import Git, GitFailed, GitTimedOut

RunningSearch = Future[list[RankedFile]]
"""A search without an index, which runs while the repository's state is read."""

MIN_TERM = 3
COMMON_SHARE = 0.02
"""A term in more paths than this share, and in more than a hundred, is ignored."""

NAME_WEIGHT = 2.0
"""Weight of a word in a file's name, relative to one in a folder's."""

MENTIONED_WEIGHT = 50.0

UNINDEXED_FILES = 8
"""Number of files found without an index that come before what an unfinished index finds."""

TIMEOUT_SECONDS = 5.0


def finished(search: RunningSearch | None) -> list[RankedFile]:
    """Return the files that a search found; none while it runs, or if it failed."""
    is_over = search is not None and search.done() and not search.cancelled()
    return search.result() if search is not None and is_over and not search.exception() else []


def early_matches_first(ranked: Sequence[RankedFile], early_matches: Sequence[RankedFile]) -> list[RankedFile]:
    """Put the files found without an index after those that the prompt names, before what an unfinished index finds."""
    named = [file for file in ranked if is_named_file(file)]
    paths = {file.path for file in named}
    found = [file for file in early_matches if file.path not in paths][:UNINDEXED_FILES]
    paths.update(file.path for file in found)
    return [*named, *found, *(file for file in ranked if file.path not in paths)]


def search_paths(cwd: Path, text: str, limit: int) -> list[RankedFile]:
    """Rank existing tracked files by the words in their paths; return nothing without a repository.

    A first answer before the index is built: git's index has the names of 100,000 files in some ten milliseconds.
    """
    try:
        output = Git(cwd).run("ls-files", "-z", "--", ".", timeout=TIMEOUT_SECONDS)
    except GitFailed:
        return []
    paths = b"\0" + output
    scores, matched = _scores(paths, query_terms(text))
    mentioned = {path for path in paths_in(text) if b"\0" + path.encode("utf-8", "surrogateescape") + b"\0" in paths}
    for path in mentioned:
        scores[path] += MENTIONED_WEIGHT
    best = sorted(scores, key=lambda path: (-scores[path], path))
    top = scores[best[0]] if best else 1.0
    results: list[RankedFile] = []
    for path in best:
        if len(results) == limit:
            break
        if _may_be_shown(cwd, path):
            parts = {"namedPath": 1.0} if path in mentioned else {"path": round(scores[path] / top, 4)}
            results.append(RankedFile(path, round(scores[path] / top, 4), parts, tuple(matched[path]), ()))
    return results


def _scores(paths: bytes, terms: list[str]) -> tuple[defaultdict[str, float], defaultdict[str, list[str]]]:
    """Return each path's summed term weights, and its terms, rarest first."""
    lowercase = paths.lower()  # of ASCII letters only, so positions stay the same
    files = paths.count(b"\0")
    scores: defaultdict[str, float] = defaultdict(float)
    matched: defaultdict[str, list[str]] = defaultdict(list)
    counts = {term: lowercase.count(term.encode()) for term in terms if len(term) >= MIN_TERM}
    for term in sorted(counts, key=lambda term: (counts[term], term)):
        if counts[term] > max(100, files * COMMON_SHARE):
            break
        weight = math.log(1 + files / (1 + counts[term]))
        for path, is_in_name in _paths_containing(paths, lowercase, term.encode()).items():
            scores[path] += weight * (NAME_WEIGHT if is_in_name else 1.0)
            matched[path].append(term)
    return scores, matched


def _paths_containing(paths: bytes, lowercase: bytes, term: bytes) -> dict[str, bool]:
    """Return the paths that contain a term; the value is whether the file's own name does."""
    matches: dict[str, bool] = {}
    position = lowercase.find(term)
    while position >= 0:
        follows_letter = paths[position - 1 : position].isalpha()
        if follows_letter and not paths[position : position + 1].isupper():  # inside another word
            position = lowercase.find(term, position + 1)
            continue
        start, end = paths.rfind(b"\0", 0, position) + 1, paths.find(b"\0", position)
        path = paths[start:end].decode("utf-8", "surrogateescape")  # as git has it, also on Windows
        matches[path] = matches.get(path, False) or paths.find(b"/", position, end) < 0
        position = lowercase.find(term, position + 1)
    return matches


MAX_TERMS = 12
"""Number of a text's terms that are searched for in contents: its names, then the longest words of its first line."""

MIN_SHARE = 0.25
"""Files whose matches weigh less than this share of the best one's are left out."""

CONTENTS_WEIGHT = 6.0
"""Score of the best file: in log odds, as the ranking with an index."""

PHRASE_FACTOR = 6.0
"""Factor of the weight of a text that the prompt quotes."""

_BETWEEN_WORDS = "[^[:alnum:]]{1,4}"

OTHERS_SHARE = 0.3
"""Share of its weight that a test or document has."""

FULL_WEIGHT_MATCHES = 4.0
"""Number of matches in a file at which a term has half of its weight."""

_GREP = (
    "grep", "-I", "-z", "-o", "-i", "--no-color", "--no-line-number", "--no-column", "--no-full-name",
    "--no-recurse-submodules",
)  # fmt: skip
_DIALECTS = (("-P", "--max-count=50"), ("-P",), ("-E",))
"""A git before 2.38 does not know the limit of lines in a file; one that was built without Perl's expressions needs the
last, which takes six times as long.
"""

_LONG_TEXTS = tuple(f":(exclude)*.{ending}" for ending in ("po", "pot", "svg", "csv", "map", "min.js"))
"""Catalogues and data have more matches than all code together."""


def search_contents(cwd: Path, text: str, limit: int, timeout: float) -> list[RankedFile]:
    """Rank the tracked files that contain a text's terms; return nothing after `timeout` (seconds).

    `git grep` reads the 6,000 files of a worktree in a tenth of a second; to index them takes several seconds. Only
    files that may be shown are returned; code comes before tests and documents.
    """
    terms = _searched_terms(text)
    expression = "|".join(terms)
    for dialect in _DIALECTS if terms else ():
        try:
            arguments = (*_GREP, *dialect, "-e", expression, "--", ".", *_LONG_TEXTS)
            output = Git(cwd).run(*arguments, timeout=timeout, success_codes=(0, 1))
        except GitTimedOut:
            break
        except GitFailed:
            continue
        ranked = _ranked(_matches_by_file(output))
        return list(islice((file for file in ranked if _may_be_shown(cwd, file.path)), limit))
    return []


def _may_be_shown(cwd: Path, path: str) -> bool:
    return may_show(path) and not is_unindexed(path) and os.path.isfile(cwd / path) and not os.path.islink(cwd / path)


def _searched_terms(text: str) -> list[str]:
    """Return terms, the longest first: of alternatives that begin at the same place, the first one matches."""
    parts = prompt_parts(text)
    names = [part.lower() for name in identifiers_of(parts.whole) for part in re.findall(r"\w+", name)]
    words = [term for part in (parts.title, parts.prose, parts.whole) for term in _longest_first(query_terms(part))]
    terms = (term for term in (*names, *words) if len(term) >= MIN_TERM)
    found = [re.escape(term) for term in dict.fromkeys(terms)][:MAX_TERMS]
    return _longest_first([*found, *(_BETWEEN_WORDS.join(re.findall(r"\w+", quoted)) for quoted in quoted_texts(text))])


def _longest_first(terms: Sequence[str]) -> list[str]:
    return sorted(terms, key=lambda term: (-len(term), term))


def _matches_by_file(output: bytes) -> dict[str, Counter[str]]:
    """Count each file's matches by term, from lines of a path, a null byte and the match."""
    matches: defaultdict[bytes, Counter[bytes]] = defaultdict(Counter)
    for line, count in Counter(output.split(b"\n")).items():
        path, _, match = line.partition(b"\0")
        if match:
            matches[path][match.lower()] += count
    return {
        path.decode("utf-8", "surrogateescape"): Counter(
            {term.decode("utf-8", "replace"): count for term, count in counts.items()}
        )
        for path, counts in matches.items()
    }


def _ranked(matches: Mapping[str, Counter[str]]) -> Iterator[RankedFile]:
    """Rank files by the rarity of the terms that they contain, as BM25 without lengths; a name counts twice."""
    document_counts = Counter(term for counts in matches.values() for term in counts)
    weights = {
        term: math.log(1 + len(matches) / files) * (1.0 if term.replace("_", "").isalnum() else PHRASE_FACTOR)
        for term, files in document_counts.items()
    }
    scores: dict[str, float] = {}
    for path, counts in matches.items():
        name = path.rpartition("/")[2].lower()
        scores[path] = math.fsum(
            weights[term] * (count / (count + FULL_WEIGHT_MATCHES) + (term in name)) for term, count in counts.items()
        )
    own = {path: score * (1.0 if is_own_code(path) else OTHERS_SHARE) for path, score in scores.items()}
    top = max(own.values(), default=0.0)
    for path in sorted(own, key=lambda path: (-own[path], path)):
        score = round(CONTENTS_WEIGHT * own[path] / top, 4) if top else 0.0
        if score < CONTENTS_WEIGHT * MIN_SHARE:
            return
        matched = sorted(matches[path], key=lambda term: (document_counts[term], term))
        yield RankedFile(path, score, {"contents": score}, tuple(matched), ())
