"""Which pointers an anchor tells of, and their lines. Pure; it is loaded with the memories, behind a first answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.core.text import one_line
from sidecar.memory import pointed
from sidecar.memory.pointed import Pointed
from sidecar.packs.anchor.pointers import Pointers

MAX_BINDING = 12
"""Items whose blocking constraints are told."""
MAX_POINTED = 12
"""Decisions and specifications that are pointed to."""

NEAREST_FIRST = ("project", "team", "org", "company")
_KINDS = ("adr", "spec")
"""What is pointed to; policies and patterns are told by what they forbid, and found as memories."""

MAX_CONSTRAINT, MAX_TITLE, MAX_SUMMARY, MAX_REF, MAX_STATUS = 200, 120, 160, 140, 40

_MORE = "- More of the knowledge repository's items are in memory; search there for them."
"""Without their number, which changes with every sync."""


class Chosen(NamedTuple):
    """The paths of pointers worth reading, and whether there are others."""

    binding: tuple[str, ...]
    others: tuple[str, ...]
    has_more: bool


def chosen(tags: Mapping[str, Sequence[str]]) -> Chosen:
    """Chooses by tags alone: the nearest layer first, there the latest by name; those that no longer hold last."""
    ranked = sorted(
        (path for path in sorted(tags, reverse=True) if pointed.POINTER_TAG in tags[path]),
        key=lambda path: _rank(tags[path]),
    )
    binding = tuple(path for path in ranked if pointed.BLOCKING_TAG in tags[path])[:MAX_BINDING]
    kinds = frozenset(_KINDS)
    others = tuple(path for path in ranked if path not in binding and not kinds.isdisjoint(tags[path]))[:MAX_POINTED]
    return Chosen(binding, others, len(ranked) > len(binding) + len(others))


def pointers_of(binding: Iterable[Pointed], others: Iterable[Pointed], *, has_more: bool) -> Pointers:
    """Gives the lines; what a pointer says is cleaned here again, since anybody may have edited its file."""
    read = tuple(binding)
    bind = [one for one in read if one.holds and one.blocking]
    rest = [one for one in read if one not in bind and one.kind in _KINDS]
    invariants = [line for one in bind for line in _binding(one)]
    lines = [_pointer(one) for one in (*rest, *others) if one.status != pointed.ORPHANED]
    if has_more:
        lines.append(_MORE)
    return Pointers(tuple(dict.fromkeys(invariants)), tuple(dict.fromkeys(lines)))


def _rank(tags: Sequence[str]) -> tuple[bool, int]:
    layer = next((number for number, name in enumerate(NEAREST_FIRST) if name in tags), len(NEAREST_FIRST))
    return not pointed.NO_LONGER.isdisjoint(tags), layer


def _binding(one: Pointed) -> list[str]:
    ref = one_line(one.ref, MAX_REF)
    where = [f"{ref}: {one_line(one.title, MAX_TITLE)}", *[ref] * len(one.blocking)]
    rules = [rule for text in one.blocking if (rule := one_line(text, MAX_CONSTRAINT))]
    return [f"- {rule} ({said})" for rule, said in zip(rules, where, strict=False)]


def _pointer(one: Pointed) -> str:
    status = "" if one.status in pointed.PLAIN else one.status
    state = f" [{one_line(status, MAX_STATUS)}]" if status else ""
    summary = one_line(one.summary, MAX_SUMMARY)
    said = f" — {summary}" if summary else ""
    return f"- {one_line(one.ref, MAX_REF)}: {one_line(one.title, MAX_TITLE)}{state}{said}"
