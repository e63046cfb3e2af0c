"""Commands that build and check a repository, by its own statements; its tools' usual ones are a guess. Pure."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from sidecar.core import config_tables
from sidecar.core.clean_text import one_line
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Line
from sidecar.memory.standing_instruction_register import StandingInstruction
from sidecar.packs.anchor import command_preferences
from sidecar.packs.anchor.command_preferences import package_manager, runner_prefix
from sidecar.packs.anchor.markdown_parts import cloned_names, code_lines, outer_title, prose_lines, workflow_lines
from sidecar.packs.anchor.rules import ProjectDocument

MAX_COMMAND = 100
MAX_ORIGIN = 240
"""Maximum length of a command's source, with what the user prefers."""

_RUNNER = rf"(?:{command_preferences.PACKAGE_RUNNER})?"
_VERSION_MANAGER = r"(?:(?:fvm|puro|mise (?:exec|x)(?: \S+)* --|direnv exec \.|asdf exec) )?"
"""A program that runs a tool in the version that the project chooses."""
_PYTHON = r"(?:(?:(?:uv|poetry|pdm|pipenv) run )?python3? )?(?:\./)?"
_PACKAGE_MANAGER = r"(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+)*"
_SCRIPT = r"(?:(?:python3?|bash|sh|node) )?(?:\./)?(?:\.ci|ci|build|scripts?|tools?|bin|hack|dev)/(?:[\w.-]+/)*"

_NO_OTHER_ENVIRONMENT = r"(?!(?: \S+){0,3} -[es] (?:\S*(?:lint|doc|typ|flake)|(?!\S*(?:py|test|unit|\d))))"
"""For tox and nox: no environment is named, or one for tests."""

