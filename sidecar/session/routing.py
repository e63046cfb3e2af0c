"""Classify a message: exit, a command, or work for the agent. Pure.

An exit is the whole message: one of the commands or phrases, ignoring case, spaces, accents and courtesies. A question,
a negation, quoted text, code, or one more word makes it work, and so do "stop", "wait", "go back" and "cancel" alone:
they have a meaning inside the system. A message is on-topic unless a named rule of `routing_phrases.py` matches, and no
rule applies beside words of software development, code or a path.
"""

import re
import unicodedata
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.language.routing_phrases import COURTESIES, EXIT_PHRASES, EXIT_VERBS, EXIT_WORDS, OFF_TOPIC, WORK_WORDS
from sidecar.session.model import Command, Intent

MAX_MESSAGE_CHARACTERS = 4_000
"""Maximum characters as sent, including spaces."""
MAX_CHARACTERS = 300
"""Maximum characters with spaces collapsed. A longer message is neither a command nor small talk."""

_COMMAND = lazy_regex(r"/ ?chati(?: (.*))?")
_COMMANDS: dict[str, Command] = {"": "activate", "status": "status", "help": "help", "resume": "resume"}
_COURTESY = "|".join(re.escape(courtesy) for courtesy in sorted(COURTESIES, key=len, reverse=True))
_BEFORE = lazy_regex(rf"(?:(?:{_COURTESY})[ ,.!]+)+")
_AFTER = lazy_regex(rf"(?<![ ,.!])(?:[ ,.!]++(?:{_COURTESY}))+[ .!]*")
_ENDS = " .!\u00a1\u2026"
_CODE = lazy_regex(r"`|\w_\w|[{};=<>]|\w/\w|\w\(|\w\.(?:py|ts|tsx|js|jsx|go|rs|md|json|ya?ml|java|rb|css)\b")
_INVISIBLE = frozenset({"Cf", "Cc"})


class Route(NamedTuple):
    """The intent of a message, and the rule that decided."""

    intent: Intent
    rule: str
    command: Command | None = None
    mentions_exit: bool = False


def route(message: str) -> Route:
    """Classify a message of the user."""
    text = fold_text(message) if len(message) <= MAX_MESSAGE_CHARACTERS else ""
    if not 0 < len(text) <= MAX_CHARACTERS:
        return Route("onTopic", "long" if message.strip() else "empty")
    request = _without_courtesies(text)
    if request in EXIT_PHRASES:
        return Route("exit", "exitPhrase")
    command = _COMMAND.fullmatch(request)
    if command is not None:
        return _command_route((command[1] or "").strip())
    mentions_exit = "chati" in text and EXIT_VERBS.search(text) is not None
    rule = _off_topic(text)
    if rule is not None:
        return Route("offTopic", rule, mentions_exit=mentions_exit)
    return Route("onTopic", "mentionsExit" if mentions_exit else "default", mentions_exit=mentions_exit)


def fold_text(message: str) -> str:
    """Return text in lower case, without accents and invisible characters, with single spaces."""
    plain = unicodedata.normalize("NFKD", message).casefold()
    unaccented = (char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    spaced = "".join(
        " " if char.isspace() else char
        for char in unaccented
        if char.isspace() or unicodedata.category(char) not in _INVISIBLE
    )
    return " ".join(spaced.split()).replace("\u2019", "'")


def _without_courtesies(text: str) -> str:
    """Remove what does not change a request: punctuation at the ends and courtesies, but never a question mark."""
    text = text.strip(_ENDS)
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    after = next((match for match in _AFTER.finditer(text) if match.end() == len(text)), None)
    return (text[: after.start()] if after else text).strip(_ENDS + ",")


def _command_route(rest: str) -> Route:
    if rest in EXIT_WORDS:
        return Route("exit", "exitCommand")
    if rest in _COMMANDS:
        return Route("command", "chatiCommand", _COMMANDS[rest])
    return Route("onTopic", "chatiMessage", mentions_exit=EXIT_VERBS.search(rest) is not None)


def _off_topic(text: str) -> str | None:
    if WORK_WORDS.search(text) or _CODE.search(text):
        return None
    return next((rule.name for rule in OFF_TOPIC if rule.pattern.search(text)), None)
