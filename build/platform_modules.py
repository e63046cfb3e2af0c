"""The modules whose types depend on the platform: only they can have a type error on one platform alone.

Names exist on some platforms only where `sys.platform` guards their definition: in the standard library's stubs, which
mypy brings, or in a module of the product. A module that uses no such name has the same types everywhere.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_GUARD = "sys.platform"
_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]+)|import\s+([^\n]+))", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")
_USE = re.compile(r"(\w+)\.(?=(\w+))")


def platform_modules(package: Path, stubs: Path) -> list[Path]:
    """Return the files below `package` that name the platform, or what exists on some platforms only."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    imports = {path: list(_imports(source)) for path, source in sources.items()}
    guarded: dict[str, frozenset[str]] = {}
    for path, source in sources.items():
        if _GUARD in source:
            module = ".".join((package.name, *path.relative_to(package).with_suffix("").parts))
            guarded[module] = _guarded_names(source)
    for module in sorted({module for found in imports.values() for module, _, _ in found} - guarded.keys()):
        stub = stubs.joinpath(*module.split("."))
        for path in (stub.with_suffix(".pyi"), stub / "__init__.pyi"):
            if path.exists() and _GUARD in (source := path.read_text(encoding="utf-8")):
                guarded[module] = _guarded_names(source)
    return [path for path, source in sources.items() if _GUARD in source or _uses(source, imports[path], guarded)]


def _guarded_names(source: str) -> frozenset[str]:
    """Return the names that a module defines below a test of the platform."""
    return frozenset(_definitions(ast.parse(source).body, is_guarded=False))


def _definitions(statements: Sequence[ast.stmt], *, is_guarded: bool) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, ast.If):
            guards = is_guarded or _GUARD in ast.unparse(statement.test)
            yield from _definitions((*statement.body, *statement.orelse), is_guarded=guards)
        elif is_guarded:
            yield from _defined(statement)


def _defined(statement: ast.stmt) -> Iterable[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (statement.name,)
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return (alias.asname or alias.name for alias in statement.names)
    return (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def _imports(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a module imports: the module, the name taken from it, which may be empty, and the local name.

    Imports are read from the text: parsing all modules takes five seconds. What looks like one only adds a module.
    """
    for module, names, modules in _IMPORT.findall(_COMMENT.sub("", source)):
        for listed in (names or modules).strip("()").split(","):
            name, _, local = (part.strip() for part in listed.partition(" as "))
            if module:
                yield module, name, local or name
                yield f"{module}.{name}", "", local or name
            elif name:
                yield name, "", local or name.rpartition(".")[2]


def _uses(source: str, imports: list[tuple[str, str, str]], guarded: dict[str, frozenset[str]]) -> bool:
    """Whether a module uses a guarded name: imported by itself, or as an attribute of its module."""
    known = [entry for entry in imports if entry[0] in guarded]
    if any(name in guarded[module] or name == "*" for module, name, _ in known):
        return True
    names = {local: guarded[module] for module, name, local in known if not name}
    return bool(names) and any(name in names.get(local, ()) for local, name in _USE.findall(source))
