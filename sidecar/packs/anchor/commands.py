"""How a repository is built and checked, by what it says itself; what its tools usually are is only a guess. Pure."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.text.sanitize import one_line
from sidecar.packs.anchor import config_parsers
from sidecar.packs.anchor.markdown_outline import code, prose
from sidecar.packs.anchor.rules import Document

MAX_COMMAND = 100

_BY = r"(?:(?:uv|poetry|pdm|hatch|rye|pipenv) run (?:-\S+ )*|bundle exec |npx |pnpm exec |bunx |python3? -m |env )?"
_PM = r"(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+)*"
_SCRIPT = r"(?:(?:python3?|bash|sh|node) )?(?:\./)?(?:\.ci|ci|build|scripts?|tools?|bin|hack|dev)/(?:[\w.-]+/)*"

_TASK = r"(?:make|just|task)"
_END = r"(?:\.\w+)?(?= |$)"
PURPOSES = {
    "test": (
        rf"{_BY}(?:pytest|tox(?! -e \S*(?:lint|flake|doc|mypy|type))|nox|vitest|jest|mocha|rspec|phpunit|unittest)\b",
        rf"{_PM} test\b",
        r"(?:go|dotnet|swift|mix|deno|zig build) test\b",
        r"cargo (?:nextest|test)\b",
        rf"{_TASK} (?:unit-?)?tests?\b",
        r"(?:\./)?gradlew? \S*test\b",
        r"(?:\./)?mvnw? (?:\S+ )*(?:test|verify)\b",
        r"ctest\b",
        rf"{_SCRIPT}(?:run[_-]?)?tests?{_END}",
    ),
    "check": (
        rf"{_BY}pre-commit run\b",
        rf"{_TASK} (?:check|lint)\b(?![-:])",
        rf"{_BY}tox -e \S*(?:lint|flake)",
        rf"{_PM} (?:lint|check)\b(?!-)",
        rf"{_BY}(?:ruff check|eslint|biome (?:check|lint|ci)|flake8|pylint|oxlint)\b",
        r"(?:golangci-lint run|cargo clippy|go vet)\b",
        r"\.ci/\w+$",
        rf"{_SCRIPT}(?:check|lint){_END}",
    ),
    "types": (
        rf"{_BY}(?:mypy|pyright|basedpyright|tsc|vue-tsc)\b",
        rf"{_PM} (?:typecheck|type-check|types?|ts:check|check-types|tsc)\b",
        rf"{_TASK} (?:typecheck|types|mypy)\b",
    ),
    "format": (
        rf"{_BY}(?:ruff format|black|prettier|biome format)\b",
        rf"{_PM} (?:format|fmt|prettier)\b",
        r"(?:cargo fmt|gofmt)\b",
        rf"{_TASK} (?:fmt|format)\b",
        rf"{_SCRIPT}(?:format|fmt){_END}",
    ),
    "build": (
        rf"{_PM} build\b",
        r"(?:cargo|go|dotnet|swift) build\b|zig build$",
        rf"{_TASK} build\b",
        r"(?:\./)?gradlew? (?:build|assemble)\b",
        r"(?:\./)?mvnw? (?:\S+ )*package\b",
        r"cmake --build\b",
        rf"{_SCRIPT}build{_END}",
    ),
    "set up": (
        r"(?:uv sync|(?:poetry|pdm|bundle) install)\b",
        rf"{_BY}pip install (?:-\S+ )*-(?:e|r)\b",
        r"(?:npm ci|(?:npm|pnpm|yarn|bun) install|yarn)$",
        rf"{_TASK} (?:install|setup|init|bootstrap|deps)\b",
        rf"{_SCRIPT}(?:install|setup|bootstrap){_END}",
    ),
    "run": (
        rf"{_PM} (?:dev|start)\b",
        rf"{_TASK} (?:dev|run|serve)\b",
        rf"{_BY}flask run\b",
        r"python3? manage\.py runserver\b",
    ),
}
"""What a command is for, by how it begins; in the order in which they are told."""

_PURPOSES = {purpose: regex("|".join(f"(?:{begin})" for begin in begins)) for purpose, begins in PURPOSES.items()}
_WORK = regex(
    r"(?i)\b(develop\w*|contribut\w*|test\w*|build\w*|hack\w*|lint\w*|check\w*|working|set ?up|commands?|workflow"
    r"|local\w*|source)\b"
)
"""Headings under which a README speaks of work on the project, not of its use."""

_SHELL = ("", "sh", "bash", "shell", "console", "shell-session", "zsh", "terminal", "powershell", "text")
_INLINE = regex(r"`([^`\n]{3,100})`")
_RARE = regex(r"(?i)bench|releas|publish|deploy|audit|nightly|docs|stale|label")
"""Workflows whose commands nobody types while working."""

_STEP = regex(r"^\s*+(?:- )?(?:run:\s*+)?[\"']?(.+?)[\"']?$")
_NOT_TO_TYPE = regex(r"\$\{|\$\(|\$[A-Z]|[|<>;&\\…*]|\.\.\.(?!\s|$)|\[[A-Za-z]|\bpath/to\b|::")
_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("bun.lock", "bun"), ("bun.lockb", "bun"), ("yarn.lock", "yarn"))
_PYTHON_LOCKS = (("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("pdm.lock", "pdm run "))
_SCRIPTS = {
    "test": ("test", "test:unit"), "check": ("lint", "check"), "format": ("format", "fmt"), "build": ("build",),
    "types": ("typecheck", "type-check", "check-types", "types", "ts:check"), "run": ("dev", "start"),
}  # fmt: skip
_TARGET = regex(r"(?m)^([A-Za-z][\w-]*)\s*:(?!=)")


class Command(NamedTuple):
    """A command, and the file that says so."""

    text: str
    origin: str


class Project(NamedTuple):
    """What is asked for commands."""

    guides: Sequence[Document]
    """Instruction files and contributing guides, then the README."""
    readme: Document | None
    workflows: Sequence[Document]
    texts: Mapping[str, str]
    """Build files by path."""
    files: Container[str]
    locks: Container[str]
    """Names of the lock files there are."""


def commands_of(project: Project, sent: Container[str]) -> list[str]:
    """Gives a line for each purpose: what guides say, else what is declared, what the checks of a push run, or usual.

    What a guide says that is `sent` anyway is not told, nor anything else for that purpose.
    """
    chosen: dict[str, Command] = {}
    for source in (_of_guides, _declared, _of_workflows, _usual):
        for command in source(project):
            purpose = purpose_of(command.text)
            if purpose:
                chosen.setdefault(purpose, command)
    return [
        f"- {purpose}: `{one_line(chosen[purpose].text, MAX_COMMAND)}` ({one_line(chosen[purpose].origin, 120)})"
        for purpose in PURPOSES
        if purpose in chosen and chosen[purpose].origin not in sent
    ]


def purpose_of(command: str) -> str:
    """Tells what a command is for; empty for what is none, or not to be typed as it stands."""
    if len(command) > MAX_COMMAND or _NOT_TO_TYPE.search(command):
        return ""
    return next((purpose for purpose, pattern in _PURPOSES.items() if pattern.match(command)), "")


def package_manager(texts: Mapping[str, str], locks: Container[str]) -> str:
    """Names what runs a package's scripts: what package.json says, else whose lock file lies there."""
    named = config_parsers.json(texts.get("package.json", "")).get("packageManager")
    if isinstance(named, str) and (found := re.match(r"pnpm|yarn|bun|npm", named)):
        return found[0]
    return next((program for lock, program in _LOCKS if lock in locks), "npm")


