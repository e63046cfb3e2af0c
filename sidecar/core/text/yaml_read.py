"""Read YAML written by others: session files, configuration. Pure; the library is loaded at first use."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

MAX_SLOW_PARSER_CHARACTERS = 32_768
"""The C loader rejects some YAML that the Python loader reads at a sixth of the speed: `{at: 2026-03-01T09:30Z}`."""

MAX_DEPTH = 100
"""Maximum nesting. The library recurses, and a few thousand levels would crash the process."""

MAX_VALUES = 250_000
"""Maximum number of values, aliases included: merges (`<<`) of merges double the text each time."""

_MALFORMED = object()


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
