"""Looks at what a run's changed files promise others, against the commit that the run began at."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sidecar.call import Call
from sidecar.capture.reading.boundaries import (
    Boundary,
    by_imports,
    by_path,
    by_setting,
    is_apart,
    is_set,
    kind_of,
    names_used,
)
from sidecar.capture.reading.observed import Observed
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
from sidecar.workspace import Workspace

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
