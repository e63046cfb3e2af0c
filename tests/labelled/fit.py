"""Fit the weights of `sidecar/language/statement_weights.txt`, with the standard library alone.

    python -m tests.labelled.fit CLONES [--cross-validate]

Two logistic regressions of sentences: does it state what lasts, and is what lasts a rule? A sentence that overlaps a
marked span is positive. The material is the learning half of the labelled recorded messages, and `own_messages.jsonl`:
messages made up by several writers who did not know the rules. A word has a weight only if at least three recorded
repositories and two writers use it. `--cross-validate` leaves a quarter of the repositories and of the writers out in
turn, and prints what each threshold finds in them; it writes nothing.
"""

import argparse
import json
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.language.english_translation import with_accents
from sidecar.language.lasting_statements import (
    MAX_SENTENCES,
    MIN_RULE_PROBABILITY,
    WEIGHTS_FILE,
    is_for_its_task,
    score_of,
    word_features,
)
from sidecar.language.own_words import stated_words
from sidecar.language.sentence_features import (
    Sentence,
    analyze,
    contexts_of,
    features_of,
    split_sentences,
)
from tests.labelled.corpus import LABELS, LabelledMessage, MissingClones, Span, labelled_messages
from tests.labelled.evaluate import figures_of
from tests.labelled.minimize import minimize

OWN = Path(__file__).parent / "own_messages.jsonl"
MIN_REPOSITORIES, MIN_WRITERS = 3, 2
PENALTY = 1 / 0.3
OWN_WEIGHT, UNCLEAR, UNMARKED = 1.0, 0.3, 0.5
"""Importance of a sentence of our own, of an unclear message, and of the unmarked sentences of one that lasts.

The label of the last names only what lasts most.
"""

STANDING = 2
"""Target of a rule."""

MIN_WEIGHT = 0.05
FOLDS = 4
THRESHOLDS = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


class Row(NamedTuple):
    """A sentence of a message of a group: a repository, or a writer of our own."""

    message: int
    group: str
    features: tuple[str, ...]
    target: int
    """2 for a rule, 1 for something else that lasts, else 0."""
    weight: float
    is_own: bool


class Judged(NamedTuple):
    """A message's group and label, and whether it is our own."""

    group: str
    target: int
    is_own: bool


def read_material(clones: Path) -> tuple[list[Row], list[Judged]]:
    """Return the sentences and messages of both sources. Raise MissingClones."""
    rows: list[Row] = []
    messages: list[Judged] = []
    for table in (LABELS, LABELS.with_name("unread.tsv")):
        for labelled in labelled_messages(clones, "learning", table):
            rows += _recorded_rows(len(messages), labelled)
            kind = labelled.label.label
            target = STANDING if kind == "standing" else int(labelled.is_lasting)
            messages.append(Judged(labelled.label.repository, target, is_own=False))
    for line in OWN.read_text("utf-8").splitlines():
        own = json.loads(line)
        spans = [_span(own["text"], span) for span in own["spans"]]
        group = f"writer {own['writer']}"
        found = list(_rows(len(messages), group, own["text"], own["before"], spans, is_own=True))
        rows += (row._replace(weight=OWN_WEIGHT) for row in found)
        messages.append(Judged(group, max((_target(span) for span in spans), default=0), is_own=True))
    return rows, messages


def _span(text: str, span: dict[str, str]) -> Span:
    start = text.index(span["quote"])
    return Span(start, start + len(span["quote"]), span["kind"])


def _target(span: Span) -> int:
    return STANDING if span.kind == "standing" else 1


def _recorded_rows(number: int, labelled: LabelledMessage) -> list[Row]:
    label = labelled.label
    found = _rows(number, label.repository, labelled.text, labelled.before, label.spans, is_own=False)
    doubt = UNCLEAR if label.is_unclear else 1.0
    return [row._replace(weight=doubt * (UNMARKED if labelled.is_lasting and not row.target else 1.0)) for row in found]


def _rows(number: int, group: str, message: str, before: str, spans: Sequence[Span], *, is_own: bool) -> Iterable[Row]:
    words = with_accents(stated_words(message))
    sentences = split_sentences(words)[:MAX_SENTENCES]
    for sentence, context in zip(sentences, contexts_of(sentences, message, words, before), strict=True):
        analysis = analyze(sentence.text)
        if is_for_its_task(sentence, context):
            continue
        features = (*features_of(sentence, analysis, context), *word_features(sentence.text))
        target = max((_target(span) for span in spans if _overlaps(sentence, span)), default=0)
        yield Row(number, group, features, target, 1.0, is_own)


def _overlaps(sentence: Sentence, span: Span) -> bool:
    """Whether half of a span, or of the sentence, is in both."""
    shared = min(span.end, sentence.end) - max(span.start, sentence.start)
    return shared > 0 and shared >= 0.5 * min(span.end - span.start, sentence.end - sentence.start)


