"""The modules with access to files, programs and the network; each is listed with its reason."""

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from tests.support.cases import together
from tests.support.syntax_trees import nodes_of

SIDECAR = Path(__file__).resolve().parents[2] / "sidecar"

STATE_FOLDER = "in the state folder, which only its user can write to"
SYSTEM_FILE = "a file of the operating system"
OWN_DATA = "data of the program"
USER_ARGUMENT = "named on the command line, possibly a pipe (`<(…)`)"
NULL_DEVICE = "the null device"

OPENS = {
    "system/safe_open.py": "the shared module: regular files only, up to a limit",
    "system/atomic_write.py": "creates new files and moves them into place",
    "system/folder_watch.py": "creates a file if it is missing",
    "core/lazy_regex.py": "a file of the program itself",
    "core/precompiled_code.py": "a file of the program itself",
    "codebase/store.py": STATE_FOLDER,
    "cli/hook_daemon.py": STATE_FOLDER,
    "cli/hook_client.py": STATE_FOLDER,
    "knowledge/git_source.py": STATE_FOLDER,
    "knowledge/store.py": STATE_FOLDER,
    "storage/sqlite_connection.py": STATE_FOLDER,
    "storage/doctor_checks.py": STATE_FOLDER,
    "storage/recovery.py": STATE_FOLDER,
    "storage/repair.py": STATE_FOLDER,
    "storage/database.py": STATE_FOLDER,
    "system/local_socket.py": STATE_FOLDER,
    "system/log.py": STATE_FOLDER,
    "system/running_sidecars.py": STATE_FOLDER,
    "operations/doctor.py": SYSTEM_FILE,
    "system/parent_watch.py": SYSTEM_FILE,
    "system/worker_processes.py": SYSTEM_FILE,
    "system/linux_tree_watch.py": SYSTEM_FILE,
    "codebase/summary/syntax.py": OWN_DATA,
    "language/english_translation.py": OWN_DATA,
    "language/lasting_patterns.py": OWN_DATA,
    "language/pasted_blocks.py": OWN_DATA,
    "language/rule_synonyms.py": OWN_DATA,
    "language/lasting_statements.py": OWN_DATA,
    "registry/stemming_and_synonyms.py": OWN_DATA,
    "operations/report_page.py": OWN_DATA,
    "catalog.py": OWN_DATA,
    "cli/text_editor.py": "a temporary folder of the command",
    "cli/ralph_loop.py": USER_ARGUMENT,
    "cli/output.py": USER_ARGUMENT,
    "rpc/claim_stdio.py": NULL_DEVICE,
}

PROGRAMS = {
    "cli/text_editor.py": "the user's editor",
    "cli/hook_client.py": "this program, to serve the next hooks",
    "ralph/agent/harnesses.py": "the agent's program, for its version",
    "ralph/agent/runner.py": "only an exception type of the module",
    "system/git.py": "git",
    "system/process_tree.py": "the agent, and the user's checks",
    "system/worker_processes.py": "this program, to read source files",
}

NETWORK = {
    "system/local_socket.py": "programs of the same user",
    "knowledge/git_source.py": "the knowledge repository, from the configured URL",
    "cli/report.py": "the user's browser, for our report",
    "integrations/mcp_tools.py": "only a conversion of file URLs",
}

_OPENING = frozenset(("read_bytes", "read_text", "write_bytes", "write_text", "touch", "mkfifo", "mknod"))
_PROGRAM_MODULES = frozenset(("subprocess", "pty", "multiprocessing.process", "concurrent.futures.process"))
_STARTING = frozenset(("system", "popen", "fork", "execv", "execve", "execvp", "execvpe", "posix_spawn", "startfile"))
_NETWORK_MODULES = (
    *("socket", "ssl", "http", "urllib.request", "multiprocessing.connection", "webbrowser", "asyncio", "ftplib"),
    *("smtplib", "xmlrpc", "requests", "httpx", "urllib3", "aiohttp", "opentelemetry"),
)
_FETCHING = frozenset(("create_anonymous", "list_heads", "clone_repository"))
_CALLED = "|".join(sorted(_OPENING | _STARTING - {"system"} | _FETCHING | {"open", "FileIO", r"spawn\w*"}))
_IMPORTED = "|".join(sorted({name.partition(".")[0] for name in (*_PROGRAM_MODULES, *_NETWORK_MODULES)}))
_MENTION = re.compile(
    rf"\b(?:{_CALLED}|(?<!sidecar\.)system)\b|\b(?:from|import)\b(?:[^\n]|(?<=\\)\n)*\b(?:{_IMPORTED})\b"
)
"""Words without which a module has no access; a third of the modules is parsed."""


