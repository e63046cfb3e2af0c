"""Reads YAML that others wrote: session files, configuration. Pure; the library is loaded when first needed."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

SLOWLY_READ_CHARACTERS = 32_768
"""The C loader refuses some YAML that the one in Python reads, at a sixth of the speed: `{at: 2026-03-01T09:30Z}`."""

MAX_DEPTH = 100
"""Lists within lists. The library goes down into each, and a few thousand would take the whole process with them."""

MAX_VALUES = 250_000
"""Values of a text with what its aliases repeat: a merge (`<<`) of merges is written out, twice as long each time."""

_DAMAGED = object()


@lru_cache(maxsize=64)
def read_mapping(text: str) -> Mapping[str, Any] | None:
    """Gives a YAML text's mapping, to be read only; None for anything else, damaged texts included.

    An empty text is an empty mapping. Keys that are no text are left out. What is nested or repeated beyond measure is
    damaged too: a file of a stranger's must cost neither the process nor its time.
    """
    value = _loaded(text, pure=False)
    if value is _DAMAGED and len(text) <= SLOWLY_READ_CHARACTERS:
        value = _loaded(text, pure=True)
    if value is None:
        return {}
    return {key: entry for key, entry in value.items() if isinstance(key, str)} if isinstance(value, dict) else None


def _loaded(text: str, *, pure: bool) -> Any:
    from ruamel.yaml import YAML

    try:
        if not _is_modest(YAML(typ="safe", pure=pure).parse(text)):
            return _DAMAGED
        return YAML(typ="safe", pure=pure).load(text)
    except Exception:  # beside its own errors the library lets out whatever a constructor raises
        return _DAMAGED


def _is_modest(events: Iterable[Any]) -> bool:
    """Says whether a text is within its bounds, told by the parser's events, for which it goes down into nothing."""
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
                if event.anchor not in anchored:  # of what holds it: there is no end to that
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
                pass  # where the stream and its documents begin and end
        if len(open_nodes) > MAX_DEPTH or counts[-1] > MAX_VALUES:
            return False
    return True


def text_of(value: object) -> str:
    """Gives a scalar as text, a list as its scalars joined by semicolons; empty for a mapping and for null."""
    if isinstance(value, list):
        return "; ".join(text for entry in value if not isinstance(entry, list) and (text := text_of(entry)))
    if value is None or isinstance(value, (dict, set)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()
