"""An agent's scope, out of the file that defines it: front matter where it has one, else its headings. Pure."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sidecar.context.project.markdown_sections import Section, below, sections_of, statements
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.redact import redact_lines
from sidecar.core.text.sanitize import one_line
from sidecar.core.text.yaml_read import read_mapping, text_of

MISSION_CHARACTERS, PART_CHARACTERS = 300, 420

_MISSION = ("mission", "purpose", "role")
_PARTS: Mapping[str, tuple[str, ...]] = {
    "inputs": ("inputs", "input", "required inputs", "receives", "receiving"),
    "outputs": ("outputs", "output", "deliverables", "artifacts", "artifact", "sends", "sending"),
    "criteria": ("success criteria", "quality criteria", "criteria", "acceptance criteria", "self-validation"),
}
"""Headings and front matter keys that say each part; the first that says anything counts."""

_PLACEHOLDER = regex(r"\$[A-Z_]+")
_NOTE = regex(r"(?<!\s)\s*+\([^)]{0,200}\)\s*+$")
FRONT_MATTER = regex(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


class Scope(NamedTuple):
    """What an agent is for; a part is empty where its file does not say."""

    name: str
    mission: str
    inputs: str
    outputs: str
    criteria: str


@lru_cache(maxsize=64)
def scope_of(name: str, text: str) -> Scope:
    """Reads an agent's file; secrets are masked, and each part ends at a limit of characters."""
    text = redact_lines(text)
    found = FRONT_MATTER.match(text)
    front = (read_mapping(found[1]) or {}) if found else {}
    sections = sections_of(text[found.end() :] if found else text)
    mission = _stated(front, _MISSION) or _first_statement(sections, _MISSION) or _opening(sections)
    parts = {part: _stated(front, names) or _listed(sections, names) for part, names in _PARTS.items()}
    return Scope(
        name,
        one_line(mission, MISSION_CHARACTERS),
        **{part: one_line(said, PART_CHARACTERS) for part, said in parts.items()},
    )


def _stated(front: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((said for name in names if (said := text_of(front.get(name.replace(" ", "_"))))), "")


def _sections_named(sections: Sequence[Section], names: Sequence[str]) -> list[Section]:
    titles = [_NOTE.sub("", section.title).casefold() for section in sections]
    return [
        below(sections, at)
        for name in names
        for at, title in enumerate(titles)
        if title == name or title.startswith((f"{name}:", f"{name} ("))
    ]


def _first_statement(sections: Sequence[Section], names: Sequence[str]) -> str:
    said = (next(statements(section.lines), "") for section in _sections_named(sections, names))
    return next((text for text in said if text), "")


def _listed(sections: Sequence[Section], names: Sequence[str]) -> str:
    """All statements under the first heading that has any, code only where it has nothing else."""
    for section in _sections_named(sections, names):
        for lines in (section.lines, section.code):
            said = [_PLACEHOLDER.sub("", text).strip().rstrip(";") for text in statements(lines)]
            told = "; ".join(text for text in said if text).replace(":; ", ": ")
            if told:
                return told
    return ""


def _opening(sections: Sequence[Section]) -> str:
    """The first thing the file says at all."""
    return next((said for section in sections for said in statements(section.lines)), "")
