"""Files' facts → entities: modules, functions, classes, components, templates, scripts, and what depends on them. Pure.

A module depends on the modules it imports, and on those of their definitions whose names it uses. How adaptable
something is follows from how much of the code needs it: the specification calls low what breaks its consumers.
"""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import Tree, resolve
from sidecar.core.regex import regex
from sidecar.registry.code.facts import Facts, Named
from sidecar.registry.entity import Entity

CATEGORY = "code"
MAX_ENTITIES = 20_000
MAX_KEYWORDS = 48

ADAPTABLE = 0.9
"""How adaptable something is that nothing depends on; five dependents halve it."""

HALVED_BY = 5

_WORDS = regex(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_PLAIN_NAMES = frozenset(("index", "mod", "lib", "main", "__init__", "__main__", "src"))


class Derived(NamedTuple):
    """The entities of a repository, in the order of their paths."""

    entities: tuple[Entity, ...]
    cut: bool
    """Whether there were more than `MAX_ENTITIES`."""


def derive(files: Mapping[str, Facts]) -> Derived:
    """Makes entities of all files' facts; the same facts give the same entities."""
    needs, needed_by = _dependencies(files)
    entities: list[Entity] = []
    for path in sorted(files):
        facts = files[path]
        entities += _definitions(path, facts, needed_by)  # before their module: of two that fit alike the smaller one
        entities.append(_module(path, facts, needs[path], needed_by[path]))
    if len(entities) > MAX_ENTITIES:  # methods go first: their classes have their words
        entities = [one for one in entities if one.type != "method"]
        return Derived(tuple(entities[:MAX_ENTITIES]), cut=True)
    return Derived(tuple(entities), cut=False)


def words_of(name: str) -> list[str]:
    """Gives the words a name is made of, as a reader says them."""
    return [word.lower() for word in _WORDS.findall(name)]


def _module(path: str, facts: Facts, needs: Sequence[str], needed_by: int) -> Entity:
    called = _called(path)
    names = [one.name for one in facts.definitions if one.type != "method"]
    return Entity(
        CATEGORY,
        path,
        path,
        facts.type,
        _said_of(facts, called),
        tuple(dict.fromkeys((*words_of(called), *names, *facts.told)))[:MAX_KEYWORDS],
        tuple(needs),
        _adaptability(needed_by),
        "",
        "code",
    )


def _definitions(path: str, facts: Facts, needed_by: Mapping[str, int]) -> list[Entity]:
    made: dict[str, Entity] = {}
    for one in facts.definitions:
        key = f"{path}#{one.name}"
        if key not in made or (one.purpose and made[key].purpose == " ".join(words_of(one.name))):  # an overload
            made[key] = _definition(key, path, one, needed_by[key])
    return list(made.values())


def _definition(key: str, path: str, one: Named, needed_by: int) -> Entity:
    said = words_of(one.name)
    about = (*said, *one.parameters, *words_of(_called(path)), *one.told)
    return Entity(
        CATEGORY,
        key,
        path,
        one.type,
        one.purpose or " ".join(said),
        tuple(dict.fromkeys(about))[:MAX_KEYWORDS],
        (),
        _adaptability(needed_by),
        "",
        "code",
    )


def _said_of(facts: Facts, called: str) -> str:
    """What a file says of itself; what it says of one of its definitions alone is that one's purpose."""
    of_one = tuple(f"{one.name}:" for one in facts.definitions)
    return facts.purpose if facts.purpose and not facts.purpose.startswith(of_one) else " ".join(words_of(called))


def _called(path: str) -> str:
    """What a file is called; one that is called as all are goes by its folder."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    return posixpath.basename(folder) if stem in _PLAIN_NAMES and folder else stem


def _adaptability(dependents: int) -> float:
    return round(max(0.1, ADAPTABLE / (1 + dependents / HALVED_BY)), 2)


def _dependencies(files: Mapping[str, Facts]) -> tuple[Mapping[str, Sequence[str]], Mapping[str, int]]:
    """For each file the ids it depends on, and for each key of an entity how many files do."""
    tree = _tree(files)
    needs: dict[str, list[str]] = {}
    counts: defaultdict[str, int] = defaultdict(int)
    for path, facts in files.items():
        keys = _needed(path, facts, files, tree)
        needs[path] = [f"{CATEGORY}/{key}" for key in keys]
        for key in keys:
            counts[key] += 1
    return needs, counts


def _needed(path: str, facts: Facts, files: Mapping[str, Facts], tree: Tree) -> list[str]:
    used = frozenset(facts.references)
    found: dict[str, None] = {}
    for specifier in facts.imports:
        for target in resolve(path, specifier, tree):
            if target in files and target != path:
                found[target] = None
                found.update((f"{target}#{one.name}", None) for one in files[target].definitions if _is_used(one, used))
    return sorted(found)


def _is_used(one: Named, names: Collection[str]) -> bool:
    """Says whether a definition's name is among those that a file uses; of a method without its class."""
    return one.name.rpartition(".")[2] in names


def _tree(files: Mapping[str, Facts]) -> Tree:
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    by_folder: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        by_name[name].append(path)
        by_folder[folder].append(path)

    def ending_with(end: str) -> list[str]:
        candidates = by_name.get(end.rpartition("/")[2], [])
        return [path for path in candidates if path == end or path.endswith(f"/{end}")]

    return Tree(files, ending_with, lambda folder: by_folder.get(folder.rstrip("/"), []))
