"""Which parts of the tree import which, from import statements. Pure, updated file by file.

A part is a folder of the first or second level. A specifier is resolved by its words alone, without looking at the
existing files, so that adding or removing a file does not change the result of others.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase.files import is_test
from sidecar.codebase.summary.languages import language_of

TARGET_DEPTH = 3
"""Path components of a target that are stored: two folders and one entry in them."""

PART_DEPTH = 2
"""Number of leading folders that name a file's part."""

FEW_FILES = 4
"""With at most this many importing files one import makes a dependency, else two, so that a stray import is ignored."""

_SCRIPTS = ("TypeScript", "TSX", "JavaScript")
_ALIASES = ("@", "~", "#", "src")


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
        self._interned: dict[str, str] = {}
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._files: Counter[str] = Counter()
        self._cached_counts = lru_cache(maxsize=4)(self._count_imports)

    def put(self, path: str, imports: Iterable[str]) -> None:
        """Replace a file's imports; those of tests are ignored."""
        targets = () if is_test(path) else tuple(sorted(set(_targets(path, imports))))
        if targets != self._targets.get(path, ()):
            self.remove(path)
            if targets:
                self._targets[path] = tuple(self._interned.setdefault(target, target) for target in targets)
                self._count(path, 1)

    def remove(self, path: str) -> None:
        """Remove a file."""
        if path in self._targets:
            self._count(path, -1)
            del self._targets[path]

    def dependencies(self, parts: frozenset[str], names: PackageNames) -> Mapping[str, Mapping[str, int]]:
        """Count for each part the files that import each other part; `""` stands for the top-level files."""
        return self._cached_counts(parts, names)

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
        self._cached_counts.cache_clear()
        source = _folders(path)
        self._files[source] += step
        counts = self._counts[source]
        for target in self._targets[path]:
            counts[target] += step
            if not counts[target]:
                del counts[target]


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
        return f"/src/{rest}"
    name = "/".join(specifier.split("/")[:2]) if first.startswith("@") else first
    return f"={name}"


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
