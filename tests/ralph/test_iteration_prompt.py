"""The prompt of an iteration."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph import Limits, LoopUsage
from sidecar.ralph.iteration_prompt import CONTEXT_HEADING, FailedCheck, PromptInputs, abort_reason, build_prompt
from tests.support.cases import together

INPUTS = PromptInputs("add-login", 7, Limits(), LoopUsage(iterations=2), "COMPLETE", "Add a login.")


@given(st.text(), st.text())
def test_task_comes_last_and_verbatim(task: str, context: str) -> None:
    prompt = build_prompt(replace(INPUTS, task=task, context=context))
    assert prompt.endswith("## Task\n\n" + task)
    before = prompt.removesuffix("## Task\n\n" + task)
    assert (f"\n{CONTEXT_HEADING}\n\n{context}\n" in before) == bool(context.strip())


def test_prompt_states_the_iteration_number_and_the_limits() -> None:
    limits = Limits(max_iterations=9, min_iterations=5, max_time_ms=600_000, max_cost_usd=2.0, max_tokens=1_000)
    prompt = build_prompt(replace(INPUTS, limits=limits, usage=LoopUsage(2, 300_000, 400, 0.5)))

    assert prompt.startswith("# Iteration 7 of the loop for `add-login`\n")
    assert "- This is iteration 3 of at most 9 since the loop was started.\n" in prompt
    assert "- No promise is accepted before iteration 5; until then improve the work.\n" in prompt
    assert "- It is stopped after 5 min.\n" in prompt
    assert "- 1.50 USD are left.\n- 600 tokens are left.\n" in prompt
    almost_used = build_prompt(replace(INPUTS, limits=limits, usage=LoopUsage(2, 300_000, 999, 0.5)))
    assert "\n- 1 token is left.\n" in almost_used
    assert " of at most " not in build_prompt(replace(INPUTS, limits=Limits(max_iterations=0)))


def test_packs_failed_checks_and_last_failure_have_their_own_sections() -> None:
    check = FailedCheck("pytest -q", "exit code 1", "a ``` fence\n1 failed\n")
    prompt = build_prompt(
        replace(INPUTS, packs=("[continuity:anchor 1]\nRules", "[continuity:delta 2]\nNews"), failed_checks=[check],
                last_failure="Iteration 6: The agent ended with exit code 2.", stalled_iterations=3)
    )  # fmt: skip

    order = ["## Instructions", "## Autonomy requirements", "## The last iteration", "## The loop is stuck",
             "these checks failed", "[continuity:anchor 1]", "[continuity:delta 2]", "## Task"]  # fmt: skip
    places = [prompt.index(part) for part in order]
    assert places == sorted(places)
    assert "````\na ``` fence\n1 failed\n````" in prompt


def test_prompt_contains_the_exact_promise() -> None:
    assert "\n   <promise>{all} done</promise>\n" in build_prompt(replace(INPUTS, promise="{all} done"))


@together(
    ("answer", "reason"),
    [
        ("<abort>No\n  database.</abort>", "No database."),
        ("<abort>First.</abort> then <abort> Second. </abort>", "Second."),
        ("<abort></abort>", None),
        ("abort", None),
        (build_prompt(INPUTS), None),
    ],
)
def test_abort_needs_a_reason_and_is_not_an_echo(answer: str, reason: str | None) -> None:
    assert abort_reason(answer) == reason
