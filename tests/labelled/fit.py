"""Fit the weights of `sidecar/language/statement_weights.py` on the learning half, with the standard library alone.

    python -m tests.labelled.fit CLONES [--cross-validate [--folds N] [--seed N]]

Logistic regression of sentences: a sentence that overlaps a labelled span is positive. Weights start from what forms
and patterns should say, and a squared penalty holds them near it. `--cross-validate` leaves groups of repositories out
in turn (all alone with `--folds 0`), and writes nothing. Its thresholds are chosen on the other repositories, each
scored by weights that have not seen it: nothing of a repository is used to judge it.
"""

import argparse
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.language import statement_weights
from sidecar.language.explicit_statements import SUPPOSITION, explicit_form
from sidecar.language.own_words import own_words
from sidecar.language.statement_features import (
    FAMILIES,
    STRONG_FAMILIES,
    Sentence,
    analyze,
    contexts_of,
    features_of,
    is_strong,
    split_sentences,
)
from tests.labelled.corpus import LabelledMessage, MissingClones, labelled_messages
from tests.labelled.evaluate import figures_of, language_of, wilson
from tests.labelled.minimize import minimize

MIN_REPOSITORIES = 3
MIN_SENTENCES = 4
STRONG_PRIOR, WEAK_PRIOR, UNTIED_PRIOR = 2.0, 0.7, 1.0
PENALTY, FAMILY_PENALTY = 30.0, 5.0
UNMARKED = 0.7
"""Weight of the unmarked sentences of a positive message: the labels name only the strongest."""
UNCLEAR = 0.5
MAX_POSITIVES = 10
"""Positive sentences of a repository from which its weight grows with the root of their number only."""

MIN_WEIGHT = 0.05
INNER_FOLDS = 5
BOUNDS = (0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5, 0.4)
"""Lower ends of the interval of the precision that a threshold has on the other repositories."""

CHOSEN = 0.8
EXPLICIT_TOTAL = 9.0
LOWEST = -9.0


class Row(NamedTuple):
    """A sentence; `is_explicit` when an explicit form decides without the model, `is_strong` when its score may."""

    message: int
    features: list[str]
    target: int
    weight: float
    is_explicit: bool
    is_strong: bool


Model = tuple[float, dict[str, float]]
"""Bias, and weights by feature."""


def rows_of(messages: Sequence[LabelledMessage]) -> list[Row]:
    """Return the sentences of all messages, those of repositories with many positive ones weighted down."""
    rows = [row for number, message in enumerate(messages) for row in _rows(number, message)]
    positives = Counter(messages[row.message].label.repository for row in rows if row.target)
    shares = {name: min(1.0, math.sqrt(MAX_POSITIVES / count)) for name, count in positives.items()}
    return [row._replace(weight=row.weight * shares.get(messages[row.message].label.repository, 1.0)) for row in rows]


def _rows(number: int, message: LabelledMessage) -> list[Row]:
    words = own_words(message.text)
    sentences = split_sentences(words)
    contexts = contexts_of(sentences, message.text, words, message.before)
    rows = []
    previous = ""
    for sentence, context in zip(sentences, contexts, strict=True):
        analysis = analyze(sentence.text)
        target = message.is_lasting and _is_marked(sentence, message)
        weight = UNMARKED if message.is_lasting and not target else 1.0
        features = features_of(sentence, analysis, context)
        rows.append(
            Row(
                number,
                features,
                int(target),
                weight * (UNCLEAR if message.label.is_unclear else 1.0),
                explicit_form(sentence, analysis, context, previous) is not None,
                is_strong(features) and SUPPOSITION.match(sentence.text) is None,
            )
        )
        previous = sentence.text
    return rows


def _is_marked(sentence: Sentence, message: LabelledMessage) -> bool:
    """Whether half of a span, or of the sentence, is in both."""
    return any(
        min(span.end, sentence.end) - max(span.start, sentence.start)
        >= 0.5 * min(span.end - span.start, sentence.end - sentence.start)
        for span in message.label.spans
    )


def common_features(rows: Sequence[Row], repositories: Sequence[str]) -> list[str]:
    """Return the features that enough repositories have."""
    counts: Counter[str] = Counter()
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        for feature in row.features:
            counts[feature] += 1
            seen[feature].add(repositories[row.message])
    return sorted(f for f in counts if counts[f] >= MIN_SENTENCES and len(seen[f]) >= MIN_REPOSITORIES)


def fit(rows: Sequence[Row], vocabulary: Sequence[str]) -> Model:
    """Return the weights that explain the rows, held near their start by the penalty."""
    index = {feature: number for number, feature in enumerate(vocabulary)}
    counts: defaultdict[tuple[tuple[int, ...], int], float] = defaultdict(float)
    for row in rows:
        counts[tuple(sorted(index[f] for f in row.features if f in index)), row.target] += row.weight
    data = [(features, target, weight) for (features, target), weight in counts.items()]
    start = [_prior(feature) for feature in vocabulary]
    penalties = [_penalty(feature) for feature in vocabulary]

    def loss(weights: list[float]) -> tuple[float, list[float]]:
        """Return the loss and its slope; the bias comes last."""
        bias = weights[-1]
        total = 0.0
        slope = [0.0] * len(weights)
        for number, (penalty, prior) in enumerate(zip(penalties, start, strict=True)):
            distance = weights[number] - prior
            total += 0.5 * penalty * distance * distance
            slope[number] = penalty * distance
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

    *weights, bias = minimize(loss, [*start, -3.0])
    return bias, dict(zip(vocabulary, weights, strict=True))


