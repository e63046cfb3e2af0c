"""Table of languages: how each is recognised, parsed and commented, and what of it other files may use.

A new language is a row and a query file.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import NamedTuple

from sidecar.codebase.summary.model import DOCSTRING, Definition, Grammar, Language, Visibility
from sidecar.codebase.summary.pattern_languages import PATTERN_LANGUAGES, line_patterns
from sidecar.core.lazy_regex import lazy_regex

MAIN_GRAMMARS = 3


_JS_DEFINITIONS = line_patterns(
    r"^\s*+(?:export\s++)?(?:default\s++)?(?:declare\s++)?(?:abstract\s++)?(?:async\s++)?"
    r"(?:function\b\s*+\*?|class\s|(?:const\s++)?enum\s|interface\s|namespace\s|type\s)\s*+(?P<name>[A-Za-z_$][\w$]*+)",
    r"^(?:export\s++)?(?:const|let|var)\s++(?P<name>[A-Za-z_$][\w$]*+)\s*+(?::[^=]++)?=\s*+"
    r"(?:async\b\s*+)?(?:\(|function\b|[\w$]++\s*+=>|<)",
    r"^export\s++(?:declare\s++)?(?:const|let|var)\s++(?P<name>[A-Za-z_$][\w$]*+)",
    r"^\s{2,4}(?:(?:public|private|protected|static|readonly|override|async|get|set)\s++|\*\s*+)*+"
    r"(?P<name>(?!(?:if|for|while|switch|catch|return|function)\b)[A-Za-z_$#][\w$]*+)"
    r"\([^;]*\)\s*+(?::[^{;()=]++)?\{$",
)
_C_WORDS = r"(?!\s|(?:return|else|if|for|while|switch|case|do|goto|typedef)\b)"

LANGUAGES: tuple[Language, ...] = (
    Language(
        "Python",
        (".py", ".pyi"),
        line_patterns(
            r"^\s*+(?:class|def|async\s++def)\s++(?P<name>\w++)",
            r"^(?P<name>[A-Z][A-Z0-9_]{2,}+)\s*+(?::[^=]++)?=(?!=)",
        ),
        DOCSTRING,
        Grammar("tree_sitter_python", "python"),
        interpreters=("python",),
    ),
    Language(
        "TypeScript",
        (".ts", ".mts", ".cts"),
        _JS_DEFINITIONS,
        "//",
        Grammar("tree_sitter_typescript", "typescript", "language_typescript", "exported"),
        interpreters=("deno", "ts-node", "tsx", "bun"),
    ),
    Language(
        "TSX",
        (".tsx",),
        _JS_DEFINITIONS,
        "//",
        Grammar("tree_sitter_typescript", "typescript", "language_tsx", "exported", "tsx"),
    ),
    Language(
        "JavaScript",
        (".js", ".jsx", ".mjs", ".cjs"),
        _JS_DEFINITIONS,
        "//",
        Grammar("tree_sitter_javascript", "javascript", visibility="exported"),
        interpreters=("node", "zx"),
    ),
    Language(
        "Go",
        (".go",),
        line_patterns(
            r"^func\s++(?:\([^)]*+\)\s*+)?(?P<name>\w++)",
            r"^(?:type|const|var)\s++(?P<name>\w++)",
        ),
        "//",
        Grammar("tree_sitter_go", "go", visibility="capital"),
    ),
    Language(
        "Rust",
        (".rs",),
        line_patterns(
            r"^\s*+(?:pub(?:\([^)]*+\))?\s++)?(?:async\s++|unsafe\s++|const\s++(?=fn|unsafe|async|extern)|extern\s++\"\w++\"\s++)*+"
            r"(?:fn|struct|enum|trait|mod|type|union|macro_rules!|const|static)\s++(?P<name>\w++)",
            r"^\s*+(?:unsafe\s++)?impl(?:<[^{(]*?>(?=\s))?\s++(?P<name>\w[^{]*?)(?<=\S)(?=\s++where\b|\s*+(?:\{|$))",
        ),
        "//",
        Grammar("tree_sitter_rust", "rust", visibility="pub"),
    ),
    Language(
        "Java",
        (".java",),
        line_patterns(
            r"^\s*+(?:(?:public|protected|private|abstract|final|static|sealed|non-sealed)\s++)*+"
            r"(?:class|interface|enum|record|@interface)\s++(?P<name>\w++)",
            r"^\s++(?:public|protected|private|static|final|abstract|synchronized|default)\b[^(=;{]*?(?<!\w)(?P<name>\w++)\s*+\(",
        ),
        "//",
        Grammar("tree_sitter_java", "java", visibility="not-private"),
    ),
    Language(
        "C",
        (".c", ".h"),
        line_patterns(
            rf"^{_C_WORDS}[\w*][\w*\s]*?(?<!\w)(?P<name>\w++)\s*+\([^;]*+$",
            r"^\s*+(?:typedef\s++)?(?:struct|enum|union)\s++(?P<name>\w++)(?=\s*+(?:\{|$))",
            r"^#\s*+define\s++(?P<name>\w++)",
        ),
        "//",
        Grammar("tree_sitter_c", "c", visibility="not-static"),
    ),
    Language(
        "C++",
        (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"),
        line_patterns(
            r"^\s*+(?:template\s*+<[^{(]*?>\s++)?(?:class|struct|enum(?:\s++class)?|namespace|union)\s++(?P<name>\w++)",
            rf"^{_C_WORDS}[\w:*&<][\w:*&<>,~\s]*?(?<![\w:~])(?P<name>[\w:~]++)\s*+\([^;]*+$",
        ),
        "//",
        Grammar("tree_sitter_cpp", "cpp", visibility="not-static"),
    ),
    Language(
        "C#",
        (".cs",),
        line_patterns(
            r"^\s*+(?:(?:public|internal|protected|private|abstract|sealed|static|partial|readonly)\s++)*+"
            r"(?:class|interface|enum|record|struct)\s++(?P<name>\w++)",
            r"^\s++(?:public|internal|protected|private|static|virtual|override|async)\b[^(=;{]*?(?<!\w)(?P<name>\w++)\s*+\(",
        ),
        "//",
        Grammar("tree_sitter_c_sharp", "csharp", visibility="modifier"),
    ),
    Language(
        "Ruby",
        (".rb", ".rake"),
        line_patterns(r"^\s*+(?:class|module|def)\s++(?P<name>\w[\w.:?!]*+)"),
        grammar=Grammar("tree_sitter_ruby", "ruby", visibility="section"),
        names=("rakefile", "gemfile", "guardfile", "vagrantfile"),
        interpreters=("ruby",),
    ),
    Language(
        "PHP",
        (".php",),
        line_patterns(
            r"^\s*+(?:(?:abstract|final|public|protected|private|static|readonly)\s++)*+"
            r"(?:class|interface|trait|enum|function)\s++&?(?P<name>\w++)"
        ),
        "//",
        Grammar("tree_sitter_php", "php", "language_php", "not-private"),
        interpreters=("php",),
    ),
    Language(
        "Shell",
        (".sh", ".bash", ".zsh"),
        line_patterns(
            r"^\s*+(?:function\s++)?(?P<name>[\w:-]++)\s*+\(\s*+\)", r"^\s*+function\s++(?P<name>[\w:-]++)\s*+\{?$"
        ),
        grammar=Grammar("tree_sitter_bash", "bash"),
        names=(".bashrc", ".profile", ".zshrc"),
        interpreters=("sh", "bash", "zsh", "dash", "ksh"),
    ),
    Language(
        "Kotlin",
        (".kt", ".kts"),
        line_patterns(
            r"^\s*+(?:(?:public|internal|private|protected|open|abstract|data|sealed|override|suspend|inline|enum)\s++)*+"
            r"(?:class|interface|object|fun)\s++(?:<[^>]*+>\s*+)?(?P<name>\w[\w.]*+)"
        ),
        "//",
        Grammar("tree_sitter_kotlin", "kotlin", visibility="not-private"),
    ),
    Language(
        "Swift",
        (".swift",),
        line_patterns(
            r"^\s*+(?:(?:public|internal|private|fileprivate|open|final|static|override|mutating|indirect)\s++)*+"
            r"(?:class|struct|enum|protocol|extension|func|actor)\s++(?P<name>\w++)"
        ),
        "//",
        Grammar("tree_sitter_swift", "swift", visibility="not-private"),
    ),
    Language(
        "Vue",
        (".vue", ".svelte", ".astro"),
        _JS_DEFINITIONS,
        "//",
        Grammar("tree_sitter_typescript", "typescript", "language_typescript", "exported"),
        scripts=True,
    ),
    *PATTERN_LANGUAGES,
)

_DATA_LANGUAGES = frozenset((
    "SQL", "Markdown", "reStructuredText", "TOML", "YAML", "JSON", "Dockerfile", "Makefile", "CMake",
    "Protocol Buffers", "GraphQL", "Terraform", "Template", "CSS", "HTML", "Prisma", "Just", "Notebook",
))  # fmt: skip
"""Languages for data, pages and configuration; the others are programming languages."""

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_BY_NAME = {name: language for language in LANGUAGES for name in language.names}
_BY_INTERPRETER = {name: language for language in LANGUAGES for name in language.interpreters}
_CPP_ONLY = lazy_regex(
    r"(?m)^\s{0,8}(?:class\s+\w+[^;]*$|namespace\b|template\s{0,4}<|(?:public|private|protected):|using\s)"
)


def language_of(path: str, text: str = "") -> Language | None:
    """Return a file's language by its suffix, its name, or the interpreter in its first line; None if unknown.

    A C header with C++ text is C++.
    """
    name = path.rpartition("/")[2].lower()
    stem, dot, suffix = name.rpartition(".")
    found = _BY_NAME.get(name) or (_BY_SUFFIX.get(dot + suffix) if dot else None) or _BY_NAME.get(stem)
    if found is None:
        return _by_shebang(text)
    if suffix == "h" and _CPP_ONLY.search(text):
        return _BY_SUFFIX[".cpp"]
    return found


def is_code(path: str) -> bool:
    """Whether a file is in a programming language, by its name."""
    language = language_of(path)
    return language is not None and language.name not in _DATA_LANGUAGES


def main_grammars(paths: Iterable[str]) -> list[Grammar]:
    """Return the grammars that each cover at least a tenth of the parsable files, most frequent first."""
    languages = (language_of(path) for path in paths)
    counted = Counter(language.grammar for language in languages if language is not None and language.grammar)
    return [grammar for grammar, count in counted.most_common(MAIN_GRAMMARS) if count * 10 >= counted.total()]


def _by_shebang(text: str) -> Language | None:
    if not text.startswith("#!"):
        return None
    words = text[2:200].split("\n", 1)[0].split()
    programs = (word.rpartition("/")[2].rstrip("0123456789.") for word in words if not word.startswith("-"))
    program = next((program for program in programs if program != "env"), "")
    return _BY_INTERPRETER.get(program)


MAX_DEFINITIONS = 400
MAX_SIGNATURE = 160
MAX_NAME = 100

_KINDS = {
    "def": "function",
    "fn": "function",
    "func": "function",
    "fun": "function",
    "mod": "module",
    "const": "constant",
}
_KIND = lazy_regex(
    r"\b(?:class|struct|interface|trait|enum|union|protocol|impl|module|mod|namespace|type|object|def|fn|func|fun|function|const)\b"
)

_MAX_LINE_CHARACTERS = 400
"""Longer lines are neither searched for definitions nor read as the end of a signature."""

_BLOCK_COMMENT = lazy_regex(r"/\*(?:[^*]|\*(?!/))*+(\*/)?")
_TRAILING_COMMENT = lazy_regex(r"(?<!\s)\s++(?:#|//)(?:\s.*)?$")


def find_definitions(
    lines: Sequence[str], language: Language, ranges: Sequence[tuple[int, int]] | None = None
) -> tuple[Definition, ...]:
    """Return what a language's patterns find, each with its signature.

    `ranges` limits the search to these first and last lines, counted from 1, and leaves out ends and containers. For a
    pattern with a `depth` group, only matches as deep as the first one count, and each name once.
    """
    definitions: list[Definition] = []
    outermost: str | None = None
    names: set[str] = set()
    numbers = range(1, len(lines) + 1) if ranges is None else _numbers(ranges, len(lines))
    for number, match in _matches(lines, language, numbers):
        group = _name_group(match)
        name = match[group].rstrip("# ")[:MAX_NAME]
        if "depth" in match.re.groupindex:
            outermost = match["depth"] if outermost is None else outermost
            name = name if match["depth"] == outermost and name not in names else ""
            names.add(name)
        if name:
            signature = _signature(lines, number - 1)
            kind = _kind(signature) if group == "name" else group
            name = f"{match['owner']}.{name}" if "owner" in match.re.groupindex else name
            definitions.append(Definition(number, name, signature, kind=kind))
        if len(definitions) >= MAX_DEFINITIONS:
            break
    if ranges is not None or language.ends == "next":
        return tuple(_with_call_kind(definition) for definition in definitions)
    return _with_ends(lines, definitions, language)


def _matches(lines: Sequence[str], language: Language, numbers: Iterable[int]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the lines that define something, outside of texts in quotes and of Markdown's code."""
    if not language.definitions:
        return
    quoted = False
    fences, quotes = ("```", "~~~") if language.name == "Markdown" else (), language.quotes
    may_define = _any_of(language.definitions).match
    for number in numbers:
        line = lines[number - 1]
        if (quotes and line.count(quotes) % 2) or (fences and line.startswith(fences)):
            quoted = not quoted
            if fences or not quoted:
                continue
        elif quoted:
            continue
        if line and len(line) <= _MAX_LINE_CHARACTERS and may_define(line.rstrip()):
            found = (pattern.match(line.rstrip()) for pattern in language.definitions)
            yield number, next(match for match in found if match)


