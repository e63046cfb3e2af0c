"""The pipeline of agents: its state and mode, an agent's scope, and the hand-off to the next agent. Pure.

The state is position, scores and backlog in `.chati/session.yaml`. A mode has rights.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sidecar.core.clean_text import one_line
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import Section, split_front_matter, split_sections, statements, with_subsections
from sidecar.core.redact import redact_lines
from sidecar.core.yaml_text import read_mapping, scalar_text

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
        or next((statement for section in sections for statement in statements(section.lines)), "")
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


MAX_AGENTS, MAX_BACKLOG = 40, 12
NAME_CHARACTERS, TITLE_CHARACTERS, TASK_CHARACTERS = 64, 120, 1_200

_DONE = ("completed", "skipped")
_CLOSED = ("done", "deferred", "completed")
_PRIORITIES = ("high", "medium", "low")


class AgentState(NamedTuple):
    """An agent's position in the pipeline; the score is in percent."""

    name: str
    status: str
    score: float | None


class AgentPipeline(NamedTuple):
    """The content of a session file; missing texts are empty."""

    project: str
    project_type: str
    language: str
    state: str
    """The project's macro phase, which is its mode."""
    current: str
    agents: tuple[AgentState, ...]
    backlog: tuple[str, ...]
    """The open entries, the most important first."""
    task: str
    last_handoff: str


def parse_pipeline(session: Mapping[str, Any]) -> AgentPipeline:
    """Parse a session file's mapping; values of an unexpected type are ignored."""
    project = session.get("project")
    project = project if isinstance(project, dict) else {}
    return AgentPipeline(
        project=one_line(scalar_text(project.get("name")), NAME_CHARACTERS),
        project_type=one_line(scalar_text(project.get("type")), NAME_CHARACTERS),
        language=one_line(scalar_text(session.get("language")), NAME_CHARACTERS),
        state=one_line(scalar_text(project.get("state") or session.get("mode")), NAME_CHARACTERS),
        current=one_line(scalar_text(session.get("current_agent")), NAME_CHARACTERS),
        agents=_agents(session.get("agents")),
        backlog=_backlog(session.get("backlog")),
        task=one_line(scalar_text(session.get("current_task") or session.get("task")), TASK_CHARACTERS),
        last_handoff=scalar_text(session.get("last_handoff")),
    )


def pipeline_lines(pipeline: AgentPipeline) -> list[str]:
    """Return the agents in order on one line, then the open backlog."""
    lines = [" -> ".join(map(_agent_text, pipeline.agents))] if pipeline.agents else []
    return [*lines, *(f"Backlog: {entry}" for entry in pipeline.backlog)]


def previous_agent(pipeline: AgentPipeline, agent: str) -> str:
    """Return the last completed agent before `agent`; empty without one."""
    names = [state.name for state in pipeline.agents]
    until = names.index(agent) if agent in names else len(names)
    return next((state.name for state in reversed(pipeline.agents[:until]) if state.status == "completed"), "")


def next_agent(pipeline: AgentPipeline, *, is_done: bool = False) -> str:
    """Return the agent that waits once the current one is done, or is reported done; empty without one."""
    names = [state.name for state in pipeline.agents]
    if pipeline.current not in names:
        return ""
    at = names.index(pipeline.current)
    if not is_done and pipeline.agents[at].status not in _DONE:
        return ""
    later = pipeline.agents[at + 1 :]
    return next((state.name for state in later if state.status not in _DONE), "")


def agent_score(pipeline: AgentPipeline, agent: str) -> float | None:
    """Return an agent's score in percent; None when unknown."""
    return next((state.score for state in pipeline.agents if state.name == agent), None)


def _agents(value: object) -> tuple[AgentState, ...]:
    if not isinstance(value, dict):
        return ()
    entries = ((name, entry) for name, entry in value.items() if isinstance(name, str) and isinstance(entry, dict))
    return tuple(
        AgentState(
            one_line(name, NAME_CHARACTERS),
            one_line(scalar_text(entry.get("status")) or "pending", NAME_CHARACTERS),
            _number(entry.get("score")),
        )
        for name, entry in list(entries)[:MAX_AGENTS]
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    return float(min(100, max(0, value)))


def _agent_text(agent: AgentState) -> str:
    score = "" if agent.score is None else f"{agent.score:g}%"
    if agent.status == "completed":
        return f"{agent.name}({score or 'completed'})"
    return f"{agent.name}({agent.status}{f', {score}' if score and agent.status == 'in_progress' else ''})"


def _backlog(value: object) -> tuple[str, ...]:
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    still_open = [entry for entry in entries if scalar_text(entry.get("status")) not in _CLOSED]
    still_open.sort(key=_urgency)
    return tuple(_item(entry) for entry in still_open[:MAX_BACKLOG])


def _urgency(entry: Mapping[str, Any]) -> int:
    priority = scalar_text(entry.get("priority"))
    return _PRIORITIES.index(priority) if priority in _PRIORITIES else 1


def _item(entry: Mapping[str, Any]) -> str:
    head = " ".join(part for part in (scalar_text(entry.get("id")), scalar_text(entry.get("priority"))) if part)
    title = scalar_text(entry.get("title"))
    return one_line(f"{head}: {title}" if head else title, TITLE_CHARACTERS)


MODE_CHARACTERS = 40
VALUE_CHARACTERS = 80

DEFAULT_MODE = "build"
"""The mode of a project that names none: agents read and write the whole project, as without the framework."""


class Rights(NamedTuple):
    """Paths that agents may read and write in a mode."""

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
"""The modes of all framework versions, and the host's own; any other mode has no rights listed."""


class Mode(NamedTuple):
    """The mode, its attributes in order, and whether any source names it."""

    name: str
    governance: tuple[tuple[str, str], ...]
    is_known: bool


def resolve_mode(requested: str | None, state: str, config: Mapping[str, Any], language: str) -> Mode:
    """Return the mode: the requested one, otherwise the session's, the configuration's, or the fallback."""
    named = requested or state or scalar_text(config.get("mode"))
    name = one_line(named, MODE_CHARACTERS) or DEFAULT_MODE
    rights = MODES.get(name.casefold())
    pairs = [
        *((("reads", rights.reads), ("writes", rights.writes)) if rights else ()),
        ("language", language or scalar_text(config.get("language"))),
        ("project", scalar_text(config.get("project_type"))),
    ]
    attributes = tuple((key, shown) for key, value in pairs if (shown := one_line(value, VALUE_CHARACTERS)))
    return Mode(name, attributes, bool(named))
