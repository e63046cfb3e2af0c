"""Play recorded sessions against copies of their repositories and print what continuity saved.

python -m tests.replay
python -m tests.replay --only iterative --measure-baseline
python -m tests.replay SESSIONS.jsonl --repositories DIR --json -
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sidecar.cli.in_process import InProcess, RequestFailed, in_process
from tests.replay.figures import TurnFigures
from tests.replay.histories import SESSIONS, make_histories
from tests.replay.player import CountedIds, Options, RecordedClock, Sidecar, play
from tests.replay.reader import Recorded, ReplayFailed, read_sessions
from tests.replay.staging import stage
from tests.replay.summary import as_json, report
from tests.support.repositories import HERMETIC

PATIENT_MS = 60_000
"""Default deadline of a pre-run: with it the bytes sent depend on the recording alone, on a slow machine too."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the sessions and print the sums, or the JSON series; return 1 when something cannot be played."""
    chosen = _parse(arguments)
    os.environ.update(HERMETIC)
    try:
        turns = list(_play_all(chosen))
    except ReplayFailed as error:
        print(f"replay: {error}", file=sys.stderr)
        return 1
    if chosen.json is None:
        print("\n".join(report(turns)))
    elif str(chosen.json) == "-":
        sys.stdout.write(as_json(turns))
    else:
        chosen.json.write_bytes(as_json(turns).encode())
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="replay", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "sessions", type=Path, nargs="*", metavar="SESSIONS.jsonl", help="recorded sessions; default: tests/replay"
    )
    parser.add_argument(
        "--repositories", type=Path, metavar="DIR", help="the sessions' repositories; default: built from the histories"
    )
    parser.add_argument("--only", metavar="NAME", help="play only the sessions of this name or kind")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write sums and series as JSON; - for stdout")
    parser.add_argument(
        "--measure-baseline", action="store_true",
        help="play each session again as if each prompt began a provider session, and count the bytes sent",
    )  # fmt: skip
    parser.add_argument(
        "--deadline-ms", type=int, default=PATIENT_MS, metavar="N",
        help=f"time limit of a pre-run, 1 to {PATIENT_MS}; default: {PATIENT_MS}; 1Code uses 800",
    )  # fmt: skip
    return parser.parse_args(arguments)


def _play_all(chosen: argparse.Namespace) -> Iterator[TurnFigures]:
    files = chosen.sessions or sorted(SESSIONS.glob("*.jsonl"))
    recordings = [recorded for file in files for recorded in read_sessions(_content(file))]
    selected = [
        recorded_
        for recorded_ in recordings
        if chosen.only in (None, recorded_.session.session, recorded_.session.kind)
    ]
    if not selected:
        raise ReplayFailed(f"No session is called {chosen.only!r}, or is of that kind.")
    with tempfile.TemporaryDirectory(prefix="onecode-replay-", ignore_cleanup_errors=True) as folder:
        work = Path(os.path.realpath(folder))
        repositories = chosen.repositories or make_histories(work / "repositories")
        for number, recorded in enumerate(selected, 1):
            options = Options(chosen.deadline_ms)
            turns = _play_session(recorded, repositories, work / f"{number}", options)
            if chosen.measure_baseline:
                forgetful = options._replace(forgetful=True)
                full = _play_session(recorded, repositories, work / f"{number}-baseline", forgetful)
                turns = [
                    turn.model_copy(update={"measured_baseline_bytes": baseline.sent_bytes})
                    for turn, baseline in zip(turns, full, strict=True)
                ]
            yield from turns


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ReplayFailed(f"{file} cannot be read: {error.strerror}.") from error


def _play_session(recorded: Recorded, repositories: Path, folder: Path, options: Options) -> list[TurnFigures]:
    clock = RecordedClock()
    staged = stage(recorded.session, repositories, folder / "repository", clock.now())
    settings = {"mode": "active", **recorded.session.settings}
    with _open_sidecar(folder / "state", clock, settings) as sidecar:
        return play(sidecar, staged, recorded, options)


@contextmanager
def _open_sidecar(state: Path, clock: RecordedClock, settings: dict[str, Any]) -> Generator[Sidecar]:
    """Open a sidecar with an empty state folder."""
    try:
        with in_process(state, clock, settings, CountedIds()) as opened:
            yield Sidecar(_translated(opened), opened.notify, opened.process, clock)
    except RequestFailed as error:
        raise ReplayFailed(str(error)) from error


def _translated(opened: InProcess) -> Callable[[str, dict[str, Any]], Any]:
    def request(method: str, params: dict[str, Any]) -> Any:
        try:
            return opened.request(method, params)
        except RequestFailed as error:
            raise ReplayFailed(str(error)) from error

    return request


if __name__ == "__main__":
    raise SystemExit(main())
