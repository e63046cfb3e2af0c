"""Lower thresholds of the governor, so that a short conversation reaches them."""

from typing import Protocol

import pytest

from sidecar.governor import pressure_decision


class Thresholds(Protocol):
    """Sets thresholds for one test."""

    def __call__(self, **thresholds: tuple[float, float]) -> None: ...


def set_thresholds(patch: pytest.MonkeyPatch, **thresholds: tuple[float, float]) -> None:
    """Set signals' thresholds for a snapshot and for a rehydrate, by the signal's name."""
    for name, (snapshot, rehydrate) in thresholds.items():
        patch.setitem(pressure_decision.THRESHOLDS, name, pressure_decision.Threshold(snapshot, rehydrate))
    pressure_decision.evaluate_pressure.cache_clear()
