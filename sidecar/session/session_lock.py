"""The session lock's transitions, and its messages to the user in the session's language. Pure.

Inactive → active → inactive → active, each only by the user's command.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, cast, get_args

from sidecar.core.supported_ides import DEFAULT_IDE, IdeName
from sidecar.session.store import Lock

Language = Literal["en", "pt", "es", "fr"]

SESSION_SAVED: Mapping[Language, str] = {
    "en": "Session saved. Type /chati to resume.",
    "pt": "Sessão salva. Digite /chati para retomar.",
    "es": "Sesión guardada. Escribe /chati para reanudar.",
    "fr": "Session enregistrée. Tapez /chati pour reprendre.",
}
NOT_ACTIVE: Mapping[Language, str] = {
    "en": "No session is active. Type /chati to start or resume.",
    "pt": "Nenhuma sessão está ativa. Digite /chati para começar ou retomar.",
    "es": "Ninguna sesión está activa. Escribe /chati para empezar o reanudar.",
    "fr": "Aucune session n'est active. Tapez /chati pour commencer ou reprendre.",
}
HOW_TO_EXIT: Mapping[Language, str] = {
    "en": "To exit the session, type /chati exit.",
    "pt": "Para sair da sessão, digite /chati exit.",
    "es": "Para salir de la sesión, escribe /chati exit.",
    "fr": "Pour quitter la session, tapez /chati exit.",
}


DEFAULT_AGENT = "orchestrator"
DEFAULT_LANGUAGE: Language = "en"


class SessionFileValues(NamedTuple):
    """Content of the project's own session file; missing values are empty."""

    agent: str = ""
    language: str = ""
    progress: str = ""


class ActivationRequest(NamedTuple):
    """Values requested by an activation."""

    agent: str | None = None
    ide: IdeName | None = None
    language: Language | None = None


def activate_lock(before: Lock | None, request: ActivationRequest, file_values: SessionFileValues, now_ms: int) -> Lock:
    """Return the lock after an activation; values that are not requested are restored.

    The activation time of an active session does not change.
    """
    file_language = cast("Language", file_values.language) if file_values.language in get_args(Language) else None
    return Lock(
        is_active=True,
        agent=request.agent or current_agent(before, file_values) or DEFAULT_AGENT,
        ide=request.ide or (before.ide if before else DEFAULT_IDE),
        language=request.language or (before.language if before else None) or file_language or DEFAULT_LANGUAGE,
        progress=before.progress if before else file_values.progress,
        file_agent=file_values.agent,
        activated_at_ms=before.activated_at_ms if before and before.is_active else now_ms,
        exited_at_ms=before.exited_at_ms if before else None,
    )


def exited_lock(before: Lock, file_values: SessionFileValues, progress: str | None, now_ms: int) -> Lock:
    """Return the lock after an exit; everything in it is preserved."""
    agent = current_agent(before, file_values)
    return before._replace(
        is_active=False,
        agent=agent,
        progress=before.progress if progress is None else progress,
        file_agent=agent if file_values.agent else before.file_agent,
        exited_at_ms=now_ms,
    )


def current_agent(before: Lock | None, file_values: SessionFileValues) -> str:
    """Return the active agent: the project file's if it changed since the lock last read it; empty without one.

    The orchestrator writes the file when it hands over; an activation that names an agent does not.
    """
    if before is None:
        return file_values.agent
    return file_values.agent if file_values.agent and file_values.agent != before.file_agent else before.agent
