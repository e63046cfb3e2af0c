"""Dependencies between parts of the tree, from import statements. Pure, updated file by file.

A part is a folder of the first or second level. A specifier is resolved by its words alone, without looking at the
existing files, so that adding or removing a file does not change the result of others.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sidecar.codebase.files import COMMON_STEMS, is_test
from sidecar.codebase.search.postings import MAX_UNITS, unit_of
from sidecar.codebase.search.shared_documents import folder_of, name_of
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.worktree.state import path_from_cwd, path_from_root
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import count_terms

TARGET_DEPTH = 3
"""Path components of a target that are stored: two folders and one entry in them."""

PART_DEPTH = 2
"""Number of leading folders that name a file's part."""

FEW_FILES = 4
"""With at most this many importing files one import makes a dependency, else two, so that a stray import is ignored."""

MAX_COUNTED = 4
"""Number of divisions into parts whose counts are remembered."""

INTERNED_TARGETS = 1 << 14
"""Number of targets whose strings are shared."""

_SCRIPTS = ("TypeScript", "TSX", "JavaScript", "Vue")
_ALIASES = ("@", "~", "~~", "#", "src", "$lib")


class PackageNames(NamedTuple):
    """The names under which parts are imported."""

    packages: tuple[tuple[str, str], ...] = ()
    """Name of a package or crate, and its folder with a trailing slash."""
    modules: tuple[tuple[str, str], ...] = ()
    """Dotted name of a Python package, and its folder."""
    go_module: str = ""
    """Import path prefix of the repository's own Go packages."""


class DependencyGraph:
    """The targets of the files' imports, counted by part. Not thread-safe."""

    def __init__(self) -> None:
        self._targets: dict[str, tuple[str, ...]] = {}
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._files: Counter[str] = Counter()
        self._counted: dict[tuple[frozenset[str], PackageNames], Mapping[str, Mapping[str, int]]] = {}

    def put(self, path: str, imports: Iterable[str]) -> None:
        """Replace a file's imports; those of tests are ignored."""
        self.put_targets(path, import_targets(path, imports))

    def put_targets(self, path: str, targets: tuple[str, ...]) -> None:
        """Replace the targets of a file's imports."""
        if targets != self._targets.get(path, ()):
            self.remove(path)
            if targets:
                self._targets[path] = targets
                self._count(path, 1)

    def copy(self) -> "DependencyGraph":
        """Return another graph of the same files."""
        copied = DependencyGraph()
        copied._targets = dict(self._targets)
        copied._counts.update((source, Counter(counts)) for source, counts in self._counts.items())
        copied._files, copied._counted = Counter(self._files), dict(self._counted)
        return copied

    def remove(self, path: str) -> None:
        """Remove a file."""
        if path in self._targets:
            self._count(path, -1)
            del self._targets[path]

    def dependencies(self, parts: frozenset[str], names: PackageNames) -> Mapping[str, Mapping[str, int]]:
        """Count for each part the files that import each other part; `""` are the top-level files."""
        counts = self._counted.get((parts, names))
        if counts is None:
            if len(self._counted) >= MAX_COUNTED:
                self._counted.clear()
            counts = self._counted[parts, names] = self._count_imports(parts, names)
        return counts

    def _count_imports(self, parts: frozenset[str], names: PackageNames) -> Mapping[str, Mapping[str, int]]:
        packages, modules = dict(names.packages), dict(names.modules)
        dependencies: defaultdict[str, Counter[str]] = defaultdict(Counter)
        files: Counter[str] = Counter()
        for source, counts in self._counts.items():
            part = _part(source, parts)
            if part is None:
                continue
            files[part] += self._files[source]
            for target, count in counts.items():
                target_part = _target_part(target, names.go_module, packages, modules, parts)
                if target_part and not (part and (part.startswith(target_part) or target_part.startswith(part))):
                    dependencies[part][target_part] += count
        return {part: _frequent(dependencies[part], files[part]) for part in sorted(dependencies)}

    def _count(self, path: str, step: int) -> None:
        self._counted = {}
        source = _folders(path)
        self._files[source] += step
        counts = self._counts[source]
        for target in self._targets[path]:
            counts[target] += step
            if not counts[target]:
                del counts[target]


