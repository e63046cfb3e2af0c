"""`continuity/postRun` in this process: what it takes beside what looking at the repository takes, by size.

    .venv/bin/python -m tests.benchmarks.postrun --sizes 1000 20000

Each round is a turn: a pre-run, an edit by the agent, the post-run that is measured. Beside it stand the repository's
state and difference alone after such an edit, and `git status`; then the same turns with a provider's transcript.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks.prerun import Subject, edited_looks, said, spread, statuses, subject, unedited
from tests.benchmarks.programs import quiet_sidecar
from tests.support.conversation import Conversation, bash
from tests.support.repositories import HERMETIC
from tests.support.walking import process_of, wait_until_watched

ROUNDS = 60
OVER_GIT_MS = 15.0
"""The median beside what git, or looking in its stead, takes."""

TRANSCRIPT_MB = 40
STARTED_AT = "2026-03-01T09:30:00.000Z"
TESTS = "FAILED tests/test_a.py::test_b\nE   assert 1 == 2\n1 failed, 800 passed in 2.1s\n"


def main() -> None:
    """Measures the sizes one after another."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sidecar-benchmarks")
    options = parser.parse_args()
    os.environ.update(HERMETIC)
    for files in sorted(options.sizes):
        measure(subject(options.work, files, options.seed))


def measure(one: Subject) -> None:
    """Measures one size and prints its rows."""
    print(f"\n{one.files} files")
    git = statistics.median(statuses(one.path))
    looks = statistics.median(edited_looks(one))
    with tempfile.TemporaryDirectory() as folder, transcript(Path(folder)) as path:
        plain = played(one, None)
        spread("post-run after an edit", plain, round(git + OVER_GIT_MS, 1), git)
        spread("the same, with a long transcript", played(one, path), None, git)
    print(f"{'state and difference alone':<36}{looks:9.2f} ms   in the same run")
    print(f"{'git status':<36}{git:9.2f} ms   in the same run")
    said("post-run beside state and difference", statistics.median(plain) - looks, "ms", OVER_GIT_MS)


def played(one: Subject, transcript_path: Path | None) -> list[float]:
    """Plays a conversation of many turns and gives the milliseconds of each post-run, the first ones left out."""
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as folder, unedited(one.edited) as before:
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.client.initialize(settings={"mode": "active"})
        process = process_of(sidecar)
        repository = process.workspaces.get(str(one.path), None).slices.repository
        repository.listing(repository.state())
        assert wait_until_watched(repository, 120)
        chat = Conversation(sidecar.client, one.path)
        more: dict[str, Any] = {"transcriptPath": str(transcript_path)} if transcript_path is not None else {}
        for number in range(ROUNDS + 5):
            answer = chat.pre_run(one.prompt)
            edit = chat.edit(one.edited.relative_to(one.path).as_posix(), f"{before.decode()}# {number}\n")
            parts = [edit, bash("pytest", TESTS), {"type": "text", "text": "I chose to return early. Not tested yet."}]
            began = time.perf_counter()
            chat.post_run(answer, one.prompt, assistant={"parts": parts}, startedAt=STARTED_AT, **more)
            taken.append((time.perf_counter() - began) * 1000)
            process.wait_idle(20)
        sidecar.close()
    return taken[5:]


@contextmanager
def transcript(folder: Path) -> Iterator[Path]:
    """Writes a long transcript of a session whose last run is short."""
    path = folder / "session.jsonl"
    line = {"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 4_000}]}}
    old = orjson.dumps({**line, "timestamp": "2026-02-28T09:30:00.000Z"}) + b"\n"
    new = orjson.dumps({**line, "timestamp": datetime(2026, 3, 1, 9, 30, 30, tzinfo=UTC).isoformat()}) + b"\n"
    path.write_bytes(old * (TRANSCRIPT_MB * 1_000_000 // len(old)) + new * 20)
    yield path


if __name__ == "__main__":
    main()
