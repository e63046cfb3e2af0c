"""A file of the repository → what the registry needs of it: purpose, public definitions, imports. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecar.codebase import Definition, Summary, is_code, is_generated, is_test, purpose_of_definition
from sidecar.core.regex import regex
from sidecar.core.text import one_line

MAX_PURPOSE = 160
MAX_DEFINITIONS = 200
"""Of one file; a longer list is data or generated."""

MAX_PARAMETERS = 8

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
_NO_PARAMETERS = frozenset(("self", "cls", "this", "args", "kwargs", "options"))


class Named(NamedTuple):
    """A public definition at the top of a file."""

    name: str
    type: str
    purpose: str
    parameters: tuple[str, ...]


class Facts(NamedTuple):
    """What one file has to say."""

    content: str
    """The id of the content that was read."""
    type: str
    purpose: str
    definitions: tuple[Named, ...]
    imports: tuple[str, ...]
    references: tuple[str, ...]


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
    public = [one for one in summary.definitions if one.public and not one.container and _type_of(one, path)]
    return Facts(
        content,
        type_,
        "" if summary.derived else one_line(summary.purpose, MAX_PURPOSE),
        tuple(_named(one, path, lines) for one in public[:MAX_DEFINITIONS]),
        summary.imports,
        summary.references,
    )


def _named(definition: Definition, path: str, lines: Sequence[str]) -> Named:
    parameters = (name for name in _PARAMETER.findall(definition.signature) if name not in _NO_PARAMETERS)
    return Named(
        definition.name,
        _type_of(definition, path) or "function",
        one_line(purpose_of_definition(lines, definition, path), MAX_PURPOSE),
        tuple(dict.fromkeys(parameters))[:MAX_PARAMETERS],
    )


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
