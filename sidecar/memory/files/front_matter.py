"""YAML front matter: read, and edited in place, so the user's content stays byte for byte.

Numbers and times are returned as the text that is written there.
"""

import re
from collections.abc import Mapping

from sidecar.core import yaml_edit
from sidecar.core.errors import Conflict
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import FrontMatter, split_front_matter
from sidecar.core.yaml_edit import UneditableYaml, Value
from sidecar.core.yaml_read import MalformedYaml, Node, parse_nodes

MAX_MATTER_CHARACTERS = 64 * 1024

_NOT_A_MAPPING = "The front matter is not a mapping."
_PLAIN = lazy_regex(r"(?!(?i:true|false|yes|no|on|off|null|y|n)\Z)[A-Za-z](?:[\w./@ -]*[\w./-])?", re.ASCII)
_KEY = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_WORDS = r"[A-Za-z0-9_](?:[\w./@+-]|[ ]++(?=[\w./@+-])|:(?=[\w.]))*+"
_ITEMS = r"[A-Za-z0-9_][\w./@-]*+(?:,[ ][A-Za-z0-9_][\w./@-]*+)*+"
_LINES = lazy_regex(
    rf"^({_KEY}):[ ](?:({_WORDS})|\"([ !#-\[\]-~]*+)\"|(\[(?:{_ITEMS})?\]))\r?\n", re.ASCII | re.MULTILINE
)
_EMPTY_LIST = len("[]")
"""`_LINES` matches the form that we write: no comment, no escape, nothing across lines."""
_MOMENT = lazy_regex(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")


class MalformedFrontMatter(ValueError):
    """The front matter cannot be read; the message is one sentence."""


def split(text: str) -> FrontMatter:
    """Locate the front matter. Raise MalformedFrontMatter if it has no end or is too long."""
    parts = split_front_matter(text)
    if parts.is_unclosed:
        raise MalformedFrontMatter("The front matter has no closing line `---`.")
    if parts.matter is not None and len(parts.matter) > MAX_MATTER_CHARACTERS:
        raise MalformedFrontMatter("The front matter is longer than 64 KiB.")
    return parts


def read_values(matter: str) -> dict[str, str | tuple[str, ...] | None]:
    """Return the values of the top-level keys without positions. Raise MalformedFrontMatter.

    Text in the form that we write is parsed by one pattern, several times as fast as YAML.
    """
    lines = _LINES.findall(matter)
    if len(lines) == matter.count("\n") and matter.endswith("\n"):
        parsed = {
            name: (tuple(items[1:-1].split(", ")) if len(items) > _EMPTY_LIST else ()) if items else plain or quoted
            for name, plain, quoted, items in lines
        }
        if len(parsed) == len(lines):
            return parsed
    return read_yaml(matter)


def read_yaml(matter: str) -> dict[str, str | tuple[str, ...] | None]:
    """Return the values of the top-level keys: text, lists of text, or None for anything else.

    Raise MalformedFrontMatter.
    """
    try:
        root = parse_nodes(matter)
    except MalformedYaml as error:
        sentence = str(error) if error.line is None else f"The file is not valid YAML in line {error.line + 1}."
        raise MalformedFrontMatter(sentence.replace("The file", "The front matter", 1)) from error
    if root is None:
        return {}  # empty, or comments only
    if root.kind != "mapping" or any(key.kind != "scalar" for key, _ in root.fields):
        raise MalformedFrontMatter(_NOT_A_MAPPING)
    values: dict[str, str | tuple[str, ...] | None] = {}
    for key, node in root.fields:
        if key.text in values:
            raise MalformedFrontMatter(f"The front matter has the key `{key.text[:60]}` twice.")
        values[key.text] = _value(matter, node)
    return values


def change(text: str, changes: Mapping[str, Value]) -> str:
    """Return a file's text with some values changed; a file without front matter gets one.

    Raise MalformedFrontMatter if it cannot be read, Conflict if the change would affect anything else.
    """
    parts = split(text)
    line_end = "\r\n" if "\r\n" in (parts.opening or parts.rest[:4_096]) else "\n"
    if parts.matter is None:
        lines = "".join(f"{key}: {inline_yaml(value)}{line_end}" for key, value in changes.items())
        return f"{parts.opening}---{line_end}{lines}---{line_end}{parts.rest}"
    read_yaml(parts.matter)
    try:
        lines_of = {key: inline_yaml(value) for key, value in changes.items()}
        matter = yaml_edit.set_values(parts.matter, {(): lines_of}, line_end)
    except UneditableYaml as error:
        raise Conflict(
            "The front matter cannot be changed without affecting other content.",
            hint="Write the key on a line of its own, without anchors.",
        ) from error
    return f"{parts.opening}{matter}{parts.rest}"


def inline_yaml(value: Value) -> str:
    """Return a value as YAML on one line: plain where that is equivalent, else in double quotes."""
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return value
    return yaml_edit.inline_yaml(round(value, 4) if isinstance(value, int | float) else value, _PLAIN)


def _value(matter: str, node: Node) -> str | tuple[str, ...] | None:
    if node.kind == "scalar":
        return _scalar(matter, node)
    if node.kind == "list" and all(item.kind == "scalar" for item in node.items):
        return tuple(_scalar(matter, item) for item in node.items)
    return None


def _scalar(matter: str, node: Node) -> str:
    """Return a scalar's text; a null as it is written."""
    written = matter[node.start : node.end]
    return node.text or ("" if written[:1] in ("'", '"') else written)
