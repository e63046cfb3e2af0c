"""Parses the command line and runs one command."""

import argparse
from collections.abc import Sequence

from sidecar import __version__
from sidecar.cli import selfcheck


def run(arguments: Sequence[str]) -> int:
    """Runs a command and gives its exit status; wrong usage ends with status 2."""
    parser = argparse.ArgumentParser(
        prog="onecode-sidecar",
        description="Keeps a coding agent's context continuous. 1Code starts it as `onecode-sidecar serve`.",
    )
    parser.add_argument("--version", action="version", version=f"onecode-sidecar {__version__}")
    parser.add_argument("--selfcheck", action="store_true", help="check that everything the program needs is there")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("serve", help="speak JSON-RPC 2.0 over stdin and stdout")
    commands.add_parser("selfcheck", help="the same as --selfcheck")
    replayed = commands.add_parser("replay", help="play recorded sessions and tell what continuity saved")
    if arguments[:1] == ["replay"]:
        from sidecar.cli import replay

        replay.add_arguments(replayed)
    chosen = parser.parse_args(arguments)
    if chosen.selfcheck or chosen.command == "selfcheck":
        return selfcheck.run()
    if chosen.command == "replay":
        from sidecar.cli import replay

        return replay.run(chosen)
    parser.print_help()
    return 2
