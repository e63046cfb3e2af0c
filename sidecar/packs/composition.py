"""From items to what is sent: fit to the budget, leave out what the session has, render, count. Pure."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from sidecar.codebase import is_faint, may_show
from sidecar.core.digests import short_id
from sidecar.core.text.sanitize import guarded, size
from sidecar.packs.anchor.build import Anchor, changed_lines, omissions
from sidecar.packs.byte_budget import Limits, fit
from sidecar.packs.collect import Gathered
from sidecar.packs.context_pack import ContextFile, Rendered
from sidecar.packs.delta_files import Interest
from sidecar.packs.delta_pack import delta_items, still_failing
from sidecar.packs.items import PackItem, Priority, has
from sidecar.packs.model import Block, SystemText, Trimmed
from sidecar.packs.overrides import creation_intent, is_pinned, told_changes, told_lines
from sidecar.packs.plan_and_carryover import carryover_items, contract_item, plan_item
from sidecar.packs.render import BLOCK_ORDER, render_block
from sidecar.packs.request import Turn
from sidecar.packs.task import said
from sidecar.runs import PinnedAnchor, SessionContents, keys

# Low-token mode: whether a follow-up can do with what its session has, so that only what changed is sent. Pure.


AGREEING_FILES = 3
"""So many of the files the search finds best must be known to the session, or all that it finds."""


class Reuse(NamedTuple):
    """Whether only changes are sent, and why."""

    delta_only: bool
    reason: str


def reuse_of(
    items: Sequence[PackItem],
    known: SessionContents,
    *,
    is_new_task: bool,
    asked: Collection[str],
    changed: Iterable[str],
) -> Reuse:
    """Decides: the same task, the same part of the repository, and a search that agrees with what was told.

    `asked` are the paths that this prompt alone points at, `changed` those that differ from the head commit.
    """
    context = [item for item in items if item.kind == "context"]
    told = {path for key in known.items if (path := keys.context_path(key)) is not None}
    if not known.exists:
        return Reuse(delta_only=False, reason="the session has nothing yet")
    if is_new_task:
        return Reuse(delta_only=False, reason="the prompt begins a task")
    if any(not has(known, item) and keys.context_path(item.key) in asked for item in context):
        return Reuse(delta_only=False, reason="the prompt points at files the session does not know")
    if not {_area(path) for path in changed} <= {_area(path) for path in told}:
        return Reuse(delta_only=False, reason="files changed in another part of the repository")
    if any(item.key not in known.items for item in context[:AGREEING_FILES]):
        return Reuse(delta_only=False, reason="the search finds other files than the session knows")
    return Reuse(delta_only=True, reason="same task, same part of the repository, and the search agrees")


def without_news(
    items: Iterable[PackItem], known: SessionContents
) -> tuple[tuple[PackItem, ...], tuple[PackItem, ...]]:
    """Parts items into those that are sent or known, and the files that would be news."""
    kept: list[PackItem] = []
    left_out: list[PackItem] = []
    for item in items:
        is_news = item.kind == "context" and not has(known, item)
        (left_out if is_news else kept).append(item)
    return tuple(kept), tuple(left_out)


def _area(path: str) -> str:
    """The top-level folder a path lies in."""
    return path.partition("/")[0] if "/" in path else ""


Fate = Literal["sent", "alreadyDelivered", "trimmed", "muted"]


class Composed(NamedTuple):
    """What goes out, what became of each item, and the bytes."""

    system: SystemText | None
    blocks: tuple[Block, ...]
    fates: tuple[tuple[PackItem, Fate], ...]
    delivered: tuple[PackItem, ...]
    anchor: PinnedAnchor | None
    anchor_is_new: bool
    injected_bytes: int
    reused_bytes: int
    trimmed: tuple[Trimmed, ...]
    context_id: str | None
    delta_id: str | None
    reuse: Reuse | None = None
    """Low-token mode's word on what the session has."""


def anchor_block(lines: Sequence[str], request: str) -> PinnedAnchor | None:
    """Renders the anchor; its id changes if and only if its bytes do."""
    if not lines:
        return None
    block = render_block("anchor", [_anchor_item(guarded("\n".join(lines)), "")], request)
    return PinnedAnchor(block.id, block.text)


