"""Requirements of linters, formatters and type checkers: one line for each, only what shapes the code one writes.

Pure. A row names a tool, the files that configure it, and how to read them; the first file that states something
counts.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import is_code
from sidecar.core import config_tables
from sidecar.core.clean_text import join_first, one_line
from sidecar.core.config_tables import Table, strings_in, subtable
from sidecar.core.lazy_regex import lazy_regex

Phrases = Iterator[str]
Read = Callable[[str], Phrases]

MAX_NAMED = 6
"""Maximum number of banned names, layers or linters in a line."""


class Row(NamedTuple):
    """A tool, and the files that configure it."""

    tool: str
    locations: tuple[tuple[str, Read], ...]


def setting_lines(texts: Mapping[str, str], folders: Sequence[str] = ()) -> list[str]:
    """Return a line for each tool whose configuration states something; texts by path.

    Of `folders`, which are projects of their own, follow the tools that are not configured at the top.
    """
    lines = {row.tool: line for row in ROWS if (line := _setting_line(row, "", texts))}
    inner = (_setting_line(row, folder, texts) for folder in folders for row in ROWS if row.tool not in lines)
    return [*lines.values(), *filter(None, inner)]


def _setting_line(row: Row, folder: str, texts: Mapping[str, str]) -> str:
    for name, read in row.locations:
        path = folder + name
        phrases = list(dict.fromkeys(read(texts[path]))) if path in texts else []
        if phrases:
            place = f" in {one_line(folder, 100)}" if folder else ""
            return f"- {row.tool}{place}: {one_line('; '.join(phrases), 420)} ({path})"
    return ""


def _python(text: str) -> Phrases:
    needs = subtable(config_tables.parse_toml(text), "project").get("requires-python")
    if isinstance(needs, str):
        yield f"runs on {needs}"


def _pyproject(tool: str, read: Callable[[Table], Phrases]) -> Read:
    return lambda text: read(subtable(config_tables.parse_toml(text), "tool", *tool.split(".")))


def _ruff(table: Table) -> Phrases:
    lint = subtable(table, "lint") or table
    yield from _width(table.get("line-length"))
    select = strings_in(lint.get("select")) + strings_in(lint.get("extend-select"))
    if "ALL" in select:
        yield "all rules on"
    banned = subtable(lint, "flake8-tidy-imports", "banned-api")
    yield from _listed("never use", list(banned))
    convention = subtable(lint, "pydocstyle").get("convention")
    if isinstance(convention, str):
        yield f"{convention} docstrings"
    if subtable(table, "format").get("quote-style") == "single":
        yield "single quotes"


def _black(table: Table) -> Phrases:
    yield from _width(table.get("line-length"))
    if table.get("skip-string-normalization") is True:
        yield "quotes unchanged"


def _mypy(table: Table) -> Phrases:
    if _is_enabled(table.get("strict")):
        yield "strict"
    elif _is_enabled(table.get("disallow_untyped_defs")):
        yield "every function is annotated"
    if _is_enabled(table.get("disallow_any_explicit")):
        yield "no explicit Any"


def _pyright(table: Table) -> Phrases:
    if table.get("typeCheckingMode") == "strict" or table.get("strict"):
        yield "strict"


def _pytest(table: Table) -> Phrases:
    warnings = table.get("filterwarnings")
    if "error" in (strings_in(warnings) if not isinstance(warnings, str) else warnings.split()):
        yield "a warning fails the test"
    if _is_enabled(table.get("xfail_strict")):
        yield "strict xfail"


def _flake8(table: Table) -> Phrases:
    yield from _width(table.get("max-line-length"))


def _layers(contracts: Sequence[Table]) -> Phrases:
    """Import contracts: which part may import which."""
    for contract in contracts:
        stated = contract.get("layers")
        layers = [line.strip() for line in stated.splitlines()] if isinstance(stated, str) else strings_in(stated)
        layers = [layer for layer in layers if layer]
        if layers:
            yield f"imports run down only: {' > '.join(layers).replace('(', '').replace(')', '')}"
    others = [contract.get("name") for contract in contracts if contract.get("type") != "layers"]
    yield from (name for name in others if isinstance(name, str))


def _layers_toml(text: str) -> Phrases:
    contracts = subtable(config_tables.parse_toml(text), "tool", "importlinter").get("contracts")
    yield from _layers([entry for entry in contracts if isinstance(entry, dict)] if isinstance(contracts, list) else [])


def _layers_ini(text: str) -> Phrases:
    yield from _layers(
        [table for name, table in config_tables.parse_ini(text).items() if name.startswith("importlinter:")]
    )


def _tsconfig(text: str) -> Phrases:
    options = subtable(config_tables.parse_json(text), "compilerOptions")
    on = [name for name in _TS_FLAGS if options.get(name) is True]
    if on:
        yield ", ".join(on)
    for name in ("target", "module", "jsx"):
        if isinstance(options.get(name), str):
            yield f"{name} {options[name]}"
    yield from _listed("import by", [alias for alias in subtable(options, "paths") if alias != "*"])


_TS_FLAGS = (
    "strict", "noUncheckedIndexedAccess", "exactOptionalPropertyTypes", "noImplicitReturns", "noUnusedLocals",
    "noImplicitOverride", "noPropertyAccessFromIndexSignature", "verbatimModuleSyntax", "isolatedModules",
    "isolatedDeclarations", "erasableSyntaxOnly", "allowImportingTsExtensions",
)  # fmt: skip


def _package(text: str) -> Phrases:
    package = config_tables.parse_json(text)
    if package.get("type") == "module":
        yield "ES modules"
    node = subtable(package, "engines").get("node")
    if isinstance(node, str):
        yield f"Node {node}"


def _prettier(table: Table) -> Phrases:
    if table.get("semi") is False:
        yield "no semicolons"
    if table.get("singleQuote") is True:
        yield "single quotes"
    yield from _indent(table.get("useTabs") is True, table.get("tabWidth"))
    yield from _width(table.get("printWidth"))
    if table.get("trailingComma") == "none":
        yield "no trailing commas"


def _prettier_file(text: str) -> Phrases:
    """Read a `.prettierrc`: JSON, or YAML with plain keys only."""
    yield from _prettier(
        config_tables.parse_json(text) or {key: _value(value) for key, value in _PLAIN_KEY.findall(text)}
    )


_PLAIN_KEY = lazy_regex(r"(?m)^(\w+):\s*['\"]?([\w-]+)['\"]?\s*$")


def _value(text: str) -> object:
    return {"true": True, "false": False}.get(text, int(text) if text.isdigit() else text)


def _biome(text: str) -> Phrases:
    settings = config_tables.parse_json(text)
    form, script = subtable(settings, "formatter"), subtable(settings, "javascript", "formatter")
    if script.get("semicolons") == "asNeeded":
        yield "no semicolons"
    if script.get("quoteStyle") == "single":
        yield "single quotes"
    if form.get("indentStyle"):
        yield from _indent(form.get("indentStyle") == "tab", form.get("indentWidth"))
    yield from _width(form.get("lineWidth"))


def _eslint(table: Table) -> Phrases:
    errors = [name for name, level in subtable(table, "rules").items() if _level(level) in ("error", 2)]
    yield from _listed("fails on", [name for name in errors if _SHAPING_RULES.search(name)])


_SHAPING_RULES = lazy_regex(
    r"no-restricted|no-explicit-any|no-default-export|consistent-type-imports|no-floating|boundaries|no-console"
)


def _level(level: object) -> object:
    return level[0] if isinstance(level, list) and level else level


def _editorconfig(text: str) -> Phrases:
    """Read the settings of all files, and those of source files that differ."""
    sections = config_tables.parse_ini(text)
    every = sections.get("*", {})
    general = list(_editor_settings(every))
    yield from general
    for glob, own in sections.items():
        if _is_source_glob(glob):
            changed = [phrase for phrase in _editor_settings({**every, **own}) if phrase not in general]
            if changed:
                yield f"{', '.join(changed)} in {glob}"


def _editor_settings(settings: Table) -> Phrases:
    if settings.get("indent_style") in ("tab", "space"):
        yield from _indent(settings["indent_style"] == "tab", settings.get("indent_size"))
    yield from _width(settings.get("max_line_length"))


def _is_source_glob(glob: str) -> bool:
    """Whether a glob names source files by their suffix, such as `*.py` or `*.{ts,tsx}`."""
    match = _GLOB.fullmatch(glob)
    return match is not None and any(is_code(f"_.{suffix.strip()}") for suffix in (match[1] or match[2]).split(","))


_GLOB = lazy_regex(r"(?:\*\*/)?\*\.(?:\{([\w,+ -]{1,200})\}|([\w+-]{1,20}))")


def _rustfmt(text: str) -> Phrases:
    table = config_tables.parse_toml(text)
    yield from _width(table.get("max_width"))
    if table.get("hard_tabs") is True or table.get("tab_spaces") not in (None, 4):
        yield from _indent(table.get("hard_tabs") is True, table.get("tab_spaces"))
    if isinstance(table.get("imports_granularity"), str):
        yield f"imports by {str(table['imports_granularity']).lower()}"


def _clippy(text: str) -> Phrases:
    table = config_tables.parse_toml(text)
    for key in ("disallowed-methods", "disallowed-types", "disallowed-macros"):
        entries = table.get(key)
        entries_named = (
            [entry.get("path") if isinstance(entry, dict) else entry for entry in entries]
            if isinstance(entries, list)
            else []
        )
        yield from _listed("never use", [entry for entry in entries_named if isinstance(entry, str)])


def _cargo(text: str) -> Phrases:
    cargo = config_tables.parse_toml(text)
    for package in (subtable(cargo, "package"), subtable(cargo, "workspace", "package")):
        for key, label in (("edition", "edition"), ("rust-version", "runs on Rust")):
            if isinstance(package.get(key), str):
                yield f"{label} {package[key]}"
    for lints in (subtable(cargo, "lints"), subtable(cargo, "workspace", "lints")):
        for level in ("forbid", "deny"):
            yield from _listed(level, [name for name, level_of in _lint_levels(lints) if level_of == level])


def _lint_levels(lints: Table) -> Iterator[tuple[str, object]]:
    for group, table in lints.items():
        for name, level in table.items() if isinstance(table, dict) else ():
            level_of = level.get("level") if isinstance(level, dict) else level
            yield (name if group == "rust" else f"{group}::{name}"), level_of


def _go(text: str) -> Phrases:
    version = re.search(r"(?m)^go\s+([\d.]+)", text)
    if version:
        yield f"language version {version[1]}"


def _golangci(text: str) -> Phrases:
    enabled = re.search(r"(?m)^[^\S\n]*+enable:[^\S\n]*+\n((?:\s*+(?:-\s*+[\w-]++|#.*)\s*+(?:#.*)?\n?)+)", text)
    yield from _listed("linters", re.findall(r"(?m)^[^\S\n]*+-\s*([\w-]+)", enabled[1]) if enabled else [], 14)
    denied = re.findall(r"(?m)^[^\S\n]*+-?[^\S\n]*+pkg:\s*[\"']?([\w./-]+)", text)
    yield from _listed("never import", denied)


def _indent(tabs: bool, width: object) -> Phrases:
    if tabs:
        yield "indent with tabs"
    elif str(width).isdigit():
        yield f"indent with {width} spaces"


def _width(width: object) -> Phrases:
    if str(width).isdigit() and int(str(width)) < 1000:
        yield f"lines up to {width}"


def _is_enabled(value: object) -> bool:
    return value is True or str(value).lower() == "true"


def _listed(verb: str, names: Sequence[str], max_names: int = MAX_NAMED) -> Phrases:
    if names:
        yield f"{verb} {join_first(names, max_names)}"


def _ini(section: str, read: Callable[[Table], Phrases]) -> Read:
    return lambda text: read(config_tables.parse_ini(text).get(section, {}))


def _json(*names: str, read: Callable[[Table], Phrases]) -> Read:
    return lambda text: read(subtable(config_tables.parse_json(text), *names))


def _whole_toml(read: Callable[[Table], Phrases]) -> Read:
    return lambda text: read(config_tables.parse_toml(text))


ROWS = (
    Row("Python", (("pyproject.toml", _python),)),
    Row(
        "import-linter", (("pyproject.toml", _layers_toml), (".importlinter", _layers_ini), ("setup.cfg", _layers_ini))
    ),
    Row(
        "ruff",
        (
            ("ruff.toml", _whole_toml(_ruff)),
            (".ruff.toml", _whole_toml(_ruff)),
            ("pyproject.toml", _pyproject("ruff", _ruff)),
        ),
    ),
    Row("black", (("pyproject.toml", _pyproject("black", _black)),)),
    Row(
        "flake8",
        (
            (".flake8", _ini("flake8", _flake8)),
            ("setup.cfg", _ini("flake8", _flake8)),
            ("tox.ini", _ini("flake8", _flake8)),
        ),
    ),
    Row(
        "mypy",
        (
            ("mypy.ini", _ini("mypy", _mypy)),
            ("pyproject.toml", _pyproject("mypy", _mypy)),
            ("setup.cfg", _ini("mypy", _mypy)),
        ),
    ),
    Row("pyright", (("pyrightconfig.json", _json(read=_pyright)), ("pyproject.toml", _pyproject("pyright", _pyright)))),
    Row(
        "pytest",
        (
            ("pyproject.toml", _pyproject("pytest.ini_options", _pytest)),
            ("pytest.ini", _ini("pytest", _pytest)),
            ("setup.cfg", _ini("tool:pytest", _pytest)),
        ),
    ),
    Row("Node", (("package.json", _package),)),
    Row("TypeScript", (("tsconfig.json", _tsconfig), ("tsconfig.base.json", _tsconfig))),
    Row(
        "Prettier",
        (
            (".prettierrc", _prettier_file),
            (".prettierrc.json", _prettier_file),
            (".prettierrc.yaml", _prettier_file),
            (".prettierrc.yml", _prettier_file),
            ("package.json", _json("prettier", read=_prettier)),
        ),
    ),
    Row("Biome", (("biome.json", _biome), ("biome.jsonc", _biome))),
    Row(
        "ESLint",
        (
            (".eslintrc.json", _json(read=_eslint)),
            (".eslintrc", _json(read=_eslint)),
            ("package.json", _json("eslintConfig", read=_eslint)),
        ),
    ),
    Row("Rust", (("Cargo.toml", _cargo),)),
    Row("rustfmt", (("rustfmt.toml", _rustfmt), (".rustfmt.toml", _rustfmt))),
    Row("clippy", (("clippy.toml", _clippy), (".clippy.toml", _clippy))),
    Row("Go", (("go.mod", _go),)),
    Row("golangci-lint", ((".golangci.yml", _golangci), (".golangci.yaml", _golangci))),
    Row("Editors", ((".editorconfig", _editorconfig),)),
)

SETTINGS_FILES = tuple(dict.fromkeys(path for row in ROWS for path, _ in row.locations))
