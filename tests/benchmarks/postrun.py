"""Time of `continuity/postRun` in this process, beside the time of the repository's state, by size.

    .venv/bin/python -m tests.benchmarks.postrun --sizes 1000 20000

Each round is a turn: a pre-run, an edit by the agent, the measured post-run. Beside it: the repository's state and diff
after such an edit, and `git status`; then the same turns with a provider's transcript.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks.prerun import (
    Subject,
    git_status_times,
    make_subject,
    print_figure,
    print_times,
    restored,
    state_after_edits,
)
from tests.benchmarks.programs import quiet_sidecar, set_environment
from tests.support.conversation import Conversation, bash
from tests.support.random_walk import process_of, wait_until_watched

ROUNDS = 60
OVER_GIT_MS = 15.0
"""Maximum median in addition to the time of git, or of the state that replaces it."""

TRANSCRIPT_MB = 40
STARTED_AT = "2026-03-01T09:30:00.000Z"
TESTS = "FAILED tests/test_a.py::test_b\nE   assert 1 == 2\n1 failed, 800 passed in 2.1s\n"


def main() -> None:
    """Measure the sizes one after another."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sidecar-benchmarks")
    options = parser.parse_args()
    set_environment()
    for files in sorted(options.sizes):
        measure(make_subject(options.work, files, options.seed))


def measure(subject: Subject) -> None:
    """Measure one size and print its rows."""
    print(f"\n{subject.files} files")
    git = statistics.median(git_status_times(subject.path))
    looks = statistics.median(state_after_edits(subject))
    with tempfile.TemporaryDirectory() as folder, transcript(Path(folder)) as path:
        plain = measure_post_runs(subject, None)
        print_times("post-run after an edit", plain, round(git + OVER_GIT_MS, 1), git)
        print_times("the same, with a long transcript", measure_post_runs(subject, path), None, git)
    print(f"{'state and diff alone':<36}{looks:9.2f} ms   in the same run")
    print(f"{'git status':<36}{git:9.2f} ms   in the same run")
    print_figure("post-run without state and diff", statistics.median(plain) - looks, "ms", OVER_GIT_MS)


def measure_post_runs(subject: Subject, transcript_path: Path | None) -> list[float]:
    """Play a conversation of many turns, and return the milliseconds of each post-run except the first ones."""
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder, restored(subject.edited) as before:
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.client.initialize(settings={"mode": "active"})
        process = process_of(sidecar)
        repository = process.workspaces.get(str(subject.path), None).slices.repository
        repository.listing(repository.state())
        assert wait_until_watched(repository, 120)
        chat = Conversation(sidecar.client, subject.path)
        more: dict[str, Any] = {"transcriptPath": str(transcript_path)} if transcript_path is not None else {}
        for number in range(ROUNDS + 5):
            answer = chat.pre_run(subject.prompt)
            edit = chat.edit(subject.edited.relative_to(subject.path).as_posix(), f"{before.decode()}# {number}\n")
            parts = [edit, bash("pytest", TESTS), {"type": "text", "text": "I chose to return early. Not tested yet."}]
            start = time.perf_counter()
            chat.post_run(answer, subject.prompt, assistant={"parts": parts}, startedAt=STARTED_AT, **more)
            times.append((time.perf_counter() - start) * 1000)
            process.wait_idle(20)
        sidecar.close()
    return times[5:]


@contextmanager
def transcript(folder: Path) -> Generator[Path]:
    """Write a long transcript of a session whose last run is short."""
    path = folder / "session.jsonl"
    line = {"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 4_000}]}}
    old = orjson.dumps({**line, "timestamp": "2026-02-28T09:30:00.000Z"}) + b"\n"
    new = orjson.dumps({**line, "timestamp": datetime(2026, 3, 1, 9, 30, 30, tzinfo=UTC).isoformat()}) + b"\n"
    path.write_bytes(old * (TRANSCRIPT_MB * 1_000_000 // len(old)) + new * 20)
    yield path


if __name__ == "__main__":
    main()
