"""Every regular expression of the product: those made with `regex`, and those that stand where they are used."""

import ast
import gc
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import sidecar
from sidecar.core.lazy_regex import LazyPattern

_FROM_THE_START = frozenset(("match", "fullmatch"))
_EVERYWHERE = frozenset(("finditer",))
_INLINE = _FROM_THE_START | {"search", "finditer", "findall", "sub", "subn", "split"}


class Pattern(NamedTuple):
    """A pattern, where it stands, and how it is used."""

    place: str
    pattern: str | bytes
    flags: int
    uses: frozenset[str]
    """`match` and `fullmatch` where it is only tried at the beginning of a text, else `finditer`."""


def all_patterns() -> list[Pattern]:
    """Gives each pattern once, in the order of places."""
    modules = _modules()
    found: dict[tuple[str | bytes, int, frozenset[str]], Pattern] = {}
    for one in (*_made(modules), *_written(modules)):
        found.setdefault((one.pattern, one.flags, one.uses), one)
    return sorted(found.values(), key=lambda one: (one.place, str(one.pattern)))


def module_of(one: Pattern) -> str:
    """Names the module that a pattern stands in."""
    return one.place.partition(":")[0] if ":" in one.place else one.place.rpartition(".")[0]


def _modules() -> dict[str, ModuleType]:
    names = [one.name for one in pkgutil.walk_packages(sidecar.__path__, "sidecar.")]
    return {name: importlib.import_module(name) for name in names if not name.endswith("__main__")}


def _made(modules: Mapping[str, ModuleType]) -> Iterator[Pattern]:
    """What was made with `regex`, wherever it is kept; a name is only one of several ways to it."""
    places: dict[int, list[tuple[str, str]]] = {}
    for module in modules.values():
        for name, value in vars(module).items():
            for one in _within(value, 4):
                places.setdefault(id(one), []).append((module.__name__, name))
    sources = {name: Path(str(module.__file__)).read_text("utf-8") for name, module in modules.items()}
    gc.unfreeze()  # a sidecar of an earlier test may have frozen them
    for one in gc.get_objects():
        if isinstance(one, LazyPattern):
            at = places.get(id(one), [("somewhere", "unnamed")])
            at.sort(key=lambda place: not _is_made_in(sources.get(place[0], ""), place[1]))
            ways = frozenset[str]().union(*(_uses(sources.get(module, ""), name) for module, name in at))
            yield Pattern(".".join(at[0]), one.pattern, one._flags, ways if ways <= _FROM_THE_START else _EVERYWHERE)


def _is_made_in(source: str, name: str) -> bool:
    return re.search(rf"(?m)^{re.escape(name)}\b[^=\n]*=", source) is not None


def _uses(source: str, name: str) -> frozenset[str]:
    """How a name's pattern is used in a module; a name that is handed on may be used in any way."""
    word = re.escape(name)
    uses = frozenset(re.findall(rf"\b{word}\.(match|fullmatch|search|finditer|findall|sub|subn|split)\b", source))
    is_handed_on = len(re.findall(rf"\b{word}\b(?!\.)", source)) > 1
    return _EVERYWHERE if is_handed_on or not uses else uses


def _within(value: Any, depth: int) -> Iterator[LazyPattern]:
    """The patterns in a value: itself, or inside of tables."""
    if isinstance(value, LazyPattern):
        yield value
    elif depth and isinstance(value, Mapping):
        for one in value.values():
            yield from _within(one, depth - 1)
    elif depth and isinstance(value, Sequence | frozenset) and not isinstance(value, str | bytes):
        for one in value:
            yield from _within(one, depth - 1)


def _written(modules: Mapping[str, ModuleType]) -> Iterator[Pattern]:
    """What stands in a call such as `re.sub(...)`; what is put into it in braces is a constant or else a word."""
    for name, module in modules.items():
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
            if isinstance(node, ast.Call) and (use := ast.unparse(node.func)).startswith("re.") and use[3:] in _INLINE:
                source = _text(node.args[0], module)
                flags = sum(int(getattr(re, flag)) for flag in re.findall(r"re\.([A-Z]+)\b", ast.unparse(node)))
                if source is not None:
                    yield Pattern(f"{name}:{node.lineno}", source, flags, _FROM_THE_START & {use[3:]} or _EVERYWHERE)


def _text(node: ast.expr, module: ModuleType) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name) and isinstance(getattr(module, node.id, None), str):
        return str(getattr(module, node.id))
    if isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.FormattedValue) else one for one in node.values)
        return "".join(_text(one, module) or "word" for one in parts)
    return None
