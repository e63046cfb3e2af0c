"""A workspace's anchor, made anew only when something it is made of changed."""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from sidecar.codebase import Listing, Repository, RepositoryState
from sidecar.packs.anchor import anchor_lines
from sidecar.packs.census import Census, Outline, census_of
from sidecar.packs.model import HostInjects
from sidecar.packs.sources import area_heads, gather_sources, source_paths
from sidecar.runs import keys
from sidecar.storage.lru import Lru

KEPT_BYTES = 256 * 1024


class Anchor(NamedTuple):
    """An anchor's lines."""

    lines: tuple[str, ...]
    is_whole: bool
    """Whether all it is made of could be read; what one that is not whole leaves out may still hold."""


class _Counted(NamedTuple):
    """The files that were counted last, and in which state."""

    state: RepositoryState
    files: Mapping[str, str]
    census: Census


class Anchors:
    """The anchors of one workspace by the contents they are made of. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: _Counted | None = None
        self._known = Lru(KEPT_BYTES)

    def lines(
        self,
        repository: Repository,
        state: RepositoryState,
        listing: Listing,
        host: HostInjects,
        rejected: tuple[str, ...],
        limit_bytes: int,
    ) -> Anchor:
        """Gives the anchor for a state; reads files only where their contents are not known yet."""
        outline, files = self._census(state, listing).outline, listing.files
        sources = {path: files[path] for path in source_paths(files, outline)}
        heads = area_heads(files, outline)
        contents = sources | {path: files[path] for paths in heads.values() for path in paths}
        identity = tuple((path, keys.content_digest(content)) for path, content in contents.items())
        key = (outline, identity, host.agents_md, host.claude_md, rejected, limit_bytes)
        known = self._known.get(key)
        if isinstance(known, Anchor):
            return known
        texts = repository.texts(sources)
        lines, is_whole = _made(repository, outline, texts, heads, contents, host, rejected, limit_bytes)
        anchor = Anchor(lines, is_whole and texts.keys() == sources.keys())
        if anchor.is_whole:
            self._known.put(key, anchor, sum(len(line) for line in lines) + 100 * len(contents))
        return anchor

    def _census(self, state: RepositoryState, listing: Listing) -> Census:
        with self._lock:
            known = self._counted
            if known is None:
                census = census_of(listing.files)
            elif known.files is listing.files:
                return known.census
            else:
                census = _recounted(known, state, listing.files)
            self._counted = _Counted(state, listing.files, census)
            return census


def _made(
    repository: Repository,
    outline: Outline,
    texts: Mapping[str, str],
    heads: Mapping[str, list[str]],
    contents: Mapping[str, str],
    host: HostInjects,
    rejected: tuple[str, ...],
    limit_bytes: int,
) -> tuple[tuple[str, ...], bool]:
    """The anchor's lines, and whether every area's head could be read."""
    wanted = {path: contents[path] for paths in heads.values() for path in paths}
    summaries = repository.summaries(wanted)
    said = {
        area: next((summaries[path].purpose for path in paths if path in summaries and summaries[path].purpose), "")
        for area, paths in heads.items()
    }
    purposes = {area: purpose for area, purpose in said.items() if purpose}
    sources = gather_sources(contents, outline, texts.get, purposes, host, rejected)
    return tuple(anchor_lines(sources, limit_bytes)), summaries.keys() == wanted.keys()


def _recounted(known: _Counted, state: RepositoryState, files: Mapping[str, str]) -> Census:
    """Counts on from the files counted last.

    Between two states of one commit only what one of them calls changed can have come or gone; where that does not
    add up, as after a change of what is checked out, the lists are compared whole.
    """
    if state.kind == "git" and (known.state.head, known.state.root) == (state.head, state.root):
        changed = (*known.state.changed, *state.changed)
        census = _with_changes(known, files, {path for file in changed for path in (file.path, file.original) if path})
        if census.total == len(files):
            return census
    return _with_changes(known, files, known.files.keys() ^ files.keys())


def _with_changes(known: _Counted, files: Mapping[str, str], paths: set[str]) -> Census:
    added = [path for path in paths if path in files and path not in known.files]
    removed = [path for path in paths if path in known.files and path not in files]
    return known.census.with_changes(added, removed) if added or removed else known.census
