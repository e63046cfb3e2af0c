"""The project's own session file, `.chati/session.yaml`: reading it, and saving values on an exit or a compaction.

It is the framework's file and often edited by hand, so a value's own characters are replaced, a new key gets a line at
the end, and every other byte stays: comments, order, quotes, line ends. A missing file is not created; the lock's own
state has everything. A file that cannot be read or edited stays unchanged and is reported.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import SidecarError
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.supported_ides import RulesFile
from sidecar.core.yaml_edit import UneditableYaml, inline_yaml, set_values
from sidecar.core.yaml_read import MalformedYaml, parse_nodes, read_mapping, scalar_text
from sidecar.session import user_files
from sidecar.session.session_lock import SessionFileValues

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


def read(project: Path) -> SessionFileRead:
    """Read the session file."""
    try:
        content = user_files.read(project, SESSION_FILE).content
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
        before = user_files.read(project, SESSION_FILE)
        if before.content is not None:
            after = replace_values(before.content.decode(), values).encode()
            if after != before.content:
                user_files.write(SESSION_FILE, before, after)
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
