"""The block as XML: whatever the texts contain, it is well-formed and its structure is ours. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import regex

_FORBIDDEN = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no place for: control characters, lone surrogates, U+FFFE and U+FFFF."""

INDENT = "  "


class Element(NamedTuple):
    """An element with its attributes, then lines of text, then elements."""

    name: str
    attributes: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    children: tuple["Element", ...] = ()


def escaped(text: str) -> str:
    """Gives a text that can stand between tags."""
    return _FORBIDDEN.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rendered(element: Element, depth: int = 0) -> Iterator[str]:
    """Yields an element's lines, each with its line end; one of a single line of text stands on one."""
    pad = INDENT * depth
    start = f"{pad}<{element.name}{''.join(_attribute(*one) for one in element.attributes)}"
    end = f"</{element.name}>\n"
    if not element.children and not element.lines:
        yield f"{start}/>\n"
    elif not element.children and len(element.lines) == 1:
        yield f"{start}>{escaped(element.lines[0])}{end}"
    else:
        yield f"{start}>\n"
        yield from (text_line(line, depth) for line in element.lines)
        for child in element.children:
            yield from rendered(child, depth + 1)
        yield f"{pad}{end}"


def text_line(line: str, depth: int) -> str:
    """Gives a line of text as it stands in an element at a depth."""
    return f"{INDENT * (depth + 1)}{escaped(line)}\n"


def _attribute(name: str, value: str) -> str:
    quoted = escaped(value).replace('"', "&quot;").replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return f' {name}="{quoted}"'
