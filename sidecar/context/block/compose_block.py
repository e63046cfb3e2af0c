"""The composed block as a result, and the memories it contains."""

import os
from collections.abc import Sequence
from typing import cast

from sidecar.call import Call
from sidecar.context.block.layers import BlockRequest, compose
from sidecar.context.block.memory_layer import CONTINUATION, BlockMemories, includes_memories
from sidecar.context.block.xml_writer import Element
from sidecar.context.brackets import BRACKETS, Bracket, LayerName, MemoryLevel
from sidecar.context.model import BlockAgent, BlockHandoff, BlockMemory, ContextBlock, ContextComposeResult, TrimmedPart
from sidecar.context.project.project_files import ProjectSources
from sidecar.core.tokens import estimate_tokens
from sidecar.memory import memories_by_id, preload
from sidecar.workspace import Workspace

LAYER_BY_ELEMENT: dict[str, LayerName] = {
    "constitution": "L0", "mode": "L1", "agent": "L2", "pipeline": "L3", "task": "L4", "handoff": "L4",
}  # fmt: skip


def block_data(bracket: Bracket, elements: Sequence[Element]) -> ContextBlock:
    """Return a block's elements as data; null for what it does not contain."""
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


def block_layers(elements: Sequence[Element]) -> list[LayerName]:
    """Return the layers of the elements, the highest first."""
    return sorted({LAYER_BY_ELEMENT[element.name] for element in elements if element.name in LAYER_BY_ELEMENT})


def _text(element: Element | None) -> str | None:
    return "\n".join(element.lines) if element is not None else None


def _agent(element: Element | None) -> BlockAgent | None:
    if element is None:
        return None
    attributes = dict(element.attributes)
    texts = {child.name: _text(child) for child in element.children}
    return BlockAgent(
        name=attributes["name"],
        mission=attributes["mission"],
        inputs=texts.get("inputs"),
        outputs=texts.get("outputs"),
        criteria=texts.get("criteria"),
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


def compose_result(sources: ProjectSources, request: BlockRequest) -> ContextComposeResult:
    """Compose the block and its description."""
    block = compose(sources, request)
    return ContextComposeResult(
        block=block.text,
        data=block_data(request.bracket, block.elements),
        bracket=request.bracket,
        layers=block_layers(block.elements),
        tokens=estimate_tokens(block.text),
        budget_tokens=BRACKETS[request.bracket].tokens,
        trimmed=[TrimmedPart(layer=part.layer, part=part.part, reason=part.reason) for part in block.trimmed],
        warnings=list(block.warnings),
    )


def load_memories(
    call: Call,
    workspace: Workspace,
    token: str | None,
    bracket: Bracket,
    *,
    task: str,
    is_first: bool,
    captured_ids: Sequence[str] = (),
) -> BlockMemories:
    """Return the reachable memories if the bracket includes any: those just captured, HOT ones, those of the task."""
    has_continuation = os.path.isfile(os.path.join(workspace.project, CONTINUATION))
    if not includes_memories(bracket, is_first=is_first):
        return BlockMemories(has_continuation=has_continuation)
    loaded = preload(call, workspace, token, task=task)
    captured = memories_by_id(call, workspace, token, captured_ids) if captured_ids and not loaded.warning else ()
    hot = tuple(memory for memory in loaded.memories if memory.id not in captured_ids)
    known_ids = {memory.id for memory in captured + hot}
    relevant = tuple(candidate for candidate in loaded.relevant if candidate.memory.id not in known_ids)
    return BlockMemories(captured + hot, loaded.total, is_first, has_continuation, loaded.warning, relevant)


def task_text(requested: str | None, sources: ProjectSources) -> str:
    """Return the requested task, otherwise the session file's."""
    return requested if requested is not None else sources.pipeline.task if sources.pipeline is not None else ""
