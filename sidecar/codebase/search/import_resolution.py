"""Resolve import specifiers to the repository's files, and find a file's importers. Pure.

Not a language's own resolution, which needs its build settings: the nearest file of that name. A specifier outside
the repository resolves to nothing.
"""

import posixpath
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.files import COMMON_STEMS
from sidecar.codebase.search.documents import Documents, folder_of, name_of
from sidecar.codebase.search.postings import unit_of
from sidecar.codebase.summary.languages import language_of
from sidecar.core.terms import count_terms

MAX_FILES = 20
"""A package of more files says nothing about any one of them."""


ImportsOf = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Paths → the module specifiers that these files import, as far as they are known."""


class FileTree(NamedTuple):
    """The file queries that resolution needs."""

    paths: Container[str]
    ending_with: Callable[[str], list[str]]
    """Return the paths that end with some path components, sorted."""
    in_folder: Callable[[str], list[str]]
    """Return the files directly in a folder, sorted."""


_SCRIPT_ENDINGS = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte",
                   "/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs")  # fmt: skip
_COMPILED = (".js", ".jsx", ".mjs", ".cjs")
_PYTHON_ENDINGS = (".py", ".pyi", "/__init__.py")
_RUST_ENDINGS = (".rs", "/mod.rs")
_RUST_HOLDERS = ("/lib.rs", "/main.rs", ".rs", "/mod.rs")


def resolve_import(path: str, specifier: str, tree: FileTree) -> list[str]:
    """Return the files that an import in the file at `path` resolves to; none if that is unclear."""
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


def _python(path: str, specifier: str, tree: FileTree) -> list[str]:
    rest = specifier.lstrip(".")
    dots, parts = len(specifier) - len(rest), rest.split(".") if rest else []
    if not dots:
        return next((matches for end in _shorter_paths(parts) if (matches := _unique(end, _PYTHON_ENDINGS, tree))), [])
    folders = path.split("/")[:-1]
    if dots - 1 > len(folders):
        return []
    base = "/".join(folders[: len(folders) - dots + 1])
    return _first([posixpath.join(base, end) for end in (*_shorter_paths(parts), "")], _PYTHON_ENDINGS, tree)


def _script(path: str, specifier: str, tree: FileTree) -> list[str]:
    if specifier.startswith("."):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
        stems = [target, *(target.removesuffix(ending) for ending in _COMPILED if target.endswith(ending))]
        return _first(stems, _SCRIPT_ENDINGS, tree)
    alias, slash, rest = specifier.partition("/")
    if slash and alias in ("@", "~", "#", "src"):
        return _unique(rest, _SCRIPT_ENDINGS[1:], tree)
    return []


def _package(specifier: str, tree: FileTree) -> list[str]:
    """Return a Go package's files: a folder whose path starts with the module's, which is not the repository's."""
    parts = specifier.split("/")
    for start in range(len(parts)):
        files = [file for file in tree.in_folder("/".join(parts[start:])) if file.endswith(".go")]
        if files:
            return files if len(files) <= MAX_FILES else []
    return []


def _rust(path: str, specifier: str, tree: FileTree) -> list[str]:
    """Search below the module a path starts at for the nearest file; else return the file that contains that module."""
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
    below = _first([posixpath.join(base, end) for end in _shorter_paths(rest)], _RUST_ENDINGS, tree)
    return below or _first([base], _RUST_HOLDERS, tree)


def _rust_module(path: str) -> str:
    """Return the folder that contains a module's own modules."""
    own = path.removesuffix(".rs")
    return posixpath.dirname(own) if own.rpartition("/")[2] in ("mod", "lib", "main") else own


def _by_path(path: str, specifier: str, tree: FileTree) -> list[str]:
    near = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
    endings = ("", *({posixpath.splitext(path)[1]} - {""}))
    return _first([near], endings, tree) or _unique(specifier.lstrip("./"), endings, tree)


def _dotted(specifier: str, tree: FileTree) -> list[str]:
    parts = specifier.replace("\\", ".").strip(".*").split(".")
    for end in _shorter_paths(parts):
        matches = _unique(end, (".java", ".kt", ".cs", ".php", ".swift", ".scala"), tree)
        if matches:
            return matches
    return []


def _shorter_paths(parts: list[str]) -> list[str]:
    """Return the path of all parts, then without the last one, and so on."""
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _first(stems: list[str], endings: tuple[str, ...], tree: FileTree) -> list[str]:
    for stem in stems:
        for ending in endings:
            candidate = f"{'' if stem == '.' else stem.rstrip('/')}{ending}".lstrip("/")
            if candidate in tree.paths:
                return [candidate]
    return []


def _unique(tail: str, endings: tuple[str, ...], tree: FileTree) -> list[str]:
    """Return the single file of that name; none if a bare name has several."""
    for ending in endings:
        matches = tree.ending_with(tail + ending)
        if len(matches) == 1 or (matches and "/" in tail):
            return [min(matches, key=lambda path: (path.count("/"), path))]
    return []


_FOLDER_IMPORT_SUFFIXES = (".go",)
"""Suffixes of files that are imported by their folder's name."""


def importers(documents: Documents, path: str, imports_of: ImportsOf, at_most: int) -> list[str]:
    """Return the files whose imports resolve to a file, sorted; at most `at_most` files that mention it are checked.

    Files of its own language that are not tests are checked first.
    """
    candidates = _mentioning(documents, path)[:at_most]
    unknown = [candidate for candidate in candidates if candidate not in documents.resolved_imports]
    imports = imports_of(unknown) if unknown else {}
    tree = FileTree(documents, documents.ending_with, documents.in_folder)
    for candidate in unknown:
        if candidate in imports:
            documents.resolved_imports[candidate] = sorted(_targets(candidate, imports[candidate], tree))
    return sorted(candidate for candidate in candidates if path in documents.resolved_imports.get(candidate, ()))


def former_importers(documents: Documents, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the files whose imports resolve to a removed file, sorted; `imports` are as they were then."""

    def ending_with(tail: str) -> list[str]:
        removed = [path] if path == tail or path.endswith(f"/{tail}") else []
        return sorted([*documents.ending_with(tail), *removed])

    tree = FileTree(frozenset((path,)), ending_with, documents.in_folder)
    return sorted(importer for importer, specifiers in imports.items() if path in _targets(importer, specifiers, tree))


def _targets(path: str, specifiers: Iterable[str], tree: FileTree) -> set[str]:
    return {target for specifier in specifiers for target in resolve_import(path, specifier, tree)}


def _mentioning(documents: Documents, path: str) -> list[str]:
    terms = list(count_terms(_imported_name(path)))
    if not terms:
        return []
    units = [{documents.owners[unit_of(entry)] for entry in documents.texts.entries(term)} for term in terms]
    suffix = path.rpartition(".")[2]
    candidates = []
    for number in set.intersection(*units):
        kind, candidate = documents.kind(number), documents.path(number)
        if candidate and candidate != path and not (kind.document or kind.unknown_language or kind.generated):
            candidates.append((kind.test, candidate.rpartition(".")[2] != suffix, candidate))
    return [candidate for *_, candidate in sorted(candidates)]


def _imported_name(path: str) -> str:
    """Return the word by which imports name a file: its stem, or its folder's name if that is the module."""
    stem = name_of(path).partition(".")[0]
    if stem in COMMON_STEMS - {"types", "utils", "common"} or path.endswith(_FOLDER_IMPORT_SUFFIXES):
        folder = folder_of(path)
        return name_of(folder.removesuffix("/src")) or stem
    return stem
