"""Does the search find the files a task is about? Measured on real commits.

    python -m tests.benchmarks.localization --repo PATH [PATH …] [--cases 60] [--misses]

A commit's subject is the prompt, the existing source files it changed are the right ones, and the repository is at its
parent; later commits are invisible. Excluded: subjects that name a changed file, releases, merges, commits of more than
ten source files or thirty files in all. Figures are means over a repository's cases, then over repositories (macro).

recall@k: share of the right files among the first k; what a pack shows of them is measured by `regions`.
Baselines on the same files: words of the prompt in file names; plain BM25 over contents and paths. Second
shot: one right file is known as touched, and the others are searched. Without …: recall@10 without one signal.
"""

import argparse
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.search.commit_history import MAX_COMMITS, Commit, History
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.query import SearchQuery
from sidecar.codebase.search.ranking import RankedFile
from sidecar.core.terms import count_terms, inverse_frequency, query_terms
from sidecar.packs import search_query
from tests.benchmarks.localization_cases import (
    Case,
    Trees,
    cases_of,
    every_commit,
    is_code,
    reachable,
)

LARGE_CODE_FILES = 400
LISTED = 200
DEPTHS = (5, 10, 20)
TARGETS = {"recall@10": 0.82, "second shot": 0.75}


SIGNALS = {
    "contents": ("text", "passage"),
    "paths": ("path", "scope"),
    "definitions": ("names", "identifiers"),
    "commit messages": ("nearestCommits", "similarCommits"),
    "recency": ("latest", "recent"),
    "history": ("nearestCommits", "similarCommits", "latest", "recent", "changedTogether"),
    "neighbours": ("changedTogether", "imports", "testPair"),
}

Scores = dict[str, list[float]]


class Repository(NamedTuple):
    """The measurements of one repository."""

    name: str
    code_files: int
    cases: int
    means: dict[str, float]
    query_ms: list[float]


