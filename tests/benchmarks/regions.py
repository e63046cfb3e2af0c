"""Does a context pack show the lines that a change will touch? Measured on real changes with long texts.

    python -m tests.benchmarks.regions --mirrors FOLDER [--judging] [--repos owner/name …] [--train | --phrasings]

The cases are those of `region_cases`, or with `--judging` those of `other_language_cases`. LINE: share of the cases of
which every removed or replaced line is shown, within some bytes of code. FUNCTION: of those that change functions, the
share of which each has half of its lines shown, or 30 of them. acc@k: share of which every changed file is among the
first k; plain BM25 over contents and paths beside it. `--train` fits the weights again and prints them, with the
figures of repositories left out in turn.

With `--phrasings` the prompt is only a change's title, first bare, then in each phrasing of `phrasings.jsonl`: what
people write around it about tests, documents, commits, plans and themselves. A writer who did not know the rules made
them up; the rules were adapted with those of the learning half at hand.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import mul
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.file_exclusions import is_generated
from sidecar.codebase.region_search import candidate_file
from sidecar.codebase.search.commit_history import MAX_COMMITS, History
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.prompt_parts import PromptEvidence, prompt_parts, read_evidence
from sidecar.codebase.search.query import SearchQuery
from sidecar.codebase.search.ranking import RankedFile, drop_unlikely
from sidecar.codebase.search.region_ranking import (
    WEIGHTS,
    FeatureRow,
    RankedRegion,
    choose_regions,
    definitions_first,
    feature_rows,
    index_regions,
    match_words,
    value_for_size,
    with_commented_code,
)
from sidecar.codebase.search.regions import CALLABLE_KINDS
from sidecar.core.terms import query_terms
from sidecar.packs import search_query
from tests.benchmarks.listwise_softmax import Lesson, fit
from tests.benchmarks.localization import plain_bm25
from tests.benchmarks.localization_cases import Trees, every_commit, reachable
from tests.benchmarks.other_language_cases import CASES as JUDGING_CASES
from tests.benchmarks.region_cases import CASES, RegionCase, prompt_of, read_cases

_LINES = [json.loads(line) for line in Path(__file__).with_name("phrasings.jsonl").read_text("utf-8").splitlines()]
PHRASINGS = {"bare": "{title}"} | {
    f"{line['half']} {number} {line['language']}": line["text"] for number, line in enumerate(_LINES)
}

CANDIDATE_FILES = 16
BUDGETS = (8_192, 12_288, 16_384)
DEPTHS = (1, 5, 10)
OTHER_BYTES = 400
"""Bytes of a block besides the code of its regions."""

MAX_MOVED = 0.2
"""With more files added, removed or changed since the case before than this share, a repository is reindexed."""

FUNCTION_LINES = 30
"""Number of lines, or half of its lines if they are fewer, with which a function counts as shown."""


class Question(NamedTuple):
    """A case's candidates, and the lines that are right."""

    case: RegionCase
    rows: Sequence[FeatureRow]
    right: frozenset[tuple[str, int]]
    functions: Sequence[tuple[str, range]]
    """The changed functions: path and lines."""
    ranked: Sequence[str]
    """The files that the search ranks first."""
    plain: Sequence[str]
    """The same by plain BM25."""
    is_long: bool
    """Whether the text is also searched by its parts."""
    evidence: PromptEvidence
    """The names in it."""


class ShownParts(NamedTuple):
    """Whether some regions show everything of a change."""

    lines: bool
    functions: bool | None
    """None if no function is changed."""


