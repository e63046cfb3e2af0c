"""Commands that the user's instructions reject, and what they prefer instead; commands that a guide forbids. Pure.

"Use pnpm, not npm" rejects `npm test`, and the same script runs with `pnpm test`. "Never run npm publish" rejects no
other command of npm. A command of a tool that no instruction names, such as `bun run test`, stays; the tool that the
user prefers is named beside it.
"""

import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from sidecar.core import config_tables
from sidecar.core.lazy_regex import lazy_regex

_LOCKS = (
    ("package-lock.json", "npm"), ("pnpm-lock.yaml", "pnpm"), ("bun.lock", "bun"), ("bun.lockb", "bun"),
    ("yarn.lock", "yarn"),
)  # fmt: skip
_PYTHON_LOCKS = (("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("pdm.lock", "pdm run "))
LOCK_FILES = tuple(name for name, _ in (*_LOCKS, *_PYTHON_LOCKS))

_PROGRAM_FILES = tuple(
    f"{folder}{name}.{suffix}"
    for folder in ("", "src/")
    for name in ("main", "app", "bot", "run", "server", "start", "index", "cli")
    for suffix in ("py", "js", "mjs", "ts")
)
SCRIPT_FILES = tuple(
    f"{folder}/{name}{suffix}"
    for folder in ("scripts", "script", "bin")
    for name in ("test", "check", "lint", "build", "setup")
    for suffix in ("", ".sh")
)
_FLUTTER_MAIN = "lib/main.dart"
PRESENCE_FILES = (*LOCK_FILES, *_PROGRAM_FILES, *SCRIPT_FILES, _FLUTTER_MAIN)
"""Files at the top of a project whose presence decides about a command, whatever they contain."""

PACKAGE_MANAGERS = ("npm", "pnpm", "yarn", "bun")
"""Programs that run the same scripts."""

_SCRIPT_RUNNERS = frozenset((*PACKAGE_MANAGERS, "uv", "poetry", "pdm", "hatch", "rye", "pipenv"))
"""Programs whose `run` starts the program or script that is named after it."""

_BEFORE = (
    r"(?:instead of|rather than|in place of|over|not|never|no longer|no more|no|don['’]?t|do not|must not|stop|avoid"
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
    r"|(?: [a-z][\w:-]*)?\s+(?:is|are) (?:forbidden|banned|not allowed|no longer)"
    r"|\s+(?:must|may|should|darf|soll|wird)\s[^.,;]{0,20}?\b(?:never|not|nie(?:mals)?|nicht)\s(?:mehr |be )?"
    r"(?:used|run|called|benutzt|verwendet|genutzt|eingesetzt)\b)"
)
_FORBID = r"(?:never|do not|don['’]?t|must not|should not|avoid|instead of|rather than)"
_EXCEPTION = r"(?:without|unless|if|when|while|before|until|except|outside|in|on|from|with|as)"
_NEXT_WORD = lazy_regex(r"[`'\"]?[ ](?:run )?([a-z][\w:.-]*)")
_ABOUT_ALL = frozenset(
    "a and any anymore anywhere as at because but by command commands directly either en ever for from here i in is it"
    " itself on or please script scripts since so that the there this to use we when with für hier ici mehr nicht por"
    " pour para aqui benutzen verwenden nutzen nehmen einsetzen benutzt verwendet genutzt gebruiken".split()
)
"""Words after a program's name that name none of its commands."""

PACKAGE_RUNNER = (
    r"(?:uv|poetry|pdm|hatch|rye|pipenv) run (?:-\S+ )*|bundle exec |npx |pnpm exec |bunx |python3? -m |env "
)
"""Pattern of what stands before a program of an installed package."""

_PACKAGE_RUNNER = lazy_regex(PACKAGE_RUNNER)
_PACKAGE_SCRIPT = lazy_regex(r"(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)")
INSTALL = r"(?:npm ci|(?:npm|pnpm|yarn|bun) install|yarn)"
"""Pattern of a command that installs what a package needs."""

_INSTALL = lazy_regex(INSTALL)


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


_SCRIPT_FILE = lazy_regex(r"(?:\w{1,9} run )?(?:python3?|node) (\S+\.(?:py|[cm]?[jt]s))$")
_APP = lazy_regex(
    r"(?:\S{1,20} ){0,3}?(?:streamlit run|fastapi (?:dev|run)|uvicorn|gunicorn) (?:-\S+ )*"
    r"(?:(\S+)\.py|([\w.]+):\w+)(?= |$)"
)
"""Starts of an app: its path without the suffix, or its module."""


def lacks_file(command: str, folder: str, files: Container[str], folders: Container[str]) -> bool:
    """Whether a command starts a script or an app that is not there, as in an example of what users write.

    An app below a folder of the project counts as there: `files` has those at the top alone.
    """
    script, app = _SCRIPT_FILE.match(command), _APP.match(command)
    if script is not None:
        return folder + script[1].removeprefix("./") not in files
    if app is None:
        return False
    path = folder + (app[1] or app[2].replace(".", "/")).removeprefix("./")
    is_inside = "/" in path and f"{path.partition('/')[0]}/" in folders
    return f"{path}.py" not in files and not is_inside


_USUAL_SCRIPTS = (
    r"(?:tests?|start|dev|serve|run|lint|build|compile|format|fmt|check|typecheck|type-check|check-types)"
    r"(?::[\w:.-]+)?(?= |$)"
)
"""Names that scripts have and programs have not: `yarn` and `pdm run` start programs, `make` builds them by rules."""

_ELSEWHERE = lazy_regex(r" (?:-C|-w|-r|-f|--(?:prefix|workspaces?|filter|cwd|dir|recursive|file|directory))(?=[ =]|$)")
"""Options by which a command runs in another folder."""

_INCLUDED = lazy_regex(r"(?m)^ {0,40}(?:-?include|sinclude)\b")
_UNREADABLE_TASKS = lazy_regex(r"(?m)^(?:import|mod|includes:)")
_TASK_NAME = lazy_regex(r"(?m)^ {1,16}['\"]?([\w:-]+)['\"]?:")
_RECIPE = lazy_regex(r"(?m)^(?:alias )?@?([A-Za-z_][\w-]*)")
_WORD = lazy_regex(r"[^\W_]+")


def _package_scripts(text: str) -> Container[str] | None:
    table = config_tables.parse_json(text)
    return config_tables.subtable(table, "scripts") if table else None


def _make_targets(text: str) -> Container[str] | None:
    heads = [line.partition(":")[0] for line in text.splitlines() if ":" in line and not line[:1].isspace()]
    heads = [head for head in heads if "=" not in head]
    is_open = _INCLUDED.search(text) is not None or any("$" in head or "%" in head for head in heads)
    return None if is_open else frozenset(name for head in heads for name in head.split())


def _task_names(pattern: re.Pattern[str], text: str) -> Container[str] | None:
    return None if _UNREADABLE_TASKS.search(text) else frozenset(pattern.findall(text))


def _python_tasks(text: str) -> Container[str] | None:
    """The tasks of poe, pdm and hatch; None if the tables are elsewhere."""
    tools = config_tables.subtable(config_tables.parse_toml(text), "tool")
    poe, environments = config_tables.subtable(tools, "poe"), config_tables.subtable(tools, "hatch", "envs")
    tables = [config_tables.subtable(poe, "tasks"), config_tables.subtable(tools, "pdm", "scripts")]
    tables += [config_tables.subtable(environments, name, "scripts") for name in environments]
    names = frozenset(name for table in tables for name in table)
    return names if names and not any("include" in key for key in poe) else None


def _words(text: str) -> Container[str]:
    return frozenset(_WORD.findall(text))


_SCRIPT_CALLS: tuple[tuple[str, re.Pattern[str], Callable[[str], Container[str] | None]], ...] = (
    ("package.json", lazy_regex(r"npm (?:run |(?=(?:test|start)(?: |$)))([\w:.-]+)"), _package_scripts),
    ("package.json", lazy_regex(rf"(?:(?:pnpm|yarn) (?:run )?|bun run )({_USUAL_SCRIPTS})"), _package_scripts),
    ("composer.json", lazy_regex(rf"composer (?:run(?:-script)? )?({_USUAL_SCRIPTS})"), _package_scripts),
    ("Makefile", lazy_regex(rf"make ({_USUAL_SCRIPTS})"), _make_targets),
    ("justfile", lazy_regex(r"just ([A-Za-z_][\w-]*)(?= |$)"), partial(_task_names, _RECIPE)),
    ("Taskfile.yml", lazy_regex(r"task ([A-Za-z_][\w:-]*)(?= |$)"), partial(_task_names, _TASK_NAME)),
    ("pyproject.toml", lazy_regex(r"(?:\w{1,9} run )?poe ([A-Za-z_][\w:-]*)(?= |$)"), _python_tasks),
    ("pyproject.toml", lazy_regex(rf"(?:pdm|hatch) run ({_USUAL_SCRIPTS})"), _python_tasks),
    ("tox.ini", lazy_regex(r"(?:\w{1,9} run )?tox (?:run )?-e (?!py)([^\W_]+)"), _words),
    ("noxfile.py", lazy_regex(r"(?:\w{1,9} run )?nox -s ([^\W_]+)"), _words),
)
"""Files that declare scripts, how one of these is started, and the reader of their names; it returns None if they may
be elsewhere, too.
"""


COMPOSE_FILES = (
    "compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml",
    "compose.override.yaml", "compose.override.yml", "docker-compose.override.yml", "docker-compose.override.yaml",
)  # fmt: skip
_COMPOSE_UP = lazy_regex(r"docker[ -]compose up\b")
_BUILT_SERVICE = lazy_regex(r"(?m)^[ \t]{1,16}build:|\{[^\n}]{0,200}\bbuild:|^include:|^[ \t]{1,16}extends:")
"""A service that the project builds, or one that may be described elsewhere."""
_OWN_IMAGE = lazy_regex(r"(?m)^[ \t]{1,16}image:[ \t]*['\"]?(?:[\w.-]+\.\w+(?::\d+)?/|\$\{)")
"""An image from a registry of somebody's own: it may be the application."""


def starts_only_services(command: str, folder: str, texts: Mapping[str, str]) -> bool:
    """Whether a command starts containers of which the project builds none: its databases, not the application."""
    composed = [texts[folder + name] for name in COMPOSE_FILES if folder + name in texts]
    is_up = _COMPOSE_UP.match(command) is not None
    is_built = any(_BUILT_SERVICE.search(text) or _OWN_IMAGE.search(text) for text in composed)
    return is_up and bool(composed) and not is_built


def lacks_script(command: str, folder: str, texts: Mapping[str, str], files: Container[str]) -> bool:
    """Whether a command starts a script that the file that declares scripts here lacks: one of a generated project.

    `texts` are those of build files by path. npm starts a `server.js` without a script.
    """
    for name, call, names_of in _SCRIPT_CALLS:
        started, text = call.match(command), texts.get(folder + name)
        if started is None or text is None or _ELSEWHERE.search(command) is not None:
            continue
        names = names_of(text)
        is_server = started[1] == "start" and f"{folder}server.js" in files
        return names is not None and started[1] not in names and not is_server
    return False


_TESTS_OF = (
    ("swift test", (), "testTarget"),
    ("mix test", ("test/",), "test_paths"),
    ("meson test -C build", ("test/", "tests/"), "test"),
    ("forge test", ("test/",), "test ="),
    ("lein test", ("test/",), ":test-paths"),
    ("npx hardhat test", ("test/",), "tests:"),
    ("flutter test", ("test/",), ""),
    ("dart test", ("test/",), ""),
    ("bin/rails test", ("test/",), ""),
    ("julia --project -e 'using Pkg; Pkg.test()'", ("test/",), ""),
    ('Rscript -e "devtools::test()"', ("tests/",), ""),
    ("bundle exec rspec", ("spec/",), ""),
    ("busted", ("spec/",), ""),
    ("prove -lr t", ("t/",), ""),
)
"""Usual test commands that fail without tests: the folders that may hold these, and what declares them elsewhere."""


def is_unusual(command: str, text: str, texts: Container[str], tests: Collection[str], files: Container[str]) -> bool:
    """Whether the usual command of a build file with this text does not hold: it has no tests, or others run them.

    `swift test` builds nothing for mobile platforms alone, and an engine runs the tests of a game in .NET. The apps of
    an umbrella have their own tests. A package for apps has no program that `flutter run` could start.
    """
    if command == "dotnet test":
        return not any(path.endswith("proj") for path in tests) or "project.godot" in texts
    if command == "flutter run":
        return _FLUTTER_MAIN not in files
    for name, folders, sign in _TESTS_OF:
        is_declared = bool(sign) and sign in text
        if command == name and not is_declared and not any(_is_of_project(path, folders) for path in tests):
            return True
    return ".iOS(" in text and ".macOS(" not in text and "PackageDescription" in text


def _is_of_project(path: str, folders: Sequence[str]) -> bool:
    """Whether a folder is one of these, or that of an app in an umbrella."""
    return path in folders or (path.startswith("apps/") and path.split("/", 2)[-1] in folders)


_FIXING = lazy_regex(
    r"--(?:fix(?!-dry)|write\b|auto-?correct)|(?:rubocop|standardrb) -[aA]"
    r"|\b(?:black|(?:ruff|biome) format|(?:cargo|go) fmt) (?!.*--(?:check|diff))"
    r"|\bphpcbf\b|\bpint\b(?!.*--test)|\bphp-cs-fixer fix\b(?!.*--dry-run)"
)
"""Signs of a script that changes files."""


def changes_files(script: str) -> bool:
    """Whether a script changes files, as one that corrects or formats them does."""
    return _FIXING.search(script) is not None


_SETS_VALUES = lazy_regex(r"(?: --?[\w.-]{1,80}=\S{1,200})+")


def is_variant(command: str, others: Collection[str]) -> bool:
    """Whether another command is the same without options that set values, such as `-Dtest.java.version=11`."""
    end = command.find(" -")
    while end >= 0:
        if command[:end] in others and _SETS_VALUES.fullmatch(command, end):
            return True
        end = command.find(" -", end + 1)
    return False


def is_forbidden(command: str, guides: Sequence[str]) -> bool:
    """Whether a guide forbids a command by its first words, in whatever circumstances.

    It may also forbid a program on its own, or say that the command fails without arguments.
    """
    program, *arguments = words = command.casefold().split()[:3]
    if any(_bare_program(program).search(guide) for guide in guides) or (
        len(arguments) == 1 and any(_bare_command(" ".join(words)).search(guide) for guide in guides)
    ):
        return True
    words = words if words[1:2] == ["run"] and words[0] in _SCRIPT_RUNNERS else words[:2]
    if len(words) < 2 or not words[-1][0].isalpha():
        return False
    pattern = _forbidden_pattern(" ".join(words))
    return any(pattern.search(guide) for guide in guides)


_CLAUSE_END = lazy_regex(
    r"(?i)[.!?:;](?=\s)|[—–→]|\s-\s|\bbut\b|\binstead,?\s(?!of\b)|,\s+(?:(?:always|please|instead|just|then) )?"
    r"(?:use|run|prefer)\b|\n\s{0,40}(?-i:(?=(?:Run|Use|Execute|Call|Start|Test|Check|Lint|Format|Build|Prefer|Always|Please)\b))"
)
_PROHIBITS = lazy_regex(rf"(?i)(?<!\w)(?<!if you )(?:{_FORBID}|shouldn['’]t|mustn['’]t|no longer)(?!\w)")
_NO_PROHIBITION = lazy_regex(
    r"(?i)\b(?:without|unless|until|before|except|only|just|forget|hesitate|skip\w*|omit|miss|fail|break)\b"
)
_NEGATED_TWICE = lazy_regex(
    r"(?i)\b(?:that|which|who|if|when|while) (?:\w+ ){0,3}(?:(?:do|does|did|is|are|has|have)(?: not|n['’]t)|cannot)\b"
)
_OTHER_CLAUSE = lazy_regex(r"\s(?!(?:run|use|call|execute|start|invoke|ever)\b)[^\s`,]+(?: [^\s`,]+){2,},\s?\Z")
"""The rest of a clause that forbids something else: "don't worry about style, `ruff format .` fixes it"."""


def is_prohibited(before: str) -> bool:
    """Whether a clause forbids the command that follows it, as "do not install" does; "not without" demands it."""
    clause = before[max((match.end() for match in _CLAUSE_END.finditer(before)), default=0) :]
    prohibitions = list(_PROHIBITS.finditer(clause))
    if not prohibitions or _NEGATED_TWICE.search(clause, prohibitions[0].end()) is not None:
        return False
    last = prohibitions[-1]
    return _NO_PROHIBITION.search(clause, last.start()) is None and _OTHER_CLAUSE.match(clause, last.end()) is None


@lru_cache(maxsize=512)
def _forbidden_pattern(words: str) -> re.Pattern[str]:
    name = rf"(?:([`'\"*]{{1,3}}){re.escape(words)}\1|{re.escape(words)}(?![\w/:-]| -))"
    return lazy_regex(rf"(?i)(?<!\w){_FORBID}\s+(?:{_FILLER}\s+){{0,3}}{name}(?!\s+{_EXCEPTION}\b)")


_BARE = r"(?:bare|plain|naked|unwrapped|system(?:-wide)?|globally installed)"
_NAMES_BEFORE = r"(?:[`\w. -]{1,40}?(?:\s?/\s?|, | and | or )){0,3}"
_NAMES_AFTER = r"(?:(?:\s?/\s?|, | and | or )`[^`\n]{1,60}`){0,3}"
_FAILS = (
    r"(?:(?:always|will|currently) )?"
    r"(?:fails?|breaks|is broken|(?:does not|doesn['’]t|won['’]t|will not) (?:work|compile))"
    r"\b(?! (?:if|when|while|unless|until|on|in|at|for|with|to)\b)"
)


@lru_cache(maxsize=256)
def _bare_program(program: str) -> re.Pattern[str]:
    """A guide's ban of a program without the one that should run it: never the bare `flutter` / `dart`."""
    return lazy_regex(
        rf"(?i)(?<!\w)(?:{_FORBID}|not)\s+(?:{_FILLER}\s+){{0,3}}{_BARE} {_NAMES_BEFORE}`{re.escape(program)}`"
    )


@lru_cache(maxsize=256)
def _bare_command(command: str) -> re.Pattern[str]:
    """A guide's statement that a command fails, or its ban of that command without arguments."""
    name = rf"`{re.escape(command)}`"
    return lazy_regex(
        rf"(?i){name}{_NAMES_AFTER}\W{{1,5}}{_FAILS}"
        rf"|(?<!\w){_FORBID}\s+(?:{_FILLER}\s+){{0,3}}{_BARE} {_NAMES_BEFORE}{name}"
    )


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


def package_manager(texts: Mapping[str, str], locks: Container[str]) -> str:
    """Return the program that runs a package's scripts: from package.json, else from the lock file."""
    named = config_tables.parse_json(texts.get("package.json", "")).get("packageManager")
    if isinstance(named, str) and (manager := re.match(r"pnpm|yarn|bun|npm", named)):
        return manager[0]
    return next((program for lock, program in _LOCKS if lock in locks), "npm")


def runner_prefix(locks: Container[str]) -> str:
    """Return the program that runs a Python tool in the environment of the lock file."""
    return next((prefix for lock, prefix in _PYTHON_LOCKS if lock in locks), "")
