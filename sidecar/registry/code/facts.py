"""A file of the repository → what the registry needs of it: purpose, public definitions, imports. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.codebase import (
    Definition,
    Summary,
    is_code,
    is_generated,
    is_test,
    purpose_of_definition,
    query_words,
    told_in_comments,
    told_of_definition,
)
from sidecar.core.regex import regex
from sidecar.core.text import one_line

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
