"""`onecode-sidecar mcp`: an MCP server over stdin and stdout, for any agent that supports MCP."""

import argparse
import os
import threading
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.cli.common_arguments import add_state_argument, folder_argument, project_params, state_folder
from sidecar.cli.in_process import InProcess, RequestFailed, on_users_state
from sidecar.cli.output import CommandFailed, hint_of_command_line
from sidecar.core.errors import SidecarError
from sidecar.system.environment import default_state_folder
from sidecar.workspace import project_key

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Serves MCP over stdin and stdout: memory, artifacts, code search, and the packs of runs."
    parser.epilog = "For Claude Code: claude mcp add continuity -- onecode-sidecar mcp"
    parser.add_argument(
        "--project", type=folder_argument, metavar="DIR", help="default: the client's root, or the current folder"
    )
    add_state_argument(parser)
    parser.add_argument("--write", action="store_true", help="also offer the tools that write: memory_add")


def run(arguments: argparse.Namespace) -> int:
    """Serve one client until it disconnects. A failure to start is one sentence on stderr."""
    with ExitStack() as until_it_goes:
        try:
            server = create_server(arguments, until_it_goes)
        except CommandFailed as error:
            error.print_to_stderr("mcp")
            return error.status
        server.run("stdio")
    return 0


def create_server(arguments: argparse.Namespace, until_it_goes: ExitStack) -> "MCPServer":
    """Return a server for one client; the stack closes what it opens.

    Raise CommandFailed if the arguments name a project that does not exist, or a state folder without state.
    """
    from sidecar.integrations import TOOL_OF_METHOD, MethodFailed, Tools, build_server, locate

    lock = threading.Lock()
    compactions: dict[str, int] = {}
    named_project = project_params(arguments.project).get("projectPath")
    project = locate(os.path.abspath(named_project)) if named_project is not None else None
    named_folder = state_folder(arguments.state_dir) if arguments.state_dir is not None else None

    @cache
    def sidecar() -> InProcess:
        """Open the state on the first request: a starting client waits only a few seconds for the server."""
        opened = until_it_goes.enter_context(on_users_state(named_folder or Path(default_state_folder())))
        opened.process.is_command_line = False  # an agent asks: other agents' private memories stay private
        return opened

    def ask(method: str, params: dict[str, Any]) -> Any:
        try:
            with lock:  # one request at a time
                opened = sidecar()
                if method == "codebase/search":
                    _forget_after_compaction(opened, params["projectPath"], compactions)
                return opened.request(method, params)
        except RequestFailed as error:
            hint = hint_of_command_line(str(error.data.get("hint", "")), TOOL_OF_METHOD)
            raise MethodFailed(f"{error.message} {hint}".strip()) from error

    return build_server(Tools(ask, project, os.getcwd()), may_write=arguments.write)


def _forget_after_compaction(opened: InProcess, project: str, compactions: dict[str, int]) -> None:
    """Forget what searches showed if a session of the project was compacted since: it may be the client's.

    The app, or the hooks, record compactions in the state file. `compactions` holds the counts of the last requests.
    """
    from sidecar.context import compaction_count

    try:
        with opened.process.database.read() as tx:
            count = compaction_count(tx, project_key(Path(project)))
    except SidecarError:  # the state file cannot be read; the search itself says so
        return
    if compactions.setdefault(project, count) != count:
        compactions[project] = count
        opened.process.slices.codebase.shown_regions.forget(None)