def import_targets(path: str, imports: Iterable[str]) -> tuple[str, ...]:
    """Return the targets of a file's imports, sorted; none for a test."""
    return () if is_test(path) else tuple(sorted({_interned(target) for target in _targets(path, imports)}))


@lru_cache(maxsize=INTERNED_TARGETS)
def _interned(target: str) -> str:
    """Return the string that other files' equal targets are."""
    return target


def _frequent(counts: Mapping[str, int], files: int) -> dict[str, int]:
    least = 1 if files <= FEW_FILES else 2
    return {part: count for part, count in sorted(counts.items()) if count >= least}


def _folders(path: str) -> str:
    """Return a path's first two folders with a trailing slash."""
    folders = path.split("/")[:-1][:PART_DEPTH]
    return "/".join(folders) + "/" if folders else ""


def _part(folder: str, parts: frozenset[str]) -> str | None:
    """Return the smallest part that contains a folder; the top need not be listed."""
    while folder:
        if folder in parts:
            return folder
        folder = folder.rstrip("/").rpartition("/")[0]
        folder += "/" if folder else ""
        if not folder:
            return None
    return ""


def _target_part(
    target: str, go_module: str, packages: Mapping[str, str], modules: Mapping[str, str], parts: frozenset[str]
) -> str | None:
    """Return the part that contains a target."""
    kind, rest = target[0], target[1:]
    if kind == "/":
        return _part(rest + "/", parts)
    if kind == "=":
        return packages.get(rest)
    if kind == ".":
        above = (rest.rsplit(".", dropped)[0] for dropped in range(rest.count(".") + 1))
        return next((modules[module] for module in above if module in modules), None)
    inside = rest.removeprefix(go_module + "/") if go_module else rest
    return _part(inside + "/", parts) if inside != rest else None


def _targets(path: str, imports: Iterable[str]) -> Iterator[str]:
    """Yield the imports' targets: `/` and a path, `.` and a module, `=` and a package, `:` and a Go path.

    Targets in the file's own folders are left out.
    """
    language = language_of(path)
    parse = _PARSERS.get(language.name) if language is not None else None
    if parse is None:
        return
    own = _folders(path)
    for specifier in imports:
        target = parse(path, specifier)
        if target is None:
            continue
        if target[0] == "/":
            target = "/" + "/".join(target[1:].split("/")[:TARGET_DEPTH])
            if f"{target[1:]}/".startswith(own) and own:
                continue
        yield target


def _python(path: str, specifier: str) -> str | None:
    rest = specifier.lstrip(".")
    dots = len(specifier) - len(rest)
    if not dots:
        return "." + ".".join(rest.split(".")[:TARGET_DEPTH])
    folders = path.split("/")[:-1]
    above = folders[: max(0, len(folders) - dots + 1)]
    return "/" + "/".join((*above, *(rest.split(".") if rest else ())))


def _script(path: str, specifier: str) -> str | None:
    if specifier.startswith("."):
        return _relative_target(path, specifier)
    first, _, rest = specifier.partition("/")
    if rest and first in _ALIASES:
        return f"/src/{_without_alias(first, rest)}"
    name = "/".join(specifier.split("/")[:2]) if first.startswith("@") else first
    return f"={name}"


def _without_alias(alias: str, rest: str) -> str:
    """Return a path below the source folder; SvelteKit has an alias for the library in it."""
    return f"lib/{rest}" if alias == "$lib" else rest


def _relative_target(path: str, specifier: str) -> str | None:
    """Return the target of a relative specifier; None if it leaves the tree, or stays within the first two folders."""
    folders = path.split("/")[:-1]
    steps = specifier.split("/")
    up = steps.count("..")
    if up > len(folders) or (not up and folders) or len(folders) - up >= PART_DEPTH:
        return None
    return "/" + "/".join((*folders[: len(folders) - up], *(step for step in steps if step not in ("", ".", ".."))))


