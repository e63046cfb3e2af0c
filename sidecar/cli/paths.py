"""Where a command works: the user's state folder, and the project."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sidecar.cli.errors import CommandFailed
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.storage.database import FILE_NAME
from sidecar.system.environment import state_folders
from sidecar.system.refs import place_of


def state_folder(given: Path | None, known: Sequence[Path] | None = None) -> Path:
    """Gives the folder with the user's state: the one named, else the first known one that holds any.

    Raises CommandFailed where there is none: a command does not make one.
    """
    folders = [given] if given is not None else list(known if known is not None else state_folders())
    for folder in folders:
        if (folder / FILE_NAME).is_file():
            return Path(os.path.abspath(folder))
    where = str(given) if given is not None else "the folders where 1Code keeps it"
    raise CommandFailed(
        f"There is no state file in {where}.",
        kind="notFound",
        hint=f"--state-dir names the folder that holds `{FILE_NAME}`.",
    )


def project_folder(given: Path | None) -> Path:
    """Gives the project: the folder named, else the repository the current folder is in, by its main worktree."""
    try:
        here = Path(os.path.abspath(given)) if given is not None else Path.cwd()
    except OSError:
        raise CommandFailed("The current folder is gone.", hint="--project names the project's folder.") from None
    if given is not None:
        return here
    try:
        common = place_of(here).common_dir
    except WorkspaceUnavailable:
        return here
    return common.parent if common.name == ".git" else here


# What every command about a project takes: the project, the state, and whether a program reads the answer.


def add_places(parser: argparse.ArgumentParser) -> None:
    """Declares which project a command is about, and how it answers."""
    parser.add_argument("--project", type=Path, metavar="DIR", help="the project; where one stands unless given")
    parser.add_argument("--state-dir", type=Path, metavar="DIR", help="the sidecar's state; the app's own unless given")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def add_verb(verbs: Any, name: str, text: str) -> argparse.ArgumentParser:
    """Declares one of a command's verbs, with what all of them take."""
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    add_places(parser)
    return parser
