"""The registry's YAML file: location, parsing, edits in place, locked and atomic writes."""

import errno
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sidecar.core import yaml_text
from sidecar.core.clean_text import count_noun
from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, SidecarError, TooLarge, WorkspaceUnavailable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.core.yaml_text import MalformedYaml, Node, UneditableYaml, Value, inline_yaml, parse_nodes, quoted
from sidecar.registry.entities import DEFAULT_ADAPTABILITY, Entity, Metadata, Registry, Remark, checksum_of
from sidecar.system import filelock
from sidecar.system.atomic_write import OWN_FOLDER, own_folder, write_atomic, write_resolved
from sidecar.system.safe_open import open_regular, read_regular

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
    changes: dict[yaml_text.Path, yaml_text.Fields] = {
        ("entities", *path): _formatted(fields) for path, fields in fields_of.items()
    }
    return _edited(lambda: yaml_text.set_values(text, changes))


def remove_entity(text: str, category: str, key: str) -> str:
    """Return the text without an entity; its category stays, possibly empty.

    Raise NotFound if there is no such entity, Conflict, MalformedYaml.
    """
    try:
        return _edited(lambda: yaml_text.remove_key(text, ("entities", category, key)))
    except KeyError as error:
        raise NotFound("No entity of the file has that id.") from error


def set_metadata(text: str, fields: Fields) -> str:
    """Return the text with existing keys of the metadata set; other keys are ignored. Raise Conflict, MalformedYaml."""
    root = parse_nodes(text.removeprefix("\ufeff"))
    metadata = root.get("metadata") if root is not None else None
    known = {name: value for name, value in fields.items() if metadata is not None and metadata.get(name)}
    return _edited(lambda: yaml_text.set_section_values(text, "metadata", _formatted(known))) if known else text


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


CHECKSUM_ALGORITHM = "sha256"
METADATA = "metadata"

FRAMEWORK_REGISTRY = "chati.dev/data/entity-registry.yaml"
"""The framework's own registry; used if it exists."""

OWN_REGISTRY = ".chati/registry.yaml"
"""The registry of a project without the framework, in our own folder, which git ignores."""

MAX_REGISTRY_BYTES = 32 * 1024 * 1024
MAX_ENTITY_BYTES = 16 * 1024 * 1024
"""A larger file has no checksum."""

LOCK_WAIT_S = 5.0
BACKUPS = "backups"
MAX_BACKUPS = 10
_BACKUP = lazy_regex(r"registry-[^/]{1,200}\.yaml")


def parse(text: str) -> Registry:
    """Parse a registry; raise MalformedYaml if it is not YAML or not a mapping.

    A wrong entity count, an entry that is not a mapping, and an adaptability out of range become remarks.
    """
    root = parse_nodes(text)
    if root is None:
        return Registry((), Metadata())
    if root.kind != "mapping":
        raise MalformedYaml("The file is not a mapping of keys to values.")
    remarks: list[Remark] = []
    metadata = _metadata(root.get("metadata"), remarks)
    listed = root.get("entities")
    if listed is not None and listed.kind != "mapping" and (listed.text or listed.kind != "scalar"):
        remarks.append(Remark(listed.line, "entities", "`entities` is not a mapping of categories to entities."))
    entities = tuple(_entities(root.get("entities"), remarks))
    if metadata.entity_count is not None and metadata.entity_count != len(entities):
        remarks.append(
            Remark(
                _line(root.get("metadata"), "entity_count"),
                "metadata",
                f"The file declares {count_noun(metadata.entity_count, 'entity')} and contains {len(entities)}.",
            )
        )
    return Registry(_masked(entities, remarks), metadata, remarks)


_LEFT_OUT = "The entry is left out, because its id or path contains a secret."


def _masked(entities: tuple[Entity, ...], remarks: list[Remark]) -> tuple[Entity, ...]:
    """Mask secrets in the entities' words, and leave out those whose id or path contains one."""
    names = "\n".join([f"{entity.id}\n{entity.path}" for entity in entities])
    if redact(names) != names:  # one by one only if there is one: entities are many
        remarks.extend(Remark(0, redact(entity.id), _LEFT_OUT) for entity in entities if _is_named_by_secret(entity))
        entities = tuple(entity for entity in entities if not _is_named_by_secret(entity))
    words = "\n".join(["\n".join((entity.purpose, *entity.keywords, *entity.dependencies)) for entity in entities])
    if redact(words) == words:
        return entities
    return tuple(
        entity._replace(
            purpose=redact(entity.purpose),
            keywords=tuple(map(redact, entity.keywords)),
            dependencies=tuple(map(redact, entity.dependencies)),
        )
        for entity in entities
    )


