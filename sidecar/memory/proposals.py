"""Memories as rules: what is proposed to the user, and what holds by the user's word."""

from sidecar.call import Call, Process
from sidecar.core.errors import (
    Busy,
    Conflict,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    WorkspaceUnavailable,
)
from sidecar.core.text.sanitize import one_line
from sidecar.memory.access import unknown
from sidecar.memory.context import Asked, asked
from sidecar.memory.entry import Memory
from sidecar.memory.files.document import Edit
from sidecar.memory.files.layout import SHARED
from sidecar.memory.model import (
    MemoryParams,
    MemoryProposal,
    MemoryProposalsResult,
    MemoryResolveProposalParams,
    MemoryResolveProposalResult,
)
from sidecar.memory.phrasing import accepted_rule
from sidecar.memory.serialize import detail, summary
from sidecar.memory.store import entries, local_state
from sidecar.memory.store.entries import Indexed
from sidecar.method import Lane, method
from sidecar.workspace import Workspace

VALIDATED = "validated"
"""The tag of a memory that the user accepted as a rule; one who takes it off takes the rule back."""

MAX_RULE = 300
MAX_ACCEPTED = 40


def rule_of(memory: Memory) -> str:
    """Gives a memory as a rule: what was said, in one line."""
    said = one_line(memory.text or memory.title, MAX_RULE + 1)
    return said if len(said) <= MAX_RULE else memory.title


def accepted_rules(process: Process, workspace: Workspace) -> tuple[str, ...]:
    """Gives the shared rules that the user accepted, word for word as they were accepted, the oldest first.

    A wording that was changed since waits for the user's word again, and a tag alone makes no rule.
    """
    with process.database.read() as tx:
        found = local_state.accepted(tx, workspace.project_key, SHARED, VALIDATED, MAX_ACCEPTED)
    return tuple(accepted_rule(rule_of(one), one.id) for one in found)


# `memory/proposals` and `memory/resolveProposal`: rules that memories suggest, and the user's word on them.
#
# A rule is proposed with more than 0.9 of confidence and five times of evidence only, and takes effect by the user's
# word only (Article XIII.5); no file outside `.chati/` is written, whatever that word is.


MORE_THAN, LEAST_EVIDENCE = 0.9, 5
"""intelligence-layer.md, Article XIII.5."""

PROPOSED_TYPES = ("user_correction", "validated_pattern", "lesson", "gotcha")


def proposals(call: Call, params: MemoryParams) -> MemoryProposalsResult:
    """Proposes rules learned from patterns, those within reach only: more than 0.9 sure and met five times or more."""
    found = asked(call, params)
    found.index.check()
    return MemoryProposalsResult(
        proposals=[MemoryProposal(memory=summary(one), rule=f"- {rule_of(one.memory)}") for one in _proven(call, found)]
    )


def resolve(call: Call, params: MemoryResolveProposalParams) -> MemoryResolveProposalResult:
    """Keeps the user's word on a proposal; one that is accepted is marked as validated and kept for good.

    An agent has no say in it: a call with a token is refused. Anchors tell a shared one
    from then on; the rule's text is answered, and written nowhere.
    """
    if params.token is not None:
        raise PolicyDenied("Only the user decides on a proposal.", hint="Ask without a token, in the user's name.")
    found = asked(call, params)
    found.index.check()
    chosen = next((one for one in _proven(call, found) if one.memory.id == params.id), None)
    if chosen is None:
        raise NotFound("There is no proposal of that id.", hint="`memory/proposals` shows those within reach.")
    with call.database.write() as tx:
        local_state.resolve(tx, found.workspace.project_key, chosen.digest, params.word, call.now_ms())
    if params.word == "accept":
        _validate(call, found, chosen)
    with call.database.read() as tx:
        known = entries.with_id(tx, found.workspace.project_key, params.id, found.reach.owners)
        if not known:
            raise unknown()
        linked = entries.linked(tx, found.workspace.project_key, known[0].memory, found.reach.owners)
    rule = f"- {rule_of(chosen.memory)}" if params.word == "accept" else None
    return MemoryResolveProposalResult(memory=detail(known[0], "", linked), rule=rule)


def _proven(call: Call, found: Asked) -> list[Indexed]:
    with call.database.read() as tx:
        return local_state.proven(
            tx, found.workspace.project_key, found.reach.owners, PROPOSED_TYPES, MORE_THAN, LEAST_EVIDENCE
        )


def _validate(call: Call, found: Asked, one: Indexed) -> None:
    writer = found.writer(call)
    if VALIDATED not in one.memory.tags:
        writer.update(one.memory.id, None, Edit({"tags": [*one.memory.tags, VALIDATED]}))
    if one.memory.keeping != "durable":
        writer.keep_for_good(one.memory.id)


_READING: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded)

METHODS = (
    method("memory/proposals", proposals, lane=Lane.SHARED, errors=_READING),
    method("memory/resolveProposal", resolve, lane=Lane.WORKSPACE, errors=(*_READING, Busy, NotFound, Conflict)),
)
