"""Judge `read_statements` on labelled messages of recorded conversations.

    python -m tests.labelled.evaluate CLONES [--half learning|judging]

A message counts as found if a statement of at least the threshold is returned for it.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.language.user_statements import FALLBACK, Reading, read_statements
from tests.labelled.corpus import LABELS, LabelledMessage, MissingClones, labelled_messages

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
        return f"precision {self.precision:.3f} recall {self.recall:.3f} ({counts})"


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
    lines.append(f"statements (threshold {FALLBACK}): {figures_of(judged)}")
    found = [any(statement.is_standing for statement in r.statements) for r in readings]
    judged = [(m.label.label == "standing", is_found) for m, is_found in zip(messages, found, strict=True)]
    lines.append(f"standing instructions, label standing: {figures_of(judged)}")
    judged = [(m.is_lasting, is_found) for m, is_found in zip(messages, found, strict=True)]
    lines.append(f"standing instructions, label standing or durable: {figures_of(judged)}")
    return lines


def main(arguments: Sequence[str] | None = None, labels: Path = LABELS) -> int:
    """Print the figures of a half."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("clones", type=Path, help="folder of clones, each named <owner>+<name>")
    parser.add_argument("--half", choices=("learning", "judging"), default="learning")
    chosen = parser.parse_args(arguments)
    try:
        messages = list(labelled_messages(chosen.clones, chosen.half, labels))
    except MissingClones as missing:
        print(missing, file=sys.stderr)
        return 1
    print("\n".join(report(messages)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
