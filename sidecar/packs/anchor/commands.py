"""Commands that build and check a repository, by its own statements; its tools' usual ones are a guess. Pure.

An instruction of the user rejects a command: "Use pnpm, not npm" rejects `npm test`, and the same script runs with
`pnpm test`. "Never run npm publish" rejects no other command of npm. A command of a tool that no instruction names,
such as `bun run test`, stays; the tool that the user prefers is named beside it.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.text import one_line
from sidecar.memory.standing_instructions import StandingInstruction
from sidecar.packs.anchor import config_files
from sidecar.packs.anchor.markdown_parts import code_blocks, prose_lines
from sidecar.packs.anchor.rules import ProjectDocument

PACKAGE_MANAGERS = ("npm", "pnpm", "yarn", "bun")
"""Programs that run the same scripts."""

_BEFORE = (
    r"(?:instead of|rather than|in place of|over|not|never|no longer|no|don['’]?t|do not|must not|stop|avoid"
    r"|anstatt|anstelle von|statt|nicht|nie|niemals|kein(?:e|en)?|plutôt que|au lieu d[e']|pas|jamais"
    r"|en vez de|en lugar de|em vez de|ao invés de|nunca|jamás|não|invece di|mai|non|in plaats van|niet|nooit|geen"
    r"|вместо|не|никогда)"
)
_FILLER = (
    r"(?:use|uses|using|run|running|call|type|with|by|the|a|any|de|mit|über|verwende[nt]?|nutze[nt]?|benutze[nt]?|avec"
    r"|utilise[rz]?|d[e']|con|com|usar?|uses|usamos|gebruik|используй(?:те)?)"
)
_BEFORE_WIDE = r"(?:不要|别|不再|不)(?:再)?(?:使用|用|运行)?"
"""Scripts without spaces put the rejection beside the name."""
_CHOOSE = (
    r"(?:use|using|prefer|switch to|moved? to|nutze[nt]?|verwende[nt]?|benutze[nt]?|utilise[rz]?|usar?|usamos|使用|用)"
)
_AFTER = (
    r"(?:\s*(?:ではなく|じゃなく|の代わり|は禁止|[をは]?\s*(?:もう)?使(?:わな|うな|用しな|用禁止))"
    r"|(?: [a-z][\w:-]*)?\s+(?:is|are) (?:forbidden|banned|not allowed|no longer))"
)
_NEXT_WORD = lazy_regex(r"[`'\"]?[ ](?:run )?([a-z][\w:.-]*)")
_ABOUT_ALL = frozenset(
    "a and any anymore anywhere as at because but by command commands directly either en ever for from here i in is it"
    " itself on or please script scripts since so that the there this to use we when with für hier ici mehr nicht por"
    " pour para aqui".split()
)
"""Words after a program's name that name none of its commands."""

_PACKAGE_RUNNER = lazy_regex(
    r"(?:uv|poetry|pdm|hatch|rye|pipenv) run (?:-\S+ )*|bundle exec |npx |pnpm exec |bunx |python3? -m |env "
)
_PACKAGE_SCRIPT = lazy_regex(r"(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)")
_INSTALL = lazy_regex(r"(?:npm ci|(?:npm|pnpm|yarn|bun) install|yarn)")


class Rejection(NamedTuple):
    """A rejected command."""

    program: str
    instruction: int
    """Position of the instruction that rejects it."""
    replacement: str
    """The command to use instead; empty if none is known."""
    preferred: str
    """The program of that command."""


class Preference(NamedTuple):
    """Another program that the user prefers to the one of a command, and the position of the instruction."""

    program: str
    instruction: int


def rejection_of(command: str, instructions: Sequence[str]) -> Rejection | None:
    """Return how the user's instructions reject a command; None if none does."""
    for program in _programs(command):
        for number, instruction in enumerate(instructions):
            if _rejects(instruction.casefold(), program, command):
                preferred = _chosen_manager(instruction.casefold(), program)
                return Rejection(program, number, _replacement(command, program, preferred), preferred)
    return None


