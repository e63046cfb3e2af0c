"""The block's XML elements, and how many of them fit into a bracket's token budget. Pure.

The XML is well-formed whatever the texts contain, and no text can change its structure. The lowest layer is trimmed
first. The weights of the lines add up to at least the weight of the block, so a block whose lines fit is within its
budget.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.context.brackets import PartLayer
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.token_estimate import token_weight

_FORBIDDEN = lazy_regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 excludes: control characters, lone surrogates, U+FFFE and U+FFFF."""

INDENT = "  "


class Element(NamedTuple):
    """An element with attributes, then lines of text, then child elements."""

    name: str
    attributes: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    children: tuple["Element", ...] = ()


def escape_xml(text: str) -> str:
    """Escape text for use between tags."""
    return _FORBIDDEN.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def render_element(element: Element, depth: int = 0) -> Iterator[str]:
    """Yield an element's lines with their line ends; an element with a single line of text takes one line."""
    pad = INDENT * depth
    start = f"{pad}<{element.name}{''.join(_attribute(*attribute) for attribute in element.attributes)}"
    end = f"</{element.name}>\n"
    if not element.children and not element.lines:
        yield f"{start}/>\n"
    elif not element.children and len(element.lines) == 1:
        yield f"{start}>{escape_xml(element.lines[0])}{end}"
    else:
        yield f"{start}>\n"
        yield from (text_line(line, depth) for line in element.lines)
        for child in element.children:
            yield from render_element(child, depth + 1)
        yield f"{pad}{end}"


def text_line(line: str, depth: int) -> str:
    """Return a line of text as rendered in an element at a depth."""
    return f"{INDENT * (depth + 1)}{escape_xml(line)}\n"


def _attribute(name: str, value: str) -> str:
    quoted = escape_xml(value).replace('"', "&quot;").replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return f' {name}="{quoted}"'


ROOT = "chati-context"


class Part(NamedTuple):
    """One element of a layer. Its lines or children may be cut from the end, but not below `min_length` of them."""

    layer: PartLayer
    element: Element
    min_length: int = 1
    full_text_in: str = ""
    """Location of the full text; empty if nowhere else."""


class CutPart(NamedTuple):
    """A part that is missing from the block or shortened, and why."""

    layer: PartLayer
    part: str
    reason: str


class FittedParts(NamedTuple):
    """The parts that fit, in order, and what was trimmed."""

    parts: tuple[Element, ...]
    trimmed: tuple[CutPart, ...]


def element_weight(element: Element) -> float:
    """Return an element's weight inside the block, in tokens."""
    return sum(map(line_weight, render_element(element, 1)))


@lru_cache(maxsize=8_192)
def line_weight(line: str) -> float:
    """Return a line's weight; cached because the same lines recur in every block."""
    return token_weight(line)


def frame_weight(attributes: tuple[tuple[str, str], ...]) -> float:
    """Return the weight of the block's own tags."""
    empty = Element("", lines=("", ""))  # forces the tags onto lines of their own
    return element_weight(empty._replace(name=ROOT, attributes=attributes))


def fit_parts(parts: Sequence[Part], weight: float) -> FittedParts:
    """Keep the parts from the highest layer down while the weight allows; a part may be cut at its end.

    After the first trimmed layer, all lower ones are left out.
    """
    fitting: list[Element] = []
    trimmed: list[CutPart] = []
    left = weight
    for part in parts:
        trimmed_layer = next((item.layer for item in trimmed if item.layer != part.layer), None)
        element = _truncate(part, left) if trimmed_layer is None else None
        if element is not None:
            left -= element_weight(element)
            fitting.append(element)
        if element != part.element:
            trimmed.append(_trimmed(part, element))
    return FittedParts(tuple(fitting), tuple(trimmed))


def _truncate(part: Part, left: float) -> Element | None:
    """Return the part with as many of its lines and children as fit; None when fewer than the minimum do."""
    element = part.element
    if element_weight(element) <= left:
        return element
    left -= element_weight(element._replace(lines=("", ""), children=()))
    length = 0
    for cost in (*(line_weight(text_line(line, 1)) for line in element.lines), *map(_child_weight, element.children)):
        left -= cost
        if left < 0:
            break
        length += 1
    if length < part.min_length or (left < 0 and not length):
        return None
    return element._replace(lines=element.lines[:length], children=element.children[:length])


def _child_weight(child: Element) -> float:
    return sum(map(line_weight, render_element(child, 2)))


def _length(element: Element) -> int:
    return len(element.lines) or len(element.children)


def _trimmed(part: Part, truncated: Element | None) -> CutPart:
    unit = "lines" if part.element.lines else "parts"
    pointer = f"; the full text is in {part.full_text_in}" if part.full_text_in else ""
    if truncated is None:
        return CutPart(part.layer, part.element.name, f"it does not fit into this bracket's budget{pointer}")
    reason = f"{_length(truncated)} of {_length(part.element)} {unit} fit{pointer}"
    return CutPart(part.layer, part.element.name, reason)
