"""The context's texts as they were rendered last: a file that is told as before is not rendered again."""

from collections.abc import Hashable, Sequence
from operator import is_

from sidecar.codebase import query_terms
from sidecar.packs.context import ContextFile, context_item, item_text, most_bytes
from sidecar.packs.items import PackItem
from sidecar.storage.lru import Lru

RENDERED_BYTES = 512 * 1024
"""Texts kept for one workspace."""


class Rendered:
    """Texts by everything they are made of. Thread-safe."""

    def __init__(self) -> None:
        self._known = Lru(RENDERED_BYTES)
        self._last: tuple[tuple[ContextFile, ...], str, int, list[PackItem]] = ((), "", 0, [])

    def items(self, files: Sequence[ContextFile], query: str, sendable_bytes: int) -> list[PackItem]:
        """Gives what `context_items` gives; for the very same files as before, without looking at them."""
        last_files, *last_asked, last_items = self._last
        if last_asked == [query, sendable_bytes] and _are_same(files, last_files):
            return last_items
        items = self._made(files, frozenset(query_terms(query)), sendable_bytes)
        self._last = (tuple(files), query, sendable_bytes, items)
        return items

    def _made(self, files: Sequence[ContextFile], terms: frozenset[str], sendable_bytes: int) -> list[PackItem]:
        return [
            context_item(file, rank, self._text(file, rank, terms, most_bytes(rank, sendable_bytes)))
            for rank, file in enumerate(files, 1)
        ]

    def _text(self, file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> str:
        key = (_identity(file), rank, terms, limit_bytes)
        known = self._known.get(key)
        if isinstance(known, str):
            return known
        text = item_text(file, rank, terms, limit_bytes)
        self._known.put(key, text, len(text) + sum(map(len, terms)))
        return text


def _identity(file: ContextFile) -> Hashable:
    """What a summary says follows from its file's path and content, and from how far the file could be analysed."""
    summary = file.summary
    return file.ranked.path, file.content, file.why, summary.analysis, summary.purpose, len(summary.definitions)


def _are_same(files: Sequence[ContextFile], others: Sequence[ContextFile]) -> bool:
    return len(files) == len(others) and all(map(is_, files, others))
