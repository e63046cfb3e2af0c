"""Looks through the memories' folder: which files there are, told by their stamps, without reading any."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.memory.files.folder import MemoryFolder, Stamp, is_link, stamp_of
from sidecar.memory.files.layout import ARCHIVE, KEEPINGS, MAX_DEPTH, OWNERS, is_name


class Tree(NamedTuple):
    """Every memory file's stamp by its path, and what could not be looked at."""

    files: dict[str, Stamp]
    unreadable: tuple[str, ...]
    """Folders, each with a slash at its end: what was known of them still counts."""
    warnings: tuple[tuple[str, str], ...]
    """Path and sentence."""


def walk(folder: MemoryFolder) -> Tree:
    """Looks through the folders of every owner and keeping, and the archive's; links are told of, not followed."""
    looking = _Looking(folder.root)
    for top in ("", f"{ARCHIVE}/"):
        for owner in OWNERS:
            for keeping in KEEPINGS:
                looking.look(f"{top}{owner}/{keeping}/", MAX_DEPTH)
    return Tree(looking.files, tuple(looking.unreadable), tuple(looking.warnings))


class _Looking:
    def __init__(self, root: str) -> None:
        self.root = root
        self.files: dict[str, Stamp] = {}
        self.unreadable: list[str] = []
        self.warnings: list[tuple[str, str]] = []

    def look(self, below: str, depth: int) -> None:
        """Takes the files of a folder and of those in it; a file whose name is not allowed is told of."""
        for entry in self._entries(below):
            path = below + entry.name
            is_file = entry.name.endswith(".md")
            if entry.name.startswith("."):
                continue
            if not is_name(entry.name):
                self.warnings.append((below, "A file with signs in its name that not every system allows is left out."))
            elif is_file:
                self._take(entry, path)
            elif entry.is_dir(follow_symlinks=False) and depth > 1:
                self._descend(entry, path, depth)
            elif entry.is_symlink():
                self.warnings.append((path, "A link is not followed."))

    def _descend(self, entry: os.DirEntry[str], path: str, depth: int) -> None:
        if os.name == "nt" and is_link(entry.stat(follow_symlinks=False)):
            self.warnings.append((path, "A link is not followed."))
        else:
            self.look(f"{path}/", depth - 1)

    def _take(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return  # it went meanwhile
        if is_link(found):
            self.warnings.append((path, "A link is not followed."))
        elif entry.is_file(follow_symlinks=False):
            self.files[path] = stamp_of(found)

    def _entries(self, below: str) -> Iterator[os.DirEntry[str]]:
        """Lists a folder; one that is a link, also on the way to it, is none."""
        place = os.path.join(self.root, *below.split("/")[:-1])
        if below.count("/") <= 3 and self._leads_away(below):
            return
        try:
            with os.scandir(place) as entries:
                yield from entries
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            self.unreadable.append(below)
            self.warnings.append((below, "The folder cannot be read."))

    def _leads_away(self, below: str) -> bool:
        place = self.root
        for part in below.split("/")[:-1]:
            place = os.path.join(place, part)
            try:
                if is_link(os.lstat(place)):
                    self.warnings.append((below, "A link is not followed."))
                    return True
            except OSError:
                return False
        return False
