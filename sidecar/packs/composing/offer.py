"""What holds for a call, item by item, and what of it goes out."""

from collections.abc import Sequence

from sidecar.codebase import is_faint, may_show
from sidecar.packs.anchor.lines import Anchor, changed_lines, omissions
from sidecar.packs.composing.carryover import carryover_items
from sidecar.packs.composing.compose import Composed, anchor_block, compose
from sidecar.packs.composing.confidence import Reuse, reuse_of, without_news
from sidecar.packs.composing.items import PackItem
from sidecar.packs.composing.plan import contract_item, plan_item
from sidecar.packs.context.items import ContextFile
from sidecar.packs.context.rendered import Rendered
from sidecar.packs.delta.failing import still_failing
from sidecar.packs.delta.items import delta_items
from sidecar.packs.delta.worktree import Interest
from sidecar.packs.gathering.gathered import Gathered
from sidecar.packs.model import Trimmed
from sidecar.packs.prompt import said
from sidecar.packs.turn import Turn
from sidecar.packs.wishes import is_pinned, told_changes, told_lines, wished
from sidecar.runs import keys


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
    items, muted = wished(_items(turn, gathered, changes, in_anchor), turn.wishes)
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
    from sidecar.packs.context.remembering import hint_item, memory_items, untold

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
