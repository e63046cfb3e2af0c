"""The pipeline state in `.chati/session.yaml` (position, scores, backlog), and the rights of a mode. Pure."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from sidecar.core.text import one_line
from sidecar.core.yaml_read import scalar_text

MODE_CHARACTERS = 40
VALUE_CHARACTERS = 80

DEFAULT_MODE = "build"
"""The mode of a project that names none: agents read and write the whole project, as without the framework."""


class Rights(NamedTuple):
    """Paths that agents may read and write in a mode (Article XI)."""

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


class Pipeline(NamedTuple):
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


def parse_pipeline(session: Mapping[str, Any]) -> Pipeline:
    """Parse a session file's mapping; values of an unexpected type are ignored."""
    project = session.get("project")
    project = project if isinstance(project, dict) else {}
    return Pipeline(
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


def pipeline_lines(pipeline: Pipeline) -> list[str]:
    """Return the agents in order on one line, in the specification's format, then the open backlog."""
    lines = [" -> ".join(map(_agent_text, pipeline.agents))] if pipeline.agents else []
    return [*lines, *(f"Backlog: {entry}" for entry in pipeline.backlog)]


def previous_agent(pipeline: Pipeline, agent: str) -> str:
    """Return the last completed agent before `agent`; empty without one."""
    names = [state.name for state in pipeline.agents]
    until = names.index(agent) if agent in names else len(names)
    return next((state.name for state in reversed(pipeline.agents[:until]) if state.status == "completed"), "")


def next_agent(pipeline: Pipeline, *, is_done: bool = False) -> str:
    """Return the agent that waits once the current one is done, or is reported done; empty without one."""
    names = [state.name for state in pipeline.agents]
    if pipeline.current not in names:
        return ""
    at = names.index(pipeline.current)
    if not is_done and pipeline.agents[at].status not in _DONE:
        return ""
    later = pipeline.agents[at + 1 :]
    return next((state.name for state in later if state.status not in _DONE), "")


def agent_score(pipeline: Pipeline, agent: str) -> float | None:
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
