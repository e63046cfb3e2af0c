"""Import statements → the module specifiers they name, as the language writes them. Pure."""

import re
from collections.abc import Callable, Iterator

from sidecar.core.regex import regex

MAX_IMPORTS = 300
MAX_SPECIFIER = 200

_QUOTED = regex(r"[\"'`<]([^\"'`<>\n]{1,200})[\"'`>]")
_FROM = regex(r"from\s++(\.*+)\s*+((?:(?!import\b)[\w.]++)?)\s*+\bimport\s++(.*)", re.DOTALL)
_USE = regex(r"(?s)^(?:pub\s*+(?:\([^)]*\)\s*+)?)?(use|mod|extern\s++crate)\s++(.*)")
_COMMENT = regex(r"#[^\n]*|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_AS = regex(r"(?<!\s)\s++as\s+\w+")
_PHP_USE = regex(r"^use\s++(?:(?:function|const)\s++)?")


def specifiers(language: str, statement: str) -> Iterator[str]:
    """Yields what one import statement of a language names; nothing for what names no module."""
    read = _READERS.get(language, _quoted)
    for found in read(statement):
        if found:
            yield found[:MAX_SPECIFIER]


def _quoted(statement: str) -> Iterator[str]:
    yield from (match[1].strip() for match in _QUOTED.finditer(statement))


def _one_quoted(statement: str) -> Iterator[str]:
    yield statement.strip("\"'`<>")


def _python(statement: str) -> Iterator[str]:
    statement = _COMMENT.sub("", statement)
    found = _FROM.match(statement)
    if found is None:
        yield from (name.split(" as ")[0].strip() for name in statement.removeprefix("import").split(","))
        return
    dots, module, names = found.groups()
    base = dots + module
    for name in names.strip("() \n").split(","):
        imported = name.split(" as ")[0].strip()
        if imported == "*":
            yield base
        elif imported:
            yield f"{base}.{imported}" if module else f"{base}{imported}"


def _rust(statement: str) -> Iterator[str]:
    found = _USE.match(_COMMENT.sub("", statement))
    if found is None:
        return
    if found[1] == "mod":
        yield f"self::{_ended(found[2])}"
    else:
        yield from _use_tree(_AS.sub("", _ended(found[2])), "")


def _ended(statement: str) -> str:
    """Gives a statement without the sign and the blanks that end it."""
    return statement.rstrip().removesuffix(";").rstrip()


def _use_tree(tree: str, prefix: str, depth: int = 0) -> Iterator[str]:
    """Spells out `a::{b, c::d}`; `*` and `self` name the module they stand in."""
    for branch in _split_outside_braces(tree):
        path, brace, below = branch.partition("{")
        path = prefix + re.sub(r"\s+", "", path)
        if brace and depth < 20:
            yield from _use_tree(below.rstrip().removesuffix("}"), path, depth + 1)
        else:
            yield path.removesuffix("::*").removesuffix("::self")


def _split_outside_braces(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in (*parts, text[start:]) if part.strip()]


def _words_after(keyword: str) -> Callable[[str], Iterator[str]]:
    pattern = regex(
        rf"^(?:@\w++\s++)*+(?:global\s++)?{keyword}\s++(?:(?:static|class|struct|func|enum|protocol)\s++)?(.*)",
        re.DOTALL,
    )

    def read(statement: str) -> Iterator[str]:
        found = pattern.match(_COMMENT.sub("", statement))
        if found is not None:
            name = _AS.split(_ended(found[1]))[0].rpartition("=")[2].strip()
            yield name.removesuffix(".*")

    return read


def _php(statement: str) -> Iterator[str]:
    if not statement.startswith("use"):
        beside = "." if "__DIR__" in statement else ""
        yield from (beside + name for name in _quoted(statement))
        return
    tree = _AS.sub("", _PHP_USE.sub("", _ended(_COMMENT.sub("", statement))))
    for branch in _split_outside_braces(tree):
        base, brace, below = branch.partition("{")
        names = below.rstrip(" }").split(",") if brace else [""]
        yield from ((base + name.strip()).strip().lstrip("\\") for name in names if name.strip() or not brace)


def _ruby(statement: str) -> Iterator[str]:
    for path in _quoted(statement):
        yield f"./{path}".replace("././", "./") if statement.startswith("require_relative") else path


def _as_is(statement: str) -> Iterator[str]:
    yield statement.strip("\"'")


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "python": _python,
    "javascript": _one_quoted,
    "typescript": _one_quoted,
    "tsx": _one_quoted,
    "go": _one_quoted,
    "c": _one_quoted,
    "cpp": _one_quoted,
    "rust": _rust,
    "java": _words_after("import"),
    "kotlin": _words_after("import"),
    "swift": _words_after("import"),
    "csharp": _words_after("using"),
    "php": _php,
    "ruby": _ruby,
    "bash": _as_is,
}
