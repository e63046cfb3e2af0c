"""What of the layers fits a bracket's token budget: the lowest layer gives way first. Pure.

The weight of lines adds up to no less than that of the whole block, so a block whose lines fit is within its budget.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.context.block.xml_writer import Element, rendered, text_line
from sidecar.context.brackets import PartLayer
from sidecar.core.tokens import weigh

ROOT = "chati-context"


class Part(NamedTuple):
    """One element of a layer; its lines or children may be cut from the end, but not below `least` of them."""

    layer: PartLayer
    element: Element
    least: int = 1
    where: str = ""
    """Where the whole stands; empty where nowhere else."""


class Trimmed(NamedTuple):
    """Something that is not, or not wholly, in the block, and why."""

    layer: PartLayer
    part: str
    reason: str


class Fitted(NamedTuple):
    """The parts that fit, in their order, and what was trimmed."""

    parts: tuple[Element, ...]
    trimmed: tuple[Trimmed, ...]


def weight_of(element: Element) -> float:
    """Gives what an element weighs inside the block, in tokens."""
    return sum(map(line_weight, rendered(element, 1)))


@lru_cache(maxsize=8_192)
def line_weight(line: str) -> float:
    """Gives what a line weighs; the same lines stand in block after block."""
    return weigh(line)


def frame_weight(attributes: tuple[tuple[str, str], ...]) -> float:
    """Gives what the block's own tags weigh."""
    empty = Element("", lines=("", ""))  # opens and closes on lines of their own
    return weight_of(empty._replace(name=ROOT, attributes=attributes))


def fit(parts: Sequence[Part], weight: float) -> Fitted:
    """Keeps the parts from the highest layer down as far as the weight goes; a part may be cut at its end.

    Once a layer was trimmed, nothing of a lower one is told: the lowest gives way first.
    """
    kept: list[Element] = []
    trimmed: list[Trimmed] = []
    left = weight
    for part in parts:
        gave_way = next((one.layer for one in trimmed if one.layer != part.layer), None)
        element = _cut(part, left) if gave_way is None else None
        if element is not None:
            left -= weight_of(element)
            kept.append(element)
        if element != part.element:
            trimmed.append(_said(part, element))
    return Fitted(tuple(kept), tuple(trimmed))


def _cut(part: Part, left: float) -> Element | None:
    """The part with as many of its lines and children as fit; None where the least does not."""
    element = part.element
    if weight_of(element) <= left:
        return element
    left -= weight_of(element._replace(lines=("", ""), children=()))
    length = 0
    for cost in (*(line_weight(text_line(line, 1)) for line in element.lines), *map(_child_weight, element.children)):
        left -= cost
        if left < 0:
            break
        length += 1
    if length < part.least or (left < 0 and not length):
        return None
    return element._replace(lines=element.lines[:length], children=element.children[:length])


def _child_weight(child: Element) -> float:
    return sum(map(line_weight, rendered(child, 2)))


def _length(element: Element) -> int:
    return len(element.lines) or len(element.children)


def _said(part: Part, kept: Element | None) -> Trimmed:
    what = "lines" if part.element.lines else "parts"
    whole = f"; the whole stands in {part.where}" if part.where else ""
    if kept is None:
        return Trimmed(part.layer, part.element.name, f"there is no room for it in this bracket's budget{whole}")
    reason = f"{_length(kept)} of {_length(part.element)} {what} fit{whole}"
    return Trimmed(part.layer, part.element.name, reason)