_TASK = rf"(?:make|just|task|{_RUNNER}poe|hatch run|pdm run)"
_END = r"(?:\.\w+)?(?= |$)"
_CARGO = r"cargo (?:\+\S+ )?"
_FORMAT = (
    rf"{_RUNNER}(?:ruff format|black|prettier|biome format)(?= |$)",
    rf"(?:{_PACKAGE_MANAGER}|composer) (?:format|fmt|prettier)\b",
    rf"(?:(?:{_CARGO}|(?:zig|forge|terraform|tofu) )fmt|(?:mix|dart|air) format)(?= |$)",
    r"(?:gofmt|stylua|shfmt|ormolu|nixfmt)(?= |$)",
    r"sbt scalafmt\w*",
    r"(?:gdformat(?= |$)|sqlfluff (?:fix|format)\b)",
    rf"{_TASK} (?:fmt|format)\b",
    rf"{_SCRIPT}(?:format|fmt){_END}",
)
_CHANGES_NOTHING = (
    r"(?=[\w-]*:check\b|.* (?:--(?:check(?:-formatted)?|diff|list-different|set-exit-if-changed)"
    r"|-(?:[dl]|check))(?= |$))"
)
PURPOSES = {
    "test": (
        rf"{_RUNNER}(?:pytest|vitest|jest|mocha|rspec|phpunit|unittest|rake (?:test|spec))(?= |$)",
        rf"{_RUNNER}(?:tox|nox)(?= |$){_NO_OTHER_ENVIRONMENT}",
        rf"{_PACKAGE_MANAGER} test\b(?!-)",
        r"(?:go|dotnet|swift|mix|deno|zig build|flutter|dart|composer|meson|forge|php artisan) test(?= |$)",
        rf"{_CARGO}(?:nextest|test)(?= |$)|(?:west|pio) test(?= |$)|{_RUNNER}molecule test(?= |$)",
        rf"{_TASK} (?:unit-?)?tests?(?:-(?:full|all))?(?= |$)",
        r"(?:\./)?gradlew? \S*test\b",
        r"(?:\./)?mvnw? (?:\S+ )*(?:test|verify)\b",
        r"(?:\./)?vendor/bin/(?:phpunit|pest|simple-phpunit)(?= |$)(?! (?:install|--version))",
        rf"{_PYTHON}(?:manage\.py test|(?:tests/)?run_?tests\.py)(?= |$)",
        r"ctest(?= |$)",
        r"(?:sbt|cabal|stack|lein|dune|dbt|terraform|tofu|luarocks|scala-cli) test(?= |$)|rebar3 (?:eunit|ct)(?= |$)",
        rf"{_RUNNER}hardhat test(?= |$)|clojure -[MX]:test\b|nix flake check(?= |$)",
        r"(?:bin/)?rails test(?= |$)|godot (?:-\S+ )*-s (?:res://)?addons/gut/\S|(?:\./)?addons/gdUnit4/runtest\.\w",
        r"julia (?:-\S+ )*-e [\"'](?:using|import) Pkg; ?Pkg\.test\(",
        r"(?:busted|bats|prove)(?: \S|$)(?! (?:install|--version))",
        r"R(?:script)? -e [\"'](?:devtools::test|testthat::test_\w+)\(",
        rf"{_SCRIPT}(?:run[_-]?)?tests?{_END}",
    ),
    "check": (
        rf"{_RUNNER}pre-commit run\b",
        rf"{_TASK} (?:check|lint)\b(?![-:])",
        rf"{_RUNNER}tox -e \S*(?:lint|flake)",
        rf"(?:{_PACKAGE_MANAGER}|composer) (?:lint|check)\b(?!-)",
        rf"{_RUNNER}(?:ruff check|eslint|biome (?:check|lint|ci)|flake8|pylint|oxlint)(?= |$)",
        rf"(?:golangci-lint run|{_CARGO}clippy|go vet|mix credo|(?:dart|flutter) analyze|sqlfluff lint)\b",
        rf"{_RUNNER}(?:ansible-lint(?= |$)|yamllint )",
        r"(?:terraform|tofu) validate\b|(?:luacheck|shellcheck|hlint|tflint|solhint|clj-kondo|gdlint)(?= )",
        r"\.ci/\w+$",
        rf"{_SCRIPT}(?:check|lint){_END}",
    ),
    "types": (
        rf"{_RUNNER}(?:mypy|pyright|basedpyright|tsc|vue-tsc|svelte-check|astro check)(?= |$)|mix dialyzer(?= |$)",
        rf"{_PACKAGE_MANAGER} (?:typecheck|type-check|types?|ts:check|check-types|tsc)\b",
        rf"{_TASK} (?:typecheck|types|mypy)\b",
    ),
    "format check": (*(begin + _CHANGES_NOTHING for begin in _FORMAT), r"sbt scalafmt\w*Check"),
    "format": _FORMAT,
    "build": (
        rf"{_PACKAGE_MANAGER} (?:build|compile)\b",
        r"(?:cargo|go|dotnet|swift|forge|cabal|stack|dune|nix) build\b|zig build$|(?:sbt|mix) compile\b|dbt run(?= |$)",
        rf"{_RUNNER}hardhat compile\b",
        rf"{_TASK} build\b",
        r"(?:\./)?gradlew? (?:build|assemble)\b",
        r"(?:\./)?mvnw? (?:\S+ )*package\b",
        r"cmake --build\b|(?:west|idf\.py) build\b|pio run(?= |$)|arduino-cli compile\b",
        rf"{_SCRIPT}build{_END}",
    ),
    "set up": (
        r"(?:uv sync|(?:poetry|pdm|bundle|composer|forge) install|(?:flutter|dart) pub get|mix (?:deps\.get|setup))\b",
        rf"{_RUNNER}pip install (?:-\S+ )*-(?:e|r)\b",
        r"(?:terraform|tofu) init\b|dbt deps\b|lein deps\b|opam install \.|luarocks install --deps-only\b",
        rf"(?:conda|mamba) env create\b|{command_preferences.INSTALL}$",
        rf"{_TASK} (?:install|setup|init|bootstrap|deps)\b",
        rf"{_SCRIPT}(?:install|setup|bootstrap){_END}",
    ),
    "run": (
        rf"{_PACKAGE_MANAGER} (?:dev|start|serve|tauri dev)\b(?!-)",
        rf"{_TASK} (?:dev|run|serve|start)\b(?!-)",
        rf"{_RUNNER}(?:flask run|streamlit run|uvicorn|gunicorn|fastapi (?:dev|run)|expo start) ",
        rf"{_RUNNER}(?:flask run|expo start|next dev|vite|astro dev)$",
        rf"{_PYTHON}manage\.py runserver\b",
        r"(?:(?:uv|poetry|pdm|pipenv) run )?python3? (?:src/)?[\w-]{1,40}\.py$",
        r"node (?:src/)?[\w-]{1,40}\.[cm]?[jt]s$",
        r"(?:cargo|flutter|dotnet|swift) run\b|go run \.",
        r"sbt run$|jupyter (?:lab|notebook)$|godot --path \.$|dvc (?:repro|exp run)(?= |$)|ansible-playbook \w",
        r"mix phx\.server$|(?:bin/)?rails s(?:erver)?$|bin/dev$|php artisan serve\b|wails dev$",
        r"(?:\./)?gradlew? bootRun\b|(?:\./)?mvnw? (?:\S+ )*(?:spring-boot:run|javafx:run)\b",
        r"docker[ -]compose up\b",
    ),
}
"""Patterns of a command's beginning by purpose, in the order in which they are shown."""

