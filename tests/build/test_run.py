"""`build/run.py` runs a session on any repository, prints it, and leaves the repository unchanged."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sidecar.codebase.search.ranking import (
    MANUAL_WEIGHTS,
    RELATED_TO_BEST_WEIGHTS,
    RELATED_TO_TOUCHED_WEIGHTS,
    TRAINED_WEIGHTS,
)
from sidecar.packs.related_files import ADDITIONS, LEADING_WEIGHTS, RECENT_WEIGHTS
from tests.support.repositories import Repository, make_repository

ROOT = Path(__file__).resolve().parents[2]
RUN_SECONDS = 120
PARTS = set(runpy.run_path(str(ROOT / "build" / "session" / "file_selection.py"))["PART_MEANINGS"])
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


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A small repository with an unstaged and an untracked change."""
    made = make_repository(tmp_path_factory.mktemp("kiln") / "repository", FILES)
    (made.path / "kiln/glaze.py").write_text("def mix_a_glaze(colour: str) -> str:\n    return colour * 2\n")
    (made.path / "kiln/new.py").write_text("def untracked_name() -> None: ...\n")
    return made


class Session(NamedTuple):
    result: dict[str, Any]
    printed: str


@pytest.fixture(scope="module")
def finished(repository: Repository) -> Iterator[Session]:
    """One session on the repository, which it leaves unchanged."""
    before = state_of(repository.path)
    done = run("--json", "--repo", str(repository.path))
    assert done.returncode == 0, done.stderr
    assert state_of(repository.path) == before
    result: dict[str, Any] = json.loads(done.stdout)
    yield Session(result, done.stderr)
    shutil.rmtree(Path(result["packs"]).parent)


@pytest.fixture(scope="module")
def session(finished: Session) -> dict[str, Any]:
    return finished.result


def state_of(folder: Path) -> tuple[str, str, dict[str, bytes]]:
    git = ["git", "-C", str(folder)]
    head = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True)
    status = subprocess.check_output([*git, "status", "--porcelain=v2", "--untracked-files=all"], text=True)
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]
    return head, status, {str(path): path.read_bytes() for path in paths}


def assert_knowledge_synced(knowledge: dict[str, Any]) -> None:
    counts = [(step["mode"], *list(step["counts"].values())[:3]) for step in knowledge["steps"]]
    assert counts == [("full", 4, 0, 0), ("incremental", 1, 1, 0), ("incremental", 1, 1, 2), ("full", 0, 1, 0)]
    assert knowledge["conflicts"] == ["hash_mismatch company:pol-secrets"]
    assert knowledge["left"] == []
    assert len(knowledge["pointers"]) == 4
    anchor = "\n".join(knowledge["anchor"])
    assert "- No key, token or password is logged or counted. (company:pol-secrets:" in anchor
    assert "- company:adr-0002: [ADR] One writer for the counts" in anchor
    assert "Every key" not in anchor


def test_a_session_reports_every_turn_and_leaves_the_repository_unchanged(session: dict[str, Any]) -> None:
    assert session["repository"]["uncommitted"] == 2
    assert len(session["turns"]) >= 6
    assert [turn["setting"] for turn in session["turns"][:3]] == ["passive", "passive", "active"]
    assert {turn["provider"] for turn in session["turns"]} == {"claude", "codex"}
    for turn in session["turns"]:
        data = turn["metadata"]
        assert data["wouldInjectBytes"] + data["reusedBytes"] == data["baselineBytes"]
        assert turn["action"] == "inject" or data["injectedBytes"] == 0
        assert list(Path(turn["packs"]).glob("*.md")), "what was sent, or would have been, is saved"
        assert turn["state"]["proof"] in PROOFS
        assert turn["search"]["complete"], "the last search covers all files"
    assert "How these figures are computed" in Path(session["report"]).read_text(encoding="utf-8")
    assert session["totals"]["sentBytes"] < session["totals"]["baselineBytes"]
    assert not (Path(session["packs"]).parent / "repository").exists()
    assert_knowledge_synced(session["knowledge"])
    assert session["loop"]["exitCode"] == 0
    assert [iteration["promiseAccepted"] for iteration in session["loop"]["history"]] == [False, False, True]
    assert (session["loop"]["contextIn"], session["loop"]["failedCheckIn"]) == ([1, 2, 3], [3])


def test_a_correction_of_one_chat_is_in_the_anchor_of_the_next_until_another_supersedes_it(
    session: dict[str, Any],
) -> None:
    shown = session["instructions"]
    (first,), (later,) = shown["anchors"]
    assert shown["origins"] == ["typed", "typed"]
    assert "Use pnpm instead of npm." in first
    assert "Use bun instead of pnpm." in later
    assert shown["corrected"][0].startswith("Standing instruction changed: ")