def main() -> int:
    """Measure the committed weights, or fit others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--repos", nargs="*")
    parser.add_argument("--judging", action="store_true", help="the changes in 21 languages")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--phrasings", action="store_true", help="the title alone, in many phrasings")
    options = parser.parse_args()
    if options.judging and options.train:
        parser.error("nothing is learned from the judging set")
    read = read_cases(JUDGING_CASES if options.judging else CASES)
    cases = [case for case in read if not options.repos or case.repository in options.repos]
    questions: list[Question] = []
    phrased: list[Question] = []
    for repository in dict.fromkeys(case.repository for case in cases):
        clone = options.mirrors / repository.replace("/", "+") / "repo"
        own_cases = [case for case in cases if case.repository == repository]
        if options.phrasings:
            phrased += _questions(clone, own_cases, PHRASINGS.values())
            continue
        own = list(_questions(clone, own_cases))
        print(f"{repository:24} {_figures(own, WEIGHTS)}", flush=True)
        questions += own
    if options.phrasings:
        for number, name in enumerate(PHRASINGS):
            print(f"{name:24} {_figures(phrased[number :: len(PHRASINGS)], WEIGHTS)}")
        return 0
    for language in sorted({question.case.language for question in questions} - {""}):
        own = [question for question in questions if question.case.language == language]
        print(f"{language:24} {_figures(own, WEIGHTS)}")
    if long := [question for question in questions if question.is_long]:
        print(f"{'long texts':24} {_figures(long, WEIGHTS)}")
    print(f"{'all':24} {_figures(questions, WEIGHTS)}")
    if options.train:
        fitted = _fit(questions)
        print(f"{'fitted':24} {_figures(questions, fitted)}\n{fitted}")
        by_others = {
            repository: _fit([other for other in questions if other.case.repository != repository])
            for repository in dict.fromkeys(case.repository for case in cases)
        }
        shown = [_shown_parts(question, by_others[question.case.repository]) for question in questions]
        print(f"each repository by the others' weights: {_shown_figures(shown)}")
    return 0


def _questions(clone: Path, cases: Sequence[RegionCase], phrasings: Iterable[str] = ()) -> Iterator[Question]:
    """Yield a question for each case, or for each phrasing of its title."""
    trees, commits, index = Trees(clone), every_commit(clone), FileIndex(lambda _: {})
    before: Mapping[str, str] = {}
    for case in cases:
        files = trees.files(case.base)
        if len(files.items() ^ before.items()) > MAX_MOVED * len(files):
            index = FileIndex(lambda _: {})  # to turn one into that of another year takes longer
        index.update(files)
        before = files
        for name, blob in index.pending():
            index.add_summary(name, blob, trees.summary(name, blob))
        seen = reachable(clone, commits, case.base)
        history = History(sorted(seen, key=lambda commit: (-commit.committed_at, commit.id))[:MAX_COMMITS])
        right = frozenset((path, line) for path, lines in case.lines.items() for line in lines)
        functions = [function for path in case.files for function in _functions(case, path, trees, files[path])]
        prompt = prompt_of(clone, case.commit)
        title = prompt.partition("\n")[0].rstrip(".")
        for text in [phrasing.replace("{title}", title) for phrasing in phrasings] or [prompt]:
            query = search_query(text)
            found = index.find(SearchQuery(query), history, partial(imports_of, trees, files), CANDIDATE_FILES)
            rows = _rows(query, found, index, trees, files)
            plain = plain_bm25(set(query_terms(query)), trees, files)[: DEPTHS[-1]]
            is_long = len(prompt_parts(query).searched) > 1
            ranked_paths = [ranked.path for ranked in found]
            yield Question(case, rows, right, functions, ranked_paths, plain, is_long, read_evidence(query))


def _functions(case: RegionCase, path: str, trees: Trees, blob: str) -> Iterator[tuple[str, range]]:
    """Yield the changed functions and methods of a file; a line inserted below another changes what follows it."""
    changed = {*case.lines.get(path, ()), *(line + 1 for line in case.inserted.get(path, ()))}
    for definition in trees.summary(path, blob).definitions:
        lines = range(definition.line, definition.end_line + 1)
        if definition.kind in CALLABLE_KINDS and not changed.isdisjoint(lines):
            yield path, lines


def imports_of(trees: Trees, files: Mapping[str, str], paths: Sequence[str]) -> dict[str, Sequence[str]]:
    return {path: trees.summary(path, files[path]).imports for path in paths}


def _rows(
    query: str, found: Sequence[RankedFile], index: FileIndex, trees: Trees, files: Mapping[str, str]
) -> list[FeatureRow]:
    """Return the candidates of a query, as the product has them."""
    evidence, weights = read_evidence(query), index.term_weights(query_terms(query))
    candidates = []
    for ranked in drop_unlikely(found):
        content = trees.content(files[ranked.path])
        if content is None or is_generated(ranked.path):
            continue
        lines = content.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n").split("\n")
        regions = index_regions(lines, trees.summary(ranked.path, files[ranked.path]))
        matches = match_words(regions, weights, evidence.title)
        candidates.append(candidate_file(ranked, regions, matches, evidence))
    return feature_rows(candidates, evidence, sum(weights.values()))


def _figures(questions: Sequence[Question], weights: Mapping[str, float]) -> str:
    accuracies = (
        f"acc@{depth} {_accuracy([question.ranked for question in questions], questions, depth):.2f}"
        f" (BM25 {_accuracy([question.plain for question in questions], questions, depth):.2f})"
        for depth in DEPTHS
    )
    shown = [_shown_parts(question, weights) for question in questions]
    return f"{len(questions)} cases: {_shown_figures(shown)}; {', '.join(accuracies)}"


def _shown_figures(shown: Sequence[Sequence[ShownParts]]) -> str:
    figures = []
    for budget, parts in zip(BUDGETS, zip(*shown, strict=True), strict=True):
        functions = [part.functions for part in parts if part.functions is not None]
        line, function = statistics.fmean(part.lines for part in parts), statistics.fmean(functions or [0.0])
        figures.append(f"LINE {line:.3f} FUNCTION {function:.3f} in {budget}")
    return ", ".join(figures)


def _accuracy(rankings: Sequence[Sequence[str]], questions: Sequence[Question], depth: int) -> float:
    pairs = zip(rankings, questions, strict=True)
    return statistics.fmean(question.case.files <= frozenset(ranking[:depth]) for ranking, question in pairs)


def _shown_parts(question: Question, weights: Mapping[str, float]) -> list[ShownParts]:
    """Return what is shown of a change within each budget."""
    ranked = []
    for row in question.rows:
        score = sum(weights[name] * value for name, value in zip(WEIGHTS, row.values, strict=True))
        value = value_for_size(score, row.indexed, question.evidence)
        ranked.append(RankedRegion(row.file.path, row.indexed.region, score, value, row.values, row.indexed.bytes))
    ranked.sort(key=lambda region: (-region.value, region.path, region.region.first))
    ranked = with_commented_code(definitions_first(ranked, question.evidence))
    return [_shown_of(question, choose_regions(ranked, budget - OTHER_BYTES)) for budget in BUDGETS]


def _shown_of(question: Question, chosen: Sequence[RankedRegion]) -> ShownParts:
    shown = {(region.path, number) for region in chosen for number in region.region.numbers}
    functions = [
        sum((path, line) in shown for line in lines) >= min(FUNCTION_LINES, len(lines) / 2)
        for path, lines in question.functions
    ]
    return ShownParts(question.right <= shown, all(functions) if functions else None)


def _fit(questions: Sequence[Question]) -> dict[str, float]:
    names = list(WEIGHTS)
    lessons = []
    for question in questions:
        targets = question.right | {(path, line) for path, lines in question.case.inserted.items() for line in lines}
        rows = [row.values for row in question.rows]
        right = frozenset(
            at
            for at, row in enumerate(question.rows)
            if any((row.file.path, number) in targets for number in row.indexed.region.numbers)
        )
        current = [sum(map(mul, WEIGHTS.values(), row)) for row in rows]
        hard = sorted({*sorted(range(len(rows)), key=lambda at: -current[at])[:150], *right})
        lessons.append(Lesson([rows[at] for at in hard], frozenset(hard.index(at) for at in right)))
    return {name: round(weight, 2) for name, weight in zip(names, fit(lessons, len(names)), strict=True)}


if __name__ == "__main__":
    sys.exit(main())
