"""The effective settings: defaults, `initialize`, global, project, environment; later layers win.

Global and project settings are stored in the state file.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import apsw
import orjson

from sidecar.settings.table import SETTINGS, problem_with

Layer = Literal["default", "initialize", "global", "project", "environment"]


class Resolved(NamedTuple):
    """A setting's value and the layer it comes from."""

    value: Any
    source: Layer


CONTEXT_FACTORS = {"low": 0.6, "normal": 1.0, "debug": 1.75}
"""Multiples of `budgets.context` by token mode."""


class Settings:
    """The effective settings of one project."""

    def __init__(self, resolved: Mapping[str, Resolved]) -> None:
        self.resolved = resolved

    def __getitem__(self, name: str) -> Any:
        return self.resolved[name].value

    @property
    def mode(self) -> str:
        """off, passive or active."""
        return str(self["mode"])

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


def resolve(layers: Sequence[tuple[Layer, Mapping[str, Any]]]) -> Settings:
    """Apply the layers to the defaults, in the order given. Null in a layer sets nothing."""
    resolved = {row.name: Resolved(row.default, "default") for row in SETTINGS}
    for source, values in layers:
        for name, value in values.items():
            if name in resolved and value is not None:
                resolved[name] = Resolved(value, source)
    return Settings(resolved)


GLOBAL = ""


def values_of(tx: apsw.Connection, project: str) -> dict[str, Any]:
    """Return the settings stored for a project key, or for `GLOBAL`. Values that are no longer valid are skipped."""
    rows = tx.execute("SELECT name, value FROM continuity_settings WHERE project = ? ORDER BY name", (project,))
    values: dict[str, Any] = {}
    for name, text in rows:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        if problem_with(name, value) is None:
            values[name] = value
    return values


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