def _go(_: str, specifier: str) -> str | None:
    return f":{specifier}" if "." in specifier.partition("/")[0] else None


def _rust(path: str, specifier: str) -> str | None:
    first, *rest = specifier.split("::")
    head, source, _ = path.rpartition("src/")
    if first == "crate":
        return "/" + "/".join((f"{head}src", *rest[:TARGET_DEPTH])) if source else None
    if first in ("self", "super", "std", "core", "alloc"):
        return None
    return f"={first}"


_PARSERS: dict[str, Callable[[str, str], str | None]] = {
    "Python": _python, **dict.fromkeys(_SCRIPTS, _script), "Go": _go, "Rust": _rust,
}  # fmt: skip


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
                   ".astro", "/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs")  # fmt: skip
_PATH_ENDINGS: dict[str, tuple[str, ...]] = {
    "Dart": (), "Zig": (), "Solidity": (), "Julia": (), "R": (), "GDScript": (), "Objective-C": (), "SQL": (".sql",),
    "Protocol Buffers": (), "GraphQL": (), "Template": (), "CSS": (), "Lua": ("/init.lua",),
    "Nix": ("/default.nix",),
}  # fmt: skip
"""Languages whose imports are paths, and what can follow these besides the importing file's own suffix."""

_MODULE_ENDINGS = {
    "Elixir": (".ex", ".exs"), "Haskell": (".hs", ".lhs", ".elm"), "Perl": (".pm",),
    "Clojure": (".clj", ".cljc", ".cljs"),
}  # fmt: skip
"""Languages whose modules have the names of their paths."""

_HUMP = lazy_regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_COMPILED = (".js", ".jsx", ".mjs", ".cjs")
_PYTHON_ENDINGS = (".py", ".pyi", "/__init__.py")
_RUST_ENDINGS = (".rs", "/mod.rs")
_RUST_HOLDERS = ("/lib.rs", "/main.rs", ".rs", "/mod.rs")


def resolve_import(path: str, specifier: str, tree: FileTree) -> list[str]:
    """Return the files that an import in the file at `path` resolves to; none if that is unclear.

    Not a language's own resolution, which needs its build settings: the nearest file of that name.
    """
    language = language_of(path)
    name = language.name if language else ""
    if name in ("Python", "Notebook"):
        return _resolve_python(path, specifier, tree)
    if name in _SCRIPTS:
        return _resolve_script(path, specifier, tree)
    if name == "Go":
        return _package(specifier, tree)
    if name == "Rust":
        return _resolve_rust(path, specifier, tree)
    if name in _PATH_ENDINGS or (name in ("C", "C++", "Ruby", "Shell", "PHP") and "\\" not in specifier):
        return _by_path(path, specifier, tree)
    if name == "Terraform":
        folder = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
        files = [file for file in tree.in_folder(folder) if file.endswith(".tf")]
        return files if len(files) <= MAX_FILES else []
    if name in _MODULE_ENDINGS:
        return _module(specifier, name, tree)
    return _dotted(specifier, tree)


def _resolve_python(path: str, specifier: str, tree: FileTree) -> list[str]:
    rest = specifier.lstrip(".")
    dots, parts = len(specifier) - len(rest), rest.split(".") if rest else []
    if not dots:
        return next((matches for end in _shorter_paths(parts) if (matches := _unique(end, _PYTHON_ENDINGS, tree))), [])
    folders = path.split("/")[:-1]
    if dots - 1 > len(folders):
        return []
    base = "/".join(folders[: len(folders) - dots + 1])
    return _first([posixpath.join(base, end) for end in (*_shorter_paths(parts), "")], _PYTHON_ENDINGS, tree)


def _resolve_script(path: str, specifier: str, tree: FileTree) -> list[str]:
    if specifier.startswith("."):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
        stems = [target, *(target.removesuffix(ending) for ending in _COMPILED if target.endswith(ending))]
        return _first(stems, _SCRIPT_ENDINGS, tree)
    alias, slash, rest = specifier.partition("/")
    if slash and alias in _ALIASES:
        return _unique(_without_alias(alias, rest), _SCRIPT_ENDINGS, tree)
    return []


