"""Edits of the registry's text: entities and metadata; everything unchanged stays byte for byte. Pure."""

from collections.abc import Callable, Mapping

from sidecar.core.errors import Conflict, NotFound
from sidecar.core.text import yaml_edit
from sidecar.core.text.yaml_edit import UneditableYaml, Value, inline_yaml, quoted
from sidecar.core.text.yaml_read import parse_nodes

Fields = Mapping[str, Value]

NEW_FILE = '# The entities of this project and their purposes. Edit it as you like.\nmetadata:\n  version: "1.0.0"\n'

FIELD_ORDER = ("path", "type", "purpose", "keywords", "dependencies", "adaptability", "checksum")

_ALWAYS_QUOTED = ("purpose", "checksum", "last_updated", "version")


def put_entity(text: str, category: str, key: str, fields: Fields) -> str:
    """Return the text with an entity's fields set; the entity, its category and the list are created if missing.

    Raise Conflict, MalformedYaml.
    """
    ordered = {name: fields[name] for name in (*FIELD_ORDER, *fields) if name in fields}
    return put_fields(text, {(category, key): ordered})


def put_fields(text: str, fields_of: Mapping[tuple[str, str], Fields]) -> str:
    """Return the text with fields of several entities set. Raise Conflict, MalformedYaml."""
    changes: dict[yaml_edit.Path, yaml_edit.Fields] = {
        ("entities", *path): _formatted(fields) for path, fields in fields_of.items()
    }
    return _edited(lambda: yaml_edit.set_values(text, changes))


def remove_entity(text: str, category: str, key: str) -> str:
    """Return the text without an entity; its category stays, possibly empty.

    Raise NotFound if there is no such entity, Conflict, MalformedYaml.
    """
    try:
        return _edited(lambda: yaml_edit.remove_key(text, ("entities", category, key)))
    except KeyError as error:
        raise NotFound("The file has no entity with that id.") from error


def set_metadata(text: str, fields: Fields) -> str:
    """Return the text with existing keys of the metadata set; other keys are ignored. Raise Conflict, MalformedYaml."""
    root = parse_nodes(text.removeprefix("\ufeff"))
    metadata = root.get("metadata") if root is not None else None
    known = {name: value for name, value in fields.items() if metadata is not None and metadata.get(name)}
    return _edited(lambda: yaml_edit.set_values(text, {("metadata",): _formatted(known)})) if known else text


def format_change(value: Value) -> str:
    """Return a value in the form shown in a list of changes."""
    return value if isinstance(value, str) else inline_yaml(value)


def _formatted(fields: Fields) -> dict[str, str]:
    return {
        name: quoted(value) if name in _ALWAYS_QUOTED and isinstance(value, str) else inline_yaml(value)
        for name, value in fields.items()
    }


def _edited(edit: Callable[[], str]) -> str:
    try:
        return edit()
    except UneditableYaml as error:
        raise Conflict(
            "The registry cannot be changed without affecting its other content.",
            hint="Put each key on a line of its own, without anchors, or edit the file by hand.",
        ) from error
