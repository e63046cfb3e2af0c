"""Modes: what the pipeline's state lets an agent read and write (Article XI). Pure."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from sidecar.core.text.sanitize import one_line
from sidecar.core.text.yaml_read import text_of

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


# The pipeline's state, out of `.chati/session.yaml`: position, scores, backlog, mode. Pure.


MAX_AGENTS, MAX_BACKLOG = 40, 12
NAME_CHARACTERS, TITLE_CHARACTERS, TASK_CHARACTERS = 64, 120, 1_200

_DONE = ("completed", "skipped")
_CLOSED = ("done", "deferred", "completed")
_PRIORITIES = ("high", "medium", "low")


class AgentState(NamedTuple):
    """An agent's place in the pipeline; the score is in percent."""

    name: str
    status: str
    score: float | None


class Pipeline(NamedTuple):
    """What a session file says; empty texts where it does not."""

    project: str
    project_type: str
    language: str
    state: str
    """The project's macro phase, which is its mode."""
    current: str
    agents: tuple[AgentState, ...]
    backlog: tuple[str, ...]
    """What is open, the most important first."""
    task: str
    last_handoff: str


def pipeline_of(session: Mapping[str, Any]) -> Pipeline:
    """Reads a session file's mapping; what is of an unexpected kind says nothing."""
    project = session.get("project")
    project = project if isinstance(project, dict) else {}
    return Pipeline(
        project=one_line(text_of(project.get("name")), NAME_CHARACTERS),
        project_type=one_line(text_of(project.get("type")), NAME_CHARACTERS),
        language=one_line(text_of(session.get("language")), NAME_CHARACTERS),
        state=one_line(text_of(project.get("state") or session.get("mode")), NAME_CHARACTERS),
        current=one_line(text_of(session.get("current_agent")), NAME_CHARACTERS),
        agents=_agents(session.get("agents")),
        backlog=_backlog(session.get("backlog")),
        task=one_line(text_of(session.get("current_task") or session.get("task")), TASK_CHARACTERS),
        last_handoff=text_of(session.get("last_handoff")),
    )


def pipeline_lines(pipeline: Pipeline) -> list[str]:
    """Gives the agents in order on one line, as the specification shows it, then what is open of the backlog."""
    lines = [" -> ".join(map(_told, pipeline.agents))] if pipeline.agents else []
    return [*lines, *(f"Backlog: {entry}" for entry in pipeline.backlog)]


def agent_before(pipeline: Pipeline, agent: str) -> str:
    """Names the last agent before one that has completed; empty without any."""
    names = [one.name for one in pipeline.agents]
    until = names.index(agent) if agent in names else len(names)
    return next((one.name for one in reversed(pipeline.agents[:until]) if one.status == "completed"), "")


def next_agent(pipeline: Pipeline, *, is_done: bool = False) -> str:
    """Names the agent that waits for its turn while the current one is done, or is said to be; empty without one."""
    names = [one.name for one in pipeline.agents]
    if pipeline.current not in names:
        return ""
    at = names.index(pipeline.current)
    if not is_done and pipeline.agents[at].status not in _DONE:
        return ""
    later = pipeline.agents[at + 1 :]
    return next((one.name for one in later if one.status not in _DONE), "")


def score_of(pipeline: Pipeline, agent: str) -> float | None:
    """Gives an agent's score in percent; None where the session does not know."""
    return next((one.score for one in pipeline.agents if one.name == agent), None)


def _agents(value: object) -> tuple[AgentState, ...]:
    if not isinstance(value, dict):
        return ()
    entries = ((name, entry) for name, entry in value.items() if isinstance(name, str) and isinstance(entry, dict))
    return tuple(
        AgentState(
            one_line(name, NAME_CHARACTERS),
            one_line(text_of(entry.get("status")) or "pending", NAME_CHARACTERS),
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


def _told(agent: AgentState) -> str:
    score = "" if agent.score is None else f"{agent.score:g}%"
    if agent.status == "completed":
        return f"{agent.name}({score or 'completed'})"
    return f"{agent.name}({agent.status}{f', {score}' if score and agent.status == 'in_progress' else ''})"


def _backlog(value: object) -> tuple[str, ...]:
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    still_open = [entry for entry in entries if text_of(entry.get("status")) not in _CLOSED]
    still_open.sort(key=_urgency)
    return tuple(_item(entry) for entry in still_open[:MAX_BACKLOG])


def _urgency(entry: Mapping[str, Any]) -> int:
    priority = text_of(entry.get("priority"))
    return _PRIORITIES.index(priority) if priority in _PRIORITIES else 1


def _item(entry: Mapping[str, Any]) -> str:
    head = " ".join(part for part in (text_of(entry.get("id")), text_of(entry.get("priority"))) if part)
    title = text_of(entry.get("title"))
    return one_line(f"{head}: {title}" if head else title, TITLE_CHARACTERS)