_MARKS = frozenset(("depth", "owner"))


def _name_group(match: re.Match[str]) -> str:
    """Return the name of the group that matched a definition's name."""
    return next(group for group, text in match.groupdict().items() if text is not None and group not in _MARKS)


def _with_call_kind(definition: Definition) -> Definition:
    return definition._replace(kind="function") if definition.kind == "call" else definition


_CALLABLE = frozenset(("function", "method", "macro", "test"))
_PRIVATE_LINE = lazy_regex(
    r"(?:\S++\s++){0,6}?(?:private|protected|internal|local|fileprivate|defp|defmacrop|defguardp)(?=[\s\[]|$)|\(defn-"
)
_SAME_BLOCK = lazy_regex(
    r"\s*+(?:[)\]}>{]|(?:end|else|elsif|elif|elseif|except|finally|catch|rescue|ensure|after|where|then|do|begin|is)\b)"
)
"""A line as far out as its block's head that belongs to the block all the same."""

_GOES_ON = lazy_regex(r".*(?:[{(\[,=|:]|->|=>|\b(?:do|then|begin|else|is))\s*+$|\s*+(?!end\b)[a-z]")
"""Such a line with a part of the block below it."""

_SQL_QUOTE = lazy_regex(r"\$\w{0,40}\$")
_MACRO = lazy_regex(r"\s*+\{%")
_MACRO_END = lazy_regex(r"\s*+\{%-?\s*+end(?:macro|test|materialization|snapshot|docs)\b")


