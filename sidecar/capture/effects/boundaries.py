"""Which of the changed files are boundaries, by their paths and by what they promise others. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from sidecar.call import Call
from sidecar.capture.effects.worktree_changes import Observed
from sidecar.codebase import (
    Contract,
    Repository,
    Sides,
    StateFailed,
    Summary,
    changed_contracts,
    gone_exports,
    is_code,
    is_generated,
    is_test,
    needs_texts,
    offers,
    repository_of,
)
from sidecar.core.lazy_regex import regex
from sidecar.workspace import Workspace

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


# Looks at what a run's changed files promise others, against the commit that the run began at.


MAX_FILES = 40
"""Of a run that changed more, the first by path are looked at."""

_ENTRANCES = frozenset(("__init__", "index", "lib", "mod"))


def touched_boundaries(
    call: Call, workspace: Workspace, observed: Observed, start: str | None, globs: Sequence[str]
) -> tuple[Boundary, ...]:
    """Gives the boundaries that a run touched; none where the commit it began at is not known or cannot be read."""
    paths = _worth_a_look(observed, globs)
    if start is None or observed.state is None or not paths:
        return ()
    repository = repository_of(workspace, call.process)
    try:
        before = repository.at(start, paths, observed.state)
    except StateFailed as error:
        call.log.warning("capture.contracts.unavailable", reason=error.reason)
        return ()
    after = {path: observed.files[path] for path in paths if path in observed.files}
    changed = [path for path in paths if before.get(path) != (after.get(path) or "").removeprefix("w:")]
    by_name = _by_paths(repository, [path for path in changed if kind_of(path)], before, after)
    code = [path for path in changed if is_code(path) and not kind_of(path) and not is_test(path)]
    found = {one.path: one for one in (*by_name, *_by_contracts(repository, observed, code, before, after))}
    for path in changed:
        if path not in found and is_set(path, globs):
            found[path] = by_setting(path)
    return tuple(found[path] for path in sorted(found))


def _worth_a_look(observed: Observed, globs: Sequence[str]) -> list[str]:
    changed = {change.path for change in observed.changes}
    changed |= {observed.originals[path] for path in changed if path in observed.originals}
    return [
        path
        for path in sorted(changed)
        if not is_generated(path) and (kind_of(path) or is_code(path) or is_set(path, globs))
    ][:MAX_FILES]


def _by_paths(
    repository: Repository, paths: Sequence[str], before: dict[str, str], after: dict[str, str]
) -> list[Boundary]:
    old = repository.texts({path: before[path] for path in paths if path in before})
    new = repository.texts({path: after[path] for path in paths if path in after})
    readable = [path for path in paths if (path in before) == (path in old) and (path in after) == (path in new)]
    found = (by_path(path, old.get(path), new.get(path)) for path in readable)
    return [one for one in found if one is not None]


def _by_contracts(
    repository: Repository, observed: Observed, paths: Sequence[str], before: dict[str, str], after: dict[str, str]
) -> list[Boundary]:
    files = _read_sides(repository, paths, before, after)
    cut = [path for path, sides in files.items() if needs_texts(sides)]
    if cut:
        old_texts = repository.texts({path: before[path] for path in cut})
        new_texts = repository.texts({path: after[path] for path in cut})
        files |= {
            path: files[path]._replace(old_text=old_texts.get(path, ""), new_text=new_texts.get(path, ""))
            for path in cut
        }
    moved = {original: path for path, original in observed.originals.items() if path in observed.files}
    contracts = changed_contracts(files, moved)
    contracts += [one for path, sides in files.items() if _is_entrance(path) for one in _not_passed_on(path, sides)]
    imports = {path: sides.before.imports for path, sides in files.items() if sides.before is not None}
    return _boundaries(repository, observed, contracts, imports)


def _read_sides(
    repository: Repository, paths: Sequence[str], before: dict[str, str], after: dict[str, str]
) -> dict[str, Sides]:
    """The summaries of what promised something before; all the others too where one of these has lost something."""
    old = repository.summaries({path: before[path] for path in paths if path in before})
    own = [path for path in paths if path in old and (offers(old[path]) or _is_entrance(path))]
    sides = _sides(own, old, repository.summaries({path: after[path] for path in own if path in after}), after)
    others = [path for path in paths if path not in own]
    if others and any(not one.after for one in changed_contracts(sides, {})):
        new = repository.summaries({path: after[path] for path in others if path in after})
        sides |= _sides(others, old, new, after)
    return sides


def _sides(
    paths: Sequence[str], old: dict[str, Summary], new: dict[str, Summary], after: dict[str, str]
) -> dict[str, Sides]:
    """What could not be read is not gone."""
    return {path: Sides(old.get(path), new.get(path)) for path in paths if (path in after) == (path in new)}


def _boundaries(
    repository: Repository, observed: Observed, contracts: Sequence[Contract], imports: dict[str, tuple[str, ...]]
) -> list[Boundary]:
    """The files that others import, or did before they were changed along; `imports` are the changed files' own."""
    found = []
    code_files: int | None = None
    changed = {change.path for change in observed.changes}
    changed |= {file.path for file in observed.state.changed} if observed.state is not None else set()
    for path in dict.fromkeys(one.path for one in contracts):
        is_gone = path not in observed.files
        importing = repository.former_importers(path, imports) if is_gone else repository.importers(path)
        importers = [one for one in importing if not is_test(one)]
        if not importers and not _is_entrance(path):
            continue
        if code_files is None:
            code_files = sum(map(is_code, observed.files))
        own = [one for one in contracts if one.path == path]
        concerned = _using(repository, observed, importers, names_used(own), changed)
        within = [one for one in importers if not is_apart(one)]
        found.append(by_imports(path, own, within, code_files)._replace(importers=tuple(concerned)))
    return found


def _using(
    repository: Repository,
    observed: Observed,
    importers: Sequence[str],
    names: Collection[str],
    changed: Collection[str],
) -> list[str]:
    """Those of the importers that changed too, or that use what was changed, as far as that is known."""
    known = repository.known_summaries({path: observed.files[path] for path in importers if path in observed.files})
    found = []
    for path in importers:
        summary = known.get(path)
        used = (
            {one for each in summary.imports for one in each.split(".")} | {*summary.references} if summary else set()
        )
        if path in changed or summary is None or not names or not used.isdisjoint(names):
            found.append(path)
    return found


def _is_entrance(path: str) -> bool:
    return path.rpartition("/")[2].partition(".")[0] in _ENTRANCES


def _not_passed_on(path: str, sides: Sides) -> list[Contract]:
    if sides.before is None or sides.after is None:
        return []
    return [Contract(path, name, name, "") for name in gone_exports(sides.before, sides.after)]
