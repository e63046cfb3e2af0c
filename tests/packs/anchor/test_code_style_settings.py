"""Tool requirements: one line each, none without effect on the code, none from broken files."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.packs.anchor import SETTINGS_FILES, setting_lines
from tests.support.cases import together

PYPROJECT = """
[project]
requires-python = ">=3.11"
[tool.ruff]
line-length = 100
[tool.ruff.lint]
select = ["ALL"]
flake8-tidy-imports.banned-api."time.time".msg = "use the clock"
[tool.mypy]
strict = true
[tool.pytest.ini_options]
filterwarnings = ["error"]
[[tool.importlinter.contracts]]
name = "Layers"
type = "layers"
layers = ["web", "(jobs)", "core"]
[[tool.importlinter.contracts]]
name = "Core knows no web"
type = "forbidden"
"""


@together(
    ("path", "text", "lines"),
    [
        (
            "pyproject.toml",
            PYPROJECT,
            [
                "Python: runs on >=3.11",
                "import-linter: imports run down only: web > jobs > core; Core knows no web",
                "ruff: lines up to 100; all rules on; never use time.time",
                "mypy: strict",
                "pytest: a warning fails the test",
            ],
        ),
        (".importlinter", "[importlinter]\nroot=a\n[importlinter:contract:1]\ntype=layers\nlayers=\n  web\n  core\n",
         ["import-linter: imports run down only: web > core"]),
        ("setup.cfg", "[flake8]\nmax-line-length = 99\n[mypy]\ndisallow_untyped_defs = True\n",
         ["flake8: lines up to 99", "mypy: every function is annotated"]),
        ("tsconfig.json", '{// strict!\n"compilerOptions": {"strict": true, "paths": {"@/*": ["./src/*"],},},}',
         ["TypeScript: strict; import by @/*"]),
        (".prettierrc", "semi: false\nprintWidth: 90\n", ["Prettier: no semicolons; lines up to 90"]),
        ("biome.json", '{"formatter": {"indentStyle": "tab"}, "javascript": {"formatter": {"quoteStyle": "single"}}}',
         ["Biome: single quotes; indent with tabs"]),
        (".eslintrc.json", '{"rules": {"no-restricted-imports": ["error", {}], "no-console": 2, "semi": 2, "no-x": 1}}',
         ["ESLint: fails on no-restricted-imports, no-console"]),
        ("package.json", '{"type": "module", "engines": {"node": ">=20"}}', ["Node: ES modules; Node >=20"]),
        ("Cargo.toml",
         '[package]\nedition = "2024"\n[lints.rust]\nunsafe_code = "forbid"\n[lints.clippy]\nall = {level = "deny"}\n',
         ["Rust: edition 2024; forbid unsafe_code; deny clippy::all"]),
        ("rustfmt.toml", "max_width = 90\nhard_tabs = true\n", ["rustfmt: lines up to 90; indent with tabs"]),
        ("clippy.toml", 'disallowed-methods = ["std::env::var", {path = "a::b"}]\n',
         ["clippy: never use std::env::var, a::b"]),
        ("go.mod", "module a\n\ngo 1.23\n", ["Go: language version 1.23"]),
        (".golangci.yml",
         "linters:\n  enable:\n    - errorlint # good\n    - gosec\n  settings:\n    depguard:\n      - pkg: log\n",
         ["golangci-lint: linters errorlint, gosec; never import log"]),
        (".editorconfig", "root = true\n[*]\nindent_style = space\nindent_size = 2\n[*.go]\nindent_style = tab\n",
         ["Editors: indent with 2 spaces; indent with tabs in *.go"]),
        (".editorconfig",
         ("[*]\nindent_style=space\nindent_size=2\nmax_line_length=120\n[*.{py,pyi}]\nindent_size=4\n"
          "[*.md]\nindent_size=8\n[*.{ts,tsx}]\nindent_size=2\n[Makefile]\nindent_style=tab\n"),
         ["Editors: indent with 2 spaces; lines up to 120; indent with 4 spaces in *.{py,pyi}"]),
        (".editorconfig", "[*.rs]\nindent_style = space\nindent_size = 4\nmax_line_length = off\n",
         ["Editors: indent with 4 spaces in *.rs"]),
        ("pyproject.toml", "[tool.ruff]\nfix = true\n", []),
    ],
)  # fmt: skip
def test_each_tool_has_one_line(path: str, text: str, lines: list[str]) -> None:
    assert setting_lines({path: text}) == [f"- {line} ({path})" for line in lines]


def test_a_tools_own_file_wins_over_a_shared_one() -> None:
    lines = setting_lines({"pyproject.toml": "[tool.ruff]\nline-length = 100\n", "ruff.toml": "line-length = 90\n"})
    assert lines == ["- ruff: lines up to 90 (ruff.toml)"]


@given(st.sampled_from(SETTINGS_FILES), st.one_of(st.text(max_size=200), st.sampled_from(("[]", "{", "[a]\nb", "1"))))
def test_an_unreadable_file_yields_no_settings(path: str, text: str) -> None:
    assert all("\n" not in line for line in setting_lines({path: text}))


@together("value", ["1", '"x"', "[1]", "null", "{}"])
def test_values_of_unexpected_types_are_ignored(value: str) -> None:
    keys = ("compilerOptions", "paths", "formatter", "rules", "engines", "prettier", "eslintConfig", "strict")
    json = "{" + ",".join(f'"{key}": {value}' for key in keys) + "}"
    for path in SETTINGS_FILES:
        assert all(line.endswith(f"({path})") and "\n" not in line for line in setting_lines({path: json}))


def test_settings_of_a_folder_are_shown_where_the_top_has_none() -> None:
    texts = {
        "tsconfig.json": '{"compilerOptions": {"strict": true}}',
        "web/tsconfig.json": '{"compilerOptions": {"strict": true}}',
        "web/.prettierrc": '{"semi": false}',
    }
    assert setting_lines(texts, ["web/"]) == [
        "- TypeScript: strict (tsconfig.json)",
        "- Prettier in web/: no semicolons (web/.prettierrc)",
    ]
    assert setting_lines(texts) == ["- TypeScript: strict (tsconfig.json)"]
