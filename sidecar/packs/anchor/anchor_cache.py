"""The cache of anchors: the files and memories one is built from, what is read of them, and when it is rebuilt.

A session keeps the anchor it was first sent: `composition.select_items`.
"""

import threading
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.call import Process
from sidecar.codebase import Listing, PackageNames, Repository, RepositoryState, Summary, content_identity
from sidecar.core import config_tables
from sidecar.core.config_tables import Table, subtable
from sidecar.core.errors import SidecarError
from sidecar.core.ide_rules_files import AGENT_PATHS
from sidecar.core.lru_cache import LruCache
from sidecar.packs.anchor.build import (
    DEPENDENCIES,
    FRAGILE_FILES,
    LANDMINES,
    Anchor,
    AnchorSources,
    build_anchor,
    sections_of,
)
from sidecar.packs.anchor.code_style_settings import SETTINGS_FILES, setting_lines
from sidecar.packs.anchor.command_preferences import LOCK_FILES, PRESENCE_FILES
from sidecar.packs.anchor.commands import BUILD_FILES, Project, commands_of
from sidecar.packs.anchor.decisions import UNKNOWN_POINTERS, AcceptedRecords, Pointers
from sidecar.packs.anchor.markdown_parts import is_placeholder
from sidecar.packs.anchor.repo_map import (
    MAX_FRAGILE_FILES,
    Outline,
    RepoMap,
    count_files,
    dependency_lines,
    entry_point_lines,
    fragile_file_lines,
    import_names,
    landmine_lines,
    project_folders,
)
from sidecar.packs.anchor.rules import ProjectDocument, sent_paths, split_rule_files
from sidecar.packs.model import HostInjects
from sidecar.session import strip_session_lock
from sidecar.system.atomic_write import OWN_FOLDER
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    from sidecar.memory import MemoryIndex, PointerFiles
    from sidecar.memory.knowledge_pointer_files import Pointer

_INSTRUCTIONS = (
    *AGENT_PATHS, "CONTRIBUTING.md", "CONTRIBUTING.rst", "docs/CONTRIBUTING.md", ".github/CONTRIBUTING.md",
)  # fmt: skip
_READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md")
_HEAD_FILES = (
    "__init__.py",
    "README.md",
    "mod.rs",
    "lib.rs",
    "doc.go",
    "index.ts",
    "index.tsx",
    "index.js",
    "src/lib.rs",
    "package-info.java",
)
# A project in another language may have a package.json for its pages.
_MANIFESTS: tuple[tuple[str, Callable[[str], Table], tuple[str, ...]], ...] = (
    ("pyproject.toml", config_tables.parse_toml, ("project",)),
    ("Cargo.toml", config_tables.parse_toml, ("package",)),
    ("package.json", config_tables.parse_json, ()),
)

MAX_DECISIONS = 24
"""More than are shown: outdated ones give way."""

MAX_SPECIFICATIONS = 12
MAX_WORKFLOWS = 8
MAX_NESTED = 8
MAX_RULE_FILES = 16
"""Maximum number of rule files of other agents that are read."""

Read = Callable[[str], str | None]


def source_paths(files: Container[str], outline: Outline) -> list[str]:
    """Return the paths an anchor is built from, in a fixed order; a change to any of them may change it."""
    named = (path for path in (*_INSTRUCTIONS, *_READMES, *BUILD_FILES, *SETTINGS_FILES) if path in files)
    manifests = (area + name for area, _ in outline.areas for name, *_ in _MANIFESTS if area + name in files)
    classified = (
        *outline.decisions[-MAX_DECISIONS:],
        *outline.specifications[:MAX_SPECIFICATIONS],
        *outline.workflows[:MAX_WORKFLOWS],
        *outline.rule_files[:MAX_RULE_FILES],
    )
    inner = (path for path in _inner_files(outline) if path in files)
    return list(dict.fromkeys((*named, *manifests, *classified, *inner)))


def _inner_files(outline: Outline) -> list[str]:
    """The build and configuration files that folders may have which are projects of their own."""
    return [folder + name for folder in _folders(outline) for name in (*BUILD_FILES, *SETTINGS_FILES)]


