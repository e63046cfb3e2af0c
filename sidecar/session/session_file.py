"""The session lock, which is not a lock between processes: its transitions, messages and file, `.chati/session.yaml`.

Inactive → active → inactive → active, each only by the user's command; the messages are in the session's language. The
session file is the framework's and often edited by hand, so a value's own characters are replaced, a new key gets a
line at the end, and every other byte stays: comments, order, quotes, line ends. A missing file is not created; the
lock's own state has everything. A file that cannot be read or edited stays unchanged and is reported.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from sidecar.core.errors import SidecarError
from sidecar.core.ide_rules_files import DEFAULT_IDE, IdeName, RulesFile
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.yaml_text import (
    MalformedYaml,
    UneditableYaml,
    inline_yaml,
    parse_nodes,
    read_mapping,
    scalar_text,
    set_values,
)
from sidecar.session import user_file_access
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


SESSION_FILE = RulesFile(".chati/session.yaml")
AGENT, LANGUAGE, PROGRESS, SAVED_AT = "current_agent", "language", "session_progress", "session_saved_at"
TASK, PENDING, COMPACTIONS = "session_task", "session_pending_decisions", "session_compactions"

_NAME = lazy_regex(r"(?!(?:true|false|yes|no|on|off|null|y|n)\Z)[a-z](?:[a-z-]*[a-z])?")
_AFFECTS_OTHER_CONTENT = "It cannot be edited without changing other content."


class SessionFileRead(NamedTuple):
    """The result of reading the file."""

    values: SessionFileValues
    problem: str
    """Reason why the file cannot be read, in a sentence; empty if it was read or does not exist."""


class UneditableFile(Exception):
    """The file cannot be edited without changing the rest; the message is one sentence."""


def read_session_file(project: Path) -> SessionFileRead:
    """Read the session file."""
    try:
        content = user_file_access.read(project, SESSION_FILE).content
        return (
            SessionFileRead(SessionFileValues(), "")
            if content is None
            else SessionFileRead(parse_session_file(content.decode()), "")
        )
    except (SidecarError, UnicodeDecodeError, MalformedYaml) as error:
        why = error.message if isinstance(error, SidecarError) else "It is not YAML in UTF-8."
        return SessionFileRead(SessionFileValues(), f"`{SESSION_FILE.file}` is not read. {why}")


def save_session_values(project: Path, values: Mapping[str, str]) -> str:
    """Write values into the file, if it exists; return a sentence when that fails."""
    try:
        before = user_file_access.read(project, SESSION_FILE)
        if before.content is not None:
            after = replace_values(before.content.decode(), values).encode()
            if after != before.content:
                user_file_access.write(SESSION_FILE, before, after)
    except (SidecarError, UnicodeDecodeError, MalformedYaml, UneditableFile) as error:
        why = error.message if isinstance(error, SidecarError) else str(error)
        return f"`{SESSION_FILE.file}` was not changed; the session is stored in our own state. {why}"
    return ""


def parse_session_file(text: str) -> SessionFileValues:
    """Parse the file's text. Raise MalformedYaml."""
    mapping = read_mapping(_without_bom(text))
    if mapping is None:
        raise MalformedYaml("It is not a mapping.")
    return SessionFileValues(*(scalar_text(mapping.get(key)) for key in (AGENT, LANGUAGE, PROGRESS)))


def replace_values(text: str, values: Mapping[str, str]) -> str:
    """Return the text with new values of some top-level keys. Raise MalformedYaml, UneditableFile."""
    root = parse_nodes(_without_bom(text))
    if root is not None and (root.kind != "mapping" or root.is_flow):
        raise UneditableFile("Its keys are not on separate lines.")
    try:
        after = set_values(text, {(): {key: inline_yaml(value, _NAME) for key, value in values.items()}})
    except UneditableYaml as error:
        raise UneditableFile(_AFFECTS_OTHER_CONTENT) from error
    if read_mapping(_without_bom(after)) != {**(read_mapping(_without_bom(text)) or {}), **values}:
        raise UneditableFile(_AFFECTS_OTHER_CONTENT)
    return after


def _without_bom(text: str) -> str:
    return text.removeprefix("\ufeff")
