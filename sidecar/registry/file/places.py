"""Where a project's registry lies, and how its files are read: below the project's folder, no link leads out of it."""

import errno
import os
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import PolicyDenied, TooLarge
from sidecar.system.plain_files import content_of

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
