"""The product's promises, checked on the recorded sessions.

The figures include everything: first prompts are look-ups, fresh sessions receive full packs, new tasks are misses.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.replay.histories import SESSIONS, make_histories
from tests.replay.reader import Recorded, read_sessions
from tests.replay.recording import Prompt

HIT_RATE = 0.75
SAVED = 0.60
"""The specification's success metrics are 0.6 and 0.3 (continuity-design.md). Of 70 prompts of iterative work 8 are
first ones, and 7 name something else of their small repository, which begins a new task: 0.79 is left at best.
"""

KINDS = {
    "iterative": 8, "task switch": 3, "branch switch": 3, "two worktrees": 2, "session reset": 2, "compaction": 2,
    "plan to agent": 2, "user edits": 2,
}  # fmt: skip
FRESH = ("session reset", "compaction")
"""Sessions in which a provider session loses its content after its start."""

pytestmark = pytest.mark.thorough  # half a minute of played sessions; test_player.py plays a short one

PATIENCE_SECONDS = 300
ROOT = Path(__file__).parents[2]

Turn = dict[str, Any]


def recorded() -> list[Recorded]:
    return [result for path in sorted(SESSIONS.glob("*.jsonl")) for result in read_sessions(path.read_bytes())]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The output of `--json` for each file; the files are played in parallel, because most of the time is pauses."""
    repositories = make_histories(tmp_path_factory.mktemp("repositories"))
    command = [sys.executable, "-m", "tests.replay", "--json", "-", "--repositories", str(repositories)]
    playing = [
        subprocess.Popen([*command, str(path)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for path in sorted(SESSIONS.glob("*.jsonl"))
    ]
    written = [process.communicate(timeout=PATIENCE_SECONDS) for process in playing]
    assert [process.returncode for process in playing] == [0] * len(playing), written
    return [orjson.loads(output) for output, _ in written]


@pytest.fixture
def turns(results: list[Any]) -> list[Turn]:
    """Every turn of every session, in order."""
    return [turn for result in results for turn in result["turns"]]


def hit_rate(turns: list[Turn]) -> float:
    look_ups = [turn for turn in turns if turn["hasLookUp"]]
    return float(sum(turn["hit"] for turn in look_ups) / len(look_ups))


def saved(turns: list[Turn]) -> float:
    return float(1 - sum(turn["sentBytes"] for turn in turns) / sum(turn["baselineBytes"] for turn in turns))


def of_kind(turns: list[Turn], kind: str) -> list[Turn]:
    return [turn for turn in turns if turn["kind"] == kind]


def test_the_sessions_have_the_documented_number_and_length() -> None:
    sessions = recorded()
    assert Counter(result.session.kind for result in sessions) == KINDS
    lengths = [sum(isinstance(line.entry, Prompt) for line in result.lines) for result in sessions]
    assert (min(lengths), max(lengths)) == (5, 14)


def test_iterative_work_finds_its_pack_in_the_cache(turns: list[Turn]) -> None:
    assert hit_rate(of_kind(turns, "iterative")) >= HIT_RATE


def test_a_turn_costs_far_less_than_sending_everything_again(turns: list[Turn]) -> None:
    assert saved(turns) >= SAVED
    assert saved(of_kind(turns, "iterative")) >= SAVED


def test_changes_by_the_user_and_other_runs_cause_no_miss_after_a_pause(turns: list[Turn]) -> None:
    """Where a session is new or lost its context, files are searched by the work so far, which every run changes."""
    continued = [turn for turn in turns if turn["kind"] not in (*FRESH, "task switch", "plan to agent")]
    reasons = Counter(turn["missReason"] for turn in continued if turn["missReason"])
    assert reasons.keys() <= {"first prompt", "other task", "other provider"}


def test_a_new_task_is_recognised(turns: list[Turn]) -> None:
    assert "other task" in {turn["missReason"] for turn in turns if turn["session"] == "tax-then-barcodes"}


def test_no_figure_depends_on_the_machines_speed(turns: list[Turn]) -> None:
    assert all(turn["settled"] and not turn["partial"] for turn in turns)


def test_the_anchor_is_sent_once_per_provider_session(turns: list[Turn]) -> None:
    """A turn without a session starts one; turns that continue it get no anchor again."""
    results = [turn for turn in turns if turn["hasLookUp"] and turn["kind"] not in FRESH]
    assert {turn["anchorBytes"] > 0 for turn in results} == {True, False}
    for turn in results:
        assert (turn["anchorBytes"] > 0) == (turn["providerSession"] is None), turn


def test_the_bytes_sent_are_those_the_sidecar_counted(turns: list[Turn]) -> None:
    """After a roll-back the sidecar counts Claude's system text again, which the provider has cached."""
    assert all(turn["sentBytes"] <= turn["injectedBytes"] for turn in turns)
    assert [turn for turn in turns if turn["sentBytes"] != turn["injectedBytes"] and turn["kind"] not in FRESH] == []
    assert all(turn["baselineBytes"] == turn["injectedBytes"] + turn["reusedBytes"] for turn in turns)


def test_a_slash_command_is_sent_unchanged(turns: list[Turn]) -> None:
    assert [(turn["reason"], turn["sentBytes"]) for turn in turns if not turn["hasLookUp"]] == [("slashCommand", 0)]
