"""Entities derived from code: modules, functions, classes, components, templates and scripts. Pure.

A module depends on the modules it imports and on those of their definitions whose names it uses. Adaptability follows
from the number of dependents: what breaks its consumers when it changes is rated low.
"""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sidecar.codebase import (
    Definition,
    FileTree,
    Summary,
    comment_text,
    definition_comment,
    definition_purpose,
    descriptions_in,
    is_code,
    is_generated,
    is_test,
    query_words,
    resolve_import,
)
from sidecar.core.clean_text import one_line
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import up_to_full_stop
from sidecar.registry.entities import Entity
from sidecar.registry.stemming_and_synonyms import HUMPS

MAX_PURPOSE = 160
MAX_DEFINITIONS, MAX_DESCRIBED = 200, 1_000
"""Maximum per file; a longer list is data or generated."""

MAX_PARAMETERS = 8

MAX_COMMENT_WORDS = 24
"""Maximum number of words from a docstring or comment; the important ones come first."""

MAX_MEMBERS = 40
"""Maximum per class."""

CATEGORY = "code"
MAX_ENTITIES = 20_000
MAX_KEYWORDS = 48

MAX_ADAPTABILITY = 0.9
"""Adaptability of an entity without dependents; five dependents halve it."""

HALVING_DEPENDENTS = 5

_WORDS = lazy_regex(HUMPS + r"|[^\W\d_a-zA-Z]+")
_PLAIN_NAMES = frozenset(("index", "mod", "lib", "main", "__init__", "__main__", "src"))

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
_EXAMPLE_FOLDERS = frozenset(
    (
        "examples",
        "example",
        "_examples",
        "docs",
        "doc",
        "benchmarks",
        "bench",
        "benches",
        "fixtures",
        "testdata",
        "samples",
        "docs_src",
        "playground",
    )
)
"""Folders whose contents demonstrate or measure other code."""
_PACKAGE_SUFFIX = ".go"
"""In Go a folder named `doc` is a package of that name."""
_BUILD_FOLDER = "dist"
_SPREAD_SUFFIXES = (".go", ".rs", ".swift", ".kt", ".cs")
"""Languages in which a type's methods may be in other files than the type."""

_COMPONENT_SUFFIXES = (".tsx", ".jsx", ".vue", ".svelte", ".astro")
_TEST_NAMES = frozenset(("test", "tests", "spec", "specs", "snapshot", "bench", "benchmark"))
_README = "readme"
"""Type of a file that only describes definitions of other files."""

_README_NAME = "readme.md"
_EXCLUDED = "excluded"
"""Type of a file that a program writes, or that consists of tests: it is neither reused nor adapted by hand."""

_PART_SUFFIXES = ("Options", "Option", "Props", "Params", "Args", "Config", "Result", "Return", "Opts")
"""Endings of the types of a function's or class's parameters and results."""

_DECLARATION_SUFFIXES = (".d.ts", ".d.mts", ".d.cts", ".pyi")
_CLASSES = frozenset(("class", "struct", "interface", "trait", "protocol", "enum", "record", "object", "type", "union"))
_FUNCTIONS = frozenset(("function", "method", "def", "fn", "func", "macro", "hook", ""))
_PARAMETER = lazy_regex(r"[(,]\s*(?:\*|&|\.\.\.|mut\s+|const\s+)*([A-Za-z_]\w+)")
_DEFAULT_EXPORTS = frozenset(("exports", "default"))
"""Names of a file's only export; the file itself represents it."""

_NO_PARAMETERS = frozenset(("self", "cls", "this", "args", "kwargs", "options"))


class CodeDefinition(NamedTuple):
    """A public top-level definition, or a documented public method of a public class."""

    name: str
    """`Class.method` for a method."""
    type: str
    purpose: str
    parameters: tuple[str, ...]
    comment_words: tuple[str, ...]
    """Words of its comment that are not in name or purpose; for a class also the names of its methods."""


