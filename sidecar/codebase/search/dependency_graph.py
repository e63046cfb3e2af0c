"""Which parts of the tree import which, by their files' import statements. Pure, kept in step file by file.

A part is a folder of the first or second level. What a specifier leads to is told by its words alone, never by asking
which files there are: one file more or less changes no other file's part in it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase.files import is_test
from sidecar.codebase.summary.languages import language_of

TOLD_DEPTH = 3
"""Parts of a target's path that are kept: two folders, and what lies in them."""

OWN_DEPTH = 2
"""Folders of a path that name its part."""

FEW_FILES = 4
"""Of so few importing files one is enough for a dependency; of more it takes two, so that a stray one tells nothing."""

_SCRIPTS = ("TypeScript", "TSX", "JavaScript")
_ALIASES = ("@", "~", "#", "src")


class Names(NamedTuple):
    """What parts are called by those that import them."""

    packages: tuple[tuple[str, str], ...] = ()
    """Name of a package or crate, and the folder it lies in, with a slash at its end."""
    modules: tuple[tuple[str, str], ...] = ()
    """Dotted name of a Python package, and its folder."""
    go_module: str = ""
    """What the paths of the repository's own Go packages begin with."""


class Reach:
    """The targets of the files' imports, counted by part. Not thread-safe."""

    def __init__(self) -> None:
        self._targets: dict[str, tuple[str, ...]] = {}
        self._same: dict[str, str] = {}
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._files: Counter[str] = Counter()
        self._between = lru_cache(maxsize=4)(self._counted)

    def put(self, path: str, imports: Iterable[str]) -> None:
        """Takes a file's imports in, in place of those it had; tests' own are of no interest."""
        targets = () if is_test(path) else tuple(sorted(set(_targets(path, imports))))
        if targets != self._targets.get(path, ()):
            self.remove(path)
            if targets:
                self._targets[path] = tuple(self._same.setdefault(target, target) for target in targets)
                self._count(path, 1)

    def remove(self, path: str) -> None:
        """Forgets a file."""
        if path in self._targets:
            self._count(path, -1)
            del self._targets[path]

    def between(self, parts: frozenset[str], names: Names) -> Mapping[str, Mapping[str, int]]:
        """Counts for each of the parts the files that import each other part; `""` are the files at the top."""
        return self._between(parts, names)

    def _counted(self, known: frozenset[str], names: Names) -> Mapping[str, Mapping[str, int]]:
        packages, modules = dict(names.packages), dict(names.modules)
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        files: Counter[str] = Counter()
        for source, counts in self._counts.items():
            part = _part(source, known)
            if part is None:
                continue
            files[part] += self._files[source]
            for target, count in counts.items():
                reached = _reached(target, names.go_module, packages, modules, known)
                if reached and not (part and (part.startswith(reached) or reached.startswith(part))):
                    found[part][reached] += count
        return {part: _frequent(found[part], files[part]) for part in sorted(found)}

    def _count(self, path: str, step: int) -> None:
        self._between.cache_clear()
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
    """The first two folders of a path, with a slash at the end."""
    folders = path.split("/")[:-1][:OWN_DEPTH]
    return "/".join(folders) + "/" if folders else ""


def _part(folder: str, parts: frozenset[str]) -> str | None:
    """The smallest of the parts that holds a folder; the top is one that need not be named."""
    while folder:
        if folder in parts:
            return folder
        folder = folder.rstrip("/").rpartition("/")[0]
        folder += "/" if folder else ""
        if not folder:
            return None
    return ""


def _reached(
    target: str, go_module: str, packages: Mapping[str, str], modules: Mapping[str, str], parts: frozenset[str]
) -> str | None:
    """The part that a target lies in."""
    kind, said = target[0], target[1:]
    if kind == "/":
        return _part(said + "/", parts)
    if kind == "=":
        return packages.get(said)
    if kind == ".":
        above = (said.rsplit(".", dropped)[0] for dropped in range(said.count(".") + 1))
        return next((modules[module] for module in above if module in modules), None)
    inside = said.removeprefix(go_module + "/") if go_module else said
    return _part(inside + "/", parts) if inside != said else None


def _targets(path: str, imports: Iterable[str]) -> Iterator[str]:
    """What the imports lead to: `/` and a path, `.` and a module, `=` and a package, `:` and a Go path.

    What lies in the file's own folders is left out.
    """
    language = language_of(path)
    read = _READERS.get(language.name) if language is not None else None
    if read is None:
        return
    own = _folders(path)
    for specifier in imports:
        target = read(path, specifier)
        if target is None:
            continue
        if target[0] == "/":
            target = "/" + "/".join(target[1:].split("/")[:TOLD_DEPTH])
            if f"{target[1:]}/".startswith(own) and own:
                continue
        yield target


def _python(path: str, specifier: str) -> str | None:
    rest = specifier.lstrip(".")
    dots = len(specifier) - len(rest)
    if not dots:
        return "." + ".".join(rest.split(".")[:TOLD_DEPTH])
    folders = path.split("/")[:-1]
    above = folders[: max(0, len(folders) - dots + 1)]
    return "/" + "/".join((*above, *(rest.split(".") if rest else ())))


def _script(path: str, specifier: str) -> str | None:
    if specifier.startswith("."):
        return _beside(path, specifier)
    first, _, rest = specifier.partition("/")
    if rest and first in _ALIASES:
        return f"/src/{rest}"
    name = "/".join(specifier.split("/")[:2]) if first.startswith("@") else first
    return f"={name}"


def _beside(path: str, specifier: str) -> str | None:
    """The target of a relative specifier; None where it leads out, or not out of the first two folders."""
    folders = path.split("/")[:-1]
    steps = specifier.split("/")
    up = steps.count("..")
    if up > len(folders) or (not up and folders) or len(folders) - up >= OWN_DEPTH:
        return None
    return "/" + "/".join((*folders[: len(folders) - up], *(step for step in steps if step not in ("", ".", ".."))))


def _go(_: str, specifier: str) -> str | None:
    return f":{specifier}" if "." in specifier.partition("/")[0] else None


def _rust(path: str, specifier: str) -> str | None:
    first, *rest = specifier.split("::")
    head, source, _ = path.rpartition("src/")
    if first == "crate":
        return "/" + "/".join((f"{head}src", *rest[:TOLD_DEPTH])) if source else None
    if first in ("self", "super", "std", "core", "alloc"):
        return None
    return f"={first}"


_READERS: dict[str, Callable[[str, str], str | None]] = {
    "Python": _python, **dict.fromkeys(_SCRIPTS, _script), "Go": _go, "Rust": _rust,
}  # fmt: skip
