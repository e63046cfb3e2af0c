"""Select the items of a call, fit them to the budget, subtract what the session has, and render the rest.

The items of the plan are built here.
"""

import os
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sidecar.codebase import RepositoryState, changes_with_work, empty_submodules, is_named_file, operation_in_progress
from sidecar.core.clean_text import clean, count_noun, escape_markers, fitting_lines, one_line, utf8_size
from sidecar.core.digests import short_id
from sidecar.language.notes_block import REQUEST as NOTES_REQUEST
from sidecar.packs.anchor import Anchor, changed_lines, late_lines, omissions
from sidecar.packs.byte_budget import ByteLimits, fit, has_notes_request
from sidecar.packs.carryover import carryover_items, step_lines
from sidecar.packs.collect_inputs import PackInputs, omitted_files
from sidecar.packs.context_pack import ContextFile
from sidecar.packs.delta_files import QueryRelevance
from sidecar.packs.delta_pack import (
    AnchorNews,
    broken_import_items,
    delta_items,
    instruction_items,
    operation_items,
    recent_failures,
    submodule_items,
)
from sidecar.packs.overrides import apply_overrides, is_pinned, visible_changes, visible_lines
from sidecar.packs.pack_blocks import BLOCK_ORDER, PackItem, Priority, render_block, session_has
from sidecar.packs.prompt_text import clean_prompt, number_of_others
from sidecar.packs.request import PackRequest
from sidecar.runs import PinnedAnchor, SessionContents, SubChat, Task, entries, ledger
from sidecar.runs.ledger_entries import TextEntry, entry_to_json
from sidecar.runs.pre_run_record import Block, BlockKind, Disposition, SystemText, Trimmed

if TYPE_CHECKING:
    from sidecar.memory import Relevant

REPEATED_CHATS = 3
"""Number of other conversations after which a memory needs more than one shared term. In ten recorded repositories 6
of 93 such deliveries by one term were useful, of the other 257 deliveries 91.
"""

MIN_KNOWN_FILES = 3
"""The session must know this many of the best files, or all files if there are fewer."""


class Reuse(NamedTuple):
    """Whether only changes are sent, and why."""

    delta_only: bool
    reason: str


def decide_reuse(
    items: Sequence[PackItem],
    known: SessionContents,
    *,
    is_new_task: bool,
    prompt_paths: Collection[str],
    changed: Iterable[str],
) -> Reuse:
    """Decide whether the session's packs still fit: same task, same part of the repository, same files found. Pure.

    `prompt_paths` are the paths this prompt alone refers to, `changed` those that differ from the head commit.
    """
    context = [item for item in items if item.kind == "context"]
    sent_paths = {path for key in known.items if (path := entries.context_path(key)) is not None}
    if not known.exists:
        return Reuse(delta_only=False, reason="the session has nothing yet")
    if is_new_task:
        return Reuse(delta_only=False, reason="the prompt starts a new task")
    if any(not session_has(known, item) and entries.context_path(item.key) in prompt_paths for item in context):
        return Reuse(delta_only=False, reason="the prompt refers to files the session does not have")
    if not {_top_folder(path) for path in changed} <= {_top_folder(path) for path in sent_paths}:
        return Reuse(delta_only=False, reason="files changed in another part of the repository")
    if any(item.key not in known.items for item in context[:MIN_KNOWN_FILES]):
        return Reuse(delta_only=False, reason="the search finds files the session does not have")
    return Reuse(delta_only=True, reason="same task, same part of the repository, and the search agrees")


def without_new_files(
    items: Iterable[PackItem], known: SessionContents
) -> tuple[tuple[PackItem, ...], tuple[PackItem, ...]]:
    """Split items into those that are sent or known, and files that are new to the session."""
    sent_items: list[PackItem] = []
    omitted: list[PackItem] = []
    for item in items:
        is_new_file = item.kind == "context" and not session_has(known, item)
        (omitted if is_new_file else sent_items).append(item)
    return tuple(sent_items), tuple(omitted)


