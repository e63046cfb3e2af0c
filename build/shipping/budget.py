"""How large the built program may be, and what takes the room."""

from __future__ import annotations

import importlib.metadata
import re
from typing import TYPE_CHECKING, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shipping.inside import Component

MEGABYTE = 1_000_000
WHOLE_BYTES = 100 * MEGABYTE
CORE_BYTES = 60 * MEGABYTE
"""Without grammars and optional parts."""

OPTIONAL = ("mcp", "cryptography", "pygal", "jinja2")
"""Roots of what only some commands and settings load; what nothing else needs of their dependencies goes with them."""

GRAMMAR = re.compile(r"tree-sitter-[\w-]+")


class Share(NamedTuple):
    """What one component takes, and which part of the program it is."""

    name: str
    size: int
    """Bytes."""
    part: str


def shares(found: Sequence[Component], project: str) -> list[Share]:
    """Gives each component's room, the largest first."""
    core = needed([root for root in _roots(project) if root not in OPTIONAL])
    optional = needed(OPTIONAL) - core
    told = (
        Share(
            one.name,
            one.size,
            "grammar" if GRAMMAR.fullmatch(one.name) else "optional" if one.name in optional else "core",
        )
        for one in found
    )
    return sorted(told, key=lambda share: (-share.size, share.name))


def over_budget(told: Iterable[Share]) -> list[str]:
    """Says in a sentence each what is too large."""
    told = list(told)
    whole = sum(share.size for share in told)
    core = sum(share.size for share in told if share.part == "core")
    pairs = ((whole, WHOLE_BYTES, "The program"), (core, CORE_BYTES, "The program without grammars and optional parts"))
    return [
        f"{what} takes {size / MEGABYTE:.1f} MB, {limit // MEGABYTE} MB are allowed."
        for size, limit, what in pairs
        if size > limit
    ]


def needed(roots: Iterable[str]) -> set[str]:
    """Gives packages with all that they need here, by their normal names; what is not installed is left out."""
    waiting, found = [(canonicalize_name(root), frozenset[str]()) for root in roots], set[tuple[str, frozenset[str]]]()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in found:
            continue
        try:
            asked = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        found.add((name, extras))
        wanted = [one for one in map(Requirement, asked) if _counts(one, extras)]
        waiting += [(canonicalize_name(one.name), frozenset(one.extras)) for one in wanted]
    return {name for name, _ in found}


def _counts(asked: Requirement, extras: frozenset[str]) -> bool:
    """Says whether a requirement holds here, with these of its owner's extras."""
    return not asked.marker or any(asked.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _roots(project: str) -> list[str]:
    asked = [Requirement(line) for line in importlib.metadata.requires(project) or []]
    return [canonicalize_name(one.name) for one in asked if not one.marker or one.marker.evaluate()]
