"""The first look at a repository, when there is no time for more: which paths a text's words point at.

Reads the names in git's index and nothing else, so that a hundred thousand files take some ten milliseconds.
"""

import math
import os
from collections import defaultdict
from pathlib import Path

from sidecar.codebase.files import may_show
from sidecar.codebase.search import Ranked
from sidecar.core.terms import paths_in, query_terms
from sidecar.system.git import Git, GitFailed

MIN_TERM = 3
COMMON_SHARE = 0.02
"""A term in more paths than this share of them tells none from another, beyond the first hundred."""

NAME_WEIGHT = 2.0
"""A word in a file's own name counts so many times one in a folder's."""

NAMED_WEIGHT = 50.0

TIMEOUT_SECONDS = 5.0


def glimpse(cwd: Path, text: str, limit: int) -> list[Ranked]:
    """Ranks tracked files that are there by the words in their paths; nothing where there is no repository."""
    try:
        listed = Git(cwd).run("ls-files", "-z", "--", ".", timeout=TIMEOUT_SECONDS)
    except GitFailed:
        return []
    names = b"\0" + listed
    scores, matched = _scores(names, query_terms(text))
    named = {path for path in paths_in(text) if b"\0" + os.fsencode(path) + b"\0" in names}
    for path in named:
        scores[path] += NAMED_WEIGHT
    best = sorted(scores, key=lambda path: (-scores[path], path))
    top = scores[best[0]] if best else 1.0
    found: list[Ranked] = []
    for path in best:
        if len(found) == limit:
            break
        if may_show(path) and os.path.isfile(cwd / path) and not os.path.islink(cwd / path):
            parts = {"namedPath": 1.0} if path in named else {"path": round(scores[path] / top, 4)}
            found.append(Ranked(path, round(scores[path] / top, 4), parts, tuple(matched[path]), ()))
    return found


def _scores(names: bytes, terms: list[str]) -> tuple[defaultdict[str, float], defaultdict[str, list[str]]]:
    """The weights of each path's terms added up, and these terms, the rarest first."""
    folded = names.lower()  # of ASCII letters only: places stay the same
    files = names.count(b"\0")
    scores: defaultdict[str, float] = defaultdict(float)
    matched: defaultdict[str, list[str]] = defaultdict(list)
    counts = {term: folded.count(term.encode()) for term in terms if len(term) >= MIN_TERM}
    for term in sorted(counts, key=lambda term: (counts[term], term)):
        if counts[term] > max(100, files * COMMON_SHARE):
            break
        weight = math.log(1 + files / (1 + counts[term]))
        for path, is_in_name in _holding(names, folded, term.encode()).items():
            scores[path] += weight * (NAME_WEIGHT if is_in_name else 1.0)
            matched[path].append(term)
    return scores, matched


def _holding(names: bytes, folded: bytes, term: bytes) -> dict[str, bool]:
    """The paths that hold a term, each with whether its last part does."""
    found: dict[str, bool] = {}
    at = folded.find(term)
    while at >= 0:
        if names[at - 1 : at].isalpha() and not names[at : at + 1].isupper():  # in the middle of another word
            at = folded.find(term, at + 1)
            continue
        start, end = names.rfind(b"\0", 0, at) + 1, names.find(b"\0", at)
        path = os.fsdecode(names[start:end])
        found[path] = found.get(path, False) or names.find(b"/", at, end) < 0
        at = folded.find(term, at + 1)
    return found
