"""How a repository's files lie: counts by area, and which are decisions or specifications. Pure.

Kept from state to state: files that came or went are counted in and out, the others are not looked at again.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sidecar.codebase import Names, Trouble, is_code, is_test
from sidecar.core.lazy_regex import regex
from sidecar.core.text.sanitize import one_line
from sidecar.packs.anchor import config_parsers

MAX_AREAS = 14

_BESIDE = regex(
    r"(?i)^(?:t|examples?|samples|playgrounds?|bench\w*|perf[\w-]*|docs?|scripts?|tools|fixtures|testdata|\w*-tests?)/"
)
"""Folders beside the product: what lies in them says nothing of it."""

_ASIDE = regex(r"(?i)^(?:\.|examples?/|samples/|fixtures/|testdata/)")
"""Folders that a map does not name, whatever they say of themselves."""

MIN_FOLDERS = 3
"""So few folders in an area without a purpose say nothing of it."""

_NOTED = {
    "decisions": regex(
        r"(?i)^(?:.+/)?(?:adrs?|decisions|architecture-decisions|architecture/decisions)/(?!readme|index|template)[^/]+\.(?:md|mdx|rst)$"
    ),
    "specifications": regex(
        r"(?i)^(?:(?:docs?|openspec)/)?(?:specs?|specifications|rfcs?)/(?:[^/]+/){0,2}[^/]+\.(?:md|mdx)$"
        r"|^openspec/changes/(?!archive/)[^/]+/proposal\.md$"
    ),
    "guides": regex(
        r"^(?:[^/]+/){1,6}(?:AGENTS|CLAUDE)\.md$|^(?:\.cursor/rules|\.claude/rules|\.github/instructions)/[^/]+\.(?:mdc|md)$"
    ),
    "workflows": regex(r"^(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml)$"),
    "mains": regex(
        r"^(?!(?:.+/)?(?:tests?|examples?|docs?|testdata|fixtures|benchmarks?|scripts)/)"
        r"(?!.*(?:fixture|test))(?:(?:[^/]+/){0,3}(?:__main__\.py|manage\.py|main\.go)|(?:[^/]+/){0,2}src/(?:main|bin/[^/]+)\.rs)$"
    ),
}
"""Files an anchor asks for by what they are."""

_NOTED_ENDINGS = (".md", ".mdx", ".rst", ".mdc", ".yml", ".yaml", "main__.py", "manage.py", "main.go", ".rs")
"""No other file is one of them: a look at the ending spares the patterns."""


class Tally(NamedTuple):
    """What lies below one folder, at whatever depth: files by suffix, and files by the folder next below."""

    suffixes: Counter[str]
    folders: Counter[str]

    @property
    def code(self) -> int:
        """Files of a programming language."""
        return sum(count for suffix, count in self.suffixes.items() if is_code(f"_{suffix}"))

    @property
    def files(self) -> int:
        """Files in all."""
        return self.suffixes.total()


class Outline(NamedTuple):
    """What an anchor says of a repository's shape; the same outline is the same text."""

    areas: tuple[tuple[str, str], ...]
    """The folders a map may name, each with what to say of it where it has no purpose: nothing, for most."""
    decisions: tuple[str, ...]
    specifications: tuple[str, ...]
    guides: tuple[str, ...]
    """Instruction files of single folders, and such as hold for some files."""
    workflows: tuple[str, ...]
    """What a push runs."""
    mains: tuple[str, ...]
    """Files that programs begin with."""


@dataclass(frozen=True)
class Census:
    """The counts of one set of files. Never changed once made."""

    total: int
    areas: Mapping[str, Tally]
    """Folders of the first and the second level, each name with a slash at its end."""
    noted: Mapping[str, frozenset[str]]
    """Files that are something of their own, by what they are."""

    def with_changes(self, added: Iterable[str], removed: Iterable[str]) -> "Census":
        """Counts files in that came, and out that went."""
        areas, noted = dict(self.areas), {kind: set(paths) for kind, paths in self.noted.items()}
        total, own = self.total, set[str]()
        for paths, step in ((removed, -1), (added, 1)):
            for path in paths:
                total += step
                _count(areas, path, step, own)
                if path.endswith(_NOTED_ENDINGS):
                    _note(noted, path, step)
        return Census(total, areas, {kind: frozenset(paths) for kind, paths in noted.items()})

    @cached_property
    def outline(self) -> Outline:
        """What an anchor says of it."""
        noted = {kind: tuple(sorted(paths)) for kind, paths in self.noted.items()}
        decisions = noted.pop("decisions")
        specifications = tuple(path for path in noted.pop("specifications") if path not in self.noted["decisions"])
        return Outline(tuple(self._areas()), decisions, specifications, **noted)

    def _areas(self) -> list[tuple[str, str]]:
        """The folders a map may name: the top-level ones, and below the one with most code, its own."""
        tops = {
            name: tally.files for name, tally in self.areas.items() if name.count("/") == 1 and not _ASIDE.match(name)
        }
        shown = [name for name, _ in _commonest(tops, MAX_AREAS)]
        code = {name: self.areas[name].code for name in shown if not is_beside(name)}
        main = next((name for name, count in _commonest(code, 1) if count * 2 >= sum(code.values()) > 0), "")
        main = self._narrowed(main)
        top = main.partition("/")[0] + "/"
        inner = [f"{top}{folder}" for folder, _ in _commonest(self.areas[top].folders, MAX_AREAS)] if main else []
        return [(name, _holdings(name, self.areas[name], main)) for name in sorted((*shown, *inner))]

    def _narrowed(self, main: str) -> str:
        """The folder with most code, or the one that nearly all of it lies in, as with `src/name/`."""
        if not main:
            return ""
        tally = self.areas[main]
        folder = next((folder for folder, _ in _commonest(tally.folders, 1)), "")
        inner = self.areas.get(main + folder)
        return main + folder if folder and inner is not None and inner.code * 10 >= tally.code * 9 else main


