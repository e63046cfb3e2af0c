"""`settings/get` and `settings/update`."""

from typing import Any

from sidecar.call import Call
from sidecar.core.errors import Busy, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method
from sidecar.settings import store
from sidecar.settings.model import SettingsGetParams, SettingsGetResult, SettingsUpdateParams, SettingValue
from sidecar.settings.table import SETTINGS, flatten


def get(call: Call, params: SettingsGetParams) -> SettingsGetResult:
    """Return every setting: its effective value, the layer it comes from, its default and its meaning."""
    settings = call.settings(params.project_path)
    return SettingsGetResult(
        settings=[
            SettingValue(
                name=row.name,
                value=_listed(settings.resolved[row.name].value),
                source=settings.resolved[row.name].source,
                default=_listed(row.default),
                description=row.doc,
            )
            for row in SETTINGS
        ]
    )


def update(call: Call, params: SettingsUpdateParams) -> SettingsGetResult:
    """Change the global settings, or those of one project, and return all effective settings.

    A value from the environment still overrides what is set here.
    """
    patch = params.settings.model_dump(by_alias=True, exclude_unset=True)
    project = store.GLOBAL
    if params.project_path is not None:
        project = call.process.workspaces.get(params.project_path, None).project_key
    with call.database.write() as tx:
        store.put(tx, project, flatten(patch), call.now_ms())
    return get(call, SettingsGetParams(project_path=params.project_path))


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


METHODS = (
    method("settings/get", get, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("settings/update", update, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
)
