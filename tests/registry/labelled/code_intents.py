"""What people ask for, in the words they would use to a colleague, over registries derived from real code.

Written from knowledge of the libraries alone, and labelled by the names of what they hold, before any answer was seen:
those over click and axios before the score knew of comments, methods and near words, those over httpx after the answers
to the first two had been looked at. No label was changed since.
"""

from pathlib import Path

from tests.registry.labelled.intents import Labelled

_FILE = Path(__file__).with_suffix(".tsv")


def _row(line: str) -> Labelled:
    registry, decision, intent, *right = line.split("\t")
    return Labelled(registry, intent, decision, tuple(right[0].split()) if right else ())  # type: ignore[arg-type]


CODE_INTENTS = [_row(line) for line in _FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