def _package(specifier: str, tree: FileTree) -> list[str]:
    """Return a Go package's files: a folder whose path starts with the module's, which is not the repository's."""
    parts = specifier.split("/")
    for start in range(len(parts)):
        files = [file for file in tree.in_folder("/".join(parts[start:])) if file.endswith(".go")]
        if files:
            return files if len(files) <= MAX_FILES else []
    return []


def _resolve_rust(path: str, specifier: str, tree: FileTree) -> list[str]:
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
    scheme, colon, rest = specifier.partition(":")
    if colon:  # as in `package:shop/cart.dart`
        specifier = f"lib/{rest.partition('/')[2]}" if scheme == "package" else rest.lstrip("/")
    language = language_of(path)
    if language is not None and language.name == "Lua" and "/" not in specifier:
        specifier = specifier.replace(".", "/")
    folder, own = posixpath.dirname(path), posixpath.splitext(path)[1]
    near = posixpath.normpath(posixpath.join(folder, specifier))
    endings = dict.fromkeys(("", *({own} - {""}), *_PATH_ENDINGS.get(language.name if language else "", ())))
    stems = [near]
    if own in (".scss", ".sass"):
        stems.append(posixpath.join(posixpath.dirname(near), f"_{posixpath.basename(near)}"))
    return _first(stems, tuple(endings), tree) or _unique(specifier.lstrip("./"), tuple(endings), tree)


def _module(specifier: str, language: str, tree: FileTree) -> list[str]:
    """Return the file of a module whose name is its path, in the language's own spelling."""
    parts = re.split(r"::|\.", specifier)
    if language == "Elixir":
        parts = [_HUMP.sub("_", part).lower() for part in parts]
    elif language == "Clojure":
        parts = [part.replace("-", "_") for part in parts]
    for start in range(len(parts)):
        matches = _unique("/".join(parts[start:]), _MODULE_ENDINGS[language], tree) if len(parts) - start > 1 else []
        if matches:
            return matches
    return _unique(parts[-1], _MODULE_ENDINGS[language], tree) if len(parts) == 1 else []


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
    for candidate in unknown:
        if candidate in imports:
            imported_files(documents, candidate, imports[candidate])
    return sorted(candidate for candidate in candidates if path in documents.resolved_imports.get(candidate, ()))


def imported_files(documents: Documents, path: str, specifiers: Iterable[str]) -> list[str]:
    """Return the files that a file's imports resolve to, sorted; they are remembered."""
    prefix, tree = documents.prefix, _tree(documents)
    targets = _import_targets(path_from_root(prefix, path), specifiers, tree)
    found = documents.resolved_imports[path] = sorted(path_from_cwd(prefix, target) for target in targets)
    return found


