"""`build/run.py` plays a session on any repository, tells it honestly, and leaves the repository as it was."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase.search.ranking import (
    MANUAL_WEIGHTS,
    RELATED_TO_BEST_WEIGHTS,
    RELATED_TO_TOUCHED_WEIGHTS,
    TRAINED_WEIGHTS,
)
from tests.support.repositories import Repository

ROOT = Path(__file__).resolve().parents[2]
RUN_SECONDS = 120
PARTS = set(runpy.run_path(str(ROOT / "build" / "session" / "choosing.py"))["MEANINGS"])
PROOFS = ("status", "watch", "watch+stat", "walk")

FILES = {
    "README.md": "# Kiln\n\nFires pots.\n",
    "AGENTS.md": "Run the tests before you finish.\n",
    "kiln/firing.py": "def fire_the_pots(pots: list[str]) -> int:\n    return len(pots)\n",
    "kiln/glaze.py": "def mix_a_glaze(colour: str) -> str:\n    return colour\n",
    "kiln/shelf.py": "class ShelfOfPots:\n    pass\n",
    "tests/test_firing.py": "def test_pots_are_fired() -> None:\n    assert True\n",
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "build" / "run.py"), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=RUN_SECONDS, check=False, cwd=ROOT.parent
    )


@pytest.fixture
def repository(make_repository: Callable[..., Repository]) -> Repository:
    """A small repository with a staged, an unstaged and an untracked change."""
    made = make_repository(FILES)
    (made.path / "kiln/glaze.py").write_text("def mix_a_glaze(colour: str) -> str:\n    return colour * 2\n")
    (made.path / "kiln/new.py").write_text("def untracked_name() -> None: ...\n")
    return made


def state_of(folder: Path) -> tuple[str, str, dict[str, bytes]]:
    git = ["git", "-C", str(folder)]
    head = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True)
    status = subprocess.check_output([*git, "status", "--porcelain=v2", "--untracked-files=all"], text=True)
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]
    return head, status, {str(path): path.read_bytes() for path in paths}


def knowledge_agrees(told: dict[str, Any]) -> None:
    counts = [(step["mode"], *list(step["counts"].values())[:3]) for step in told["steps"]]
    assert counts == [("full", 4, 0, 0), ("incremental", 1, 1, 0), ("incremental", 1, 1, 2), ("full", 0, 1, 0)]
    assert told["conflicts"] == ["hash_mismatch company:pol-secrets"]
    assert told["left"] == []
    assert len(told["pointers"]) == 4
    anchor = "\n".join(told["anchor"])
    assert "- No key, token or password is logged or counted. (company:pol-secrets:" in anchor
    assert "- company:adr-0002: [ADR] One writer for the counts" in anchor
    assert "Every key" not in anchor


def test_a_session_is_played_and_the_repository_stays_as_it_was(repository: Repository) -> None:
    before = state_of(repository.path)
    done = run("--json", "--repo", str(repository.path))
    assert done.returncode == 0, done.stderr
    assert state_of(repository.path) == before
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["repository"]["uncommitted"] == 2
    assert len(told["turns"]) >= 6
    assert [turn["setting"] for turn in told["turns"][:3]] == ["passive", "passive", "active"]
    assert {turn["provider"] for turn in told["turns"]} == {"claude", "codex"}
    for turn in told["turns"]:
        data = turn["metadata"]
        assert data["wouldInjectBytes"] + data["reusedBytes"] == data["baselineBytes"]
        assert (turn["action"] == "inject") == (data["injectedBytes"] > 0)
        assert list(Path(turn["packs"]).glob("*.md")), "what was sent, or would have been, can be read"
        assert turn["state"]["proof"] in PROOFS
        assert turn["search"]["complete"], "the last search alone is one over all files"
    assert "How these figures are computed" in Path(told["report"]).read_text(encoding="utf-8")
    assert told["totals"]["sentBytes"] < told["totals"]["baselineBytes"]
    assert not (Path(told["packs"]).parent / "repository").exists()
    knowledge_agrees(told["knowledge"])
    assert told["loop"]["exitCode"] == 0
    assert [one["promiseAccepted"] for one in told["loop"]["history"]] == [False, False, True]
    assert (told["loop"]["contextIn"], told["loop"]["failedCheckIn"]) == ([1, 2, 3], [3])
    shutil.rmtree(Path(told["packs"]).parent)


def test_the_second_chat_is_drafted_kept_and_turned_over(repository: Repository) -> None:
    told = json.loads(run("--json", "--repo", str(repository.path)).stdout)
    *_, last = turns = [turn for turn in told["turns"] if turn["chat"] == 2]
    assert [turn["freshSession"] for turn in turns] == [True, *[False] * (len(turns) - 2), True]
    assert turns[-2]["governorAfter"]["action"] == "rehydrate"
    assert last["governor"]["startFreshSession"]
    assert last["governor"]["marker"]
    assert "carryover" in [block["kind"] for block in last["blocks"]]
    kept = told["kept"]
    drafted = {one["type"]: one for one in kept["artifacts"]}
    assert drafted.keys() == {"devlog", "adr", "rejectedApproach"}
    assert "migrations/0001_counts.sql" in drafted["adr"]["body"]
    assert "stale" in drafted["rejectedApproach"]["body"]
    assert {one["id"] for one in kept["committed"]["artifacts"]} == set(kept["accepted"])
    assert kept["movedRefs"] == ["refs/heads/memory/continuity"]
    assert told["registry"]["derived"]["total"] > 0
    assert told["registry"]["decided"]["decision"] in ("REUSE", "ADAPT", "CREATE")
    shutil.rmtree(Path(told["packs"]).parent)


def test_the_window_crosses_the_brackets_is_compacted_and_the_next_session_is_told_what_the_one_before_decided(
    repository: Repository,
) -> None:
    told = json.loads(run("--json", "--repo", str(repository.path)).stdout)
    crossed = [turn["context"]["bracket"] for turn in told["turns"] if turn["chat"] < 3]
    assert set(crossed) == {"FRESH", "MODERATE", "DEPLETED", "CRITICAL"}
    for turn in told["turns"]:
        assert turn["context"]["tokens"] <= turn["context"]["budgetTokens"]
        assert ("L4" in turn["context"]["layers"]) == (turn["context"]["bracket"] in ("FRESH", "MODERATE"))
    before, after = told["compaction"]["before"], told["compaction"]["after"]
    (corrected,) = before["captured"]["added"]
    assert "never round the counts" in after["context"]["block"]
    assert (after["context"]["bracket"], after["compactions"]) == ("FRESH", 1)
    kept = {one["id"]: one for one in told["compaction"]["memories"]}
    assert kept[corrected]["type"] == "user_correction"
    decided = told["found"][0]
    assert "decided to keep the counts in a table" in decided["text"]
    assert kept[decided["id"]]["type"] == "decision", "what is found was there before the next session began"
    assert [turn["chat"] for turn in told["turns"]][-1] == 3
    assert any(decided["id"] in line for line in told["turns"][-1]["remembered"])
    shutil.rmtree(Path(told["packs"]).parent)


def test_each_chosen_file_says_why_and_its_score_is_the_sum_of_its_parts(repository: Repository) -> None:
    told = json.loads(run("--json", "--repo", str(repository.path)).stdout)
    for turn in told["turns"]:
        files = turn["chosen"]
        assert [file["rank"] for file in files] == list(range(1, len(files) + 1))
        assert [file["score"] for file in files] == sorted((file["score"] for file in files), reverse=True)
        for file in files:
            assert file["score"] == pytest.approx(sum(file["parts"].values()), abs=0.01)
            assert file["why"]
            assert set(file["parts"]) <= PARTS, "every part of a score is told in words"
    asked = next(turn for turn in told["turns"] if turn["provider"] == "codex")
    assert re.search(r"`(\w+)`", asked["prompt"])
    assert any("identifiers" in file["parts"] for file in asked["chosen"])
    shutil.rmtree(Path(told["packs"]).parent)


def test_every_weighed_part_of_a_score_has_words_and_no_other() -> None:
    tables = (TRAINED_WEIGHTS, RELATED_TO_BEST_WEIGHTS, RELATED_TO_TOUCHED_WEIGHTS, MANUAL_WEIGHTS)
    assert {part for table in tables for part in table} == PARTS


def test_the_session_is_told_on_a_plain_terminal(repository: Repository) -> None:
    done = run("--repo", str(repository.path))
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(\d)\. .+\nWhat to see: .+\.$", done.stdout, re.MULTILINE) == list("123456789")
    assert done.stdout.count("governor") >= 6
    assert re.search(r"^ +1 +\d+\.\d\d  \S+\.py +[a-zA-Z]+ \d+\.\d\d, ", done.stdout, re.MULTILINE), "files with scores"
    assert "identifiers      defines names that the prompt spells out" in done.stdout
    assert re.search(r"fresh +by \w+; asked alone afterwards: state \d+\.\d ms by \w+", done.stdout)
    assert re.search(r"context +CRITICAL, \d+ % remain; block L0 L1, \d+ of 800 tokens", done.stdout)
    assert "user_correction" in done.stdout
    assert re.search(r"told +Remembered \d{4}-\d\d-\d\d, decision", done.stdout)
    assert "\x1b[" not in done.stdout, "no colours where nobody sees them"
    packs = Path(done.stdout.strip().rsplit(" ", 1)[1])
    assert list(packs.glob("turn-*/*.md"))
    shutil.rmtree(packs.parent)


def test_a_repository_without_a_commit_or_code_can_be_played_on(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "empty")], check=True)
    (tmp_path / "empty" / "notes.txt").write_text("A note.\n")
    done = run("--json", "--repo", str(tmp_path / "empty"))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["repository"] == {"name": "empty", "files": 0, "uncommitted": 1}
    assert [turn["turn"] for turn in told["turns"]] == list(range(1, len(told["turns"]) + 1))
    shutil.rmtree(Path(told["packs"]).parent)


def test_a_folder_without_a_repository_is_refused_in_one_sentence(tmp_path: Path) -> None:
    done = run("--repo", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"run: {tmp_path} is not a git repository that can be cloned.\n"
