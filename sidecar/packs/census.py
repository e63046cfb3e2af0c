"""How a repository's files lie: counts by area, and which are decisions or specifications. Pure.

Kept from state to state: files that came or went are counted in and out, the others are not looked at again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sidecar.codebase import is_test
from sidecar.packs.text import one_line

MAX_AREAS = 14

_DOCUMENTS = (".md", ".mdx", ".rst")
_DECISIONS = re.compile(
    r"(?i)^(?:.+/)?(?:adrs?|decisions|architecture-decisions|architecture/decisions)/(?!readme|index|template)[^/]+\.(?:md|mdx|rst)$"
)
_SPECIFICATIONS = re.compile(
    r"(?i)^(?:(?:docs?|openspec)/)?(?:specs?|specifications|rfcs?)/(?:[^/]+/){0,2}[^/]+\.(?:md|mdx)$"
)


class Tally(NamedTuple):
    """What lies below one folder, at whatever depth: files by suffix, and files by the folder next below."""

    suffixes: Counter[str]
    folders: Counter[str]

    @property
    def files(self) -> int:
        """Files in all."""
        return self.suffixes.total()


class Outline(NamedTuple):
    """What an anchor says of a repository's shape; the same outline is the same text."""

    areas: tuple[tuple[str, str], ...]
    """The folders a map names, each with what it holds."""
    decisions: tuple[str, ...]
    specifications: tuple[str, ...]


@dataclass(frozen=True)
class Census:
    """The counts of one set of files. Never changed once made."""

    total: int
    areas: Mapping[str, Tally]
    """Folders of the first and the second level, each name with a slash at its end."""
    decisions: frozenset[str]
    specifications: frozenset[str]

    def with_changes(self, added: Iterable[str], removed: Iterable[str]) -> "Census":
        """Counts files in that came, and out that went."""
        areas, decisions, specifications = dict(self.areas), set(self.decisions), set(self.specifications)
        total, own = self.total, set[str]()
        for paths, step in ((removed, -1), (added, 1)):
            for path in paths:
                total += step
                _count(areas, path, step, own)
                if path.lower().endswith(_DOCUMENTS):
                    _keep(decisions, path, step, _DECISIONS)
                    _keep(specifications, path, step, _SPECIFICATIONS)
        return Census(total, areas, frozenset(decisions), frozenset(specifications))

    @cached_property
    def outline(self) -> Outline:
        """What an anchor says of it."""
        shown = [(area, _holdings(self.areas[area])) for area in self._shown()]
        specifications = self.specifications - self.decisions
        return Outline(tuple(shown), tuple(sorted(self.decisions)), tuple(sorted(specifications)))

    def _shown(self) -> list[str]:
        """The folders a map names: the top-level ones, and below the one that holds most, its own."""
        tops = {name: tally.files for name, tally in self.areas.items() if name.count("/") == 1}
        shown = [name for name, _ in _commonest(tops, MAX_AREAS)]
        for name, count in _commonest(tops, 1):
            inner = self.areas[name].folders
            if count * 3 >= self.total and len(inner) > 2 and not is_test(name):
                shown += [f"{name}{folder}" for folder, _ in _commonest(inner, MAX_AREAS)]
        return sorted(shown)


EMPTY = Census(0, {}, frozenset(), frozenset())


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


def _keep(kept: set[str], path: str, step: int, pattern: re.Pattern[str]) -> None:
    if step < 0:
        kept.discard(path)
    elif pattern.match(path):
        kept.add(path)


def _holdings(tally: Tally) -> str:
    """What an area without a stated purpose holds: kinds of files, and folders."""
    commonest = _commonest(tally.suffixes, 3)
    kinds = sorted(suffix for suffix, count in commonest if count * 5 >= tally.files)
    holds = ", ".join(sorted(folder for folder, _ in _commonest(tally.folders, 8)))
    return (one_line(", ".join(kinds), 80) or "mixed") + (f"; in it {one_line(holds, 160)}" if holds else "")


def _commonest(counted: Mapping[str, int], limit: int) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def _suffix(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else "other"
