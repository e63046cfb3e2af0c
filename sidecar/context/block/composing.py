"""The block as it is answered, and the memories it tells of."""

import os
from collections.abc import Sequence

from sidecar.call import Call
from sidecar.context.block.data import data_of, layers_of
from sidecar.context.block.layers import Wanted, compose
from sidecar.context.block.remembered import CONTINUATION, Remembered, asks_for_memories
from sidecar.context.brackets import BRACKETS, Bracket
from sidecar.context.model import ContextComposeResult, TrimmedPart
from sidecar.context.project.sources import Sources
from sidecar.core.tokens import estimate_tokens
from sidecar.memory import preload, recalled
from sidecar.workspace import Workspace


def composed(sources: Sources, wanted: Wanted) -> ContextComposeResult:
    """Gives the block with all that is said of it."""
    made = compose(sources, wanted)
    return ContextComposeResult(
        block=made.text,
        data=data_of(wanted.bracket, made.elements),
        bracket=wanted.bracket,
        layers=layers_of(made.elements),
        tokens=estimate_tokens(made.text),
        budget_tokens=BRACKETS[wanted.bracket].tokens,
        trimmed=[TrimmedPart(layer=one.layer, part=one.part, reason=one.reason) for one in made.trimmed],
        warnings=list(made.warnings),
    )


def remembered_in(
    call: Call,
    workspace: Workspace,
    token: str | None,
    bracket: Bracket,
    *,
    task: str,
    is_first: bool,
    kept: Sequence[str] = (),
) -> Remembered:
    """Gives the memories within reach, where the bracket tells of any: those just kept, HOT ones, the task's."""
    has_continuation = os.path.isfile(os.path.join(workspace.project, CONTINUATION))
    if not asks_for_memories(bracket, is_first=is_first):
        return Remembered(has_continuation=has_continuation)
    loaded = preload(call, workspace, token, task=task)
    just = recalled(call, workspace, token, kept) if kept and not loaded.warning else ()
    hot = tuple(memory for memory in loaded.memories if memory.id not in kept)
    told = {memory.id for memory in just + hot}
    relevant = tuple(one for one in loaded.relevant if one.memory.id not in told)
    return Remembered(just + hot, loaded.total, is_first, has_continuation, loaded.warning, relevant)


def task_of(told: str | None, sources: Sources) -> str:
    """Gives the task: as told, else as the session file has it."""
    return told if told is not None else sources.pipeline.task if sources.pipeline is not None else ""
