"""A file of the repository → what the registry needs of it: purpose, public definitions, imports. Pure."""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import (
    Definition,
    Summary,
    Tree,
    is_code,
    is_generated,
    is_test,
    purpose_of_definition,
    query_words,
    resolve,
    told_in_comments,
    told_of_definition,
)
from sidecar.core.lazy_regex import regex
from sidecar.core.text.sanitize import one_line
from sidecar.registry.entity import Entity

MAX_PURPOSE = 160
MAX_DEFINITIONS = 200
"""Of one file; a longer list is data or generated."""

MAX_PARAMETERS = 8

MAX_TOLD = 24
"""Words that are kept of a docstring or comment; what matters stands at its beginning."""

MAX_MEMBERS = 40
"""Of one class."""

_TEMPLATE_FOLDERS = frozenset(("templates", "template", "views", "partials", "stubs", "scaffold", "boilerplate"))
_TEMPLATE_SUFFIXES = (
    ".j2",
    ".jinja",
    ".jinja2",
    ".hbs",
    ".ejs",
    ".mustache",
    ".liquid",
    ".tmpl",
    ".tpl",
    ".njk",
    ".erb",
)
_SCRIPT_FOLDERS = frozenset(("scripts", "script", "bin", "tools", "tasks"))
_SCRIPT_SUFFIXES = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")
_ASIDE = frozenset(
    (
        "examples",
        "example",
        "docs",
        "doc",
        "benchmarks",
        "bench",
        "fixtures",
        "testdata",
        "samples",
        "docs_src",
        "playground",
    )
)
"""Folders whose contents show or measure what is elsewhere."""

_COMPONENT_SUFFIXES = (".tsx", ".jsx", ".vue", ".svelte", ".astro")
_CLASSES = frozenset(("class", "struct", "interface", "trait", "protocol", "enum", "record", "object", "type", "union"))
_FUNCTIONS = frozenset(("function", "method", "def", "fn", "func", "macro", "hook", ""))
_PARAMETER = regex(r"[(,]\s*(?:\*|&|\.\.\.|mut\s+|const\s+)*([A-Za-z_]\w+)")
_NAMELESS = frozenset(("exports", "default"))
"""What a file is to others that has one thing to give: the file itself stands for it."""

_NO_PARAMETERS = frozenset(("self", "cls", "this", "args", "kwargs", "options"))


class Named(NamedTuple):
    """A public definition at the top of a file, or a public method of one with a comment of its own."""

    name: str
    """Of a method `Class.method`."""
    type: str
    purpose: str
    parameters: tuple[str, ...]
    told: tuple[str, ...]
    """Words of its comment that neither name nor purpose has; of a class also its methods' names."""


class Facts(NamedTuple):
    """What one file has to say."""

    content: str
    """The id of the content that was read."""
    type: str
    purpose: str
    definitions: tuple[Named, ...]
    imports: tuple[str, ...]
    references: tuple[str, ...]
    told: tuple[str, ...]
    """Words of the comments of a file that defines nothing public."""


def type_of(path: str) -> str | None:
    """Says what a file is to a registry: module, component, template or script; None for what does not belong there."""
    *folders, name = path.lower().split("/")
    if is_test(path) or is_generated(path) or not _ASIDE.isdisjoint(folders) or name.startswith("."):
        return None
    if name.endswith(_TEMPLATE_SUFFIXES) or (not _TEMPLATE_FOLDERS.isdisjoint(folders) and not is_code(path)):
        return "template"
    if name.endswith(_SCRIPT_SUFFIXES) or (is_code(path) and not _SCRIPT_FOLDERS.isdisjoint(folders)):
        return "script"
    if name.endswith(_COMPONENT_SUFFIXES):
        return "component"
    return "module" if is_code(path) else None


def facts_of(path: str, content: str, summary: Summary, text: str) -> Facts:
    """Takes what the registry needs out of a file's summary and text; secrets in comments are masked."""
    lines = text.replace("\r\n", "\n").split("\n")
    type_ = type_of(path) or "module"
    top = (one for one in summary.definitions if one.public and not one.container and one.name not in _NAMELESS)
    public = [one for one in top if _type_of(one, path)]
    methods = [one for one in summary.definitions if one.public and _is_method(one, public)]
    named = [_named(one, path, lines, [it.name for it in methods if it.container == one.name]) for one in public]
    named += [one for one in (_method(one, path, lines) for one in methods) if one.purpose]
    return Facts(
        content,
        type_,
        one_line(summary.stated_purpose, MAX_PURPOSE),
        tuple(named[:MAX_DEFINITIONS]),
        summary.imports,
        summary.references,
        () if public else _words(told_in_comments(lines)),
    )


def _is_method(one: Definition, public: Sequence[Definition]) -> bool:
    """Says whether it is a method of a public class that is no constructor or operator."""
    is_ours = any(it.name == one.container and it.kind in _CLASSES for it in public)
    return is_ours and one.kind in _FUNCTIONS and not one.name.startswith("_") and one.name != "constructor"


def _named(definition: Definition, path: str, lines: Sequence[str], members: Sequence[str] = ()) -> Named:
    parameters = (name for name in _PARAMETER.findall(definition.signature) if name not in _NO_PARAMETERS)
    purpose = one_line(purpose_of_definition(lines, definition, path), MAX_PURPOSE)
    told = _words(told_of_definition(lines, definition, path), f"{definition.name} {purpose}")
    return Named(
        definition.name,
        _type_of(definition, path) or "function",
        purpose,
        tuple(dict.fromkeys(parameters))[:MAX_PARAMETERS],
        (*dict.fromkeys(members[:MAX_MEMBERS]), *told),
    )


def _method(definition: Definition, path: str, lines: Sequence[str]) -> Named:
    made = _named(definition, path, lines)
    return made._replace(name=f"{definition.container}.{definition.name}", type="method")


def _words(told: str, known: str = "") -> tuple[str, ...]:
    """Gives the words of a comment that mean something and are not known, each once; secrets are masked."""
    said = query_words(known)
    found = query_words(one_line(told, len(told) + 1)).items()
    return tuple(word for term, word in found if term not in said)[:MAX_TOLD]


def _type_of(definition: Definition, path: str) -> str | None:
    if (
        path.endswith(_COMPONENT_SUFFIXES)
        and definition.name[:1].isupper()
        and definition.kind not in ("interface", "type")
    ):
        return "component"
    if definition.kind in _CLASSES:
        return "class"
    return "function" if definition.kind in _FUNCTIONS else None


# Files' facts → entities: modules, functions, classes, components, templates, scripts, and what depends on them. Pure.
#
# A module depends on the modules it imports, and on those of their definitions whose names it uses. How adaptable
# something is follows from how much of the code needs it: the specification calls low what breaks its consumers.


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
