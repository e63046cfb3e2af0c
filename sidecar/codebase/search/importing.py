"""Which files import a file: those that speak of it by name are asked what their imports lead to. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from sidecar.codebase.kinds import COMMON_STEMS
from sidecar.codebase.search.documents import Documents, folder_of, name_of
from sidecar.codebase.search.finding import ImportsOf
from sidecar.codebase.search.modules import Tree, resolve
from sidecar.codebase.search.postings import unit_of
from sidecar.core.terms import count_terms

_BY_FOLDER = (".go",)
"""Endings of files that are imported by their folder's name."""


def importers(documents: Documents, path: str, imports_of: ImportsOf, at_most: int) -> list[str]:
    """Gives the files whose imports lead to a file, sorted; looks at so many that speak of it at most.

    Files of its own language and no tests come first among those that are looked at.
    """
    asked = _speaking_of(documents, path)[:at_most]
    unknown = [one for one in asked if one not in documents.links]
    imports = imports_of(unknown) if unknown else {}
    tree = Tree(documents, documents.ending_with, documents.inside)
    for one in unknown:
        if one in imports:
            documents.links[one] = sorted(_targets(one, imports[one], tree))
    return sorted(one for one in asked if path in documents.links.get(one, ()))


def former_importers(documents: Documents, path: str, imports: Mapping[str, Sequence[str]]) -> list[str]:
    """Gives those of the files whose imports lead to a file that is gone, sorted; `imports` are as they were then."""

    def ending_with(tail: str) -> list[str]:
        own = [path] if path == tail or path.endswith(f"/{tail}") else []
        return sorted([*documents.ending_with(tail), *own])

    tree = Tree(frozenset((path,)), ending_with, documents.inside)
    return sorted(one for one, specifiers in imports.items() if path in _targets(one, specifiers, tree))


def _targets(path: str, specifiers: Iterable[str], tree: Tree) -> set[str]:
    return {target for specifier in specifiers for target in resolve(path, specifier, tree)}


def _speaking_of(documents: Documents, path: str) -> list[str]:
    terms = list(count_terms(_imported_name(path)))
    if not terms:
        return []
    units = [{documents.owners[unit_of(entry)] for entry in documents.bodies.entries(term)} for term in terms]
    suffix = path.rpartition(".")[2]
    found = []
    for number in set.intersection(*units):
        kind, one = documents.kind(number), documents.path(number)
        if one and one != path and not (kind.document or kind.foreign or kind.generated):
            found.append((kind.test, one.rpartition(".")[2] != suffix, one))
    return [one for *_, one in sorted(found)]


def _imported_name(path: str) -> str:
    """What an import says of a file: its name, or its folder's where that is the module."""
    stem = name_of(path).partition(".")[0]
    if stem in COMMON_STEMS - {"types", "utils", "common"} or path.endswith(_BY_FOLDER):
        folder = folder_of(path)
        return name_of(folder.removesuffix("/src")) or stem
    return stem
