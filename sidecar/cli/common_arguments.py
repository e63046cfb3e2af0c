"""The project and the state folder a command works on, and the arguments that name them."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sidecar.cli.output import CommandFailed
from sidecar.system.environment import STATE_FILE, environment, has_state_file, state_folders
from sidecar.system.git import find_root, main_worktree
from sidecar.workspace import IF_MOVED


def state_folder(given: Path | None, known: Sequence[Path] | None = None) -> Path:
    """Return the folder with the user's state: `given`, or the first known folder with a state file.

    Raise CommandFailed if there is none; a command does not create one.
    """
    folders = [given] if given is not None else list(known if known is not None else state_folders())
    for folder in folders:
        if has_state_file(folder):
            return Path(os.path.abspath(folder))
    if given is None:
        raise CommandFailed(
            "No sidecar has run for this user yet.",
            kind="notFound",
            hint="Start 1Code, or connect Claude Code and Codex with `onecode-sidecar hook install --mode active`.",
        )
    raise CommandFailed(
        f"There is no state file in {given}.",
        kind="notFound",
        hint=f"Use --state-dir to name the folder that contains `{STATE_FILE}`.",
    )


def project_folder(given: Path | None) -> Path:
    """Return the project: `given`, or the main worktree of the repository that contains the current folder."""
    try:
        here = Path(os.path.abspath(given)) if given is not None else Path.cwd()
    except OSError:
        raise CommandFailed(
            "The current folder no longer exists.", hint="Use --project to name the project's folder."
        ) from None
    if given is not None:
        return here
    root = find_root(here)
    return here if root is None else main_worktree(root)


def folder_argument(text: str) -> Path:
    """Return a folder named on the command line; refuse an empty name, which would mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the folder's name is empty")
    return Path(text)


OF_CURRENT_FOLDER, ONE_OR_ALL = "the project; default: that of the current folder", "one project; default: all"
"""Projects that a command works on without `--project`."""


def add_path_arguments(parser: argparse.ArgumentParser, project: str = OF_CURRENT_FOLDER) -> None:
    """Declare the arguments for the project, the state folder and the output format."""
    parser.add_argument("--project", type=folder_argument, metavar="DIR", help=project)
    add_state_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def add_state_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the argument for the state folder."""
    parser.add_argument(
        "--state-dir",
        type=folder_argument,
        metavar="DIR",
        help="the state folder; default: the app's, else the one your terminals use",
    )


def add_limit_argument(parser: argparse.ArgumentParser, usual: int, most: int) -> None:
    """Declare the argument for the maximum number of what is listed."""

    def limit(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"1 to {most}")
        return int(text)

    text = f"maximum number, 1 to {most}; default: {usual}"
    parser.add_argument("--limit", type=limit, default=usual, metavar="N", help=text)


def project_params(given: Path | None) -> dict[str, Any]:
    """Return the params that name a project; empty without one. Raise CommandFailed if its folder does not exist."""
    if given is not None and not given.is_dir():
        raise CommandFailed(
            "The project's folder does not exist.",
            kind="workspaceUnavailable",
            hint=IF_MOVED,
        )
    return {} if given is None else {"projectPath": str(given.absolute())}


def add_verb(verbs: Any, name: str, text: str) -> argparse.ArgumentParser:
    """Declare one of a command's verbs, with the arguments that all verbs have."""
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    add_path_arguments(parser)
    return parser


_AGENT_SHELLS = ("CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "GEMINI_CLI")
"""Environment variables by which agents mark the commands they run."""


def require_users_shell(action: str) -> None:
    """Raise CommandFailed inside an agent's shell: only the user decides what every session is told to follow."""
    if any(environment().get(name) for name in _AGENT_SHELLS):
        raise CommandFailed(f"An agent cannot {action}.", kind="policyDenied", hint="Run it in your own terminal.")
