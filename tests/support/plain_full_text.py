"""SQLite's full-text search without changes, the baseline for ours."""

import re
import time
from collections.abc import Mapping

import apsw

from sidecar.memory.indexed_text import QUESTION_WORDS


class PlainFullTextSearch:
    """Texts in a table of their own: porter, any of the words, BM25."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.ids = list(texts)
        self.database = apsw.Connection(":memory:")
        self.database.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize='porter unicode61')")
        self.database.executemany("INSERT INTO plain (rowid, text) VALUES (?, ?)", enumerate(texts.values()))

    def find(self, text: str, *, stop: bool) -> tuple[list[str], float]:
        """Return ids, best first, and the duration in milliseconds; with `stop`, question words are left out."""
        words = re.findall(r"\w+", text)
        searched = [word for word in words if not stop or word.lower() not in QUESTION_WORDS] or words
        match = " OR ".join(f'"{word}"' for word in searched)
        start = time.perf_counter()
        rows = list(
            self.database.execute("SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 100", (match,))
        )
        return [self.ids[int(str(row))] for (row,) in rows], (time.perf_counter() - start) * 1000
