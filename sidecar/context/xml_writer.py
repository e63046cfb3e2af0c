"""Render the block as XML. It is well-formed whatever the texts contain, and no text can change its structure. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex

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
