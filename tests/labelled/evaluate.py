"""Judge `read_statements` on labelled messages of recorded conversations.

    python -m tests.labelled.evaluate CLONES [--half learning|judging]
    python -m tests.labelled.evaluate CLONES --labels tests/labelled/unread.tsv --half HALF

`unread.tsv` has messages that nobody had read before the rules were written. Its halves `reading`, `checking` and
`recheck` have what was stored, and missed, in whole conversations: their precision counts, not their recall. The halves
`learning`, `judging`, `third` and `fourth` have all messages of other repositories, recorded by SpecStory, aider and
Entire; a repaired cause came from the first three, the fourth was read after the repairs. The clones of Entire's have
the files of the branch `entire/checkpoints/v1`.

A message counts as found if a statement of at least the threshold is returned for it. Shares are given with their 95 %
Wilson interval.
"""

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.language.english_translation import language_of as wording_language
from sidecar.language.lasting_statements import MIN_STATEMENT_SCORE, Reading, read_statements
from tests.labelled.corpus import LABELS, LabelledMessage, MissingClones, labelled_messages

NORMAL_95 = 1.96
THRESHOLDS = (0.98, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5, 0.4, 0.3)


class Figures(NamedTuple):
    """Counts of messages: found, rightly found, and all to be found."""

    found: int
    right: int
    positive: int

    @property
    def precision(self) -> float:
        """Return the share of found messages that are right."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Return the share of positive messages that are found."""
        return self.right / self.positive if self.positive else 0.0

    def __str__(self) -> str:
        counts = f"{self.right} of {self.found} found, {self.positive} in all"
        precision = f"precision {self.precision:.3f} {_interval(self.right, self.found)}"
        return f"{precision} recall {self.recall:.3f} {_interval(self.right, self.positive)} ({counts})"


def wilson(right: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    if not total:
        return 0.0, 1.0
    share, square = right / total, NORMAL_95 * NORMAL_95
    middle = share + square / (2 * total)
    half = NORMAL_95 * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    scale = 1 + square / total
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def _interval(right: int, total: int) -> str:
    low, high = wilson(right, total)
    return f"[{low:.2f}, {high:.2f}]"


def language_of(message: LabelledMessage) -> str:
    """Return the language of a message by its script and function words."""
    return wording_language(message.text) or "unclear"


def figures_of(judged: Sequence[tuple[bool, bool]]) -> Figures:
    """Return the figures of messages as (is positive, is found)."""
    right = sum(is_positive and is_found for is_positive, is_found in judged)
    return Figures(sum(found for _, found in judged), right, sum(is_positive for is_positive, _ in judged))


def score_of(reading: Reading) -> float:
    """Return the score of a message's best sentence."""
    return max((statement.score for statement in (*reading.statements, *reading.near_misses)), default=0.0)


def report(messages: Sequence[LabelledMessage]) -> list[str]:
    """Return the lines of the report."""
    readings = [read_statements(message.text, message.before) for message in messages]
    repositories = len({message.label.repository for message in messages})
    lines = [f"{len(messages)} messages of {repositories} repositories"]
    for threshold in THRESHOLDS:
        judged = [(m.is_lasting, score_of(r) >= threshold) for m, r in zip(messages, readings, strict=True)]
        lines.append(f"score {threshold:.2f}: {figures_of(judged)}")
    judged = [(m.is_lasting, bool(r.statements)) for m, r in zip(messages, readings, strict=True)]
    lines.append(f"statements (threshold {MIN_STATEMENT_SCORE}): {figures_of(judged)}")
    found = [any(statement.is_standing for statement in r.statements) for r in readings]
    judged = [(m.label.label == "standing", is_found) for m, is_found in zip(messages, found, strict=True)]
    lines.append(f"standing instructions, label standing: {figures_of(judged)}")
    judged = [(m.is_lasting, is_found) for m, is_found in zip(messages, found, strict=True)]
    lines.append(f"standing instructions, label standing or durable: {figures_of(judged)}")
    for title, key in (("language", language_of), ("repository", lambda message: message.label.repository)):
        lines.append(f"statements by {title}:")
        groups: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
        for message, reading in zip(messages, readings, strict=True):
            groups[key(message)].append((message.is_lasting, bool(reading.statements)))
        lines += [f"  {name}: {len(group)} messages, {figures_of(group)}" for name, group in sorted(groups.items())]
    return lines


def main(arguments: Sequence[str] | None = None, labels: Path = LABELS) -> int:
    """Print the figures of a half."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("clones", type=Path, help="folder of clones, each named <owner>+<name>")
    parser.add_argument("--half", default="learning", help="half of the labels")
    parser.add_argument("--labels", type=Path, default=labels, help="table of labels")
    chosen = parser.parse_args(arguments)
    try:
        messages = list(labelled_messages(chosen.clones, chosen.half, chosen.labels))
    except MissingClones as missing:
        print(missing, file=sys.stderr)
        return 1
    print("\n".join(report(messages)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