def preference_of(command: str, instructions: Sequence[str]) -> Preference | None:
    """Return the package manager that the user prefers to the one of a command; None if no instruction chooses one."""
    for program in _programs(command):
        for number, instruction in enumerate(instructions):
            if program in PACKAGE_MANAGERS and (preferred := _preferred_manager(instruction.casefold(), program)):
                return Preference(preferred, number)
    return None


def _programs(command: str) -> Iterator[str]:
    """The programs a command starts, without their folders: `uv` and `pytest` for `uv run pytest`."""
    runner = _PACKAGE_RUNNER.match(command)
    starts = (command, command[runner.end() :]) if runner else (command,)
    words = (start.split()[0].casefold() for start in starts if start.strip())
    yield from (word if "/" in word.removeprefix("./") else word.removeprefix("./") for word in words)


_NAME_START, _NAME_END = r"[`'\"]?(?<![A-Za-z0-9_./@-])", r"(?![A-Za-z0-9_/-])"
"""Bounds of a program's name, also beside scripts without spaces."""


@lru_cache(maxsize=512)
def _pattern(program: str) -> re.Pattern[str]:
    name = f"{_NAME_START}{re.escape(program)}{_NAME_END}"
    before = rf"(?:(?<!\w){_BEFORE}\s+(?:{_FILLER}\s+){{0,3}}|{_BEFORE_WIDE}\s*){name}"
    return lazy_regex(rf"(?P<before>{before})|{name}[`'\"]?{_AFTER}")


def _rejects(instruction: str, program: str, command: str) -> bool:
    """Whether an instruction rejects a program, or this one of its commands."""
    for match in _pattern(program).finditer(instruction):
        following = _NEXT_WORD.match(instruction, match.end()) if match["before"] else None
        word = following[1].rstrip(".:") if following else ""
        if not word or word in _ABOUT_ALL or word in command.casefold().split():
            return True
    return False


def _replacement(command: str, program: str, preferred: str) -> str:
    """The same script with the package manager that the user prefers; empty if there is none."""
    if program not in PACKAGE_MANAGERS or not preferred:
        return ""
    if _INSTALL.fullmatch(command):
        return f"{preferred} install"
    script = _PACKAGE_SCRIPT.fullmatch(command)
    return run_script(preferred, script[1]) if script else ""


def _chosen_manager(instruction: str, program: str) -> str:
    """Return the only package manager besides a program that an instruction names and does not reject; else nothing."""
    others = [name for name in PACKAGE_MANAGERS if name != program and _is_chosen(instruction, name)]
    return others[0] if len(others) == 1 else ""


def _is_chosen(instruction: str, program: str) -> bool:
    is_named = re.search(f"{_NAME_START}{program}{_NAME_END}", instruction) is not None
    return is_named and _pattern(program).search(instruction) is None


def _preferred_manager(instruction: str, program: str) -> str:
    """Return the package manager that an instruction chooses for the whole project, without naming this one."""
    if re.search(f"{_NAME_START}{program}{_NAME_END}", instruction):
        return ""
    chosen = _chosen_manager(instruction, program)
    name = rf"{_NAME_START}{chosen}{_NAME_END}"
    is_limited = chosen and re.search(rf"{name}\s+(?:for (?!every|all)|in|on|when|to)\b", instruction)
    if not chosen or is_limited:
        return ""
    is_choice = re.search(rf"(?<!\w){_CHOOSE}\s*{name}", instruction) is not None
    replaces = any(_pattern(other).search(instruction) for other in PACKAGE_MANAGERS if other in instruction)
    return chosen if is_choice or replaces else ""


def run_script(manager: str, script: str) -> str:
    """Return the command by which a package manager runs a script."""
    is_plain = manager in ("pnpm", "yarn") or (manager == "npm" and script in ("test", "start"))
    return f"{manager} {script}" if is_plain else f"{manager} run {script}"


MAX_COMMAND = 100
MAX_ORIGIN = 240
"""Maximum length of a command's source, with what the user prefers."""

