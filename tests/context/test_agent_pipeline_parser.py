"""The pipeline's state as a session file tells it, whatever stands there."""

from typing import Any

from sidecar.context.agent_pipeline_parser import agent_score, parse_pipeline, resolve_mode
from tests.support.cases import together


@together(
    ("value", "score"),
    [
        (45, 45.0),
        (82.5, 82.5),
        (-3, 0.0),
        (101, 100.0),
        (10**400, 100.0),
        (-(10**400), 0.0),
        (float("inf"), 100.0),
        (float("nan"), None),
        (True, None),
        ("95", None),
        (None, None),
    ],
)
def test_a_score_is_a_percentage_or_unknown(value: Any, score: float | None) -> None:
    session = {"agents": {"brief": {"status": "in_progress", "score": value}}}
    assert agent_score(parse_pipeline(session), "brief") == score


@together(
    ("requested", "state", "language", "name", "shown"),
    [
        ("build", "plan", "pt", "build", "pt"),
        (None, "plan", "", "plan", "en"),
        (None, "", "pt", "clarity", "pt"),
    ],
)
def test_what_the_session_states_wins_over_the_configuration(
    requested: str | None, state: str, language: str, name: str, shown: str
) -> None:
    mode = resolve_mode(requested, state, {"mode": "clarity", "language": "en"}, language)
    assert (mode.name, dict(mode.governance)["language"], mode.is_known) == (name, shown, True)
