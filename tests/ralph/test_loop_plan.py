"""The plan made from a request."""

from typing import get_args

from sidecar.ralph import IDLE_TIMEOUT_MS, Limits
from sidecar.ralph.agent import HARNESS_NAMES
from sidecar.ralph.loop import limits_of
from sidecar.ralph.model import Harness, RalphStartParams


def test_the_wire_enum_lists_every_harness() -> None:
    assert get_args(Harness) == HARNESS_NAMES


def test_limits_default_to_the_documented_values() -> None:
    params = RalphStartParams(cwd="/home/ada/shop", change="add-login", prompt="Add a login.")

    assert (params.harness, params.completion_promise, params.continuity, params.commit) == (
        "claude",
        "COMPLETE",
        True,
        False,
    )
    assert limits_of(params) == Limits(
        min_iterations=1,
        max_iterations=25,
        max_time_ms=None,
        max_cost_usd=None,
        max_tokens=None,
        idle_ms=IDLE_TIMEOUT_MS,
        iteration_ms=None,
        max_failures=0,
        fail_fast=False,
        stuck_after=5,
    )