def _with_ends(lines: Sequence[str], found: Sequence[Definition], language: Language) -> tuple[Definition, ...]:
    """Add where each definition ends, what it is in, and whether other files may use it."""
    indents = [len(line) - len(line.lstrip()) if line.strip() else -1 for line in lines]
    open_: list[Definition] = []
    definitions: list[Definition] = []
    for at, match in enumerate(found):
        while open_ and open_[-1].end_line < match.line:
            open_.pop()
        outer = open_[-1] if open_ else None
        is_local = outer is not None and outer.kind in _CALLABLE
        if match.kind in ("call", "variable") and is_local and language.grammar is None:
            continue
        following = found[at + 1].line - 1 if at + 1 < len(found) else len(lines)
        end = max(match.line, _end(lines, indents, match, following, language))
        container = f"{outer.container}.{outer.name}" if outer and outer.container else outer.name if outer else ""
        definition = _with_call_kind(match)._replace(
            end_line=end,
            container=container,
            public=not is_local and (language.grammar is not None or _is_public_line(match, language)),
        )
        last = definitions[-1] if definitions else None
        if language.clauses and last is not None and _is_next_clause(lines, last, definition):
            definitions[-1] = definition._replace(line=last.line, signature=last.signature)
        else:
            definitions.append(definition)
        open_.append(definitions[-1])
    return tuple(definitions)