class SourceFileFacts(NamedTuple):
    """The facts of one file."""

    content: str
    """Hash of the content."""
    type: str
    purpose: str
    definitions: tuple[CodeDefinition, ...]
    imports: tuple[str, ...]
    references: tuple[str, ...]
    comment_words: tuple[str, ...]
    """Words of the comments, if the file defines nothing public."""


def type_of(path: str) -> str | None:
    """Return the type of a file: module, component, template, script or README; None for any other file."""
    *folders, name = path.lower().split("/")
    if name == _README_NAME and _EXAMPLE_FOLDERS.isdisjoint(folders):
        return _README
    if is_test(path) or is_generated(path) or name.startswith(".") or _BUILD_FOLDER in folders:
        return None
    if not _EXAMPLE_FOLDERS.isdisjoint(folders) and not (name.endswith(_PACKAGE_SUFFIX) and folders[-1] == "doc"):
        return None
    if _is_named_test(path) and not (folders and name.endswith(".py")):
        return None
    if name.endswith(_TEMPLATE_SUFFIXES) or (not _TEMPLATE_FOLDERS.isdisjoint(folders) and not is_code(path)):
        return "template"
    if name.endswith(_SCRIPT_SUFFIXES) or (is_code(path) and not _SCRIPT_FOLDERS.isdisjoint(folders)):
        return "script"
    if name.endswith(_COMPONENT_SUFFIXES):
        return "component"
    return "module" if is_code(path) else None


def facts_of(path: str, content: str, summary: Summary, text: str) -> SourceFileFacts:
    """Return the facts in a file's summary and text; secrets in comments are masked."""
    lines = text.replace("\r\n", "\n").split("\n")
    if type_of(path) == _README:
        described = tuple(islice(_definitions_described_in(lines), MAX_DESCRIBED))
        return SourceFileFacts(content, _README, "", described, (), (), ())
    wrappers = ("namespace",) if _is_declaration(path) else ("module",) if summary.analysis == "patterns" else ()
    all_definitions = _without_wrappers(summary.definitions, wrappers) if wrappers else summary.definitions
    summary_definitions = [_default_class_named(definition, path) for definition in all_definitions]
    top = (
        definition
        for definition in summary_definitions
        if definition.public and not definition.container and definition.name not in _DEFAULT_EXPORTS
    )
    public_definitions = _without_parts([definition for definition in top if _type_of(definition, path)])
    here = {definition.name for definition in summary_definitions if not definition.container and _is_type(definition)}
    methods = [
        definition
        for definition in summary_definitions
        if definition.public
        and _is_method(definition)
        and (_is_class(definition.container, public_definitions) or _is_of_other_file(definition, path, here))
    ]
    definitions = [
        _named(definition, path, lines, [method.name for method in methods if method.container == definition.name])
        for definition in public_definitions
    ]
    definitions += [
        definition for definition in (_method(definition, path, lines) for definition in methods) if definition.purpose
    ]
    return SourceFileFacts(
        content=content,
        type=_excluded_type(path, summary) or type_of(path) or "module",
        purpose=one_line(summary.stated_purpose, MAX_PURPOSE),
        definitions=tuple(definitions[:MAX_DEFINITIONS]),
        imports=summary.imports,
        references=summary.references,
        comment_words=() if public_definitions else _comment_words(comment_text(lines)),
    )


def _definitions_described_in(lines: Sequence[str]) -> Iterator[CodeDefinition]:
    """Yield the definitions that a README describes, with the first sentence as purpose; secrets are masked."""
    for name, text in descriptions_in(lines):
        sentence = up_to_full_stop(text)
        purpose = one_line(sentence, MAX_PURPOSE)
        yield CodeDefinition(name, _README, purpose, (), _comment_words(text[len(sentence) :], f"{name} {purpose}"))


def _is_named_test(path: str) -> bool:
    return is_code(path) and path.rpartition("/")[2].lower().partition(".")[0] in _TEST_NAMES


def _excluded_type(path: str, summary: Summary) -> str | None:
    """Return the type of a file that is generated or consists of tests: a `test.py` may also be a library for tests."""
    names = (definition.name.lower() for definition in summary.definitions)
    has_tests = _is_named_test(path) and any(name.startswith("test_") or name.endswith("tests") for name in names)
    return _EXCLUDED if has_tests or summary.is_generated else None


