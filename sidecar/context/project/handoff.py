"""Parse a hand-off document: what one agent passed to the next. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.context.project.agent_scope import FRONT_MATTER
from sidecar.core.secrets.redact import redact_lines
from sidecar.core.text.markdown_structure import Section, split_sections, statements
from sidecar.core.text.sanitize import one_line
from sidecar.core.text.yaml_read import read_mapping, scalar_text

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
    match = FRONT_MATTER.match(text)
    front_matter = (read_mapping(match[1]) or {}) if match else {}
    sections = _first_layer(split_sections(text[match.end() :] if match else text))
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
