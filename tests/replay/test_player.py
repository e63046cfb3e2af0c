"""A replay: its steps, its figures, its failures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.replay.__main__ import main
from tests.support.repositories import Repository

BEGIN: dict[str, Any] = {"session": "one", "repository": "till", "kind": "small"}
TURN: list[dict[str, Any]] = [{"prompt": "Why is add_line so slow in cart.py?"}, {"end": "completed"}]
CART = '"""The cart."""\n\n\ndef add_line(sku):\n    return sku\n'

Replayed = Callable[..., Any]


@pytest.fixture
def till(make_repository: Callable[..., Repository]) -> Repository:
    """A small repository beside the recordings."""
    return make_repository({"AGENTS.md": "- Never use floats for money.\n", "cart.py": CART}, name="till")


@pytest.fixture
def replayed(till: Repository, capsys: pytest.CaptureFixture[str]) -> Replayed:
    """Replays entries, and returns the output of `--json`."""

    def replay(*entries: dict[str, Any], options: tuple[str, ...] = ()) -> Any:
        file = till.path.parent / "sessions.jsonl"
        file.write_bytes(b"\n".join(orjson.dumps(entry) for entry in (BEGIN, *entries)))
        status = main([str(file), "--repositories", str(file.parent), "--json", "-", *options])
        result = capsys.readouterr()
        assert status == 0, result.err
        assert result.err == ""
        return orjson.loads(result.out)

    return replay


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], *entries: dict[str, Any], begin: Any = BEGIN) -> str:
    file = tmp_path / "sessions.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps(entry) for entry in (begin, *entries)))
    assert main([str(file), "--repositories", str(file.parent)]) == 1
    return capsys.readouterr().err


def test_a_follow_up_is_a_hit_and_costs_little(replayed: Replayed) -> None:
    result = replayed(*TURN, {"prompt": "go on"}, {"end": "completed"})
    first, second = result["turns"]
    assert (first["hit"], first["missReason"], second["hit"], second["missReason"]) == (
        False,
        "first prompt",
        True,
        None,
    )
    assert first["sentBytes"] == first["baselineBytes"]
    assert second["sentBytes"] == 0
    assert result["total"]["hitRate"] == 0.5
    assert result["total"]["saved"] == round(
        1 - (first["sentBytes"] + second["sentBytes"]) / (first["baselineBytes"] + second["baselineBytes"]), 4
    )


def test_the_agents_own_edits_add_no_bytes_to_the_session(replayed: Replayed, till: Repository) -> None:
    edit = {"edit": "cart.py", "find": "return sku", "replace": "return sku.strip()"}
    by_agent = replayed(TURN[0], edit, TURN[1], {"prompt": "go on"}, {"end": "completed"})["turns"][1]
    by_user = replayed(*TURN, edit, {"prompt": "go on"}, {"end": "completed"})["turns"][1]
    assert by_agent["hit"]
    assert by_agent["sentBytes"] < by_user["sentBytes"]
    assert till.git("status", "--porcelain") == ""
    assert (till.path / "cart.py").read_text(encoding="utf-8") == CART


def test_system_text_counts_once_per_provider_session(replayed: Replayed) -> None:
    result = replayed(*TURN, *TURN, {"prompt": "again", "fresh": True}, TURN[1], *TURN)
    assert [turn["anchorBytes"] > 0 for turn in result["turns"]] == [True, False, True, False]


def test_a_slash_command_looks_up_no_pack(replayed: Replayed) -> None:
    result = replayed(*TURN, {"prompt": "/cost"}, TURN[1])
    assert result["turns"][1]["hasLookUp"] is False
    assert (result["total"]["turns"], result["total"]["lookUps"]) == (2, 1)


def test_the_same_recording_gives_the_same_figures(replayed: Replayed) -> None:
    def figures() -> Any:
        edit = {"edit": "cart.py", "find": "return sku", "replace": "return sku.strip()"}
        result = replayed(TURN[0], edit, {"commit": "Strip"}, TURN[1], *TURN, {"event": "compacted"}, *TURN)["turns"]
        return [
            {name: value for name, value in turn.items() if not name.endswith("s") or "Bytes" in name}
            for turn in result
        ]

    assert figures() == figures()


def test_the_measured_baseline_is_what_a_fresh_session_receives(replayed: Replayed) -> None:
    result = replayed(*TURN, *TURN, options=("--measure-baseline",))
    first, second = result["turns"]
    assert first["measuredBaselineBytes"] == first["sentBytes"]
    assert second["measuredBaselineBytes"] == first["sentBytes"] > second["sentBytes"]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"write": "../out.py", "text": ""}, "'../out.py' is no file of the worktree."),
        ({"write": ".git/config", "text": ""}, "'.git/config' is no file of the worktree."),
        ({"write": "/etc/out", "text": ""}, "'/etc/out' is no file of the worktree."),
        ({"edit": "cart.py", "find": "nowhere", "replace": ""}, "`find` occurs 0 times in 'cart.py', and not once."),
        ({"edit": "no.py", "find": "x", "replace": ""}, "'no.py' cannot be read as text."),
        ({"switch": "no-such-branch"}, "git cannot do that here: "),
    ],
)
def test_an_impossible_step_is_named_with_its_line(
    tmp_path: Path, till: Repository, capsys: pytest.CaptureFixture[str], entry: dict[str, Any], sentence: str
) -> None:
    assert till.path.is_dir()
    result = refused(tmp_path, capsys, entry, *TURN)
    assert result.startswith("replay: Session 'one', line 2: ")
    assert sentence in result
    assert result.count("\n") == 1


def test_a_missing_repository_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no repository at" in refused(tmp_path, capsys, *TURN)


def test_the_report_sums_the_turns(tmp_path: Path, till: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert till.path.is_dir()
    file = tmp_path / "sessions.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps(entry) for entry in (BEGIN, *TURN, *TURN)))
    assert main([str(file), "--repositories", str(file.parent)]) == 0
    result = capsys.readouterr().out
    assert "hit rate" in result
    assert "50 %" in result
    assert "Misses: 1 first prompt." in result
