"""Which items fit into a number of bytes. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.context import Bracket, share_of
from sidecar.packs.items import PackItem
from sidecar.packs.model import BlockKind, TokenMode
from sidecar.packs.render import overhead_bytes


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


# How much of the repository a call may be told: by token mode, and by what is left of the context window. Pure.


class Appetite(NamedTuple):
    """Files of a context pack, and what each may take."""

    files: int
    taper: tuple[tuple[int, int], ...]
    """Up to this rank, at most this many bytes. Steep tapering fits more of the right files into the same bytes, and
    their definitions, than equal shares do (tests/benchmarks/localization.py)."""
    rest_bytes: int
    """What comes after may take."""

    def most_bytes(self, rank: int, sendable_bytes: int) -> int:
        """Gives what a file of a rank, which counts from 1, may take.

        `sendable_bytes` is what the call may send in all: no item comes near it, else it would never be sent.
        """
        return min(next((most for last, most in self.taper if rank <= last), self.rest_bytes), sendable_bytes // 8)

    def scaled(self, share: float) -> "Appetite":
        """Gives the same for a share of the bytes: fewer files, told as before."""
        return self._replace(files=max(1, round(self.files * share)))


APPETITES: dict[TokenMode, Appetite] = {
    "low": Appetite(16, ((2, 1_000), (4, 450), (7, 220)), 110),  # some 4 KiB
    "normal": Appetite(30, ((2, 1_300), (6, 650), (12, 300)), 120),  # some 8 KiB
    "debug": Appetite(50, ((6, 1_500), (14, 700), (24, 350)), 150),  # some 20 KiB
}


def appetite_of(token_mode: TokenMode, bracket: Bracket) -> Appetite:
    """Gives what a call may be told of files."""
    return APPETITES[token_mode].scaled(share_of(bracket))