def _without_parts(definitions: Sequence[Definition]) -> list[Definition]:
    """Return the definitions without the types that only describe another one's parameters or result."""
    names = {definition.name.casefold() for definition in definitions}
    return [
        definition
        for definition in definitions
        if not (
            definition.kind in _CLASSES
            and any(
                definition.name.endswith(suffix) and definition.name.removesuffix(suffix).casefold() in names
                for suffix in _PART_SUFFIXES
            )
        )
    ]


def _is_declaration(path: str) -> bool:
    return path.endswith(_DECLARATION_SUFFIXES)


def _without_wrappers(definitions: Sequence[Definition], kinds: Collection[str]) -> list[Definition]:
    """Return the definitions without what wraps them: a declaration file's namespaces, the module of an Elixir file."""
    wrappers = {
        f"{definition.container}.{definition.name}".removeprefix(".")
        for definition in definitions
        if definition.kind in kinds
    }
    inside_first = sorted(wrappers, key=len, reverse=True)

    def container_of(definition: Definition) -> str:
        within = f"{definition.container}."
        return next(
            (
                within.removeprefix(f"{name}.").removesuffix(".")
                for name in inside_first
                if within.startswith(f"{name}.")
            ),
            definition.container,
        )

    return [
        definition._replace(container=container_of(definition))
        for definition in definitions
        if definition.kind not in kinds
    ]


def _default_class_named(definition: Definition, path: str) -> Definition:
    """Return a class exported without a name, and its members, under the name of its file."""
    if definition.container in _DEFAULT_EXPORTS:
        return definition._replace(container=_file_name(path))
    is_class = definition.kind in _CLASSES and not definition.container and definition.name in _DEFAULT_EXPORTS
    return definition._replace(name=_file_name(path)) if is_class else definition


def _is_method(definition: Definition) -> bool:
    """Whether it is a method of a class, without constructors and operators."""
    is_named = not definition.name.startswith("_") and definition.name != "constructor"
    return bool(definition.container) and definition.kind in _FUNCTIONS and is_named


def _is_of_other_file(definition: Definition, path: str, here: Collection[str]) -> bool:
    """Whether another file may define the type of a method; `derive` drops the method if none does."""
    container = definition.container
    return path.endswith(_SPREAD_SUFFIXES) and container not in here and "." not in container


def _is_type(definition: Definition) -> bool:
    """Whether it defines a type; an `impl` or an extension does not."""
    return definition.kind in _CLASSES


def _is_class(name: str, public: Sequence[Definition]) -> bool:
    return any(definition.name == name and definition.kind in _CLASSES for definition in public)


def _named(definition: Definition, path: str, lines: Sequence[str], members: Sequence[str] = ()) -> CodeDefinition:
    parameters = (name for name in _PARAMETER.findall(definition.signature) if name not in _NO_PARAMETERS)
    purpose = one_line(definition_purpose(lines, definition, path), MAX_PURPOSE)
    comment_words = _comment_words(definition_comment(lines, definition, path), f"{definition.name} {purpose}")
    return CodeDefinition(
        name=definition.name,
        type=_type_of(definition, path) or "function",
        purpose=purpose,
        parameters=tuple(dict.fromkeys(parameters))[:MAX_PARAMETERS],
        comment_words=(*dict.fromkeys(members[:MAX_MEMBERS]), *comment_words),
    )


def _method(definition: Definition, path: str, lines: Sequence[str]) -> CodeDefinition:
    method = _named(definition, path, lines)
    return method._replace(name=f"{definition.container}.{definition.name}", type="method")


def _comment_words(comment: str, known: str = "") -> tuple[str, ...]:
    """Return the significant words of a comment that are not in `known`, each once; secrets are masked."""
    known_terms = query_words(known)
    terms = query_words(one_line(comment, len(comment) + 1)).items()
    return tuple(word for term, word in terms if term not in known_terms)[:MAX_COMMENT_WORDS]


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


