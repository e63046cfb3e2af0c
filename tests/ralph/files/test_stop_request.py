"""How loops of one process are asked to stop."""

from pathlib import Path

from sidecar.ralph.files.folder import folder_of
from sidecar.ralph.files.stop_request import Loops, Stop


def test_first_stop_request_counts_and_a_second_one_may_remove_the_grace() -> None:
    stop = Stop()
    assert stop.ending is None
    stop.ask("First.", 130)
    stop.ask("Second.", 143, at_once=True)

    assert stop.ending is not None
    assert (stop.ending.reason, stop.ending.exit_code) == ("First.", 130)
    assert stop.asked.is_set()
    assert stop.at_once.is_set()


def test_request_to_all_also_stops_a_loop_registered_later(tmp_path: Path) -> None:
    loops = Loops()
    one, two = folder_of(tmp_path, "one"), folder_of(tmp_path, "two")
    running, ended = loops.begin(one), loops.begin(two)
    loops.end(two)
    loops.ask_all("All.", 143)

    assert running.ending is not None
    assert ended.ending is None
    late = loops.begin(two).ending
    assert late is not None
    assert late.exit_code == 143