@lru_cache(maxsize=1)  # of the tree at hand: all of them take hundreds of megabytes
def _calls_and_imports(tree: ast.AST) -> tuple[set[tuple[str, str]], set[str]]:
    """Return each call as the name before the dot, which may be empty, and the name; and the imported names."""
    calls: set[tuple[str, str]] = set()
    imports: set[str] = set()
    for node in nodes_of(tree):
        if not isinstance(node, (ast.Call, ast.Import, ast.ImportFrom)):
            continue
        match node:
            case ast.Call(func=ast.Name(id=name)):
                calls.add(("", name))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=before), attr=name)):
                calls.add((before, name))
            case ast.Call(func=ast.Attribute(attr=name)):
                calls.add(("an expression", name))
            case ast.Import(names=names):
                imports.update(alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                imports.update((module, *(f"{module}.{alias.name}" for alias in names)))
            case _:
                pass
    return calls, imports


def opens(tree: ast.AST) -> bool:
    """Whether the module opens files without the shared module."""
    return any(
        (before and name in _OPENING and (before, name) != ("run_state", "touch"))
        or (name == "open" and before not in ("webbrowser", "self"))
        or (before in ("", "io") and name == "FileIO" and not _of_descriptor(tree))
        for before, name in _calls_and_imports(tree)[0]
    )


def _of_descriptor(tree: ast.AST) -> bool:
    """Whether the stream's descriptor comes from the shared module."""
    return "sidecar.system.safe_open.open_regular" in _calls_and_imports(tree)[1]


def starts_programs(tree: ast.AST) -> bool:
    """Whether the module can start other programs."""
    return bool(_PROGRAM_MODULES & _calls_and_imports(tree)[1]) or any(
        before == "os" and (name in _STARTING or name.startswith("spawn"))
        for before, name in _calls_and_imports(tree)[0]
    )


def reaches_out(tree: ast.AST) -> bool:
    """Whether the module can communicate outside this process."""
    named = _calls_and_imports(tree)[1]
    return any(
        imported == name or imported.startswith(f"{name}.") for imported in named for name in _NETWORK_MODULES
    ) or any(name in _FETCHING for _, name in _calls_and_imports(tree)[0])


@pytest.fixture(scope="module")
def with_access() -> dict[Callable[[ast.AST], bool], set[str]]:
    """The modules with each kind of access; each module that may have some is parsed once."""
    found: dict[Callable[[ast.AST], bool], set[str]] = {opens: set(), starts_programs: set(), reaches_out: set()}
    for path in SIDECAR.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if _MENTION.search(source) is None:
            continue
        tree = ast.parse(source)
        for does, modules in found.items():
            if does(tree):
                modules.add(path.relative_to(SIDECAR).as_posix())
    return found


@pytest.mark.parametrize(
    ("does", "known"),
    [(opens, OPENS), (starts_programs, PROGRAMS), (reaches_out, NETWORK)],
    ids=["files", "programs", "network"],
)
def test_every_module_with_external_access_is_listed(
    does: Callable[[ast.AST], bool],
    known: dict[str, str],
    with_access: dict[Callable[[ast.AST], bool], set[str]],
) -> None:
    found = with_access[does]
    assert sorted(found - known.keys()) == [], "use system/plain_files, system/git … or say here why not"
    assert sorted(known.keys() - found) == [], "no longer so"


@together(
    ("does", "source"),
    [
        (opens, "open('CLAUDE.md')"),
        (opens, "os.open(path, 0)"),
        (opens, "(root / 'CLAUDE.md').open()"),
        (opens, "Path('x').read_text()"),
        (opens, "FileIO('x')"),
        (starts_programs, "import subprocess"),
        (starts_programs, "def f():\n    from subprocess import run"),
        (starts_programs, "os.system('x')"),
        (reaches_out, "def f():\n    import urllib.request"),
        (reaches_out, "from urllib import request"),
        (reaches_out, "repository.remotes.create_anonymous(url)"),
    ],
)
def test_external_access_is_detected(does: Callable[[ast.AST], bool], source: str) -> None:
    assert _MENTION.search(source)
    assert does(ast.parse(source))


WITH_WINDOW = {
    "cli/text_editor.py": "the editor may need the terminal of the command",
    "system/worker_processes.py": "macOS's own program for the power supply",
}
"""Modules with one program that is started without a creation flag."""


def starts_without_flags(tree: ast.AST) -> int:
    """Return how many programs a module starts without saying how: on Windows each opens a console window."""
    count = 0
    for node in nodes_of(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="subprocess"), attr="Popen" | "run"), keywords=keywords):
                count += all(keyword.arg != "creationflags" for keyword in keywords)
            case _:
                pass
    return count


def test_programs_start_without_a_console_window() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in SIDECAR.rglob("*.py")}
    counts = {
        path.relative_to(SIDECAR).as_posix(): starts_without_flags(ast.parse(source))
        for path, source in sources.items()
        if "subprocess" in source
    }
    assert {name: count for name, count in counts.items() if count} == dict.fromkeys(WITH_WINDOW, 1)


def test_the_walk_of_a_tree_visits_what_ast_walk_does() -> None:
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    assert list(nodes_of(tree)) == [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
