"""What a file's import specifiers mean: which of the repository's files they lead to. Pure.

Not a language's own resolution, which needs its build's settings: the nearest file of that name. What lies outside
of the repository leads nowhere.
"""

import posixpath
from collections.abc import Callable, Container
from typing import NamedTuple

from sidecar.codebase.summary.languages import language_of

MAX_FILES = 20
"""A package of more files says nothing about any one of them."""


class Tree(NamedTuple):
    """What the resolution may ask of the files."""

    paths: Container[str]
    ending_with: Callable[[str], list[str]]
    """Paths that end with some last parts of a path, sorted."""
    inside: Callable[[str], list[str]]
    """Files that lie directly in a folder, sorted."""


_SCRIPT_ENDINGS = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte",
                   "/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs")  # fmt: skip
_COMPILED = (".js", ".jsx", ".mjs", ".cjs")
_PYTHON_ENDINGS = (".py", ".pyi", "/__init__.py")
_RUST_ENDINGS = (".rs", "/mod.rs")
_RUST_HOLDERS = ("/lib.rs", "/main.rs", ".rs", "/mod.rs")


def resolve(path: str, specifier: str, tree: Tree) -> list[str]:
    """Gives the files that an import in the file at `path` leads to; none for what cannot be told."""
    language = language_of(path)
    name = language.name if language else ""
    if name == "Python":
        return _python(path, specifier, tree)
    if name in ("TypeScript", "TSX", "JavaScript"):
        return _script(path, specifier, tree)
    if name == "Go":
        return _package(specifier, tree)
    if name == "Rust":
        return _rust(path, specifier, tree)
    if name in ("C", "C++", "Ruby", "Shell", "PHP") and "\\" not in specifier:
        return _by_path(path, specifier, tree)
    return _dotted(specifier, tree)


def _python(path: str, specifier: str, tree: Tree) -> list[str]:
    rest = specifier.lstrip(".")
    dots, parts = len(specifier) - len(rest), rest.split(".") if rest else []
    if not dots:
        return next((found for end in _shorter(parts) if (found := _unique(end, _PYTHON_ENDINGS, tree))), [])
    folders = path.split("/")[:-1]
    if dots - 1 > len(folders):
        return []
    base = "/".join(folders[: len(folders) - dots + 1])
    return _first([posixpath.join(base, end) for end in (*_shorter(parts), "")], _PYTHON_ENDINGS, tree)


def _script(path: str, specifier: str, tree: Tree) -> list[str]:
    if specifier.startswith("."):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
        stems = [target, *(target.removesuffix(ending) for ending in _COMPILED if target.endswith(ending))]
        return _first(stems, _SCRIPT_ENDINGS, tree)
    alias, slash, rest = specifier.partition("/")
    if slash and alias in ("@", "~", "#", "src"):
        return _unique(rest, _SCRIPT_ENDINGS[1:], tree)
    return []


def _package(specifier: str, tree: Tree) -> list[str]:
    """A Go package is a folder; its path begins with the module's, which is not the repository's."""
    parts = specifier.split("/")
    for start in range(len(parts)):
        files = [file for file in tree.inside("/".join(parts[start:])) if file.endswith(".go")]
        if files:
            return files if len(files) <= MAX_FILES else []
    return []


def _rust(path: str, specifier: str, tree: Tree) -> list[str]:
    """Modules below the one a path begins at, the nearest that is a file; else the file that holds that module."""
    first, *rest = specifier.split("::")
    own = _rust_module(path)
    if first == "crate":
        head, source, _ = path.rpartition("src/")
        base = f"{head}src" if source else ""
    elif first == "self":
        base = own
    elif first == "super":
        base = posixpath.dirname(own)
        while rest and rest[0] == "super":
            base, rest = posixpath.dirname(base), rest[1:]
    else:
        crates = tree.ending_with(f"{first.replace('_', '-')}/src/lib.rs") or tree.ending_with(f"{first}/src/lib.rs")
        if len(crates) != 1:
            return []
        base = posixpath.dirname(crates[0])
    below = _first([posixpath.join(base, end) for end in _shorter(rest)], _RUST_ENDINGS, tree)
    return below or _first([base], _RUST_HOLDERS, tree)


def _rust_module(path: str) -> str:
    """The folder below which a module's own modules lie."""
    own = path.removesuffix(".rs")
    return posixpath.dirname(own) if own.rpartition("/")[2] in ("mod", "lib", "main") else own


def _by_path(path: str, specifier: str, tree: Tree) -> list[str]:
    near = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
    endings = ("", *({posixpath.splitext(path)[1]} - {""}))
    return _first([near], endings, tree) or _unique(specifier.lstrip("./"), endings, tree)


def _dotted(specifier: str, tree: Tree) -> list[str]:
    parts = specifier.replace("\\", ".").strip(".*").split(".")
    for end in _shorter(parts):
        found = _unique(end, (".java", ".kt", ".cs", ".php", ".swift", ".scala"), tree)
        if found:
            return found
    return []


def _shorter(parts: list[str]) -> list[str]:
    """The path of all parts, then without the last one, and so on."""
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _first(stems: list[str], endings: tuple[str, ...], tree: Tree) -> list[str]:
    for stem in stems:
        for ending in endings:
            candidate = f"{'' if stem == '.' else stem.rstrip('/')}{ending}".lstrip("/")
            if candidate in tree.paths:
                return [candidate]
    return []


def _unique(tail: str, endings: tuple[str, ...], tree: Tree) -> list[str]:
    """The one file of that name; a bare name that several have is none of them."""
    for ending in endings:
        found = tree.ending_with(tail + ending)
        if len(found) == 1 or (found and "/" in tail):
            return [min(found, key=lambda path: (path.count("/"), path))]
    return []
