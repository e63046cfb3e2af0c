"""Agents' files: an agent's scope, and the hand-off that one agent passes to the next. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Section, split_front_matter, split_sections, statements, with_subsections
from sidecar.core.redact import redact_lines
from sidecar.core.text import one_line
from sidecar.core.yaml_read import read_mapping, scalar_text

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


class AgentScope(NamedTuple):
    """An agent's purpose and limits; a part is empty when its file does not state it."""

    name: str
    mission: str
    inputs: str
    outputs: str
    criteria: str


@lru_cache(maxsize=64)
def parse_agent_scope(name: str, text: str) -> AgentScope:
    """Parse an agent's file. Secrets are masked, and each part has a maximum length."""
    text = redact_lines(text)
    parts = split_front_matter(text)
    front_matter = (read_mapping(parts.matter) or {}) if parts.matter else {}
    sections = split_sections(parts.body)
    mission = (
        _front_matter_text(front_matter, _MISSION)
        or _first_statement(sections, _MISSION)
        or _opening_agent_scope(sections)
    )
    texts = {
        part: _front_matter_text(front_matter, names) or _statement_list(sections, names)
        for part, names in _PARTS.items()
    }
    return AgentScope(
        name,
        one_line(mission, MISSION_CHARACTERS),
        **{part: one_line(text_of_part, PART_CHARACTERS) for part, text_of_part in texts.items()},
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


def _opening_agent_scope(sections: Sequence[Section]) -> str:
    """Return the file's first statement."""
    return next((statement for section in sections for statement in statements(section.lines)), "")


LINE_CHARACTERS, MAX_LINES = 240, 40
ENDING = "-handoff.md"

_SUMMARY = ("layer 1", "summary")
_SECOND_LAYER = "layer 2"
"""The second layer is read on demand, never injected."""

_OMITTED_SECTIONS = ("criteria met", "criteria unmet", "recommended reading order")


class Handoff(NamedTuple):
    """The sender, its score (empty when unknown), and the content line by line."""

    sender: str
    score: str
    lines: tuple[str, ...]


@lru_cache(maxsize=32)
def parse_handoff(file_name: str, text: str) -> Handoff:
    """Parse a hand-off: its summary first, then decisions, open points and the rest of its first layer."""
    text = redact_lines(text)
    parts = split_front_matter(text)
    front_matter = (read_mapping(parts.matter) or {}) if parts.matter else {}
    sections = _first_layer(split_sections(parts.body))
    ordered = sorted(sections, key=lambda section: not section.title.casefold().startswith(_SUMMARY))
    lines = (one_line(text_line, LINE_CHARACTERS) for section in ordered for text_line in _section_lines(section))
    sender = (
        scalar_text(front_matter.get("from_agent"))
        or scalar_text(front_matter.get("from"))
        or file_name.removesuffix(ENDING)
    )
    return Handoff(
        one_line(sender, 64),
        one_line(scalar_text(front_matter.get("score")), 12),
        tuple(line for line in dict.fromkeys(lines) if line)[:MAX_LINES],
    )


def _first_layer(sections: Sequence[Section]) -> list[Section]:
    titles = [section.title.casefold() for section in sections]
    end = next((at for at, title in enumerate(titles) if title.startswith(_SECOND_LAYER)), len(titles))
    return [section for section in sections[:end] if not section.title.casefold().startswith(_OMITTED_SECTIONS)]


def _section_lines(section: Section) -> list[str]:
    texts = [text for text in statements(section.lines) if text]
    needs_no_title = section.level < 2 or section.title.casefold().startswith(_SUMMARY)
    return texts if needs_no_title or not texts else [f"{section.title}: {texts[0]}", *texts[1:]]
