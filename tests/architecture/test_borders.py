"""Where the program touches what others may have made: each such place is known, with the reason why it may."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SIDECAR = Path(__file__).resolve().parents[2] / "sidecar"

OF_THE_USER_ALONE = "in the state folder, which is its user's alone"
OF_THE_SYSTEM = "the system's own file"
OUR_OWN = "comes with the program"
NAMED_BY_THE_USER = "named on the command line: a pipe too (`<(…)`)"
NOTHING = "the device that is nothing"

OPENS = {
    "system/safe_open.py": "the one place: regular files only, up to a limit",
    "system/atomic_write.py": "makes new files and moves them into their place",
    "system/watch/base.py": "makes a file where none is",
    "cli/hook_daemon.py": OF_THE_USER_ALONE,
    "cli/hook_run_state.py": OF_THE_USER_ALONE,
    "knowledge/git_source.py": OF_THE_USER_ALONE,
    "knowledge/sync.py": OF_THE_USER_ALONE,
    "storage/backup.py": OF_THE_USER_ALONE,
    "storage/sqlite_connection.py": OF_THE_USER_ALONE,
    "storage/recovery.py": OF_THE_USER_ALONE,
    "storage/database.py": OF_THE_USER_ALONE,
    "system/local_socket/named_pipe.py": OF_THE_USER_ALONE,
    "system/log.py": OF_THE_USER_ALONE,
    "system/process_registry.py": OF_THE_USER_ALONE,
    "operations/environment_checks.py": OF_THE_SYSTEM,
    "system/parent_watch.py": OF_THE_SYSTEM,
    "system/watch/inotify.py": OF_THE_SYSTEM,
    "codebase/summary/grammar.py": OUR_OWN,
    "operations/report/page.py": OUR_OWN,
    "schema/methods.py": OUR_OWN,
    "cli/editor.py": "a folder of this command's own",
    "cli/ralph_loop.py": NAMED_BY_THE_USER,
    "cli/output.py": NAMED_BY_THE_USER,
    "cli/ralph.py": NOTHING,
    "rpc/stdio.py": NOTHING,
}

PROGRAMS = {
    "cli/editor.py": "the user's editor",
    "cli/hook_client.py": "this program, to serve the next hooks",
    "cli/ralph.py": "only a name of the module: what it may be given",
    "ralph/agent/discovery.py": "the agent's program, for its version",
    "ralph/agent/runner.py": "only a name of the module: what came of the agent",
    "system/git.py": "git",
    "system/process_tree.py": "the agent, and the checks its user wrote",
    "system/worker.py": "this program, to read source files",
}

NETWORK = {
    "system/local_socket/unix_socket.py": "the local door",
    "system/local_socket/named_pipe.py": "the local door on Windows",
    "system/fetch.py": "the knowledge repository, from where its user said",
    "cli/report.py": "the user's browser, for a file of ours",
    "integrations/mcp/tools.py": "only a name of the module: how an address of a file is its path",
}

_OPENING = frozenset(("read_bytes", "read_text", "write_bytes", "write_text", "touch", "mkfifo", "mknod"))
_PROGRAM_MODULES = frozenset(("subprocess", "pty", "multiprocessing.process", "concurrent.futures.process"))
_STARTING = frozenset(("system", "popen", "fork", "execv", "execve", "execvp", "execvpe", "posix_spawn", "startfile"))
_NETWORK_MODULES = (
    *("socket", "ssl", "http", "urllib.request", "multiprocessing.connection", "webbrowser", "asyncio", "ftplib"),
    *("smtplib", "xmlrpc", "requests", "httpx", "urllib3", "aiohttp", "opentelemetry"),
)
_FETCHING = frozenset(("create_anonymous", "list_heads", "clone_repository"))


def _calls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Gives what is called: the name before the dot, empty where there is none, and the name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name):
                    yield "", name
                case ast.Attribute(value=ast.Name(id=before), attr=name):
                    yield before, name
                case ast.Attribute(value=value, attr=name):
                    yield ast.unparse(value), name
                case _:
                    pass  # what another call gave


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def opens(tree: ast.AST) -> bool:
    """Says whether files are opened other than by the one module for that."""
    return any(
        (before and name in _OPENING and (before, name) != ("run_state", "touch"))
        or (name == "open" and before not in ("webbrowser", "self"))
        or (before in ("", "io") and name == "FileIO" and not _of_descriptor(tree))
        for before, name in _calls(tree)
    )


def _of_descriptor(tree: ast.AST) -> bool:
    """Whether what is made a stream of was opened by the one module for that."""
    return "sidecar.system.safe_open.opened" in set(_imports(tree))


def starts_programs(tree: ast.AST) -> bool:
    """Says whether other programs may be started."""
    return bool(_PROGRAM_MODULES & set(_imports(tree))) or any(
        before == "os" and (name in _STARTING or name.startswith("spawn")) for before, name in _calls(tree)
    )


def reaches_out(tree: ast.AST) -> bool:
    """Says whether something may be sent to, or taken from, what is not in this process."""
    named = set(_imports(tree))
    return any(one == name or one.startswith(f"{name}.") for one in named for name in _NETWORK_MODULES) or any(
        name in _FETCHING for _, name in _calls(tree)
    )


@pytest.mark.parametrize(
    ("does", "known"),
    [(opens, OPENS), (starts_programs, PROGRAMS), (reaches_out, NETWORK)],
    ids=["files", "programs", "network"],
)
def test_each_place_that_touches_what_is_outside_is_known(
    does: Callable[[ast.AST], bool], known: dict[str, str]
) -> None:
    found = {
        path.relative_to(SIDECAR).as_posix()
        for path in SIDECAR.rglob("*.py")
        if does(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert sorted(found - known.keys()) == [], "use system/plain_files, system/git … or say here why not"
    assert sorted(known.keys() - found) == [], "no longer so"


@pytest.mark.parametrize(
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
def test_such_a_place_is_seen(does: Callable[[ast.AST], bool], source: str) -> None:
    assert does(ast.parse(source))
