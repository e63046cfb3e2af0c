"""Which items fit into a number of bytes. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.packs.composing.items import PackItem
from sidecar.packs.composing.render import overhead_bytes
from sidecar.packs.model import BlockKind


class Limits(NamedTuple):
    """Bytes: for all packs that are valid for the call, and for what the call may add to the session."""

    budget_bytes: int
    new_bytes: int


class Fitted(NamedTuple):
    """What is kept, in its given order, and what is left out."""

    kept: tuple[PackItem, ...]
    left_out: tuple[PackItem, ...]


def fit(items: Sequence[PackItem], budget_bytes: int) -> Fitted:
    """Keeps items by priority, then in the order given, as long as whole blocks stay within the budget.

    An item that does not fit is left out and a smaller one after it may still be kept, so bytes are not wasted.
    Every item is either kept or left out.
    """
    left = budget_bytes
    open_kinds: set[BlockKind] = set()
    kept: set[int] = set()
    for number in sorted(range(len(items)), key=lambda number: (items[number].priority, number)):
        item = items[number]
        cost = item.bytes + (0 if item.kind in open_kinds else overhead_bytes(item.kind))
        if cost <= left:
            left -= cost
            open_kinds.add(item.kind)
            kept.add(number)
    return Fitted(
        tuple(item for number, item in enumerate(items) if number in kept),
        tuple(item for number, item in enumerate(items) if number not in kept),
    )
