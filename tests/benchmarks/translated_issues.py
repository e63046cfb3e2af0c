"""Is the right file found for prompts in other languages than the repository's?

    python -m tests.benchmarks.translated_issues --mirrors FOLDER

`translated_issues.jsonl` has issues of public repositories, shortened and translated by hand into Portuguese, Japanese,
Spanish, German and Chinese; identifiers stay. Each is asked at the issue's base commit. Judging data only.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.search.commit_history import MAX_COMMITS, History
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.query import SearchQuery
from sidecar.core.terms import query_terms
from sidecar.packs import search_query, with_evidence
from tests.benchmarks.localization_cases import Trees, every_commit, reachable

ISSUES = Path(__file__).with_name("translated_issues.jsonl")
FOUND_FILES = 16
DEPTHS = (1, 5, 10)


class TranslatedIssue(NamedTuple):
    """An issue in one language, and the file that its fix changed."""

    issue: str
    repository: str
    commit: str
    file: str
    language: str
    prompt: str


def read_issues() -> list[TranslatedIssue]:
    """Return the committed set."""
    return [TranslatedIssue(**json.loads(line)) for line in ISSUES.read_text(encoding="utf-8").splitlines()]


def rankings(clone: Path, issues: Sequence[TranslatedIssue]) -> Iterator[tuple[TranslatedIssue, list[str]]]:
    """Yield each issue of a repository with the files found for it, best first."""
    trees, commits, index = Trees(clone), every_commit(clone), FileIndex(lambda _: {})
    for commit in dict.fromkeys(issue.commit for issue in issues):
        files = trees.files(commit)
        index.update(files)
        for name, blob in index.pending():
            index.add_summary(name, blob, trees.summary(name, blob))
        seen = reachable(clone, commits, commit)
        history = History(sorted(seen, key=lambda known: (-known.committed_at, known.id))[:MAX_COMMITS])
        imports = {name: trees.summary(name, blob).imports for name, blob in files.items()}
        for issue in issues:
            if issue.commit == commit:
                yield issue, _found(issue.prompt, index, history, imports)


def _found(prompt: str, index: FileIndex, history: History, imports: Mapping[str, Sequence[str]]) -> list[str]:
    def imports_of(paths: Sequence[str]) -> dict[str, Sequence[str]]:
        return {path: imports[path] for path in paths}

    query = search_query(prompt)
    found = index.find(SearchQuery(query), history, imports_of, FOUND_FILES)
    return [ranked.path for ranked in with_evidence(found, index.specific_terms(query_terms(query)))]


def main() -> int:
    """Print the share of right files among the first ones, by language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    mirrors = parser.parse_args().mirrors
    issues, ranks = read_issues(), defaultdict[str, list[int]](list)
    for repository in dict.fromkeys(issue.repository for issue in issues):
        clone = mirrors / repository.replace("/", "+") / "repo"
        for issue, found in rankings(clone, [issue for issue in issues if issue.repository == repository]):
            rank = found.index(issue.file) if issue.file in found else FOUND_FILES
            for group in (issue.language, "all"):
                ranks[group].append(rank)
            if rank >= DEPTHS[-1]:
                print(f"missed: {issue.issue} ({issue.language})")
    for group, own in ranks.items():
        shares = ", ".join(f"acc@{depth} {sum(rank < depth for rank in own) / len(own):.2f}" for depth in DEPTHS)
        print(f"{group:4} n = {len(own)}: {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
