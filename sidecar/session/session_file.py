"""The project's own session file, `.chati/session.yaml`: reading it, and saving values on an exit or a compaction.

It is the framework's file and often edited by hand, so a value's own characters are replaced, a new key gets a line at
the end, and every other byte stays: comments, order, quotes, line ends. A missing file is not created; the lock's own
state has everything. A file that cannot be read or edited stays unchanged and is reported.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from sidecar.core.errors import SidecarError
from sidecar.core.ides import RulesFile
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.text.yaml_edit import MalformedYaml, Node, parse_nodes
from sidecar.core.text.yaml_read import read_mapping, scalar_text
from sidecar.session import user_files
from sidecar.session.state import SessionFileValues

SESSION_FILE = RulesFile(".chati/session.yaml")
AGENT, LANGUAGE, PROGRESS, SAVED_AT = "current_agent", "language", "session_progress", "session_saved_at"
TASK, PENDING, COMPACTIONS = "session_task", "session_pending_decisions", "session_compactions"


_NAME = lazy_regex(r"(?!(?:true|false|yes|no|on|off|null|y|n)\Z)[a-z](?:[a-z-]*[a-z])?")
_ODD = lazy_regex(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class SessionFileRead(NamedTuple):
    """The result of reading the file."""

    values: SessionFileValues
    problem: str
    """Why the file cannot be read, in a sentence; empty if it was read or does not exist."""


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
            after = edited(before.content.decode(), values).encode()
            if after != before.content:
                user_files.write(SESSION_FILE, before, after)
    except (SidecarError, UnicodeDecodeError, MalformedYaml, UneditableFile) as error:
        why = error.message if isinstance(error, SidecarError) else str(error)
        return f"`{SESSION_FILE.file}` was not changed; the session is stored in our own state. {why}"
    return ""


def parse_session_file(text: str) -> SessionFileValues:
    """Parse the file's text. Raise Damaged."""
    mapping = read_mapping(_without_bom(text))
    if mapping is None:
        raise MalformedYaml("It is not a mapping.")
    return SessionFileValues(*(scalar_text(mapping.get(key)) for key in (AGENT, LANGUAGE, PROGRESS)))


def edited(text: str, values: Mapping[str, str]) -> str:
    """Return the text with new values of some top-level keys. Raise Damaged, UneditableFile."""
    bom, body = text[: len(text) - len(_without_bom(text))], _without_bom(text)
    root = parse_nodes(body)
    if root is not None and (root.kind != "mapping" or root.is_flow):
        raise UneditableFile("Its keys are not on separate lines.")
    nodes = {key: root.get(key) if root is not None else None for key in values}
    written = body
    for key, node in sorted(nodes.items(), key=lambda item: -item[1].start if item[1] else 0):
        if node is not None:
            written = _replaced(written, node, values[key])
    written += _lines(body, {key: value for key, value in values.items() if nodes[key] is None})
    if read_mapping(written) != {**(read_mapping(body) or {}), **values}:
        raise UneditableFile("It cannot be edited without changing other content.")
    return bom + written


def _replaced(text: str, node: Node, value: str) -> str:
    gap = " " if text[node.start - 1 : node.start] == ":" else ""
    return f"{text[: node.start]}{gap}{_yaml_scalar(value)}{text[node.end :]}"


def _lines(text: str, values: Mapping[str, str]) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    gap = line_end if values and text and not text.endswith("\n") else ""
    return gap + "".join(f"{key}: {_yaml_scalar(value)}{line_end}" for key, value in values.items())


def _yaml_scalar(value: str) -> str:
    """Write a plain name unquoted, anything else as JSON, with the characters escaped that YAML treats as line ends."""
    if _NAME.fullmatch(value):
        return value
    return _ODD.sub(lambda match: f"\\u{ord(match[0]):04x}", orjson.dumps(value).decode())


def _without_bom(text: str) -> str:
    return text.removeprefix("\ufeff")
