"""The project's own session file, `.chati/session.yaml`: what it tells, and what an exit or a compaction saves in it.

It is the framework's file and often edited by hand, so a value's own characters are replaced, a new key gets a line
at the end, and every other byte stays: comments, order, quotes, line ends. Where there is no such file none is made;
the lock's own state has it all. A file that cannot be read or changed so is left as it is, and said.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from sidecar.core.errors import SidecarError
from sidecar.core.ides import Place
from sidecar.core.lazy_regex import regex
from sidecar.core.text.yaml_edit import Damaged, Node, nodes_of
from sidecar.core.text.yaml_read import read_mapping, text_of
from sidecar.session import user_files
from sidecar.session.state import Told

PLACE = Place(".chati/session.yaml")
AGENT, LANGUAGE, PROGRESS, SAVED_AT = "current_agent", "language", "session_progress", "session_saved_at"
TASK, PENDING, COMPACTIONS = "session_task", "session_pending_decisions", "session_compactions"


_NAME = regex(r"(?!(?:true|false|yes|no|on|off|null|y|n)\Z)[a-z](?:[a-z-]*[a-z])?")
_ODD = regex(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Kept(NamedTuple):
    """The file as it was read."""

    told: Told
    problem: str
    """Why nothing is known of it, in a sentence; empty where all is well or no file is there."""


class CannotSave(Exception):
    """The file cannot be changed without touching the rest; the message is one sentence."""


def read(project: Path) -> Kept:
    """Reads what the file tells."""
    try:
        content = user_files.read(project, PLACE).content
        return Kept(Told(), "") if content is None else Kept(told_by(content.decode()), "")
    except (SidecarError, UnicodeDecodeError, Damaged) as error:
        why = error.message if isinstance(error, SidecarError) else "It is no YAML in UTF-8."
        return Kept(Told(), f"`{PLACE.file}` is not read. {why}")


def save(project: Path, values: Mapping[str, str]) -> str:
    """Writes values into the file, if there is one; gives a sentence where that cannot be done."""
    try:
        before = user_files.read(project, PLACE)
        if before.content is not None:
            after = changed(before.content.decode(), values).encode()
            if after != before.content:
                user_files.write(PLACE, before, after)
    except (SidecarError, UnicodeDecodeError, Damaged, CannotSave) as error:
        why = error.message if isinstance(error, SidecarError) else str(error)
        return f"`{PLACE.file}` was left as it is; the session is kept in our own state. {why}"
    return ""


def told_by(text: str) -> Told:
    """Gives what the file's text tells; raises Damaged."""
    found = read_mapping(_unmarked(text))
    if found is None:
        raise Damaged("It is no list of keys with values.")
    return Told(*(text_of(found.get(key)) for key in (AGENT, LANGUAGE, PROGRESS)))


def changed(text: str, values: Mapping[str, str]) -> str:
    """Gives the text with the values of some top-level keys changed and nothing else; raises Damaged, CannotSave."""
    mark, body = text[: len(text) - len(_unmarked(text))], _unmarked(text)
    root = nodes_of(body)
    if root is not None and (root.kind != "mapping" or root.is_flow):
        raise CannotSave("Its keys do not stand on lines of their own.")
    known = {key: root.get(key) if root is not None else None for key in values}
    written = body
    for key, node in sorted(known.items(), key=lambda one: -one[1].start if one[1] else 0):
        if node is not None:
            written = _replaced(written, node, values[key])
    written += _lines(body, {key: value for key, value in values.items() if known[key] is None})
    if read_mapping(written) != {**(read_mapping(body) or {}), **values}:
        raise CannotSave("It cannot be changed without touching what else stands there.")
    return mark + written


def _replaced(text: str, node: Node, value: str) -> str:
    gap = " " if text[node.start - 1 : node.start] == ":" else ""
    return f"{text[: node.start]}{gap}{_quoted(value)}{text[node.end :]}"


def _lines(text: str, values: Mapping[str, str]) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    gap = line_end if values and text and not text.endswith("\n") else ""
    return gap + "".join(f"{key}: {_quoted(value)}{line_end}" for key, value in values.items())


def _quoted(value: str) -> str:
    """Writes a name as it is, anything else as JSON, which YAML reads once what it takes for a line end is escaped."""
    if _NAME.fullmatch(value):
        return value
    return _ODD.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(value).decode())


def _unmarked(text: str) -> str:
    return text.removeprefix("\ufeff")