def compose(
    items: Sequence[PackItem],
    anchor: PinnedAnchor | None,
    known: SessionContents,
    limits: Limits,
    *,
    as_system: bool,
    request: str,
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


def _blocks(items: Sequence[PackItem], anchor: PinnedAnchor | None, request: str) -> tuple[Block, ...]:
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


# What holds for a call, item by item, and what of it goes out.


def offered(turn: Turn, gathered: Gathered) -> Composed:
    """Gives everything that holds for the call, fitted to its budget, less what the session has already."""
    as_system = turn.sends_system_text
    pinned = turn.known.anchor
    current = anchor_block(told_lines(gathered.pack.anchor, turn.wishes), turn.params.prompt if pinned is None else "")
    anchor = pinned or current
    changes = None
    if pinned is not None and gathered.whole_anchor:
        text = current.text if current is not None else ""
        changes = changed_lines(pinned.text, text, gathered.pack.left_out) if text != pinned.text else []
        changes = told_changes(changes, turn.wishes)
    elif pinned is None:
        named = omissions(Anchor(gathered.pack.anchor, gathered.pack.left_out))
        gathered.omissions.extend(Trimmed(item=item, reason=reason) for item, reason in named)
    in_anchor = anchor.text if anchor is not None else ""
    items, muted = creation_intent(_items(turn, gathered, changes, in_anchor), turn.wishes)
    reuse = _reuse(turn, gathered, items) if turn.saves_tokens else None
    if reuse is not None and reuse.delta_only:
        items, left_out = without_news(items, turn.known)
        reason = "low-token mode sends changes only"
        gathered.omissions.extend(Trimmed(item=item.key, reason=reason) for item in left_out)
    composed = compose(items, anchor, turn.known, turn.limits, as_system=as_system, request=turn.params.prompt)
    return composed._replace(fates=(*composed.fates, *((item, "muted") for item in muted)), reuse=reuse)


def _reuse(turn: Turn, gathered: Gathered, items: Sequence[PackItem]) -> Reuse:
    asked = {file.ranked.path for file in gathered.extra}
    changed = [file.path for file in gathered.state.changed if may_show(file.path)] if gathered.state else []
    return reuse_of(items, turn.known, is_new_task=turn.task_is_new, asked=asked, changed=changed)


def _items(turn: Turn, gathered: Gathered, anchor_changes: list[str] | None, anchor: str) -> list[PackItem]:
    """Every item that is valid for this call, whether the session has it or not."""
    items: list[PackItem] = []
    sendable = turn.limits.new_bytes
    if turn.carried is not None:
        items.extend(carryover_items(turn.carried, sendable))
    if turn.params.mode == "plan":
        items.append(contract_item(turn.task, turn.sub_chat, sendable))
    elif turn.sub_chat.plan:
        items.append(plan_item(turn.sub_chat.plan, "carryover" if turn.fresh else "plan", sendable))
    own = {file.ranked.path for file in gathered.extra}
    files = [*gathered.extra, *(file for file in gathered.pack.files if file.ranked.path not in own)]
    if turn.wishes:
        files.sort(key=lambda file: not is_pinned(keys.context_key(file.ranked.path), turn.wishes))
    most = max(turn.appetite.files, len(gathered.extra))
    telling: list[ContextFile] = []
    for file in files:
        if not _is_news(turn, file):
            _omit(gathered, file, "too faint to be news for a follow-up")
        elif len(telling) < most:
            telling.append(file)
        else:
            _omit(gathered, file, f"more than {most} files, with so much of the context window left")
    rendered = turn.workspace.part(Rendered, Rendered)
    query = f"{said(turn.params.prompt)} {turn.task.query}"
    items.extend(rendered.items(telling, query, turn.appetite, sendable))
    items.extend(_from_elsewhere(turn, gathered, anchor))
    if gathered.state is not None:
        failing = still_failing(turn.failing, gathered.state, turn.call.now_ms())
        relevance = {file.ranked.path: file.ranked.score for file in files}
        items.extend(
            delta_items(
                gathered.state, gathered.differences, turn.known, gathered.moved, failing, turn.sub_chat.todos,
                anchor_changes, Interest(relevance, query), sendable,
            )
        )  # fmt: skip
    return items


def _from_elsewhere(turn: Turn, gathered: Gathered, anchor: str) -> list[PackItem]:
    """What the registry and the memories have of what is asked for."""
    if gathered.hint is None and not gathered.memories and gathered.remembered is None:
        return []
    from sidecar.packs.memory_sources import hint_item, memory_items, untold

    hints = [hint_item(gathered.hint)] if gathered.hint is not None else []
    return hints + memory_items(untold(gathered.memories, anchor), gathered.remembered, turn.known, turn.bracket)


def _omit(gathered: Gathered, file: ContextFile, reason: str) -> None:
    gathered.omissions.append(Trimmed(item=keys.context_key(file.ranked.path), reason=reason))


def _is_news(turn: Turn, file: ContextFile) -> bool:
    """Whether a file is worth telling: a follow-up hears of no further file that shares one word with its task."""
    if not turn.known.exists or turn.task_is_new:
        return True
    key = keys.context_key(file.ranked.path)
    return key in turn.known.items or is_pinned(key, turn.wishes) or not is_faint(file.ranked)
