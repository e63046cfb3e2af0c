"""How many memories hold each term, for each project and owner: what is out of reach weighs on nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

ENTRIES = ""
"""Stands, as a term, for how many entries there are."""
WORDS = " "
"""Stands, as a term, for how many terms they have together."""

_ADD = (
    "INSERT INTO continuity_memory_words (project, owner, term, entries) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (project, owner, term) DO UPDATE SET entries = entries + excluded.entries"
)


class Counts(NamedTuple):
    """What is known of a question's terms within reach."""

    entries: int
    words: int
    holding: Mapping[str, int]
    """Term → how many entries hold it; those that begin as the question's do among them."""


def count_in(tx: apsw.Connection, project: str, told: Iterable[tuple[str, str]]) -> None:
    """Counts the terms of entries, given as owner and terms, that come into the index."""
    tx.executemany(_ADD, [(project, *row) for row in _counted(told, 1)])


def count_out(tx: apsw.Connection, project: str, told: Iterable[tuple[str, str]]) -> None:
    """Takes the terms of entries out of the counts."""
    rows = [(project, *row) for row in _counted(told, -1)]
    tx.executemany(_ADD, rows)
    tx.executemany(
        "DELETE FROM continuity_memory_words WHERE project = ? AND owner = ? AND term = ? AND entries <= 0",
        [row[:3] for row in rows],
    )


def counts(
    tx: apsw.Connection, project: str, owners: Sequence[str], terms: Sequence[str], beginnings: Iterable[str]
) -> Counts:
    """Gives the counts of terms, and of the words that have one of the beginnings."""
    found: Counter[str] = Counter()
    for owner in owners:
        for term in (ENTRIES, WORDS, *terms):
            rows: Any = tx.execute(
                "SELECT term, entries FROM continuity_memory_words WHERE project = ? AND owner = ? AND term = ?",
                (project, owner, term),
            )
            found.update(dict(rows))
        for begin in sorted(set(beginnings)):
            rows = tx.execute(
                "SELECT term, entries FROM continuity_memory_words"
                " WHERE project = ? AND owner = ? AND term >= ? AND term < ?",
                (project, owner, begin, f"{begin}\U0010ffff"),
            )
            found.update({term: number for term, number in rows if term not in terms})
    entries, words = found.pop(ENTRIES, 0), found.pop(WORDS, 0)
    return Counts(entries, words, found)


def _counted(told: Iterable[tuple[str, str]], sign: int) -> list[tuple[str, str, int]]:
    of_owners: dict[str, Counter[str]] = {}
    for owner, joined in told:
        words = joined.split()
        found = of_owners.setdefault(owner, Counter())
        found[ENTRIES] += 1
        found[WORDS] += len(words)
        found.update(set(words))
    return [
        (owner, term, sign * number) for owner in sorted(of_owners) for term, number in sorted(of_owners[owner].items())
    ]