def _top_folder(path: str) -> str:
    """The top-level folder of a path."""
    return path.partition("/")[0] if "/" in path else ""


class Composition(NamedTuple):
    """Text to send, the disposition of each item, and the bytes."""

    system: SystemText | None
    blocks: tuple[Block, ...]
    dispositions: tuple[tuple[PackItem, Disposition], ...]
    delivered: tuple[PackItem, ...]
    anchor: PinnedAnchor | None
    anchor_is_new: bool
    injected_bytes: int
    reused_bytes: int
    trimmed: tuple[Trimmed, ...]
    context_id: str | None
    delta_id: str | None
    reuse: Reuse | None = None
    """The decision of low-token mode."""


@lru_cache(maxsize=16)
def render_anchor(lines: tuple[str, ...], prompt: str) -> PinnedAnchor | None:
    """Render the anchor; its id changes if and only if its bytes do."""
    if not lines:
        return None
    block = render_block("anchor", [_anchor_item(escape_markers("\n".join(lines)), "")], prompt)
    return PinnedAnchor(block.id, block.text)


def compose_packs(
    items: Sequence[PackItem],
    anchor: PinnedAnchor | None,
    known: SessionContents,
    limits: ByteLimits,
    *,
    as_system: bool,
    prompt: str,
) -> Composition:
    """Decide item by item, the anchor first; `as_system` sends it as system text, the same on every call. Pure."""
    items = [item.escaped for item in items]
    anchor_bytes = utf8_size(anchor.text) if anchor else 0
    anchor_is_new = anchor is not None and known.anchor is None
    fitted = fit(items, limits.budget_bytes - anchor_bytes)
    already_sent: list[PackItem] = []
    new_items: list[PackItem] = []
    for item in fitted.fitting:
        (already_sent if session_has(known, item) else new_items).append(item)
    capped = fit(new_items, limits.new_bytes - (anchor_bytes if anchor_is_new else 0))
    is_first = entries.HEAD not in known.items
    new_anchor = anchor if anchor_is_new and not as_system else None
    blocks = _blocks(capped.fitting, new_anchor, prompt, is_first=is_first)
    system = SystemText(id=anchor.id, text=anchor.text) if anchor and as_system else None
    dispositions: list[tuple[PackItem, Disposition]] = []
    if anchor is not None:
        dispositions.append(
            (_anchor_item(anchor.text.removesuffix("\n"), anchor.id), "sent" if anchor_is_new else "alreadyDelivered")
        )
    dispositions += [(item, "sent") for item in capped.fitting]
    dispositions += [(item, "alreadyDelivered") for item in already_sent]
    dispositions += [(item, "trimmed") for item in (*fitted.omitted, *capped.omitted)]
    trimmed = [Trimmed(item=item.key, reason="over the budget") for item in fitted.omitted]
    trimmed += [Trimmed(item=item.key, reason="over the limit of new bytes per call") for item in capped.omitted]
    return Composition(
        system=system,
        blocks=blocks,
        dispositions=tuple(dispositions),
        delivered=capped.fitting,
        anchor=anchor,
        anchor_is_new=anchor_is_new,
        injected_bytes=sum(block.bytes for block in blocks) + (anchor_bytes if anchor_is_new and as_system else 0),
        reused_bytes=sum(item.bytes for item in already_sent if known.items[item.key].bytes)
        + (anchor_bytes if anchor and not anchor_is_new else 0),
        trimmed=tuple(trimmed),
        context_id=_pack_id(fitted.fitting, "context"),
        delta_id=_pack_id(fitted.fitting, "delta"),
    )


def _anchor_item(text: str, digest: str) -> PackItem:
    return PackItem(
        entries.ANCHOR, "anchor", Priority.ANCHOR, text, TextEntry(digest), "holds for the whole repository"
    )


def _blocks(
    items: Sequence[PackItem], anchor: PinnedAnchor | None, prompt: str, *, is_first: bool
) -> tuple[Block, ...]:
    blocks = []
    for kind in BLOCK_ORDER:
        if kind == "anchor" and anchor is not None:
            blocks.append(Block(kind="anchor", id=anchor.id, bytes=utf8_size(anchor.text), text=anchor.text))
        block_items = [item for item in items if item.kind == kind]
        if block_items:
            blocks.append(render_block(kind, block_items, prompt, is_first=is_first))
    return tuple(blocks)


