"""Stop requests to the loops of one process."""

from pathlib import Path

from sidecar.ralph.lock_and_stop import RunningLoops, StopRequest
from sidecar.ralph.loop_folder import loop_folder


def test_first_stop_request_counts_and_a_second_one_may_remove_the_grace() -> None:
    stop = StopRequest()
    assert stop.ending is None
    stop.request("First.", 130)
    stop.request("Second.", 143, no_grace=True)

    assert stop.ending is not None
    assert (stop.ending.reason, stop.ending.exit_code) == ("First.", 130)
    assert stop.requested.is_set()
    assert stop.no_grace.is_set()


def test_request_to_all_also_stops_a_loop_registered_later(tmp_path: Path) -> None:
    loops = RunningLoops()
    first, two = loop_folder(tmp_path, "one"), loop_folder(tmp_path, "two")
    running, ended = loops.register(first), loops.register(two)
    loops.end(two)
    loops.request_all("All.", 143)

    assert running.ending is not None
    assert ended.ending is None
    late = loops.register(two).ending
    assert late is not None
    assert late.exit_code == 143