def _of_guides(project: Project) -> Iterator[Command]:
    for guide in project.guides:
        yield from _typed(guide, everywhere=True)
        for line in prose(guide.text):
            for inline in _INLINE.finditer(line.text):
                yield Command(inline[1].strip(), guide.path)
    if project.readme is not None:
        yield from _typed(project.readme, everywhere=False)
        for line in prose(project.readme.text):
            if _speaks_of_work(line.headings):
                yield from (Command(inline[1].strip(), project.readme.path) for inline in _INLINE.finditer(line.text))


def _typed(document: Document, *, everywhere: bool) -> Iterator[Command]:
    """The lines of a document's shell blocks; of a README's only where it speaks of work on the project."""
    for block in code(document.text):
        if block.language in _SHELL and (everywhere or _speaks_of_work(block.headings)):
            for line in block.lines:
                typed = line.strip().removeprefix("$ ").removeprefix("> ").partition(" #")[0].strip()
                yield Command(typed, document.path)


def _speaks_of_work(headings: Sequence[str]) -> bool:
    """Whether one stands under the title alone, or where the project's own work is spoken of."""
    return len(headings) <= 1 or any(_WORK.search(heading) for heading in headings[1:])


def _declared(project: Project) -> Iterator[Command]:
    texts = project.texts
    scripts = config_parsers.json(texts.get("package.json", "")).get("scripts")
    if isinstance(scripts, dict):
        manager = package_manager(texts, project.locks)
        for names in _SCRIPTS.values():
            for name in (name for name in names if name in scripts):
                plain = manager in ("pnpm", "yarn") or (manager == "npm" and name in ("test", "start"))
                yield Command(f"{manager} {name}" if plain else f"{manager} run {name}", "package.json")
    for path, program in (("Makefile", "make"), ("justfile", "just")):
        for target in _TARGET.findall(texts.get(path, "")):
            yield Command(f"{program} {target}", path)
    for folder in ("scripts", "script", "bin"):
        for name in ("test", "check", "lint", "build", "install", "setup"):
            for path in (f"{folder}/{name}", f"{folder}/{name}.sh"):
                if path in project.files:
                    yield Command(path, path)