def main() -> int:
    """Measure one repository after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, nargs="+", required=True)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--commits", type=int, default=1_500, help="number of latest commits to take cases from")
    parser.add_argument("--misses", action="store_true", help="print the right files outside the first ten")
    options = parser.parse_args()
    measured = []
    for path in options.repo:
        measured.append(_measure(path, options.cases, options.commits, misses=options.misses))
        _print_row(measured[-1])
    _print_summary(measured)
    return 0


def _measure(path: Path, count: int, among: int, *, misses: bool) -> Repository:
    trees, commits = Trees(path), every_commit(path)
    index, scores, query_ms, code_files = FileIndex(lambda _: {}), defaultdict[str, list[float]](list), [], 0
    for case in cases_of(path, count, among):
        files = trees.files(case.parent)
        code_files = max(code_files, sum(map(is_code, files)))
        right = case.right & files.keys()
        if not right:
            continue
        index.update(files)
        for name, blob in index.pending():
            index.add_summary(name, blob, trees.summary(name, blob))
        history = History(_history_before(path, commits, case))
        imports = {name: trees.summary(name, blob).imports for name, blob in files.items()}
        results, took_ms = _find(index, history, imports, SearchQuery(search_query(case.subject)))
        query_ms.append(took_ms)
        _score(scores, results, right)
        _score_baselines(scores, case.subject, right, trees, files)
        _score_second_shot(scores, index, history, imports, case, right)
        if misses:
            _print_misses(case, results, right)
    means = {name: statistics.fmean(values) for name, values in scores.items()}
    name = path.resolve().parent.name if path.name in ("repo", ".git") else path.resolve().name
    return Repository(name, code_files, len(query_ms), means, query_ms)


def _history_before(path: Path, commits: Sequence[Commit], case: Case) -> list[Commit]:
    seen = reachable(path, commits, case.parent)
    return sorted(seen, key=lambda ranked: (-ranked.committed_at, ranked.id))[:MAX_COMMITS]


def _find(
    index: FileIndex, history: History, imports: Mapping[str, Sequence[str]], pack_query: SearchQuery
) -> tuple[list[RankedFile], float]:
    def imports_of(paths: Sequence[str]) -> dict[str, Sequence[str]]:
        return {path: imports[path] for path in paths}

    index.find(pack_query, history, imports_of, LISTED)
    start = time.perf_counter()
    results = index.find(pack_query, history, imports_of, LISTED)
    return results, (time.perf_counter() - start) * 1000


def _score(scores: Scores, results: Sequence[RankedFile], right: frozenset[str]) -> None:
    paths = [ranked.path for ranked in results]
    for depth in DEPTHS:
        scores[f"recall@{depth}"].append(_recall(paths[:depth], right))
    scores["any@10"].append(float(not right.isdisjoint(paths[:10])))
    for name, parts in SIGNALS.items():
        without = sorted(
            results, key=lambda ranked: (-sum(v for k, v in ranked.parts.items() if k not in parts), ranked.path)
        )
        scores[f"without {name}"].append(_recall([ranked.path for ranked in without[:10]], right))


def _score_baselines(
    scores: Scores, subject: str, right: frozenset[str], trees: Trees, files: Mapping[str, str]
) -> None:
    terms = set(query_terms(subject))
    by_name = {path: len(terms & count_terms(path.rpartition("/")[2]).keys()) for path in files}
    ordered = sorted((path for path in files if by_name[path]), key=lambda path: (-by_name[path], path))
    scores["file names@10"].append(_recall(ordered[:10], right))
    plain = plain_bm25(terms, trees, files)
    for depth in DEPTHS:
        scores[f"BM25@{depth}"].append(_recall(plain[:depth], right))


def plain_bm25(terms: Iterable[str], trees: Trees, files: Mapping[str, str]) -> list[str]:
    """Return the files that have some terms in path or content, the best by BM25 (k1 1.2, b 0.75) first."""
    bags = {path: trees.bag(path, blob) for path, blob in files.items()}
    lengths = {path: bag.total() for path, bag in bags.items()}
    average = statistics.fmean(lengths.values()) or 1.0
    scores: dict[str, float] = defaultdict(float)
    for term in sorted(terms):
        holding = [path for path, bag in bags.items() if term in bag]
        weight = inverse_frequency(len(holding), len(bags))
        for path in holding:
            count = bags[path][term]
            scores[path] += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[path] / average))
    return sorted(scores, key=lambda path: (-scores[path], path))


def _score_second_shot(
    scores: Scores,
    index: FileIndex,
    history: History,
    imports: Mapping[str, Sequence[str]],
    case: Case,
    right: frozenset[str],
) -> None:
    if len(right) < 2:
        return
    known = random.Random(case.parent).choice(sorted(right))
    for name, touched in (("first shot", frozenset[str]()), ("second shot", frozenset((known,)))):
        results, _ = _find(index, history, imports, SearchQuery(search_query(case.subject), touched=touched))
        others = [ranked.path for ranked in results if ranked.path != known]
        scores[name].append(_recall(others[:10], right - {known}))


def _recall(paths: Iterable[str], right: frozenset[str]) -> float:
    return len(right & set(paths)) / len(right)


def _print_misses(case: Case, results: Sequence[RankedFile], right: frozenset[str]) -> None:
    ranks = {ranked.path: rank for rank, ranked in enumerate(results, 1)}
    missed = sorted(path for path in right if ranks.get(path, LISTED) > 10)
    if missed:
        listed = ", ".join(f"{path} ({ranks.get(path, '-')})" for path in missed)
        print(f"    {case.subject!r}: {len(right) - len(missed)} of {len(right)} found; missed {listed}")


def _print_row(repository: Repository) -> None:
    m = repository.means
    print(
        f"{repository.name:28} {repository.code_files:5} code files, {repository.cases} cases:"
        f" recall@5/10/20 {m['recall@5']:.2f} {m['recall@10']:.2f} {m['recall@20']:.2f}"
        f" | second shot {m.get('second shot', 0):.2f} (first {m.get('first shot', 0):.2f})"
        f" | BM25@10 {m['BM25@10']:.2f}, file names@10 {m['file names@10']:.2f}"
        f" | query {statistics.median(repository.query_ms):.1f} ms",
        flush=True,
    )


def _print_summary(measured: Sequence[Repository]) -> None:
    macro = _macro(measured)
    print(f"\nmacro over {len(measured)} repositories, {sum(repository.cases for repository in measured)} cases")
    for name, value in macro.items():
        print(f"  {name:26} {value:6.2f}{_target(name, value)}")
    print(f"  recall@10 against plain BM25: {macro['recall@10'] / macro['BM25@10']:.2f} ×")
    for label, group in (
        (
            f"more than {LARGE_CODE_FILES} code files",
            [repository for repository in measured if repository.code_files > LARGE_CODE_FILES],
        ),
        ("the others", [repository for repository in measured if repository.code_files <= LARGE_CODE_FILES]),
    ):
        if group:
            mean = _macro(group)
            print(
                f"  {label}: {len(group)} repositories, recall@10 {mean['recall@10']:.2f}, BM25 {mean['BM25@10']:.2f}"
            )
    every = sorted(ms for repository in measured for ms in repository.query_ms)
    print(f"  query: median {statistics.median(every):.1f} ms (target 10), p99 {every[int(len(every) * 0.99)]:.1f} ms")


def _target(name: str, value: float) -> str:
    if name not in TARGETS:
        return ""
    return f"  (target {TARGETS[name]:.2f}{'' if value >= TARGETS[name] else ', missed'})"


def _macro(measured: Sequence[Repository]) -> dict[str, float]:
    names = dict.fromkeys(name for repository in measured for name in repository.means)
    return {
        name: statistics.fmean(repository.means[name] for repository in measured if name in repository.means)
        for name in names
    }


if __name__ == "__main__":
    sys.exit(main())
