"""The registry's file is changed: one writer at a time, whole or not at all, with a copy of what was there before."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sidecar.core.errors import Busy, Conflict, WorkspaceUnavailable
from sidecar.registry.file.editing import NEW_FILE
from sidecar.registry.file.places import Place, inside, place_of
from sidecar.system import filelock
from sidecar.system.plain_files import opened
from sidecar.system.whole_files import OWN_FOLDER, own_folder, write_whole

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
