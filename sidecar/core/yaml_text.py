"""Reads YAML that others wrote: session files, configuration. Pure; the library is loaded when first needed."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

SLOWLY_READ_CHARACTERS = 32_768
"""The C loader refuses some YAML that the one in Python reads, at a sixth of the speed: `{at: 2026-03-01T09:30Z}`."""

_DAMAGED = object()


@lru_cache(maxsize=64)
def read_mapping(text: str) -> Mapping[str, Any] | None:
    """Gives a YAML text's mapping, to be read only; None for anything else, damaged texts included.

    An empty text is an empty mapping. Keys that are no text are left out.
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
        return YAML(typ="safe", pure=pure).load(text)
    except Exception:  # beside its own errors the library lets out whatever a constructor raises
        return _DAMAGED


def text_of(value: object) -> str:
    """Gives a scalar as text, a list as its scalars joined by semicolons; empty for a mapping and for null."""
    if isinstance(value, list):
        return "; ".join(text for entry in value if not isinstance(entry, list) and (text := text_of(entry)))
    if value is None or isinstance(value, (dict, set)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()