_PURPOSES = {
    purpose: lazy_regex(_VERSION_MANAGER + f"(?:{'|'.join(f'(?:{begin})(?!:(?: |$))' for begin in begins)})")
    for purpose, begins in PURPOSES.items()
}
_DEVELOPMENT_HEADING = lazy_regex(
    r"(?i)\b(develop\w*|contribut\w*|test\w*|build\w*|hack\w*|lint\w*|check\w*|working|set ?up|commands?|workflow"
    r"|local\w*|source)\b"
)
"""Headings under which a README describes work on the project, not its use."""

_RUN_HEADING = lazy_regex(r"(?i)\b(?:run(?:ning)?|start(?:ed|ing)?|quick ?start|launch\w{0,5}|usage|how to use)\b")
"""Headings under which a README says how the program is started."""

_NODE = lazy_regex(r"(?:npm|pnpm|yarn|bun) ")

_SHELL = ("", "sh", "bash", "shell", "console", "shell-session", "zsh", "terminal", "powershell", "text")
_INLINE = lazy_regex(r"`([^`\n]{3,100})`")
_ITEM = lazy_regex(r"\s*+(?:[-*+]|\d{1,2}[.)])\s")
_OWN_TESTS = lazy_regex(rf"{_SCRIPT}|{_TASK} |{_PACKAGE_MANAGER} ")
"""Commands that only the project itself defines: a README states them for work on it, whatever the heading."""

_RARE_WORKFLOW = lazy_regex(r"(?i)bench|releas|publish|deploy|audit|nightly|docs|stale|label|spell|typo")
"""Workflows whose commands nobody types while working."""

_REPORTING = lazy_regex(r"(?i)[ :-](?:sonar\w*|publish\w*|deploy\w*|upload\w*|codecov|coveralls)\b")
"""Signs of a step that sends its result to a service, as no developer does."""

_FIXES = lazy_regex(r"(?i)\bauto-?(?:format|fix|correct)|\bformat(?:ting)? (?:the |your |all )?(?:code|files)\b")
"""A sentence above a command that changes files, whatever the command's name."""

_NO_BUILD = lazy_regex(r" --no-(?:build|restore|progress)(?= |$)")
"""Flags by which a step relies on the one before it."""

_STEP = lazy_regex(r"^\s*+(?:- )?(?:run:\s*+)?([\"']?)(.+?)\1(?: #.*)?$")
_NOT_TYPEABLE = lazy_regex(
    r"\$\{|\$\(|\$[A-Z]|[|<>&\\…*]|;(?! ?Pkg\.test)|\.\.\.(?!\s|$)|\[[A-Za-z]|\bpath/to\b|(?<!devtools)(?<!testthat)::"
)
_NO_TEST = "no test specified"
"""In the script that npm writes into a new package.json."""