def _end(
    lines: Sequence[str], indents: Sequence[int], definition: Definition, following: int, language: Language
) -> int:
    if language.ends != "statement":
        own_name = definition.name if language.ends == "equations" else ""
        return _block_end(lines, indents, definition.line - 1, own_name) + 1
    if _MACRO.match(lines[definition.line - 1]):
        ends = (number for number in range(definition.line, len(lines)) if _MACRO_END.match(lines[number]))
        return next(ends, following - 1) + 1
    if definition.kind == "query":
        return _block_end(lines, indents, definition.line - 1) + 1
    quotes = 0
    for number in range(definition.line - 1, following):
        quotes += len(_SQL_QUOTE.findall(lines[number][:_MAX_LINE_CHARACTERS]))
        if quotes % 2 == 0 and lines[number].rstrip().endswith(";") and (quotes or definition.kind == "type"):
            return number + 1
    return following


def _block_end(lines: Sequence[str], indents: Sequence[int], first: int, own_name: str = "") -> int:
    """Return the last line of the block that a line begins, by its indentation; counted from 0."""
    last = first
    for number in range(first + 1, len(lines)):
        if indents[number] < 0:
            continue
        if indents[number] > indents[first]:
            last = number
            continue
        line = lines[number][:_MAX_LINE_CHARACTERS]
        if indents[number] < indents[first]:
            break
        if own_name and line.startswith(own_name) and not line[len(own_name) : len(own_name) + 1].isalnum():
            last = number
        elif _SAME_BLOCK.match(line):
            last = number
            if not _GOES_ON.match(line):
                break
        else:
            break
    return last


