"""The lines that matter of the best files, as they were found last: after an edit those of the others are the same."""

from collections.abc import Iterator, Sequence

from sidecar.codebase import Repository
from sidecar.packs.context.items import ContextFile
from sidecar.packs.context.passages import passage_of
from sidecar.storage.lru import Lru

QUOTED_BYTES = 64 * 1024
"""Passages kept for one workspace."""


class Quoted:
    """Passages by file, content and terms. Thread-safe."""

    def __init__(self) -> None:
        self._known = Lru(QUOTED_BYTES)

    def added(
        self, repository: Repository, files: Sequence[ContextFile], terms: Sequence[str]
    ) -> Iterator[ContextFile]:
        """Gives the files with the lines that hold most of the terms, as far as the worktree has their contents."""
        keys = {file.ranked.path: (file.ranked.path, file.content, *(file.ranked.matched or terms)) for file in files}
        unknown = {file.ranked.path: file.content for file in files if self._known.get(keys[file.ranked.path]) is None}
        texts = repository.present_texts(unknown) if unknown else {}
        for file in files:
            path = file.ranked.path
            if path in texts:
                found = passage_of(texts[path], file.summary, keys[path][2:])
                self._known.put(keys[path], found, 100 + sum(len(line) for _, line in found))
            known = self._known.get(keys[path])
            yield file._replace(passage=known) if isinstance(known, tuple) else file
