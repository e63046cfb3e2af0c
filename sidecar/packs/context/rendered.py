"""The context's texts as they were rendered last: a file that is told as before is not rendered again."""

from collections.abc import Hashable, Sequence
from operator import is_

from sidecar.codebase import query_terms
from sidecar.packs.composing.items import PackItem
from sidecar.packs.context.appetite import Appetite
from sidecar.packs.context.items import ContextFile, Told, context_item, told
from sidecar.storage.lru import Lru

RENDERED_BYTES = 512 * 1024
"""Texts kept for one workspace."""


class Rendered:
    """Texts by everything they are made of. Thread-safe."""

    def __init__(self) -> None:
        self._known = Lru(RENDERED_BYTES)
        self._last: tuple[Sequence[ContextFile], tuple[str, Appetite, int] | None, list[PackItem]] = ((), None, [])

    def items(
        self, files: Sequence[ContextFile], query: str, appetite: Appetite, sendable_bytes: int
    ) -> list[PackItem]:
        """Renders the files, the most relevant first; the very same files as before without looking at them."""
        last_files, last_asked, last_items = self._last
        asked = (query, appetite, sendable_bytes)
        if last_asked == asked and _are_same(files, last_files):
            return last_items
        terms = frozenset(query_terms(query))
        items = [
            context_item(file, rank, self._told(file, rank, terms, appetite.most_bytes(rank, sendable_bytes)))
            for rank, file in enumerate(files, 1)
        ]
        self._last = (tuple(files), asked, items)
        return items

    def _told(self, file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> Told:
        key = (_identity(file), rank, terms, limit_bytes)
        known = self._known.get(key)
        if isinstance(known, Told):
            return known
        made = told(file, rank, terms, limit_bytes)
        self._known.put(key, made, len(made.text) + sum(map(len, terms)))
        return made


def _identity(file: ContextFile) -> Hashable:
    """What a summary says follows from its file's path and content, and from how far the file could be analysed."""
    summary = file.summary
    analysed = summary.analysis, summary.purpose, len(summary.definitions)
    return file.ranked.path, file.content, file.why, file.passage, analysed


def _are_same(files: Sequence[ContextFile], others: Sequence[ContextFile]) -> bool:
    return len(files) == len(others) and all(map(is_, files, others))
