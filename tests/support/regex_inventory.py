"""Every regular expression of the product: those made with `lazy_regex`, and those written where they are used."""

import ast
import functools
import gc
import importlib
import pickle
import pkgutil
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import sidecar
from sidecar.core.lazy_regex import LazyPattern
from tests.support.syntax_trees import nodes_of

ROOT = Path(__file__).resolve().parents[2]
_FROM_THE_START = frozenset(("match", "fullmatch"))
_EVERYWHERE = frozenset(("finditer",))
_INLINE = _FROM_THE_START | {"search", "finditer", "findall", "sub", "subn", "split"}
_INLINE_USE = re.compile(rf"\bre\s*\.\s*(?:{'|'.join(sorted(_INLINE))})\b")
"""Without it a module has no such pattern, and is not parsed."""


class Pattern(NamedTuple):
    """A pattern, its location, and its uses."""

    place: str
    pattern: str | bytes
    flags: int
    uses: frozenset[str]
    """`match` and `fullmatch` if it is only tried at the start of a text, else `finditer`."""


def all_patterns() -> list[Pattern]:
    """Return each pattern once, ordered by location."""
    modules = _modules()
    patterns: dict[tuple[str | bytes, int, frozenset[str]], Pattern] = {}
    for pattern in (*_lazy_patterns(modules), *_inline_patterns(modules)):
        patterns.setdefault((pattern.pattern, pattern.flags, pattern.uses), pattern)
    return sorted(patterns.values(), key=lambda pattern: (pattern.place, str(pattern.pattern)))


def patterns_at_start() -> list[Pattern]:
    """Return each pattern of a fresh process: in this one, earlier tests made others, of words and commands."""
    code = (
        "import pickle, sys; from tests.support.regex_inventory import all_patterns;"
        " sys.stdout.buffer.write(pickle.dumps(all_patterns()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    patterns: list[Pattern] = pickle.loads(done.stdout)
    return patterns


def module_of(pattern: Pattern) -> str:
    """Return the module of a pattern."""
    return pattern.place.partition(":")[0] if ":" in pattern.place else pattern.place.rpartition(".")[0]


def _modules() -> dict[str, ModuleType]:
    names = [module.name for module in pkgutil.walk_packages(sidecar.__path__, "sidecar.")]
    return {name: importlib.import_module(name) for name in names if not name.endswith("__main__")}


def _lazy_patterns(modules: Mapping[str, ModuleType]) -> Iterator[Pattern]:
    """Yield the patterns made with `lazy_regex`, wherever they are stored. A name is only one way to reach one."""
    places: dict[int, list[tuple[str, str]]] = {}
    for module in modules.values():
        for name, value in vars(module).items():
            for pattern in _within(value, 4):
                places.setdefault(id(pattern), []).append((module.__name__, name))
    sources = {name: Path(str(module.__file__)).read_text("utf-8") for name, module in modules.items()}
    for pattern in gc.get_objects():
        if isinstance(pattern, LazyPattern):
            places_of_pattern = places.get(id(pattern), [("somewhere", "unnamed")])
            places_of_pattern.sort(key=lambda place: place[1] not in _names_made_in(sources.get(place[0], "")))
            uses = frozenset[str]().union(*(_uses(sources.get(module, ""), name) for module, name in places_of_pattern))
            yield Pattern(
                ".".join(places_of_pattern[0]),
                pattern.pattern,
                pattern._flags,
                uses if uses <= _FROM_THE_START else _EVERYWHERE,
            )


@functools.cache
def _names_made_in(source: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?m)^(\w+)\b[^=\n]*=", source))


def _uses(source: str, name: str) -> frozenset[str]:
    """Return how a name's pattern is used in a module. A pattern that is passed on may be used in any way."""
    uses, others = _names_in(source)
    return _EVERYWHERE if others[name] > 1 or not uses[name] else frozenset(uses[name])


@functools.cache
def _names_in(source: str) -> tuple[defaultdict[str, set[str]], Counter[str]]:
    """Return the uses of each name as a pattern, and how often it occurs without an attribute."""
    uses: defaultdict[str, set[str]] = defaultdict(set)
    for name, use in re.findall(r"\b(\w+)\.(match|fullmatch|search|finditer|findall|sub|subn|split)\b", source):
        uses[name].add(use)
    return uses, Counter(re.findall(r"\b\w+\b(?!\.)", source))


def _within(value: Any, depth: int) -> Iterator[LazyPattern]:
    """Yield the patterns in a value: the value itself, or inside tables."""
    if isinstance(value, LazyPattern):
        yield value
    elif depth and isinstance(value, Mapping):
        for item in value.values():
            yield from _within(item, depth - 1)
    elif depth and isinstance(value, (Sequence, frozenset)) and not isinstance(value, (str, bytes)):
        for item in value:
            yield from _within(item, depth - 1)


def _inline_patterns(modules: Mapping[str, ModuleType]) -> Iterator[Pattern]:
    """Yield patterns in calls such as `re.sub(...)`. An f-string's braces are a constant or replaced by a word."""
    for name, module in modules.items():
        text = Path(str(module.__file__)).read_text("utf-8")
        if _INLINE_USE.search(text) is None:
            continue
        for node in nodes_of(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=use)) if use in _INLINE:
                    source = _text(node.args[0], module)
                    flags = sum(int(getattr(re, flag)) for flag in re.findall(r"re\.([A-Z]+)\b", ast.unparse(node)))
                    if source is not None:
                        yield Pattern(f"{name}:{node.lineno}", source, flags, _FROM_THE_START & {use} or _EVERYWHERE)


def _text(node: ast.expr, module: ModuleType) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name) and isinstance(getattr(module, node.id, None), str):
        return str(getattr(module, node.id))
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
        return "".join(_text(part, module) or "word" for part in parts)
    return None