class Derived(NamedTuple):
    """The entities of a repository, ordered by path."""

    entities: tuple[Entity, ...]
    truncated: bool
    """Whether there were more than `MAX_ENTITIES`."""


def derive(files: Mapping[str, SourceFileFacts]) -> Derived:
    """Return the entities of all files; the same facts yield the same entities."""
    files = _merge_declarations({path: facts for path, facts in files.items() if facts.type != _EXCLUDED})
    files = _describe_by_readmes(_without_stray_methods(files))
    dependencies_of, dependents = _dependencies(files)
    entities: list[Entity] = []
    for path in sorted(files):
        facts = files[path]
        # Definitions come before their module: of two equal matches the smaller one wins.
        entities += _definitions(path, facts, dependents)
        entities.append(_module(path, facts, dependencies_of[path], dependents[path]))
    if len(entities) > MAX_ENTITIES:  # methods are dropped first: their classes contain their words
        entities = [entity for entity in entities if entity.type != "method"]
        return Derived(tuple(entities[:MAX_ENTITIES]), truncated=True)
    return Derived(tuple(entities), truncated=False)


def _without_stray_methods(files: Mapping[str, SourceFileFacts]) -> Mapping[str, SourceFileFacts]:
    """Return the files without methods of types that none of them makes public."""
    classes = {definition.name for facts in files.values() for definition in facts.definitions}
    return {
        path: facts._replace(
            definitions=tuple(
                definition
                for definition in facts.definitions
                if definition.type != "method" or definition.name.rpartition(".")[0] in classes
            )
        )
        for path, facts in files.items()
    }


def _merge_declarations(files: Mapping[str, SourceFileFacts]) -> Mapping[str, SourceFileFacts]:
    """Return the files without declarations (`.d.ts`, `.pyi`) of what another file defines; it takes their comments."""
    declared = {path: facts for path, facts in files.items() if _is_declaration(path)}
    if not declared:
        return files
    merged = {path: facts for path, facts in files.items() if path not in declared}
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, facts in merged.items():
        for definition in facts.definitions:
            places[definition.name].append(path)
    for path, facts in declared.items():
        own = tuple(definition for definition in facts.definitions if definition.name not in places)
        for definition in facts.definitions:
            if len(targets := dict.fromkeys(places[definition.name])) == 1:
                target = next(iter(targets))
                merged[target] = _with_comment(merged[target], definition)
        if own or not (facts.definitions or path.removesuffix("i") in merged):
            merged[path] = facts._replace(definitions=own)
    return merged


def _with_comment(facts: SourceFileFacts, declared: CodeDefinition) -> SourceFileFacts:
    definitions = (
        definition._replace(purpose=declared.purpose, comment_words=declared.comment_words)
        if definition.name == declared.name and not definition.purpose
        else definition
        for definition in facts.definitions
    )
    return facts._replace(definitions=tuple(definitions))


def _describe_by_readmes(files: Mapping[str, SourceFileFacts]) -> Mapping[str, SourceFileFacts]:
    """Return the files of code; what has no comment takes its description from the nearest README that has one."""
    described: dict[str, dict[str, CodeDefinition]] = {}
    for path, facts in files.items():
        if facts.type == _README and facts.definitions:
            described[posixpath.dirname(path)] = {definition.name: definition for definition in facts.definitions}
    code = {path: facts for path, facts in files.items() if facts.type != _README}
    folders = sorted(described, key=len, reverse=True)
    for folder in folders:
        within = f"{folder}/" if folder else ""
        for path, facts in code.items():
            if path.startswith(within):
                code[path] = facts._replace(definitions=_described_by(described[folder], facts.definitions))
    return code


def _described_by(
    described: Mapping[str, CodeDefinition], definitions: Sequence[CodeDefinition]
) -> tuple[CodeDefinition, ...]:
    return tuple(
        definition._replace(purpose=text.purpose, comment_words=(*definition.comment_words, *text.comment_words))
        if not definition.purpose and (text := described.get(definition.name)) is not None
        else definition
        for definition in definitions
    )


