"""Which files the anchor is made of, and reading them. The choice is pure; reading asks the repository."""

import re
import tomllib
from collections.abc import Callable, Container, Mapping, Sequence

import orjson

from sidecar.packs.anchor import Document, Sources
from sidecar.packs.census import Outline
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
_WANTED_SCRIPTS = ("build", "test", "lint", "typecheck", "type-check", "check", "dev", "start", "format", "ts:check")

MAX_DECISIONS = 12

Read = Callable[[str], str | None]


def source_paths(files: Container[str], outline: Outline) -> list[str]:
    """Gives the paths an anchor is made of, in a fixed order; a change of any of their contents may change it."""
    named = (path for path in (*_INSTRUCTIONS, *_READMES, *_BUILD_FILES) if path in files)
    return list(dict.fromkeys((*named, *outline.decisions[-MAX_DECISIONS:])))


def area_heads(files: Container[str], outline: Outline) -> dict[str, list[str]]:
    """Gives for each area of the map the files that may say what it is for, the likeliest first."""
    return {area: [area + name for name in _HEADS if area + name in files] for area, _ in outline.areas}


def gather_sources(
    files: Container[str],
    outline: Outline,
    read: Read,
    purposes: Mapping[str, str],
    host: HostInjects,
    rejected: tuple[str, ...],
) -> Sources:
    """Reads an anchor's sources; a file that cannot be read is left out."""

    def documents(names: Sequence[str]) -> tuple[Document, ...]:
        found = ((name, read(name)) for name in names if name in files)
        return tuple(Document(name, text) for name, text in found if text is not None)

    readmes = documents(_READMES)
    return Sources(
        instructions=documents(_INSTRUCTIONS),
        readme=readmes[0] if readmes else None,
        decisions=documents(outline.decisions[-MAX_DECISIONS:]),
        specifications=outline.specifications,
        areas=outline.areas,
        purposes=purposes,
        commands=tuple(command for name in _BUILD_FILES if name in files for command in _commands(name, read(name))),
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