def common_features(rows: Iterable[Row]) -> list[str]:
    """Return the features that enough repositories and, if they are words, writers have."""
    groups: defaultdict[str, set[tuple[bool, str]]] = defaultdict(set)
    for row in rows:
        for feature in row.features:
            groups[feature].add((row.is_own, row.group))
    counts = {feature: Counter(is_own for is_own, _ in seen) for feature, seen in groups.items()}
    return sorted(
        feature
        for feature, count in counts.items()
        if count[False] >= MIN_REPOSITORIES and (count[True] >= MIN_WRITERS or not _is_lexical(feature))
    )


def _is_lexical(feature: str) -> bool:
    return feature.startswith(("word ", "words ", "characters "))


Model = dict[str, float]
"""Weights by feature; the empty name has the bias."""


def fit(rows: Sequence[Row], vocabulary: Sequence[str], least: int) -> Model:
    """Return the weights by which sentences with a target of at least `least` differ from the others."""
    index = {feature: number for number, feature in enumerate(vocabulary)}
    data = [
        ([index[feature] for feature in row.features if feature in index], int(row.target >= least), row.weight)
        for row in rows
    ]

    def loss(weights: list[float]) -> tuple[float, list[float]]:
        """Return the loss and its slope; the bias comes last."""
        bias = weights[-1]
        total = 0.5 * PENALTY * sum(weight * weight for weight in weights[:-1])
        slope = [*(PENALTY * weight for weight in weights[:-1]), 0.0]
        for features, target, importance in data:
            score = bias
            for feature in features:
                score += weights[feature]
            share = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
            total -= importance * math.log(max(1e-12, share if target else 1 - share))
            error = importance * (share - target)
            for feature in features:
                slope[feature] += error
            slope[-1] += error
        return total, slope

    *weights, bias = minimize(loss, [0.0] * len(vocabulary) + [-1.0])
    return {"": bias, **dict(zip(vocabulary, weights, strict=True))}


class Score(NamedTuple):
    """The best score of a message's sentences, and the share of a rule in it."""

    lasting: float = 0.0
    rule: float = 0.0


def cross_validate(rows: Sequence[Row], messages: Sequence[Judged]) -> dict[int, Score]:
    """Score the messages of each group by weights of other repositories and writers."""
    best: dict[int, Score] = defaultdict(Score)
    names = [sorted({message.group for message in messages if message.is_own is is_own}) for is_own in (False, True)]
    random.Random(1).shuffle(names[0])
    for fold in range(FOLDS):
        left_out = {name for group in names for name in group[fold::FOLDS]}
        others = [row for row in rows if row.group not in left_out]
        models = fit_both(others)
        for row in rows:
            if row.group in left_out:
                score = Score(*(score_of(row.features, model) for model in models))
                best[row.message] = max(best[row.message], score)
    return best


def fit_both(rows: Sequence[Row]) -> tuple[Model, Model]:
    """Return the weights of what lasts, and those of a rule among what lasts."""
    vocabulary = common_features(rows)
    return fit(rows, vocabulary, 1), fit([row for row in rows if row.target], vocabulary, STANDING)


def report(best: dict[int, Score], messages: Sequence[Judged]) -> Iterable[str]:
    """Yield what each threshold finds, by source; for rules, those that also are more likely one than not."""
    for is_own in (False, True):
        numbers = [number for number, message in enumerate(messages) if message.is_own is is_own]
        yield f"{'our own' if is_own else 'recorded'}: {len(numbers)} messages"
        for threshold in THRESHOLDS:
            lasting = figures_of([(messages[n].target > 0, best[n].lasting >= threshold) for n in numbers])
            is_rule = [(n, best[n].lasting >= threshold and best[n].rule >= MIN_RULE_PROBABILITY) for n in numbers]
            rules = figures_of([(messages[n].target > 0, found) for n, found in is_rule])
            standing = sum(found and messages[n].target == STANDING for n, found in is_rule)
            yield f"  {threshold:.2f} lasting: {lasting}"
            yield f"       rules: {rules}, of these {standing} standing"


def table_text(lasting: Model, rule: Model) -> str:
    """Return the file of weights."""
    rows = (
        f"{lasting[feature]:.2f}\t{rule[feature]:.2f}\t{feature}"
        for feature in sorted(lasting)
        if not feature or max(abs(lasting[feature]), abs(rule[feature])) >= MIN_WEIGHT
    )
    head = "# Weights by which a sentence lasts, and by which it is then a rule. Written by tests.labelled.fit."
    return "\n".join((head, *rows, ""))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the weights, or print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("clones", type=Path, help="folder of clones, each named <owner>+<name>")
    parser.add_argument("--cross-validate", action="store_true", help="print the figures, write nothing")
    chosen = parser.parse_args(arguments)
    try:
        rows, messages = read_material(chosen.clones)
    except MissingClones as missing:
        print(missing, file=sys.stderr)
        return 1
    if chosen.cross_validate:
        print("\n".join(report(cross_validate(rows, messages), messages)))
        return 0
    WEIGHTS_FILE.write_text(table_text(*fit_both(rows)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
