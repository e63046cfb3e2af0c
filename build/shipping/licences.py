"""The licence texts of what is inside, in one file."""

from __future__ import annotations

import importlib.metadata
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from shipping.inside import INTERPRETER, PROJECT, Unaccounted
from shipping.libraries import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shipping.inside import Component

TEXTS = Path(__file__).resolve().parents[2] / "packaging" / "licences"
RULE = "=" * 78
_TEXT_FILE = re.compile(r"(?:.*/)?[^/]*(?:licen[cs]e|copying|notice)[^/]*", re.IGNORECASE)
_NO_TEXT = re.compile(r".*\.(?:py|pyc|pyi|json|so|pyd)", re.IGNORECASE)


def licences(found: Sequence[Component]) -> str:
    """Gives a text with each component's name, licence and the licence's words; raises Unaccounted."""
    said = (one for one in found if one.name != PROJECT)
    return "\n".join(
        f"{RULE}\n{one.name} {one.version or ''}\n{one.licence}\n{RULE}\n\n{_words(one)}\n" for one in said
    )


def _words(one: Component) -> str:
    if one.kind == "library":
        text = next(row.text for row in LIBRARIES if row.name == one.name)
        return (TEXTS / f"{text}.txt").read_text(encoding="utf-8")
    if one.name == INTERPRETER:
        return _pythons()
    texts = [path for path in importlib.metadata.files(one.name) or [] if _is_text(path.as_posix())]
    own = TEXTS / f"{one.name}.txt"
    if not texts and own.exists():
        return own.read_text(encoding="utf-8")
    if not texts:
        raise Unaccounted(f"the licence text of {one.name}: put it into packaging/licences/{one.name}.txt")
    return "\n".join(Path(path.locate()).read_text(encoding="utf-8", errors="replace") for path in sorted(texts))


def _is_text(path: str) -> bool:
    return ".dist-info/" in path and bool(_TEXT_FILE.fullmatch(path)) and not _NO_TEXT.fullmatch(path)


def _pythons() -> str:
    """Finds Python's licence where its different installers put it."""
    home = Path(sysconfig.get_path("stdlib"))
    folders = (home, home.parent, home.parent.parent)
    for path in (folder / name for folder in folders for name in ("LICENSE.txt", "LICENSE")):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise Unaccounted("Python's licence text")
