"""Rules proposed from memories, and the user's decisions: `memory/proposals`, `memory/resolveProposal`.

A rule is proposed only with a confidence above 0.9 and at least five observations, and takes effect only if the user
accepts it (Article XIII.5). No file outside `.chati/` is written.
"""

from sidecar.call import Call
from sidecar.core.errors import (
    Busy,
    Conflict,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    WorkspaceUnavailable,
)
from sidecar.core.yaml_edit import Value
from sidecar.memory.access_control import memory_not_found
from sidecar.memory.call_scope import MemoryContext, memory_context
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import SHARED
from sidecar.memory.model import (
    MemoryParams,
    MemoryProposal,
    MemoryProposalsResult,
    MemoryResolveProposalParams,
    MemoryResolveProposalResult,
)
from sidecar.memory.serialize import memory_detail, memory_summary
from sidecar.memory.standing_instructions import ACCEPTED_TAG, MAX_ACCEPTED_RULES, reinstate, replacements, rule_of
from sidecar.memory.store import entries, local_state
from sidecar.memory.store.entries import IndexedMemory
from sidecar.memory.writer import front_matter_time
from sidecar.method import Lane, method

ACCEPTED_AT, DROPPED_AT = "accepted_at", "dropped_at"
"""Front-matter keys: when the user accepted the rule, and dropped it again."""

MIN_CONFIDENCE, MIN_EVIDENCE = 0.9, 5
"""intelligence-layer.md, Article XIII.5."""

PROPOSABLE_TYPES = ("user_correction", "preference", "validated_pattern", "lesson", "gotcha")


def proposals(call: Call, params: MemoryParams) -> MemoryProposalsResult:
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


def resolve(call: Call, params: MemoryResolveProposalParams) -> MemoryResolveProposalResult:
    """Store the user's decision on a proposal; an accepted one is tagged as validated and made durable.

    Agents cannot decide: a call with a token is refused. The acceptance and its time are recorded in the memory's file.
    An accepted shared rule appears in anchors; its text is returned and written to no rule file. Accepting to drop a
    suspended rule removes its tag; rejecting that makes it a rule again.
    """
    if params.token is not None:
        raise PolicyDenied(
            "Only the user can decide on a proposal.", hint="Call without a token, on behalf of the user."
        )
    ctx = memory_context(call, params)
    ctx.index.refresh()
    suspended = next((entry for entry, _ in _suspended_rules(call, ctx) if entry.memory.id == params.id), None)
    proposal = next((entry for entry in _open_proposals(call, ctx) if entry.memory.id == params.id), suspended)
    if proposal is None:
        raise NotFound("No proposal has that id.", hint="`memory/proposals` returns those within reach.")
    is_rule = (params.decision == "accept") == (suspended is None)
    decision = "accept" if is_rule else "reject"
    with call.database.write() as tx:
        local_state.put_decision(tx, ctx.workspace.project_key, proposal.digest, decision, call.now_ms())
        if suspended is not None and is_rule:
            reinstate(tx, ctx.workspace.project_key, params.id)
    if is_rule and suspended is None:
        _validate(call, ctx, proposal)
    elif suspended is not None and not is_rule:
        _drop(call, ctx, proposal)
    with call.database.read() as tx:
        matches = entries.entries_with_id(tx, ctx.workspace.project_key, params.id, ctx.reach.owners)
        if not matches:
            raise memory_not_found()
        linked_ids = entries.linked_ids(tx, ctx.workspace.project_key, matches[0].memory, ctx.reach.owners)
    rule = f"- {rule_of(proposal.memory)}" if is_rule else None
    return MemoryResolveProposalResult(memory=memory_detail(matches[0], "", linked_ids), rule=rule)


def _open_proposals(call: Call, ctx: MemoryContext) -> list[IndexedMemory]:
    with call.database.read() as tx:
        return local_state.open_proposals(
            tx, ctx.workspace.project_key, ctx.reach.owners, PROPOSABLE_TYPES, MIN_CONFIDENCE, MIN_EVIDENCE
        )


def _suspended_rules(call: Call, ctx: MemoryContext) -> list[tuple[IndexedMemory, str]]:
    """The accepted rules that a later statement contradicts, each with that statement's id."""
    project = ctx.workspace.project_key
    with call.database.read() as tx:
        replaced = replacements(tx, project)
        accepted = local_state.accepted_memories(tx, project, SHARED, ACCEPTED_TAG, MAX_ACCEPTED_RULES)
    return [(entry, replaced[entry.memory.id].replaced_by) for entry in accepted if entry.memory.id in replaced]


def _drop(call: Call, ctx: MemoryContext, proposal: IndexedMemory) -> None:
    tags = [tag for tag in proposal.memory.tags if tag != ACCEPTED_TAG]
    facts: dict[str, Value] = {"tags": tags, DROPPED_AT: front_matter_time(call.now_ms())}
    ctx.writer(call).update(proposal.memory.id, None, Edit(facts))


def _validate(call: Call, ctx: MemoryContext, proposal: IndexedMemory) -> None:
    writer = ctx.writer(call)
    tags = dict.fromkeys((*proposal.memory.tags, ACCEPTED_TAG))
    facts: dict[str, Value] = {"tags": list(tags), ACCEPTED_AT: front_matter_time(call.now_ms())}
    writer.update(proposal.memory.id, None, Edit(facts))
    if proposal.memory.retention != "durable":
        writer.make_durable(proposal.memory.id)


_READING: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded)

METHODS = (
    method("memory/proposals", proposals, lane=Lane.SHARED, errors=_READING),
    method("memory/resolveProposal", resolve, lane=Lane.WORKSPACE, errors=(*_READING, Busy, NotFound, Conflict)),
)
