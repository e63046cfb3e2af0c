"""How a command tells its answer: for people, or as JSON for programs; a failure is a sentence on stderr."""

import argparse
import os
import sys
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from sidecar.cli.errors import CommandFailed
from sidecar.core.lazy_regex import regex

INTERRUPTED = 130

_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Said(NamedTuple):
    """A command's answer, for programs and for people."""

    answer: Any
    lines: Sequence[str]
    status: int = 0
    """What the command exits with."""


def told(command: str, arguments: argparse.Namespace, act: Callable[[], Said]) -> int:
    """Does what a command has to and prints what comes of it; gives the exit status."""
    if not sys.stdout.isatty() and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        said = act()
        print(_as_json(said.answer) if arguments.json else "\n".join(map(shown, said.lines)))
        sys.stdout.flush()
        return said.status
    except CommandFailed as error:
        error.tell(command)
        return error.status
    except KeyboardInterrupt:
        print(f"{command}: interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _as_json(answer: Any) -> str:
    return orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode()


def printed(text: str) -> bool:
    """Prints a text and says whether that worked; a reader that has gone has read enough."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest would fail once more at the end
        if isinstance(error, BrokenPipeError):
            return True
        with suppress(OSError):
            print(f"The answer cannot be written: {error.strerror}.", file=sys.stderr)
        return False
    return True


def read_text(name: str) -> str:
    """Gives the text of a file, or of stdin for `-`; raises CommandFailed for what is no text, or empty."""
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise CommandFailed(f"{name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise CommandFailed("The text is no UTF-8.") from None
    if not text.strip():
        raise CommandFailed("The text is empty, so nothing was changed.")
    return text


def shown(text: str) -> str:
    """Gives a text as a terminal may be sent it: without the control characters that would steer the terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def cut(text: str, width: int) -> str:
    """Cuts a text that takes more than so many columns; wide characters take two."""
    flat = " ".join(text.split())
    if _columns(flat) <= width:
        return flat
    taken = 0
    for at, char in enumerate(flat):
        taken += _columns(char)
        if taken > width - 1:
            return flat[:at].rstrip() + "…"
    return flat


def _columns(text: str) -> int:
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)
