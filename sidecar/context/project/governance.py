"""Modes: what the pipeline's state lets an agent read and write (Article XI). Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sidecar.core.text import one_line
from sidecar.core.yaml_text import text_of

MODE_CHARACTERS = 40
VALUE_CHARACTERS = 80

FALLBACK = "build"
"""The mode of a project that names none: its agents read and write the whole project, as without us."""


class Rights(NamedTuple):
    """What agents may read and write in a mode."""

    reads: str
    writes: str


_PLANNING = Rights("the whole project", "chati.dev/ and .chati/ only")
_BUILDING = Rights("the whole project", "the whole project")

MODES: Mapping[str, Rights] = {
    "clarity": _PLANNING,
    "planning": _PLANNING,
    "discover": _PLANNING,
    "plan": _PLANNING,
    "build": _BUILDING,
    "validate": _BUILDING,
    "agent": _BUILDING,
    "deploy": Rights("the whole project", "the whole project, infrastructure and CI"),
}
"""The modes' names through the framework's versions, and the host's own; another one has no rights beside it."""


class Mode(NamedTuple):
    """The mode, what goes with it in order, and whether it was named by anything."""

    name: str
    governance: tuple[tuple[str, str], ...]
    is_known: bool


def mode_of(asked: str | None, state: str, config: Mapping[str, Any], language: str) -> Mode:
    """Gives the mode: as asked for, else the session's, else the configuration's, else the fallback."""
    named = asked or state or text_of(config.get("mode"))
    name = one_line(named, MODE_CHARACTERS) or FALLBACK
    rights = MODES.get(name.casefold())
    pairs = [
        *((("reads", rights.reads), ("writes", rights.writes)) if rights else ()),
        ("language", language or text_of(config.get("language"))),
        ("project", text_of(config.get("project_type"))),
    ]
    told = tuple((key, shown) for key, value in pairs if (shown := one_line(value, VALUE_CHARACTERS)))
    return Mode(name, told, bool(named))