PACKAGE_SCRIPTS = {
    "test": ("test", "test:unit"), "check": ("lint", "check"), "format": ("format", "fmt"),
    "build": ("build", "compile"), "run": ("dev", "start"),
    "types": ("typecheck", "type-check", "check-types", "types", "ts:check"),
}  # fmt: skip
_TARGET = lazy_regex(r"(?m)^([A-Za-z][\w-]*)\s*:(?!=)([^\n]*(?:\n[ \t]+\S[^\n]*)*)")
_NARROW = lazy_regex(
    r"(?i) (?:-k|-t|-run|--(?:watch|doc|failed|filter|grep|only|pdb|lf|ui|testnamepattern|tests?)(?:=\S*)?)(?= |$)"
    r"|\btest:(?!all\b|ci\b|run\b)|^mix deps\.get$"
    r"|^docker\b|^dotnet (?:test|build) (?:\S+ ){0,3}\S+\.csproj(?= |$)"
    r"|[ /](?:test_\w+|\w+_(?:test|spec)|\w+\.(?:test|spec)|(?-i:\w*[a-z]Tests?))\.\w+(?= |$)| <"
)
"""Signs of a command that does a part: one test, one kind of tests, one step of the set-up; or in a container."""

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
    ("artisan", "", ("php artisan serve",)),
    (".rspec", "", ("bundle exec rspec",)),
    ("Rakefile", "RSpec", ("bundle exec rspec",)),
    ("Rakefile", "TestTask", ("bundle exec rake test",)),
    ("Gemfile", "rspec-rails", ("bundle exec rspec",)),
    *(("Gemfile", f"gem {mark}rails{mark}", ("bin/rails test", "bin/rails server")) for mark in "'\""),
    ("phpunit.xml", "", ("vendor/bin/phpunit",)),
    ("phpunit.xml.dist", "", ("vendor/bin/phpunit",)),
    ("Package.swift", "", ("swift test", "swift build")),
    ("mix.exs", "", ("mix test", "mix deps.get")),
    (".formatter.exs", "", ("mix format",)),
    (".credo.exs", "", ("mix credo",)),
    ("pubspec.yaml", "  flutter_test:", ("flutter test",)),
    ("pubspec.yaml", "  flutter:", ("flutter pub get", "flutter run")),
    ("pubspec.yaml", "  flutter:", ("flutter analyze",)),
    ("pubspec.yaml", "  test:", ("dart test", "dart analyze")),
    ("foundry.toml", "", ("forge test", "forge build")),
    ("hardhat.config.ts", "", ("npx hardhat test", "npx hardhat compile")),
    ("hardhat.config.js", "", ("npx hardhat test", "npx hardhat compile")),
    ("build.sbt", "", ("sbt test", "sbt compile")),
    ("build.zig", '"test"', ("zig build test",)),
    ("build.zig", "", ("zig build",)),
    ("main.tf", "", ("terraform validate", "terraform fmt -recursive", "terraform init")),
    ("dbt_project.yml", "", ("dbt test", "dbt run", "dbt deps")),
    ("DESCRIPTION", "Package:", ('Rscript -e "devtools::test()"',)),
    (".busted", "", ("busted",)),
    ("project.clj", "", ("lein test",)),
    ("deps.edn", "cognitect.test-runner", ("clojure -X:test",)),
    ("deps.edn", ":test", ("clojure -M:test",)),
    ("Project.toml", "uuid", ("julia --project -e 'using Pkg; Pkg.test()'",)),
    ("project.godot", "addons/gut/", ("godot --headless -s addons/gut/gut_cmdln.gd",)),
    ("project.godot", "addons/gdUnit4/", ("addons/gdUnit4/runtest.sh",)),
    ("project.godot", "", ("godot --path .",)),
    ("stack.yaml", "", ("stack test", "stack build")),
    ("cabal.project", "", ("cabal test all", "cabal build all")),
    ("dune-project", "", ("dune test", "dune build")),
    ("Makefile.PL", "", ("prove -lr t",)),
    ("rebar.config", "", ("rebar3 eunit",)),
    ("Directory.Build.props", "", ("dotnet test", "dotnet build")),
    ("global.json", "", ("dotnet test", "dotnet build")),
    ("meson.build", "", ("meson test -C build",)),
    ("CMakeLists.txt", "enable_testing", ("ctest --test-dir build", "cmake --build build")),
    ("CMakeLists.txt", "CTest", ("ctest --test-dir build", "cmake --build build")),
    ("platformio.ini", "", ("pio run",)),
    ("dvc.yaml", "stages:", ("dvc repro",)),
    (".ansible-lint", "", ("ansible-lint",)),
    ("molecule/default/molecule.yml", "", ("molecule test",)),
    (".pre-commit-config.yaml", "repos:", ("pre-commit run --all-files",)),
    ("environment.yml", "dependencies:", ("conda env create -f environment.yml",)),
    ("requirements.txt", "", ("pip install -r requirements.txt",)),
)
"""A build file, what its text contains, and the commands that are usual then."""