def present_files(files: Container[str], outline: Outline) -> tuple[str, ...]:
    """Return the files whose presence alone matters to an anchor."""
    return tuple(
        folder + name for folder in ("", *_folders(outline)) for name in PRESENCE_FILES if folder + name in files
    )


def _folders(outline: Outline) -> list[str]:
    return list(dict.fromkeys(path.rpartition("/")[0] + "/" for path in outline.projects))


def area_heads(files: Container[str], outline: Outline) -> dict[str, list[str]]:
    """Return for each area of the map the files that may state its purpose, the likeliest first."""
    return {area: [path for path in _head_paths(area) if path in files] for area, _ in outline.areas}


def _head_paths(area: str) -> Iterator[str]:
    yield from (area + name for name in _HEAD_FILES)
    yield f"{area}{area.rstrip('/').rpartition('/')[2]}.go"  # in Go any file may describe its package


def read_anchor_sources(
    files: Container[str],
    present: Container[str],
    outline: Outline,
    read: Read,
    purposes: Mapping[str, str],
    host: HostInjects,
    links: Mapping[str, str],
    accepted: AcceptedRecords,
    above: Mapping[str, str],
) -> AnchorSources:
    """Read an anchor's sources; an unreadable file is omitted.

    `present` are the files of `present_files`; `above` are instruction files of the folders above.
    """

    def documents(names: Sequence[str]) -> tuple[ProjectDocument, ...]:
        contents = ((name, read(name)) for name in names if name in files)
        return tuple(ProjectDocument(name, strip_session_lock(text)) for name, text in contents if text is not None)

    own, readmes = documents(_INSTRUCTIONS), documents(_READMES)
    for_agents = [document for document in own if document.path in AGENT_PATHS]
    rule_files = documents(outline.rule_files[:MAX_RULE_FILES])
    always, others = split_rule_files(rule_files, reads_claude_rules=host.claude_md)
    outer = [ProjectDocument(path, strip_session_lock(text)) for path, text in above.items()]
    instructions = (*for_agents, *outer, *always, *own[len(for_agents) :])
    readme = readmes[0] if readmes else None
    sends = (("AGENTS.md", host.agents_md), ("CLAUDE.md", host.claude_md))
    sent = sent_paths(instructions, frozenset(name for name, is_sent in sends if is_sent), links)
    manifests = [area + name for area, _ in outline.areas for name, *_ in _MANIFESTS]
    texts = dict(documents((*BUILD_FILES, *SETTINGS_FILES, *manifests, *_inner_files(outline))))
    workflows = documents(outline.workflows[:MAX_WORKFLOWS])
    areas = frozenset((*outline.build_folders, *(area for area, _ in outline.areas)))
    folders = project_folders(outline.projects, texts)
    tests = (*outline.test_projects, *outline.test_folders)
    project = Project((*own, *always), readme, workflows, texts, present, folders, areas, tests)
    commands = commands_of(project, sent, accepted.standing_instructions)
    return AnchorSources(
        instructions=instructions,
        sent=sent,
        nested=_nested(outline.guides),
        rule_files=others,
        readme=readme,
        description=_manifest_description(texts, ""),
        decisions=documents(outline.decisions[-MAX_DECISIONS:]),
        specifications=documents(outline.specifications[:MAX_SPECIFICATIONS]),
        more_specifications=outline.specifications[MAX_SPECIFICATIONS:],
        areas=outline.areas,
        purposes={**purposes, **_manifest_descriptions(outline, texts)},
        settings=tuple(setting_lines(texts, folders)),
        commands=tuple(commands.lines),
        rejected_commands=tuple(commands.rejected),
        entries=tuple(entry_point_lines(texts, outline.mains)),
        accepted=accepted,
    )


def _nested(guides: Sequence[str]) -> tuple[str, ...]:
    """The instruction file of each folder: `AGENTS.md` sorts before `CLAUDE.md`."""
    by_folder: dict[str, str] = {}
    for path in guides:
        if path not in _INSTRUCTIONS:
            by_folder.setdefault(path.rpartition("/")[0], path)
    return tuple(by_folder.values())[:MAX_NESTED]


