"""The user's word on an item of the packs: always send it, never send it, it is wrong. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.model import UserWord
from sidecar.runs import keys

MAX_PINNED_FILES = 12
"""Files that are sent because the user said so, the newest words first."""

NO_LONGER, WRONG = "no longer: ", "wrong, as the user says: "
"""How it is told that a statement of the anchor does not hold."""

_LINE_NUMBER = regex(r":\d+\)$")


class Wish(NamedTuple):
    """What the user said of an item, and when."""

    item: str
    word: UserWord
    why: str
    at_ms: int


Wishes = Mapping[str, Wish]
"""A project's wishes by item."""


class Wished(NamedTuple):
    """Items as the user wants them, and those that are not to be sent."""

    items: tuple[PackItem, ...]
    muted: tuple[PackItem, ...]


def creation_intent(items: Iterable[PackItem], wishes: Wishes) -> Wished:
    """Leaves muted items out, and puts pinned ones before what nobody spoke for."""
    kept = tuple(_raised(item) if is_pinned(item.key, wishes) else item for item in items)
    return Wished(
        tuple(item for item in kept if not is_muted(item.key, wishes)),
        tuple(item for item in kept if is_muted(item.key, wishes)),
    )


def told_lines(lines: Sequence[str], wishes: Wishes) -> tuple[str, ...]:
    """Gives an anchor's lines without those the user muted, and without titles that nothing stands under."""
    if not wishes:
        return tuple(lines)
    if is_muted(keys.ANCHOR, wishes):
        return ()
    told = [line for line in lines if not is_muted(line_key(line), wishes)]
    return tuple(line for line, after in pairwise([*told, ""]) if _is_statement(line) or _is_statement(after))


def told_changes(changes: Iterable[str], wishes: Wishes) -> list[str]:
    """Gives what is told of a pinned anchor's changes, where the user's word is one of the reasons.

    What is unwanted still holds: nothing is said of it. What is wrong is told as such to who was told otherwise.
    """
    told = []
    for change in changes:
        statement = change.removeprefix(NO_LONGER)
        word = wishes[key].word if (key := line_key(statement)) in wishes and statement != change else None
        if word != "never":
            told.append(f"{WRONG}{statement}" if word == "wrong" else change)
    return told


def line_key(line: str) -> str:
    """Names a statement of the anchor by what it says; where in its file it stands makes no odds."""
    return f"{keys.ANCHOR}:{short_id(_LINE_NUMBER.sub(')', line.removeprefix('- ')), 12)}"


def statements(anchor: str) -> list[tuple[str, str]]:
    """Gives an anchor's statements, each with its name."""
    return [(line_key(line), line.removeprefix("- ")) for line in anchor.splitlines() if _is_statement(line)]


def pinned_files(wishes: Wishes) -> tuple[str, ...]:
    """Gives the files the user wants sent, in a fixed order."""
    newest = sorted(wishes.values(), key=lambda wish: (-wish.at_ms, wish.item))
    paths = [path for wish in newest if wish.word == "always" and (path := keys.context_path(wish.item))]
    return tuple(sorted(paths[:MAX_PINNED_FILES]))


def is_pinned(item: str, wishes: Wishes) -> bool:
    """Says whether the user wants an item always sent."""
    return item in wishes and wishes[item].word == "always"


def is_muted(item: str, wishes: Wishes) -> bool:
    """Says whether the user wants an item never sent, or says that it is wrong."""
    return item in wishes and wishes[item].word != "always"


def _is_statement(line: str) -> bool:
    return line.startswith("- ")


def _raised(item: PackItem) -> PackItem:
    return replace(item, priority=min(item.priority, Priority.PINNED))
