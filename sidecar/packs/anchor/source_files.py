"""The files an anchor is built from, and what is read of them."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from sidecar.core.ides import AGENT_PATHS
from sidecar.packs.anchor import config_parsers
from sidecar.packs.anchor.build import AnchorSources
from sidecar.packs.anchor.commands import Project, commands_of, entry_lines
from sidecar.packs.anchor.config_parsers import Table, subtable
from sidecar.packs.anchor.decisions import AcceptedRecords
from sidecar.packs.anchor.repo_map import (
    Outline,
)
from sidecar.packs.anchor.rules import Document, sent_paths
from sidecar.packs.anchor.toolchain import SETTINGS_FILES, setting_lines
from sidecar.packs.model import HostInjects
from sidecar.session import strip_session_lock

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
_NAMESAKE_SUFFIXES = (".go", ".ts", ".py", ".js", ".rs")
_BUILD_FILES = ("package.json", "pyproject.toml", "Makefile", "Cargo.toml", "go.mod", "justfile")
_MANIFESTS: tuple[tuple[str, Callable[[str], Table], tuple[str, ...]], ...] = (
    ("package.json", config_parsers.parse_json, ()),
    ("Cargo.toml", config_parsers.parse_toml, ("package",)),
    ("pyproject.toml", config_parsers.parse_toml, ("project",)),
)
_LOCKS = ("pnpm-lock.yaml", "bun.lock", "bun.lockb", "yarn.lock", "uv.lock", "poetry.lock", "pdm.lock")

MAX_DECISIONS = 12
MAX_SPECIFICATIONS = 12
MAX_WORKFLOWS = 8
MAX_NESTED = 8

Read = Callable[[str], str | None]


def source_paths(files: Container[str], outline: Outline) -> list[str]:
    """Return the paths an anchor is built from, in a fixed order; a change to any of them may change it."""
    named = (path for path in (*_INSTRUCTIONS, *_READMES, *_BUILD_FILES, *SETTINGS_FILES) if path in files)
    manifests = (area + name for area, _ in outline.areas for name, *_ in _MANIFESTS if area + name in files)
    classified = (
        *outline.decisions[-MAX_DECISIONS:],
        *outline.specifications[:MAX_SPECIFICATIONS],
        *outline.workflows[:MAX_WORKFLOWS],
    )
    return list(dict.fromkeys((*named, *manifests, *classified)))


def area_heads(files: Container[str], outline: Outline) -> dict[str, list[str]]:
    """Return for each area of the map the files that may state its purpose, the likeliest first."""
    return {area: [path for path in _head_paths(area) if path in files] for area, _ in outline.areas}


def _head_paths(area: str) -> Iterator[str]:
    own = area.rstrip("/").rpartition("/")[2]
    yield from (area + name for name in _HEAD_FILES)
    yield from (f"{area}{own}{ending}" for ending in _NAMESAKE_SUFFIXES)


def read_sources(
    files: Container[str],
    outline: Outline,
    read: Read,
    purposes: Mapping[str, str],
    host: HostInjects,
    links: Mapping[str, str],
    accepted: AcceptedRecords,
) -> AnchorSources:
    """Read an anchor's sources; an unreadable file is omitted."""

    def documents(names: Sequence[str]) -> tuple[Document, ...]:
        contents = ((name, read(name)) for name in names if name in files)
        return tuple(Document(name, strip_session_lock(text)) for name, text in contents if text is not None)

    instructions, readmes = documents(_INSTRUCTIONS), documents(_READMES)
    readme = readmes[0] if readmes else None
    sends = (("AGENTS.md", host.agents_md), ("CLAUDE.md", host.claude_md))
    sent = sent_paths(instructions, frozenset(name for name, is_sent in sends if is_sent), links)
    manifests = [area + name for area, _ in outline.areas for name, *_ in _MANIFESTS]
    texts = dict(documents((*_BUILD_FILES, *SETTINGS_FILES, *manifests)))
    workflows = documents(outline.workflows[:MAX_WORKFLOWS])
    locks = frozenset(name for name in _LOCKS if name in files)
    project = Project(instructions, readme, workflows, texts, files, locks)
    commands = commands_of(project, sent, accepted.standing_instructions)
    return AnchorSources(
        instructions=instructions,
        sent=sent,
        nested=_nested(outline.guides),
        readme=readme,
        description=_manifest_description(texts, ""),
        decisions=documents(outline.decisions[-MAX_DECISIONS:]),
        specifications=documents(outline.specifications[:MAX_SPECIFICATIONS]),
        more_specifications=outline.specifications[MAX_SPECIFICATIONS:],
        areas=outline.areas,
        purposes={**purposes, **_manifest_descriptions(outline, texts)},
        settings=tuple(setting_lines(texts)),
        commands=tuple(commands.lines),
        rejected_commands=tuple(commands.rejected),
        entries=tuple(entry_lines(texts, outline.mains)),
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
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""
