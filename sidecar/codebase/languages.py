"""Languages as rows: suffixes, what a definition looks like, how comments begin. A new one is a new row."""

import re
from typing import NamedTuple

DOCSTRING = '"'
PROSE = ""


class Language(NamedTuple):
    """One language; `definitions` are patterns over single lines with the group `name`.

    Lines come from anyone, so a pattern's time must grow no faster than a line: no two repetitions side by side may
    take the same characters, which possessive ones (`++`, `*+`) make sure of.
    """

    name: str
    suffixes: tuple[str, ...]
    definitions: tuple[re.Pattern[str], ...]
    comment: str = "#"
    """What a leading comment's lines begin with; or DOCSTRING, or PROSE where the text itself says it."""


def _patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in sources)


_JS_DEFINITIONS = _patterns(
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
        _patterns(
            r"^\s*+(?:class|def|async\s++def)\s++(?P<name>\w++)",
            r"^(?P<name>[A-Z][A-Z0-9_]{2,}+)\s*+(?::[^=]++)?=(?!=)",
        ),
        DOCSTRING,
    ),
    Language("TypeScript", (".ts", ".tsx", ".mts", ".cts"), _JS_DEFINITIONS, "//"),
    Language("JavaScript", (".js", ".jsx", ".mjs", ".cjs"), _JS_DEFINITIONS, "//"),
    Language(
        "Go",
        (".go",),
        _patterns(
            r"^func\s++(?:\([^)]*+\)\s*+)?(?P<name>\w++)",
            r"^(?:type|const|var)\s++(?P<name>\w++)",
        ),
        "//",
    ),
    Language(
        "Rust",
        (".rs",),
        _patterns(
            r"^\s*+(?:pub(?:\([^)]*+\))?\s++)?(?:async\s++|unsafe\s++|const\s++(?=fn|unsafe|async|extern)|extern\s++\"\w++\"\s++)*+"
            r"(?:fn|struct|enum|trait|mod|type|union|macro_rules!|const|static)\s++(?P<name>\w++)",
            r"^\s*+(?:unsafe\s++)?impl(?:<[^{(]*?>(?=\s))?\s++(?P<name>\w[^{]*?)(?<=\S)(?=\s++where\b|\s*+(?:\{|$))",
        ),
        "//",
    ),
    Language(
        "Java",
        (".java",),
        _patterns(
            r"^\s*+(?:(?:public|protected|private|abstract|final|static|sealed|non-sealed)\s++)*+"
            r"(?:class|interface|enum|record|@interface)\s++(?P<name>\w++)",
            r"^\s++(?:public|protected|private|static|final|abstract|synchronized|default)\b[^(=;{]*?(?<!\w)(?P<name>\w++)\s*+\(",
        ),
        "//",
    ),
    Language(
        "C",
        (".c", ".h"),
        _patterns(
            rf"^{_C_WORDS}[\w*][\w*\s]*?(?<!\w)(?P<name>\w++)\s*+\([^;]*+$",
            r"^\s*+(?:typedef\s++)?(?:struct|enum|union)\s++(?P<name>\w++)(?=\s*+(?:\{|$))",
            r"^#\s*+define\s++(?P<name>\w++)",
        ),
        "//",
    ),
    Language(
        "C++",
        (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"),
        _patterns(
            r"^\s*+(?:template\s*+<[^{(]*?>\s++)?(?:class|struct|enum(?:\s++class)?|namespace|union)\s++(?P<name>\w++)",
            rf"^{_C_WORDS}[\w:*&<][\w:*&<>,~\s]*?(?<![\w:~])(?P<name>[\w:~]++)\s*+\([^;]*+$",
        ),
        "//",
    ),
    Language(
        "C#",
        (".cs",),
        _patterns(
            r"^\s*+(?:(?:public|internal|protected|private|abstract|sealed|static|partial|readonly)\s++)*+"
            r"(?:class|interface|enum|record|struct)\s++(?P<name>\w++)",
            r"^\s++(?:public|internal|protected|private|static|virtual|override|async)\b[^(=;{]*?(?<!\w)(?P<name>\w++)\s*+\(",
        ),
        "//",
    ),
    Language("Ruby", (".rb", ".rake"), _patterns(r"^\s*+(?:class|module|def)\s++(?P<name>\w[\w.:?!]*+)")),
    Language(
        "PHP",
        (".php",),
        _patterns(
            r"^\s*+(?:(?:abstract|final|public|protected|private|static|readonly)\s++)*+"
            r"(?:class|interface|trait|enum|function)\s++&?(?P<name>\w++)"
        ),
        "//",
    ),
    Language(
        "Shell",
        (".sh", ".bash", ".zsh"),
        _patterns(
            r"^\s*+(?:function\s++)?(?P<name>[\w:-]++)\s*+\(\s*+\)", r"^\s*+function\s++(?P<name>[\w:-]++)\s*+\{?$"
        ),
    ),
    Language(
        "Kotlin",
        (".kt", ".kts"),
        _patterns(
            r"^\s*+(?:(?:public|internal|private|protected|open|abstract|data|sealed|override|suspend|inline|enum)\s++)*+"
            r"(?:class|interface|object|fun)\s++(?:<[^>]*+>\s*+)?(?P<name>\w[\w.]*+)"
        ),
        "//",
    ),
    Language(
        "Swift",
        (".swift",),
        _patterns(
            r"^\s*+(?:(?:public|internal|private|fileprivate|open|final|static|override|mutating|indirect)\s++)*+"
            r"(?:class|struct|enum|protocol|extension|func|actor)\s++(?P<name>\w++)"
        ),
        "//",
    ),
    Language(
        "SQL",
        (".sql",),
        _patterns(
            r"(?i)^\s*+create\s++(?:or\s++replace\s++)?(?:(?:unique|temp|temporary|virtual|materialized)\s++)?"
            r"(?:table|view|index|function|procedure|trigger|type)\s++(?:if\s++not\s++exists\s++)?(?P<name>[\w.\"`]++)"
        ),
        "--",
    ),
    Language("Markdown", (".md", ".mdx"), _patterns(r"^#{1,4}\s++(?P<name>\S.*+)$"), PROSE),
    Language("reStructuredText", (".rst",), (), PROSE),
    Language("TOML", (".toml", ".ini", ".cfg"), _patterns(r"^\[{1,2}(?P<name>[^\[\]]++)\]")),
    Language("YAML", (".yml", ".yaml"), _patterns(r"^(?P<name>[\w./-]++):")),
    Language("JSON", (".json", ".jsonc"), ()),
)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """Gives the language of a file by its suffix; None for one without a row."""
    dot = path.rfind(".")
    return _BY_SUFFIX.get(path[dot:].lower()) if dot >= 0 else None
