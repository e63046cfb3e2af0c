"""Input of a loop's agent: added context, the task at any size, the packs."""

import os
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from sidecar.ralph import LoopFolder, add_user_context
from tests.support.fake_agent import FakeAgent, exits, outputs, runs, writes
from tests.support.ralph_command import CHANGE, Ralph
from tests.support.repositories import Repository

PROMISE_STEP = outputs("<promise>COMPLETE</promise>\n")
HEADING = "## Additional Context (added by user mid-loop)"


@pytest.fixture
def state_dir(state_dir: Path) -> Path:
    """The state folder, created: a loop creates its file, and refuses a folder that does not exist."""
    state_dir.mkdir()
    return state_dir


def paced(folder: LoopFolder, text: str) -> int:
    """Add a text after a moment, so that additions of threads and commands overlap."""
    time.sleep(0.05)
    return add_user_context(folder, text)


def test_hundreds_of_concurrent_additions_are_all_stored(ralph: Ralph) -> None:
    texts = [f"addition {number} x" + "x" * (number % 50) * 100 for number in range(400)]
    folder = LoopFolder(ralph.cwd, CHANGE, ralph.folder, ralph.folder.parent)
    by_commands, by_threads = texts[:12], texts[12:]
    with ThreadPoolExecutor(12) as commands, ThreadPoolExecutor(24) as threads:
        done = commands.map(lambda text: ralph.in_own_process("--add-context", text), by_commands)
        # The same code as a command's, without the start of a process: each addition opens and locks the file anew.
        sizes = list(threads.map(lambda text: paced(folder, text), by_threads))
        assert {entry.returncode for entry in done} == {0}

    assert len(set(sizes)) == len(by_threads), "each addition was the last one once"
    lines = (ralph.folder / "context.md").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(texts)


def test_an_addition_after_a_torn_one_starts_on_its_own_line(ralph: Ralph, agent: FakeAgent) -> None:
    ralph("--add-context", "First.")
    file = ralph.folder / "context.md"
    file.write_bytes(file.read_bytes() + b"torn \xff\xc3")
    ralph("--add-context", "Last.")
    agent.set_runs([PROMISE_STEP])

    assert ralph.loop("Add a login.").returncode == 0
    assert "First.\ntorn \ufffd\ufffd\nLast.\n" in agent.prompt(1)


