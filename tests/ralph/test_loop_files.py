"""The loop's files (context, lock, history, state, prompts) against editors, crashes and other loops."""

import os
import threading
from pathlib import Path

import pytest

from sidecar.core.clock import SystemClock
from sidecar.core.errors import Conflict, InvalidParams, StateDegraded, WorkspaceUnavailable
from sidecar.ralph.lock_and_stop import LockOwner, hold_lock, lock_owner, loop_status, reset_loop
from sidecar.ralph.loop_folder import (
    MAX_CONTEXT_BYTES,
    MAX_STORED_ITERATIONS,
    MAX_STORED_PROMPT_BYTES,
    LoopFolder,
    add_user_context,
    append_iteration,
    create_folder,
    loop_folder,
    prune_files,
    read_history,
    read_state,
    read_user_context,
    write_state,
)
from sidecar.ralph.model import RalphIteration, RalphState, RalphTotals
from sidecar.system import filelock

CLOCK = SystemClock()
OWNER = LockOwner(os.getpid(), "2026-03-01T09:30:00.000Z")


@pytest.fixture
def folder(tmp_path: Path) -> LoopFolder:
    folder = loop_folder(tmp_path, "add-login")
    create_folder(folder)
    return folder


def iteration(number: int) -> RalphIteration:
    return RalphIteration(
        number=number, started_at="2026-03-01T09:30:00.000Z", duration_ms=1, outcome="succeeded", exit_code=0,
        signal=None, promise_found=False, promise_accepted=False, verification=None, files_changed=None, files=[],
        commits=[], input_tokens=None, output_tokens=None, cost_usd=None, reason="Größe\n\u2028", ended_loop=None,
        output_bytes=0, continuity=None, warnings=[],
    )  # fmt: skip


def state() -> RalphState:
    totals = RalphTotals(iterations=1, failures=0, input_tokens=0, output_tokens=0, cost_usd=0, duration_ms=0)
    return RalphState(
        change="add-login", status="completed", reason="Done.", exit_code=0, harness="claude", model=None,
        started_at="2026-03-01T09:30:00.000Z", updated_at="2026-03-01T09:30:00.000Z", iteration=1, running=None,
        paused_until=None, max_iterations=0, totals=totals, pid=1,
    )  # fmt: skip


def test_append_that_waited_while_an_editor_replaced_the_file_reaches_the_new_file(folder: LoopFolder) -> None:
    add_user_context(folder, "First.")
    fd = os.open(folder.context, os.O_RDWR)
    assert filelock.acquire(fd, 1)
    adding = threading.Thread(target=add_user_context, args=(folder, "Last."))
    adding.start()
    adding.join(0.2)
    assert adding.is_alive(), "it waits for its turn"
    Path(f"{folder.context}.new").write_bytes(b"Edited.\n")
    os.replace(f"{folder.context}.new", folder.context)
    filelock.release(fd)
    os.close(fd)
    adding.join(10)

    assert read_user_context(folder).text == "Edited.\nLast."


def test_context_beyond_the_limit_is_refused_when_it_is_added(folder: LoopFolder) -> None:
    add_user_context(folder, "x" * (MAX_CONTEXT_BYTES - 1))
    with pytest.raises(InvalidParams, match="so nothing was added"):
        add_user_context(folder, "y")
    assert read_user_context(folder).text == "x" * (MAX_CONTEXT_BYTES - 1)


