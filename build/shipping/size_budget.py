"""The size limits of the built program, and the size of each component."""

from __future__ import annotations

import importlib.metadata
import re
from typing import TYPE_CHECKING, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shipping.components import Component

MEGABYTE = 1_000_000
WHOLE_BYTES = 100 * MEGABYTE
CORE_BYTES = 60 * MEGABYTE
"""Without grammars and optional parts."""

OPTIONAL = ("mcp", "cryptography", "pygal", "jinja2")
"""Packages loaded only by some commands and settings; dependencies that nothing else needs are optional too."""

GRAMMAR = re.compile(r"tree-sitter-[\w-]+")


class Share(NamedTuple):
    """The size of one component, and its part of the program."""

    name: str
    size: int
    """Bytes."""
    part: str


def shares(found: Sequence[Component], project: str) -> list[Share]:
    """Return each component's share, the largest first."""
    core = needed([root for root in _roots(project) if root not in OPTIONAL])
    optional = needed(OPTIONAL) - core
    unsorted_shares = (
        Share(
            component.name,
            component.size,
            "grammar" if GRAMMAR.fullmatch(component.name) else "optional" if component.name in optional else "core",
        )
        for component in found
    )
    return sorted(unsorted_shares, key=lambda share: (-share.size, share.name))


def exceeded_limits(component_shares: Iterable[Share]) -> list[str]:
    """Return a sentence per exceeded limit."""
    component_shares = list(component_shares)
    whole = sum(share.size for share in component_shares)
    core = sum(share.size for share in component_shares if share.part == "core")
    pairs = ((whole, WHOLE_BYTES, "The program"), (core, CORE_BYTES, "The program without grammars and optional parts"))
    return [
        f"{subject} takes {size / MEGABYTE:.1f} MB; the limit is {limit // MEGABYTE} MB."
        for size, limit, subject in pairs
        if size > limit
    ]


def needed(roots: Iterable[str]) -> set[str]:
    """Return packages with all of their dependencies here, by normalized name; missing ones are left out."""
    pending, visited = (
        [(canonicalize_name(root), frozenset[str]()) for root in roots],
        set[tuple[str, frozenset[str]]](),
    )
    while pending:
        name, extras = pending.pop()
        if (name, extras) in visited:
            continue
        try:
            requirements = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        visited.add((name, extras))
        applicable = [requirement for requirement in map(Requirement, requirements) if _applies(requirement, extras)]
        pending += [(canonicalize_name(requirement.name), frozenset(requirement.extras)) for requirement in applicable]
    return {name for name, _ in visited}


def _applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    """Whether a requirement applies here, with these extras of its owner."""
    return not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _roots(project: str) -> list[str]:
    requirements = [Requirement(line) for line in importlib.metadata.requires(project) or []]
    return [
        canonicalize_name(requirement.name)
        for requirement in requirements
        if not requirement.marker or requirement.marker.evaluate()
    ]