BUILD_FILES = tuple(
    dict.fromkeys(
        [
            *("package.json", "pyproject.toml", "composer.json", "Taskfile.yml"),
            *command_preferences.COMPOSE_FILES,
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
    folder: str = ""
    """The folder to run it in, with a trailing slash; empty for the top."""


MAX_FOLDERS = 4
"""Maximum number of folders whose commands and settings are shown."""


class Project(NamedTuple):
    """The files that may state commands."""

    guides: Sequence[ProjectDocument]
    """Instruction files and contributing guides, then the README."""
    readme: ProjectDocument | None
    workflows: Sequence[ProjectDocument]
    texts: Mapping[str, str]
    """Build files by path."""
    files: Container[str]
    """Those among `PRESENCE_FILES` that exist, in the folders too."""
    folders: Sequence[str] = ()
    """Folders that are projects of their own, each with a trailing slash."""
    areas: Container[str] = ()
    """Folders that a guide may enter before it names a command, each with a trailing slash."""
    tests: Collection[str] = ()
    """Folders of tests, each with a trailing slash, and the build files of .NET projects that hold tests."""


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
    instruction rejects is replaced or left out, one that a guide forbids is passed over. A line for each folder that is
    a project of its own follows.
    """
    guides = tuple(guide.text for guide in project.guides)
    stated, steps = list(_commands_in_guides(project)), list(_commands_in_workflows(project))
    sources = (_declared_commands(project), (step for step in steps if not step.folder), _usual_commands(project))
    at_top = (command for command in stated if not command.folder)
    guessed = (
        usual
        for usual in sources[-1]
        if not any(
            command.text.startswith(f"{usual.text} -") and not _NARROW.search(command.text) for command in stated
        )
    )
    choice = _choose(chain(at_top, *sources[:-1], guessed), instructions, guides)
    pages = _choose(_package_scripts(project) if "composer.json" in project.texts else (), instructions, guides)
    lines = [
        _line(purpose, command) + _beside(purpose, command, pages) for purpose, command in _shown(choice, sent).items()
    ]
    rejected = choice.rejected | pages.rejected
    at_top_texts = {command.text for command in choice.chosen.values()}
    entered = [command.folder for command in stated if command.folder and purpose_of(command.text)]
    checked = [step.folder for step in steps if step.folder and purpose_of(step.text) in ("test", "check")]
    for folder in list(dict.fromkeys((*project.folders, *entered, *checked)))[:MAX_FOLDERS]:
        inner = _inner_project(project, folder)
        in_folder = (command for command in stated if command.folder == folder)
        declared = (
            command._replace(origin=folder + command.origin, folder=folder)
            for command in chain(_declared_commands(inner), _usual_commands(inner))
            if folder in project.folders or folder in entered
        )
        in_steps = (step for step in steps if step.folder == folder and step.text not in at_top_texts)
        choice = _choose(chain(in_folder, declared, in_steps), instructions, guides)
        lines += _folder_line(folder, choice, sent)
        rejected |= choice.rejected
    return CommandLines(lines, [f"{line}: {reason}" for line, reason in rejected.items()])


class _Choice(NamedTuple):
    chosen: dict[str, ProjectCommand]
    """By purpose."""
    rejected: dict[str, str]
    """Reasons by line."""


def _choose(
    commands: Iterable[ProjectCommand], instructions: Sequence[StandingInstruction], guides: Sequence[str]
) -> _Choice:
    """Choose the first command for each purpose that neither the user nor a guide rejects."""
    chosen: dict[str, ProjectCommand] = {}
    rejected: dict[str, str] = {}
    texts = [instruction.text for instruction in instructions]
    for command in commands:
        purpose = purpose_of(command.text)
        if not purpose or (purpose in chosen and not _is_wider(command, chosen[purpose])):
            continue
        if command_preferences.is_forbidden(command.text, guides):
            continue
        rejection = command_preferences.rejection_of(command.text, texts)
        if rejection is None:
            preference = command_preferences.preference_of(command.text, texts)
            by = instructions[preference.instruction].id if preference else ""
            note = f"; the user prefers {preference.program}, {by}" if preference else ""
            chosen[purpose] = command._replace(origin=f"{command.origin}{note}")
            continue
        by = instructions[rejection.instruction].id
        rejected.setdefault(_line(purpose, command), f"the user rejects {rejection.program} in {by}")
        if rejection.replacement:
            origin = f"instead of `{command.text}` in {command.origin}; the user prefers {rejection.preferred}, {by}"
            chosen[purpose] = command._replace(text=rejection.replacement, origin=origin)
    return _Choice(chosen, rejected)


def _inner_project(project: Project, folder: str) -> Project:
    """The project in a folder; it may share the lock file at the top."""
    names = (name for name in BUILD_FILES if name != "requirements.txt" or folder.count("/") == 1)
    texts = {name: project.texts[folder + name] for name in names if folder + name in project.texts}
    files = {name for name in command_preferences.PRESENCE_FILES if folder + name in project.files}
    shared = files.isdisjoint(command_preferences.LOCK_FILES)
    locks = {name for name in command_preferences.LOCK_FILES if shared and name in project.files}
    tests = [path.removeprefix(folder) for path in project.tests if path.startswith(folder)]
    return Project((), None, (), texts, files | locks, tests=tests)


def _folder_line(folder: str, choice: _Choice, sent: Container[str]) -> list[str]:
    """One line with the commands of a folder; none without any."""
    commands = _shown(choice, sent)
    if not commands:
        return []
    origins = ", ".join(dict.fromkeys(command.origin for command in commands.values()))
    listed = ", ".join(f"{purpose} `{one_line(command.text, MAX_COMMAND)}`" for purpose, command in commands.items())
    return [f"- in {one_line(folder, MAX_COMMAND)}: {listed} ({one_line(origins, MAX_ORIGIN)})"]


def _is_wider(command: ProjectCommand, chosen: ProjectCommand) -> bool:
    """Whether a command runs everything and the chosen one does not."""
    return _NARROW.search(chosen.text) is not None and _NARROW.search(command.text) is None


def _shown(choice: _Choice, sent: Container[str]) -> dict[str, ProjectCommand]:
    """The commands that are not sent anyway, by purpose, in the order in which they are shown."""
    chosen = choice.chosen
    return {
        purpose: chosen[purpose] for purpose in PURPOSES if purpose in chosen and chosen[purpose].origin not in sent
    }


def _line(purpose: str, command: ProjectCommand) -> str:
    origin = one_line(command.origin, MAX_ORIGIN)
    place = f" in {one_line(command.folder, MAX_COMMAND)}" if command.folder else ""
    return f"- {purpose}{place}: `{one_line(command.text, MAX_COMMAND)}` ({origin})"


def _beside(purpose: str, command: ProjectCommand, pages: _Choice) -> str:
    """The same for a PHP project's pages, which its own tools do not check."""
    other = pages.chosen.get(purpose) if purpose in ("test", "check", "format") else None
    if other is None or _NODE.match(command.text):
        return ""
    return f", `{one_line(other.text, MAX_COMMAND)}` ({one_line(other.origin, MAX_ORIGIN)})"


def purpose_of(command: str) -> str:
    """Return the purpose of a command; empty for what is not a command, or cannot be typed as it is."""
    if len(command) > MAX_COMMAND or _NOT_TYPEABLE.search(command):
        return ""
    return next((purpose for purpose, pattern in _PURPOSES.items() if pattern.match(command)), "")


def _commands_in_guides(project: Project) -> Iterator[ProjectCommand]:
    for guide in project.guides:
        yield from _shell_lines(project, guide, everywhere=True)
        yield from _inline_commands(project, guide.path, prose_lines(guide.text))
    if project.readme is not None:
        yield from _shell_lines(project, project.readme, everywhere=False)
        title = outer_title(project.readme.text)
        lines = prose_lines(project.readme.text)
        about = (line for line in lines if _is_about_development(_sections(line.headings, title)))
        yield from _inline_commands(project, project.readme.path, about)
        for command in _shell_lines(project, project.readme, everywhere=True):
            if _OWN_TESTS.match(command.text) and purpose_of(command.text) == "test":
                yield command


def _inline_commands(project: Project, path: str, lines: Iterable[Line]) -> Iterator[ProjectCommand]:
    """The commands in sentences that do not forbid them; a tool's name alone starts no program, and formats no file."""
    last = Line(0, "", ())
    for line in lines:
        above = f"{last.text}\n" if line.number == last.number + 1 and not _ITEM.match(line.text) else ""
        for inline in _INLINE.finditer(line.text):
            command = ProjectCommand(inline[1].strip(), path)
            is_name = " " not in command.text and purpose_of(command.text) in ("run", "format")
            if is_name or command_preferences.is_prohibited(above + line.text[: inline.start()]):
                continue
            if _is_runnable(project, command):
                yield command
        last = line


def _is_runnable(project: Project, command: ProjectCommand) -> bool:
    """Whether the package.json, script or app that a command needs is there, unlike in the examples of a manual."""
    is_run = purpose_of(command.text) == "run"
    lacks = command_preferences.lacks_script(command.text, command.folder, project.texts, project.files)
    lacks |= is_run and command_preferences.lacks_file(command.text, command.folder, project.files, project.areas)
    lacks |= is_run and command_preferences.starts_only_services(command.text, command.folder, project.texts)
    needs_package = _NODE.match(command.text) is not None and bool(project.folders)
    return not lacks and not (needs_package and f"{command.folder}package.json" not in project.texts)


def _shell_lines(project: Project, document: ProjectDocument, *, everywhere: bool) -> Iterator[ProjectCommand]:
    """The lines of a document's shell blocks; for a README only where it describes work on the project."""
    title = outer_title(document.text)
    for line in code_lines(document.text, project.areas):
        sections = _sections(line.block.headings, title)
        is_about = everywhere or _is_about_development(sections)
        if line.block.language not in _SHELL or not (is_about or any(map(_RUN_HEADING.search, sections))):
            continue
        command, purpose = ProjectCommand(line.text, document.path, line.folder), purpose_of(line.text)
        is_fix = purpose == "check" and _FIXES.search(line.lead) is not None
        if (is_about or purpose == "run") and not is_fix and _is_runnable(project, command):
            yield command


def _sections(headings: Sequence[str], title: str) -> Sequence[str]:
    """The headings above a block without the title of its document."""
    return headings[1:] if headings[:1] == (title,) else headings


def _is_about_development(sections: Sequence[str]) -> bool:
    """Whether a block is directly under the title, or under a heading about development."""
    return not sections or any(map(_DEVELOPMENT_HEADING.search, sections))


def _declared_commands(project: Project) -> Iterator[ProjectCommand]:
    """A Python or Laravel project may have a package.json for its pages: its own tools come first."""
    texts = project.texts
    is_python = any(path in texts for path, _ in _TOX_FILES)
    if "artisan" in texts and not {"phpunit.xml", "phpunit.xml.dist"}.isdisjoint(texts):
        yield ProjectCommand("php artisan test", "artisan")
    scripts = config_tables.subtable(config_tables.parse_json(texts.get("composer.json", "")), "scripts")
    for name in (name for names in PACKAGE_SCRIPTS.values() for name in names if name in scripts):
        yield _declared(f"composer {name}", "composer.json", str(scripts[name]))
    if not is_python:
        yield from _package_scripts(project)
    for path, program in _MAKE_FILES:
        for target, recipe in _TARGET.findall(texts.get(path, "")):
            yield _declared(f"{program} {target}", path, recipe)
    yield from _python_tasks(project)
    yield from (ProjectCommand(program, path) for path, program in _TOX_FILES if path in texts)
    if is_python:
        yield from _package_scripts(project)
    yield from (ProjectCommand(path, path) for path in command_preferences.SCRIPT_FILES if path in project.files)


def _declared(command: str, path: str, script: str) -> ProjectCommand:
    """A command that a file declares; a check that changes files states this."""
    is_fix = purpose_of(command) == "check" and command_preferences.changes_files(script)
    return ProjectCommand(command, f"{path}; changes files" if is_fix else path)


def _package_scripts(project: Project) -> Iterator[ProjectCommand]:
    scripts = config_tables.subtable(config_tables.parse_json(project.texts.get("package.json", "")), "scripts")
    manager = package_manager(project.texts, project.files)
    for names in PACKAGE_SCRIPTS.values():
        yield from (
            _declared(command_preferences.run_script(manager, name), "package.json", str(scripts.get(name)))
            for name in names
            if _NO_TEST not in str(scripts.get(name, _NO_TEST))
        )


def _python_tasks(project: Project) -> Iterator[ProjectCommand]:
    tools = config_tables.subtable(config_tables.parse_toml(project.texts.get("pyproject.toml", "")), "tool")
    for path, runner in _TASK_TABLES:
        tasks = config_tables.subtable(tools, *path)
        prefix = runner_prefix(project.files) if runner == "poe" else ""
        for names in (*PACKAGE_SCRIPTS.values(), ("mypy",)):
            yield from (ProjectCommand(f"{prefix}{runner} {name}", "pyproject.toml") for name in names if name in tasks)


def _commands_in_workflows(project: Project) -> Iterator[ProjectCommand]:
    """The commands of the workflows, those that test first: another may build one part alone.

    Variants come last, and before them what a PHP project runs for its pages.
    """
    usual = (workflow for workflow in project.workflows if not _RARE_WORKFLOW.search(workflow.path))
    steps = [list(_steps(project, workflow)) for workflow in usual]
    steps.sort(key=lambda commands: all(purpose_of(command.text) != "test" for command in commands))
    texts = {command.text for commands in steps for command in commands}
    is_php = "composer.json" in project.texts
    yield from sorted(
        chain(*steps),
        key=lambda step: (
            command_preferences.is_variant(step.text, texts),
            is_php and _NODE.match(step.text) is not None,
        ),
    )


def _steps(project: Project, workflow: ProjectDocument) -> Iterator[ProjectCommand]:
    """Yield what a workflow runs here, but not in a repository that it clones."""
    cloned = cloned_names(workflow.text)
    for line in workflow_lines(workflow.text, project.areas):
        step = _STEP.match(line.text)
        if step is None:
            continue
        command = ProjectCommand(_NO_BUILD.sub("", step[2]), workflow.path, line.folder)
        is_elsewhere = _REPORTING.search(command.text) is not None or any(name in command.text for name in cloned)
        if purpose_of(command.text) != "run" and not is_elsewhere and _is_runnable(project, command):
            yield command


def _usual_commands(project: Project) -> Iterator[ProjectCommand]:
    texts = project.texts
    prefix = runner_prefix(project.files)
    tools = config_tables.subtable(config_tables.parse_toml(texts.get("pyproject.toml", "")), "tool")
    for tool, command in (("pytest", "pytest"), ("ruff", "ruff check"), ("mypy", "mypy"), ("pyright", "pyright")):
        if tool in tools:
            yield ProjectCommand(prefix + command, "pyproject.toml")
    for path, sign, commands in _USUAL:
        if path in texts and sign in texts[path]:
            yield from (
                ProjectCommand(prefix + command if command.startswith("py") else command, path)
                for command in commands
                if not command_preferences.is_unusual(command, texts[path], texts, project.tests, project.files)
                and not (prefix and path == "requirements.txt")
            )