def test_stored_outputs_have_a_total_cap(folder: LoopFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.ralph.loop_folder.MAX_STORED_BYTES", 25)
    for number in range(1, 5):
        folder.output_path(number).write_bytes(b"0123456789")
        prune_files(folder, number)
    assert [folder.output_path(number).exists() for number in range(1, 5)] == [False, False, True, True]


def test_damaged_state_is_named(folder: LoopFolder) -> None:
    assert loop_status(folder, 10, 0).problem is None
    Path(folder.state).write_bytes(b"{")
    damaged = f"The loop's state is damaged; the next loop replaces it: {folder.state}"
    assert loop_status(folder, 10, 0).problem == damaged
    write_state(folder, state())
    assert loop_status(folder, 10, 0).problem is None


def test_a_folder_in_the_place_of_the_state_is_named_and_no_loop_replaces_it(folder: LoopFolder) -> None:
    Path(folder.state).mkdir()
    expected = f"A folder is in the place of the loop's state; no loop starts until it is removed: {folder.state}"
    assert loop_status(folder, 10, 0).problem == expected
    with pytest.raises(StateDegraded) as failure:
        write_state(folder, state())
    assert failure.value.hint == f"Remove the folder {folder.state}."
    Path(folder.history).mkdir()
    with pytest.raises(StateDegraded) as failure:
        append_iteration(folder, iteration(1))
    assert failure.value.hint == f"Remove the folder {folder.history}."


def test_empty_context_is_rejected_and_write_errors_are_reported(folder: LoopFolder) -> None:
    with pytest.raises(InvalidParams):
        add_user_context(folder, " \n ")
    Path(folder.context).mkdir()
    with pytest.raises(WorkspaceUnavailable, match="cannot be written"):
        add_user_context(folder, "Use argon2.")
    assert loop_status(folder, 10, 0).context_bytes == 0


def test_lock_belongs_to_one_loop_and_names_it_until_released(folder: LoopFolder) -> None:
    assert lock_owner(folder) is None
    with hold_lock(folder, OWNER, CLOCK) as lock:
        assert (lock.dead_owner, lock.ended_agent) == (None, False)
        assert lock_owner(folder) == OWNER
        with pytest.raises(Conflict, match=f"process {os.getpid()}"), hold_lock(folder, OWNER, CLOCK):
            pass
        with pytest.raises(Conflict):
            reset_loop(folder, CLOCK)
    assert lock_owner(folder) is None
    Path(folder.lock).write_bytes(b'{"pid":1,"since":"long ago"}')
    assert lock_owner(folder) is None, "whom it names died"
    with hold_lock(folder, OWNER, CLOCK) as lock:
        assert lock.dead_owner == LockOwner(1, "long ago")


def test_every_history_line_is_read_back_despite_torn_lines(folder: LoopFolder) -> None:
    for number in range(1, 6):
        append_iteration(folder, iteration(number))
        with open(folder.history, "ab") as stream:
            stream.write(b'{"number": 9, "sta\xff')
    stored = read_history(folder)

    assert [iteration_line.number for iteration_line in stored.iterations] == [1, 2, 3, 4, 5]
    assert stored.damaged == 5
    assert stored.iterations[0] == iteration(1)


def test_records_of_a_later_version_are_readable(folder: LoopFolder) -> None:
    line = iteration(1).model_dump_json(by_alias=True)
    Path(folder.history).write_text(line[:-1] + ',"mood":"good"}\n', encoding="utf-8")

    assert read_history(folder).last_number == 1
    for damaged in ("", "{", "[]", "null", '{"change":"x"}'):
        Path(folder.state).write_text(damaged, encoding="utf-8")
        assert read_state(folder) is None


def test_old_iteration_files_are_deleted_and_long_prompts_shortened(folder: LoopFolder) -> None:
    for number in (1, 2, MAX_STORED_ITERATIONS + 1):
        folder.prompt_path(number).write_bytes(b"p" * (MAX_STORED_PROMPT_BYTES + 1_000))
        folder.output_path(number).write_bytes(b"o")
    (folder.iterations / "notes.txt").write_bytes(b"of the user's")
    prune_files(folder, MAX_STORED_ITERATIONS + 1)

    names = {path.name for path in folder.iterations.iterdir()}
    assert names == {"0002.output", "0002.prompt.md", "0101.output", "0101.prompt.md", "notes.txt"}
    assert b"1000 bytes omitted" in folder.prompt_path(101).read_bytes()
