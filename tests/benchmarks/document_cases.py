"""Are the right documents found for work on documents? Measured on real changes with their titles as prompts.

    python -m tests.benchmarks.document_cases --mirrors FOLDER [--half learning|judging]

The cases are references (`document_cases.jsonl`): changes of prose alone whose title mentions documents other than a
README, and changes of code whose title does so too, in 16 public repositories, each wholly in one half. acc@k: share of
the cases of which every changed file is among the first k; beside it the same titles without the rule for documents.
"""

import argparse
import json
import re
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.search.commit_history import MAX_COMMITS, History
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.query import SearchQuery
from sidecar.core.terms import DOCUMENTS_SCOPE
from sidecar.packs import search_query
from tests.benchmarks.localization_cases import Trees, every_commit, git, reachable
from tests.benchmarks.regions import MAX_MOVED, imports_of

CASES = Path(__file__).with_name("document_cases.jsonl")
DEPTHS = (1, 3, 6, 12)
_REFERENCE = re.compile(r"\s*\(#\d+\)$")


class DocumentCase(NamedTuple):
    """One change, and the files it changed."""

    half: str
    kind: str
    """`prose` or `code`: what was changed."""
    repository: str
    commit: str
    base: str
    files: list[str]


class Ranks(NamedTuple):
    """Position of the last changed file in a ranking, from 0, with the rule for documents and without it."""

    case: DocumentCase
    with_rule: int
    without_rule: int


def ranks_in(clone: Path, cases: Sequence[DocumentCase]) -> Iterator[Ranks]:
    """Yield the ranks of the cases of one repository."""
    trees, commits, index = Trees(clone), every_commit(clone), FileIndex(lambda _: {})
    before: Mapping[str, str] = {}
    for case in cases:
        files = trees.files(case.base)
        if len(files.items() ^ before.items()) > MAX_MOVED * len(files):
            index = FileIndex(lambda _: {})
        index.update(files)
        before = files
        for name, blob in index.pending():
            index.add_summary(name, blob, trees.summary(name, blob))
        seen = reachable(clone, commits, case.base)
        history = History(sorted(seen, key=lambda commit: (-commit.committed_at, commit.id))[:MAX_COMMITS])
        query = search_query(_REFERENCE.sub("", git(clone, "log", "-1", "--format=%s", case.commit).strip()))
        ranks = []
        for text in (query, query.removeprefix(DOCUMENTS_SCOPE).strip()):
            found = index.find(SearchQuery(text), history, partial(imports_of, trees, files), DEPTHS[-1])
            paths = [ranked.path for ranked in found]
            ranks.append(max(paths.index(path) if path in paths else DEPTHS[-1] for path in case.files))
        yield Ranks(case, *ranks)


def main() -> int:
    """Print the figures of one half, or of both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--half", choices=("learning", "judging"))
    options = parser.parse_args()
    read = [DocumentCase(**json.loads(line)) for line in CASES.read_text(encoding="utf-8").splitlines()]
    cases = [case for case in read if options.half in (None, case.half)]
    found: list[Ranks] = []
    for repository in dict.fromkeys(case.repository for case in cases):
        clone = options.mirrors / repository.replace("/", "+") / "repo"
        if not clone.is_dir():
            print(f"{clone} does not exist: {repository} is left out.")
            continue
        found += ranks_in(clone, [case for case in cases if case.repository == repository])
        print(f"{repository}: done", file=sys.stderr, flush=True)
    for half, kind in sorted({(ranks.case.half, ranks.case.kind) for ranks in found}):
        own = [ranks for ranks in found if (ranks.case.half, ranks.case.kind) == (half, kind)]
        accuracies = (
            f"acc@{depth} {statistics.fmean(ranks.with_rule < depth for ranks in own):.2f}"
            f" ({statistics.fmean(ranks.without_rule < depth for ranks in own):.2f})"
            for depth in DEPTHS
        )
        print(f"{half:10} {kind:6} {len(own):3} cases: {', '.join(accuracies)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
