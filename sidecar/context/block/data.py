"""The block's elements as the data that its schema describes. Pure."""

from collections.abc import Sequence
from typing import cast

from sidecar.context.block.xml_text import Element
from sidecar.context.brackets import Bracket, LayerName, MemoryLevel
from sidecar.context.model import BlockAgent, BlockHandoff, BlockMemory, ContextBlock

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
