"""Commands of a project: its own statements win over the usual ones."""

from collections.abc import Mapping

import pytest

from sidecar.memory.standing_instruction_register import StandingInstruction
from sidecar.packs.anchor import Project, ProjectDocument, commands_of, entry_point_lines, package_manager, purpose_of
from sidecar.packs.anchor.repo_map import project_folders
from tests.support.cases import together

SCRIPTS = '{"scripts": {"test": "vitest", "lint": "eslint .", "dev": "vite"}}'
PYTEST = {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.mypy]\n"}


def project(
    *guides: ProjectDocument,
    readme: str = "",
    workflow: str = "",
    texts: Mapping[str, str] | None = None,
    files: tuple[str, ...] = (),
    folders: tuple[str, ...] = (),
) -> Project:
    workflows = (ProjectDocument(".github/workflows/ci.yml", workflow),)
    tests = ("spec/", "t/", "test/", "tests/")
    return Project(guides, ProjectDocument("README.md", readme), workflows, texts or {}, files, folders, folders, tests)


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


def test_a_program_that_selects_a_version_leaves_the_purpose_of_a_command() -> None:
    assert [purpose_of(f"{by} flutter test") for by in ("fvm", "puro", "mise exec --", "sudo")] == ["test"] * 3 + [""]
    assert purpose_of("fvm dart format --set-exit-if-changed lib") == "format check"
    guide = ProjectDocument(
        "AGENTS.md", "Never use the bare `flutter`.\n```\nflutter run\nfvm flutter pub get\n```\nOr `flutter test`.\n"
    )
    assert commands_of(project(guide), ()).lines == ["- set up: `fvm flutter pub get` (AGENTS.md)"]


def test_the_usual_command_gives_way_to_the_arguments_that_a_guide_states() -> None:
    guide = ProjectDocument("AGENTS.md", "```sh\ncargo test --features full  # in core\n```\n")
    lines = commands_of(project(guide, texts={"Cargo.toml": ""}, folders=("core/",)), ()).lines
    assert lines == [
        "- build: `cargo build` (Cargo.toml)",
        "- in core/: test `cargo test --features full` (AGENTS.md)",
    ]


def test_a_check_that_changes_files_is_not_shown_as_a_mere_check() -> None:
    makefile = {"Makefile": "lint: tools\n\trubocop -A\n\ntest:\n\tblack .\n"}
    assert commands_of(project(texts=makefile), ()).lines == [
        "- test: `make test` (Makefile)",
        "- check: `make lint` (Makefile; changes files)",
    ]
    for script, note in (("eslint --fix .", "; changes files"), ("eslint .", ""), ("ruff format --check", "")):
        package = f'{{"scripts": {{"lint": "{script}"}}}}'
        lines = commands_of(project(texts={"package.json": package}), ()).lines
        assert lines == [f"- check: `npm run lint` (package.json{note})"]
    guide = "To run the code auto-formatting:\n```\nscripts/lint\n```\nTo check:\n```\nscripts/check\n```\n"
    lines = commands_of(project(ProjectDocument("CONTRIBUTING.md", guide)), ()).lines
    assert lines == ["- check: `scripts/check` (CONTRIBUTING.md)"]


def test_the_package_manager_in_package_json_wins_over_a_lock_file() -> None:
    assert package_manager({"package.json": '{"packageManager": "yarn@4.1.0"}'}, ("pnpm-lock.yaml",)) == "yarn"