_RUNNER = r"(?:(?:uv|poetry|pdm|hatch|rye|pipenv) run (?:-\S+ )*|bundle exec |npx |pnpm exec |bunx |python3? -m |env )?"
_PYTHON = r"(?:(?:(?:uv|poetry|pdm|pipenv) run )?python3? )?(?:\./)?"
_PACKAGE_MANAGER = r"(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+)*"
_SCRIPT = r"(?:(?:python3?|bash|sh|node) )?(?:\./)?(?:\.ci|ci|build|scripts?|tools?|bin|hack|dev)/(?:[\w.-]+/)*"

_NO_OTHER_ENVIRONMENT = r"(?!(?: \S+){0,3} -[es] (?:\S*(?:lint|doc|typ|flake)|(?!\S*(?:py|test|unit|\d))))"
"""For tox and nox: no environment is named, or one for tests."""

_TASK = rf"(?:make|just|task|{_RUNNER}poe|hatch run|pdm run)"
_END = r"(?:\.\w+)?(?= |$)"
_FORMAT = (
    rf"{_RUNNER}(?:ruff format|black|prettier|biome format)\b",
    rf"{_PACKAGE_MANAGER} (?:format|fmt|prettier)\b",
    r"(?:cargo fmt|gofmt)\b",
    rf"{_TASK} (?:fmt|format)\b",
    rf"{_SCRIPT}(?:format|fmt){_END}",
)
_CHANGES_NOTHING = r"(?=[\w-]*:check\b|.* (?:--(?:check|diff|list-different)|-[dl])(?= |$))"
PURPOSES = {
    "test": (
        rf"{_RUNNER}(?:pytest|vitest|jest|mocha|rspec|phpunit|unittest|rake (?:test|spec))(?= |$)",
        rf"{_RUNNER}(?:tox|nox)(?= |$){_NO_OTHER_ENVIRONMENT}",
        rf"{_PACKAGE_MANAGER} test\b(?!-)",
        r"(?:go|dotnet|swift|mix|deno|zig build|flutter|dart|composer|meson) test(?= |$)",
        r"cargo (?:nextest|test)(?= |$)",
        rf"{_TASK} (?:unit-?)?tests?(?:-(?:full|all))?(?= |$)",
        r"(?:\./)?gradlew? \S*test\b",
        r"(?:\./)?mvnw? (?:\S+ )*(?:test|verify)\b",
        r"(?:\./)?vendor/bin/(?:phpunit|pest|simple-phpunit)(?= |$)(?! (?:install|--version))",
        rf"{_PYTHON}(?:manage\.py test|(?:tests/)?run_?tests\.py)(?= |$)",
        r"ctest(?= |$)",
        rf"{_SCRIPT}(?:run[_-]?)?tests?{_END}",
    ),
    "check": (
        rf"{_RUNNER}pre-commit run\b",
        rf"{_TASK} (?:check|lint)\b(?![-:])",
        rf"{_RUNNER}tox -e \S*(?:lint|flake)",
        rf"{_PACKAGE_MANAGER} (?:lint|check)\b(?!-)",
        rf"{_RUNNER}(?:ruff check|eslint|biome (?:check|lint|ci)|flake8|pylint|oxlint)\b",
        r"(?:golangci-lint run|cargo clippy|go vet)\b",
        r"\.ci/\w+$",
        rf"{_SCRIPT}(?:check|lint){_END}",
    ),
    "types": (
        rf"{_RUNNER}(?:mypy|pyright|basedpyright|tsc|vue-tsc)\b",
        rf"{_PACKAGE_MANAGER} (?:typecheck|type-check|types?|ts:check|check-types|tsc)\b",
        rf"{_TASK} (?:typecheck|types|mypy)\b",
    ),
    "format check": tuple(begin + _CHANGES_NOTHING for begin in _FORMAT),
    "format": _FORMAT,
    "build": (
        rf"{_PACKAGE_MANAGER} build\b",
        r"(?:cargo|go|dotnet|swift) build\b|zig build$",
        rf"{_TASK} build\b",
        r"(?:\./)?gradlew? (?:build|assemble)\b",
        r"(?:\./)?mvnw? (?:\S+ )*package\b",
        r"cmake --build\b",
        rf"{_SCRIPT}build{_END}",
    ),
    "set up": (
        r"(?:uv sync|(?:poetry|pdm|bundle|composer) install|flutter pub get|mix deps\.get)\b",
        rf"{_RUNNER}pip install (?:-\S+ )*-(?:e|r)\b",
        r"(?:npm ci|(?:npm|pnpm|yarn|bun) install|yarn)$",
        rf"{_TASK} (?:install|setup|init|bootstrap|deps)\b",
        rf"{_SCRIPT}(?:install|setup|bootstrap){_END}",
    ),
    "run": (
        rf"{_PACKAGE_MANAGER} (?:dev|start)\b",
        rf"{_TASK} (?:dev|run|serve)\b",
        rf"{_RUNNER}flask run\b",
        r"python3? manage\.py runserver\b",
    ),
}
"""Patterns of a command's beginning by purpose, in the order in which they are shown."""