def _pack_id(items: Sequence[PackItem], kind: str) -> str | None:
    versions = [[item.key, entry_to_json(item.entry).decode()] for item in items if item.kind == kind]
    return short_id(versions) if versions else None


def select_items(request: PackRequest, inputs: PackInputs) -> Composition:
    """Return everything valid for the call, fitted to its budget, minus what the session already has."""
    as_system = request.sends_system_text
    pinned = request.known.anchor
    lines = visible_lines(inputs.pack.anchor, request.overrides) if request.overrides else inputs.pack.anchor
    if has_notes_request(request.settings, request.token_mode, request.params.max_new_bytes):
        lines = (*lines, *NOTES_REQUEST.splitlines())
    current = render_anchor(lines, request.params.prompt if pinned is None else "")
    anchor = pinned or current
    if pinned is None and current is not None and utf8_size(current.text) > request.limits.new_bytes:
        anchor = None  # built for the session's first call with room for it
        inputs.omissions.append(Trimmed(item=entries.ANCHOR, reason="over the limit of new bytes per call"))
    news = None
    if pinned is not None and inputs.anchor_is_complete:
        text = current.text if current is not None else ""
        has_changed = text != pinned.text
        changes = changed_lines(pinned.text, text, inputs.pack.omitted) if has_changed else []
        changes = visible_changes(changes, request.overrides) if request.overrides else changes
        news = AnchorNews(changes, late_lines(pinned.text, text) if has_changed else [])
    elif pinned is None:
        omitted_sections = omissions(Anchor(inputs.pack.anchor, inputs.pack.omitted))
        inputs.omissions.extend(Trimmed(item=item, reason=reason) for item, reason in omitted_sections)
    in_anchor = anchor.text if anchor is not None else ""
    sent_ids = {instruction.id for instruction in request.instructions.fitting}
    inputs.memories = _without_repeated(
        [match for match in inputs.memories if match.memory.id not in sent_ids], request
    )
    items: Sequence[PackItem] = _valid_items(request, inputs, news, in_anchor)
    muted: Sequence[PackItem] = ()
    if request.overrides:
        items, muted = apply_overrides(items, request.overrides)
    if pinned is not None:
        items = _with_instruction_changes(items, request)
    reuse = _reuse(request, inputs, items) if request.token_mode == "low" else None  # noqa: S105  (not a password)
    if reuse is not None and reuse.delta_only:
        items, omitted = without_new_files(items, request.known)
        reason = "low-token mode sends changes only"
        inputs.omissions.extend(Trimmed(item=item.key, reason=reason) for item in omitted)
    composition = compose_packs(
        items, anchor, request.known, request.limits, as_system=as_system, prompt=request.params.prompt
    )
    return composition._replace(
        dispositions=(*composition.dispositions, *((item, "muted") for item in muted)), reuse=reuse
    )


def _without_repeated(matches: Sequence["Relevant"], request: PackRequest) -> tuple["Relevant", ...]:
    """Drop what shares little with the prompt and already reached several other conversations.

    A term by which a memory comes back again and again is not rare among the project's prompts.
    """
    keys = [entries.memory_key(match.memory.id) for match in matches if match.shares_little]
    keys = [key for key in keys if key not in request.known.items and not is_pinned(key, request.overrides)]
    if not keys:
        return tuple(matches)
    with request.call.database.read() as tx:
        chats = ledger.chats_with_memories(
            tx, request.workspace.project_key, keys, shadow=request.is_shadow, besides=request.params.sub_chat_id
        )
    repeated = {key for key, count in chats.items() if count >= REPEATED_CHATS}
    return tuple(match for match in matches if entries.memory_key(match.memory.id) not in repeated)


