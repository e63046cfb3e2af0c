"""The scenarios of a loop, through the real command."""

from pathlib import Path

import orjson

from sidecar.ralph import format_duration
from tests.support.fake_agent import FakeAgent, awaits, exits, outputs, runs, waits, writes
from tests.support.ralph_command import CHANGE, Ralph, last_line
from tests.support.repositories import Repository

HEADING = "## Additional Context (added by user mid-loop)"
PROMISE_STEP = outputs("<promise>COMPLETE</promise>\n")


def test_added_context_is_appended_to_the_changes_context_file_and_confirmed(ralph: Ralph) -> None:
    first = ralph("--add-context", "Use argon2.")
    second = ralph("--add-context", "Two\nlines.")

    file = ralph.folder / "context.md"
    assert (first.returncode, second.returncode) == (0, 0)
    assert file.read_text(encoding="utf-8") == "Use argon2.\nTwo\nlines.\n"
    assert first.stdout.decode().startswith(f"Context added: {file}")


def test_cleared_context_is_empty_and_confirmed(ralph: Ralph) -> None:
    ralph("--add-context", "Use argon2.")
    cleared = ralph("--clear-context")

    assert cleared.returncode == 0
    assert (ralph.folder / "context.md").read_bytes() == b""
    assert b"Context cleared" in cleared.stdout
    assert ralph("--clear-context").returncode == 0, "also when there is nothing to clear"


def test_context_added_during_a_loop_is_in_the_next_prompt(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([outputs("Working.\n"), waits(2), writes("a.txt", "a")], [PROMISE_STEP])
    running = ralph.start("Add a login.")
    ralph.until_running()
    ralph("--add-context", "Use argon2.")

    assert running.wait(30) == 0
    assert "Use argon2." not in agent.prompt(1)
    assert f"{HEADING}\n\nUse argon2.\n" in agent.prompt(2)


def test_the_prompt_contains_iteration_instructions_and_the_task_verbatim(ralph: Ralph, agent: FakeAgent) -> None:
    task = 'Add a login.\n\n  With "quotes", $HOME, `ticks` and 名前.\n'
    agent.set_runs([writes("a.txt", "a")], [PROMISE_STEP])
    done = ralph.loop(task)

    assert done.returncode == 0
    for number in (1, 2):
        prompt = agent.prompt(number)
        assert f"Iteration {number} of the loop for `{CHANGE}`" in prompt
        assert f"iteration {number} of at most 25" in prompt
        assert "## Instructions" in prompt
        assert "## Autonomy requirements" in prompt
        assert prompt.endswith(f"## Task\n\n{task}")


def test_the_context_section_exists_only_with_context(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    ralph.loop("Add a login.")
    ralph("--add-context", "Use argon2.")
    ralph.loop("Add a login.")
    ralph("--clear-context")
    ralph.loop("Add a login.")

    assert [agent.prompt(number).count(HEADING) for number in (1, 2, 3)] == [0, 1, 0]


def test_white_space_around_a_promise_is_ignored(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([outputs("Done: <promise>\nCOMPLETE\n</promise>")])
    done = ralph.loop("Add a login.", "--completion-promise", "COMPLETE")

    assert done.returncode == 0
    assert last_line(done) == "completed: The promise COMPLETE was accepted in iteration 1."
    assert [(entry["promiseFound"], entry["promiseAccepted"]) for entry in ralph.history()] == [(True, True)]


def test_a_failing_harness_is_recorded_and_the_next_iteration_runs(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([exits(7)], [writes("a.txt", "a")], [exits(1)])
    done = ralph.loop("Add a login.", "--max-iterations", "3")

    assert done.returncode == 3
    assert [(entry["number"], entry["outcome"], entry["exitCode"]) for entry in ralph.history()] == [
        (1, "failed", 7),
        (2, "succeeded", 0),
        (3, "failed", 1),
    ]
    assert ralph.history()[0]["reason"] == "The agent ended with exit code 7."


def test_with_fail_fast_a_failing_harness_ends_the_loop_and_the_command_fails(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([exits(7)])
    for flag in ("--fail-fast", "--exit-on-error"):
        done = ralph.loop(flag, "Add a login.")
        assert done.returncode == 1
        assert last_line(done) == "failed: The harness failed (`--fail-fast`). The agent ended with exit code 7."
    assert ralph.state()["status"] == "failed"
    assert agent.runs == 2


def test_each_iteration_records_the_exit_code_and_how_many_files_changed(
    ralph: Ralph, agent: FakeAgent, project: Repository
) -> None:
    project.write({"till/receipt.py": "dirty = True\n", "NOTES.md": "by hand\n"})
    agent.set_runs(
        [writes("web/new.ts", "export {}\n"), writes("till/cart.py", "changed = True\n")],
        [writes("b.txt", "b"), runs("git", "add", "b.txt"), runs("git", "commit", "--quiet", "-m", "B", "b.txt")],
        [exits(2)],
    )
    ralph.loop("Add a login.", "--max-iterations", "3")

    first, second, third = ralph.history()
    assert (first["exitCode"], first["filesChanged"], first["files"]) == (0, 2, ["till/cart.py", "web/new.ts"])
    assert (second["filesChanged"], second["files"], second["commits"]) == (1, ["b.txt"], [project.head()])
    assert (third["exitCode"], third["filesChanged"]) == (2, 0)


def test_status_shows_the_count_and_the_recent_outcomes(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([exits(5)], [PROMISE_STEP])
    ralph.loop("Add a login.")

    shown = ralph("--status").stdout.decode()
    assert "iterations: 2\n" in shown
    first, second = [line for line in shown.splitlines() if line.startswith("  iteration")]
    assert "failed, exit 5" in first
    assert "promise not found" in first
    assert "succeeded, exit 0" in second
    assert "promise accepted" in second
    as_json = ralph.status()
    assert f", {format_duration(as_json['recent'][0]['durationMs'])}, " in first
    assert (as_json["iterations"], as_json["isRunning"]) == (2, False)
    assert [entry["exitCode"] for entry in as_json["recent"]] == [5, 0]


def test_the_prompt_may_come_from_a_file_or_from_stdin(ralph: Ralph, agent: FakeAgent, project: Repository) -> None:
    project.write({"task.md": "Add a login.\r\nFrom a file.\n"})
    agent.set_runs([PROMISE_STEP])

    assert ralph.loop("--prompt-file", "task.md").returncode == 0
    assert ralph.loop("--prompt-file", "-", stdin="Añade un login.\n".encode()).returncode == 0

    assert agent.prompt(1).endswith("## Task\n\nAdd a login.\r\nFrom a file.\n")
    assert agent.prompt(2).endswith("## Task\n\nAñade un login.\n")


def test_live_output_is_optional_and_promises_are_found_either_way(
    ralph: Ralph, agent: FakeAgent, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    agent.set_runs([outputs("Now I read the till.\n"), awaits(str(seen)), PROMISE_STEP])
    streaming = ralph.start("Add a login.")
    assert streaming.stdout is not None
    shown = b""
    while b"Now I read" not in shown:
        shown += streaming.stdout.read1()  # pyrefly: ignore[missing-attribute]
    assert streaming.poll() is None, "it is shown while the agent still works"
    seen.touch()
    assert streaming.wait(30) == 0

    silent = ralph.loop("Add a login.", "--no-stream")
    assert silent.returncode == 0
    assert b"Now I read" not in silent.stdout
    as_json = orjson.loads(ralph.loop("Add a login.", "--json").stdout)
    assert (as_json["status"], as_json["exitCode"], as_json["iterations"]) == ("completed", 0, 1)
