"""The user's word on standing instructions: `memory/confirm`, `memory/undo`, and what `memory/status` lists.

Only the user confirms and undoes, on the command line or in the settings page; a call with an agent's token is refused.
"""

from collections.abc import Iterable

import apsw

from sidecar.call import Call
from sidecar.core.clock import rfc3339
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
from sidecar.core.text import one_line
from sidecar.memory.call_scope import MemoryContext, memory_context
from sidecar.memory.entry import Memory
from sidecar.memory.files.layout import SHARED
from sidecar.memory.managed_memories import POINTERS
from sidecar.memory.model import (
    ConfirmedInstruction,
    MemoryConfirmParams,
    MemoryUndoParams,
    MemoryUndoResult,
    UnconfirmedInstruction,
)
from sidecar.memory.serialize import project_path
from sidecar.memory.standing_instructions import (
    StandingInstruction,
    active_instructions,
    contradicted_ids,
    instruction_of,
    register,
    registered_ids,
    unconfirmed,
    withdraw,
)
from sidecar.memory.store import entries
from sidecar.method import Lane, method

MAX_TITLE = 160


def confirm(call: Call, params: MemoryConfirmParams) -> ConfirmedInstruction:
    """Make a shared memory a standing instruction, as its text is now: new sessions of the project receive it.

    It becomes durable, and replaces the instructions and accepted rules that it contradicts. Editing its file
    afterwards requires another confirmation. Agents cannot confirm.
    """
    _require_user(params.token)
    ctx = memory_context(call, params)
    writer = ctx.writer(call)
    memory = writer.find(params.id).memory
    _require_confirmable(memory, params.version)
    if memory.retention != "durable":
        memory = writer.make_durable(memory.id)
    with call.database.write() as tx:
        indexed = [
            entry for entry in entries.entries_at_path(tx, writer.project, memory.path) if entry.memory == memory
        ]
        if not indexed:
            raise Conflict("The memory file has changed meanwhile.", hint="Try again.")
        replaced_ids = contradicted_ids(tx, writer.project, memory)
        register(tx, writer.project, memory.id, indexed[0].digest, "confirmed", call.now_ms(), replaced_ids)
    return confirmed_instruction(instruction_of(memory, call.now_ms(), "confirmed"))


def undo(call: Call, params: MemoryUndoParams) -> MemoryUndoResult:
    """Take back what was remembered: a memory, or all standing instructions.

    It is no longer a standing instruction, its memory is deleted, and the same content is not captured again. A
    statement that it had replaced holds again. Agents cannot undo.
    """
    _require_user(params.token)
    if (params.id is None) == (not params.all_standing_instructions):
        raise InvalidParams("Send either `id` or `allStandingInstructions`.")
    ctx = memory_context(call, params)
    writer = ctx.writer(call)
    if params.id is not None:
        memory_ids = [writer.find(params.id).memory.id]
    else:
        ctx.index.refresh()
        memory_ids = _existing(call, ctx)
    with call.database.write() as tx:
        for memory_id in memory_ids if params.id is not None else registered_ids(tx, writer.project):
            withdraw(tx, writer.project, memory_id)
    for memory_id in memory_ids:
        writer.delete(memory_id, None)
    return MemoryUndoResult(removed=memory_ids)


def _existing(call: Call, ctx: MemoryContext) -> list[str]:
    """The registered ids that still are shared memories."""
    project = ctx.workspace.project_key
    with call.database.read() as tx:
        return [
            memory_id
            for memory_id in registered_ids(tx, project)
            if entries.entries_with_id(tx, project, memory_id, (SHARED,))
        ]


def _require_user(token: str | None) -> None:
    if token is not None:
        raise PolicyDenied(
            "Only the user can confirm or undo what is remembered.", hint="Call without a token, on behalf of the user."
        )


def _require_confirmable(memory: Memory, version: str | None) -> None:
    if memory.owner != SHARED:
        raise PolicyDenied("A private memory cannot be a standing instruction.", hint="Add it as a shared memory.")
    if memory.path.startswith(f"{POINTERS}/"):
        raise PolicyDenied("A pointer to a knowledge repository cannot be a standing instruction.")
    if memory.is_archived:
        raise Conflict("The memory is archived.", hint="`memory/restore` moves it back.")
    if version is not None and memory.version != version:
        raise Conflict("The memory has changed since it was read.", hint="`memory/get` returns its current version.")


def instruction_lists(
    tx: apsw.Connection, project: str
) -> tuple[list[ConfirmedInstruction], list[UnconfirmedInstruction]]:
    """Return the active standing instructions, and the memories that only claim to be some."""
    return (
        [confirmed_instruction(instruction) for instruction in active_instructions(tx, project)],
        list(_unconfirmed_entries(unconfirmed(tx, project))),
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


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy, NotFound, Conflict)

METHODS = (
    method("memory/confirm", confirm, lane=Lane.WORKSPACE, errors=_ERRORS),
    method("memory/undo", undo, lane=Lane.WORKSPACE, errors=(*_ERRORS, InvalidParams)),
)
