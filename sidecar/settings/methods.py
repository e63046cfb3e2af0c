"""`settings/get` and `settings/update`, the doctor's check of stored settings, and how a purge removes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import apsw
import orjson

from sidecar.call import Call
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.settings import resolve
from sidecar.settings.model import SettingsGetParams, SettingsGetResult, SettingsUpdateParams, SettingValue
from sidecar.settings.table import (
    BY_NAME,
    SETTINGS,
    SHARED_BY_PROJECTS,
    SUSPENDED,
    flatten,
    from_environment,
    problem_with,
    rollout_problem,
    shared_value_problem,
)
from sidecar.storage.database import Database
from sidecar.storage.doctor_checks import Finding
from sidecar.storage.purgeable_rows import RowGroup


def get(call: Call, params: SettingsGetParams) -> SettingsGetResult:
    """Return every setting: its effective value, the layer it comes from, its default and its meaning."""
    settings = call.settings(params.project_path)
    rows = [(row, settings.resolved[row.name]) for row in SETTINGS]
    return SettingsGetResult(
        settings=[
            SettingValue(
                name=row.name,
                value=list(resolved.value) if isinstance(resolved.value, tuple) else resolved.value,
                source=resolved.source,
                default=list(row.default) if isinstance(row.default, tuple) else row.default,
                description=row.doc,
            )
            for row, resolved in rows
        ]
    )


def update(call: Call, params: SettingsUpdateParams) -> SettingsGetResult:
    """Change the global settings, or those of one project, and return all effective settings.

    A value from the environment still overrides what is set here. Refused are a memory branch that the project's
    repository uses for something else, and a value for one project of `retention.days` or `cache.*`.
    """
    values = flatten(params.settings.model_dump(by_alias=True, exclude_unset=True))
    project = resolve.GLOBAL
    if params.project_path is not None:
        workspace = call.process.workspaces.get(params.project_path, None)
        workspace.require_project()
        shared = sorted(name for name in SHARED_BY_PROJECTS if values.get(name) is not None)
        if shared:
            raise InvalidParams(f"{shared_value_problem(shared[0])}.", hint="Send it without `projectPath`.")
        call.process.check_settings(call.process, workspace, values)
        project = workspace.project_key
    with call.database.write() as tx:
        resolve.put(tx, project, values, call.now_ms())
        _check_rollout(call, tx, project, values)
    return get(call, SettingsGetParams(project_path=params.project_path))


def _check_rollout(call: Call, tx: apsw.Connection, project: str, values: Mapping[str, Any]) -> None:
    """Raise InvalidParams if a change leaves an experiment without chats to compare."""
    if not any(name.startswith("rollout.") for name in values):
        return
    stored = resolve.values_of(tx, resolve.GLOBAL)
    for name in (project,) if project else (resolve.GLOBAL, *resolve.projects_with_rollout(tx)):
        settings = call.process.resolve_settings(stored, resolve.values_of(tx, name) if name else {})
        problem = rollout_problem(settings["rollout.experiment"], settings["rollout.share"])
        if problem and name == project:
            raise InvalidParams(f"{problem[0].upper()}{problem[1:]}.", hint="Set both settings in one call.")
        if problem:
            text = f"With this change, a project with rollout settings of its own could compare nothing: {problem}."
            raise InvalidParams(text, hint="Change that project's settings first.")


def check_settings(database: Database, variables: dict[str, str]) -> Iterator[Finding]:
    """Check each value in the state file and in the environment."""
    with database.read() as tx:
        rows: Any = list(tx.execute("SELECT project, name, value FROM continuity_settings ORDER BY 1, 2"))
    for project, name, text in rows:
        problem = _problem(project, name, text)
        if problem:
            scope = f"of project {project}" if project else "of all projects"
            is_removed = name not in BY_NAME or (project and name in SHARED_BY_PROJECTS)
            yield Finding(
                "warning",
                f"A stored setting {scope} has no effect: {problem}.",
                "`--fix` removes it." if is_removed else "Set it again; `--fix` resets it to its default.",
                partial(_remove, database, project, name, text),
            )
    for sentence in from_environment(variables)[1]:
        yield Finding("warning", sentence, "Correct or unset the variable.")


def _problem(project: str, name: str, text: Any) -> str | None:
    if name == SUSPENDED:
        return None
    if project and name in SHARED_BY_PROJECTS:
        return shared_value_problem(name)
    try:
        return problem_with(name, orjson.loads(text))
    except orjson.JSONDecodeError:
        return f"the value of `{name}` cannot be read"


def _remove(database: Database, project: str, name: str, text: Any) -> None:
    """Remove a stored value, unless it changed meanwhile."""
    with database.write() as tx:
        where = "project = ? AND name = ? AND value IS ?"
        tx.execute(f"DELETE FROM continuity_settings WHERE {where}", (project, name, text))


ROW_GROUPS = (RowGroup("settings", "continuity_settings", before="updated_at_ms < ?2"),)


METHODS = (
    method("settings/get", get, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method(
        "settings/update",
        update,
        lane=Lane.WORKSPACE,
        errors=(InvalidParams, WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy),
    ),
)
