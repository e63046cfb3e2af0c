"""Decisions that only the user takes: `memory/confirm`, `memory/undo`, `memory/proposals`, `memory/resolveProposal`.

They are taken on the command line or in the settings page; a call with an agent's token is refused. A rule is proposed
only with a confidence above 0.9 and at least five observations, and takes effect only if the user accepts it. No
file outside `.chati/` is written.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import apsw

from sidecar.call import Call
from sidecar.core.clean_text import one_line
from sidecar.core.clock import rfc3339, rfc3339_seconds
from sidecar.core.errors import (
    Busy,
    Conflict,
    InvalidParams,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    WorkspaceUnavailable,
)
from sidecar.core.yaml_text import Value
from sidecar.memory import memory_tiers
from sidecar.memory.access_control import MemoryContext, memory_context, memory_not_found
from sidecar.memory.capture.store_notes import CONTRADICTION_FACTOR
from sidecar.memory.entry import Memory
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import SHARED, project_path
from sidecar.memory.knowledge_pointer_files import POINTERS
from sidecar.memory.model import (
    ConfirmedInstruction,
    MemoryConfirmParams,
    MemoryDetail,
    MemoryParams,
    MemoryProposal,
    MemoryProposalsResult,
    MemoryResolveProposalParams,
    MemoryResolveProposalResult,
    MemoryUndoParams,
    MemoryUndoResult,
    ReplacedInstruction,
    UnconfirmedInstruction,
    memory_detail,
    memory_summary,
)
from sidecar.memory.standing_instruction_register import (
    ACCEPTED_TAG,
    StandingInstruction,
    accepted_memories,
    active_instructions,
    contradicted_ids,
    instruction_of,
    register,
    registered_ids,
    reinstate,
    replacements,
    rule_of,
    unconfirmed,
    withdraw,
)
from sidecar.memory.store import captures, entry_queries, index_tables, local_state
from sidecar.memory.store.index_tables import IndexedMemory
from sidecar.memory.writer import Writer, writer_of
from sidecar.method import Lane, method

MAX_TITLE = 160

ACCEPTED_AT, DROPPED_AT = "accepted_at", "dropped_at"
"""Front-matter keys: when the user accepted the rule, and dropped it again."""

MIN_CONFIDENCE, MIN_EVIDENCE = 0.9, 5
"""A memory must exceed the first and reach the second to be proposed as a rule."""

PROPOSABLE_TYPES = ("user_correction", "preference", "validated_pattern", "lesson", "gotcha")


def confirm(call: Call, params: MemoryConfirmParams) -> ConfirmedInstruction:
    """Make a shared memory a standing instruction, as its text is now: new sessions of the project receive it.

    It becomes durable, and replaces the instructions and accepted rules that it contradicts. One that the user took
    back is restored first. Editing its file afterwards requires another confirmation. Agents cannot confirm.
    """
    _require_user(params.token, "confirm or undo what is remembered")
    ctx = memory_context(call, params)
    writer = writer_of(call, ctx)
    memory = writer.find(params.id).memory
    _require_confirmable(memory, params.version)
    if memory.is_archived:
        with call.database.read() as tx:
            if not captures.was_withdrawn(tx, writer.project, memory.id):
                raise Conflict("The memory is archived.", hint="`memory/restore` moves it back.")
        memory = writer.restore(memory.id)
    if memory.retention != "durable":
        memory = writer.make_durable(memory.id)
    memory = _link_replaced(call, writer, memory)
    with call.database.write() as tx:
        indexed = [
            entry for entry in index_tables.entries_at_path(tx, writer.project, memory.path) if entry.memory == memory
        ]
        if not indexed:
            raise Conflict("The memory file has changed meanwhile.", hint="Try again.")
        replaced_ids = contradicted_ids(tx, writer.project, memory.text or memory.title, memory.id)
        register(tx, writer.project, memory.id, indexed[0].digest, "confirmed", call.now_ms(), replaced_ids)
    return confirmed_instruction(instruction_of(memory, call.now_ms(), "confirmed"))


def _link_replaced(call: Call, writer: Writer, memory: Memory) -> Memory:
    """Link a statement to those that it replaces, which lose confidence, as capture does.

    A statement that one of them had replaced loses that link, and has its confidence back.
    """
    with call.database.read() as tx:
        replaced_ids = contradicted_ids(tx, writer.project, memory.text or memory.title, memory.id)
    own: dict[str, Value] = {"supersedes": list(dict.fromkeys((*memory.supersedes, *replaced_ids)))}
    with writer.index.locked():
        for old_id in replaced_ids:
            with suppress(NotFound, Conflict):  # its file is being edited
                old = writer.find(old_id).memory
                confidence = round(old.confidence * CONTRADICTION_FACTOR, 4)
                last_ms = max(old.at_ms, old.last_accessed_ms or 0)
                inputs = memory_tiers.ScoreInputs(old.sector, confidence, old.evidence, old.access_count, last_ms)
                tier = memory_tiers.tier(inputs, call.now_ms())
                facts: dict[str, Value] = {"confidence": confidence, "tier": tier}
                if memory.id in old.supersedes:
                    facts["supersedes"] = [linked_id for linked_id in old.supersedes if linked_id != memory.id]
                    own["confidence"] = round(min(1.0, memory.confidence / CONTRADICTION_FACTOR), 4)
                writer.amend([(old, facts)])
    return writer.update(memory.id, None, Edit(own)) if replaced_ids else memory


def undo(call: Call, params: MemoryUndoParams) -> MemoryUndoResult:
    """Take back what was remembered: the memory `id`, or with `allStandingInstructions` every standing instruction.

    It is no longer a standing instruction, its memory is deleted, and the same content is not captured again. A
    statement that it had replaced holds again, and has its confidence back. Agents cannot undo.
    """
    _require_user(params.token, "confirm or undo what is remembered")
    if (params.id is None) == (not params.all_standing_instructions):
        raise InvalidParams("Send either `id` or `allStandingInstructions`.")
    ctx = memory_context(call, params)
    writer = writer_of(call, ctx)
    if params.id is not None:
        memory_ids = [writer.find(params.id).memory.id]
    else:
        ctx.index.refresh()
        memory_ids = _existing(call, ctx)
    undone = [writer.find(memory_id).memory for memory_id in memory_ids]
    with call.database.write() as tx:
        for memory_id in memory_ids if params.id is not None else registered_ids(tx, writer.project):
            withdraw(tx, writer.project, memory_id)
    for memory_id in memory_ids:
        writer.delete(memory_id, None)
    _return_confidence(writer, undone)
    return MemoryUndoResult(removed=memory_ids)


def _return_confidence(writer: Writer, undone: Iterable[Memory]) -> None:
    """Give memories the confidence back that undone ones took from them; an agent's had taken none from the user's."""
    changed: dict[str, Memory] = {}
    for memory in undone:
        for old_id in (*memory.supersedes, *memory.contradicts):
            with suppress(NotFound, Conflict):
                old = changed.get(old_id) or writer.find(old_id).memory
                if memory.author == "user" or old.author != "user":
                    confidence = round(min(1.0, old.confidence / CONTRADICTION_FACTOR), 4)
                    changed[old_id] = old._replace(confidence=confidence)
    if changed:
        with writer.index.locked():
            writer.amend(
                [(writer.find(old_id).memory, {"confidence": old.confidence}) for old_id, old in changed.items()]
            )


def _existing(call: Call, ctx: MemoryContext) -> list[str]:
    """The registered ids that still are shared memories."""
    project = ctx.workspace.project_key
    with call.database.read() as tx:
        return [
            memory_id
            for memory_id in registered_ids(tx, project)
            if index_tables.entries_with_id(tx, project, memory_id, (SHARED,))
        ]


def _require_user(token: str | None, action: str) -> None:
    if token is not None:
        raise PolicyDenied(f"Only the user can {action}.", hint="Call without a token, on behalf of the user.")


def _require_confirmable(memory: Memory, version: str | None) -> None:
    if memory.owner != SHARED:
        raise PolicyDenied("A private memory cannot be a standing instruction.", hint="Add it as a shared memory.")
    if memory.path.startswith(f"{POINTERS}/"):
        raise PolicyDenied("A pointer to a knowledge repository cannot be a standing instruction.")
    if version is not None and memory.version != version:
        raise Conflict("The memory has changed since it was read.", hint="`memory/get` returns its current version.")


class InstructionLists(NamedTuple):
    """The standing instructions of a project by their state."""

    active: list[ConfirmedInstruction]
    unconfirmed: list[UnconfirmedInstruction]
    """The memories that only claim to be some."""
    replaced: list[ReplacedInstruction]


def instruction_lists(tx: apsw.Connection, project: str) -> InstructionLists:
    """Return the active standing instructions, those that only claim to be some, and the replaced ones."""
    return InstructionLists(
        [confirmed_instruction(instruction) for instruction in active_instructions(tx, project)],
        list(_unconfirmed_entries(unconfirmed(tx, project))),
        [
            ReplacedInstruction(id=memory_id, text=replacement.text, replaced_by=replacement.replaced_by)
            for memory_id, replacement in replacements(tx, project).items()
            if replacement.text
        ],
    )


def confirmed_instruction(instruction: StandingInstruction) -> ConfirmedInstruction:
    """Return an instruction as a wire message."""
    return ConfirmedInstruction(
        id=instruction.id,
        text=instruction.text,
        at=rfc3339(instruction.at_ms),
        evidence=instruction.evidence,
        origin=instruction.origin,
    )


def _unconfirmed_entries(memories: Iterable[Memory]) -> Iterable[UnconfirmedInstruction]:
    for memory in memories:
        yield UnconfirmedInstruction(
            id=memory.id, title=one_line(memory.title, MAX_TITLE), path=project_path(memory.path)
        )


def list_proposals(call: Call, params: MemoryParams) -> MemoryProposalsResult:
    """Propose rules from memories within reach with a confidence above 0.9 and at least five observations.

    An accepted rule that a later statement of the user contradicts is proposed to be dropped.
    """
    ctx = memory_context(call, params)
    ctx.index.refresh()
    new_rules = [(entry, None) for entry in _open_proposals(call, ctx)]
    return MemoryProposalsResult(
        proposals=[
            MemoryProposal(
                memory=memory_summary(entry), rule=f"- {rule_of(entry.memory)}", contradicted_by=contradicted_by
            )
            for entry, contradicted_by in (*_suspended_rules(call, ctx), *new_rules)
        ]
    )


def resolve_proposal(call: Call, params: MemoryResolveProposalParams) -> MemoryResolveProposalResult:
    """Store the user's decision on a proposal; an accepted one is tagged as validated and made durable.

    Agents cannot decide: a call with a token is refused. The acceptance and its time are recorded in the memory's file.
    An accepted shared rule appears in anchors; its text is returned and written to no rule file. Accepting to drop a
    suspended rule removes its tag; rejecting that makes it a rule again.
    """
    _require_user(params.token, "decide on a proposal")
    ctx = memory_context(call, params)
    ctx.index.refresh()
    suspended = next((entry for entry, _ in _suspended_rules(call, ctx) if entry.memory.id == params.id), None)
    proposal = next((entry for entry in _open_proposals(call, ctx) if entry.memory.id == params.id), suspended)
    if proposal is None:
        raise NotFound("No proposal has that id.", hint="`memory/proposals` lists the proposals within reach.")
    is_rule = (params.decision == "accept") == (suspended is None)
    decision = "accept" if is_rule else "reject"
    # The file first: if it cannot be changed, the proposal is still open.
    if is_rule and suspended is None:
        _validate(call, ctx, proposal)
    elif suspended is not None and not is_rule:
        _drop(call, ctx, proposal)
    with call.database.write() as tx:
        local_state.put_decision(tx, ctx.workspace.project_key, proposal.digest, decision, call.now_ms())
        if suspended is not None and is_rule:
            reinstate(tx, ctx.workspace.project_key, params.id)

    def detail(tx: apsw.Connection) -> MemoryDetail | None:
        matches = index_tables.entries_with_id(tx, ctx.workspace.project_key, params.id, ctx.reach.owners)
        if not matches:
            return None
        linked_ids = index_tables.linked_ids(tx, ctx.workspace.project_key, matches[0].memory, ctx.reach.owners)
        return memory_detail(matches[0], "", linked_ids)

    memory = ctx.index.find(detail)
    if memory is None:
        raise memory_not_found()
    rule = f"- {rule_of(proposal.memory)}" if is_rule else None
    return MemoryResolveProposalResult(memory=memory, rule=rule)


def _open_proposals(call: Call, ctx: MemoryContext) -> list[IndexedMemory]:
    with call.database.read() as tx:
        return entry_queries.open_proposals(
            tx, ctx.workspace.project_key, ctx.reach.owners, PROPOSABLE_TYPES, MIN_CONFIDENCE, MIN_EVIDENCE
        )


def _suspended_rules(call: Call, ctx: MemoryContext) -> list[tuple[IndexedMemory, str]]:
    """The accepted rules that a later statement contradicts, each with that statement's id."""
    project = ctx.workspace.project_key
    with call.database.read() as tx:
        replaced = replacements(tx, project)
        accepted = accepted_memories(tx, project)
    return [(entry, replaced[entry.memory.id].replaced_by) for entry in accepted if entry.memory.id in replaced]


