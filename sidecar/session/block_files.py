"""Puts the block into the file an IDE reads, and out of it: the choice of the file, reading, writing, noting it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Conflict, SidecarError
from sidecar.core.ides import IDES, PLACES, IdeName, Place, chosen, place_named
from sidecar.session import user_files
from sidecar.session.managed_block import BlockState, Unclear, state_of, with_block, without_block
from sidecar.session.model import BlockShown
from sidecar.session.store import Written
from sidecar.system.git import NOT_A_REPOSITORY, Git, GitFailed

_OWN = 2
"""A file and a folder were made for a block in a folder of ours, should our state no more know."""


class Spot(NamedTuple):
    """A file below a root that has a block, or may have one."""

    root: Path
    place: Place
    made: int = 0
    """How many folders and files were made for it."""

    @property
    def path(self) -> str:
        """Where it is, as shown."""
        return os.path.join(self.root, *self.place.file.split("/"))


def spot_for(root: Path, ide: IdeName, *, wants_rules: bool) -> Spot:
    """Chooses the file that takes the block; git is asked which files it leaves alone."""
    row = IDES[ide]
    existing = {place.file for place in row.rules if os.path.lexists(Spot(root, place).path)}
    shared = [place.file for place in row.local if not place.is_own]
    ignored = set() if wants_rules or not shared else _ignored(root, shared)
    return Spot(root, chosen(ide, wants_rules, ignored, existing))


def spots(noted: Sequence[Written], roots: Sequence[Path]) -> Iterator[Spot]:
    """Gives every file that is known to have a block, and those below the roots in which one is found."""
    known = [Spot(Path(one.root), place_named(one.file), one.made) for one in noted]
    yield from known
    seen = {(spot.root, spot.place.file) for spot in known}
    for root in dict.fromkeys(roots):
        for place in PLACES:
            if (root, place.file) not in seen and shown(Spot(root, place)).state not in ("none", "unreadable"):
                yield Spot(root, place, _OWN if place.is_own else 0)


def shown(spot: Spot) -> BlockShown:
    """Says what block is in a file."""
    try:
        content = user_files.read(spot.root, spot.place).content
    except SidecarError:
        return BlockShown(path=spot.path, state="unreadable")
    return BlockShown(path=spot.path, state=_state(content))


def put(spot: Spot, text: str, *, force: bool, even_read_only: bool = False) -> int:
    """Writes the block and gives how many folders and files were made; raises Conflict where that is a guess."""
    before = user_files.read(spot.root, spot.place)
    start = before.content if before.content is not None else spot.place.head.encode()
    try:
        content = with_block(start, text, heal=force)
    except Unclear as unclear:
        raise _refused(spot, unclear) from unclear
    return user_files.write(spot.place, before, content, even_read_only=even_read_only)


def take_out(spot: Spot, *, force: bool, even_read_only: bool = False) -> None:
    """Takes the block out, and removes the file if we made it and it holds nothing else; raises Conflict."""
    before = user_files.read(spot.root, spot.place)
    if before.content is None:
        return
    try:
        content = without_block(before.content, heal=force)
    except Unclear as unclear:
        raise _refused(spot, unclear) from unclear
    if spot.made and content in (b"", spot.place.head.encode()):
        user_files.remove(spot.place, before, spot.made)
    else:
        user_files.write(spot.place, before, content, even_read_only=even_read_only)


def _state(content: bytes | None) -> BlockState:
    return "none" if content is None else state_of(content)


def _refused(spot: Spot, unclear: Unclear) -> Conflict:
    return Conflict(
        f"`{spot.place.file}` {unclear}; it was left as it is.",
        hint="Repair it by hand, or with `force`: that takes out the markers and the lines known as ours.",
    )


def _ignored(root: Path, names: list[str]) -> set[str]:
    """Gives those of the files that git leaves alone; without a repository all, when git cannot say none."""
    try:
        asked = "\0".join(names).encode()
        told = Git(root).run("check-ignore", "-z", "--stdin", stdin=asked, fine=(0, 1))
    except GitFailed as failed:
        return set(names) if failed.reason == NOT_A_REPOSITORY else set()
    return {name.decode() for name in told.split(b"\0") if name}
