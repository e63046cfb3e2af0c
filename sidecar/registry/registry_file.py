"""The registry's YAML → entities, as intelligence-layer.md 5.1 writes it; what does not fit is told. Pure."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Busy, Conflict, PolicyDenied, TooLarge, WorkspaceUnavailable
from sidecar.core.text.yaml_edit import Damaged, Node, nodes_of
from sidecar.registry.entity import UNSAID, Entity, Metadata, Registry, Remark
from sidecar.registry.file_edit import NEW_FILE, set_metadata
from sidecar.system import filelock
from sidecar.system.atomic_write import OWN_FOLDER, own_folder, write_whole
from sidecar.system.safe_open import content_of, opened

__all__ = ["Damaged", "is_checksum", "parse"]

CHECKSUM_ALGORITHM = "sha256"


def parse(text: str) -> Registry:
    """Reads a registry; raises Damaged for what is no YAML or no list of keys.

    A declared count that differs, an entry that is no mapping, an adaptability out of range are remarks.
    """
    root = nodes_of(text)
    if root is None:
        return Registry((), Metadata())
    if root.kind != "mapping":
        raise Damaged("The file is not one list of keys with values.")
    remarks: list[Remark] = []
    metadata = _metadata(root.get("metadata"), remarks)
    entities = tuple(_entities(root.get("entities"), remarks))
    if metadata.entity_count is not None and metadata.entity_count != len(entities):
        remarks.append(
            Remark(
                _line(root.get("metadata"), "entity_count"),
                "metadata",
                f"The file declares {metadata.entity_count} entities and holds {len(entities)}.",
            )
        )
    return Registry(entities, metadata, remarks)


def is_checksum(text: str) -> bool:
    """Says whether a text is a SHA-256 in hexadecimal digits, and not a place kept for one."""
    return len(text) == 64 and all(char in "0123456789abcdefABCDEF" for char in text)


def _metadata(node: Node | None, remarks: list[Remark]) -> Metadata:
    if node is None:
        return Metadata()
    said = {key: value.text for key, (_, value) in node.pairs.items()}
    count = said.get("entity_count", "")
    algorithm = said.get("checksum_algorithm", "")
    if algorithm and algorithm.lower() != CHECKSUM_ALGORITHM:
        remarks.append(
            Remark(node.line, "metadata", f"Checksums are {CHECKSUM_ALGORITHM} only, not `{algorithm[:40]}`.")
        )
    return Metadata(
        said.get("version", ""), said.get("last_updated", ""), int(count) if _is_count(count) else None, algorithm
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _entities(node: Node | None, remarks: list[Remark]) -> Iterator[Entity]:
    for category, (_, group) in (node.pairs if node else {}).items():
        if group.kind != "mapping":
            if group.text or group.kind != "scalar":
                remarks.append(Remark(group.line, category, "The category is no list of entities."))
            continue
        for key, (at, value) in group.pairs.items():
            if value.kind != "mapping":
                remarks.append(Remark(at.line, f"{category}/{key}", "The entry is no list of keys with values."))
            else:
                yield _entity(category, key, value, remarks)
        if len(group.pairs) != len(group.fields):
            remarks.append(Remark(group.line, category, "The category has a key twice; the first one counts."))


def _entity(category: str, key: str, node: Node, remarks: list[Remark]) -> Entity:
    fields = {name: value for name, (_, value) in node.pairs.items()}
    text = {name: fields[name].text for name in ("path", "type", "purpose", "checksum") if name in fields}
    name = f"{category}/{key}"
    missing = (field for field in ("path", "purpose") if not text.get(field))
    remarks.extend(Remark(node.line, name, f"The entry has no `{field}`.") for field in missing)
    checksum = text.get("checksum", "")
    return Entity(
        category,
        key,
        text.get("path", ""),
        text.get("type") or category.removesuffix("s"),
        text.get("purpose", ""),
        _texts(fields.get("keywords")),
        _texts(fields.get("dependencies")),
        _adaptability(fields.get("adaptability"), name, remarks),
        checksum.lower() if is_checksum(checksum) else "",
    )


def _texts(node: Node | None) -> tuple[str, ...]:
    """The texts of a list; a scalar alone counts as a list of it."""
    if node is None:
        return ()
    return tuple(item.text for item in node.items or (node,) if item.text)


def _adaptability(node: Node | None, name: str, remarks: list[Remark]) -> float:
    if node is None or not node.text:
        return UNSAID
    try:
        value = float(node.text)
    except ValueError:
        value = -1.0
    if 0.0 <= value <= 1.0:
        return value
    remarks.append(Remark(node.line, name, "The adaptability is not between 0.0 and 1.0."))
    return UNSAID


def _line(node: Node | None, key: str) -> int:
    found = node.get(key) if node else None
    return found.line if found else 0


# Where a project's registry lies, and how its files are read: below the project's folder, no link leads out of it.


FRAMEWORKS = "chati.dev/data/entity-registry.yaml"
"""The framework's own registry (intelligence-layer.md 5.1): where it is there, it is the one."""

OURS = ".chati/registry.yaml"
"""The registry of a project without the framework: in our own folder, which ignores itself."""

MAX_REGISTRY_BYTES = 32 * 1024 * 1024
MAX_ENTITY_BYTES = 16 * 1024 * 1024
"""A larger file has no checksum."""


class Place(NamedTuple):
    """A registry's file, by its path below the project, slashes between the parts."""

    path: str
    content: bytes | None
    """None where there is none yet."""


