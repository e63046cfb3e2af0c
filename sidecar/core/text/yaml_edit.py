"""Parse YAML into nodes with their positions. No objects are constructed, so no code runs. Pure.

libyaml's C parser reads the text; a scalar stays as written.
"""

from typing import Any, Literal, NamedTuple

MAX_DEPTH = 40
"""Maximum nesting; deeper files are not written by hand."""

_NULLS = ("", "~", "null", "Null", "NULL")


class MalformedYaml(ValueError):
    """The text is not YAML, or not the subset we read; the message is one sentence."""


class Node(NamedTuple):
    """A value and its position: character offsets, the end without trailing white space."""

    kind: Literal["scalar", "list", "mapping", "alias"]
    """`alias` for a reference to another node, which is not followed."""
    start: int
    end: int
    line: int
    """Counted from 1."""
    is_flow: bool = True
    """Whether it is written in brackets, or is a scalar."""
    text: str = ""
    """A scalar's characters, without quotes; empty for null and for anything else."""
    items: "tuple[Node, ...]" = ()
    """The items of a list."""
    fields: "tuple[tuple[Node, Node], ...]" = ()
    """The keys and values of a mapping."""

    @property
    def pairs(self) -> "dict[str, tuple[Node, Node]]":
        """Return a mapping's fields by key text; the first of two equal keys wins."""
        pairs: dict[str, tuple[Node, Node]] = {}
        for key, value in self.fields:
            pairs.setdefault(key.text, (key, value))
        return pairs

    def get(self, key: str) -> "Node | None":
        """Return the value of a key."""
        return next((value for name, value in self.fields if name.text == key), None)


def parse_nodes(text: str) -> Node | None:
    """Parse one document; None for an empty one. Raise Damaged if it cannot be read."""
    from _ruamel_yaml import CParser
    from ruamel.yaml.error import YAMLError

    try:
        reader = _Reader(CParser(text), text)
        reader.next_event()
        if reader.next_is("StreamEndEvent"):
            return None
        reader.next_event()
        node = reader.node(0)
        reader.next_event()
        if not reader.next_is("StreamEndEvent"):
            raise MalformedYaml("The file holds more than one YAML document.")
    except YAMLError as error:
        raise MalformedYaml(_sentence(error)) from error
    return node


class _Reader:
    def __init__(self, parser: Any, text: str) -> None:
        self._parser = parser
        self._text = text
        self._next = parser.get_event()

    def next_is(self, kind: str) -> bool:
        return type(self._next).__name__ == kind

    def next_event(self) -> Any:
        event = self._next
        self._next = self._parser.get_event()
        return event

    def node(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise MalformedYaml(f"The file's lists are nested more than {MAX_DEPTH} deep.")
        event = self.next_event()
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
        while not self.next_is("SequenceEndEvent"):
            items.append(self.node(depth + 1))
        end = self._close(event, items[-1:])
        return Node("list", start, end, line, bool(event.flow_style), items=tuple(items))

    def _mapping(self, event: Any, start: int, line: int, depth: int) -> Node:
        pairs: list[tuple[Node, Node]] = []
        while not self.next_is("MappingEndEvent"):
            key = self.node(depth + 1)
            pairs.append((key, self.node(depth + 1)))
        end = self._close(event, [value for _, value in pairs[-1:]])
        return Node("mapping", start, end, line, bool(event.flow_style), fields=tuple(pairs))

    def _close(self, opening: Any, last: list[Node]) -> int:
        """A block ends with its last item, before the comments that follow; a flow node ends at its bracket."""
        closing = self.next_event()
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
