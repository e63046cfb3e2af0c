"""A replay: what it plays, what it counts, and what it leaves alone."""

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
    """Replays entries, and gives what `--json` writes."""

    def replay(*entries: dict[str, Any], options: tuple[str, ...] = ()) -> Any:
        file = till.path.parent / "sessions.jsonl"
        file.write_bytes(b"\n".join(orjson.dumps(entry) for entry in (BEGIN, *entries)))
        status = main([str(file), "--repositories", str(file.parent), "--json", "-", *options])
        told = capsys.readouterr()
        assert status == 0, told.err
        assert told.err == ""
        return orjson.loads(told.out)

    return replay


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], *entries: dict[str, Any], begin: Any = BEGIN) -> str:
    file = tmp_path / "sessions.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps(entry) for entry in (begin, *entries)))
    assert main([str(file), "--repositories", str(file.parent)]) == 1
    return capsys.readouterr().err


def test_a_follow_up_is_a_hit_and_costs_little(replayed: Replayed) -> None:
    told = replayed(*TURN, {"prompt": "go on"}, {"end": "completed"})
    first, second = told["turns"]
    assert (first["hit"], first["lost"], second["hit"], second["lost"]) == (False, "first prompt", True, None)
    assert first["sentBytes"] == first["baselineBytes"]
    assert 0 < second["sentBytes"] < second["baselineBytes"] / 2
    assert told["total"]["hitRate"] == 0.5
    assert told["total"]["saved"] == round(
        1 - (first["sentBytes"] + second["sentBytes"]) / (first["baselineBytes"] + second["baselineBytes"]), 4
    )


def test_what_the_agent_wrote_is_told_to_the_sidecar_and_costs_the_session_nothing(
    replayed: Replayed, till: Repository
) -> None:
    edit = {"edit": "cart.py", "find": "return sku", "replace": "return sku.strip()"}
    by_agent = replayed(TURN[0], edit, TURN[1], {"prompt": "go on"}, {"end": "completed"})["turns"][1]
    by_user = replayed(*TURN, edit, {"prompt": "go on"}, {"end": "completed"})["turns"][1]
    assert by_agent["hit"]
    assert by_agent["sentBytes"] < by_user["sentBytes"]
    assert till.git("status", "--porcelain") == ""
    assert (till.path / "cart.py").read_text(encoding="utf-8") == CART


def test_system_text_counts_once_per_provider_session(replayed: Replayed) -> None:
    told = replayed(*TURN, *TURN, {"prompt": "again", "fresh": True}, TURN[1], *TURN)
    assert [turn["anchorBytes"] > 0 for turn in told["turns"]] == [True, False, True, False]


def test_a_slash_command_looks_no_pack_up(replayed: Replayed) -> None:
    told = replayed(*TURN, {"prompt": "/cost"}, TURN[1])
    assert told["turns"][1]["lookedUp"] is False
    assert (told["total"]["turns"], told["total"]["lookedUp"]) == (2, 1)


def test_the_same_recording_gives_the_same_figures(replayed: Replayed) -> None:
    def figures() -> Any:
        edit = {"edit": "cart.py", "find": "return sku", "replace": "return sku.strip()"}
        told = replayed(TURN[0], edit, {"commit": "Strip"}, TURN[1], *TURN, {"event": "compacted"}, *TURN)["turns"]
        return [
            {name: value for name, value in turn.items() if not name.endswith("s") or "Bytes" in name} for turn in told
        ]

    assert figures() == figures()


def test_the_measured_baseline_is_what_goes_out_when_nothing_is_remembered(replayed: Replayed) -> None:
    told = replayed(*TURN, *TURN, options=("--measure-baseline",))
    first, second = told["turns"]
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
def test_a_step_that_cannot_be_done_is_named(
    tmp_path: Path, till: Repository, capsys: pytest.CaptureFixture[str], entry: dict[str, Any], sentence: str
) -> None:
    assert till.path.is_dir()
    told = refused(tmp_path, capsys, entry, *TURN)
    assert told.startswith("replay: Session 'one', line 2: ")
    assert sentence in told
    assert told.count("\n") == 1


def test_a_repository_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no repository at" in refused(tmp_path, capsys, *TURN)


def test_the_report_sums_the_turns_up(tmp_path: Path, till: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert till.path.is_dir()
    file = tmp_path / "sessions.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps(entry) for entry in (BEGIN, *TURN, *TURN)))
    assert main([str(file), "--repositories", str(file.parent)]) == 0
    told = capsys.readouterr().out
    assert "hit rate" in told
    assert "50 %" in told
    assert "Lost: 1 first prompt." in told
