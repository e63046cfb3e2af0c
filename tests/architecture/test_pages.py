"""Links, scripts, commands, options, methods, settings, files and names on the pages exist, and all are documented."""

import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sidecar.cli import run
from sidecar.settings import BY_NAME, GROUPS, SETTINGS
from tests.contract.catalog import ROWS
from tests.support.cases import together

ROOT = Path(__file__).parents[2]
FOLDERS = ("sidecar", "rpc_schema", "tests", "build", "packaging")
PAGES = [
    ROOT / "README.md",
    *sorted(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md") if "node_modules" not in page.parts),
]
DOCS = ROOT / "sidecar" / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS_PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")
CONTRIBUTING = (DOCS / "contributing.md").read_text(encoding="utf-8")
README_WORDS = 1_500
ALL = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
SCRIPTS = sorted(
    f"build/{path.name}" for path in (ROOT / "build").glob("*.py") if 'if __name__ == "__main__"' in path.read_text()
)
BENCHMARKS = sorted(
    path.stem
    for path in (ROOT / "tests/benchmarks").glob("*.py")
    if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ANSWERED = {"governor.marker"}
"""Members of answers that are written like settings."""
PROGRAMS = ("onecode-sidecar", "spool")

CHANGES = ROOT / "rpc_schema" / "CHANGES.md"
"""Names what no longer exists, on purpose."""

pages = pytest.mark.parametrize(
    "page", [page for page in PAGES if page != CHANGES], ids=lambda page: page.relative_to(ROOT).as_posix()
)


FOREIGN_NAMES = {
    "signExts": "of electron-builder",
    "keepParent": "of macOS's ditto",
    "taxId": "a label guide's example",
    "batchNN": "files that labelling creates",
}
CODE_SUFFIXES = {".py", ".ts", ".tsx", ".mjs", ".json", ".jinja", ".spec", ".scm", ".plist"}


@cache
def words_of_code() -> frozenset[str]:
    """Return every word of the code and of its files' names, without this module's own."""
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "node_modules" not in path.parts)
    code = [path for path in files if path.suffix in CODE_SUFFIXES and path != Path(__file__)]
    texts = (f"{path.name} {path.read_text(encoding='utf-8')}" for path in code)
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


def unknown_names(text: str) -> set[str]:
    """Return the compound names in backticks that are nowhere in the code."""
    named = (
        word for span in re.findall(r"`([^`\n]+)`", FENCE.sub("", text)) for word in re.findall(r"[A-Za-z_]\w*", span)
    )
    compound = {word for word in named if re.search(r"[a-z0-9][A-Z]|\w_\w", word)}
    return compound - words_of_code() - FOREIGN_NAMES.keys()


def prose(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#{1,6} (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def spans(text: str) -> list[str]:
    """Return the text between backticks, and the lines of code blocks."""
    lines = [line for block in FENCE.findall(text) for line in block.splitlines()[1:-1]]
    return [*re.findall(r"`([^`\n]+)`", FENCE.sub("", text)), *lines]


def commands(text: str) -> Iterator[list[str]]:
    """Yield the arguments of each command line of our programs on a page."""
    for span in spans(text):
        line = span.rpartition(" | ")[2].removeprefix("$ ").removeprefix(".venv/bin/")
        if line.split(" ")[0] in PROGRAMS:
            yield [word for word in shlex.split(line.split("  #")[0].replace("…", ""))[1:] if word]


@cache
def help_of(*words: str) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        run([*words, "--help"])
    return output.getvalue()


COMMANDS = frozenset(re.findall(r"^    (\w+)  ", help_of(), re.MULTILINE))
"""Every command that the program's help names."""


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= README_WORDS


@pages
def test_every_link_has_a_target(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = []
    for link in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        known = anchors(target.read_text(encoding="utf-8")) if target.suffix == ".md" and target.exists() else {anchor}
        if not target.exists() or ROOT not in target.parents or (anchor and anchor not in known):
            missing.append(link)
    assert not missing


@pages
def test_every_script_and_file_named_by_a_page_exists(page: Path) -> None:
    names = [f"/{path.relative_to(ROOT).as_posix()}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")]
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"\bbuild/\w+\.py\b", text)) | {
        span
        for span in re.findall(r"`([^`\n ]+)`", FENCE.sub("", text))
        if re.fullmatch(r"(?!src/main/)[\w/]+\.(py|ts)", span)  # `src/main/`: 1Code's own
    }
    assert [name for name in sorted(named) if not any(known.endswith(f"/{name}") for known in names)] == []