def former_importers(documents: Documents, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the files whose imports resolve to a removed file, sorted; `imports` are as they were then."""
    prefix, tree = documents.prefix, _tree(documents)
    removed = path_from_root(prefix, path)

    def ending_with(tail: str) -> list[str]:
        is_tail = removed == tail or removed.endswith(f"/{tail}")
        return sorted([*tree.ending_with(tail), *([removed] if is_tail else [])])

    tree_before = FileTree(frozenset((removed,)), ending_with, tree.in_folder)
    return sorted(
        importer
        for importer, specifiers in imports.items()
        if removed in _import_targets(path_from_root(prefix, importer), specifiers, tree_before)
    )


class BrokenImport(NamedTuple):
    """An import that leads to no file any more, since files were moved or deleted."""

    importer: str
    specifier: str
    target: str
    """The file that it led to."""


_NOT_IN_NAMES, _PARTS = lazy_regex(r"[\W_]"), lazy_regex(r"[^\w-]++")
MAX_MENTIONS = 3_000
"""A name with more passages than this is no sign of an import."""


def broken_imports(
    documents: Documents, moved: Mapping[str, str], imports_of: ImportsOf, at_most: int
) -> list[BrokenImport]:
    """Return the imports of moved files, and those in them, that lead to no file of that name, sorted.

    `moved` has each former path with the present one, empty for a deleted file. At most `at_most` files are checked.
    An import that leads to another file of the same name is not broken: it may be meant.
    """
    prefix, tree = documents.prefix, _tree(documents)
    removed = frozenset(path_from_root(prefix, path) for path in moved if path not in documents)

    def ending_with(tail: str) -> list[str]:
        return sorted([*tree.ending_with(tail), *(path for path in removed if f"/{path}".endswith(f"/{tail}"))])

    def in_folder(folder: str) -> list[str]:
        return sorted([*tree.in_folder(folder), *(path for path in removed if folder_of(path) == folder)])

    before = FileTree(_PathsBefore(removed, tree.paths), ending_with, in_folder)
    origins = {path: former for former, path in moved.items() if path}
    checked = dict.fromkeys(origins)
    for path in sorted(moved):
        checked.update(dict.fromkeys(_mentioning(documents, path, MAX_MENTIONS) if len(checked) < at_most else ()))
    names = {_plain(_imported_name(path)) for path in removed}
    found = []
    for importer, specifiers in imports_of(list(checked)[:at_most]).items():
        origin, at = (path_from_root(prefix, path) for path in (origins.get(importer, importer), importer))
        for specifier in dict.fromkeys(specifiers):
            if importer not in origins and names.isdisjoint(map(_plain, _PARTS.split(specifier))):
                continue
            target = next(iter(resolve_import(origin, specifier, before)), "")
            name = _imported_name(target) if target in removed or importer in origins else ""
            if not name or _plain(name) not in _plain(specifier):
                continue
            if all(_imported_name(path) != name for path in resolve_import(at, specifier, tree)):
                found.append(BrokenImport(importer, specifier, path_from_cwd(prefix, target)))
    return sorted(found)


def _plain(name: str) -> str:
    return _NOT_IN_NAMES.sub("", name).casefold()


class _PathsBefore:
    """The paths of a workspace before some files were moved or deleted."""

    def __init__(self, removed: frozenset[str], present: Container[str]) -> None:
        self._removed, self._present = removed, present

    def __contains__(self, path: Any) -> bool:
        return path in self._removed or path in self._present


class _PathsFromRoot:
    """The paths of a workspace below the repository's top, relative to the top, as imports name them."""

    def __init__(self, documents: Documents) -> None:
        self._documents, self._prefix = documents, documents.prefix

    def __contains__(self, path: Any) -> bool:
        return isinstance(path, str) and path_from_cwd(self._prefix, path) in self._documents

    def ending_with(self, tail: str) -> list[str]:
        """Return the paths that end with some path components, sorted."""
        prefix = self._prefix
        matches = {path_from_root(prefix, path) for path in self._documents.ending_with(tail)}
        above = [at + 1 for at, character in enumerate(prefix) if character == "/"]
        matches.update(path for end in (0, *above) if (path := prefix[:end] + tail) in self)
        return sorted(matches)

    def in_folder(self, folder: str) -> list[str]:
        """Return the files directly in a folder, sorted."""
        prefix, inside = self._prefix, f"{folder}/_" if folder else "_"
        near = self._documents.in_folder(folder_of(path_from_cwd(prefix, inside)))
        return sorted(path_from_root(prefix, path) for path in near)


def _tree(documents: Documents) -> FileTree:
    paths = _PathsFromRoot(documents) if documents.prefix else documents
    return FileTree(paths, paths.ending_with, paths.in_folder)


def _import_targets(path: str, specifiers: Iterable[str], tree: FileTree) -> set[str]:
    return {target for specifier in specifiers for target in resolve_import(path, specifier, tree)}


def _mentioning(documents: Documents, path: str, at_most: int = MAX_UNITS) -> list[str]:
    """Return the code that has the words by which imports name a file, unless more than `at_most` passages have one."""
    terms = list(count_terms(_imported_name(path_from_root(documents.prefix, path))))
    if not terms or any(documents.texts.count(term) > at_most for term in terms):
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
