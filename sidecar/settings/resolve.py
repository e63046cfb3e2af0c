"""The effective settings: defaults, `initialize`, global, project, environment; later layers win.

Global and project settings are stored in the state file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import apsw
import orjson

from sidecar.settings.table import SETTINGS, SHARED_BY_PROJECTS, SUSPENDED, problem_with

Layer = Literal["default", "initialize", "global", "project", "environment"]


class Resolved(NamedTuple):
    """A setting's value and the layer it comes from."""

    value: Any
    source: Layer


class Suspension(NamedTuple):
    """A stop of the rollout: no chat receives packs unless its user chose so."""

    reason: str
    """Empty for a rollout that was resumed."""
    at_ms: int


CONTEXT_FACTORS = {"low": 0.6, "normal": 1.0, "debug": 1.75}
"""Multiples of `budgets.context` by token mode."""


class Settings:
    """The effective settings of one project."""

    def __init__(self, resolved: Mapping[str, Resolved], suspension: Suspension | None = None) -> None:
        self.resolved = resolved
        self.suspension = suspension if suspension is not None and suspension.reason else None
        """The stop of the rollout by its guard; None without one."""
        self.resumed_at_ms = suspension.at_ms if suspension is not None and not suspension.reason else 0
        """Time at which the last stop was ended."""
        self.is_full_rollout = self.suspension is None and self["rollout.share"] == 100
        """Whether the mode holds for every chat that chose none."""
        self._by_mode: dict[str, Settings] = {}

    def __getitem__(self, name: str) -> Any:
        return self.resolved[name].value

    @property
    def mode(self) -> str:
        """off, passive or active."""
        return str(self["mode"])

    @property
    def is_switched_off(self) -> bool:
        """Whether the environment switches everything off; no choice for a chat or a loop overrides that."""
        return self.mode == "off" and self.resolved["mode"].source == "environment"

    def in_mode(self, mode: str) -> "Settings":
        """Return the settings in another mode; the same object each time, because decisions are cached by it."""
        if mode == self.mode or self.is_switched_off:
            return self
        other = self._by_mode.get(mode)
        if other is None:
            changed = {**self.resolved, "mode": self.resolved["mode"]._replace(value=mode)}
            other = self._by_mode.setdefault(mode, Settings(changed, self.suspension))
        return other

    def budget_bytes(self, token_mode: str) -> int:
        """Return the maximum number of bytes of all packs of one call."""
        return int(self[f"budgets.{token_mode}"])

    def context_bytes(self, token_mode: str) -> int:
        """Return the maximum number of bytes of a session's first context block."""
        return int(self["budgets.context"] * CONTEXT_FACTORS[token_mode])

    def new_bytes_per_call(self, token_mode: str) -> int:
        """Return the maximum number of bytes one call may add to a provider session."""
        limit = self["budgets.newBytesPerCall"]
        budget = self.budget_bytes(token_mode)
        return budget if limit is None else min(int(limit), budget)


def resolve_layers(layers: Sequence[tuple[Layer, Mapping[str, Any]]]) -> Settings:
    """Apply the layers to the defaults, in the order given. Null in a layer sets nothing."""
    resolved = {row.name: Resolved(row.default, "default") for row in SETTINGS}
    suspension: Suspension | None = None
    for source, values in layers:
        for name, value in values.items():
            if name in resolved and value is not None:
                resolved[name] = Resolved(value, source)
        stated: Suspension | None = values.get(SUSPENDED)
        if stated is not None and (suspension is None or stated.at_ms >= suspension.at_ms):
            suspension = stated  # the newest one: a project's former resumption does not outlast a later stop of all
    return Settings(resolved, suspension)


GLOBAL = ""


def values_of(tx: apsw.Connection, project: str) -> dict[str, Any]:
    """Return the settings stored for a project key, or for `GLOBAL`. Values that do not hold are skipped."""
    rows = tx.execute("SELECT name, value FROM continuity_settings WHERE project = ? ORDER BY name", (project,))
    values: dict[str, Any] = {}
    for name, text in rows:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if name == SUSPENDED and isinstance(value, dict):
            values[name] = Suspension(str(value["reason"]), int(value["time"]))
        elif problem_with(name, value) is None and not (project and name in SHARED_BY_PROJECTS):
            values[name] = value
    return values


def secret_patterns(tx: apsw.Connection) -> set[str]:
    """Return the user's own patterns of secrets, of all projects: a secret of one may be pasted in another."""
    rows = list(tx.execute("SELECT DISTINCT project FROM continuity_settings WHERE name = 'secretPatterns'"))
    return {pattern for (project,) in rows for pattern in values_of(tx, str(project)).get("secretPatterns", ())}


def projects_with_rollout(tx: apsw.Connection) -> list[str]:
    """Return the keys of the projects that have a share or an experiment of their own."""
    rows: Any = tx.execute(
        "SELECT DISTINCT project FROM continuity_settings WHERE project <> ?"
        " AND name IN ('rollout.share', 'rollout.experiment') ORDER BY project",
        (GLOBAL,),
    )
    return [project for (project,) in rows]


def projects_in_mode(tx: apsw.Connection, mode: str) -> list[str]:
    """Return the keys of the projects that have a mode of their own."""
    rows: Any = tx.execute(
        "SELECT project FROM continuity_settings WHERE project <> ? AND name = 'mode' AND value = ? ORDER BY project",
        (GLOBAL, orjson.dumps(mode)),
    )
    return [project for (project,) in rows]


def put_suspension(tx: apsw.Connection, project: str, suspension: Suspension) -> None:
    """Store the stop of a project's rollout, or of all with `GLOBAL`; an empty reason ends it."""
    put(tx, project, {SUSPENDED: {"reason": suspension.reason, "time": suspension.at_ms}}, suspension.at_ms)


def put(tx: apsw.Connection, project: str, values: dict[str, Any], now_ms: int) -> None:
    """Store values. Null removes a setting, so the layer below becomes effective."""
    for name, value in values.items():
        if value is None:
            tx.execute("DELETE FROM continuity_settings WHERE project = ? AND name = ?", (project, name))
        else:
            tx.execute(
                "INSERT INTO continuity_settings (project, name, value, updated_at_ms) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (project, name)"
                " DO UPDATE SET value = excluded.value, updated_at_ms = excluded.updated_at_ms",
                (project, name, orjson.dumps(value), now_ms),
            )
