"""From what was asked to what is done."""

from typing import get_args

from sidecar.ralph.agent.harnesses import NAMES
from sidecar.ralph.limits import IDLE_TIMEOUT_MS, Limits
from sidecar.ralph.loop_plan import limits_of
from sidecar.ralph.model import Harness, RalphStartParams


def test_the_wire_enum_lists_every_harness() -> None:
    assert get_args(Harness) == NAMES


def test_limits_default_to_the_documented_values() -> None:
    asked = RalphStartParams(cwd="/home/ada/shop", change="add-login", prompt="Add a login.")

    assert (asked.harness, asked.completion_promise, asked.continuity, asked.commit) == (
        "claude",
        "COMPLETE",
        True,
        False,
    )
    assert limits_of(asked) == Limits(
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
