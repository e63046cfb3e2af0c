"""The block as it is answered, and the memories it tells of."""

import os
from collections.abc import Sequence

from sidecar.call import Call
from sidecar.context.brackets import BRACKETS, Bracket
from sidecar.context.data import data_of, layers_of
from sidecar.context.layers import Wanted, compose
from sidecar.context.model import ContextComposeResult, TrimmedPart
from sidecar.context.remembered import CONTINUATION, Remembered, asks_for_memories
from sidecar.context.sources import Sources
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
    call: Call, workspace: Workspace, token: str | None, bracket: Bracket, *, is_first: bool, kept: Sequence[str] = ()
) -> Remembered:
    """Gives the HOT memories within reach, where the bracket tells of any, after those just kept."""
    has_continuation = os.path.isfile(os.path.join(workspace.project, CONTINUATION))
    if not asks_for_memories(bracket, is_first=is_first):
        return Remembered(has_continuation=has_continuation)
    loaded = preload(call, workspace, token)
    just = recalled(call, workspace, token, kept) if kept and not loaded.warning else ()
    hot = tuple(memory for memory in loaded.memories if memory.id not in kept)
    return Remembered(just + hot, loaded.total, is_first, has_continuation, loaded.warning)