def _drop(call: Call, ctx: MemoryContext, proposal: IndexedMemory) -> None:
    tags = [tag for tag in proposal.memory.tags if tag != ACCEPTED_TAG]
    facts: dict[str, Value] = {"tags": tags, DROPPED_AT: rfc3339_seconds(call.now_ms())}
    writer_of(call, ctx).update(proposal.memory.id, None, Edit(facts))


def _validate(call: Call, ctx: MemoryContext, proposal: IndexedMemory) -> None:
    writer = writer_of(call, ctx)
    tags = dict.fromkeys((*proposal.memory.tags, ACCEPTED_TAG))
    facts: dict[str, Value] = {"tags": list(tags), ACCEPTED_AT: rfc3339_seconds(call.now_ms())}
    writer.update(proposal.memory.id, None, Edit(facts))
    if proposal.memory.retention != "durable":
        writer.make_durable(proposal.memory.id)


_READING: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded)
_DECIDING: tuple[type[SidecarError], ...] = (*_READING, Busy, NotFound, Conflict)

METHODS = (
    method("memory/proposals", list_proposals, lane=Lane.SHARED, errors=_READING),
    method("memory/resolveProposal", resolve_proposal, lane=Lane.WORKSPACE, errors=_DECIDING),
    method("memory/confirm", confirm, lane=Lane.WORKSPACE, errors=_DECIDING),
    method("memory/undo", undo, lane=Lane.WORKSPACE, errors=(*_DECIDING, InvalidParams)),
)
