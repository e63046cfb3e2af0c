"""Intents in the words used to a colleague, over registries derived from real code.

They were written from knowledge of the libraries alone and labelled by entity names before any answer was seen: those
for click and axios before the score used comments, methods and synonyms, those for httpx after the answers to the
first two were known. No label has changed since.
"""

from pathlib import Path

from tests.registry.labelled.intents import Labelled

_FILE = Path(__file__).with_suffix(".tsv")


def _row(line: str) -> Labelled:
    registry, decision, intent, *right = line.split("\t")
    return Labelled(registry, intent, decision, tuple(right[0].split()) if right else ())  # pyrefly: ignore[bad-argument-type]


CODE_INTENTS = [_row(line) for line in _FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