@pytest.mark.parametrize(("lock", "by"), [("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("x", "")])
def test_a_guessed_command_uses_the_runner_of_the_lock_file(lock: str, by: str) -> None:
    lines = commands_of(project(texts=PYTEST, files=(lock,)), ()).lines
    assert lines == [f"- test: `{by}pytest` (pyproject.toml)", f"- types: `{by}mypy` (pyproject.toml)"]


@together(
    ("files", "commands"),
    [
        (
            {"gradlew": "", "build.gradle": ""},
            ["test: `./gradlew test` (gradlew)", "build: `./gradlew build` (gradlew)"],
        ),
        ({"pom.xml": ""}, ["test: `mvn test` (pom.xml)", "build: `mvn package` (pom.xml)"]),
        (
            {"project.godot": '[editor_plugins]\nenabled=PackedStringArray("res://addons/gut/plugin.cfg")\n'},
            [
                "test: `godot --headless -s addons/gut/gut_cmdln.gd` (project.godot)",
                "run: `godot --path .` (project.godot)",
            ],
        ),
        ({"project.godot": "config_version=5\n"}, ["run: `godot --path .` (project.godot)"]),
        (
            {"project.godot": "config_version=5\n", "global.json": "{}"},
            ["build: `dotnet build` (global.json)", "run: `godot --path .` (project.godot)"],
        ),
        ({"global.json": "{}"}, ["build: `dotnet build` (global.json)"]),
        (
            {"environment.yml": "dependencies:\n", "requirements.txt": ""},
            ["set up: `conda env create -f environment.yml` (environment.yml)"],
        ),
        ({"requirements.txt": ""}, ["set up: `pip install -r requirements.txt` (requirements.txt)"]),
        ({"dvc.yaml": "stages:\n  train:\n"}, ["run: `dvc repro` (dvc.yaml)"]),
        ({"molecule/default/molecule.yml": ""}, ["test: `molecule test` (molecule/default/molecule.yml)"]),
        ({"platformio.ini": "[env]\n"}, ["build: `pio run` (platformio.ini)"]),
        ({".ansible-lint": "", ".pre-commit-config.yaml": "repos:\n"}, ["check: `ansible-lint` (.ansible-lint)"]),
        (
            {".pre-commit-config.yaml": "repos:\n"},
            ["check: `pre-commit run --all-files` (.pre-commit-config.yaml)"],
        ),
        (
            {"Project.toml": 'name = "Till"\nuuid = "1"\n'},
            ["test: `julia --project -e 'using Pkg; Pkg.test()'` (Project.toml)"],
        ),
        ({"deps.edn": "{:aliases {:test {:extra-paths []}}}"}, ["test: `clojure -M:test` (deps.edn)"]),
        (
            {"deps.edn": "{:aliases {:test {:exec-fn cognitect.test-runner.api/test}}}"},
            ["test: `clojure -X:test` (deps.edn)"],
        ),
        ({"Gemfile": 'gem "rails"\n'}, ["test: `bin/rails test` (Gemfile)", "run: `bin/rails server` (Gemfile)"]),
        (
            {"Gemfile": "gem 'rails'\ngem 'rspec-rails'\n"},
            ["test: `bundle exec rspec` (Gemfile)", "run: `bin/rails server` (Gemfile)"],
        ),
        (
            {"artisan": "#!/usr/bin/env php\n", "phpunit.xml": "", "package.json": SCRIPTS},
            ["test: `php artisan test` (artisan)"],
        ),
        (
            {"composer.json": '{"scripts": {"lint": "phpcs", "format": "phpcbf"}}'},
            ["check: `composer lint` (composer.json)", "format: `composer format` (composer.json)"],
        ),
        ({"Package.swift": "import PackageDescription\nplatforms: [.iOS(.v18), .visionOS(.v1)]\n"}, []),
        (
            {"Package.swift": "import PackageDescription\nplatforms: [.iOS(.v18), .macOS(.v15)]\n.testTarget()"},
            ["test: `swift test` (Package.swift)", "build: `swift build` (Package.swift)"],
        ),
        ({"Rakefile": "RSpec::Core::RakeTask.new(:spec)\n"}, ["test: `bundle exec rspec` (Rakefile)"]),
        ({"Rakefile": "Rake::TestTask.new\n"}, ["test: `bundle exec rake test` (Rakefile)"]),
        ({"composer.json": '{"scripts": {"test": "pest"}}'}, ["test: `composer test` (composer.json)"]),
        ({"phpunit.xml.dist": ""}, ["test: `vendor/bin/phpunit` (phpunit.xml.dist)"]),
        (
            {"Package.swift": ".testTarget()"},
            ["test: `swift test` (Package.swift)", "build: `swift build` (Package.swift)"],
        ),
        ({"pubspec.yaml": "dev_dependencies:\n  flutter_test:\n"}, ["test: `flutter test` (pubspec.yaml)"]),
        (
            {"mix.exs": "", ".formatter.exs": "", ".credo.exs": ""},
            [
                "test: `mix test` (mix.exs)",
                "check: `mix credo` (.credo.exs)",
                "format: `mix format` (.formatter.exs)",
                "set up: `mix deps.get` (mix.exs)",
            ],
        ),
        ({"build.sbt": ""}, ["test: `sbt test` (build.sbt)", "build: `sbt compile` (build.sbt)"]),
        (
            {"build.zig": 'b.step("test", "Run all tests");\n'},
            ["test: `zig build test` (build.zig)", "build: `zig build` (build.zig)"],
        ),
        ({"build.zig": ""}, ["build: `zig build` (build.zig)"]),
        (
            {"main.tf": ""},
            [
                "check: `terraform validate` (main.tf)",
                "format: `terraform fmt -recursive` (main.tf)",
                "set up: `terraform init` (main.tf)",
            ],
        ),
        (
            {"dbt_project.yml": ""},
            [
                "test: `dbt test` (dbt_project.yml)",
                "build: `dbt run` (dbt_project.yml)",
                "set up: `dbt deps` (dbt_project.yml)",
            ],
        ),
        ({"DESCRIPTION": "Package: otter\n"}, ['test: `Rscript -e "devtools::test()"` (DESCRIPTION)']),
        (
            {"hardhat.config.ts": ""},
            ["test: `npx hardhat test` (hardhat.config.ts)", "build: `npx hardhat compile` (hardhat.config.ts)"],
        ),
        ({"cabal.project": ""}, ["test: `cabal test all` (cabal.project)", "build: `cabal build all` (cabal.project)"]),
        ({"setup.cfg": "[tool:pytest]\n"}, ["test: `pytest` (setup.cfg)"]),
        ({"setup.cfg": "[flake8]\n", "Rakefile": "task :docs\n", "pubspec.yaml": "name: otter\n"}, []),
        ({"tox.ini": "[tox]\n", "package.json": SCRIPTS}, ["test: `tox` (tox.ini)"]),
    ],
)
def test_each_build_tool_has_its_usual_commands(files: Mapping[str, str], commands: list[str]) -> None:
    lines = commands_of(project(texts=files), ()).lines
    assert [line for line in lines if "package.json" not in line] == [f"- {command}" for command in commands]


@together(
    "narrow",
    ["pnpm test:watch", "pytest -n0 -k test_name", "pytest tests/test_otter.py", "mix test --failed", "go test -run X"],
)
def test_a_command_that_runs_all_tests_is_shown_rather_than_one_that_runs_some(narrow: str) -> None:
    guide = ProjectDocument("AGENTS.md", f"```sh\n{narrow}\n```\n")
    alone = commands_of(project(guide), ())
    assert alone.lines == [f"- test: `{narrow}` (AGENTS.md)"]
    assert commands_of(project(guide, texts={"go.mod": ""}), ()).lines[0] == "- test: `go test ./...` (go.mod)"


@together(
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


@together(
    "command",
    ["pytest ${{ matrix.args }}", "npm install hono", "cargo test | tee log", "echo pytest", "make $TARGET"],
)
def test_text_that_cannot_be_typed_as_is_is_not_a_command(command: str) -> None:
    assert purpose_of(command) == ""


def test_a_command_that_a_guide_forbids_is_passed_over() -> None:
    guide = ProjectDocument("CLAUDE.md", "- Never run `npm test`; it takes an hour.\n")
    readme = "# Shop\n\n## Testing\n\n```sh\nnpm test\n```\n\n```sh\nmake test\n```\n"
    assert commands_of(project(guide, readme=readme), ()).lines == ["- test: `make test` (README.md)"]


@together(
    ("sentence", "commands"),
    [
        ("Do NOT install `vitest`, `oxlint`, or `mypy` directly; `npm test` wraps them.", ["npm test"]),
        ("Do not use `oxlint` — use `npm run lint` instead.", ["npm run lint"]),
        ("Use `uv run pytest` instead of `pytest`.", ["uv run pytest"]),
        ("It is slow: you must not\n  run `npm test` here.", []),
        ("Never push without `npm test`, and don't forget to run `npm run lint`.", ["npm test", "npm run lint"]),
        ("If you do not have just, run `npm test`.", ["npm test"]),
        ("- Do not write\n- `npm test` runs everything.", ["npm test"]),
        ("Never mock the DB\nRun `pytest -q` to test.", ["pytest -q"]),
        ("Never commit code that doesn't pass `cargo test`", ["cargo test"]),
        ("Never commit code that you do not check with `cargo test`", ["cargo test"]),
        ("Don't worry about style, `ruff format .` fixes it", ["ruff format ."]),
        ("We don't use Bazel anymore and instead `cargo test` is enough", ["cargo test"]),
        ("Never run in CI, `npm test` is slow", []),
    ],
)
def test_a_sentence_that_forbids_a_command_does_not_state_it(sentence: str, commands: list[str]) -> None:
    lines = commands_of(project(ProjectDocument("AGENTS.md", f"# Guide\n\n{sentence}\n")), ()).lines
    assert [line.split("`")[1] for line in lines] == commands


STEPS_IN_FOLDERS = """on: push
jobs:
  sdk:
    defaults:
      run:
        working-directory: contrib/sdk
    steps:
      - run: pytest ./tests
      - run: mypy .
        working-directory: .
  web:
    steps:
      - run: make lint
      - name: Test
        run: |
          cd "${SDK_ROOT}"
          ruff check .
      - name: Build
        working-directory: ./web
        run: npm run lint
      - run: |
          cd web
          npm test
          cd ..
          black --check .
      - run: npm run build
        working-directory: ${{ matrix.folder }}
"""


def test_a_step_of_a_workflow_belongs_to_the_folder_that_it_runs_in() -> None:
    assert commands_of(project(workflow=STEPS_IN_FOLDERS, folders=("web/",)), ()).lines == [
        "- check: `make lint` (.github/workflows/ci.yml)",
        "- types: `mypy .` (.github/workflows/ci.yml)",
        "- format check: `black --check .` (.github/workflows/ci.yml)",
    ]
    shop = project(workflow=STEPS_IN_FOLDERS, texts={"web/package.json": "{}"})._replace(areas=("web/",))
    inside = STEPS_IN_FOLDERS.replace("npm run lint", "eslint .").replace("npm test", "vitest run")
    expected = "- in web/: test `vitest run`, check `eslint .` (.github/workflows/ci.yml)"
    workflows = (ProjectDocument(".github/workflows/ci.yml", inside),)
    assert commands_of(shop._replace(workflows=workflows), ()).lines[-1] == expected


def test_dotnet_tests_need_a_test_project() -> None:
    shop = project(texts={"global.json": "{}"})._replace(tests=("tests/Till.Tests/Till.Tests.csproj",))
    assert commands_of(shop, ()).lines[0] == "- test: `dotnet test` (global.json)"


@together(
    ("name", "text", "command", "tests", "declaration"),
    [
        ("Package.swift", "", "swift test", "", ".testTarget()"),
        ("mix.exs", "", "mix test", "test/", 'test_paths: ["checks"]'),
        ("mix.exs", "", "mix test", "apps/till/test/", ""),
        ("meson.build", "project('till')\n", "meson test -C build", "tests/", "test('till', till)\n"),
        ("foundry.toml", "", "forge test", "test/", "test = 'checks'"),
        ("pubspec.yaml", "  test: ^1.0\n", "dart test", "test/", ""),
        ("Gemfile", "gem 'rails'\n", "bin/rails test", "test/", ""),
        (".rspec", "", "bundle exec rspec", "spec/", ""),
        ("DESCRIPTION", "Package: till\n", 'Rscript -e "devtools::test()"', "tests/", ""),
        ("Makefile.PL", "", "prove -lr t", "t/", ""),
    ],
)
def test_a_tool_that_fails_without_tests_is_not_offered_where_there_are_none(
    name: str, text: str, command: str, tests: str, declaration: str
) -> None:
    def test_commands(text: str, *tests: str) -> list[str]:
        inner = project(texts={f"shop/{name}": text}, folders=("shop/",))._replace(tests=[f"shop/{t}" for t in tests])
        lines = commands_of(project(texts={name: text})._replace(tests=tests), ()).lines
        found = [line.split("`")[1] for line in lines if line.startswith("- test:")]
        assert found == [command] * any(f"test `{command}`" in line for line in commands_of(inner, ()).lines)
        return found

    assert test_commands(text, "docs/test/", "lib/spec/") == []
    assert test_commands(text, *([tests] if tests else ["Tests/"])) == ([command] if tests else [])
    assert test_commands(text + declaration) == ([command] if declaration else [])


def test_a_flutter_package_without_a_program_is_not_started() -> None:
    shop = project(texts={"pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n"})
    assert "- run:" not in "\n".join(commands_of(shop, ()).lines)
    assert commands_of(shop._replace(files=("lib/main.dart",)), ()).lines[-1] == "- run: `flutter run` (pubspec.yaml)"


def test_a_php_project_with_pages_shows_the_checks_of_both() -> None:
    texts = {
        "composer.json": '{"scripts": {"lint": "pint"}}',
        "artisan": "",
        "phpunit.xml": "",
        "package.json": SCRIPTS,
    }
    steps = "- run: npm ci\n- run: npm test\n- run: composer install --no-progress\n"
    assert commands_of(project(texts=texts, workflow=steps), ()).lines == [
        "- test: `php artisan test` (artisan), `npm test` (package.json)",
        "- check: `composer lint` (composer.json; changes files), `npm run lint` (package.json)",
        "- set up: `composer install` (.github/workflows/ci.yml)",
        "- run: `npm run dev` (package.json)",
    ]


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


def test_the_script_that_compiles_an_extension_builds_it() -> None:
    package = '{"scripts": {"compile": "tsc -p .", "watch": "tsc -w"}}'
    assert commands_of(project(texts={"package.json": package}), ()).lines == [
        "- build: `npm run compile` (package.json)"
    ]


def test_a_readme_without_a_title_has_sections_alone() -> None:
    readme = "## Features\n\nIt shows `eslint` errors.\n\n## Contributing\n\nRun `make test` first.\n"
    assert commands_of(project(readme=readme), ()).lines == ["- test: `make test` (README.md)"]
    titled = "Shop\n\n# Shop\n\nRun `make lint`.\n\n# Settings\n\n`eslint` hides errors.\n"
    assert commands_of(project(readme=titled), ()).lines == ["- check: `make lint` (README.md)"]


def test_the_whole_set_up_is_shown_rather_than_one_step_of_it() -> None:
    readme = "# Shop\n\n## Setup\n\n```\nmix deps.get\n```\n\nRun `mix setup` first.\n"
    assert "- set up: `mix setup` (README.md)" in commands_of(project(readme=readme), ()).lines


@together(
    ("command", "purpose"),
    [
        ("cargo +nightly fmt --all -- --check", "format check"), ("cargo +nightly fmt --all", "format"),
        ("cargo +1.80 test --all-features", "test"), ("cargo +nightly clippy --tests", "check"),
        ("molecule test --all", "test"), ("west test", "test"), ("west build -b nice_nano", "build"),
        ("idf.py build", "build"), ("pio run -e uno", "build"), ("ansible-lint", "check"), ("yamllint .", "check"),
        ("ansible-playbook site.yml -i hosts.ini", "run"), ("dvc exp run", "run"),
    ],
)  # fmt: skip
def test_tools_of_devices_infrastructure_and_toolchains_have_their_purpose(command: str, purpose: str) -> None:
    assert purpose_of(command) == purpose


@together(
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


def test_a_document_states_no_script_that_the_project_has_not() -> None:
    files = (
        ("package.json", SCRIPTS, "npm run dev", "npm run build"),
        ("package.json", SCRIPTS, "yarn lint", "yarn serve"),
        ("package.json", SCRIPTS, "pnpm run test", "bun run build"),
        ("package.json", '{"private": true}', "bun test", "npm test"),
        ("composer.json", '{"scripts": {"test": "pest"}}', "composer test", "composer run test:unit"),
        ("Makefile", ".PHONY: test\nNAME := shop\ntest lint: build\n\tpytest\n", "make lint", "make check"),
        ("Makefile", "include rules.mk\n", "make check", ""),
        ("Makefile", "test:\n\tpytest\n  include rules.mk\n", "make lint", ""),
        ("Taskfile.yml", "tasks:\n        lint:\n            cmd: ruff check\n", "task lint", "task dev"),
        ("justfile", "set shell := ['sh']\ntest arg='':\n  pytest\n", "just test", "just check"),
        ("Taskfile.yml", "version: 3\ntasks:\n  test:\n    cmds: [pytest]\n", "task test", "task check"),
        ("pyproject.toml", '[tool.poe.tasks]\ntest = "pytest"\n', "uv run poe test", "poe check"),
        ("pyproject.toml", '[tool.pdm.scripts]\ntest = "pytest"\n', "pdm run pytest", "pdm run lint"),
        ("tox.ini", "[testenv:lint]\n", "tox -e lint", "tox -e flake8"),
        ("noxfile.py", "@nox.session\ndef type_check(session): ...\n", "", "nox -s test"),
    )
    for name, text, there, absent in files:
        guide = ProjectDocument("CONTRIBUTING.md", f"```sh\n{absent}\n{there}\n```\n")
        lines = [line for line in commands_of(project(guide, texts={name: text}), ()).lines if "CONTRIBUTING" in line]
        assert [line.split("`")[1] for line in lines] == [there] * bool(there), (name, absent)


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
    lines = commands_of(Project((), None, (rare, usual), {}, ()), ()).lines
    assert lines == ["- build: `cargo build` (.github/workflows/ci.yml)"]


def test_a_plain_command_comes_before_its_variants_in_a_matrix() -> None:
    steps = ("./gradlew test -Dtest.java.version=11", "./gradlew test", "cargo build --release", "cargo build")
    workflow = "".join(f"      - run: {step}\n" for step in steps)
    lines = commands_of(project(workflow=workflow), ()).lines
    assert [line.split("`")[1] for line in lines] == ["./gradlew test", "cargo build --release"]


def test_each_folder_that_is_a_project_of_its_own_has_a_line() -> None:
    readme = "# Shop\n\n## Setup\n\n```\ncd shop\ncd backend\nuv sync\nuvicorn main:app --reload\n```\n"
    texts = {"web/package.json": SCRIPTS, "backend/pyproject.toml": "[tool.pytest.ini_options]\n"}
    shop = project(readme=readme, texts=texts, files=("web/yarn.lock", "backend/uv.lock"), folders=("backend/", "web/"))
    assert commands_of(shop, ()).lines == [
        (
            "- in backend/: test `uv run pytest`, set up `uv sync`, run `uvicorn main:app --reload` "
            "(backend/pyproject.toml, README.md)"
        ),
        "- in web/: test `yarn test`, check `yarn lint`, run `yarn dev` (web/package.json)",
    ]
    assert commands_of(shop, ("README.md",)).lines[0] == "- in backend/: test `uv run pytest` (backend/pyproject.toml)"


def test_a_folder_uses_the_lock_file_at_the_top_if_it_has_none() -> None:
    shop = project(texts={"web/package.json": SCRIPTS}, files=("pnpm-lock.yaml",), folders=("web/",))
    assert commands_of(shop, ()).lines == [
        "- in web/: test `pnpm test`, check `pnpm lint`, run `pnpm dev` (web/package.json)"
    ]


def test_a_package_command_holds_for_the_folder_of_the_package_alone() -> None:
    shop = project(workflow="- run: npm ci\n- run: npm test\n", texts={"web/package.json": SCRIPTS}, folders=("web/",))
    assert [line for line in commands_of(shop, ()).lines if not line.startswith("- in web/: ")] == []


def test_a_user_who_rejects_a_program_rejects_it_in_every_folder() -> None:
    shop = project(texts={"web/package.json": SCRIPTS}, folders=("web/",))
    instruction = StandingInstruction("mem-1", "Use pnpm, not npm", 0, 1, "typed")
    found = commands_of(shop, (), (instruction,))
    assert found.lines[0].startswith("- in web/: test `pnpm test`, check `pnpm lint`, run `pnpm dev` (instead of")
    assert found.rejected[0] == "- test in web/: `npm test` (web/package.json): the user rejects npm in mem-1"


@pytest.mark.parametrize(
    ("projects", "package", "folders"),
    [
        (("api/go.mod", "web/package.json"), "{}", ["api/", "web/"]),
        (("api/go.mod", "web/package.json"), SCRIPTS, ["api/"]),
        (("web/package.json",), '{"scripts": {"prepare": "husky"}}', ["web/"]),
    ],
)
def test_scripts_at_the_top_run_those_of_the_packages(
    projects: tuple[str, ...], package: str, folders: list[str]
) -> None:
    assert project_folders(projects, {"package.json": package}) == folders


@pytest.mark.parametrize(
    ("top", "folders"),
    [
        ('[tool.uv.workspace]\nmembers = ["backend"]\n', ["backend/", "web/"]),
        ('[project]\nname = "shop"\n', ["web/"]),
        ("[tool.pytest.ini_options]\n", ["web/"]),
    ],
)
def test_a_pyproject_at_the_top_covers_those_below_unless_it_only_lists_them(top: str, folders: list[str]) -> None:
    assert project_folders(("backend/pyproject.toml", "web/package.json"), {"pyproject.toml": top}) == folders


def test_a_formatter_named_in_a_sentence_is_no_command() -> None:
    guide = ProjectDocument("CONTRIBUTING.md", "Code is formatted by `gofmt`; check it with `gofmt -l .` before.\n")
    assert commands_of(project(guide), ()).lines == ["- format check: `gofmt -l .` (CONTRIBUTING.md)"]


def test_the_script_that_npm_writes_into_a_new_package_is_no_test() -> None:
    stub = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1", "build": "vite build"}}'
    assert commands_of(project(texts={"package.json": stub}), ()).lines == ["- build: `npm run build` (package.json)"]


def test_a_package_lock_wins_over_the_lock_file_of_another_manager() -> None:
    shop = project(texts={"package.json": SCRIPTS}, files=("bun.lockb", "package-lock.json"))
    assert commands_of(shop, ()).lines[0] == "- test: `npm test` (package.json)"


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ("- run: go test ./... # the slow ones too", "go test ./..."),
        ("- run: 'go test ./...'", "go test ./..."),
        ('- run: dotnet test --collect:"Coverage"', 'dotnet test --collect:"Coverage"'),
    ],
)
def test_a_step_of_a_workflow_is_read_without_its_quotes_and_comment(step: str, command: str) -> None:
    assert commands_of(project(workflow=f"{step}\n"), ()).lines == [f"- test: `{command}` (.github/workflows/ci.yml)"]


@together(
    ("command", "purpose"),
    [
        ("python3 bot.py", "run"),
        ("uv run uvicorn main:app --reload", "run"),
        ("streamlit run app.py", "run"),
        ("mix phx.server", "run"),
        ("flutter run -d chrome", "run"),
        ("./mvnw spring-boot:run", "run"),
        ("npm run start:dev", "run"),
        ("npm run dev-build", ""),
        ("make dev-install", ""),
        ("python scripts/convert.py", ""),
        ("flutter pub get", "set up"),
        ("mix format --check-formatted", "format check"),
        ("terraform fmt -check -recursive", "format check"),
        ("terraform fmt -recursive", "format"),
        ("zig fmt --check src", "format check"),
        ("dart format --set-exit-if-changed .", "format check"),
        ("sbt scalafmtCheckAll", "format check"),
        ("tflint --recursive", "check"),
        ("svelte-check --tsconfig ./tsconfig.json", "types"),
        ("bats test", "test"),
        ("bats", "test"),
        ("busted spec", "test"),
        ("bats-core", ""),
        ("eslint .", "check"),
        ("eslint.config.mjs", ""),
        ("mypy.ini", ""),
        ("prettier-plugin-tailwindcss", ""),
    ],
)
def test_the_start_of_a_program_is_recognised(command: str, purpose: str) -> None:
    assert purpose_of(command) == purpose


def test_a_readme_starts_the_program_under_a_heading_about_running_it() -> None:
    readme = "# Bot\n\n## Run the bot\n\n```\npip install -r requirements.txt\npython3 bot.py\n```\n"
    assert commands_of(project(readme=readme, files=("bot.py",)), ()).lines == ["- run: `python3 bot.py` (README.md)"]
    assert commands_of(project(readme=readme), ()).lines == [], "the script is not there"
    container = "## Run\n\n```\ndocker compose up -d\nnpm start\n```\n"
    assert commands_of(project(readme=f"# Shop\n\n{container}"), ()).lines == ["- run: `npm start` (README.md)"]


def test_containers_start_the_program_only_if_the_project_builds_one_of_them() -> None:
    readme = "# Shop\n\n## Run\n\n```\ndocker compose up -d\n```\n"
    database = "services:\n  db:\n    image: postgres:16\n"
    for services, lines in (
        (database, []),
        (f"{database}  web:\n    build: .\n", ["- run: `docker compose up -d` (README.md)"]),
        (f"{database}  web: {{build: ., ports: [80]}}\n", ["- run: `docker compose up -d` (README.md)"]),
        (f"{database}  web:\n    image: ghcr.io/ann/shop\n", ["- run: `docker compose up -d` (README.md)"]),
    ):
        assert commands_of(project(readme=readme, texts={"docker-compose.yml": services}), ()).lines == lines


@pytest.mark.parametrize("command", ["fastapi dev main.py", "uvicorn main:app --reload", "streamlit run app.py"])
def test_an_example_of_what_users_of_the_product_start_is_no_command(command: str) -> None:
    example = f"# Fast\n\n## Run it\n\n```sh\n{command}\n```\n"
    assert commands_of(project(readme=example), ()).lines == []
    assert commands_of(project(readme=example, files=("main.py", "app.py")), ()).lines == [
        f"- run: `{command}` (README.md)"
    ]
    inner = "## Run it\n\n```sh\nuvicorn app.main:app\n```\n"
    assert commands_of(project(readme=f"# Till\n\n{inner}", folders=("app/",)), ()).lines == [
        "- run: `uvicorn app.main:app` (README.md)"
    ]


def test_a_script_of_the_project_is_one_of_its_commands() -> None:
    assert commands_of(project(files=("scripts/test.sh",)), ()).lines == ["- test: `scripts/test.sh` (scripts/test.sh)"]


@pytest.mark.parametrize(
    ("command", "purpose"),
    [
        ("gdformat .", "format"), ("gdformat --diff .", "format check"), ("sbt scalafmtAll", "format"),
        ("sbt scalafmtCheckAll", "format check"),
    ],
)  # fmt: skip
def test_a_formatter_that_changes_files_is_no_check(command: str, purpose: str) -> None:
    assert purpose_of(command) == purpose


def test_a_workflow_that_tests_states_the_other_commands_too() -> None:
    apps = ProjectDocument(".github/workflows/apps.yml", "      run: dotnet build src/App/App.csproj\n")
    checks = ProjectDocument(
        ".github/workflows/checks.yml", "  run: dotnet build Till.slnf\n  run: dotnet test Till.slnf --no-build\n"
    )
    expected = [
        "- test: `dotnet test Till.slnf` (.github/workflows/checks.yml)",
        "- build: `dotnet build Till.slnf` (.github/workflows/checks.yml)",
    ]
    assert commands_of(project()._replace(workflows=(apps, checks)), ()).lines == expected
    app = apps._replace(text=f"{apps.text}      run: dotnet test --project tests/App.Tests.csproj\n")
    assert commands_of(project()._replace(workflows=(app, checks)), ()).lines == expected


@pytest.mark.parametrize(
    "step",
    [
        "./gradlew build sonar --info",
        "./gradlew build publishToMavenLocal",
        "git clone https://example.org/tools/Poly.git\n  run: swift build --package-path ./Poly",
    ],
)
def test_steps_that_report_or_build_another_repository_are_no_commands(step: str) -> None:
    lines = commands_of(project(workflow=f"  run: {step}\n", texts={"gradlew": ""}), ()).lines
    assert lines == ["- test: `./gradlew test` (gradlew)", "- build: `./gradlew build` (gradlew)"]
