"""What the hooks of one session leave for each other, and no other session's."""

from pathlib import Path

import pytest

from sidecar.cli.hook_run_state import FOLDER, MAX_AGE_MS, remove_stale_runs, run_state_of, undelivered_run

OPENED = {"runId": "one", "deliveryToken": None, "cwd": "/shop", "projectPath": None}


@pytest.mark.parametrize(
    "session_id",
    ["c5a44416-7193-4955-ab55-919da93f57c5", "con", "../../etc/passwd", "ä" * 200, "a b", "-" * 40, "5f0c"],
)
def test_any_session_has_notes_of_its_own_in_the_folder(tmp_path: Path, session_id: str) -> None:
    run_state_of(str(tmp_path), session_id).store(OPENED)
    run_state_of(str(tmp_path), session_id + "x").store({**OPENED, "runId": "two"})
    assert run_state_of(str(tmp_path), session_id).read() == {"openRun": OPENED}
    kept = [path.name for path in (tmp_path / FOLDER).iterdir()]
    assert len(kept) == 2
    assert not {name.partition(".")[0] for name in kept} & {"con", "", ".."}


def test_a_run_that_begins_knows_no_file_of_the_one_before(tmp_path: Path) -> None:
    notes = run_state_of(str(tmp_path), "5f0c")
    notes.touch("/shop/cart.py")
    notes.store(OPENED)
    notes.touch("/shop/till.py")
    assert notes.pop() == {"openRun": OPENED, "touched": ["/shop/till.py"]}
    assert notes.pop() == {"touched": []}


def test_a_run_that_nobody_answered_is_called_otherwise_each_time() -> None:
    said = {"cwd": "/shop/web", "permission_mode": "plan"}
    one, other = undelivered_run(said, 0), undelivered_run(said, 0)
    assert one["runId"] != other["runId"]
    assert {**one, "runId": ""} == {
        "runId": "", "deliveryToken": None, "cwd": "/shop/web", "projectPath": None, "mode": "plan",
        "startedAt": "1970-01-01T00:00:00.000Z",
    }  # fmt: skip


def test_notes_of_a_run_that_nobody_ended_go_after_a_week_and_nothing_else(tmp_path: Path) -> None:
    for number in range(3):
        run_state_of(str(tmp_path), f"session-{number}").store(OPENED)
        run_state_of(str(tmp_path), f"session-{number}").touch("/shop/cart.py")
    other = tmp_path / FOLDER / "lingering.lock"
    other.write_text("7")
    made_ms = int(other.stat().st_mtime * 1000)
    remove_stale_runs(str(tmp_path), made_ms + MAX_AGE_MS - 60_000)
    assert len(list((tmp_path / FOLDER).iterdir())) == 7
    remove_stale_runs(str(tmp_path), made_ms + MAX_AGE_MS + 60_000)
    assert list((tmp_path / FOLDER).iterdir()) == [other]
    remove_stale_runs(str(tmp_path / "none"), made_ms)
