"""What `onecode-sidecar memory` takes."""

import argparse
from typing import get_args

from sidecar.cli.arguments import add_verb

MOST = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.epilog = (
        "An ID may be cut to its end as long as no other ends so. Exit status: 0 done, 1 failed, 2 wrong usage,"
        " 3 not exactly one such memory or no state, 4 changed meanwhile, 5 not allowed."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    add_verb(verbs, "status", "tell what is remembered, what was captured last, what was dropped and why")
    _listed(add_verb(verbs, "list", "list a project's memories, the newest first"))
    _searched(add_verb(verbs, "search", "find memories by a question or keywords"))
    add_verb(verbs, "show", "show a memory with all that is known of it").add_argument("id", metavar="ID")
    _added(add_verb(verbs, "add", "keep a memory"))
    _edited(add_verb(verbs, "edit", "change a memory, in $VISUAL or $EDITOR unless it is given here"))
    deleted = add_verb(verbs, "delete", "delete memories for good; the same is not captured again")
    deleted.add_argument("ids", metavar="ID", nargs="+")
    add_verb(verbs, "restore", "bring a memory back from the archive").add_argument("id", metavar="ID")
    upkeep = add_verb(verbs, "maintain", "move memories between tiers and what is over to the archive")
    upkeep.add_argument("--dry-run", action="store_true", help="say what is due and change nothing")
    proposed = add_verb(verbs, "proposals", "show the rules that memories suggest, or decide on one")
    word = proposed.add_mutually_exclusive_group()
    word.add_argument("--accept", metavar="ID", help="the memory is validated and kept for good")
    word.add_argument("--reject", metavar="ID", help="it is not proposed again")


def _listed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--owner", choices=_owners(), metavar="OWNER", help="shared, or an agent")
    parser.add_argument("--keeping", choices=_keepings(), help="only those kept so")
    parser.add_argument("--tier", choices=("hot", "warm", "cold"), help="only those of this tier")
    parser.add_argument("--type", choices=_types(), metavar="TYPE", help=f"one of {', '.join(_types())}")
    parser.add_argument("--tag", metavar="TAG", help="only those with this tag")
    parser.add_argument("--archived", action="store_true", help="those in the archive instead")
    _limited(parser, 50)


def _searched(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="WORD", nargs="+")
    parser.add_argument("--full", action="store_true", help="show each whole")
    _limited(parser, 10, 100)


def _added(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="WORD", nargs="*")
    parser.add_argument("--file", metavar="FILE", help="a file with the text, in Markdown; - for stdin")
    parser.add_argument("--title", help="unless given, the text's first line")
    parser.add_argument("--type", choices=_types(), default="semantic", metavar="TYPE", help="semantic unless given")
    parser.add_argument("--tag", metavar="TAG", action="append", help="may be given several times")
    parser.add_argument("--owner", choices=_owners(), default="shared", metavar="OWNER", help="shared, or an agent")
    parser.add_argument("--keeping", choices=_keepings(), default="durable", help="durable unless given")
    parser.add_argument("--confidence", type=_share, default=1.0, metavar="SHARE", help="0 to 1; 1 unless given")


def _edited(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--title", help="the new title")
    parser.add_argument("--file", metavar="FILE", help="a file with the new text; - for stdin")
    parser.add_argument("--type", choices=_types(), metavar="TYPE", help="the new type")
    parser.add_argument("--tag", metavar="TAG", action="append", help="the new tags, in place of those it has")
    parser.add_argument("--confidence", type=_share, metavar="SHARE", help="0 to 1")
    parser.add_argument("--durable", action="store_true", help="keep it for good")


def _limited(parser: argparse.ArgumentParser, usual: int, most: int = MOST) -> None:
    def limit(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"1 to {most}")
        return int(text)

    parser.add_argument(
        "--limit", type=limit, default=usual, metavar="N", help=f"at most so many; {usual} unless given"
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError("0 to 1")
    return share


def _owners() -> tuple[str, ...]:
    from sidecar.memory.files.layout import OWNERS

    return OWNERS


def _types() -> tuple[str, ...]:
    from sidecar.memory.entry import MemoryType

    return get_args(MemoryType)


def _keepings() -> tuple[str, ...]:
    from sidecar.memory.files.layout import KEEPINGS

    return KEEPINGS
