"""Which of the changed files are boundaries, by their paths and by what they promise others. Pure."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from sidecar.codebase import Contract
from sidecar.core.regex import regex

LEAST_FAN_IN, FAN_IN_SHARE = 8, 0.03
"""A file that so many files import, and so large a share of the code files, is one of the most used."""

MAX_LINES = 8
"""Lines of a schema or migration that are told."""

MAX_VALUE = 120

_SCHEMA = regex(
    r"(?i)(?:^|/)(?:(?:openapi|swagger|asyncapi)[\w.-]*\.(?:ya?ml|json)|schema\.(?:prisma|sql|rb|graphqls?|json|ya?ml)"
    r"|structure\.sql|[^/]+\.(?:proto|graphqls?|gql|avsc|avdl|thrift|xsd|wsdl|raml|fbs|capnp|schema\.json))$"
)
_MIGRATION = regex(
    r"(?i)(?:^|/)(?:migrations?|migrate|alembic/versions|db/versions|flyway|changelogs?/db)/(?:[^/]+/){0,2}"
    r"(?!__init__)[^/]+\.(?:sql|py|rb|php|js|ts|go|ex|exs|cs|java|kt|xml|ya?ml)$"
)
_TEST = regex(r"(?i)(?:^|/)(?:tests?|__tests__|specs?|fixtures?|examples?|testdata)/")
_NAMED_IN_USE = regex(r"\(|\b(?:class|interface|type|struct|enum|trait)\b")
_COMMENT = regex(r"^(?:#|//|--|/?\*|\"\"\"|'''|<!--|(?:description|summary|title|example)\b)")
_STATEMENT = regex(
    r"(?i)\b(?:create|alter|drop|rename)\s+(?:unique\s+)?(?:table|index|column|type|view)\b|\bop\.\w+\(|migrations\.[A-Z]\w+\("
    r"|\b(?:add|remove|rename|change|drop|create|alter)_?(?:column|table|index|reference|foreign_?key|constraint)\w*\b"
)

_PACKAGE_KEYS = ("name", "main", "module", "types", "typings", "exports", "bin", "browser", "type", "engines")
_PROJECT_KEYS = ("project.name", "project.scripts", "project.gui-scripts", "project.entry-points",
                 "project.requires-python", "tool.poetry.scripts", "tool.poetry.plugins")  # fmt: skip
_CRATE_KEYS = ("package.name", "package.edition", "package.rust-version", "lib", "bin", "features")


class Boundary(NamedTuple):
    """A file whose contract with others was changed."""

    path: str
    why: str
    """Why it is a boundary, in words that go on from its path and a comma."""
    contracts: tuple[Contract, ...]
    importers: tuple[str, ...] = ()
    """The files that import it and changed too, or use what was changed of it; tests left out."""


def kind_of(path: str) -> str | None:
    """Names what kind of a boundary a path alone shows: schema, migration, manifest; None for none."""
    if _TEST.search(path):
        return None
    if path.rpartition("/")[2] in ("package.json", "pyproject.toml", "Cargo.toml", "go.mod"):
        return "manifest"
    return "migration" if _MIGRATION.search(path) else "schema" if _SCHEMA.search(path) else None


def by_path(path: str, before: str | None, after: str | None) -> Boundary | None:
    """Gives the boundary that a schema, a migration or a manifest is, where more of it changed than its comments.

    A side without a file is None.
    """
    kind = kind_of(path)
    if kind == "manifest":
        contracts = _of_manifest(path, before or "", after or "") if before is not None else []
        return Boundary(path, "which says what the package offers", tuple(contracts)) if contracts else None
    told = _lines(path, before or "", after or "", statements=kind == "migration")
    if not told:
        return None
    if after is None:
        told = [Contract(path, "", "file", "")]
    return Boundary(path, "a database migration" if kind == "migration" else "an API schema", tuple(told))


def by_imports(path: str, contracts: Iterable[Contract], importers: Sequence[str], code_files: int) -> Boundary:
    """Gives the boundary that a file with changed contracts is, by how many files import it."""
    count = len(importers)
    many = count >= max(LEAST_FAN_IN, FAN_IN_SHARE * code_files)
    files = "1 file imports" if count == 1 else f"{count} files import"
    why = f"which {files}" + (", one of the most used here" if many else "") if count else "which is offered to others"
    return Boundary(path, why, tuple(contracts), tuple(importers))


def names_used(contracts: Iterable[Contract]) -> frozenset[str]:
    """Gives the names that files which use the contracts say; empty where they need not say one, as of values."""
    names = set()
    for one in contracts:
        if not one.name or not _NAMED_IN_USE.search(one.before):
            return frozenset()
        names.add(one.name.removesuffix(".__init__").removesuffix(".constructor").rpartition(".")[2])
    return frozenset(names)


def is_apart(path: str) -> bool:
    """Says whether a file stands beside what it uses: a test, an example."""
    return bool(_TEST.search(path))


def by_setting(path: str) -> Boundary:
    """Gives the boundary that the settings make of a file."""
    return Boundary(path, "set as a boundary", (Contract(path, "", "set", "set"),))


def is_set(path: str, globs: Iterable[str]) -> bool:
    """Says whether one of the globs names a file; one without a slash names files in any folder."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


