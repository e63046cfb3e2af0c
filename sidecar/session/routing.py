"""What a message asks for: to leave, a command, or work for the agent. Pure.

Leaving takes the whole message: one of the commands or phrases, case, spaces, accents and courtesies aside. A question,
a negation, anything quoted, code, or one more word is work, and so are "stop", "wait", "go back" and "cancel" alone:
they mean something inside the system. A message is on-topic unless a named rule of `phrases.py` says otherwise, and no
rule speaks where words of making software, code or a path stand beside it.
"""

import re
import unicodedata
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.language.exit_phrases import ABOUT_WORK, COURTESIES, EXIT_PHRASES, EXIT_WORDS, LEAVING, OFF_TOPIC
from sidecar.session.model import Command, Intent

MAX_LOOKED_AT = 4_000
"""Characters as sent; spaces count."""
MAX_CHARACTERS = 300
"""Without spaces that say nothing. What is longer is no command, and too much to be small talk."""

_COMMAND = regex(r"/ ?chati(?: (.*))?")
_COMMANDS: dict[str, Command] = {"": "activate", "status": "status", "help": "help", "resume": "resume"}
_COURTESY = "|".join(re.escape(one) for one in sorted(COURTESIES, key=len, reverse=True))
_BEFORE = regex(rf"(?:(?:{_COURTESY})[ ,.!]+)+")
_AFTER = regex(rf"(?<![ ,.!])(?:[ ,.!]++(?:{_COURTESY}))+[ .!]*")
_ENDS = " .!\u00a1\u2026"
_CODE = regex(r"`|\w_\w|[{};=<>]|\w/\w|\w\(|\w\.(?:py|ts|tsx|js|jsx|go|rs|md|json|ya?ml|java|rb|css)\b")
_INVISIBLE = frozenset({"Cf", "Cc"})


class Route(NamedTuple):
    """What a message asks for, and which rule said so."""

    intent: Intent
    rule: str
    command: Command | None = None
    speaks_of_leaving: bool = False


def route(message: str) -> Route:
    """Classifies a message of the user's."""
    text = folded(message) if len(message) <= MAX_LOOKED_AT else ""
    if not 0 < len(text) <= MAX_CHARACTERS:
        return Route("onTopic", "long" if message.strip() else "empty")
    asked = _whole_intent(text)
    if asked in EXIT_PHRASES:
        return Route("exit", "exitPhrase")
    command = _COMMAND.fullmatch(asked)
    if command is not None:
        return _command((command[1] or "").strip())
    leaving = "chati" in text and LEAVING.search(text) is not None
    rule = _off_topic(text)
    if rule is not None:
        return Route("offTopic", rule, speaks_of_leaving=leaving)
    return Route("onTopic", "speaksOfLeaving" if leaving else "noRule", speaks_of_leaving=leaving)


def folded(message: str) -> str:
    """Gives a text in small letters, without accents and invisible characters, with single spaces."""
    plain = unicodedata.normalize("NFKD", message).casefold()
    kept = (char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    spaced = "".join(
        " " if char.isspace() else char
        for char in kept
        if char.isspace() or unicodedata.category(char) not in _INVISIBLE
    )
    return " ".join(spaced.split()).replace("\u2019", "'")


def _whole_intent(text: str) -> str:
    """Takes away what changes nothing about a request: ends of a sentence and courtesies; never a question mark."""
    text = text.strip(_ENDS)
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    after = next((one for one in _AFTER.finditer(text) if one.end() == len(text)), None)
    return (text[: after.start()] if after else text).strip(_ENDS + ",")


def _command(rest: str) -> Route:
    if rest in EXIT_WORDS:
        return Route("exit", "exitCommand")
    if rest in _COMMANDS:
        return Route("command", "chatiCommand", _COMMANDS[rest])
    return Route("onTopic", "chatiMessage", speaks_of_leaving=LEAVING.search(rest) is not None)


def _off_topic(text: str) -> str | None:
    if ABOUT_WORK.search(text) or _CODE.search(text):
        return None
    return next((rule.name for rule in OFF_TOPIC if rule.pattern.search(text)), None)
