"""What every command about a project takes: the project, the state, and whether a program reads the answer."""

import argparse
from pathlib import Path
from typing import Any


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
