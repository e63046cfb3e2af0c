"""Finds what is inside the built program: each file and each frozen module belongs to a component with a licence."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from packaging.utils import canonicalize_name
from shipping.libraries import is_interpreters, is_standard_module, library_of, version_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PROJECT = "onecode-sidecar"
INTERPRETER = "cpython"
BOOTLOADER = "pyinstaller"
CONTENTS = "_internal"

Kind = Literal["project", "package", "interpreter", "library"]


class Unaccounted(Exception):
    """Something in the built program belongs to nothing that is known; its text names it."""


@dataclass
class Component:
    """One thing the program is made of."""

    name: str
    version: str | None
    kind: Kind
    licence: str
    size: int = 0
    """Bytes."""
    hashes: list[tuple[str, str]] = field(default_factory=list)
    """Its files under their paths in the build, with their SHA-256."""

    def add(self, path: str, content: bytes) -> None:
        """Counts a file of its own."""
        self.size += len(content)
        self.hashes.append((path, hashlib.sha256(content).hexdigest()))


LICENCES_TOLD_OTHERWISE = {
    "apsw": "Zlib",
    "blake3": "CC0-1.0 OR Apache-2.0",
    "colorama": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "protobuf": "BSD-3-Clause",
    "pygal": "LGPL-3.0-or-later",
    "pygit2": "GPL-2.0-only WITH GCC-exception-2.0",
    "pywin32": "BSD-3-Clause AND PSF-2.0",
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
    "tree-sitter": "MIT",
    "requests": "Apache-2.0",
    "certifi": "MPL-2.0",
    "oslash": "MIT",
}
"""SPDX expressions of packages whose own metadata names their licence in other words."""

MODULE_FOLDERS = ("", "win32/lib/", "win32/")
"""Where modules lie below the packages' folder; pywin32 puts two of its own folders on the path."""

_SPDX = re.compile(r"[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+()-]+)*|\(.+\) (?:AND|OR) .+|.+ (?:AND|OR) \(.+\)")


def components(folder: Path, modules: Mapping[str, int], program: str) -> list[Component]:
    """Accounts for every file of a built program and every module frozen into its executable.

    `modules` are the frozen ones with their bytes; what of the executable is no module is PyInstaller's bootloader.
    Raises Unaccounted.
    """
    found: dict[str, Component] = {}
    owners = _Owners()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        told = path.relative_to(folder).as_posix()
        if told != program:
            content = path.read_bytes()
            _known(found, owners.of_file(told.removeprefix(f"{CONTENTS}/"), content)).add(told, content)
    for module, size in sorted(modules.items()):
        _known(found, owners.of_module(module)).size += size
    executable = (folder / program).read_bytes()
    bootloader = _known(found, owners.package(BOOTLOADER))
    bootloader.size += max(0, len(executable) - sum(modules.values()))
    _known(found, owners.package(PROJECT)).hashes.append((program, hashlib.sha256(executable).hexdigest()))
    return sorted(found.values(), key=lambda one: (one.kind, one.name, one.version or ""))


def _known(found: dict[str, Component], one: Component) -> Component:
    return found.setdefault(f"{one.name} {one.version}", one)


class _Owners:
    """Which installed package a file or module came from."""

    def __init__(self) -> None:
        self._files = _installed()

    def of_file(self, path: str, content: bytes) -> Component:
        if path.startswith(("sidecar/", "rpc_schema/")):
            return self.package(PROJECT)
        library = library_of(path.rsplit("/", 1)[-1])
        if library is not None:
            return Component(library.name, version_in(content, library), "library", library.licence)
        if path in self._files:
            return self.package(self._files[path])
        if is_interpreters(path):
            return self.package(INTERPRETER)
        raise Unaccounted(path)

    def of_module(self, module: str) -> Component:
        if module.partition(".")[0] == "sidecar":
            return self.package(PROJECT)
        owner = owner_of_module(module, self._files)
        if owner is not None:
            return self.package(owner)
        if is_standard_module(module) or module.startswith("_sysconfigdata"):
            return self.package(INTERPRETER)
        if module.startswith(("pyi", "_pyi")) or module == "__main__":
            return self.package(BOOTLOADER)
        base = module.replace(".", "/")
        holders = {owner for path, owner in self._files.items() if path.startswith(f"{base}/")}
        if len(holders) >= 1:  # a namespace package: an empty module of its parts' making
            return self.package(min(holders))
        raise Unaccounted(module)

    @staticmethod
    def package(name: str) -> Component:
        if name == INTERPRETER:
            return Component(name, platform.python_version(), "interpreter", "Python-2.0.1")
        told = importlib.metadata.metadata(name)
        kind: Kind = "project" if name == PROJECT else "package"
        return Component(canonicalize_name(told["Name"]), told["Version"], kind, licence_of(told["Name"], told))


def owner_of_module(module: str, files: Mapping[str, str]) -> str | None:
    """Names the package whose file a module is; `files` are those of all packages."""
    base = module.replace(".", "/")
    paths = (f"{folder}{base}{ending}" for folder in MODULE_FOLDERS for ending in ("/__init__.py", ".py"))
    return next((files[path] for path in paths if path in files), None)


def licence_of(name: str, told: importlib.metadata.PackageMetadata) -> str:
    """Gives a package's licence as an SPDX expression; raises Unaccounted where none is told."""
    if canonicalize_name(name) == PROJECT:
        return "LicenseRef-1Code"
    fields = (told[name] for name in ("License-Expression", "License") if name in told)
    stated = LICENCES_TOLD_OTHERWISE.get(canonicalize_name(name)) or next((field for field in fields if field), "")
    stated = {"MIT License": "MIT", "MIT license": "MIT", "PSFL": "PSF-2.0"}.get(stated, stated)
    if not stated and any(line.endswith("MIT License") for line in told.get_all("Classifier") or []):
        stated = "MIT"
    if not _SPDX.fullmatch(stated):
        raise Unaccounted(f"the licence of {name} ({stated[:60]!r})")
    return stated


@functools.cache
def _installed() -> Mapping[str, str]:
    """Gives the files of all installed packages, each with its package."""
    return {
        path.as_posix(): canonicalize_name(package.metadata["Name"])
        for package in importlib.metadata.distributions()
        for path in package.files or []
    }