_PRIORS = {f"family {name}": STRONG_PRIOR if name in STRONG_FAMILIES else WEAK_PRIOR for name in FAMILIES}


def _prior(feature: str) -> float:
    return UNTIED_PRIOR if feature == "strong family without a tie" else _PRIORS.get(feature, 0.0)


def _penalty(feature: str) -> float:
    return FAMILY_PENALTY if feature.startswith(("family", "strong")) else PENALTY


class Judgement(NamedTuple):
    """Scores of all messages by weights that have not seen their repository, and what each threshold found."""

    best: dict[int, float]
    found: dict[float, set[int]]


def cross_validate(rows: Sequence[Row], messages: Sequence[LabelledMessage], folds: int, seed: int) -> Judgement:
    """Judge every repository by weights and thresholds of the others."""
    names = [message.label.repository for message in messages]
    rows_by_name: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rows_by_name[names[row.message]].append(row)
    positive = [message.is_lasting for message in messages]
    order = sorted(rows_by_name)
    random.Random(seed).shuffle(order)
    judgement = Judgement({}, {bound: set() for bound in BOUNDS})
    for fold in range(folds or len(order)):
        left_out = order[fold :: folds or len(order)]
        others = [name for name in order if name not in left_out]
        inner: dict[int, float] = {}
        for part in range(INNER_FOLDS):
            inner |= _scores(rows_by_name, others[part::INNER_FOLDS], set(others), names)
        scores = _scores(rows_by_name, left_out, set(order), names)
        judgement.best.update(scores)
        for bound, found in judgement.found.items():
            threshold = threshold_of(inner, positive, bound)
            found.update(message for message, score in scores.items() if score >= threshold)
    return judgement


def _scores(
    rows_by_name: dict[str, list[Row]], left_out: Iterable[str], among: set[str], names: Sequence[str]
) -> dict[int, float]:
    """Return the best total of each message of some repositories, by weights of the others."""
    judged = set(left_out)
    learning = [row for name in sorted(among - judged) for row in rows_by_name[name]]
    bias, weights = fit(learning, common_features(learning, names))
    best: dict[int, float] = {}
    for name in sorted(judged):
        for row in rows_by_name[name]:
            total = LOWEST
            if row.is_explicit:
                total = EXPLICIT_TOTAL
            elif row.is_strong:
                total = bias + sum(weights.get(f, 0.0) for f in row.features)
            best[row.message] = max(best.get(row.message, LOWEST), total)
    return best


def threshold_of(scores: dict[int, float], positive: Sequence[bool], bound: float) -> float:
    """Return the lowest score from which the interval of the precision lies above the bound."""
    threshold = math.inf
    right = 0
    ordered = sorted(scores.items(), key=lambda item: -item[1])
    for number, (message, score) in enumerate(ordered, 1):
        right += positive[message]
        is_last_of_score = number == len(ordered) or ordered[number][1] < score
        if is_last_of_score and score > LOWEST and wilson(right, number)[0] >= bound:
            threshold = score
    return threshold


def report(judgement: Judgement, messages: Sequence[LabelledMessage]) -> list[str]:
    """Return the nested figures, then the curve, languages and repositories."""
    numbers = range(len(messages))
    lines = ["thresholds chosen on other repositories, by the lower end of the interval of the precision there:"]
    for bound, found in judgement.found.items():
        lines.append(f"  {bound:.2f}: {figures_of([(messages[n].is_lasting, n in found) for n in numbers])}")
    lines.append("curve of all messages, scored by weights of other repositories:")
    for label in ("standing or durable", "standing"):
        positive = [message.is_lasting if label != "standing" else message.label.label == label for message in messages]
        for bound in BOUNDS:
            threshold = threshold_of(judgement.best, positive, bound)
            if threshold < math.inf:
                found = {n for n, score in judgement.best.items() if score >= threshold}
                figures = figures_of([(positive[n], n in found) for n in numbers])
                lines.append(f"  {label}, score {1 / (1 + math.exp(-threshold)):.3f}: {figures}")
    chosen = judgement.found[CHOSEN]
    for title, key in (("language", language_of), ("repository", lambda message: message.label.repository)):
        lines.append(f"threshold for {CHOSEN}, by {title}:")
        groups: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
        for number, message in enumerate(messages):
            groups[key(message)].append((message.is_lasting, number in chosen))
        lines += [f"  {name}: {len(group)} messages, {figures_of(group)}" for name, group in sorted(groups.items())]
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
    """Write the weights, or print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("clones", type=Path, help="folder of clones, each named <owner>+<name>")
    parser.add_argument("--cross-validate", action="store_true", help="print the figures, write nothing")
    parser.add_argument("--folds", type=int, default=5, help="groups of repositories; 0 leaves each out alone")
    parser.add_argument("--seed", type=int, default=1, help="order of the repositories")
    chosen = parser.parse_args(arguments)
    try:
        messages = list(labelled_messages(chosen.clones, "learning"))
    except MissingClones as missing:
        print(missing, file=sys.stderr)
        return 1
    rows = rows_of(messages)
    if chosen.cross_validate:
        print("\n".join(report(cross_validate(rows, messages, chosen.folds, chosen.seed), messages)))
        return 0
    model = fit(rows, common_features(rows, [message.label.repository for message in messages]))
    Path(str(statement_weights.__file__)).write_text(module_text(model), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
