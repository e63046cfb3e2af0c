"""From items to what is sent: fit to the budget, leave out what the session has, render, count. Pure."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.text import guarded, size
from sidecar.packs.composing.budget import Limits, fit
from sidecar.packs.composing.confidence import Reuse
from sidecar.packs.composing.items import PackItem, Priority, has
from sidecar.packs.composing.render import BLOCK_ORDER, render_block
from sidecar.packs.model import Block, SystemText, Trimmed
from sidecar.runs import Known, Pinned, keys

Fate = Literal["sent", "alreadyDelivered", "trimmed", "muted"]


class Composed(NamedTuple):
    """What goes out, what became of each item, and the bytes."""

    system: SystemText | None
    blocks: tuple[Block, ...]
    fates: tuple[tuple[PackItem, Fate], ...]
    delivered: tuple[PackItem, ...]
    anchor: Pinned | None
    anchor_is_new: bool
    injected_bytes: int
    reused_bytes: int
    trimmed: tuple[Trimmed, ...]
    context_id: str | None
    delta_id: str | None
    reuse: Reuse | None = None
    """Low-token mode's word on what the session has."""


def anchor_block(lines: Sequence[str], request: str) -> Pinned | None:
    """Renders the anchor; its id changes if and only if its bytes do."""
    if not lines:
        return None
    block = render_block("anchor", [_anchor_item(guarded("\n".join(lines)), "")], request)
    return Pinned(block.id, block.text)


def compose(
    items: Sequence[PackItem], anchor: Pinned | None, known: Known, limits: Limits, *, as_system: bool, request: str
) -> Composed:
    """Decides item by item. The anchor comes first; `as_system` sends it as system text, the same on every call."""
    items = [item.safe for item in items]
    anchor_bytes = size(anchor.text) if anchor else 0
    anchor_is_new = anchor is not None and known.anchor is None
    within = fit(items, limits.budget_bytes - anchor_bytes)
    had: list[PackItem] = []
    news: list[PackItem] = []
    for item in within.kept:
        (had if has(known, item) else news).append(item)
    capped = fit(news, limits.new_bytes - (anchor_bytes if anchor_is_new else 0))
    blocks = _blocks(capped.kept, anchor if anchor_is_new and not as_system else None, request)
    system = SystemText(id=anchor.id, text=anchor.text) if anchor and as_system else None
    fates: list[tuple[PackItem, Fate]] = []
    if anchor is not None:
        fates.append(
            (_anchor_item(anchor.text.removesuffix("\n"), anchor.id), "sent" if anchor_is_new else "alreadyDelivered")
        )
    fates += [(item, "sent") for item in capped.kept]
    fates += [(item, "alreadyDelivered") for item in had]
    fates += [(item, "trimmed") for item in (*within.left_out, *capped.left_out)]
    trimmed = [Trimmed(item=item.key, reason="over the budget") for item in within.left_out]
    trimmed += [Trimmed(item=item.key, reason="over the limit of new bytes per call") for item in capped.left_out]
    return Composed(
        system=system,
        blocks=blocks,
        fates=tuple(fates),
        delivered=capped.kept,
        anchor=anchor,
        anchor_is_new=anchor_is_new,
        injected_bytes=sum(block.bytes for block in blocks) + (anchor_bytes if anchor_is_new and as_system else 0),
        reused_bytes=sum(item.bytes for item in had) + (anchor_bytes if anchor and not anchor_is_new else 0),
        trimmed=tuple(trimmed),
        context_id=_pack_id(within.kept, "context"),
        delta_id=_pack_id(within.kept, "delta"),
    )


def _anchor_item(text: str, digest: str) -> PackItem:
    return PackItem(keys.ANCHOR, "anchor", Priority.ANCHOR, text, digest, "holds for the whole repository")


def _blocks(items: Sequence[PackItem], anchor: Pinned | None, request: str) -> tuple[Block, ...]:
    blocks = []
    for kind in BLOCK_ORDER:
        if kind == "anchor" and anchor is not None:
            blocks.append(Block(kind="anchor", id=anchor.id, bytes=size(anchor.text), text=anchor.text))
        own = [item for item in items if item.kind == kind]
        if own:
            blocks.append(render_block(kind, own, request))
    return tuple(blocks)


def _pack_id(items: Sequence[PackItem], kind: str) -> str | None:
    own = [[item.key, item.digest] for item in items if item.kind == kind]
    return short_id(own) if own else None
