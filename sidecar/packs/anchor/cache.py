"""A workspace's anchor, made anew only when something it is made of changed."""

import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import Listing, Names, Repository, RepositoryState
from sidecar.packs.anchor.build import DEPENDENCIES, REPAIRED, Anchor, anchor_of, sections_of
from sidecar.packs.anchor.decisions import Accepted
from sidecar.packs.anchor.repo_map import (
    MAX_TROUBLES,
    Census,
    Outline,
    census_of,
    dependency_lines,
    landmine_lines,
    names_of,
)
from sidecar.packs.anchor.sources import area_heads, gather_sources, source_paths
from sidecar.packs.model import HostInjects
from sidecar.runs import keys
from sidecar.storage.lru import Lru

KEPT_BYTES = 256 * 1024

LINKED = ("AGENTS.md", "CLAUDE.md")
"""Instruction files that may be links to one another."""


class _Counted(NamedTuple):
    """The files that were counted last, and in which state."""

    state: RepositoryState
    files: Mapping[str, str]
    census: Census


class _Said(NamedTuple):
    """What an anchor's sources say."""

    sections: Mapping[str, Sequence[str]]
    names: Names
    """What the areas are called by those that import them."""
    is_whole: bool
    """Whether every source could be read."""

    @property
    def bytes(self) -> int:
        """About what it takes."""
        return sum(100 + len(line) for lines in self.sections.values() for line in lines)


class _Derived(NamedTuple):
    """The lines that are worked out of all files' imports, and of the history."""

    dependencies: tuple[str, ...]
    repaired: tuple[str, ...]


class Anchors:
    """The anchors of one workspace by the contents they are made of. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: _Counted | None = None
        self._known = Lru(KEPT_BYTES)
        self._told = _Derived((), ())

    def lines(
        self,
        repository: Repository,
        state: RepositoryState,
        listing: Listing,
        host: HostInjects,
        accepted: Accepted,
        limit_bytes: int,
    ) -> Anchor:
        """Gives the anchor for a state; reads files only where their contents are not known yet."""
        outline, files = self._census(state, listing).outline, listing.files
        sources = {path: files[path] for path in source_paths(files, outline)}
        heads = area_heads(files, outline)
        contents = sources | {path: files[path] for paths in heads.values() for path in paths}
        identity = tuple((path, keys.content_digest(content)) for path, content in contents.items())
        links = repository.links(LINKED) if host.agents_md or host.claude_md else {}
        key = (outline, identity, host.agents_md, host.claude_md, tuple(links.items()), accepted)
        said = self._known.get(key)
        if not isinstance(said, _Said):
            said = _read(repository, outline, sources, heads, contents, host, links, accepted)
            if said.is_whole:
                self._known.put(key, said, said.bytes + 100 * len(contents))
        derived = self._derived(repository, outline, said.names)
        fitted = self._known.get((key, derived, limit_bytes))
        if isinstance(fitted, Anchor) and said.is_whole:
            return fitted
        sections = {**said.sections, DEPENDENCIES: derived.dependencies, REPAIRED: derived.repaired}
        anchor = anchor_of(sections, limit_bytes)._replace(is_whole=said.is_whole)
        if anchor.is_whole:
            kept_bytes = sum(100 + len(line) for line in (*anchor.lines, *anchor.left_out))
            self._known.put((key, derived, limit_bytes), anchor, kept_bytes)
        return anchor

    def _derived(self, repository: Repository, outline: Outline, names: Names) -> _Derived:
        """What imports and history tell; while they are not known yet, what they told last."""
        reach = repository.reach(frozenset(area for area, _ in outline.areas), names)
        troubles = repository.troubles(MAX_TROUBLES)
        before = self._told
        self._told = _Derived(
            dependency_lines(reach) if reach is not None else before.dependencies,
            landmine_lines(troubles) if troubles is not None else before.repaired,
        )
        return self._told

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


def _read(
    repository: Repository,
    outline: Outline,
    sources: dict[str, str],
    heads: Mapping[str, list[str]],
    contents: Mapping[str, str],
    host: HostInjects,
    links: Mapping[str, str],
    accepted: Accepted,
) -> _Said:
    texts = repository.texts(sources)
    purposes, are_whole = _purposes(repository, heads, contents)
    gathered = gather_sources(contents, outline, texts.get, purposes, host, links, accepted)
    names = names_of([area for area, _ in outline.areas], texts, contents)
    is_whole = are_whole and accepted.pointers.is_known and texts.keys() == sources.keys()
    return _Said(sections_of(gathered), names, is_whole)


def _purposes(
    repository: Repository, heads: Mapping[str, list[str]], contents: Mapping[str, str]
) -> tuple[dict[str, str], bool]:
    """What each area is for, and whether every area's head could be read."""
    wanted = {path: contents[path] for paths in heads.values() for path in paths}
    summaries = repository.summaries(wanted)
    said = {
        area: next((said for path in paths if path in summaries and (said := summaries[path].stated_purpose)), "")
        for area, paths in heads.items()
    }
    return {area: purpose for area, purpose in said.items() if purpose}, summaries.keys() == wanted.keys()


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
