"""Commands of a project: its own statements win over the usual ones."""

from collections.abc import Mapping

import pytest

from sidecar.packs.anchor import Project, ProjectDocument, commands_of, entry_point_lines, package_manager, purpose_of

SCRIPTS = '{"scripts": {"test": "vitest", "lint": "eslint .", "dev": "vite"}}'
PYTEST = {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.mypy]\n"}


def project(
    *guides: ProjectDocument,
    readme: str = "",
    workflow: str = "",
    texts: Mapping[str, str] | None = None,
    files: tuple[str, ...] = (),
) -> Project:
    workflows = (ProjectDocument(".github/workflows/ci.yml", workflow),)
    return Project(guides, ProjectDocument("README.md", readme), workflows, texts or {}, files, files)


@pytest.mark.parametrize(
    ("lock", "commands"),
    [
        ("package-lock.json", ["test: `npm test`", "check: `npm run lint`", "run: `npm run dev`"]),
        ("pnpm-lock.yaml", ["test: `pnpm test`", "check: `pnpm lint`", "run: `pnpm dev`"]),
        ("yarn.lock", ["test: `yarn test`", "check: `yarn lint`", "run: `yarn dev`"]),
        ("bun.lock", ["test: `bun run test`", "check: `bun run lint`", "run: `bun run dev`"]),
    ],
)
def test_the_lock_file_selects_the_package_manager(lock: str, commands: list[str]) -> None:
    lines = commands_of(project(texts={"package.json": SCRIPTS}, files=(lock,)), ()).lines
    assert lines == [f"- {command} (package.json)" for command in commands]


def test_the_package_manager_in_package_json_wins_over_a_lock_file() -> None:
    assert package_manager({"package.json": '{"packageManager": "yarn@4.1.0"}'}, ("pnpm-lock.yaml",)) == "yarn"


