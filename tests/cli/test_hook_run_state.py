"""The run state that the hooks of one session share."""

import json
import os
import stat
from pathlib import Path

import pytest

from sidecar.cli.hook_client import (
    FOLDER,
    MAX_AGE_MS,
    log_line,
    reason_of,
    remove_stale_runs,
    run_state_of,
    undelivered_run,
)

OPENED = {"runId": "one", "deliveryToken": None, "cwd": "/shop", "projectPath": None}


@pytest.mark.parametrize(
    "session_id",
    ["c5a44416-7193-4955-ab55-919da93f57c5", "con", "../../etc/passwd", "ä" * 200, "a b", "-" * 40, "5f0c"],
)
def test_every_session_has_its_own_run_state_in_the_folder(tmp_path: Path, session_id: str) -> None:
    run_state_of(str(tmp_path), session_id).store(OPENED)
    run_state_of(str(tmp_path), session_id + "x").store({**OPENED, "runId": "two"})
    assert run_state_of(str(tmp_path), session_id).read() == {"openRun": OPENED}
    stored = [path.name for path in (tmp_path / FOLDER).iterdir()]
    assert len(stored) == 2
    assert not {name.partition(".")[0] for name in stored} & {"con", "", ".."}


def test_a_new_run_forgets_the_files_of_the_previous_run(tmp_path: Path) -> None:
    notes = run_state_of(str(tmp_path), "5f0c")
    notes.touch("/shop/cart.py")
    notes.store(OPENED)
    notes.touch("/shop/till.py")
    assert notes.end() == {"openRun": OPENED, "touched": ["/shop/till.py"], "unshownRuns": []}


def test_a_run_whose_end_was_not_answered_is_known_to_the_next_prompt_and_to_the_next_end(tmp_path: Path) -> None:
    notes = run_state_of(str(tmp_path), "5f0c")
    notes.store(OPENED)
    assert notes.read() == {"openRun": OPENED}
    for _ in range(2):
        assert notes.end() == {"openRun": OPENED, "touched": [], "unshownRuns": []}
        assert notes.read() == {"openRun": OPENED, "unshownRuns": ["one"]}
    second = {**OPENED, "runId": "two"}
    notes.store(second)
    assert notes.read() == {"openRun": second}
    assert notes.end() == {"openRun": second, "touched": [], "unshownRuns": ["one"]}
    notes.store({**OPENED, "runId": "three"})
    notes.clear_ended("two")
    assert notes.end()["openRun"]["runId"] == "three"
    notes.clear_ended("three")
    assert notes.end() == {"touched": [], "unshownRuns": []}


def test_every_undelivered_run_has_a_new_id() -> None:
    hook_input = {"cwd": "/shop/web", "permission_mode": "plan"}
    entry, other = undelivered_run(hook_input, 0), undelivered_run(hook_input, 0)
    assert entry["runId"] != other["runId"]
    assert {**entry, "runId": ""} == {
        "runId": "", "deliveryToken": None, "cwd": "/shop/web", "projectPath": None, "mode": "plan",
        "startedAt": "1970-01-01T00:00:00.000Z",
    }  # fmt: skip


def test_the_state_of_unfinished_runs_is_removed_after_a_week(tmp_path: Path) -> None:
    for number in range(3):
        run_state_of(str(tmp_path), f"session-{number}").store(OPENED)
        run_state_of(str(tmp_path), f"session-{number}").touch("/shop/cart.py")
    other = tmp_path / FOLDER / "daemon.lock"
    other.write_text("7")
    made_ms = int(other.stat().st_mtime * 1000)
    remove_stale_runs(str(tmp_path), made_ms + MAX_AGE_MS - 60_000)
    assert len(list((tmp_path / FOLDER).iterdir())) == 7
    remove_stale_runs(str(tmp_path), made_ms + MAX_AGE_MS + 60_000)
    assert list((tmp_path / FOLDER).iterdir()) == [other]
    remove_stale_runs(str(tmp_path / "none"), made_ms)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_hook_that_comes_first_creates_a_state_folder_for_its_user_only(tmp_path: Path) -> None:
    state_dir = tmp_path / "state"
    log_line(str(state_dir), 0, "Stop", "timeout")
    folders = (state_dir, state_dir / "log")
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700, 0o700]
    assert stat.S_IMODE((state_dir / "log" / "hooks.log").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (RuntimeError("The workspace's folder does not exist."), "The workspace's folder does not exist."),
        (KeyError("session_id"), "The hook's input has no `session_id`."),
        (json.JSONDecodeError("x", "{", 1), "The hook's input is not a JSON object."),
        (ConnectionRefusedError(111, "Connection refused"), "The sidecar cannot be reached: Connection refused."),
    ],
)
def test_the_log_has_a_sentence_on_why_a_hook_printed_nothing(error: Exception, sentence: str) -> None:
    assert reason_of(error) == sentence
