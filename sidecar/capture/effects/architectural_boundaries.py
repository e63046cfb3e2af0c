"""Boundaries among the changed files, by their paths and by what they promise others.

The contracts of a run's changed files are compared with the commit at which the run started, and with each commit that
it merged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from sidecar.call import Call
from sidecar.capture.effects.run_changes import RunEffects
from sidecar.codebase import (
    ApiChange,
    FileVersions,
    Repository,
    StateUnavailable,
    Summary,
    api_changes,
    has_public_api,
    is_code,
    is_generated,
    is_test,
    needs_texts,
    removed_exports,
)
from sidecar.core.clean_text import clip, count_noun
from sidecar.core.config_tables import parse_json, parse_toml, subtable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.runs.artifact_provenance import Boundary
from sidecar.workspace import Workspace

LEAST_FAN_IN, FAN_IN_SHARE = 8, 0.03
"""A file counts as one of the most used from this many importers and this share of all code files."""

MAX_LINES = 8
"""Maximum number of lines shown of a schema or migration."""

MAX_VALUE = 120

_SCHEMA = lazy_regex(
    r"(?i)(?:^|/)(?:(?:openapi|swagger|asyncapi)[\w.-]*\.(?:ya?ml|json)|schema\.(?:prisma|sql|rb|graphqls?|json|ya?ml)"
    r"|structure\.sql|[^/]+\.(?:proto|graphqls?|gql|avsc|avdl|thrift|xsd|wsdl|raml|fbs|capnp|schema\.json))$"
)
_MIGRATION = lazy_regex(
    r"(?i)(?:^|/)(?:migrations?|migrate|alembic/versions|db/versions|flyway|changelogs?/db)/(?:[^/]+/){0,2}"
    r"(?!__init__)[^/]+\.(?:sql|py|rb|php|js|ts|go|ex|exs|cs|java|kt|xml|ya?ml)$"
)
_TEST = lazy_regex(r"(?i)(?:^|/)(?:tests?|__tests__|specs?|fixtures?|examples?|testdata)/")
_NAMED_IN_USE = lazy_regex(r"\(|\b(?:class|interface|type|struct|enum|trait)\b")
_COMMENT = lazy_regex(r"^(?:#|//|--|/?\*|\"\"\"|'''|<!--|(?:description|summary|title|example)\b)")
_PREAMBLE = lazy_regex(r"<\?php\b|(?:import|from|use|using|namespace|package|require|require_once|declare)\b")
_STATEMENT = lazy_regex(
    r"(?i)\b(?:create|alter|drop|rename)\s+(?:unique\s+)?(?:table|index|column|type|view)\b|\bop\.\w+\(|migrations\.[A-Z]\w+\("
    r"|\b(?:DB|Schema)::\w+\("
    r"|\b(?:add|remove|rename|change|drop|create|alter)_?(?:column|table|index|reference|foreign_?key|constraint)\w*\b"
)

_PACKAGE_KEYS = ("name", "main", "module", "types", "typings", "exports", "bin", "browser", "type", "engines")
_PROJECT_KEYS = ("project.name", "project.scripts", "project.gui-scripts", "project.entry-points",
                 "project.requires-python", "tool.poetry.scripts", "tool.poetry.plugins")  # fmt: skip
_CRATE_KEYS = ("package.name", "package.edition", "package.rust-version", "lib", "bin", "features")


def kind_of(path: str) -> str | None:
    """Return the kind of boundary that a path alone shows: schema, migration, manifest or None."""
    if _TEST.search(path):
        return None
    if path.rpartition("/")[2] in ("package.json", "pyproject.toml", "Cargo.toml", "go.mod"):
        return "manifest"
    return "migration" if _MIGRATION.search(path) else "schema" if _SCHEMA.search(path) else None


def by_path(path: str, before: str | None, after: str | None) -> Boundary | None:
    """Return the boundary of a schema, migration or manifest if more than its comments changed.

    A side without a file is None.
    """
    kind = kind_of(path)
    if kind == "manifest":
        contracts = _of_manifest(path, before or "", after or "") if before is not None else []
        why = "which declares the package's interface"
        return Boundary(path=path, why=why, contracts=tuple(contracts)) if contracts else None
    contracts = _changed_lines(path, before or "", after or "", statements=kind == "migration")
    if not contracts:
        return None
    if after is None:
        contracts = [ApiChange(path, "", "file", "")]
    why = "a database migration" if kind == "migration" else "an API schema"
    return Boundary(path=path, why=why, contracts=tuple(contracts))


def by_imports(path: str, contracts: Iterable[ApiChange], importers: Sequence[str], code_files: int) -> Boundary:
    """Return the boundary of a file with changed contracts, described by how many files import it."""
    count = len(importers)
    is_widely_imported = count >= max(LEAST_FAN_IN, FAN_IN_SHARE * code_files)
    imported = f"which {count_noun(count, 'file')} import{'s' if count == 1 else ''}"
    why = (imported + (", one of the most imported here" if is_widely_imported else "")) if count else "which is public"
    return Boundary(path=path, why=why, contracts=tuple(contracts), importers=tuple(importers))


def names_used(contracts: Iterable[ApiChange]) -> frozenset[str]:
    """Return the names by which other files use the contracts; empty if they need not name one, as with values."""
    names = set()
    for contract in contracts:
        if not contract.name or not _NAMED_IN_USE.search(contract.before):
            return frozenset()
        names.add(contract.name.removesuffix(".__init__").removesuffix(".constructor").rpartition(".")[2])
    return frozenset(names)


def is_test_or_example(path: str) -> bool:
    """Whether a file is a test or an example."""
    return bool(_TEST.search(path))


def matches_any(path: str, globs: Iterable[str]) -> bool:
    """Whether a glob matches a file. A glob without a slash matches files in any folder."""
    return any(_pattern(glob).fullmatch(path) for glob in globs)


@lru_cache(maxsize=128)
def _pattern(glob: str) -> re.Pattern[str]:
    """Compile a glob: `**` matches any folders, `*` and `?` characters of one name, a folder everything inside it."""
    anchored = glob.removeprefix("./")
    if "/" not in anchored.rstrip("/"):
        anchored = f"**/{anchored}"
    if anchored.endswith("/"):
        anchored += "**"
    parts = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return lazy_regex(
        "".join(parts.get(part) or re.escape(part) for part in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", anchored))
    )


def _changed_lines(path: str, old_text: str, new_text: str, *, statements: bool) -> list[ApiChange]:
    old, new = _significant(old_text), _significant(new_text)
    removed = [line for line in old if line not in set(new)]
    added = [line for line in new if line not in set(old)]
    if statements:
        statement_lines = [line for line in added if _STATEMENT.search(line)]
        added = statement_lines or [line for line in added if not _PREAMBLE.match(line)][:1]
    pairs = [*((line, "") for line in removed), *(("", line) for line in added)]
    return [ApiChange(path, "", before[:MAX_VALUE], after[:MAX_VALUE]) for before, after in pairs[:MAX_LINES]]


def _significant(text: str) -> list[str]:
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if re.search(r"\w", line) and not _COMMENT.match(line.lstrip("\"'"))]


def _of_manifest(path: str, before: str, after: str) -> list[ApiChange]:
    old, new = _offered_values(path, before), _offered_values(path, after)
    return [
        ApiChange(path, key, old.get(key, ""), new.get(key, ""))
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key) and (key in old or key in ("exports", "engines", "type"))
    ]


def _offered_values(path: str, text: str) -> dict[str, str]:
    name = path.rpartition("/")[2]
    if name == "go.mod":
        module = re.search(r"(?m)^module\s+(\S+)", text)
        return {"module": module[1]} if module else {}
    content = parse_json(text) if name == "package.json" else parse_toml(text)
    keys = {"package.json": _PACKAGE_KEYS, "pyproject.toml": _PROJECT_KEYS, "Cargo.toml": _CRATE_KEYS}[name]
    members = {key: key.split(".") for key in keys}
    values = {key: _short_text(subtable(content, *tables).get(name)) for key, (*tables, name) in members.items()}
    return {key: text for key, text in values.items() if text is not None}


def _short_text(value: Any) -> str | None:
    """Return a value as short text; None for no value, and for one that JSON cannot hold, or too deep or too large."""
    if value is None:
        return None
    if isinstance(value, str):
        text = value
    else:
        try:
            text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str).decode()
        except TypeError:
            return None
    return clip(text, MAX_VALUE)


MAX_FILES = 40
"""Maximum number of changed files examined per run, in path order."""

_ENTRY_POINTS = frozenset(("__init__", "index", "lib", "mod"))


def touched_boundaries(
    call: Call, workspace: Workspace, effects: RunEffects, start: str | None, globs: Sequence[str]
) -> tuple[Boundary, ...]:
    """Return the boundaries that a run touched; none if its starting commit is unknown or unreadable.

    Of a merge, only what differs from each of the commits that came together is its doing.
    """
    paths = _candidate_paths(effects, globs)
    if start is None or effects.state is None or not paths:
        return ()
    repository = workspace.slices.repository
    try:
        commits = dict.fromkeys((start, *effects.merged_commits))
        befores = [repository.content_ids_at(commit, paths, effects.state) for commit in commits]
    except StateUnavailable as error:
        call.log.warning("capture.contracts.unavailable", reason=error.reason)
        return ()
    after = {path: effects.files[path] for path in paths if path in effects.files}
    now = {path: content.removeprefix("w:") for path, content in after.items()}
    changed = [path for path in paths if befores[0].get(path) != now.get(path, "")]
    if len(befores) > 1:
        differing = [path for path in changed if all(before.get(path, "") != now.get(path, "") for before in befores)]
        changed = _with_own_lines(repository, differing, befores, after)
    by_name = _by_paths(repository, [path for path in changed if kind_of(path)], befores, after)
    code = [path for path in changed if is_code(path) and not kind_of(path) and not is_test(path)]
    by_file = {
        boundary.path: boundary for boundary in (*by_name, *_by_contracts(repository, effects, code, befores, after))
    }
    for path in changed:
        if path not in by_file and matches_any(path, globs):
            set_by_user = ApiChange(path, "", "set", "set")
            by_file[path] = Boundary(path=path, why="configured as a boundary", contracts=(set_by_user,))
    return tuple(by_file[path] for path in sorted(by_file))


def _with_own_lines(
    repository: Repository, paths: Sequence[str], befores: Sequence[dict[str, str]], after: dict[str, str]
) -> list[str]:
    """Return the files with a line that they have in no commit, or without one that they have in each.

    A merge without conflicts, or one that takes the lines of either side, leaves no such line.
    """
    old = [_lines_by_path(repository, before, paths) for before in befores]
    new = _lines_by_path(repository, after, paths)
    own = {path: new[path].difference(*(lines[path] for lines in old)) for path in paths}
    removed = {path: frozenset.intersection(*(lines[path] for lines in old)) - new[path] for path in paths}
    return [path for path in paths if own[path] or removed[path]]


def _lines_by_path(repository: Repository, files: dict[str, str], paths: Sequence[str]) -> dict[str, frozenset[str]]:
    texts = repository.texts({path: files[path] for path in paths if path in files})
    return {path: frozenset(_significant(texts.get(path, ""))) for path in paths}


def _in_each(changes: Sequence[Sequence[ApiChange]]) -> list[ApiChange]:
    """Return the changes against the first commit that are changes against each of the others, too."""
    first, *others = changes
    identities = [{_identity(change) for change in other} for other in others]
    return [change for change in first if all(_identity(change) in other for other in identities)]


def _identity(change: ApiChange) -> tuple[str, str, str]:
    """Return what is the same in a change whatever it is compared with: the commits may differ in what was before."""
    return change.identity, "" if change.name else change.before, change.after


def _candidate_paths(effects: RunEffects, globs: Sequence[str]) -> list[str]:
    changed = {change.path for change in effects.changes}
    changed |= {effects.originals[path] for path in changed if path in effects.originals}
    return [
        path
        for path in sorted(changed)
        if not is_generated(path) and (kind_of(path) or is_code(path) or matches_any(path, globs))
    ][:MAX_FILES]


def _by_paths(
    repository: Repository, paths: Sequence[str], befores: Sequence[dict[str, str]], after: dict[str, str]
) -> list[Boundary]:
    by_commit = [_by_paths_since(repository, paths, before, after) for before in befores]
    contracts = _in_each([[each for found in boundaries for each in found.contracts] for boundaries in by_commit])
    own = {boundary.path: tuple(each for each in contracts if each.path == boundary.path) for boundary in by_commit[0]}
    return [replace(boundary, contracts=own[boundary.path]) for boundary in by_commit[0] if own[boundary.path]]


def _by_paths_since(
    repository: Repository, paths: Sequence[str], before: dict[str, str], after: dict[str, str]
) -> list[Boundary]:
    old = repository.texts({path: before[path] for path in paths if path in before})
    new = repository.texts({path: after[path] for path in paths if path in after})
    readable = [path for path in paths if (path in before) == (path in old) and (path in after) == (path in new)]
    boundaries = (by_path(path, old.get(path), new.get(path)) for path in readable)
    return [boundary for boundary in boundaries if boundary is not None]


def _by_contracts(
    repository: Repository,
    effects: RunEffects,
    paths: Sequence[str],
    befores: Sequence[dict[str, str]],
    after: dict[str, str],
) -> list[Boundary]:
    by_commit = [_read_sides(repository, paths, before, after) for before in befores]
    contracts = _in_each([
        _contracts(repository, effects, files, before, after)
        for files, before in zip(by_commit, befores, strict=True)
    ])  # fmt: skip
    imports = {path: sides.before.imports for path, sides in by_commit[0].items() if sides.before is not None}
    return _boundaries(repository, effects, contracts, imports)


def _contracts(
    repository: Repository,
    effects: RunEffects,
    files: dict[str, FileVersions],
    before: dict[str, str],
    after: dict[str, str],
) -> list[ApiChange]:
    """Return the changed contracts of files, with those that an entry point no longer exports."""
    cut = [path for path, sides in files.items() if needs_texts(sides)]
    if cut:
        old_texts = repository.texts({path: before[path] for path in cut})
        new_texts = repository.texts({path: after[path] for path in cut})
        files = files | {
            path: files[path]._replace(old_text=old_texts.get(path, ""), new_text=new_texts.get(path, ""))
            for path in cut
        }
    moved = {original: path for path, original in effects.originals.items() if path in effects.files}
    dropped = (each for path, sides in files.items() if _is_entry_point(path) for each in _dropped_exports(path, sides))
    return [*api_changes(files, moved), *dropped]


def _read_sides(
    repository: Repository, paths: Sequence[str], before: dict[str, str], after: dict[str, str]
) -> dict[str, FileVersions]:
    """Return the summaries of files with contracts, and of all others if a contract was removed."""
    old = repository.summaries({path: before[path] for path in paths if path in before})
    offering = [path for path in paths if path in old and (has_public_api(old[path]) or _is_entry_point(path))]
    sides = _sides(
        offering, old, repository.summaries({path: after[path] for path in offering if path in after}), after
    )
    others = [path for path in paths if path not in offering]
    if others and any(not contract.after for contract in api_changes(sides, {})):
        new = repository.summaries({path: after[path] for path in others if path in after})
        sides |= _sides(others, old, new, after)
    return sides


def _sides(
    paths: Sequence[str], old: dict[str, Summary], new: dict[str, Summary], after: dict[str, str]
) -> dict[str, FileVersions]:
    """Pair old and new summaries. An unreadable file is not treated as deleted."""
    return {path: FileVersions(old.get(path), new.get(path)) for path in paths if (path in after) == (path in new)}


def _boundaries(
    repository: Repository, effects: RunEffects, contracts: Sequence[ApiChange], imports: dict[str, tuple[str, ...]]
) -> list[Boundary]:
    """Return the boundaries among files that others import, or imported before they changed too.

    `imports` are the changed files' own.
    """
    boundaries = []
    code_files: int | None = None
    changed = effects.changed_paths
    for path in dict.fromkeys(contract.path for contract in contracts):
        is_deleted = path not in effects.files
        importing = repository.former_importers(path, imports) if is_deleted else repository.importers(path)
        importers = [contract for contract in importing if not is_test(contract)]
        if not importers and not _is_entry_point(path):
            continue
        if code_files is None:
            code_files = sum(map(is_code, effects.files))
        own_contracts = [contract for contract in contracts if contract.path == path]
        affected = _affected_importers(repository, effects, importers, names_used(own_contracts), changed)
        regular_importers = [contract for contract in importers if not is_test_or_example(contract)]
        boundary = by_imports(path, own_contracts, regular_importers, code_files)
        boundaries.append(replace(boundary, importers=tuple(affected)))
    return boundaries


def _affected_importers(
    repository: Repository,
    effects: RunEffects,
    importers: Sequence[str],
    names: Collection[str],
    changed: Collection[str],
) -> list[str]:
    """Return the importers that changed too, or that use what changed, as far as that is known."""
    summaries = repository.cached_summaries({path: effects.files[path] for path in importers if path in effects.files})
    affected = []
    for path in importers:
        summary = summaries.get(path)
        used = (
            {part for module in summary.imports for part in module.split(".")} | {*summary.references}
            if summary
            else set()
        )
        if path in changed or summary is None or not names or not used.isdisjoint(names):
            affected.append(path)
    return affected


def _is_entry_point(path: str) -> bool:
    return path.rpartition("/")[2].partition(".")[0] in _ENTRY_POINTS


def _dropped_exports(path: str, sides: FileVersions) -> list[ApiChange]:
    if sides.before is None or sides.after is None:
        return []
    return [ApiChange(path, name, name, "") for name in removed_exports(sides.before, sides.after)]