def _is_public_line(definition: Definition, language: Language) -> bool:
    """Whether other files may use a definition, by its line alone."""
    if definition.kind == "test" or definition.name.startswith(("_", ".")):
        return False
    if language.public is not None and not language.public.match(definition.signature):
        return False
    return _PRIVATE_LINE.match(definition.signature) is None


MAX_CLAUSE_LINES = 36
"""Clauses of one function are together up to this number of lines."""


def _is_next_clause(lines: Sequence[str], last: Definition, definition: Definition) -> bool:
    same = (last.name, last.kind, last.container) == (definition.name, definition.kind, definition.container)
    is_near = definition.end_line - last.line < MAX_CLAUSE_LINES
    return same and is_near and not any(line.strip() for line in lines[last.end_line : definition.line - 1])


def _numbers(ranges: Sequence[tuple[int, int]], last: int) -> list[int]:
    """Return the lines of ranges that may overlap, in order."""
    return sorted({number for start, end in ranges for number in range(start, min(end, last) + 1)})


def _kind(signature: str) -> str:
    """Return the kind of a definition from its first keyword."""
    word = _KIND.search(signature[:80])
    return _KINDS.get(word[0], word[0]) if word else ""


def normalize_signature(text: str) -> str:
    """Return a definition's head on one line, without comments and the opening of its body."""
    if "/*" in text:
        text = _BLOCK_COMMENT.sub(lambda match: " " if match[1] else match[0], text)
    if "//" in text or "#" in text:
        text = " ".join(strip_comment(line) for line in text.split("\n"))
    text = code_on_one_line(text)[: MAX_SIGNATURE * 2]
    text = text.rstrip("{:=; ")
    while text.endswith("=>"):
        text = text[:-2].rstrip("{:=; ")
    return text[:MAX_SIGNATURE].rstrip()