EMPTY = Census(0, {}, {kind: frozenset() for kind in _NOTED})


def is_beside(area: str) -> bool:
    """Says whether a folder holds tests, examples and such, not the product."""
    return is_test(f"{area}_") or bool(_BESIDE.match(area))


def census_of(paths: Iterable[str]) -> Census:
    """Counts files for the first time."""
    return EMPTY.with_changes(paths, ())


def _count(areas: dict[str, Tally], path: str, step: int, own: set[str]) -> None:
    """Counts a path in its areas; a tally that is not this census's own yet is copied first."""
    *folders, name = path.split("/", 3)
    suffix = _suffix(name)
    for depth in range(1, min(len(folders), 2) + 1):
        area = "/".join(folders[:depth]) + "/"
        tally = areas.get(area)
        if tally is None or area not in own:
            own.add(area)
            tally = areas[area] = Tally(Counter(tally.suffixes), Counter(tally.folders)) if tally else _nothing()
        _step(tally.suffixes, suffix, step)
        if len(folders) > depth:
            _step(tally.folders, folders[depth] + "/", step)
        if not tally.suffixes:
            del areas[area]


def _nothing() -> Tally:
    return Tally(Counter(), Counter())


def _step(counter: Counter[str], name: str, step: int) -> None:
    counter[name] += step
    if counter[name] <= 0:
        del counter[name]


def _note(noted: Mapping[str, set[str]], path: str, step: int) -> None:
    for kind, pattern in _NOTED.items():
        if step < 0:
            noted[kind].discard(path)
        elif pattern.match(path):
            noted[kind].add(path)


def _holdings(area: str, tally: Tally, main: str) -> str:
    """What can be said of an area that states no purpose: the folders of code in it; nothing of other files."""
    if is_beside(area) or not tally.code * 2 > tally.files:
        return ""
    if area == main and len(tally.folders) < MIN_FOLDERS:
        return "most of the code"
    folders = [one_line(folder, 40) for folder, _ in _commonest(tally.folders, 8)]
    return f"in it {', '.join(sorted(folders))}" if len(folders) >= MIN_FOLDERS else ""


def _commonest(counted: Mapping[str, int], limit: int) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def _suffix(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else "other"


# How a repository's folders depend on each other, in an anchor's words; and what they are called. Pure.


MAX_NAMED = 8

_GO_MODULE = regex(r"(?m)^module\s+(\S+)")


def names_of(areas: Sequence[str], texts: Mapping[str, str], files: Container[str]) -> Names:
    """Gives what those that import the areas call them, by their manifests and by where Python packages begin."""
    packages = []
    for area in areas:
        package = config_parsers.json(texts.get(f"{area}package.json", "")).get("name")
        crate = config_parsers.within(config_parsers.toml(texts.get(f"{area}Cargo.toml", "")), "package").get("name")
        packages += [(package, area)] if isinstance(package, str) else []
        packages += [(crate.replace("-", "_"), area)] if isinstance(crate, str) else []
    module = _GO_MODULE.search(texts.get("go.mod", ""))
    return Names(tuple(packages), tuple(_modules(areas, files)), module[1] if module else "")


def _modules(areas: Iterable[str], files: Container[str]) -> Iterable[tuple[str, str]]:
    """Dotted names: from the workspace, and from the folder above the outermost package."""
    for area in areas:
        parts = area.rstrip("/").split("/")
        yield ".".join(parts), area
        if len(parts) > 1 and f"{parts[0]}/__init__.py" not in files and f"{area}__init__.py" in files:
            yield ".".join(parts[1:]), area


def dependency_lines(reach: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    """Gives a line for each folder that imports others, those it imports in the order of their names."""
    lines = []
    for area in sorted(reach):
        reached = sorted(reach[area], key=lambda one: (-reach[area][one].bit_length(), one))
        told = [one for one in reached if not is_beside(one)][:MAX_NAMED]
        if told and not is_beside(area):
            said = ", ".join(sorted(_short(one, area) for one in told))
            lines.append(f"- {one_line(area.rstrip('/') or 'files at the top', 120)} → {one_line(said, 200)}")
    return tuple(lines)


def _short(other: str, area: str) -> str:
    """A folder's name as seen from one beside it."""
    above = area.rstrip("/").rpartition("/")[0]
    return other.rstrip("/").removeprefix(f"{above}/" if above else "")


# What the history warns of, in an anchor's words. Pure.


MAX_TROUBLES = 5


def landmine_lines(troubles: Sequence[Trouble]) -> tuple[str, ...]:
    """Gives a line for each file whose changes went wrong time and again."""
    return tuple(f"- {one_line(trouble.path, 200)}: {_said(trouble)}" for trouble in troubles[:MAX_TROUBLES])


def _said(trouble: Trouble) -> str:
    said = []
    if trouble.taken_back:
        said.append(f"changes were taken back more than once, among them “{one_line(trouble.taken_back, 100)}”")
    if trouble.repaired:
        said.append(f"{trouble.repaired} or more fixes within a year needed another fix soon after")
    return "; ".join(said)
