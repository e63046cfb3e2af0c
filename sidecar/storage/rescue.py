"""Sets a damaged state file aside and carries over what cannot be derived again.

A rescue that is interrupted at any point is taken up again at the next start: a note beside the file says
where the damaged one went, and the new file takes its place only when it is complete.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sidecar.core import json_text
from sidecar.core.errors import StateDegraded
from sidecar.storage.connecting import translated
from sidecar.storage.database import suspect_note
from sidecar.storage.salvage import salvage

if TYPE_CHECKING:
    from pathlib import Path

_SIDE_FILES = ("-wal", "-shm")


def is_unfinished(path: Path) -> bool:
    """Whether a rescue of this file was begun and not finished."""
    return _note(path).exists()


def rescue(path: Path, damage: str, now_ms: int) -> str:
    """Puts a sound file in the place of a damaged one, and gives a sentence for the user.

    Raises StateDegraded when the damaged file cannot be moved. The caller is alone with the file.
    """
    fresh = path.with_name(path.name + ".rescued")
    try:
        aside = path.with_name(_aside_name(path, now_ms))
        for suffix in ("", *_SIDE_FILES):
            _move(path.with_name(path.name + suffix), aside.with_name(aside.name + suffix))
        for suffix in ("", *_SIDE_FILES):
            fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)
        with translated():
            saved, lost = salvage(aside, fresh, now_ms)
        os.replace(fresh, path)
        suspect_note(path).unlink(missing_ok=True)
        _note(path).unlink()
    except OSError as error:
        raise StateDegraded(
            "The state file is damaged and could not be set aside.",
            hint="Close other programs that use it, or move it away by hand.",
        ) from error
    story = f"carried over {saved} records" + (f", could not read all of {', '.join(lost)}" if lost else "")
    return f"The state file was damaged ({damage}); it is kept as {aside.name}; {story}."


def _aside_name(path: Path, now_ms: int) -> str:
    """Gives the name for the damaged file, the one written down by an earlier attempt if there was one."""
    note = _note(path)
    if note.exists():
        try:
            return str(json_text.loads(note.read_bytes())["aside"])
        except (ValueError, KeyError):
            pass  # killed while writing the note: nothing was moved yet
    number = now_ms
    while any(path.parent.glob(f"{path.name}.damaged-{number}*")):
        number += 1
    name = f"{path.name}.damaged-{number}"
    note.write_bytes(json_text.dumps({"aside": name}))
    return name


def _move(source: Path, target: Path) -> None:
    if os.path.lexists(source) and not os.path.lexists(target):
        source.rename(target)


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".rescue")
