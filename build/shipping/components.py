"""The components of the built program: each file and each frozen module has an owner with a licence."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from packaging.utils import canonicalize_name
from shipping.native_libraries import belongs_to_interpreter, is_standard_module, library_of, version_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PROJECT = "onecode-sidecar"
INTERPRETER = "cpython"
BOOTLOADER = "pyinstaller"
CONTENTS = "_internal"

Kind = Literal["project", "package", "interpreter", "library"]


class UnknownOrigin(Exception):
    """A part of the built program without a known owner; the message names it."""


@dataclass
class Component:
    """One component of the program."""

    name: str
    version: str | None
    kind: Kind
    licence: str
    size: int = 0
    """Bytes."""
    hashes: list[tuple[str, str]] = field(default_factory=list)
    """Its files by path in the build, with their SHA-256."""

    def add(self, path: str, content: bytes) -> None:
        """Add a file of the component."""
        self.size += len(content)
        self.hashes.append((path, hashlib.sha256(content).hexdigest()))


LICENCE_OVERRIDES = {
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
"""SPDX expressions of packages whose metadata states the licence in another form."""

MODULE_FOLDERS = ("", "win32/lib/", "win32/")
"""Folders with modules below the packages' folder; pywin32 adds two of its own to the path."""

_SPDX = re.compile(r"[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+()-]+)*|\(.+\) (?:AND|OR) .+|.+ (?:AND|OR) \(.+\)")


def components(folder: Path, modules: Mapping[str, int], program: str) -> list[Component]:
    """Account for every file of a built program and every module frozen into its executable.

    `modules` are the frozen modules with their bytes; the rest of the executable is PyInstaller's bootloader. Raise
    UnknownOrigin.
    """
    found_components: dict[str, Component] = {}
    owners = _Owners()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        relative = path.relative_to(folder).as_posix()
        if relative != program:
            content = path.read_bytes()
            _component_of(found_components, owners.of_file(relative.removeprefix(f"{CONTENTS}/"), content)).add(
                relative, content
            )
    for module, size in sorted(modules.items()):
        _component_of(found_components, owners.of_module(module)).size += size
    executable = (folder / program).read_bytes()
    bootloader = _component_of(found_components, owners.package(BOOTLOADER))
    bootloader.size += max(0, len(executable) - sum(modules.values()))
    _component_of(found_components, owners.package(PROJECT)).hashes.append(
        (program, hashlib.sha256(executable).hexdigest())
    )
    return sorted(
        found_components.values(), key=lambda component: (component.kind, component.name, component.version or "")
    )


def _component_of(found_components: dict[str, Component], component: Component) -> Component:
    return found_components.setdefault(f"{component.name} {component.version}", component)


class _Owners:
    """Maps files and modules to installed packages."""

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
        if belongs_to_interpreter(path):
            return self.package(INTERPRETER)
        raise UnknownOrigin(path)

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
        if len(holders) >= 1:  # a namespace package: an empty module generated for its parts
            return self.package(min(holders))
        raise UnknownOrigin(module)

    @staticmethod
    def package(name: str) -> Component:
        if name == INTERPRETER:
            return Component(name, platform.python_version(), "interpreter", "Python-2.0.1")
        metadata = importlib.metadata.metadata(name)
        kind: Kind = "project" if name == PROJECT else "package"
        return Component(
            canonicalize_name(metadata["Name"]), metadata["Version"], kind, licence_of(metadata["Name"], metadata)
        )


def owner_of_module(module: str, files: Mapping[str, str]) -> str | None:
    """Return the package that owns a module; `files` are those of all packages."""
    base = module.replace(".", "/")
    paths = (f"{folder}{base}{ending}" for folder in MODULE_FOLDERS for ending in ("/__init__.py", ".py"))
    return next((files[path] for path in paths if path in files), None)


def licence_of(name: str, metadata: importlib.metadata.PackageMetadata) -> str:
    """Return a package's licence as an SPDX expression. Raise UnknownOrigin if none is stated."""
    if canonicalize_name(name) == PROJECT:
        return "LicenseRef-1Code"
    fields = (metadata[name] for name in ("License-Expression", "License") if name in metadata)
    stated = LICENCE_OVERRIDES.get(canonicalize_name(name)) or next((field for field in fields if field), "")
    stated = {"MIT License": "MIT", "MIT license": "MIT", "PSFL": "PSF-2.0"}.get(stated, stated)
    if not stated and any(line.endswith("MIT License") for line in metadata.get_all("Classifier") or []):
        stated = "MIT"
    if not _SPDX.fullmatch(stated):
        raise UnknownOrigin(f"the licence of {name} ({stated[:60]!r})")
    return stated


@functools.cache
def _installed() -> Mapping[str, str]:
    """Return the files of all installed packages, each with its package."""
    return {
        path.as_posix(): canonicalize_name(package.metadata["Name"])
        for package in importlib.metadata.distributions()
        for path in package.files or []
    }