def name_words(name: str) -> list[str]:
    """Return the words in a name, in lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


def _module(path: str, facts: SourceFileFacts, dependencies: Sequence[str], dependents: int) -> Entity:
    file_name = _file_name(path)
    names = [definition.name for definition in facts.definitions if definition.type != "method"]
    return Entity(
        category=CATEGORY,
        key=path,
        path=path,
        type=facts.type,
        purpose=_own_purpose(facts, file_name),
        keywords=tuple(dict.fromkeys((*name_words(file_name), *names, *facts.comment_words)))[:MAX_KEYWORDS],
        dependencies=tuple(dependencies),
        adaptability=_adaptability(dependents),
        checksum="",
        origin="code",
    )


def _definitions(path: str, facts: SourceFileFacts, dependents: Mapping[str, int]) -> list[Entity]:
    entities: dict[str, Entity] = {}
    for definition in facts.definitions:
        key = f"{path}#{definition.name}"
        if key not in entities or (
            definition.purpose and entities[key].purpose == " ".join(name_words(definition.name))
        ):  # an overload
            entities[key] = _definition(key, path, definition, dependents[key])
    return list(entities.values())


def _definition(key: str, path: str, definition: CodeDefinition, dependents: int) -> Entity:
    words = name_words(definition.name)
    about = (*words, *definition.parameters, *name_words(_file_name(path)), *definition.comment_words)
    return Entity(
        category=CATEGORY,
        key=key,
        path=path,
        type=definition.type,
        purpose=definition.purpose or " ".join(words),
        keywords=tuple(dict.fromkeys(about))[:MAX_KEYWORDS],
        dependencies=(),
        adaptability=_adaptability(dependents),
        checksum="",
        origin="code",
    )


def _own_purpose(facts: SourceFileFacts, file_name: str) -> str:
    """Return the file's own purpose; a text about one of its definitions is that definition's purpose."""
    definition_prefixes = tuple(f"{definition.name}:" for definition in facts.definitions)
    return (
        facts.purpose
        if facts.purpose and not facts.purpose.startswith(definition_prefixes)
        else " ".join(name_words(file_name))
    )


def _file_name(path: str) -> str:
    """Return the name of a file; a generic one is replaced by its folder's."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0] or name
    return posixpath.basename(folder) if stem in _PLAIN_NAMES and folder else stem


def _adaptability(dependents: int) -> float:
    return round(max(0.1, MAX_ADAPTABILITY / (1 + dependents / HALVING_DEPENDENTS)), 2)


def _dependencies(files: Mapping[str, SourceFileFacts]) -> tuple[Mapping[str, Sequence[str]], Mapping[str, int]]:
    """Return for each file the ids it depends on, and for each entity key the number of dependent files."""
    tree = _tree(files)
    dependencies_of: dict[str, list[str]] = {}
    counts: defaultdict[str, int] = defaultdict(int)
    for path, facts in files.items():
        keys = _dependency_keys(path, facts, files, tree)
        dependencies_of[path] = [f"{CATEGORY}/{key}" for key in keys]
        for key in keys:
            counts[key] += 1
    return dependencies_of, counts


def _dependency_keys(
    path: str, facts: SourceFileFacts, files: Mapping[str, SourceFileFacts], tree: FileTree
) -> list[str]:
    used = frozenset(facts.references)
    keys: dict[str, None] = {}
    for specifier in facts.imports:
        for target in resolve_import(path, specifier, tree):
            if target in files and target != path:
                keys[target] = None
                keys.update(
                    (f"{target}#{definition.name}", None)
                    for definition in files[target].definitions
                    if definition.name.rpartition(".")[2] in used  # methods match without their class
                )
    return sorted(keys)


def _tree(files: Mapping[str, SourceFileFacts]) -> FileTree:
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    by_folder: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        by_name[name].append(path)
        by_folder[folder].append(path)

    def ending_with(end: str) -> list[str]:
        candidates = by_name.get(end.rpartition("/")[2], [])
        return [path for path in candidates if path == end or path.endswith(f"/{end}")]

    return FileTree(files, ending_with, lambda folder: by_folder.get(folder.rstrip("/"), []))
