"""`onecode-sidecar replay`: plays recorded sessions against copies of their repositories and tells what it saved."""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sidecar.cli.in_process import InProcess, RequestFailed, in_process
from sidecar.cli.replay.report import as_csv, as_json, report
from sidecar.hosts.figures import TurnFigures
from sidecar.hosts.reading import Recorded, ReplayFailed, read_sessions
from sidecar.hosts.replay import Options, RecordedClock, Sidecar, play
from sidecar.hosts.staging import stage

PATIENT_MS = 60_000
"""The deadline unless one is given: what is sent then depends on the recording alone, on a slow machine too."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.add_argument("sessions", type=Path, metavar="SESSIONS.jsonl", help="the recorded sessions")
    parser.add_argument(
        "--repositories", type=Path, metavar="DIR",
        help="where the sessions' repositories are, if not beside the file",
    )  # fmt: skip
    parser.add_argument("--only", metavar="NAME", help="play the sessions of this name or kind only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write sums and series as JSON; - for stdout")
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="write the series, a line a turn, as CSV; - for stdout"
    )
    parser.add_argument(
        "--measure-baseline", action="store_true",
        help="play each session once more as if each prompt began a provider session, and count what is sent",
    )  # fmt: skip
    parser.add_argument(
        "--deadline-ms", type=int, default=PATIENT_MS, metavar="N",
        help=f"how long a pre-run may take, 1 to 60000; {PATIENT_MS} unless given, 1Code's is 800",
    )  # fmt: skip
    parser.add_argument(
        "--state-dir", type=Path, metavar="DIR", help="keep the sidecar's state here, in a folder that is new or empty"
    )
    parser.add_argument(
        "--in-place", action="store_true",
        help="do the recorded steps in the repositories themselves, which have to be clean, not in copies",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Plays, writes the series and prints the sums; status 1 and a sentence when something cannot be played."""
    try:
        _check(arguments)
        turns = list(_played(arguments))
    except ReplayFailed as error:
        print(f"replay: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("replay: interrupted; nothing was written.", file=sys.stderr)
        return 130
    try:
        to_stdout = _write(arguments, turns)
    except OSError as error:
        print(f"replay: {error.filename} cannot be written: {error.strerror}.", file=sys.stderr)
        return 1
    if not to_stdout:
        print("\n".join(report(turns)))
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if not 1 <= arguments.deadline_ms <= PATIENT_MS:
        raise ReplayFailed(f"--deadline-ms is 1 to {PATIENT_MS}.")
    if arguments.in_place and arguments.measure_baseline:
        raise ReplayFailed("--measure-baseline plays each session twice, which --in-place cannot.")
    kept = arguments.state_dir
    if kept is not None and kept.exists() and not (kept.is_dir() and next(kept.iterdir(), None) is None):
        raise ReplayFailed(f"{arguments.state_dir} is no empty folder; what it holds would count as known.")


def _played(arguments: argparse.Namespace) -> Iterator[TurnFigures]:
    try:
        content = arguments.sessions.read_bytes()
    except OSError as error:
        raise ReplayFailed(f"{arguments.sessions} cannot be read: {error.strerror}.") from error
    chosen = _chosen(read_sessions(content), arguments.only)
    repositories = arguments.repositories or arguments.sessions.resolve().parent
    with tempfile.TemporaryDirectory(prefix="onecode-replay-", ignore_cleanup_errors=True) as work:
        for number, recorded in enumerate(chosen, 1):
            folder = Path(os.path.realpath(work), f"{number}")
            state = (arguments.state_dir.resolve() / f"{number}") if arguments.state_dir else folder / "state"
            options = Options(arguments.deadline_ms)
            one = _session(recorded, repositories, folder / "once", state, options, in_place=arguments.in_place)
            if arguments.measure_baseline:
                again = options._replace(forgetful=True)
                full = _session(recorded, repositories, folder / "again", folder / "other", again, in_place=False)
                one = [
                    turn.model_copy(update={"measured_baseline_bytes": all_.sent_bytes})
                    for turn, all_ in zip(one, full, strict=True)
                ]
            yield from one


def _chosen(sessions: list[Recorded], only: str | None) -> list[Recorded]:
    chosen = [one for one in sessions if only in (None, one.session.session, one.session.kind)]
    if not chosen:
        raise ReplayFailed(f"No session is called {only!r}, or is of that kind.")
    return chosen


def _session(
    recorded: Recorded, repositories: Path, folder: Path, state: Path, options: Options, *, in_place: bool
) -> list[TurnFigures]:
    clock = RecordedClock()
    staged = stage(recorded.session, repositories, folder, clock.now(), in_place=in_place)
    with _sidecar(state, clock, {"mode": "active", **recorded.session.settings}) as sidecar:
        return play(sidecar, staged, recorded, options)


@contextmanager
def _sidecar(state: Path, clock: RecordedClock, settings: dict[str, Any]) -> Iterator[Sidecar]:
    """Opens a sidecar of its own for a session, with nothing known."""
    try:
        with in_process(state, clock, settings) as opened:
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


def _write(arguments: argparse.Namespace, turns: list[TurnFigures]) -> bool:
    """Writes the series where it was asked for; says whether stdout was used up by that."""
    written = [(arguments.json, as_json), (arguments.csv, as_csv)]
    to_stdout = False
    for target, render in written:
        if target is None:
            continue
        if str(target) == "-":
            sys.stdout.write(render(turns))
            to_stdout = True
        else:
            target.write_bytes(render(turns).encode())
    return to_stdout