@pytest.mark.parametrize(("lock", "by"), [("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("x", "")])
def test_a_guessed_command_uses_the_runner_of_the_lock_file(lock: str, by: str) -> None:
    lines = commands_of(project(texts=PYTEST, files=(lock,)), ()).lines
    assert lines == [f"- test: `{by}pytest` (pyproject.toml)", f"- types: `{by}mypy` (pyproject.toml)"]


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        (
            {"gradlew": "", "build.gradle": ""},
            ["test: `./gradlew test` (gradlew)", "build: `./gradlew build` (gradlew)"],
        ),
        ({"pom.xml": ""}, ["test: `mvn test` (pom.xml)", "build: `mvn package` (pom.xml)"]),
        ({"Rakefile": "RSpec::Core::RakeTask.new(:spec)\n"}, ["test: `bundle exec rspec` (Rakefile)"]),
        ({"Rakefile": "Rake::TestTask.new\n"}, ["test: `bundle exec rake test` (Rakefile)"]),
        ({"composer.json": '{"scripts": {"test": "pest"}}'}, ["test: `composer test` (composer.json)"]),
        ({"phpunit.xml.dist": ""}, ["test: `vendor/bin/phpunit` (phpunit.xml.dist)"]),
        ({"Package.swift": ""}, ["test: `swift test` (Package.swift)", "build: `swift build` (Package.swift)"]),
        ({"pubspec.yaml": "dev_dependencies:\n  flutter_test:\n"}, ["test: `flutter test` (pubspec.yaml)"]),
        ({"setup.cfg": "[tool:pytest]\n"}, ["test: `pytest` (setup.cfg)"]),
        ({"setup.cfg": "[flake8]\n", "Rakefile": "task :docs\n", "pubspec.yaml": "name: otter\n"}, []),
        ({"tox.ini": "[tox]\n", "package.json": SCRIPTS}, ["test: `tox` (tox.ini)"]),
    ],
)
def test_each_build_tool_has_its_usual_commands(files: Mapping[str, str], commands: list[str]) -> None:
    lines = commands_of(project(texts=files), ()).lines
    assert [line for line in lines if "package.json" not in line] == [f"- {command}" for command in commands]


@pytest.mark.parametrize(
    "narrow",
    ["pnpm test:watch", "pytest -n0 -k test_name", "pytest tests/test_otter.py", "mix test --failed", "go test -run X"],
)
def test_a_command_that_runs_all_tests_is_shown_rather_than_one_that_runs_some(narrow: str) -> None:
    guide = ProjectDocument("AGENTS.md", f"```sh\n{narrow}\n```\n")
    alone = commands_of(project(guide), ())
    assert alone.lines == [f"- test: `{narrow}` (AGENTS.md)"]
    assert commands_of(project(guide, texts={"go.mod": ""}), ()).lines[0] == "- test: `go test ./...` (go.mod)"


@pytest.mark.parametrize(
    "command",
    ["tox -e docs", "tox run -e lint,py", "nox -s docs", "tox.ini", "pytest:", "make test-mypy", "npm test: unit"],
)
def test_a_tool_at_other_work_is_no_test_command(command: str) -> None:
    assert purpose_of(command) != "test"
    assert purpose_of("mypy:") == ""


def test_guides_win_over_declared_workflow_and_usual_commands() -> None:
    guide = ProjectDocument("AGENTS.md", "Run `make test` first.\n\n```sh\n$ ./scripts/lint.sh  # all of it\n```\n")
    readme = "# Shop\n\n## Usage\n\n```sh\npython -m mypy demo\n```\n\n## Development\n\n```\nuv sync\n```\n"
    workflow = "jobs:\n  a:\n    steps:\n      - run: pytest --cov\n      - run: |\n          black --check .\n"
    sources = project(guide, readme=readme, workflow=workflow, texts=PYTEST)
    assert commands_of(sources, ()).lines == [
        "- test: `make test` (AGENTS.md)",
        "- check: `./scripts/lint.sh` (AGENTS.md)",
        "- types: `mypy` (pyproject.toml)",
        "- format check: `black --check .` (.github/workflows/ci.yml)",
        "- set up: `uv sync` (README.md)",
    ]
    assert not any("test:" in line for line in commands_of(sources, ("AGENTS.md",)).lines)


@pytest.mark.parametrize(
    "command",
    ["pytest ${{ matrix.args }}", "npm install hono", "cargo test | tee log", "echo pytest", "make $TARGET"],
)
def test_text_that_cannot_be_typed_as_is_is_not_a_command(command: str) -> None:
    assert purpose_of(command) == ""


def test_declared_entry_points_come_before_conventional_file_names() -> None:
    texts = {
        "pyproject.toml": '[project.scripts]\nshop = "shop.cli:main"\n',
        "package.json": '{"name": "web", "bin": {"web": "bin/web.js"}}',
        "Cargo.toml": '[[bin]]\nname = "fast"\npath = "src/fast.rs"\n',
    }
    assert entry_point_lines(texts, ("cmd/shop/main.go", "shop/__main__.py")) == [
        "- `shop` → shop.cli:main",
        "- `web` → bin/web.js",
        "- `fast` → src/fast.rs",
        "- cmd/shop/main.go",
    ]
    assert entry_point_lines({"package.json": "[", "pyproject.toml": "["}, ("a/__main__.py",)) == ["- a/__main__.py"]


@pytest.mark.parametrize(
    "command",
    [
        "cargo fmt --all --check",
        "black --diff src",
        "npx prettier --list-different .",
        "npm run format:check",
        "gofmt -l .",
    ],
)
def test_a_command_that_only_checks_the_format_is_not_one_that_formats(command: str) -> None:
    assert purpose_of(command) == "format check"
    assert purpose_of("cargo fmt --all") == purpose_of("npm run format") == purpose_of("gofmt -w .") == "format"


def test_a_readme_states_the_projects_own_test_command_under_any_heading() -> None:
    readme = "# Shop\n\n## Try it\n\n```\npython3 build/run.py\npython3 build/test.py   # all tests\n```\n"
    lines = commands_of(project(readme=readme, texts=PYTEST), ()).lines
    assert lines[0] == "- test: `python3 build/test.py` (README.md)"
    usage = "# Plugin\n\n## Usage\n\n```\npytest --shop\n```\n"
    assert commands_of(project(readme=usage, texts=PYTEST), ()).lines[0] == "- test: `pytest` (pyproject.toml)"


@pytest.mark.parametrize(
    ("table", "locks", "runner"),
    [
        ("poe.tasks", ("uv.lock",), "uv run poe"),
        ("poe.tasks", (), "poe"),
        ("hatch.envs.default.scripts", (), "hatch run"),
        ("pdm.scripts", ("pdm.lock",), "pdm run"),
    ],
)
def test_the_tasks_of_a_python_project_win_over_its_tools(table: str, locks: tuple[str, ...], runner: str) -> None:
    text = f'[tool.pytest]\n[tool.mypy]\n[tool.ruff]\n[tool.{table}]\ntest = "pytest"\nlint = "ruff"\nmypy = "mypy"\n'
    assert commands_of(project(texts={"pyproject.toml": text}, files=locks), ()).lines == [
        f"- test: `{runner} test` (pyproject.toml)",
        f"- check: `{runner} lint` (pyproject.toml)",
        f"- types: `{runner} mypy` (pyproject.toml)",
    ]


def test_release_and_benchmark_workflows_yield_no_commands() -> None:
    rare = ProjectDocument(".github/workflows/release.yml", "- run: cargo build --release --locked\n")
    usual = ProjectDocument(".github/workflows/ci.yml", "- run: cargo build\n")
    lines = commands_of(Project((), None, (rare, usual), {}, (), ()), ()).lines
    assert lines == ["- build: `cargo build` (.github/workflows/ci.yml)"]
