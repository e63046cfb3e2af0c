"""Which layer's value is effective: defaults, `initialize`, global, project, environment; later ones win. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sidecar.settings.table import SETTINGS

Layer = Literal["default", "initialize", "global", "project", "environment"]


class Resolved(NamedTuple):
    """A setting's value and the layer it comes from."""

    value: Any
    source: Layer


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
