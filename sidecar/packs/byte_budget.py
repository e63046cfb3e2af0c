"""The byte budget of a call: limits for the packs, for each file, and which items fit. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.context import Bracket, budget_share
from sidecar.packs.items import PackItem
from sidecar.packs.model import TokenMode
from sidecar.packs.render import overhead_bytes
from sidecar.runs.call_record import BlockKind


class ByteLimits(NamedTuple):
    """Byte limits: for all packs that are valid for the call, and for what the call may add to the session."""

    budget_bytes: int
    new_bytes: int


class FitResult(NamedTuple):
    """Items that fit, in their given order, and items that do not."""

    fitting: tuple[PackItem, ...]
    omitted: tuple[PackItem, ...]


def fit(items: Sequence[PackItem], budget_bytes: int) -> FitResult:
    """Select items by priority, then in the given order, while whole blocks stay within the budget.

    A smaller item may still fit after a larger one did not, so bytes are not wasted. Every item is either included or
    omitted.
    """
    left = budget_bytes
    open_kinds: set[BlockKind] = set()
    fitting: set[int] = set()
    for number in sorted(range(len(items)), key=lambda number: (items[number].priority, number)):
        item = items[number]
        cost = item.bytes + (0 if item.kind in open_kinds else overhead_bytes(item.kind))
        if cost <= left:
            left -= cost
            open_kinds.add(item.kind)
            fitting.add(number)
    return FitResult(
        tuple(item for number, item in enumerate(items) if number in fitting),
        tuple(item for number, item in enumerate(items) if number not in fitting),
    )


# Detail of files.


class DetailLimits(NamedTuple):
    """Number of files in a context pack, and the bytes of each."""

    files: int
    taper: tuple[tuple[int, int], ...]
    """Up to this rank, at most this many bytes. Steep tapering fits more of the right files, and their definitions,
    into the same bytes than equal shares do (tests/benchmarks/localization.py).
    """
    rest_bytes: int
    """Maximum bytes of each file after that."""

    def max_bytes(self, rank: int, sendable_bytes: int) -> int:
        """Return the maximum bytes of a file at a rank, which counts from 1.

        `sendable_bytes` is the limit of the whole call: no item comes near it, else it would never be sent.
        """
        return min(next((limit for last, limit in self.taper if rank <= last), self.rest_bytes), sendable_bytes // 8)

    def scaled(self, share: float) -> "DetailLimits":
        """Return the limits for a share of the bytes: fewer files with the same detail."""
        return self._replace(files=max(1, round(self.files * share)))


DETAIL_LIMITS: dict[TokenMode, DetailLimits] = {
    "low": DetailLimits(16, ((2, 1_000), (4, 450), (7, 220)), 110),  # about 4 KiB
    "normal": DetailLimits(30, ((2, 1_300), (6, 650), (12, 300)), 120),  # about 8 KiB
    "debug": DetailLimits(50, ((6, 1_500), (14, 700), (24, 350)), 150),  # about 20 KiB
}


def detail_limits_of(token_mode: TokenMode, bracket: Bracket) -> DetailLimits:
    """Return the limits for a token mode and a context bracket."""
    return DETAIL_LIMITS[token_mode].scaled(budget_share(bracket))