def test_missing_or_unreadable_context_does_not_stop_the_loop(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([writes("a.txt", "a")], [PROMISE_STEP])
    ralph("--add-context", "Use argon2.")
    (ralph.folder / "context.md").unlink()
    (ralph.folder / "context.md").mkdir()

    done = ralph.loop("Add a login.")

    assert done.returncode == 0
    assert [entry["warnings"] for entry in ralph.history()] == [
        ["The added context cannot be read: Is a directory."]
    ] * 2
    assert HEADING not in agent.prompt(1)


@pytest.mark.skipif(sys.platform == "win32", reason="no file is a pipe there")
def test_an_endless_pipe_as_context_does_not_stop_the_loop(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    ralph("--add-context", "Use argon2.")
    (ralph.folder / "context.md").unlink()
    os.mkfifo(ralph.folder / "context.md")

    assert ralph.loop("Add a login.").returncode == 0
    assert ralph.history()[0]["warnings"] == ["The added context cannot be read: Not a regular file."]


def test_context_survives_a_reset_until_it_is_cleared(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([PROMISE_STEP])
    ralph("--add-context", "Use argon2.")
    ralph.loop("Add a login.")
    ralph("--reset")
    ralph.loop("Add a login.")

    assert "Use argon2." in agent.prompt(1)
    assert "Use argon2." in agent.prompt(2)
    assert [entry["number"] for entry in ralph.history()] == [1], "the history began anew"


def test_context_survives_an_agent_that_cleans_the_worktree(ralph: Ralph, agent: FakeAgent) -> None:
    clean = runs("git", "clean", "-fdxq")
    agent.set_runs([clean, writes("a.txt", "a")], [clean, PROMISE_STEP])
    ralph("--add-context", "Use argon2.")
    ralph.loop("Add a login.")

    assert f"{HEADING}\n\nUse argon2.\n" in agent.prompt(2)
    assert [entry["warnings"] for entry in ralph.history()] == [
        ["The file of the added context had been deleted, perhaps by `git clean`; it was restored."]
    ]
    assert b"added context: 12 bytes" in ralph("--status").stdout
    assert b"(24 bytes)" in ralph("--add-context", "Use bcrypt.").stdout
    shutil.rmtree(ralph.folder)
    assert b"(24 bytes)" in ralph("--clear-context").stdout
    assert b"added context: 0 bytes" in ralph("--status").stdout


def test_a_task_of_any_size_reaches_the_agent_whole_via_stdin(ralph: Ralph, agent: FakeAgent, tmp_path: Path) -> None:
    task = "Größe zählt nicht.\n" * 500_000
    (tmp_path / "task.md").write_text(task, encoding="utf-8")
    agent.set_runs([PROMISE_STEP])

    assert ralph.loop("--prompt-file", str(tmp_path / "task.md")).returncode == 0
    assert agent.prompt(1).endswith(task)
    assert not any("Größe" in argument for argument in agent.recorded(1)["argv"])
    stored_prompt = ralph.folder / "iterations" / "0001.prompt.md"
    assert stored_prompt.stat().st_size < 600_000, "what is kept of it is capped"


def test_a_harness_may_read_its_prompt_from_a_file(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs([{"reads": False}, PROMISE_STEP])
    command = f"{agent.command} --prompt {{prompt_file}}"

    assert ralph("Add a login.", "--harness", "custom", "--harness-command", command, "--no-continuity").returncode == 0
    file = Path(agent.recorded(1)["argv"][1])
    assert file.read_text(encoding="utf-8").endswith("## Task\n\nAdd a login.")


def test_consent_on_the_command_line_enables_packs_in_any_mode(ralph: Ralph, agent: FakeAgent, state_dir: Path) -> None:
    agent.set_runs([PROMISE_STEP])
    state = ("--state-dir", str(state_dir))
    task = "The discounted price is wrong for odd cents, correct discounted_price"
    ralph.loop(task, "--continuity", *state, ONECODE_CONTINUITY_MODE="passive")
    assert "Amounts are integers of cents, always. (AGENTS.md:4)" in agent.prompt(1)
    assert "till/prices.py" in agent.prompt(1)
    assert agent.prompt(1).endswith(f"## Task\n\n{task}")
    assert ralph.history()[0]["continuity"]["action"] == "inject"

    arguments = (task, *state, "--harness", "custom", "--harness-command", agent.command)
    assert ralph(*arguments).returncode == 0, "by itself it injects where the mode is active only"
    assert "AGENTS.md:4" not in agent.prompt(2)
    assert ralph.history()[1]["continuity"]["reason"] == "passive"
    assert ralph(*arguments, ONECODE_CONTINUITY_MODE="active").returncode == 0
    assert "AGENTS.md:4" in agent.prompt(3)
    assert ralph.loop(task, "--no-continuity").returncode == 0
    assert ralph.history()[3]["continuity"] is None


def test_the_kill_switch_wins_over_consent_on_the_command_line(ralph: Ralph, agent: FakeAgent, state_dir: Path) -> None:
    agent.set_runs([PROMISE_STEP])
    done = ralph.loop(
        "Correct discounted_price", "--continuity", "--state-dir", str(state_dir), ONECODE_CONTINUITY_MODE="OFF"
    )
    assert "AGENTS.md:4" not in agent.prompt(1)
    assert ralph.history()[0]["continuity"]["reason"] == "off"
    assert b"--continuity has no effect" in done.stderr


def test_each_iteration_is_captured_for_the_next_iterations_packs(
    ralph: Ralph, agent: FakeAgent, state_dir: Path, project: Repository
) -> None:
    long = "".join(f"def price_{number}(cents):\n    return cents * {number}\n\n\n" for number in range(60))
    agent.set_runs(
        [
            outputs("I wrote the prices of sixty customers. They differ because of discounts.\n"),
            writes("till/many.py", long),
        ],
        [PROMISE_STEP],
    )
    done = ralph.loop("Write a price function for each customer", "--continuity", "--state-dir", str(state_dir))

    assert done.returncode == 0
    drafted = [entry for line in ralph.history() for entry in line["continuity"]["artifacts"]]
    assert drafted, "a devlog was drafted of what was done"
    assert "till/many.py" in agent.prompt(2)
    assert "till/many.py" in project.git("status", "--porcelain")


def test_an_unusable_state_file_does_not_stop_the_loop(ralph: Ralph, agent: FakeAgent, state_dir: Path) -> None:
    ralph.loop("--dry-run", "Add a login.", "--continuity", "--state-dir", str(state_dir))
    connection = apsw.Connection(str(state_dir / "continuity.db"))
    connection.execute("INSERT INTO continuity_migrations VALUES (999, 'from the future', 0)")
    connection.close()
    agent.set_runs([exits(0)], [PROMISE_STEP])

    done = ralph.loop("Add a login.", "--continuity", "--state-dir", str(state_dir))

    assert done.returncode == 0
    assert b"warning: The state cannot be used" in done.stderr


def test_one_loop_runs_per_change_during_additions(ralph: Ralph, agent: FakeAgent) -> None:
    agent.set_runs(*[[writes(f"{number}.txt", "x")] for number in range(4)], [PROMISE_STEP])
    over = threading.Event()
    added: list[str] = []

    def add() -> None:
        while not over.is_set():
            added.append(f"hint {len(added)}")
            assert ralph.in_own_process("--add-context", added[-1]).returncode == 0

    adding = threading.Thread(target=add)
    adding.start()
    done = ralph.loop("Add a login.")
    over.set()
    adding.join()

    assert done.returncode == 0
    seen = [[hint for hint in added if f"{hint}\n" in agent.prompt(number)] for number in range(1, 6)]
    assert all(added[: len(hints)] == hints for hints in seen), "each prompt has all that was there, in order"
    assert [len(hints) for hints in seen] == sorted(len(hints) for hints in seen)
