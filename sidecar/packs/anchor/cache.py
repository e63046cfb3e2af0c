"""Cache of a workspace's anchor; rebuilt only when one of its sources changed."""

import threading
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import Listing, PackageNames, Repository, RepositoryState
from sidecar.core.lru_cache import LruCache
from sidecar.packs.anchor.build import DEPENDENCIES, FRAGILE_FILES, Anchor, build_anchor, sections_of
from sidecar.packs.anchor.decisions import AcceptedRecords
from sidecar.packs.anchor.repo_map import (
    MAX_FRAGILE_FILES,
    Outline,
    RepoMap,
    count_files,
    dependency_lines,
    fragile_file_lines,
    import_names,
)
from sidecar.packs.anchor.source_files import area_heads, read_sources, source_paths
from sidecar.packs.model import HostInjects
from sidecar.runs import keys

CACHE_BYTES = 256 * 1024

LINKABLE_FILES = ("AGENTS.md", "CLAUDE.md")
"""Instruction files that may be links to one another."""


class _CountedFiles(NamedTuple):
    """The files counted last, and their state."""

    state: RepositoryState
    files: Mapping[str, str]
    repo_map: RepoMap


class SourceSections(NamedTuple):
    """The sections of an anchor."""

    sections: Mapping[str, Sequence[str]]
    names: PackageNames
    """The names of the areas in import statements."""
    is_complete: bool
    """Whether every source was readable."""

    @property
    def bytes(self) -> int:
        """Approximate size in memory."""
        return sum(100 + len(line) for lines in self.sections.values() for line in lines)


class DerivedLines(NamedTuple):
    """Lines derived from all files' imports, and from the history."""

    dependencies: tuple[str, ...]
    fragile_files: tuple[str, ...]


class AnchorCache:
    """The anchors of one workspace by the contents of their sources. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted_files: _CountedFiles | None = None
        self._cache: LruCache[Hashable, object] = LruCache(CACHE_BYTES)
        self._last_derived = DerivedLines((), ())

    def lines(
        self,
        repository: Repository,
        state: RepositoryState,
        listing: Listing,
        host: HostInjects,
        accepted: AcceptedRecords,
        limit_bytes: int,
    ) -> Anchor:
        """Return the anchor for a state; read files only where their contents are not known yet."""
        outline, files = self._repo_map(state, listing).outline, listing.files
        sources = {path: files[path] for path in source_paths(files, outline)}
        heads = area_heads(files, outline)
        contents = sources | {path: files[path] for paths in heads.values() for path in paths}
        identity = tuple((path, keys.content_digest(content)) for path, content in contents.items())
        links = repository.symbolic_links(LINKABLE_FILES) if host.agents_md or host.claude_md else {}
        key = (outline, identity, host.agents_md, host.claude_md, tuple(links.items()), accepted)
        source_sections = self._cache.get(key)
        if not isinstance(source_sections, SourceSections):
            source_sections = _read_sections(repository, outline, sources, heads, contents, host, links, accepted)
            if source_sections.is_complete:
                self._cache.put(key, source_sections, source_sections.bytes + 100 * len(contents))
        derived = self._derived(repository, outline, source_sections.names)
        cached_anchor = self._cache.get((key, derived, limit_bytes))
        if isinstance(cached_anchor, Anchor) and source_sections.is_complete:
            return cached_anchor
        sections = {
            **source_sections.sections,
            DEPENDENCIES: derived.dependencies,
            FRAGILE_FILES: derived.fragile_files,
        }
        anchor = build_anchor(sections, limit_bytes, accepted)._replace(is_complete=source_sections.is_complete)
        if anchor.is_complete:
            anchor_bytes = sum(100 + len(line) for line in (*anchor.lines, *anchor.omitted))
            self._cache.put((key, derived, limit_bytes), anchor, anchor_bytes)
        return anchor

    def _derived(self, repository: Repository, outline: Outline, names: PackageNames) -> DerivedLines:
        """Lines from imports and history; the previous ones while these are not known yet."""
        dependencies = repository.dependencies(frozenset(area for area, _ in outline.areas), names)
        fragile = repository.fragile_files(MAX_FRAGILE_FILES)
        before = self._last_derived
        self._last_derived = DerivedLines(
            dependency_lines(dependencies) if dependencies is not None else before.dependencies,
            fragile_file_lines(fragile) if fragile is not None else before.fragile_files,
        )
        return self._last_derived

    def _repo_map(self, state: RepositoryState, listing: Listing) -> RepoMap:
        with self._lock:
            known = self._counted_files
            if known is None:
                repo_map = count_files(listing.files)
            elif known.files is listing.files:
                return known.repo_map
            else:
                repo_map = _recount(known, state, listing.files)
            self._counted_files = _CountedFiles(state, listing.files, repo_map)
            return repo_map


def _read_sections(
    repository: Repository,
    outline: Outline,
    sources: dict[str, str],
    heads: Mapping[str, list[str]],
    contents: Mapping[str, str],
    host: HostInjects,
    links: Mapping[str, str],
    accepted: AcceptedRecords,
) -> SourceSections:
    texts = repository.texts(sources)
    purposes, are_whole = _purposes(repository, heads, contents)
    inputs = read_sources(contents, outline, texts.get, purposes, host, links, accepted)
    names = import_names([area for area, _ in outline.areas], texts, contents)
    is_complete = are_whole and accepted.pointers.is_known and texts.keys() == sources.keys()
    return SourceSections(sections_of(inputs), names, is_complete)


def _purposes(
    repository: Repository, heads: Mapping[str, list[str]], contents: Mapping[str, str]
) -> tuple[dict[str, str], bool]:
    """The purpose of each area, and whether every area's head file was readable."""
    head_contents = {path: contents[path] for paths in heads.values() for path in paths}
    summaries = repository.summaries(head_contents)
    stated = {
        area: next((purpose for path in paths if path in summaries and (purpose := summaries[path].stated_purpose)), "")
        for area, paths in heads.items()
    }
    return {area: purpose for area, purpose in stated.items() if purpose}, summaries.keys() == head_contents.keys()


def _recount(known: _CountedFiles, state: RepositoryState, files: Mapping[str, str]) -> RepoMap:
    """Update the repository map from the files counted last.

    Between two states of one commit, only files that one of them lists as changed can have appeared or disappeared.
    Where the totals disagree, for example after a sparse checkout, the whole lists are compared.
    """
    if state.kind == "git" and (known.state.head, known.state.root) == (state.head, state.root):
        changed = (*known.state.changed, *state.changed)
        repo_map = _with_changes(
            known, files, {path for file in changed for path in (file.path, file.original) if path}
        )
        if repo_map.total == len(files):
            return repo_map
    return _with_changes(known, files, known.files.keys() ^ files.keys())


def _with_changes(known: _CountedFiles, files: Mapping[str, str], paths: set[str]) -> RepoMap:
    added = [path for path in paths if path in files and path not in known.files]
    removed = [path for path in paths if path in known.files and path not in files]
    return known.repo_map.with_changes(added, removed) if added or removed else known.repo_map
