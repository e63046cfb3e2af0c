"""What one agent handed on to the next, out of its hand-off document. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.context.project.agent_scope import FRONT_MATTER
from sidecar.context.project.markdown_sections import Section, sections_of, statements
from sidecar.core.secrets.redact import redact_lines
from sidecar.core.text.sanitize import one_line
from sidecar.core.text.yaml_read import read_mapping, text_of

LINE_CHARACTERS, MAX_LINES = 240, 40
ENDING = "-handoff.md"

_SUMMARY = ("layer 1", "summary")
_DEEP = "layer 2"
"""The second layer is read on demand, never injected."""

_NOT_TOLD = ("criteria met", "criteria unmet", "recommended reading order")


class Handoff(NamedTuple):
    """Who handed on, with which score (empty where unknown), and what, line by line."""

    sender: str
    score: str
    lines: tuple[str, ...]


@lru_cache(maxsize=32)
def handoff_of(file_name: str, text: str) -> Handoff:
    """Reads a hand-off: its summary first, then decisions, open points and the rest of its first layer."""
    text = redact_lines(text)
    found = FRONT_MATTER.match(text)
    front = (read_mapping(found[1]) or {}) if found else {}
    sections = _first_layer(sections_of(text[found.end() :] if found else text))
    ordered = sorted(sections, key=lambda section: not section.title.casefold().startswith(_SUMMARY))
    lines = (one_line(said, LINE_CHARACTERS) for section in ordered for said in _said(section))
    sender = text_of(front.get("from_agent")) or text_of(front.get("from")) or file_name.removesuffix(ENDING)
    return Handoff(
        one_line(sender, 64),
        one_line(text_of(front.get("score")), 12),
        tuple(line for line in dict.fromkeys(lines) if line)[:MAX_LINES],
    )


def _first_layer(sections: Sequence[Section]) -> list[Section]:
    titles = [section.title.casefold() for section in sections]
    end = next((at for at, title in enumerate(titles) if title.startswith(_DEEP)), len(titles))
    return [section for section in sections[:end] if not section.title.casefold().startswith(_NOT_TOLD)]


def _said(section: Section) -> list[str]:
    said = [text for text in statements(section.lines) if text]
    tells_itself = section.level < 2 or section.title.casefold().startswith(_SUMMARY)
    return said if tells_itself or not said else [f"{section.title}: {said[0]}", *said[1:]]