_PURPOSES = {
    purpose: lazy_regex("|".join(f"(?:{begin})(?!:(?: |$))" for begin in begins))
    for purpose, begins in PURPOSES.items()
}
_DEVELOPMENT_HEADING = lazy_regex(
    r"(?i)\b(develop\w*|contribut\w*|test\w*|build\w*|hack\w*|lint\w*|check\w*|working|set ?up|commands?|workflow"
    r"|local\w*|source)\b"
)
"""Headings under which a README describes work on the project, not its use."""

_SHELL = ("", "sh", "bash", "shell", "console", "shell-session", "zsh", "terminal", "powershell", "text")
_INLINE = lazy_regex(r"`([^`\n]{3,100})`")
_OWN_TESTS = lazy_regex(rf"{_SCRIPT}|{_TASK} |{_PACKAGE_MANAGER} ")
"""Commands that only the project itself defines: a README states them for work on it, whatever the heading."""

_RARE_WORKFLOW = lazy_regex(r"(?i)bench|releas|publish|deploy|audit|nightly|docs|stale|label")
"""Workflows whose commands nobody types while working."""

_STEP = lazy_regex(r"^\s*+(?:- )?(?:run:\s*+)?[\"']?(.+?)[\"']?$")
_NOT_TYPEABLE = lazy_regex(r"\$\{|\$\(|\$[A-Z]|[|<>;&\\…*]|\.\.\.(?!\s|$)|\[[A-Za-z]|\bpath/to\b|::")
_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("bun.lock", "bun"), ("bun.lockb", "bun"), ("yarn.lock", "yarn"))
_PYTHON_LOCKS = (("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("pdm.lock", "pdm run "))
_SCRIPTS = {
    "test": ("test", "test:unit"), "check": ("lint", "check"), "format": ("format", "fmt"), "build": ("build",),
    "types": ("typecheck", "type-check", "check-types", "types", "ts:check"), "run": ("dev", "start"),
}  # fmt: skip
_TARGET = lazy_regex(r"(?m)^([A-Za-z][\w-]*)\s*:(?!=)")
_NARROW = lazy_regex(
    r"(?i) (?:-k|-t|-run|--(?:watch|doc|failed|filter|grep|only|pdb|lf|ui|testnamepattern|tests?)(?:=\S*)?)(?= |$)"
    r"|\btest:(?!all\b|ci\b|run\b)"
    r"|[ /](?:test_\w+|\w+_(?:test|spec)|\w+\.(?:test|spec)|(?-i:\w*[a-z]Tests?))\.\w+(?= |$)| <"
)
"""Signs of a command that runs one test or one kind of tests."""

_MAKE_FILES = (("Makefile", "make"), ("justfile", "just"))
_TASK_TABLES = (
    (("poe", "tasks"), "poe"),
    (("hatch", "envs", "default", "scripts"), "hatch run"),
    (("pdm", "scripts"), "pdm run"),
)
"""Tables of pyproject.toml's tools that name tasks, and what runs them."""

_TOX_FILES = (("tox.ini", "tox"), ("noxfile.py", "nox"))

_USUAL = (
    ("pytest.ini", "", ("pytest",)),
    ("setup.cfg", "[tool:pytest]", ("pytest",)),
    ("manage.py", "django", ("python manage.py test",)),
    ("Cargo.toml", "", ("cargo test", "cargo build")),
    ("go.mod", "", ("go test ./...", "go build ./...")),
    ("gradlew", "", ("./gradlew test", "./gradlew build")),
    ("build.gradle", "", ("gradle test", "gradle build")),
    ("build.gradle.kts", "", ("gradle test", "gradle build")),
    ("mvnw", "", ("./mvnw test", "./mvnw package")),
    ("pom.xml", "", ("mvn test", "mvn package")),
    (".rspec", "", ("bundle exec rspec",)),
    ("Rakefile", "RSpec", ("bundle exec rspec",)),
    ("Rakefile", "TestTask", ("bundle exec rake test",)),
    ("phpunit.xml", "", ("vendor/bin/phpunit",)),
    ("phpunit.xml.dist", "", ("vendor/bin/phpunit",)),
    ("Package.swift", "", ("swift test", "swift build")),
    ("mix.exs", "", ("mix test",)),
    ("pubspec.yaml", "  flutter_test:", ("flutter test",)),
    ("pubspec.yaml", "  test:", ("dart test",)),
    ("Directory.Build.props", "", ("dotnet test", "dotnet build")),
    ("global.json", "", ("dotnet test", "dotnet build")),
    ("meson.build", "", ("meson test -C build",)),
    ("CMakeLists.txt", "enable_testing", ("ctest --test-dir build", "cmake --build build")),
    ("CMakeLists.txt", "CTest", ("ctest --test-dir build", "cmake --build build")),
)
"""A build file, what its text contains, and the commands that are usual then."""

BUILD_FILES = tuple(
    dict.fromkeys(
        [
            *("package.json", "pyproject.toml", "composer.json"),
            *(path for path, _ in (*_MAKE_FILES, *_TOX_FILES)),
            *(path for path, _, _ in _USUAL),
        ]
    )
)
"""Files at the top that state commands, or whose tool has usual ones."""


class ProjectCommand(NamedTuple):
    """A command, and the file that states it."""

    text: str
    origin: str


class Project(NamedTuple):
    """The files that may state commands."""

    guides: Sequence[ProjectDocument]
    """Instruction files and contributing guides, then the README."""
    readme: ProjectDocument | None
    workflows: Sequence[ProjectDocument]
    texts: Mapping[str, str]
    """Build files by path."""
    files: Container[str]
    locks: Container[str]
    """File names of the existing lock files."""


LEFT_OUT = "Commands left out"
"""Title of the commands that contradict a standing instruction."""


class CommandLines(NamedTuple):
    """The lines of the commands, and of those that the user rejects."""

    lines: list[str]
    rejected: list[str]


def commands_of(
    project: Project, sent: Container[str], instructions: Sequence[StandingInstruction] = ()
) -> CommandLines:
    """Return a line for each purpose: from guides, else declared, else from workflows, else the usual command.

    Wherever it is written, a command that runs all tests is shown rather than one that runs some.
    A command in a guide that is `sent` anyway is not shown, nor is any other for that purpose. One that a standing
    instruction rejects is replaced or left out.
    """
    chosen: dict[str, ProjectCommand] = {}
    rejected: dict[str, str] = {}
    texts = [instruction.text for instruction in instructions]
    for source in (_commands_in_guides, _declared_commands, _commands_in_workflows, _usual_commands):
        for command in source(project):
            purpose = purpose_of(command.text)
            if not purpose or (purpose in chosen and not _is_wider(command, chosen[purpose])):
                continue
            rejection = rejection_of(command.text, texts)
            if rejection is None:
                preference = preference_of(command.text, texts)
                by = instructions[preference.instruction].id if preference else ""
                note = f"; the user prefers {preference.program}, {by}" if preference else ""
                chosen[purpose] = ProjectCommand(command.text, f"{command.origin}{note}")
                continue
            by = instructions[rejection.instruction].id
            rejected.setdefault(_line(purpose, command), f"the user rejects {rejection.program} in {by}")
            if rejection.replacement:
                origin = (
                    f"instead of `{command.text}` in {command.origin}; the user prefers {rejection.preferred}, {by}"
                )
                chosen[purpose] = ProjectCommand(rejection.replacement, origin)
    return CommandLines(
        [_line(purpose, chosen[purpose]) for purpose in PURPOSES if _is_shown(chosen.get(purpose), sent)],
        [f"{line}: {reason}" for line, reason in rejected.items()],
    )


def _is_wider(command: ProjectCommand, chosen: ProjectCommand) -> bool:
    """Whether a command runs everything and the chosen one does not."""
    return _NARROW.search(chosen.text) is not None and _NARROW.search(command.text) is None


def _is_shown(command: ProjectCommand | None, sent: Container[str]) -> bool:
    return command is not None and command.origin not in sent


def _line(purpose: str, command: ProjectCommand) -> str:
    return f"- {purpose}: `{one_line(command.text, MAX_COMMAND)}` ({one_line(command.origin, MAX_ORIGIN)})"


def purpose_of(command: str) -> str:
    """Return the purpose of a command; empty for what is not a command, or cannot be typed as it is."""
    if len(command) > MAX_COMMAND or _NOT_TYPEABLE.search(command):
        return ""
    return next((purpose for purpose, pattern in _PURPOSES.items() if pattern.match(command)), "")


def package_manager(texts: Mapping[str, str], locks: Container[str]) -> str:
    """Return the program that runs a package's scripts: from package.json, else from the lock file."""
    named = config_files.parse_json(texts.get("package.json", "")).get("packageManager")
    if isinstance(named, str) and (manager := re.match(r"pnpm|yarn|bun|npm", named)):
        return manager[0]
    return next((program for lock, program in _LOCKS if lock in locks), "npm")


def _commands_in_guides(project: Project) -> Iterator[ProjectCommand]:
    for guide in project.guides:
        yield from _shell_lines(guide, everywhere=True)
        for line in prose_lines(guide.text):
            for inline in _INLINE.finditer(line.text):
                yield ProjectCommand(inline[1].strip(), guide.path)
    if project.readme is not None:
        yield from _shell_lines(project.readme, everywhere=False)
        for line in prose_lines(project.readme.text):
            if _is_about_development(line.headings):
                yield from (
                    ProjectCommand(inline[1].strip(), project.readme.path) for inline in _INLINE.finditer(line.text)
                )

    if project.readme is not None:
        for command in _shell_lines(project.readme, everywhere=True):
            if _OWN_TESTS.match(command.text) and purpose_of(command.text) == "test":
                yield command


def _shell_lines(document: ProjectDocument, *, everywhere: bool) -> Iterator[ProjectCommand]:
    """The lines of a document's shell blocks; for a README only where it describes work on the project."""
    for block in code_blocks(document.text):
        if block.language in _SHELL and (everywhere or _is_about_development(block.headings)):
            for line in block.lines:
                line_text = line.strip().removeprefix("$ ").removeprefix("> ").partition(" #")[0].strip()
                yield ProjectCommand(line_text, document.path)


def _is_about_development(headings: Sequence[str]) -> bool:
    """Whether a block is directly under the title, or under a heading about development."""
    return len(headings) <= 1 or any(_DEVELOPMENT_HEADING.search(heading) for heading in headings[1:])


def _declared_commands(project: Project) -> Iterator[ProjectCommand]:
    """A Python project may have a package.json for its pages: its own tools come first."""
    texts = project.texts
    is_python = any(path in texts for path, _ in _TOX_FILES)
    if not is_python:
        yield from _package_scripts(project)
    for path, program in _MAKE_FILES:
        for target in _TARGET.findall(texts.get(path, "")):
            yield ProjectCommand(f"{program} {target}", path)
    yield from _python_tasks(project)
    yield from (ProjectCommand(program, path) for path, program in _TOX_FILES if path in texts)
    if is_python:
        yield from _package_scripts(project)
    if "test" in config_files.subtable(config_files.parse_json(texts.get("composer.json", "")), "scripts"):
        yield ProjectCommand("composer test", "composer.json")
    for folder in ("scripts", "script", "bin"):
        for name in ("test", "check", "lint", "build", "install", "setup"):
            for path in (f"{folder}/{name}", f"{folder}/{name}.sh"):
                if path in project.files:
                    yield ProjectCommand(path, path)


def _package_scripts(project: Project) -> Iterator[ProjectCommand]:
    scripts = config_files.subtable(config_files.parse_json(project.texts.get("package.json", "")), "scripts")
    manager = package_manager(project.texts, project.locks)
    for names in _SCRIPTS.values():
        yield from (ProjectCommand(run_script(manager, name), "package.json") for name in names if name in scripts)


def _python_tasks(project: Project) -> Iterator[ProjectCommand]:
    tools = config_files.subtable(config_files.parse_toml(project.texts.get("pyproject.toml", "")), "tool")
    for path, runner in _TASK_TABLES:
        tasks = config_files.subtable(tools, *path)
        prefix = _runner_prefix(project) if runner == "poe" else ""
        for names in (*_SCRIPTS.values(), ("mypy",)):
            yield from (ProjectCommand(f"{prefix}{runner} {name}", "pyproject.toml") for name in names if name in tasks)


def _runner_prefix(project: Project) -> str:
    """The program that runs a tool in the project's environment."""
    return next((prefix for lock, prefix in _PYTHON_LOCKS if lock in project.locks), "")


def _commands_in_workflows(project: Project) -> Iterator[ProjectCommand]:
    for workflow in project.workflows:
        if _RARE_WORKFLOW.search(workflow.path):
            continue
        for line in workflow.text.splitlines():
            step = _STEP.match(line.rstrip())
            if step:
                yield ProjectCommand(step[1], workflow.path)


def _usual_commands(project: Project) -> Iterator[ProjectCommand]:
    texts = project.texts
    prefix = _runner_prefix(project)
    tools = config_files.subtable(config_files.parse_toml(texts.get("pyproject.toml", "")), "tool")
    for tool, command in (("pytest", "pytest"), ("ruff", "ruff check"), ("mypy", "mypy"), ("pyright", "pyright")):
        if tool in tools:
            yield ProjectCommand(prefix + command, "pyproject.toml")
    for path, sign, commands in _USUAL:
        if sign in texts.get(path, "") and path in texts:
            yield from (
                ProjectCommand(prefix + command if command.startswith("py") else command, path) for command in commands
            )


def entry_point_lines(texts: Mapping[str, str], mains: Sequence[str]) -> list[str]:
    """Return a line for each entry point that a build file declares, then for files that are entry points by name."""
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
    project = config_files.parse_toml(texts.get("pyproject.toml", ""))
    for scripts in (
        config_files.subtable(project, "project", "scripts"),
        config_files.subtable(project, "tool", "poetry", "scripts"),
    ):
        yield from ((name, target) for name, target in scripts.items() if isinstance(target, str))


def _node_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    package = config_files.parse_json(texts.get("package.json", ""))
    binary = package.get("bin")
    if isinstance(binary, str):
        yield str(package.get("name", "bin")), binary
    elif isinstance(binary, dict):
        yield from ((name, target) for name, target in binary.items() if isinstance(target, str))


def _rust_entries(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for binary in config_files.parse_toml(texts.get("Cargo.toml", "")).get("bin", []):
        if isinstance(binary, dict) and isinstance(binary.get("path"), str):
            yield str(binary.get("name", "")), binary["path"]
