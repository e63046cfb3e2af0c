"""Search by paths alone, for a first answer before the index is built.

Reads only the names in git's index: a hundred thousand files take some ten milliseconds.
"""

import math
import os
from collections import defaultdict
from pathlib import Path

from sidecar.codebase.files import may_show
from sidecar.codebase.search import RankedFile
from sidecar.core.terms import paths_in, query_terms
from sidecar.system.git import Git, GitFailed

MIN_TERM = 3
COMMON_SHARE = 0.02
"""A term in more paths than this share, and in more than a hundred, is ignored."""

NAME_WEIGHT = 2.0
"""Weight of a word in a file's name, relative to one in a folder's."""

MENTIONED_WEIGHT = 50.0

TIMEOUT_SECONDS = 5.0


def search_paths(cwd: Path, text: str, limit: int) -> list[RankedFile]:
    """Rank existing tracked files by the words in their paths; return nothing without a repository."""
    try:
        output = Git(cwd).run("ls-files", "-z", "--", ".", timeout=TIMEOUT_SECONDS)
    except GitFailed:
        return []
    paths = b"\0" + output
    scores, matched = _scores(paths, query_terms(text))
    mentioned = {path for path in paths_in(text) if b"\0" + os.fsencode(path) + b"\0" in paths}
    for path in mentioned:
        scores[path] += MENTIONED_WEIGHT
    best = sorted(scores, key=lambda path: (-scores[path], path))
    top = scores[best[0]] if best else 1.0
    results: list[RankedFile] = []
    for path in best:
        if len(results) == limit:
            break
        if may_show(path) and os.path.isfile(cwd / path) and not os.path.islink(cwd / path):
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
        path = os.fsdecode(paths[start:end])
        matches[path] = matches.get(path, False) or paths.find(b"/", position, end) < 0
        position = lowercase.find(term, position + 1)
    return matches
