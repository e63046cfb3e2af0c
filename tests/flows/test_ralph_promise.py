"""Conditions for a promise, and everything else that ends a loop."""

import time

import pytest

from sidecar.ralph import loop_policy
from tests.support.fake_agent import (
    FakeAgent,
    claude_result,
    claude_text,
    claude_tool_use,
    codex_done,
    codex_text,
    echoes,
    event,
    exits,
    outputs,
    outputs_error,
    waits,
    writes,
)
from tests.support.ralph_command import Ralph, last_line

PROMISE_STEP = outputs("<promise>COMPLETE</promise>\n")


def test_a_promise_in_the_last_allowed_iteration_is_a_success(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([outputs("One.\n"), writes("a.txt", "a")], [PROMISE_STEP])
    done = ralph.loop("Add a login.", "--max-iterations", "2")

    assert (done.returncode, ralph.state()["status"]) == (0, "completed")


def test_a_promise_of_a_failing_run_is_recorded_and_not_accepted(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP, exits(1)])
    done = ralph.loop("Add a login.", "--max-iterations", "1")

    assert done.returncode == 3
    assert [(entry["promiseFound"], entry["promiseAccepted"]) for entry in ralph.history()] == [(True, False)]


def test_an_echoed_prompt_or_stderr_text_is_not_a_promise(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs(
        [echoes(), writes("a.txt", "a")], [outputs_error("<promise>COMPLETE</promise>\n"), writes("b.txt", "b")]
    )
    done = ralph.loop("Add a login.", "--max-iterations", "2")

    assert done.returncode == 3
    assert [entry["promiseFound"] for entry in ralph.history()] == [False, False]


def test_promises_before_the_minimum_iterations_are_ignored(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    done = ralph.loop("--min-iterations", "3", "Add a login.")

    assert done.returncode == 0
    assert [entry["promiseAccepted"] for entry in ralph.history()] == [False, False, True]
    assert "No promise is accepted before iteration 3" in agent.prompt(1)


def test_claude_and_codex_streams_are_parsed_with_tokens_and_cost(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs(
        [
            claude_text("I begin."),
            claude_tool_use("Bash", command="echo '<promise>COMPLETE</promise>'"),
            claude_result("So"),
        ],
        [claude_text("<promise>COMPLETE</promise>"), claude_result("<promise>COMPLETE</promise>")],
        [codex_text("All done.\n<promise> COMPLETE </promise>"), codex_done((700, 30))],
    )
    path = f"{agent.install_as('claude')}:/usr/bin:/bin"
    agent.install_as("codex", "codex-cli 0.46.0")

    assert (
        ralph.loop("Add a login.", "--harness", "claude", "--model", "opus", "--stuck-after", "0", PATH=path).returncode
        == 0
    )
    assert ralph.loop("Add a login.", "--harness", "codex", PATH=path).returncode == 0

    first, second, third = ralph.history()
    assert (first["promiseFound"], second["promiseAccepted"], third["promiseAccepted"]) == (False, True, True)
    assert (first["inputTokens"], first["outputTokens"], first["costUsd"]) == (1000, 50, 0.25)
    assert (third["inputTokens"], third["outputTokens"], third["costUsd"]) == (700, 30, None)
    assert agent.recorded(1)["argv"][:1] == ["-p"]
    assert agent.recorded(1)["argv"][4:] == ["--model", "opus", "--permission-mode", "acceptEdits"]
    assert agent.recorded(3)["argv"][:2] == ["exec", "--json"]


def test_a_promise_requires_passing_checks_whose_output_enters_the_next_prompt(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP], [PROMISE_STEP, writes("done.txt", "x")])
    check = "test -f done.txt || { echo 'done.txt is missing'; echo 'no luck' >&2; exit 9; }"
    done = ralph.loop("Add a login.", "--verify", "true", "--verify", check, "--verify", "echo last > last.txt")

    assert done.returncode == 0
    first, second = ralph.history()
    assert (first["promiseFound"], first["promiseAccepted"], second["promiseAccepted"]) == (True, False, True)
    assert [(check["exitCode"], check["output"]) for check in first["verification"]] == [
        (0, ""),
        (9, "done.txt is missing\nno luck\n"),
    ]
    assert [check["exitCode"] for check in second["verification"]] == [0, 0, 0]
    assert "ended with exit code 9" in agent.prompt(2)
    assert "done.txt is missing\nno luck" in agent.prompt(2)
    assert "done.txt is missing" not in agent.prompt(1)
    assert (ralph.cwd / "last.txt").exists()


def test_only_the_end_of_a_checks_output_is_in_the_next_prompt(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    check = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; exit 1"
    ralph.loop("Add a login.", "--verify", check, "--max-iterations", "2")

    assert "line 19999" in agent.prompt(2)
    assert "line 100\n" not in agent.prompt(2)
    assert len(agent.prompt(2)) < len(agent.prompt(1)) + 8_000


def test_an_agent_that_cannot_do_the_task_ends_the_loop(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([echoes(), outputs("<abort>There is no\n database to log in to.</abort>\n")])
    done = ralph.loop("Add a login.")

    assert done.returncode == 4
    assert last_line(done) == "aborted: The agent ended the loop: There is no database to log in to."
    assert ralph.state()["status"] == "aborted"


def test_repeated_idle_iterations_change_the_prompt_and_then_end_the_loop(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([outputs("I looked at 17 files and found nothing to do.\n")])
    done = ralph.loop("Add a login.")

    assert done.returncode == 4
    assert last_line(done) == "stuck: The last 5 iterations changed nothing and printed similar output."
    assert len(ralph.history()) == 5
    turned = ["## The loop is stuck" in agent.prompt(number) for number in range(1, 6)]
    assert turned == [False, False, False, True, True]
    assert ralph.history()[-1]["endedLoop"] == "The last 5 iterations changed nothing and printed similar output."


def test_iterations_with_changes_or_new_output_are_not_stalled(ralph: Ralph, agent: FakeAgent) -> None:
    same = outputs("I did the next step.\n")
    agent.set_runs(
        [same, writes("a.txt", "1")], [same, writes("a.txt", "2")], [same], [outputs("Quite another finding.\n")]
    )
    done = ralph.loop("Add a login.", "--stuck-after", "2", "--max-iterations", "4")

    assert done.returncode == 3
    assert last_line(done) == "limit: 4 iterations without an accepted promise (`--max-iterations`)."


def test_time_cost_and_token_limits_have_their_own_statuses(ralph: Ralph, agent: FakeAgent) -> None:
    path = f"{agent.install_as('claude')}:/usr/bin:/bin"
    agent.set_runs([claude_text("Going on."), claude_result("Going on.")])
    loop = ("Add a login.", "--harness", "claude", "--stuck-after", "0")

    spent = ralph.loop(*loop, "--max-cost", "0.6", PATH=path)
    assert (spent.returncode, agent.runs) == (3, 3)
    assert last_line(spent) == "limit: 0.75 of 0.60 USD are spent (`--max-cost`)."
    used = ralph.loop(*loop, "--max-tokens", "2000", PATH=path)
    assert (used.returncode, agent.runs) == (3, 5)
    assert last_line(used) == "limit: 2,100 of 2,000 tokens are used (`--max-tokens`)."

    agent.set_runs([outputs("Working.\n"), waits(30), writes("late.txt", "late")])
    late = ralph.loop("Add a login.", "--max-time", "1.5s")
    assert late.returncode == 3
    assert last_line(late) == "limit: 1.5 s have passed (`--max-time`)."
    assert ralph.history()[-1]["outcome"] == "timedOut"
    assert not (ralph.cwd / "late.txt").exists()


def test_consecutive_failures_back_off_and_may_end_the_loop(
    ralph: Ralph, agent: FakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures_in_row: list[int] = []

    def wait_of(failures: int) -> int:
        failures_in_row.append(failures)
        return min(failures, 1)

    monkeypatch.setattr("sidecar.ralph.loop.backoff_ms", wait_of)
    agent.set_runs([exits(1)], [writes("a.txt", "a")], [exits(1)])
    done = ralph.loop("Add a login.", "--max-failures", "3")

    assert done.returncode == 1
    assert last_line(done) == "failed: 3 failures in a row (`--max-failures`). The agent ended with exit code 1."
    assert len(ralph.history()) == 5
    assert done.stdout.count(b"waiting until") == 3, "after each that came fast, but the last"
    assert failures_in_row == [1, 0, 1, 2]


def test_a_usage_limit_pauses_until_its_reset(ralph: Ralph, agent: FakeAgent) -> None:
    path = f"{agent.install_as('claude')}:/usr/bin:/bin"
    resets_at = int(time.time()) + 3
    limited = f"Claude AI usage limit reached|{resets_at}"
    agent.set_runs([event(type="result", subtype="success", is_error=True, result=limited, session_id="s")], [
        claude_text("<promise>COMPLETE</promise>"), claude_result("<promise>COMPLETE</promise>")])  # fmt: skip
    done = ralph.loop("Add a login.", "--harness", "claude", "--max-iterations", "2", PATH=path)

    assert done.returncode == 0, done.stdout
    assert time.time() >= resets_at
    assert [entry["outcome"] for entry in ralph.history()] == ["usageLimit", "succeeded"]
    assert b"waiting until" in done.stdout


def test_limits_on_iterations_and_failures_precede_a_usage_limit(ralph: Ralph, agent: FakeAgent) -> None:
    path = f"{agent.install_as('claude')}:/usr/bin:/bin"
    limited = f"Claude AI usage limit reached|{int(time.time()) + 3_600}"
    agent.set_runs([event(type="result", subtype="success", is_error=True, result=limited, session_id="s")])
    for flags, status, reason in (
        (("--max-iterations", "1"), 3, "(`--max-iterations`)"),
        (("--fail-fast",), 1, "(`--fail-fast`)"),
        (("--max-failures", "1"), 1, "(`--max-failures`)"),
    ):
        done = ralph.loop("Add a login.", "--harness", "claude", *flags, PATH=path)
        assert (done.returncode, reason in last_line(done)) == (status, True), done.stdout
    assert agent.runs == 3


def test_pauses_in_a_row_are_capped(ralph: Ralph, agent: FakeAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_policy, "RESET_MARGIN_MS", 1)
    monkeypatch.setattr(loop_policy, "MAX_PAUSES", 2)
    agent.set_runs([outputs(f"Claude usage limit reached|{int(time.time())}"), exits(1)])
    monkeypatch.setattr(loop_policy, "FIRST_PAUSE_MS", 1)
    done = ralph.loop("Add a login.", "--max-iterations", "0")

    assert done.returncode == 3
    assert last_line(done).startswith("limit: 2 pauses in a row did not end the usage limit.")
    assert agent.runs == 3


def test_a_usage_limit_beyond_the_time_limit_ends_the_loop(ralph: Ralph, agent: FakeAgent) -> None:
    path = f"{agent.install_as('claude')}:/usr/bin:/bin"
    limited = f"Claude AI usage limit reached|{int(time.time()) + 3_600}"
    agent.set_runs([event(type="result", subtype="success", is_error=True, result=limited, session_id="s")])
    done = ralph.loop("Add a login.", "--harness", "claude", "--max-time", "10m", PATH=path)

    assert done.returncode == 3
    assert "10 min would pass before the loop may continue (`--max-time`)" in last_line(done)