def test_the_second_chat_drafts_artifacts_and_restarts_the_session(session: dict[str, Any]) -> None:
    *_, last = turns = [turn for turn in session["turns"] if turn["chat"] == 2]
    assert [turn["freshSession"] for turn in turns] == [True, *[False] * (len(turns) - 2), True]
    assert turns[-2]["governorAfter"]["action"] == "rehydrate"
    assert last["governor"]["startFreshSession"]
    assert last["governor"]["marker"]
    assert "carryover" in [block["kind"] for block in last["blocks"]]
    outcome = session["artifacts"]
    drafted = {artifact["type"]: artifact for artifact in outcome["artifacts"]}
    assert drafted.keys() == {"devlog", "adr", "rejectedApproach"}
    assert "migrations/0001_counts.sql" in drafted["adr"]["body"]
    assert "stale" in drafted["rejectedApproach"]["body"]
    assert {artifact["id"] for artifact in outcome["committed"]["artifacts"]} == set(outcome["accepted"])
    assert outcome["movedRefs"] == ["refs/heads/memory/continuity"]
    assert session["registry"]["derived"]["total"] > 0
    assert session["registry"]["decided"]["decision"] in ("REUSE", "ADAPT", "CREATE")


def test_after_a_compaction_the_next_session_receives_earlier_decisions(session: dict[str, Any]) -> None:
    crossed = [turn["context"]["bracket"] for turn in session["turns"] if turn["chat"] < 3]
    assert set(crossed) == {"FRESH", "MODERATE", "DEPLETED", "CRITICAL"}
    for turn in session["turns"]:
        assert turn["context"]["tokens"] <= turn["context"]["budgetTokens"]
        assert ("L4" in turn["context"]["layers"]) == (turn["context"]["bracket"] in ("FRESH", "MODERATE"))
    before, after = session["compaction"]["before"], session["compaction"]["after"]
    (corrected,) = before["captured"]["added"]
    assert "Never round the counts" in after["context"]["block"]
    assert (after["context"]["bracket"], after["compactions"]) == ("FRESH", 1)
    memories = {memory["id"]: memory for memory in session["compaction"]["memories"]}
    assert memories[corrected]["type"] == "user_correction"
    decided = session["searchResults"][0]
    assert "decided to keep the counts in a table" in decided["text"]
    assert memories[decided["id"]]["type"] == "decision", "the session existed before the next session started"
    assert [turn["chat"] for turn in session["turns"]][-1] == 3
    assert any(decided["id"] in line for line in session["turns"][-1]["remembered"])


def test_each_selected_file_has_reasons_and_a_score_that_is_the_sum_of_its_parts(session: dict[str, Any]) -> None:
    for turn in session["turns"]:
        files = turn["chosen"]
        assert [file["rank"] for file in files] == list(range(1, len(files) + 1))
        assert [file["score"] for file in files] == sorted((file["score"] for file in files), reverse=True)
        for file in files:
            assert file["score"] == pytest.approx(sum(file["parts"].values()), abs=0.01)
            assert file["why"]
            assert set(file["parts"]) <= PARTS, "every part of a score has a meaning"
    codex_turn = next(turn for turn in session["turns"] if turn["provider"] == "codex")
    assert re.search(r"`(\w+)`", codex_turn["prompt"])
    defining = [file for file in codex_turn["chosen"] if "identifiers" in file["parts"]]
    assert defining
    assert any(region.endswith(" fire_the_pots") for file in defining for region in file["regions"])


def test_every_part_of_a_score_has_a_meaning() -> None:
    tables = (
        TRAINED_WEIGHTS,
        RELATED_TO_BEST_WEIGHTS,
        RELATED_TO_TOUCHED_WEIGHTS,
        MANUAL_WEIGHTS,
        RECENT_WEIGHTS,
        LEADING_WEIGHTS,
    )
    assert {"contents", "notFound", ADDITIONS, *(part for table in tables for part in table)} == PARTS


def test_the_session_is_printed_on_a_plain_terminal(finished: Session) -> None:
    printed = finished.printed
    assert re.findall(r"^(\d+)\. .+\nLook for: .+\.$", printed, re.MULTILINE) == [*"123456789", "10"]
    assert printed.count("governor") >= 6
    assert re.search(r"^ +1 +\d+\.\d\d  \S+\.py +[a-zA-Z]+ \d+\.\d\d, ", printed, re.MULTILINE), "files with scores"
    assert "identifiers        defines identifiers named in the prompt" in printed
    assert re.search(r"fresh +by \w+; measured alone: state \d+\.\d ms by \w+", printed)
    assert re.search(r"context +CRITICAL, \d+ % remaining; block L0 L1, \d+ of 800 tokens", printed)
    assert "user_correction" in printed
    assert re.search(r"memory +Remembered \d{4}-\d\d-\d\d, decision", printed)
    assert "\x1b[" not in printed, "no colours without a terminal"
    packs = Path(printed.strip().rsplit(" ", 1)[1])
    assert list(packs.glob("turn-*/*.md"))


@pytest.mark.thorough  # a whole second session
def test_a_repository_without_commits_or_code_works(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "empty")], check=True)
    (tmp_path / "empty" / "notes.txt").write_text("A note.\n")
    done = run("--repo", str(tmp_path / "empty"))
    assert done.returncode == 0, done.stderr
    assert "empty (0 files, 1 of them uncommitted)" in done.stdout
    assert re.findall(r"^(\d+)\. .+\nLook for: .+\.$", done.stdout, re.MULTILINE)
    packs = Path(done.stdout.strip().rsplit(" ", 1)[1])
    shutil.rmtree(packs.parent)


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    done = run("--repo", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"run: {tmp_path} is not a git repository that can be cloned.\n"
