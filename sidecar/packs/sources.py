"""Which files the anchor is made of, and reading them. The choice is pure; reading asks the repository."""

import re
import tomllib
from collections.abc import Callable, Mapping

import orjson

from sidecar.packs.anchor import Document, Sources, areas_of
from sidecar.packs.model import HostInjects

_INSTRUCTIONS = (
    "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md",
    "CONTRIBUTING.md", "docs/CONTRIBUTING.md", ".github/CONTRIBUTING.md",
)  # fmt: skip
_READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md")
_HEADS = (
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
_BUILD_FILES = ("package.json", "pyproject.toml", "Makefile", "Cargo.toml", "go.mod", "justfile")
_DECISIONS = re.compile(
    r"(?i)^(?:.+/)?(?:adrs?|decisions|architecture-decisions|architecture/decisions)/(?!readme|index|template)[^/]+\.(?:md|mdx|rst)$"
)
_SPECIFICATIONS = re.compile(
    r"(?i)^(?:(?:docs?|openspec)/)?(?:specs?|specifications|rfcs?)/(?:[^/]+/){0,2}[^/]+\.(?:md|mdx)$"
)
_WANTED_SCRIPTS = ("build", "test", "lint", "typecheck", "type-check", "check", "dev", "start", "format", "ts:check")

MAX_DECISIONS = 12

Read = Callable[[str], str | None]


def source_paths(paths: list[str]) -> list[str]:
    """Gives the paths an anchor is made of, in a fixed order; a change of any of their contents may change it."""
    present = set(paths)
    decisions = sorted(path for path in paths if _DECISIONS.match(path))
    return [path for path in (*_INSTRUCTIONS, *_READMES, *_BUILD_FILES) if path in present] + decisions[-MAX_DECISIONS:]


def area_heads(paths: list[str]) -> dict[str, list[str]]:
    """Gives for each area of the map the files that may say what it is for, the likeliest first."""
    present = set(paths)
    return {area: [area + name for name in _HEADS if area + name in present] for area in areas_of(paths)}


def gather_sources(
    paths: list[str], read: Read, purposes: Mapping[str, str], host: HostInjects, rejected: tuple[str, ...]
) -> Sources:
    """Reads an anchor's sources; a file that cannot be read is left out."""
    present = set(paths)

    def documents(names: list[str]) -> tuple[Document, ...]:
        found = ((name, read(name)) for name in names if name in present)
        return tuple(Document(name, text) for name, text in found if text is not None)

    readmes = documents(list(_READMES))
    decisions = sorted(path for path in paths if _DECISIONS.match(path))[-MAX_DECISIONS:]
    specifications = [path for path in paths if _SPECIFICATIONS.match(path) and path not in decisions]
    return Sources(
        instructions=documents(list(_INSTRUCTIONS)),
        readme=readmes[0] if readmes else None,
        decisions=documents(decisions),
        specifications=tuple(sorted(specifications)),
        paths=tuple(sorted(paths)),
        purposes=purposes,
        commands=tuple(command for name in _BUILD_FILES if name in present for command in _commands(name, read(name))),
        rejected=rejected,
        host_sends=frozenset(
            name for name, sends in (("AGENTS.md", host.agents_md), ("CLAUDE.md", host.claude_md)) if sends
        ),
    )


def _commands(name: str, text: str | None) -> list[tuple[str, str]]:
    """The commands a build file declares; none where it cannot be understood."""
    if text is None:
        return []
    try:
        match name:
            case "package.json":
                scripts = orjson.loads(text).get("scripts", {})
                return [(f"npm run {script}", name) for script in _WANTED_SCRIPTS if script in scripts]
            case "pyproject.toml":
                return _python_commands(tomllib.loads(text))
            case "Cargo.toml":
                return [("cargo build", name), ("cargo test", name)]
            case "go.mod":
                return [("go build ./...", name), ("go test ./...", name)]
            case _:
                prefix = "just" if name == "justfile" else "make"
                targets = re.findall(r"(?m)^([A-Za-z][\w-]*)\s*:(?!=)", text)
                return [(f"{prefix} {target}", name) for target in targets if target in _WANTED_SCRIPTS]
    except (ValueError, AttributeError, TypeError):
        return []


def _python_commands(project: dict[str, object]) -> list[tuple[str, str]]:
    tools = project.get("tool")
    known = tools if isinstance(tools, dict) else {}
    rows = (("pytest", "pytest"), ("ruff", "ruff check"), ("mypy", "mypy"), ("tox", "tox"), ("pyright", "pyright"))
    return [(command, "pyproject.toml") for tool, command in rows if tool in known]
