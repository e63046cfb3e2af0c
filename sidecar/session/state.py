"""The lock's states: inactive → active → inactive → active again, each by the user's word only. Pure."""

from typing import NamedTuple, cast, get_args

from sidecar.core.ides import DEFAULT_IDE, IdeName
from sidecar.session.messages import Language
from sidecar.session.store import Lock

FIRST_AGENT = "orchestrator"
FIRST_LANGUAGE: Language = "en"


class Told(NamedTuple):
    """What the project's own session file says; empty where it says nothing."""

    agent: str = ""
    language: str = ""
    progress: str = ""


class Asked(NamedTuple):
    """What an activation names itself."""

    agent: str | None = None
    ide: IdeName | None = None
    language: Language | None = None


def activated(before: Lock | None, asked: Asked, told: Told, now_ms: int) -> Lock:
    """Gives the lock after an activation; what nobody names is restored from before.

    The moment of activation stays while a session is active.
    """
    told_language = cast("Language", told.language) if told.language in get_args(Language) else None
    return Lock(
        is_active=True,
        agent=asked.agent or agent_now(before, told) or FIRST_AGENT,
        ide=asked.ide or (before.ide if before else DEFAULT_IDE),
        language=asked.language or (before.language if before else None) or told_language or FIRST_LANGUAGE,
        progress=before.progress if before else told.progress,
        told_agent=told.agent,
        activated_at_ms=before.activated_at_ms if before and before.is_active else now_ms,
        exited_at_ms=before.exited_at_ms if before else None,
    )


def left(before: Lock, told: Told, progress: str | None, now_ms: int) -> Lock:
    """Gives the lock after an exit; nothing of it is lost."""
    agent = agent_now(before, told)
    return before._replace(
        is_active=False,
        agent=agent,
        progress=before.progress if progress is None else progress,
        told_agent=agent if told.agent else before.told_agent,
        exited_at_ms=now_ms,
    )


def agent_now(before: Lock | None, told: Told) -> str:
    """Gives the agent at work: what the project's file names, once it has changed since the lock looked; empty if none.

    The orchestrator writes the file when it hands over; an activation that names an agent does not.
    """
    if before is None:
        return told.agent
    return told.agent if told.agent and told.agent != before.told_agent else before.agent
