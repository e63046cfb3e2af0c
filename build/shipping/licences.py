"""The licence texts of all components, in one file."""

from __future__ import annotations

import importlib.metadata
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from shipping.components import INTERPRETER, PROJECT, UnknownOrigin
from shipping.native_libraries import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shipping.components import Component

TEXTS = Path(__file__).resolve().parents[2] / "packaging" / "licences"
RULE = "=" * 78
_TEXT_FILE = re.compile(r"(?:.*/)?[^/]*(?:licen[cs]e|copying|notice)[^/]*", re.IGNORECASE)
_NO_TEXT = re.compile(r".*\.(?:py|pyc|pyi|json|so|pyd)", re.IGNORECASE)


def licences(found_components: Sequence[Component]) -> str:
    """Return a text with each component's name, licence and licence text. Raise UnknownOrigin."""
    others = (component for component in found_components if component.name != PROJECT)
    return "\n".join(
        f"{RULE}\n{component.name}"
        f" {component.version or ''}\n{component.licence}\n{RULE}\n\n{_licence_text(component)}\n"
        for component in others
    )


def _licence_text(component: Component) -> str:
    if component.kind == "library":
        text = next(row.text for row in LIBRARIES if row.name == component.name)
        return (TEXTS / f"{text}.txt").read_text(encoding="utf-8")
    if component.name == INTERPRETER:
        return _python_licence()
    texts = [path for path in importlib.metadata.files(component.name) or [] if _is_text(path.as_posix())]
    own = TEXTS / f"{component.name}.txt"
    if not texts and own.exists():
        return own.read_text(encoding="utf-8")
    if not texts:
        raise UnknownOrigin(
            f"the licence text of {component.name}: put it into packaging/licences/{component.name}.txt"
        )
    return "\n".join(Path(path.locate()).read_text(encoding="utf-8", errors="replace") for path in sorted(texts))


def _is_text(path: str) -> bool:
    return ".dist-info/" in path and bool(_TEXT_FILE.fullmatch(path)) and not _NO_TEXT.fullmatch(path)


def _python_licence() -> str:
    """Return Python's licence from where its installers put it."""
    home = Path(sysconfig.get_path("stdlib"))
    folders = (home, home.parent, home.parent.parent)
    for path in (folder / name for folder in folders for name in ("LICENSE.txt", "LICENSE")):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise UnknownOrigin("Python's licence text")
