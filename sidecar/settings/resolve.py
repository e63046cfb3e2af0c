"""Which layer's value counts: defaults, `initialize`, global, project, environment; later wins. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sidecar.settings.table import SETTINGS

Layer = Literal["default", "initialize", "global", "project", "environment"]


class Resolved(NamedTuple):
    """A setting's value and the layer it comes from."""

    value: Any
    source: Layer


class Settings:
    """The settings that count for one project."""

    def __init__(self, resolved: Mapping[str, Resolved]) -> None:
        self.resolved = resolved

    def __getitem__(self, name: str) -> Any:
        return self.resolved[name].value

    @property
    def mode(self) -> str:
        """off, passive or active."""
        return str(self["mode"])

    def budget_bytes(self, token_mode: str) -> int:
        """Bytes all packs of one call may take."""
        return int(self[f"budgets.{token_mode}"])

    def new_bytes_per_call(self, token_mode: str) -> int:
        """Bytes one call may add to a provider session."""
        limit = self["budgets.newBytesPerCall"]
        budget = self.budget_bytes(token_mode)
        return budget if limit is None else min(int(limit), budget)


def resolve(layers: Sequence[tuple[Layer, Mapping[str, Any]]]) -> Settings:
    """Lays the layers over the defaults in the order given; null in a layer means it says nothing."""
    resolved = {row.name: Resolved(row.default, "default") for row in SETTINGS}
    for source, values in layers:
        for name, value in values.items():
            if name in resolved and value is not None:
                resolved[name] = Resolved(value, source)
    return Settings(resolved)
