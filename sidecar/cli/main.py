"""Parses the command line and runs one command."""

import argparse
from collections.abc import Callable, Sequence
from types import ModuleType

from sidecar import __version__
from sidecar.cli import selfcheck


def _doctor() -> ModuleType:
    from sidecar.cli import doctor

    return doctor


def _purge() -> ModuleType:
    from sidecar.cli import purge

    return purge


def _explain() -> ModuleType:
    from sidecar.cli import explain

    return explain


def _status() -> ModuleType:
    from sidecar.cli import status

    return status


def _artifacts() -> ModuleType:
    from sidecar.cli import artifacts as command

    return command


def _health() -> ModuleType:
    from sidecar.cli import registry_health

    return registry_health


def _hook() -> ModuleType:
    from sidecar.cli import hook as command

    return command


def _mcp() -> ModuleType:
    from sidecar.cli import mcp

    return mcp


def _memory() -> ModuleType:
    from sidecar.cli import memory as command

    return command


def _knowledge() -> ModuleType:
    from sidecar.cli import knowledge

    return knowledge


def _report() -> ModuleType:
    from sidecar.cli import report

    return report


def _session() -> ModuleType:
    from sidecar.cli import session

    return session


def _ralph(arguments: Sequence[str], prog: str) -> int:
    from sidecar.cli.ralph import command

    return command(arguments, prog)


COMMANDS: dict[str, tuple[str, Callable[[], ModuleType]]] = {
    "artifacts": ("list, show, edit, accept, discard and commit artifacts of runs", _artifacts),
    "doctor": ("check the sidecar's state, report problems, and repair them", _doctor),
    "explain": ("show what was sent before a run, item by item, and why", _explain),
    "health": ("check the files that the project's registry names; advisory", _health),
    "hook": ("manage the hooks that connect Claude Code outside of 1Code", _hook),
    "mcp": ("serve MCP: memory, artifacts, code search, packs of runs", _mcp),
    "memory": ("list, search, show, add, edit, delete and maintain memories", _memory),
    "knowledge": ("sync the knowledge repository into memory, and show the status", _knowledge),
    "purge": ("remove stored data by project, age or kind", _purge),
    "report": ("write an HTML report on the rollout", _report),
    "status": ("show processes, mode, latest runs and sizes", _status),
    "session": ("activate, show and exit a project's session lock", _session),
}
"""A command's help, and the module with its `add_arguments(parser)` and `run(arguments)`, which is loaded on demand."""


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
    commands.add_parser("serve", help="serve JSON-RPC 2.0 over stdin and stdout")
    commands.add_parser("selfcheck", help="the same as --selfcheck")
    commands.add_parser(RALPH[0], help=RALPH[1])
    parsers = {name: commands.add_parser(name, help=text) for name, (text, _) in COMMANDS.items()}
    command_name = arguments[0] if arguments else ""
    if command_name in COMMANDS:
        COMMANDS[command_name][1]().add_arguments(parsers[command_name])
    chosen = parser.parse_args(arguments)
    if chosen.selfcheck or chosen.command == "selfcheck":
        return selfcheck.run()
    if chosen.command in COMMANDS:
        return int(COMMANDS[chosen.command][1]().run(chosen))
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