@lru_cache(maxsize=128)
def _pattern(glob: str) -> re.Pattern[str]:
    """`**` stands for any folders, `*` and `?` for characters of one name, a folder for all that is in it."""
    anchored = glob.removeprefix("./")
    if "/" not in anchored.rstrip("/"):
        anchored = f"**/{anchored}"
    if anchored.endswith("/"):
        anchored += "**"
    parts = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return regex("".join(parts.get(one) or re.escape(one) for one in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", anchored)))


def _lines(path: str, before: str, after: str, *, statements: bool) -> list[Contract]:
    old, new = _significant(before), _significant(after)
    gone = [line for line in old if line not in set(new)]
    come = [line for line in new if line not in set(old)]
    if statements:
        telling = [line for line in come if _STATEMENT.search(line)]
        come = telling or come[:1]
    told = [*((line, "") for line in gone), *(("", line) for line in come)]
    return [Contract(path, "", one[:MAX_VALUE], other[:MAX_VALUE]) for one, other in told[:MAX_LINES]]


def _significant(text: str) -> list[str]:
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if re.search(r"\w", line) and not _COMMENT.match(line.lstrip("\"'"))]


def _of_manifest(path: str, before: str, after: str) -> list[Contract]:
    old, new = _offered(path, before), _offered(path, after)
    return [
        Contract(path, key, old.get(key, ""), new.get(key, ""))
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key) and (key in old or _is_breaking(key))
    ]


def _is_breaking(key: str) -> bool:
    """A list of what is open to others closes the rest."""
    return key in ("exports", "engines", "type")


def _offered(path: str, text: str) -> dict[str, str]:
    name = path.rpartition("/")[2]
    if name == "go.mod":
        module = re.search(r"(?m)^module\s+(\S+)", text)
        return {"module": module[1]} if module else {}
    try:
        content: Any = orjson.loads(text) if name == "package.json" else tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
    keys = {"package.json": _PACKAGE_KEYS, "pyproject.toml": _PROJECT_KEYS, "Cargo.toml": _CRATE_KEYS}[name]
    found = {key: _shown(_at(content, key)) for key in keys}
    return {key: shown for key, shown in found.items() if shown is not None}


def _at(content: Any, key: str) -> Any:
    for part in key.split("."):
        content = content.get(part) if isinstance(content, Mapping) else None
    return content


def _shown(value: Any) -> str | None:
    """Gives a value as text; None where there is none, and for what JSON does not hold, too deep or too large."""
    if value is None:
        return None
    if isinstance(value, str):
        text = value
    else:
        try:
            text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str).decode()
        except TypeError:
            return None
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 1] + "…"
