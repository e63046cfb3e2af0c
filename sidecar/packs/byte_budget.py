"""The byte budget of a call: its limits, the shares of context and anchor, and which items fit. Pure."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sidecar.codebase import identifiers_of, paths_in, pointing_words
from sidecar.packs.model import PreRunParams, TokenMode
from sidecar.packs.pack_blocks import OVERHEAD_BYTES, PackItem
from sidecar.runs import SessionContents, entries
from sidecar.runs.pre_run_record import BlockKind
from sidecar.settings.resolve import Settings

CONTEXT_SHARE = 0.52
"""Maximum share of a call's bytes for the context, so that no file is too large to be sent."""

FOLLOW_UP_SHARE = 1 / 3
"""Share of the context's bytes for a session that has context already."""


class ByteLimits(NamedTuple):
    """Byte limits: for all packs that are valid for the call, and for what the call may add to the session."""

    budget_bytes: int
    new_bytes: int


class ContextLimits(NamedTuple):
    """Limits of the context block of one call."""

    bytes: int
    is_follow_up: bool
    """Whether the session has context already: then a known file is only extended if this prompt asks for it."""


def limits_of_call(
    params: PreRunParams, settings: Settings, token_mode: TokenMode, share: float, known: SessionContents
) -> tuple[ByteLimits, ContextLimits]:
    """Return the limits of a call that may use a share of the budget."""
    budget_bytes = int(settings.budget_bytes(token_mode) * share)
    new_bytes = min(budget_bytes, settings.new_bytes_per_call(token_mode))
    byte_limits = ByteLimits(budget_bytes, min(new_bytes, params.max_new_bytes or new_bytes))
    is_follow_up = any(item.bytes and entries.context_path(key) is not None for key, item in known.items.items())
    context_bytes = settings.context_bytes(token_mode) * share * (FOLLOW_UP_SHARE if is_follow_up else 1.0)
    return byte_limits, ContextLimits(min(int(context_bytes), int(byte_limits.new_bytes * CONTEXT_SHARE)), is_follow_up)


CONTEXT_SHARES = (0.25, 0.5)
"""Share of the context's bytes for a query with one word that says what it is about, and with two."""


def context_share(query: str, specific: Collection[str]) -> float:
    """Return the share of the context's bytes for a query: all with three specific terms, a name or a place."""
    if len(specific) > len(CONTEXT_SHARES) or names_place(query):
        return 1.0
    return CONTEXT_SHARES[max(0, len(specific) - 1)]


def names_place(query: str) -> bool:
    """Whether a query names a path, an identifier, a stack frame or a call."""
    return bool(identifiers_of(query) or paths_in(query) or pointing_words(query))


def sendable_bytes(settings: Settings, token_mode: str, max_new_bytes: int | None) -> int:
    """Return the bytes that a call may send, by the settings and the host's own limit, whatever the window."""
    limit = settings.new_bytes_per_call(token_mode)
    return limit if max_new_bytes is None else min(limit, max_new_bytes)


ANCHOR_BYTES = {"low": 2_400, "normal": 3_900, "debug": 6_000}
"""Maximum bytes of the anchor by token mode; under 4 KB in `normal`."""

ANCHOR_SHARE = 0.4
"""Maximum share of a call's bytes for the anchor, however small the call: the rest is for new items."""


def anchor_limit(token_mode: str, sendable_bytes: int) -> int:
    """Return the maximum bytes of an anchor's lines, for a call that may send `sendable_bytes` in all."""
    return min(ANCHOR_BYTES[token_mode], int(sendable_bytes * ANCHOR_SHARE) - OVERHEAD_BYTES["anchor"])


MIN_ANCHOR_WITH_REQUEST = 1_500
"""Smaller anchors have no request for notes."""


def has_notes_request(settings: Settings, token_mode: str, max_new_bytes: int | None) -> bool:
    """Whether an anchor asks for notes: a very small one has no room for it."""
    limit = anchor_limit(token_mode, sendable_bytes(settings, token_mode, max_new_bytes))
    return bool(settings["notes"]) and limit >= MIN_ANCHOR_WITH_REQUEST


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
        cost = item.bytes + (0 if item.kind in open_kinds else OVERHEAD_BYTES[item.kind])
        if cost <= left:
            left -= cost
            open_kinds.add(item.kind)
            fitting.add(number)
    return FitResult(
        tuple(item for number, item in enumerate(items) if number in fitting),
        tuple(item for number, item in enumerate(items) if number not in fitting),
    )