def _of_workflows(project: Project) -> Iterator[Command]:
    for workflow in project.workflows:
        if _RARE.search(workflow.path):
            continue
        for line in workflow.text.splitlines():
            step = _STEP.match(line.rstrip())
            if step:
                yield Command(step[1], workflow.path)


def _usual(project: Project) -> Iterator[Command]:
    texts = project.texts
    if "pyproject.toml" in texts:
        tools = config_parsers.within(config_parsers.toml(texts["pyproject.toml"]), "tool")
        by = next((by for lock, by in _PYTHON_LOCKS if lock in project.locks), "")
        for tool, command in (("pytest", "pytest"), ("ruff", "ruff check"), ("mypy", "mypy"), ("pyright", "pyright")):
            if tool in tools:
                yield Command(by + command, "pyproject.toml")
    for path, program in (("Cargo.toml", "cargo"), ("go.mod", "go")):
        if path in texts:
            rest = " ./..." if program == "go" else ""
            yield from (Command(f"{program} {verb}{rest}", path) for verb in ("test", "build"))


def entry_lines(texts: Mapping[str, str], mains: Sequence[str]) -> list[str]:
    """Gives a line for each way in that a build file declares, then for the files that are one by their name."""
    declared = {
        name: target for read in (_python_entries, _node_entries, _rust_entries) for name, target in read(texts)
    }
    lines = [f"- `{one_line(name, 60)}` → {one_line(target, 120)}" for name, target in declared.items()]
    named = "\n".join(declared.values()).replace(".", "/")
    others = [
        path
        for path in mains
        if path.removesuffix(".py") not in named and not (declared and path.endswith("__main__.py"))
    ]
    return lines + ([f"- {one_line(', '.join(others), 300)}"] if others else [])


def _python_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    project = config_parsers.toml(texts.get("pyproject.toml", ""))
    for scripts in (
        config_parsers.within(project, "project", "scripts"),
        config_parsers.within(project, "tool", "poetry", "scripts"),
    ):
        yield from ((name, target) for name, target in scripts.items() if isinstance(target, str))


def _node_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    package = config_parsers.json(texts.get("package.json", ""))
    binary = package.get("bin")
    if isinstance(binary, str):
        yield str(package.get("name", "bin")), binary
    elif isinstance(binary, dict):
        yield from ((name, target) for name, target in binary.items() if isinstance(target, str))


def _rust_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for binary in config_parsers.toml(texts.get("Cargo.toml", "")).get("bin", []):
        if isinstance(binary, dict) and isinstance(binary.get("path"), str):
            yield str(binary.get("name", "")), binary["path"]