def _with_instruction_changes(items: Sequence[PackItem], request: PackRequest) -> Sequence[PackItem]:
    """Add what changed in the standing instructions since the session's anchor was built."""
    session_id = request.session.session_id if request.session is not None else ""
    changes = instruction_items(request.instructions, request.known, session_id, request.overrides)
    return [*items, *changes]


def _reuse(request: PackRequest, inputs: PackInputs, items: Sequence[PackItem]) -> Reuse:
    prompt_paths = {file.ranked.path for file in inputs.prompt_files}
    changes = entries.changes_of(inputs.state) if inputs.state else None
    changed = [*(file.path for file in changes.single), *changes.folders] if changes is not None else []
    return decide_reuse(
        items, request.known, is_new_task=request.task_is_new, prompt_paths=prompt_paths, changed=changed
    )


def _valid_items(
    request: PackRequest, inputs: PackInputs, anchor_news: AnchorNews | None, anchor: str
) -> list[PackItem]:
    """Every item that is valid for this call, whether the session has it or not."""
    items: list[PackItem] = []
    sendable = request.limits.new_bytes
    if request.carryover is not None:
        items.extend(carryover_items(request.carryover, sendable, anchor))
    if request.params.mode == "plan":
        items.append(planning_item(request.task, request.sub_chat, sendable))
    elif request.sub_chat.plan:
        items.append(plan_item(request.sub_chat.plan, "carryover" if request.fresh else "plan", sendable))
    prompt_paths = {file.ranked.path for file in inputs.prompt_files}
    files = [*inputs.prompt_files, *(file for file in inputs.pack.files if file.ranked.path not in prompt_paths)]
    if request.overrides:
        files.sort(key=lambda file: not is_pinned(entries.context_key(file.ranked.path), request.overrides))
    shown = _shown_files(request, inputs, files)
    rendered = request.workspace.slices.packs.rendered
    query = f"{clean_prompt(request.params.prompt)} {request.task.query}"
    changes = _changes(request, inputs, anchor_news, files, query)
    changes_shown = [item.shows_changes_of for item in changes if item.shows_changes_of]
    whole = _new_files(inputs.state).intersection(changes_shown)  # the differences of a new file are all of it
    shown = [file for file in shown if file.ranked.path not in whole]
    own_files = sum(file.ranked.path in prompt_paths for file in shown)
    context = rendered.items(shown, request.context_limits, request.known, own_files, changes_shown)
    items.extend(context.items)
    if context.omitted:
        reason = f"{count_noun(context.omitted, 'more region')} over the limit of the context"
        inputs.omissions.append(Trimmed(item="context", reason=reason))
    inputs.omissions.extend(omitted_files(context.omitted_files, "over the limit of the context"))
    if inputs.hint is not None or inputs.memories or inputs.sent_memories is not None:
        items.extend(_memory_items(request, inputs, anchor))
    return [*items, *changes]


def _new_files(state: RepositoryState | None) -> frozenset[str]:
    """Return the files that the head commit does not have."""
    changed = state.changed if state is not None and state.kind == "git" else ()
    return frozenset(file.path for file in changed if file.kind == "untracked" or file.code.startswith("A"))


def _changes(
    request: PackRequest,
    inputs: PackInputs,
    anchor_news: AnchorNews | None,
    files: Sequence[ContextFile],
    query: str,
) -> list[PackItem]:
    """The items of the delta; none while the repository's state is unknown."""
    if inputs.state is None:
        return []
    failing = recent_failures(request.failing, inputs.state, request.call.now_ms()) if request.failing else []
    relevance = {file.ranked.path: file.ranked.score for file in files}
    changes = delta_items(
        inputs.state, inputs.differences, request.known, inputs.moved, failing, request.sub_chat.todos,
        anchor_news, QueryRelevance(relevance, query), request.limits.new_bytes,
    )  # fmt: skip
    repository = request.workspace.slices.repository
    broken = repository.broken_imports(inputs.state)
    if broken is not None:
        changes += broken_import_items(broken, inputs.state, request.known)
    operation = operation_items(operation_in_progress(inputs.state), request.known)
    if inputs.state.kind == "git" and os.path.lexists(inputs.state.root / ".gitmodules"):
        operation += submodule_items(empty_submodules(inputs.state.root))
    return [*operation, *changes]


