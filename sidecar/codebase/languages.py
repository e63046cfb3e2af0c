"""Languages as rows: suffixes, what a definition looks like, how comments begin. A new one is a new row."""

import re
from typing import NamedTuple


class Language(NamedTuple):
    """One language; `definitions` are patterns over single lines with the groups `kind` and `name`."""

    name: str
    suffixes: tuple[str, ...]
    definitions: tuple[re.Pattern[str], ...]
    comment: str = "#"
    """What a leading comment's lines begin with; `"` stands for a docstring."""


def _patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in sources)


_JS_DEFINITIONS = _patterns(
    r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?P<kind>function\*?|class|interface|enum|namespace|type)\s+(?P<name>[A-Za-z_$][\w$]*)",
    r"^(?:export\s+)?(?P<kind>const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(|function|[\w$]+\s*=>|<)",
    r"^export\s+(?:declare\s+)?(?P<kind>const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)",
    r"^\s{2,4}(?:public\s+|private\s+|protected\s+|static\s+|readonly\s+|override\s+|async\s+|get\s+|set\s+|\*)*"
    r"(?P<name>(?!if\b|for\b|while\b|switch\b|catch\b|return\b|function\b)[A-Za-z_$#][\w$]*)(?P<kind>\()[^;]*\)\s*(?::[^{;]+)?\{\s*$",
)

LANGUAGES: tuple[Language, ...] = (
    Language(
        "Python",
        (".py", ".pyi"),
        _patterns(
            r"^\s*(?P<kind>class|def|async def)\s+(?P<name>\w+)",
            r"^(?P<name>[A-Z][A-Z0-9_]{2,})\s*(?::[^=]+)?(?P<kind>=)[^=]",
        ),
        '"',
    ),
    Language("TypeScript", (".ts", ".tsx", ".mts", ".cts"), _JS_DEFINITIONS, "//"),
    Language("JavaScript", (".js", ".jsx", ".mjs", ".cjs"), _JS_DEFINITIONS, "//"),
    Language(
        "Go",
        (".go",),
        _patterns(
            r"^(?P<kind>func)\s+(?:\([^)]*\)\s*)?(?P<name>\w+)",
            r"^(?P<kind>type)\s+(?P<name>\w+)",
            r"^(?P<kind>const|var)\s+(?P<name>\w+)",
        ),
        "//",
    ),
    Language(
        "Rust",
        (".rs",),
        _patterns(
            r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+|extern\s+\"\w+\"\s+)*"
            r"(?P<kind>fn|struct|enum|trait|mod|type|union|macro_rules!)\s+(?P<name>\w+)",
            r"^\s*(?P<kind>impl)(?:<[^>]*>)?\s+(?P<name>[\w:<>, ]+?)\s*(?:where\b.*)?\{",
        ),
        "//",
    ),
    Language(
        "Java",
        (".java",),
        _patterns(
            r"^\s*(?:(?:public|protected|private|abstract|final|static|sealed)\s+)*"
            r"(?P<kind>class|interface|enum|record|@interface)\s+(?P<name>\w+)",
            r"^\s+(?:(?:public|protected|private|static|final|abstract|synchronized)\s+)+[\w<>\[\], ?]+\s+(?P<name>\w+)(?P<kind>\()",
        ),
        "//",
    ),
    Language(
        "C",
        (".c", ".h"),
        _patterns(
            r"^(?!\s|return|else|if|for|while)[\w*\s]+?\b(?P<name>\w+)(?P<kind>\()[^;]*$",
            r"^\s*(?:typedef\s+)?(?P<kind>struct|enum|union)\s+(?P<name>\w+)",
            r"^#(?P<kind>define)\s+(?P<name>\w+)",
        ),
        "//",
    ),
    Language(
        "C++",
        (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"),
        _patterns(
            r"^\s*(?:template\s*<[^>]*>\s*)?(?P<kind>class|struct|enum(?: class)?|namespace|union)\s+(?P<name>\w+)",
            r"^(?!\s|return|else|if|for|while)[\w:*&<>,\s]+?\b(?P<name>[\w:~]+)(?P<kind>\()[^;]*$",
        ),
        "//",
    ),
    Language(
        "C#",
        (".cs",),
        _patterns(
            r"^\s*(?:(?:public|internal|protected|private|abstract|sealed|static|partial|readonly)\s+)*"
            r"(?P<kind>class|interface|enum|record|struct)\s+(?P<name>\w+)",
            r"^\s+(?:(?:public|internal|protected|private|static|virtual|override|async)\s+)+[\w<>\[\],? ]+\s+(?P<name>\w+)(?P<kind>\()",
        ),
        "//",
    ),
    Language("Ruby", (".rb", ".rake"), _patterns(r"^\s*(?P<kind>class|module|def)\s+(?P<name>[\w.:?!]+)")),
    Language(
        "PHP",
        (".php",),
        _patterns(
            r"^\s*(?:(?:abstract|final|public|protected|private|static)\s+)*(?P<kind>class|interface|trait|enum|function)\s+(?P<name>\w+)"
        ),
        "//",
    ),
    Language("Shell", (".sh", ".bash", ".zsh"), _patterns(r"^\s*(?:(?P<kind>function)\s+)?(?P<name>[\w:-]+)\s*\(\)")),
    Language(
        "Kotlin",
        (".kt", ".kts"),
        _patterns(
            r"^\s*(?:(?:public|internal|private|protected|open|abstract|data|sealed|override|suspend|inline)\s+)*"
            r"(?P<kind>class|interface|object|fun|enum class)\s+(?:<[^>]*>\s*)?(?P<name>[\w.]+)"
        ),
        "//",
    ),
    Language(
        "Swift",
        (".swift",),
        _patterns(
            r"^\s*(?:(?:public|internal|private|fileprivate|open|final|static|override|mutating)\s+)*"
            r"(?P<kind>class|struct|enum|protocol|extension|func|actor)\s+(?P<name>\w+)"
        ),
        "//",
    ),
    Language(
        "SQL",
        (".sql",),
        _patterns(
            r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?P<kind>table|view|index|function|trigger)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"`]+)"
        ),
        "--",
    ),
    Language("Markdown", (".md", ".mdx", ".rst"), _patterns(r"^(?P<kind>#{1,4})\s+(?P<name>\S.{0,90}?)\s*#*$"), ""),
    Language("TOML", (".toml", ".ini", ".cfg"), _patterns(r"^(?P<kind>\[)\[?(?P<name>[^\]]+)\]")),
    Language("YAML", (".yml", ".yaml"), _patterns(r"^(?P<name>[\w./-]+)(?P<kind>:)")),
    Language("JSON", (".json", ".jsonc"), ()),
)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """Gives the language of a file by its suffix; None for one without a row."""
    dot = path.rfind(".")
    return _BY_SUFFIX.get(path[dot:].lower()) if dot >= 0 else None
