"""The context's items as they were rendered last: where nothing changed, nothing is rendered again."""

from collections.abc import Hashable, Sequence

from sidecar.packs.context import ContextFile, context_items
from sidecar.packs.items import PackItem
from sidecar.storage.lru import Lru

RENDERED_BYTES = 512 * 1024
"""Texts kept for one workspace."""


class Rendered:
    """Items by everything their texts are made of. Thread-safe."""

    def __init__(self) -> None:
        self._known = Lru(RENDERED_BYTES)

    def items(self, files: Sequence[ContextFile], query: str, sendable_bytes: int) -> tuple[PackItem, ...]:
        """Gives what `context_items` gives."""
        key = (tuple(_identity(file) for file in files), query, sendable_bytes)
        known = self._known.get(key)
        if isinstance(known, tuple):
            return known
        items = tuple(context_items(files, query, sendable_bytes))
        self._known.put(key, items, len(query) + sum(item.bytes for item in items))
        return items


def _identity(file: ContextFile) -> Hashable:
    """What a summary says follows from its file's path and content, and from how far the file could be analysed."""
    path, score, parts, matched, near = file.ranked
    summary = file.summary
    analysed = summary.analysis, summary.purpose, len(summary.definitions)
    return path, score, tuple(parts.items()), matched, near, file.content, analysed, file.why