def _memory_items(request: PackRequest, inputs: PackInputs, anchor: str) -> list[PackItem]:
    """Items from the registry and the memories."""
    from sidecar.packs.memory_items import hint_item, memory_items

    hints = [hint_item(inputs.hint)] if inputs.hint is not None else []
    memories = memory_items(
        inputs.memories, inputs.sent_memories, request.known, request.bracket, anchor, request.overrides
    )
    return hints + memories


MAX_PARTNERS = 2
"""Maximum number of files that a follow-up brings because they change together with what the runs changed."""


def _shown_files(request: PackRequest, inputs: PackInputs, files: Sequence[ContextFile]) -> list[ContextFile]:
    """The files worth sending: a follow-up gets those its own words point at, and few that change with the work.

    One that lets the agent carry out its plan points at what the plan names.
    """
    if not request.context_limits.is_follow_up:
        return list(files)
    own = {file.ranked.path for file in inputs.prompt_files}
    if request.work.is_planned and request.sub_chat.plan and request.params.mode == "agent":
        own.update(file.ranked.path for file in files if is_named_file(file.ranked))
    shown: list[ContextFile] = []
    max_partners = 0 if number_of_others(request.params.prompt) else MAX_PARTNERS
    omitted = partners = 0
    for file in files:
        key = entries.context_key(file.ranked.path)
        if file.ranked.path in own or key in request.known.items or is_pinned(key, request.overrides):
            shown.append(file)
        elif partners < max_partners and changes_with_work(file.ranked):
            partners += 1
            shown.append(file)
        else:
            omitted += 1
    if omitted:
        reason = f"{count_noun(omitted, 'more file')} of the task, which this prompt does not point at"
        inputs.omissions.append(Trimmed(item="context", reason=reason))
    return shown


PLAN_RULES = (
    "- Plan only: change no file and run nothing that changes one.",
    "- Name the files each step touches, and how each step will be checked.",
    "- Say what is left open, and what was considered and rejected.",
)

PLAN_SHARE = 0.25
"""Maximum share of a call's bytes for a plan; its remaining lines are only counted."""

PLAN_LINE_CHARACTERS = 400


def planning_item(task: Task, sub_chat: SubChat, sendable_bytes: int) -> PackItem:
    """Return the contract of a planning run: the objective, the plan and its steps if there are any, the rules.

    It is sent on each call, whatever the session has.
    """
    lines = [f"Objective: {one_line(task.objective, 300)}"]
    if sub_chat.plan:
        lines += ["Plan as last proposed:", *_plan_lines(sub_chat.plan, sendable_bytes)]
    if sub_chat.todos:
        lines += ["Plan so far:", *step_lines(sub_chat.todos)]
    text = "\n".join([*lines, "Rules:", *PLAN_RULES])
    entry = entries.TextEntry(short_id([text, sub_chat.plan]))
    return PackItem(
        entries.PLANNING_RULES, "plan", Priority.PLAN, text, entry, "this is a planning run", always_sent=True
    )


def plan_item(plan: str, kind: BlockKind, sendable_bytes: int) -> PackItem:
    """Return the plan that an earlier run proposed for the task, for a session that does not have it."""
    text = "\n".join(["Plan of this task, as proposed in an earlier run:", *_plan_lines(plan, sendable_bytes)])
    entry = entries.TextEntry(short_id(plan))
    return PackItem(entries.PLAN, kind, Priority.PLAN, text, entry, "the plan this task follows")


def _plan_lines(plan: str, sendable_bytes: int) -> list[str]:
    """A plan's lines, indented, up to the byte limit."""
    lines = [f"  {line[:PLAN_LINE_CHARACTERS]}" for line in clean(plan).split("\n")]
    shown = fitting_lines(lines, int(sendable_bytes * PLAN_SHARE))
    left = len(lines) - len(shown)
    return [*shown, f"  … {count_noun(left, 'more line')}"] if left else shown
