"""Parse an agent's scope from its definition file: front matter if present, otherwise headings. Pure."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.secrets.redact import redact_lines
from sidecar.core.text.markdown_structure import Section, split_sections, statements, with_subsections
from sidecar.core.text.sanitize import one_line
from sidecar.core.text.yaml_read import read_mapping, scalar_text

MISSION_CHARACTERS, PART_CHARACTERS = 300, 420

_MISSION = ("mission", "purpose", "role")
_PARTS: Mapping[str, tuple[str, ...]] = {
    "inputs": ("inputs", "input", "required inputs", "receives", "receiving"),
    "outputs": ("outputs", "output", "deliverables", "artifacts", "artifact", "sends", "sending"),
    "criteria": ("success criteria", "quality criteria", "criteria", "acceptance criteria", "self-validation"),
}
"""Headings and front matter keys of each part; the first with content wins."""

_PLACEHOLDER = lazy_regex(r"\$[A-Z_]+")
_NOTE = lazy_regex(r"(?<!\s)\s*+\([^)]{0,200}\)\s*+$")
FRONT_MATTER = lazy_regex(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


class AgentScope(NamedTuple):
    """What an agent is for; a part is empty when its file does not state it."""

    name: str
    mission: str
    inputs: str
    outputs: str
    criteria: str


@lru_cache(maxsize=64)
def parse_agent_scope(name: str, text: str) -> AgentScope:
    """Parse an agent's file. Secrets are masked, and each part has a maximum length."""
    text = redact_lines(text)
    match = FRONT_MATTER.match(text)
    front_matter = (read_mapping(match[1]) or {}) if match else {}
    sections = split_sections(text[match.end() :] if match else text)
    mission = _front_matter_text(front_matter, _MISSION) or _first_statement(sections, _MISSION) or _opening(sections)
    parts = {
        part: _front_matter_text(front_matter, names) or _statement_list(sections, names)
        for part, names in _PARTS.items()
    }
    return AgentScope(
        name,
        one_line(mission, MISSION_CHARACTERS),
        **{part: one_line(text_of_part, PART_CHARACTERS) for part, text_of_part in parts.items()},
    )


def _front_matter_text(front_matter: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((value for name in names if (value := scalar_text(front_matter.get(name.replace(" ", "_"))))), "")


def _sections_named(sections: Sequence[Section], names: Sequence[str]) -> list[Section]:
    titles = [_NOTE.sub("", section.title).casefold() for section in sections]
    return [
        with_subsections(sections, at)
        for name in names
        for at, title in enumerate(titles)
        if title == name or title.startswith((f"{name}:", f"{name} ("))
    ]


def _first_statement(sections: Sequence[Section], names: Sequence[str]) -> str:
    first_statements = (next(statements(section.lines), "") for section in _sections_named(sections, names))
    return next((text for text in first_statements if text), "")


def _statement_list(sections: Sequence[Section], names: Sequence[str]) -> str:
    """Return all statements under the first heading that has any; code only when there is nothing else."""
    for section in _sections_named(sections, names):
        for lines in (section.lines, section.code):
            texts = [_PLACEHOLDER.sub("", text).strip().rstrip(";") for text in statements(lines)]
            joined = "; ".join(text for text in texts if text).replace(":; ", ": ")
            if joined:
                return joined
    return ""


def _opening(sections: Sequence[Section]) -> str:
    """Return the file's first statement."""
    return next((statement for section in sections for statement in statements(section.lines)), "")