def _is_named_by_secret(entity: Entity) -> bool:
    return redact(entity.id) != entity.id or redact(entity.path) != entity.path


def is_checksum(text: str) -> bool:
    """Whether a text is a SHA-256 in hexadecimal digits, not a placeholder."""
    return len(text) == 64 and all(char in "0123456789abcdefABCDEF" for char in text)


def _metadata(node: Node | None, remarks: list[Remark]) -> Metadata:
    if node is None:
        return Metadata()
    metadata = {key: value.text for key, (_, value) in node.pairs.items()}
    count = metadata.get("entity_count", "")
    algorithm = metadata.get("checksum_algorithm", "")
    if algorithm and algorithm.lower() != CHECKSUM_ALGORITHM:
        remarks.append(
            Remark(node.line, "metadata", f"Checksums must be {CHECKSUM_ALGORITHM}, not `{algorithm[:40]}`.")
        )
    return Metadata(
        metadata.get("version", ""),
        metadata.get("last_updated", ""),
        int(count) if _is_count(count) else None,
        algorithm,
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _entities(node: Node | None, remarks: list[Remark]) -> Iterator[Entity]:
    for category, (_, group) in (node.pairs if node else {}).items():
        if group.kind != "mapping":
            if group.text or group.kind != "scalar":
                remarks.append(Remark(group.line, category, "The category is not a mapping of entities."))
            continue
        for key, (at, value) in group.pairs.items():
            if value.kind != "mapping":
                remarks.append(Remark(at.line, f"{category}/{key}", "The entry is not a mapping of keys to values."))
            else:
                yield _entity(category, key, value, remarks)
        if len(group.pairs) != len(group.fields):
            remarks.append(Remark(group.line, category, "The category has a duplicate key; the first one counts."))


def _entity(category: str, key: str, node: Node, remarks: list[Remark]) -> Entity:
    fields = {name: value for name, (_, value) in node.pairs.items()}
    text = {name: fields[name].text for name in ("path", "type", "purpose", "checksum") if name in fields}
    name = f"{category}/{key}"
    missing = (field for field in ("path", "purpose") if not text.get(field))
    remarks.extend(Remark(node.line, name, f"The entry has no `{field}`.") for field in missing)
    checksum = text.get("checksum", "")
    return Entity(
        category=category,
        key=key,
        path=text.get("path", ""),
        type=text.get("type") or category.removesuffix("s"),
        purpose=text.get("purpose", ""),
        keywords=_texts(fields.get("keywords")),
        dependencies=_texts(fields.get("dependencies")),
        adaptability=_adaptability(fields.get("adaptability"), name, remarks),
        checksum=checksum.lower() if is_checksum(checksum) else "",
    )


def _texts(node: Node | None) -> tuple[str, ...]:
    """Return the texts of a list; a scalar counts as a list of one."""
    if node is None:
        return ()
    return tuple(item.text for item in node.items or (node,) if item.text)


def _adaptability(node: Node | None, name: str, remarks: list[Remark]) -> float:
    if node is None or not node.text:
        return DEFAULT_ADAPTABILITY
    try:
        value = float(node.text)
    except ValueError:
        value = -1.0
    if 0.0 <= value <= 1.0:
        return value
    remarks.append(Remark(node.line, name, "The adaptability is not between 0.0 and 1.0."))
    return DEFAULT_ADAPTABILITY


def _line(node: Node | None, key: str) -> int:
    child = node.get(key) if node else None
    return child.line if child else 0


class RegistryFile(NamedTuple):
    """A registry's file; the path is relative to the project, with slashes."""

    path: str
    content: bytes | None
    """None if the file does not exist yet."""


def find_registry_file(project: Path) -> RegistryFile:
    """Find and read a project's registry.

    Raise PolicyDenied for a link out of the project or what is not a regular file, TooLarge, WorkspaceUnavailable if
    it cannot be read.
    """
    for path in (FRAMEWORK_REGISTRY, OWN_REGISTRY):
        if not os.path.lexists(os.path.join(project, path)):  # checked before each run; usually it does not exist
            continue
        try:
            return RegistryFile(path, _read(project, path, MAX_REGISTRY_BYTES))
        except (FileNotFoundError, NotADirectoryError):  # a link to nothing
            continue
        except OSError as error:
            raise _unreadable(path, error) from error
    has_framework = os.path.isdir(os.path.join(project, os.path.dirname(FRAMEWORK_REGISTRY)))
    return RegistryFile(FRAMEWORK_REGISTRY if has_framework else OWN_REGISTRY, None)


def read_project_file(project: Path, path: str) -> bytes | None:
    """Read the regular file of an entity in the project; None if there is none that can be read.

    Raise PolicyDenied for a path out of the project, TooLarge.
    """
    return read_entity_file(resolve_inside(project, path), path)


def read_entity_file(absolute: str, path: str) -> bytes | None:
    """Read the regular file of an entity by its real path; None if there is none that can be read. Raise TooLarge."""
    try:
        return _read_resolved(absolute, path, MAX_ENTITY_BYTES)
    except OSError:
        return None


def _read(project: Path, path: str, max_bytes: int) -> bytes:
    """Read a regular file in the project. Raise OSError, PolicyDenied for a path out of the project, TooLarge."""
    return _read_resolved(resolve_inside(project, path), path, max_bytes)


def _read_resolved(absolute: str, path: str, max_bytes: int) -> bytes:
    try:
        return read_regular(absolute, max_bytes, follow_links=False)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise TooLarge(f"`{path}` is larger than {max_bytes} bytes.", data={"limitBytes": max_bytes}) from error


def _unreadable(path: str, error: OSError) -> SidecarError:
    if error.errno in (errno.EINVAL, errno.EISDIR):
        return PolicyDenied(f"`{path}` is not a regular file.", hint="Move away what is in its place.")
    why = error.strerror or type(error).__name__
    return WorkspaceUnavailable(f"`{path}` cannot be read: {why}.", hint="Check its permissions.")


def resolve_inside(project: Path, path: str, root: str | None = None) -> str:
    """Return the real path of a file in the project; raise PolicyDenied for one outside.

    `root` is the project's real path, for callers with many files.
    """
    root = root or os.path.realpath(project)
    try:
        absolute = os.path.realpath(os.path.join(root, path))
    except OSError as error:  # a folder on the way is replaced at this moment
        raise _unreadable(path, error) from error
    if not path or "\0" in path or not absolute.startswith(os.path.join(root, "")):
        raise PolicyDenied(
            f"`{path[:200]}` is outside the project.",
            hint="Use a path relative to the project that no link leads out of it.",
        )
    return absolute


@contextmanager
def lock_registry(project: Path) -> Generator[RegistryFile]:
    """Lock the registry against other writers and yield its current file.

    Raise Busy, PolicyDenied for a folder out of the project, WorkspaceUnavailable if it cannot be written.
    """
    resolve_inside(project, f"{OWN_FOLDER}/registry.lock")
    try:
        with own_folder(str(project)) as folder:
            fd = open_regular(folder.at("registry.lock"), os.O_RDWR | os.O_CREAT, mode=0o600, folder_fd=folder.fd)
    except OSError as error:
        raise _unwritable(error) from error
    with filelock.locked(fd, LOCK_WAIT_S) as is_held:
        if not is_held:
            raise Busy("Another process is changing the registry.", data={"retryAfterMs": 500})
        yield find_registry_file(project)


def text_of(file: RegistryFile) -> str:
    """Return the file's text, or that of a new file; raise Conflict if it is not UTF-8."""
    if file.content is None:
        return NEW_FILE
    try:
        return file.content.decode()
    except UnicodeDecodeError as error:
        raise Conflict("The registry's file is not UTF-8.", hint="Save it as UTF-8.") from error


def write(project: Path, file: RegistryFile, text: str, stamp: str) -> str | None:
    """Write the registry's file after a backup of the old one; return the backup's path relative to the project.

    `stamp` names the backup; the last `MAX_BACKUPS` are retained. Raise WorkspaceUnavailable, PolicyDenied.
    """
    target = resolve_inside(project, file.path)
    try:
        backup = _back_up(project, file, stamp) if file.content is not None else None
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write_resolved(target, text.encode())
    except OSError as error:
        raise _unwritable(error) from error
    return backup


def _back_up(project: Path, file: RegistryFile, stamp: str) -> str:
    name = f"registry-{stamp.replace(':', '').replace('.', '')}.yaml"
    with own_folder(str(project), BACKUPS) as folder:
        write_atomic(name, file.content or b"", folder=folder)
        entries = os.listdir(folder.path if folder.fd is None else folder.fd)
        for old in sorted(name for name in entries if _BACKUP.fullmatch(name))[:-MAX_BACKUPS]:
            folder.unlink(old)
    return f"{OWN_FOLDER}/{BACKUPS}/{name}"


def _unwritable(error: OSError) -> WorkspaceUnavailable:
    return WorkspaceUnavailable(
        f"The registry cannot be written: {error.strerror or type(error).__name__}.",
        hint="Check the permissions of the project and the disk.",
    )


class FieldChange(NamedTuple):
    """A changed value; None if absent."""

    id: str
    field: str
    before: str | None
    after: str | None


class EditResult(NamedTuple):
    """The result of an edit of the file."""

    path: str
    changes: list[FieldChange]
    written: bool
    backup: str | None
    registry: Registry | None
    """Content of the file's text after the edit, also of a dry run; None if it was not edited."""


RegistryEdit = Callable[[str], tuple[str, Sequence[FieldChange]]]
"""Returns the edited text and its changes."""


def edit_registry_file(project: Path, now: str, edit: RegistryEdit, *, dry_run: bool) -> EditResult:
    """Edit the registry's file, and update its count and date if it has them.

    A dry run writes nothing, not even the lock. Raise Conflict for a file that cannot be parsed or edited, Busy,
    PolicyDenied, TooLarge, WorkspaceUnavailable.
    """
    with yaml_text.shared_parses(), _current_file(project) if dry_run else lock_registry(project) as file:
        before = text_of(file)
        try:
            after, changes = edit(before)
            registry = parse(after.removeprefix(_BOM))
            after, metadata_changes = _update_metadata(before, after, registry, now)
        except MalformedYaml as damage:
            raise Conflict(f"The registry cannot be changed. {damage}", hint=f"Fix `{file.path}` by hand.") from damage
        all_changes = [*changes, *metadata_changes]
        if dry_run or after == before:
            return EditResult(file.path, all_changes, written=False, backup=None, registry=registry)
        backup = write(project, file, after, now)
        return EditResult(file.path, all_changes, written=True, backup=backup, registry=registry)


@contextmanager
def _current_file(project: Path) -> Generator[RegistryFile]:
    yield find_registry_file(project)


def _update_metadata(before: str, after: str, registry: Registry, now: str) -> tuple[str, list[FieldChange]]:
    metadata = registry.metadata
    count = len(registry.entities) + sum(remark.message == _LEFT_OUT for remark in registry.remarks)
    changes: list[FieldChange] = []
    fields: dict[str, Value] = {}
    if metadata.entity_count not in (None, count):
        changes.append(FieldChange(METADATA, "entity_count", str(metadata.entity_count), str(count)))
        fields["entity_count"] = count
    if (fields or after != before) and metadata.last_updated:
        changes.append(FieldChange(METADATA, "last_updated", metadata.last_updated, now))
        fields["last_updated"] = now
    return (set_metadata(after, fields) if fields else after), changes


_BOM = "\ufeff"


def update_checksums(project: Path, text: str) -> tuple[str, list[FieldChange]]:
    """Return the text with current checksums; entities with missing files are unchanged."""
    changes: list[FieldChange] = []
    checksums: dict[tuple[str, str], dict[str, Value]] = {}
    for entity in parse(text.removeprefix(_BOM)).entities:
        now = entity_checksum(project, entity)
        if now and now != entity.checksum:
            changes.append(FieldChange(entity.id, "checksum", entity.checksum or None, now))
            checksums[entity.category, entity.key] = {"checksum": now}
    return put_fields(text, checksums) if checksums else text, changes


def entity_checksum(project: Path, entity: Entity) -> str | None:
    """Return a file's checksum; None if it is missing, outside or too large."""
    try:
        content = read_project_file(project, entity.path)
    except (PolicyDenied, TooLarge):
        return None
    return None if content is None else checksum_of(content)