def _manifest_descriptions(outline: Outline, texts: Mapping[str, str]) -> dict[str, str]:
    """Descriptions of areas in their manifests."""
    descriptions = ((area, _manifest_description(texts, area)) for area, _ in outline.areas)
    return {area: text for area, text in descriptions if text}


def _manifest_description(texts: Mapping[str, str], folder: str) -> str:
    for name, read, table in _MANIFESTS:
        text = subtable(read(texts.get(folder + name, "")), *table).get("description")
        if isinstance(text, str) and text.strip() and not is_placeholder(text.strip()):
            return text.strip()
    return ""


CACHE_BYTES = 256 * 1024

LINKABLE_FILES = ("AGENTS.md", "CLAUDE.md")
"""Instruction files that may be links to one another, and that hold for the folders below theirs."""


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
    """Lines derived from all files' imports and comments, and from the history."""

    dependencies: tuple[str, ...] = ()
    fragile_files: tuple[str, ...] = ()
    landmines: tuple[str, ...] = ()


class SharedAnchors:
    """The anchors and counts of a repository's worktrees, by the contents that they come from. Thread-safe."""

    def __init__(self) -> None:
        self.cache: LruCache[Hashable, object] = LruCache(CACHE_BYTES)
        self.counted_files: _CountedFiles | None = None
        """Those of the worktree that was counted last."""


class AnchorCache:
    """The anchors of one workspace. Thread-safe."""

    def __init__(self, shared: SharedAnchors | None = None) -> None:
        self._lock = threading.Lock()
        self._shared = shared if shared is not None else SharedAnchors()
        self._counted_files: _CountedFiles | None = None
        self._cache = self._shared.cache
        self._last_derived = DerivedLines()

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
        identity = tuple((path, content_identity(content)) for path, content in contents.items())
        above = repository.texts_above(LINKABLE_FILES, state)
        linkable = ["../" * level + name for level in range(state.prefix.count("/") + 1) for name in LINKABLE_FILES]
        links = repository.symbolic_links(linkable) if host.agents_md or host.claude_md else {}
        present = present_files(files, outline)
        if state.prefix and not any(name in files for name in LOCK_FILES):  # a workspace's packages share one above
            present = (*present, *sorted(repository.names_above(LOCK_FILES, state)))
        host_files = (host.agents_md, host.claude_md, tuple(links.items()), tuple(above.items()))
        key = (outline, identity, present, host_files, accepted)
        source_sections = self._cache.get(key)
        if not isinstance(source_sections, SourceSections):
            source_sections = _read_sections(
                repository, outline, sources, heads, contents, frozenset(present), host, links, accepted, above
            )
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
            LANDMINES: derived.landmines,
        }
        anchor = build_anchor(sections, limit_bytes, accepted)._replace(is_complete=source_sections.is_complete)
        if anchor.is_complete:
            anchor_bytes = sum(100 + len(line) for line in (*anchor.lines, *anchor.omitted))
            self._cache.put((key, derived, limit_bytes), anchor, anchor_bytes)
        return anchor

    def _derived(self, repository: Repository, outline: Outline, names: PackageNames) -> DerivedLines:
        """Lines from imports, comments and history; the previous ones while these are not known yet."""
        dependencies = repository.dependencies(frozenset(area for area, _ in outline.areas), names)
        fragile = repository.fragile_files(MAX_FRAGILE_FILES)
        landmines = repository.landmines()
        before = self._last_derived
        self._last_derived = DerivedLines(
            dependency_lines(dependencies) if dependencies is not None else before.dependencies,
            fragile_file_lines(fragile) if fragile is not None else before.fragile_files,
            landmine_lines(landmines) if landmines is not None else before.landmines,
        )
        return self._last_derived

    def _repo_map(self, state: RepositoryState, listing: Listing) -> RepoMap:
        with self._lock:
            known = self._counted_files or self._shared.counted_files
            if known is None:
                repo_map = count_files(listing.files)
            elif known.files is listing.files:
                self._counted_files = known
                return known.repo_map
            else:
                repo_map = _recount(known, state, listing.files)
            self._counted_files = self._shared.counted_files = _CountedFiles(state, listing.files, repo_map)
            return repo_map


