"""Parses the command line and runs one command."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from sidecar import __version__
from sidecar.cli import selfcheck


class Command(NamedTuple):
    """A command's module below `sidecar.cli`, which is loaded on demand, and its help.

    The module has `add_arguments(parser)` and `run(arguments)`.
    """

    module: str
    help: str

    def load(self) -> ModuleType:
        """Import the module."""
        return import_module(f"sidecar.cli.{self.module}")


COMMANDS: dict[str, Command] = {
    "artifacts": Command("artifacts", "list, show, edit, accept, discard and commit artifacts of runs"),
    "doctor": Command("doctor", "check the sidecar's state, report problems, and repair them"),
    "explain": Command("explain", "show what was sent before a run, item by item, and why"),
    "health": Command("health", "check the files that the project's registry names; advisory"),
    "hook": Command("hook_install", "manage the hooks that connect Claude Code and Codex CLI outside 1Code"),
    "mcp": Command("mcp", "serve MCP: memory, artifacts, code search, packs of runs"),
    "memory": Command("memory", "list, search, show, add, edit, delete and maintain memories"),
    "knowledge": Command("knowledge", "sync the knowledge repository into memory, and show the status"),
    "purge": Command("purge", "remove stored data by project, age or kind"),
    "report": Command("report", "write an HTML report on the rollout"),
    "rollout": Command("rollout", "change, show and resume the rollout by share"),
    "settings": Command("settings", "show the settings, and change one"),
    "status": Command("status", "show processes, mode, latest runs and sizes"),
    "session": Command("session", "activate, show and exit a project's session lock"),
}

RALPH = ("ralph", "run an agent on one task, iteration after iteration, until it is done")
"""A command that parses its own arguments: those after `--` belong to another program."""


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status; wrong usage exits with 2."""
    if arguments[:1] == [RALPH[0]]:
        return _ralph(arguments[1:], "onecode-sidecar ralph")
    parser = argparse.ArgumentParser(
        prog="onecode-sidecar",
        description="Keeps a coding agent's context continuous. 1Code starts it with `onecode-sidecar serve`.",
    )
    parser.add_argument("--version", action="version", version=f"onecode-sidecar {__version__}")
    parser.add_argument("--selfcheck", action="store_true", help="check that everything the program needs is present")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser(
        "serve",
        help="serve JSON-RPC 2.0 over stdin and stdout",
        description="Serves JSON-RPC 2.0 over stdin and stdout; METHODS.md lists the methods.",
    )
    commands.add_parser(
        "selfcheck", help="the same as --selfcheck", description="Checks that everything the program needs is present."
    )
    commands.add_parser(RALPH[0], help=RALPH[1])
    parsers = {name: commands.add_parser(name, help=command.help) for name, command in COMMANDS.items()}
    requested = arguments[0] if arguments else ""
    if requested in COMMANDS:
        COMMANDS[requested].load().add_arguments(parsers[requested])
    chosen = parser.parse_args(arguments)
    if chosen.selfcheck or chosen.command == "selfcheck":
        return selfcheck.run()
    if chosen.command in COMMANDS:
        return int(COMMANDS[chosen.command].load().run(chosen))
    parser.print_help()
    return 2


def spool(arguments: Sequence[str]) -> int:
    """Run `spool`, which has one command."""
    if arguments[:1] == [RALPH[0]]:
        return _ralph(arguments[1:], "spool ralph")
    parser = argparse.ArgumentParser(prog="spool", description="Works on changes with coding agents.")
    parser.add_argument("--version", action="version", version=f"spool {__version__}")
    parser.add_subparsers(dest="command", metavar="COMMAND").add_parser(RALPH[0], help=RALPH[1])
    parser.parse_args(arguments)
    parser.print_help()
    return 2


def _ralph(arguments: Sequence[str], prog: str) -> int:
    from sidecar.cli.ralph import command

    return command(arguments, prog)
