"""The block's elements as the data that its schema describes. Pure."""

import os
from collections.abc import Sequence
from typing import cast

from sidecar.call import Call
from sidecar.context.block.layers import Wanted, compose
from sidecar.context.block.memory_layer import CONTINUATION, Remembered, asks_for_memories
from sidecar.context.block.xml_writer import Element
from sidecar.context.brackets import BRACKETS, Bracket, LayerName, MemoryLevel
from sidecar.context.model import BlockAgent, BlockHandoff, BlockMemory, ContextBlock, ContextComposeResult, TrimmedPart
from sidecar.context.project.project_files import Sources
from sidecar.core.tokens import estimate_tokens
from sidecar.memory import preload, recalled
from sidecar.workspace import Workspace

LAYER_OF: dict[str, LayerName] = {
    "constitution": "L0", "mode": "L1", "agent": "L2", "pipeline": "L3", "task": "L4", "handoff": "L4",
}  # fmt: skip


def data_of(bracket: Bracket, elements: Sequence[Element]) -> ContextBlock:
    """Gives what a block's elements say; what is not in it is null."""
    by_name = {element.name: element for element in elements}
    mode = by_name["mode"]
    return ContextBlock(
        bracket=bracket,
        constitution=_text(by_name["constitution"]) or "",
        mode=_text(mode) or "",
        governance=dict(mode.attributes),
        agent=_agent(by_name.get("agent")),
        pipeline=_text(by_name.get("pipeline")),
        task=_text(by_name.get("task")),
        handoff=_handoff(by_name.get("handoff")),
        memory=_memory(by_name.get("memory")),
    )


def layers_of(elements: Sequence[Element]) -> list[LayerName]:
    """Gives the layers that elements belong to, the highest first."""
    return sorted({LAYER_OF[element.name] for element in elements if element.name in LAYER_OF})


def _text(element: Element | None) -> str | None:
    return "\n".join(element.lines) if element is not None else None


def _agent(element: Element | None) -> BlockAgent | None:
    if element is None:
        return None
    attributes = dict(element.attributes)
    said = {child.name: _text(child) for child in element.children}
    return BlockAgent(
        name=attributes["name"],
        mission=attributes["mission"],
        inputs=said.get("inputs"),
        outputs=said.get("outputs"),
        criteria=said.get("criteria"),
    )


def _handoff(element: Element | None) -> BlockHandoff | None:
    if element is None:
        return None
    attributes = dict(element.attributes)
    return BlockHandoff(sender=attributes["from"], score=attributes.get("score"), summary=_text(element) or "")


def _memory(element: Element | None) -> BlockMemory | None:
    if element is None:
        return None
    attributes = dict(element.attributes)
    return BlockMemory(
        bracket=cast("Bracket", attributes["bracket"]),
        level=cast("MemoryLevel", attributes["level"]),
        text=_text(element) or "",
    )


# The block as it is answered, and the memories it tells of.


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