def place_of(project: Path) -> Place:
    """Finds and reads a project's registry; raises PolicyDenied for a link that leads out, TooLarge."""
    for path in (FRAMEWORKS, OURS):
        is_there = os.path.lexists(os.path.join(project, path))  # asked before each run: mostly there is none
        content = read_below(project, path, MAX_REGISTRY_BYTES) if is_there else None
        if content is not None:
            return Place(path, content)
    has_framework = os.path.isdir(os.path.join(project, os.path.dirname(FRAMEWORKS)))
    return Place(FRAMEWORKS if has_framework else OURS, None)


def read_below(project: Path, path: str, max_bytes: int) -> bytes | None:
    """Reads a regular file below the project; None where there is none.

    Raises PolicyDenied for a path that leads out of the project, TooLarge.
    """
    absolute = inside(project, path)
    try:
        return content_of(absolute, max_bytes, follows=False)
    except OSError as error:
        if error.errno != errno.EFBIG:
            return None
        raise TooLarge(f"`{path}` is larger than {max_bytes} bytes.", data={"limitBytes": max_bytes}) from error


def inside(project: Path, path: str) -> str:
    """Gives the real path of what lies below the project; raises PolicyDenied for what does not."""
    absolute = os.path.realpath(os.path.join(project, path))
    root = os.path.realpath(project)
    if not path or "\0" in path or not absolute.startswith(os.path.join(root, "")):
        raise PolicyDenied(f"`{path[:200]}` does not lie in the project.", hint="Paths are relative to the project.")
    return absolute


# The registry's file is changed: one writer at a time, whole or not at all, with a copy of what was there before.


LOCK_WAIT_S = 5.0
BACKUPS = "backups"
KEPT_BACKUPS = 10


@contextmanager
def locked(project: Path) -> Iterator[Place]:
    """Keeps others from changing the registry meanwhile, and gives its file as it is now.

    Raises Busy, PolicyDenied for a folder that leads out of the project, WorkspaceUnavailable where it may not be
    written.
    """
    inside(project, f"{OWN_FOLDER}/registry.lock")
    try:
        fd = opened(os.path.join(own_folder(project), "registry.lock"), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _unwritable(error) from error
    with filelock.holding(fd, LOCK_WAIT_S) as is_held:
        if not is_held:
            raise Busy("Another process is changing the registry.", data={"retryAfterMs": 500})
        yield place_of(project)


def text_of(place: Place) -> str:
    """Gives the file's text, or that of a new one; raises Conflict for what is not UTF-8."""
    if place.content is None:
        return NEW_FILE
    try:
        return place.content.decode()
    except UnicodeDecodeError as error:
        raise Conflict("The registry's file is not UTF-8.", hint="Save it as UTF-8.") from error


def write(project: Path, place: Place, text: str, stamp: str) -> str | None:
    """Writes the registry's file, after a copy of what was there; gives the copy's path below the project.

    `stamp` names the copy. The last `KEPT_BACKUPS` copies stay. Raises WorkspaceUnavailable, PolicyDenied.
    """
    target = inside(project, place.path)
    try:
        backup = _backed_up(project, place, stamp) if place.content is not None else None
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write_whole(target, text.encode())
    except OSError as error:
        raise _unwritable(error) from error
    return backup


def _backed_up(project: Path, place: Place, stamp: str) -> str:
    folder = own_folder(project, BACKUPS)
    name = f"registry-{stamp.replace(':', '').replace('.', '')}.yaml"
    write_whole(os.path.join(folder, name), place.content or b"")
    ours = sorted(one for one in os.listdir(folder) if one.startswith("registry-") and one.endswith(".yaml"))
    for old in ours[:-KEPT_BACKUPS]:
        os.unlink(os.path.join(folder, old))
    return f"{OWN_FOLDER}/{BACKUPS}/{name}"


def _unwritable(error: OSError) -> WorkspaceUnavailable:
    return WorkspaceUnavailable(
        f"The registry cannot be written: {error.strerror or type(error).__name__}.",
        hint="Give this user the right to write to the project, or look at the disk.",
    )


# One change of the registry's file, with what follows from it: the count, the date, the copy of what was before.


METADATA = "metadata"


class Change(NamedTuple):
    """A value that changes; None where it is not there."""

    id: str
    field: str
    before: str | None
    after: str | None


class Changed(NamedTuple):
    """What became of the file."""

    path: str
    changes: list[Change]
    written: bool
    backup: str | None


Edit = Callable[[str], tuple[str, Sequence[Change]]]
"""Gives a text changed, and what was changed in it."""


def changed(project: Path, now: str, edit: Edit, *, dry_run: bool) -> Changed:
    """Changes the registry's file, and brings its count and date up to date where it has them.

    A dry run writes nothing, not even the lock. Raises Conflict for a file that cannot be read or changed, Busy,
    PolicyDenied, TooLarge, WorkspaceUnavailable.
    """
    with _reading(project) if dry_run else locked(project) as place:
        before = text_of(place)
        try:
            after, changes = edit(before)
            after, counted = _dated(before, after, now)
        except Damaged as damage:
            raise Conflict(
                f"The registry cannot be changed. {damage}", hint=f"Mend `{place.path}` by hand."
            ) from damage
        done = [*changes, *counted]
        if dry_run or after == before:
            return Changed(place.path, done, written=False, backup=None)
        return Changed(place.path, done, written=True, backup=write(project, place, after, now))


@contextmanager
def _reading(project: Path) -> Iterator[Place]:
    yield place_of(project)


def _dated(before: str, after: str, now: str) -> tuple[str, list[Change]]:
    registry = parse(after)
    said, count = registry.metadata, len(registry.entities)
    changes = []
    if said.entity_count not in (None, count):
        changes.append(Change(METADATA, "entity_count", str(said.entity_count), str(count)))
        after = set_metadata(after, {"entity_count": count})
    if after != before and said.last_updated:
        changes.append(Change(METADATA, "last_updated", said.last_updated, now))
        after = set_metadata(after, {"last_updated": now})
    return after, changes
