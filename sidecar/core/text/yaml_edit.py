"""YAML text → its nodes, with the places where they stand; nothing is constructed, so nothing is run. Pure.

The library's C parser reads; a scalar stays the text that is written there.
"""

from typing import Any, Literal, NamedTuple

MAX_DEPTH = 40
"""Lists within lists; deeper ones are nobody's hand."""

_NULLS = ("", "~", "null", "Null", "NULL")


class Damaged(ValueError):
    """The text is no YAML, or none we read; the message is one sentence."""


class Node(NamedTuple):
    """A value and where it stands: offsets of characters, the end without the white space that follows."""

    kind: Literal["scalar", "list", "mapping", "alias"]
    """`alias` for a repetition of what stands elsewhere, which is not followed."""
    start: int
    end: int
    line: int
    """From 1."""
    is_flow: bool = True
    """Whether it is written within brackets, or is a scalar."""
    text: str = ""
    """A scalar's characters, without quotes; empty for null and for anything else."""
    items: "tuple[Node, ...]" = ()
    """A list's."""
    fields: "tuple[tuple[Node, Node], ...]" = ()
    """A mapping's keys and values."""

    @property
    def pairs(self) -> "dict[str, tuple[Node, Node]]":
        """A mapping's fields by their key's text; the first of two alike."""
        found: dict[str, tuple[Node, Node]] = {}
        for key, value in self.fields:
            found.setdefault(key.text, (key, value))
        return found

    def get(self, key: str) -> "Node | None":
        """Gives the value under a key."""
        return next((value for name, value in self.fields if name.text == key), None)


def nodes_of(text: str) -> Node | None:
    """Reads one document; None for an empty one. Raises Damaged."""
    from _ruamel_yaml import CParser
    from ruamel.yaml.error import YAMLError

    try:
        reader = _Reader(CParser(text), text)
        reader.take()
        if reader.comes("StreamEndEvent"):
            return None
        reader.take()
        node = reader.node(0)
        reader.take()
        if not reader.comes("StreamEndEvent"):
            raise Damaged("The file holds more than one YAML document.")
    except YAMLError as error:
        raise Damaged(_sentence(error)) from error
    return node


class _Reader:
    def __init__(self, parser: Any, text: str) -> None:
        self._parser = parser
        self._text = text
        self._next = parser.get_event()

    def comes(self, kind: str) -> bool:
        return type(self._next).__name__ == kind

    def take(self) -> Any:
        event = self._next
        self._next = self._parser.get_event()
        return event

    def node(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise Damaged(f"The file's lists are nested more than {MAX_DEPTH} deep.")
        event = self.take()
        start, line = event.start_mark.index, event.start_mark.line + 1
        match type(event).__name__:
            case "ScalarEvent":
                return Node("scalar", start, self._end(event), line, text=_text_of(event))
            case "SequenceStartEvent":
                return self._list(event, start, line, depth)
            case "MappingStartEvent":
                return self._mapping(event, start, line, depth)
            case _:
                return Node("alias", start, self._end(event), line)

    def _list(self, event: Any, start: int, line: int, depth: int) -> Node:
        items: list[Node] = []
        while not self.comes("SequenceEndEvent"):
            items.append(self.node(depth + 1))
        end = self._close(event, items[-1:])
        return Node("list", start, end, line, bool(event.flow_style), items=tuple(items))

    def _mapping(self, event: Any, start: int, line: int, depth: int) -> Node:
        pairs: list[tuple[Node, Node]] = []
        while not self.comes("MappingEndEvent"):
            key = self.node(depth + 1)
            pairs.append((key, self.node(depth + 1)))
        end = self._close(event, [value for _, value in pairs[-1:]])
        return Node("mapping", start, end, line, bool(event.flow_style), fields=tuple(pairs))

    def _close(self, opening: Any, last: list[Node]) -> int:
        """A block ends with its last item, before the comments that follow; brackets end where they close."""
        closing = self.take()
        if opening.flow_style or not last:
            return int(closing.end_mark.index)
        return last[0].end

    def _end(self, event: Any) -> int:
        start, end = event.start_mark.index, event.end_mark.index
        return int(start + len(self._text[start:end].rstrip(" \t\r\n")))


def _text_of(event: Any) -> str:
    is_plain = event.implicit[0]
    return "" if is_plain and event.value in _NULLS else str(event.value)


def _sentence(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" in line {mark.line + 1}" if mark is not None else ""
    return f"The file is not valid YAML{where}."
