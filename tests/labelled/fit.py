"""Fit the weights of `sidecar/language/statement_weights.py` on the learning half, with the standard library alone.

    python -m tests.labelled.fit CLONES [--cross-validate]

Logistic regression of sentences: a sentence that overlaps a labelled span is positive. The forms start from a high
weight, all else from zero, and a squared penalty holds weights near their start. `--cross-validate` leaves
each group of repositories out in turn and prints the curve over messages; without it the weights are written.
"""

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.language import statement_weights
from sidecar.language.own_words import own_words
from sidecar.language.statement_features import Context, Sentence, analyze, features_of, split_sentences
from sidecar.language.statement_forms import FORMS, STRONG_FORMS, UNTIED
from sidecar.language.user_statements import explicit_statement
from tests.labelled.corpus import LabelledMessage, MissingClones, labelled_messages
from tests.labelled.evaluate import figures_of

MIN_REPOSITORIES = 3
MIN_SENTENCES = 4
STRONG_PRIOR, FORM_PRIOR, UNTIED_PRIOR = 3.5, 1.0, 1.5
PENALTY, FORM_PENALTY, WORD_PENALTY = 3.0, 4.0, 60.0
UNMARKED = 0.7
"""Weight of the unmarked sentences of a positive message: the labels name only the strongest."""
UNCLEAR = 0.5
MIN_WEIGHT = 0.1
EPOCHS, RATE = 250, 0.5
FOLDS = 8
CURVE = (3.0, 2.0, 1.7, 1.5, 1.3, 1.0, 0.7, 0.4, 0.0, -0.5, -1.0)


class Row(NamedTuple):
    """A sentence; `is_explicit` when an explicit form decides without the model."""

    message: int
    features: list[str]
    target: int
    weight: float
    is_explicit: bool


Model = tuple[float, dict[str, float]]
"""Bias, and weights by feature."""


def rows_of(messages: Sequence[LabelledMessage]) -> list[Row]:
    """Return the sentences of all messages."""
    return [row for number, message in enumerate(messages) for row in _rows(number, message)]


def _rows(number: int, message: LabelledMessage) -> list[Row]:
    sentences = split_sentences(own_words(message.text))
    before = message.before.rstrip()
    rows = []
    for position, sentence in enumerate(sentences):
        analysis = analyze(sentence.text)
        context = Context(position, len(sentences), before.endswith(("?", "？")), not before)
        target = message.is_lasting and _is_marked(sentence, message)
        weight = UNMARKED if message.is_lasting and not target else 1.0
        rows.append(
            Row(
                number,
                features_of(sentence, analysis, context),
                int(target),
                weight * (UNCLEAR if message.label.is_unclear else 1.0),
                explicit_statement(sentence, analysis) is not None,
            )
        )
    return rows


def _is_marked(sentence: Sentence, message: LabelledMessage) -> bool:
    """Whether half of a span, or of the sentence, is in both."""
    return any(
        min(span.end, sentence.end) - max(span.start, sentence.start)
        >= 0.5 * min(span.end - span.start, sentence.end - sentence.start)
        for span in message.label.spans
    )


def common_features(rows: Sequence[Row], repositories: Sequence[str]) -> list[str]:
    """Return the features that enough repositories have, and all forms."""
    counts: Counter[str] = Counter()
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        for feature in row.features:
            counts[feature] += 1
            seen[feature].add(repositories[row.message])
    common = {f for f in counts if counts[f] >= MIN_SENTENCES and len(seen[f]) >= MIN_REPOSITORIES}
    return sorted(common | set(FORMS))


def fit(rows: Sequence[Row], vocabulary: Sequence[str]) -> Model:
    """Return the weights: gradient descent, scaled by each feature's curvature."""
    index = {feature: number for number, feature in enumerate(vocabulary)}
    data = [([index[f] for f in row.features if f in index], row.target, row.weight) for row in rows]
    start = [_prior(feature) for feature in vocabulary]
    penalties = [
        FORM_PENALTY if prior else WORD_PENALTY if feature.startswith("word ") else PENALTY
        for feature, prior in zip(vocabulary, start, strict=True)
    ]
    weights, bias = list(start), -3.0
    momentum = [0.0] * (len(weights) + 1)
    for _ in range(EPOCHS):
        gradient = [p * (w - s) for p, w, s in zip(penalties, weights, start, strict=True)] + [0.0]
        curvature = [*penalties, 1.0]
        for features, target, importance in data:
            score = 1 / (1 + math.exp(-max(-30.0, min(30.0, bias + sum(weights[f] for f in features)))))
            slope, bend = importance * (score - target), importance * score * (1 - score)
            for feature in features:
                gradient[feature] += slope
                curvature[feature] += bend
            gradient[-1] += slope
            curvature[-1] += bend
        momentum = [0.8 * m + RATE * 0.2 * g / c for m, g, c in zip(momentum, gradient, curvature, strict=True)]
        weights = [w - m for w, m in zip(weights, momentum, strict=False)]
        bias -= momentum[-1]
    return bias, dict(zip(vocabulary, weights, strict=True))


def _prior(feature: str) -> float:
    if feature == UNTIED:
        return UNTIED_PRIOR
    return STRONG_PRIOR if feature in STRONG_FORMS else FORM_PRIOR if feature in FORMS else 0.0


def cross_validate(rows: Sequence[Row], messages: Sequence[LabelledMessage]) -> list[str]:
    """Return the curve over messages whose repository the weights have not seen."""
    repositories = [message.label.repository for message in messages]
    sizes = Counter(repositories)
    fold_of = {name: number % FOLDS for number, (name, _) in enumerate(sizes.most_common())}
    best: dict[int, float] = {}
    for fold in range(FOLDS):
        learning = [row for row in rows if fold_of[repositories[row.message]] != fold]
        bias, weights = fit(learning, common_features(learning, repositories))
        for row in rows:
            if fold_of[repositories[row.message]] == fold:
                score = 9.0 if row.is_explicit else bias + sum(weights.get(f, 0.0) for f in row.features)
                best[row.message] = max(best.get(row.message, -9.0), score)
    lines = []
    for threshold in CURVE:
        judged = [(m.is_lasting, best.get(number, -9.0) >= threshold) for number, m in enumerate(messages)]
        lines.append(f"score {1 / (1 + math.exp(-threshold)):.2f}: {figures_of(judged)}")
    return lines


def module_text(model: Model) -> str:
    """Return the module that holds the weights."""
    bias, weights = model
    stored = {name: weight for name, weight in sorted(weights.items()) if abs(weight) >= MIN_WEIGHT}
    return "\n".join(
        (
            '"""Weights of a sentence\'s features, written by `python -m tests.labelled.fit`, not by hand."""',
            "",
            f"BIAS = {bias:.2f}",
            "",
            "WEIGHTS = {",
            *(f'    "{name}": {weight:.2f},' for name, weight in stored.items()),
            "}",
            "",
        )
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the weights, or print the curve."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("clones", type=Path, help="folder of clones, each named <owner>+<name>")
    parser.add_argument("--cross-validate", action="store_true", help="print the curve, write nothing")
    chosen = parser.parse_args(arguments)
    try:
        messages = list(labelled_messages(chosen.clones, "learning"))
    except MissingClones as missing:
        print(missing, file=sys.stderr)
        return 1
    rows = rows_of(messages)
    if chosen.cross_validate:
        print("\n".join(cross_validate(rows, messages)))
        return 0
    model = fit(rows, common_features(rows, [message.label.repository for message in messages]))
    Path(str(statement_weights.__file__)).write_text(module_text(model), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