@pages
def test_every_module_or_method_named_with_its_slice_exists(page: Path) -> None:
    sidecar = ROOT / "sidecar"
    slices = "|".join(path.name for path in sidecar.iterdir() if path.is_dir())
    modules = {path.relative_to(sidecar).with_suffix("").as_posix() for path in sidecar.rglob("*")}
    named = re.findall(rf"`(?:sidecar/)?((?:{slices})/[\w/]*\w)(?:\.py|/)?`", page.read_text(encoding="utf-8"))
    assert set(named) - modules - set(ROWS) == set()


@pages
def test_every_compound_name_on_a_page_is_in_the_code(page: Path) -> None:
    assert unknown_names(page.read_text(encoding="utf-8")) == set()


def test_the_new_names_of_renames_are_in_the_code() -> None:
    tables = re.split(r"^## ", CHANGES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    renames = [re.sub(r"^\| .*? \| ", "", table, flags=re.MULTILINE) for table in tables if "| Old |" in table]
    added = [table for table in tables if "| Member |" in table]
    assert len(renames) > 3
    assert len(added) == 1
    assert unknown_names("\n".join((*renames, *added))) == set()


def test_the_order_of_imports_is_that_of_the_linter() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    listed = re.search(r"\*\*Imports run down this list only\*\*[^`]*`([^`]+)`", text)
    assert listed is not None
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert [set(re.findall(r"\w+", row)) for row in re.split("→", listed[1])] == [
        set(re.findall(r"\w+", layer)) for layer in layers
    ]


@together("script", SCRIPTS)
def test_every_script_is_documented(script: str) -> None:
    assert f"| `{script}" in CONTRIBUTING


@together("command", sorted(COMMANDS - {"selfcheck"}))
def test_every_command_is_documented(command: str) -> None:
    assert re.search(rf"`(onecode-sidecar|spool) {command}\b", COMMANDS_PAGE), command


@pages
def test_every_command_and_option_shown_on_a_page_exists(page: Path) -> None:
    wrong = []
    for words in commands(page.read_text(encoding="utf-8")):
        first = words[0] if words else "--help"
        if not first.startswith("-") and first not in COMMANDS:
            wrong.append(words)
            continue
        named = help_of() + help_of(first) + (help_of(first, words[1]) if words[1:] else "")
        own = words[: words.index("--")] if "--" in words else words
        wrong += [[*words, option] for option in own if option.startswith("--") and option.split("=")[0] not in named]
    assert wrong == []


@together("name", BENCHMARKS)
def test_every_benchmark_is_documented(name: str) -> None:
    page = (ROOT / "tests/benchmarks/README.md").read_text(encoding="utf-8")
    assert re.search(rf"^\|.*`{name}[` ].*\|", page, re.MULTILINE)


@pages
def test_every_benchmark_named_by_a_page_exists(page: Path) -> None:
    named = set(re.findall(r"tests\.benchmarks\.(\w+)", page.read_text(encoding="utf-8")))
    assert named <= set(BENCHMARKS)


@pages
def test_every_method_named_by_a_page_exists(page: Path) -> None:
    known = {*ROWS, *(str(row.default) for row in SETTINGS)}
    nouns = {name.split("/")[0] for name in known if "/" in name}
    named = set(re.findall(r"`([a-z]+/[a-z][A-Za-z]+)\b(?![./])", FENCE.sub("", page.read_text(encoding="utf-8"))))
    assert {name for name in named if name.split("/")[0] in nouns} - known == set()


@pages
def test_every_setting_and_variable_named_by_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    groups = "|".join(GROUPS)
    named = set(re.findall(rf"`((?:{groups})\.[a-z]\w+)`", text)) - ANSWERED
    assert {name for name in named if not re.search(r"\.(py|md|ts)$", name)} - set(BY_NAME) == set()
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "sidecar").rglob("*.py"))
    assert [name for name in set(re.findall(r"\bONECODE_[A-Z_]+", text)) if f'"{name}"' not in source] == []


def test_pages_contain_no_machine_paths() -> None:
    assert re.findall(r"(?:/root|/work|/tmp)/\S+", ALL) == []