def _read_sections(
    repository: Repository,
    outline: Outline,
    sources: dict[str, str],
    heads: Mapping[str, list[str]],
    contents: Mapping[str, str],
    present: Container[str],
    host: HostInjects,
    links: Mapping[str, str],
    accepted: AcceptedRecords,
    above: Mapping[str, str],
) -> SourceSections:
    texts = repository.texts(sources)
    purposes, are_whole = _purposes(repository, heads, contents)
    inputs = read_anchor_sources(contents, present, outline, texts.get, purposes, host, links, accepted, above)
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
        area: next(
            (purpose for path in paths if path in summaries and (purpose := _purpose(area, summaries[path]))), ""
        )
        for area, paths in heads.items()
    }
    return {area: purpose for area, purpose in stated.items() if purpose}, summaries.keys() == head_contents.keys()


def _purpose(area: str, summary: Summary) -> str:
    """Return what a folder's head file says about the folder: not what it says about a definition of another name."""
    purpose = summary.stated_purpose
    first = purpose.partition(" ")[0].strip("`:").casefold()
    is_of_definition = any(definition.name.casefold() == first for definition in summary.definitions)
    folder = area.rstrip("/").rpartition("/")[2].casefold()
    return "" if (is_of_definition and first != folder) or is_placeholder(purpose) else purpose


def _recount(known: _CountedFiles, state: RepositoryState, files: Mapping[str, str]) -> RepoMap:
    """Update the repository map from the files counted last.

    Between two states of one commit, only files that one of them lists as changed can have appeared or disappeared.
    Where the totals disagree, for example after a sparse checkout, the whole lists are compared.
    """
    if state.kind == "git" and (known.state.head, known.state.root) == (state.head, state.root):
        changed = (*known.state.all_changed, *state.all_changed)
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


MAX_PROJECTS = 64

_DURABLE_FOLDER = Path(OWN_FOLDER, "memories", "shared", "durable")
"""Holds the pointers and rules; without it, an index that was never read lacks nothing."""


class PointerCache:
    """The lines by project and revision of its memories."""

    def __init__(self) -> None:
        self.lines: LruCache[Hashable, object] = LruCache(MAX_PROJECTS)


def load_pointer_lines(process: Process, workspace: Workspace) -> Pointers:
    """Return a project's pointers and rules from the memory index; unknown while many memories are read the first time.

    A manual edit shows once the index has read it, which the refresh on every call does.
    """
    from sidecar.memory import PointerFiles, accepted_rules, memory_index_of
    from sidecar.packs.memory_items import choose_pointers, render_pointers

    index = memory_index_of(process, workspace)
    has_files = (workspace.project / _DURABLE_FOLDER).is_dir()
    if not index.revision() and has_files and not _read_first_time(process, index):
        return UNKNOWN_POINTERS
    revision = index.revision()
    cache = process.slices.packs.pointers.lines
    cached = cache.get((workspace.project_key, revision))
    if isinstance(cached, Pointers):
        return cached
    files = PointerFiles(process, workspace)
    choice = choose_pointers(files.tags())
    lines = render_pointers(
        _read_pointers(files, choice.binding), _read_pointers(files, choice.others), has_more=choice.has_more
    )
    lines = lines._replace(rules=accepted_rules(process, workspace))
    cache.put((workspace.project_key, revision), lines, 1)
    return lines


def _read_first_time(process: Process, index: "MemoryIndex") -> bool:
    """Read the memories of a project that has no index yet, if they are few; return whether that was done."""
    try:
        return index.refresh_if_quick()
    except SidecarError as error:
        process.log.warning("packs.pointers.unknown", kind=error.kind)
        return False


def _read_pointers(files: "PointerFiles", paths: tuple[str, ...]) -> list["Pointer"]:
    from sidecar.memory import knowledge_pointer_files, read_memory_file

    contents = (files.content(path) for path in paths)
    pointers = (
        knowledge_pointer_files.parse_pointer(read_memory_file(content)) for content in contents if content is not None
    )
    return [pointer for pointer in pointers if pointer is not None]
