"""Read YAML written by others, as values or as nodes with positions. Pure; the library is loaded at first use.

Nodes come from libyaml's C parser. Nothing is constructed, so no code runs, and a scalar stays as written.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

MAX_SLOW_PARSER_CHARACTERS = 32_768
"""The C loader rejects some YAML that the Python loader reads at a sixth of the speed: `{at: 2026-03-01T09:30Z}`."""

MAX_DEPTH = 100
"""Maximum nesting. The library recurses, and a few thousand levels would crash the process."""

MAX_VALUES = 250_000
"""Maximum number of values, aliases included: merges (`<<`) of merges double the text each time."""

_MALFORMED = object()

MAX_NODE_DEPTH = 40
"""Maximum nesting; deeper files are not written by hand."""

_NULL_WORDS = ("", "~", "null", "Null", "NULL")


@lru_cache(maxsize=64)
def read_mapping(text: str) -> Mapping[str, Any] | None:
    """Return the mapping of a YAML text, read-only; None for anything else, malformed texts included.

    An empty text is an empty mapping. Keys that are not text are dropped. A text nested or repeated beyond the limits
    counts as malformed: a stranger's file must cost neither the process nor its time.
    """
    value = _load(text, pure=False)
    if value is _MALFORMED and len(text) <= MAX_SLOW_PARSER_CHARACTERS:
        value = _load(text, pure=True)
    if value is None:
        return {}
    return {key: entry for key, entry in value.items() if isinstance(key, str)} if isinstance(value, dict) else None


def _load(text: str, *, pure: bool) -> Any:
    from ruamel.yaml import YAML

    try:
        if not _is_within_limits(YAML(typ="safe", pure=pure).parse(text)):
            return _MALFORMED
        return YAML(typ="safe", pure=pure).load(text)
    except Exception:  # the library also passes on whatever a constructor raises
        return _MALFORMED


def _is_within_limits(events: Iterable[Any]) -> bool:
    """Whether a text is within the limits, judged by parser events, which need no recursion."""
    anchored: dict[str, int] = {}
    open_nodes: list[str | None] = []
    counts = [0]
    for event in events:
        match type(event).__name__:
            case "ScalarEvent":
                counts[-1] += 1
                if event.anchor:
                    anchored[event.anchor] = 1
            case "AliasEvent":
                if event.anchor not in anchored:  # an alias inside its own anchor never ends
                    return False
                counts[-1] += anchored[event.anchor]
            case "SequenceStartEvent" | "MappingStartEvent":
                open_nodes.append(event.anchor)
                counts.append(1)
            case "SequenceEndEvent" | "MappingEndEvent":
                anchor, count = open_nodes.pop(), counts.pop()
                counts[-1] += count
                if anchor:
                    anchored[anchor] = count
            case _:
                pass  # start and end of the stream and its documents
        if len(open_nodes) > MAX_DEPTH or counts[-1] > MAX_VALUES:
            return False
    return True


def scalar_text(value: object) -> str:
    """Return a scalar as text, a list as its scalars joined by semicolons; empty for a mapping and for null."""
    if isinstance(value, list):
        return "; ".join(text for entry in value if not isinstance(entry, list) and (text := scalar_text(entry)))
    if value is None or isinstance(value, (dict, set)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()


class MalformedYaml(ValueError):
    """The text is not YAML, or not the subset we read; the message is one sentence."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        """Line of a syntax error, counted from 1."""


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
    """Parse one document into nodes; None for an empty one. Raise MalformedYaml if it cannot be read."""
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
        raise _syntax_error(error) from error
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
        if depth > MAX_NODE_DEPTH:
            raise MalformedYaml(f"The file's lists are nested more than {MAX_NODE_DEPTH} deep.")
        event = self.next_event()
        start, line = event.start_mark.index, event.start_mark.line + 1
        match type(event).__name__:
            case "ScalarEvent":
                return Node("scalar", start, self._end(event), line, text=_event_text(event))
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


def _event_text(event: Any) -> str:
    is_plain = event.implicit[0]
    return "" if is_plain and event.value in _NULL_WORDS else str(event.value)


def _syntax_error(error: Any) -> MalformedYaml:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else None
    return MalformedYaml(f"The file is not valid YAML{f' in line {line}' if line else ''}.", line)