def code_on_one_line(text: str) -> str:
    """Return code on one line, without the spaces and the comma that line ends in parentheses leave."""
    return " ".join(text.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")


def strip_comment(line: str) -> str:
    """Remove the comment at a line's end."""
    return _TRAILING_COMMENT.sub("", line).strip()


@cache
def _any_of(patterns: tuple[re.Pattern[str], ...]) -> re.Pattern[str]:
    """Return one pattern that matches what any of some does: most lines define nothing."""
    sources = (_GROUP.sub("(?:", pattern.pattern) for pattern in patterns)
    return lazy_regex("|".join(f"(?i:{source[4:]})" if source.startswith("(?i)") else source for source in sources))


_GROUP = lazy_regex(r"\(\?P<\w+>")


def _signature(lines: Sequence[str], index: int) -> str:
    """Join a definition's lines until its parentheses close."""
    text = strip_comment(lines[index])
    for following in lines[index + 1 : index + 6]:
        if text.count("(") <= text.count(")") or len(following) > _MAX_LINE_CHARACTERS:
            break
        text += "\n" + strip_comment(following)
    return normalize_signature(text)


_PRIVATE = lazy_regex(r"\b(?:private|fileprivate)\b")
_MODIFIER = lazy_regex(r"\b(?:public|internal|protected)\b")
_STATIC = lazy_regex(r"\bstatic\b")
_PUB = lazy_regex(r"(?:#\[[^\]]*+\]\s*+)*+pub\b")
_PRIVATE_MEMBER = lazy_regex(r"(?:private|protected)\b")
_OWNER = lazy_regex(r"(\w+)\.(?:prototype\.)?\w+\s*=")
"""JavaScript: the object a function becomes a member of by assignment."""

_HEAD_CHARACTERS = 200
"""Modifiers occur within this many characters."""


class Container(NamedTuple):
    """Enclosing definition of a member."""

    kind: str
    head: str
    public: bool


class DefinitionHead(NamedTuple):
    """A definition as the rules see it."""

    name: str
    head: str
    """Its text up to the body."""
    container: Container | None
    exported: AbstractSet[str]
    """Names that the file exports separately from their definitions."""


def is_public(rule: Visibility, definition: DefinitionHead) -> bool:
    """Whether other files may use a definition."""
    if definition.container is not None and not definition.container.public and rule not in ("pub", "capital"):
        return False
    return _VISIBILITY_RULES[rule](definition._replace(head=definition.head[:_HEAD_CHARACTERS]))


def _underscore(definition: DefinitionHead) -> bool:
    is_special = definition.name.startswith("__") and definition.name.endswith("__")
    return is_special or not definition.name.startswith("_")


def _exported(definition: DefinitionHead) -> bool:
    if definition.container is not None:
        return not definition.name.startswith("#") and not _PRIVATE_MEMBER.match(definition.head)
    owner = _OWNER.match(definition.head)
    if owner is not None and owner[1] in definition.exported:
        return not definition.name.startswith("_")
    return definition.head.startswith(("export", "declare", "module.exports")) or definition.name in definition.exported


def _capital(definition: DefinitionHead) -> bool:
    return definition.name[:1].isupper()


def _pub(definition: DefinitionHead) -> bool:
    container_ = definition.container
    if container_ is not None and (
        container_.kind == "trait" or (container_.kind == "impl" and " for " in container_.head)
    ):
        return True
    return bool(_PUB.match(definition.head)) or definition.head.startswith(("impl", "unsafe impl", "macro_rules"))


def _not_private(definition: DefinitionHead) -> bool:
    return not _PRIVATE.search(definition.head)


def _modifier(definition: DefinitionHead) -> bool:
    if definition.container is None or definition.container.kind in ("interface", "namespace"):
        return not _PRIVATE.search(definition.head)
    return bool(_MODIFIER.search(definition.head))


def _not_static(definition: DefinitionHead) -> bool:
    is_member = definition.container is not None and definition.container.kind != "namespace"
    return is_member or not _STATIC.search(definition.head)


def _section(definition: DefinitionHead) -> bool:
    return not definition.name.startswith("_")


_VISIBILITY_RULES: dict[Visibility, Callable[[DefinitionHead], bool]] = {
    "underscore": _underscore,
    "exported": _exported,
    "capital": _capital,
    "pub": _pub,
    "not-private": _not_private,
    "modifier": _modifier,
    "not-static": _not_static,
    "section": _section,
}
