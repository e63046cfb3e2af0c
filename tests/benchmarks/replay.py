"""Plays the recorded sessions of tests/sessions and prints what continuity saved, with the baseline measured too.

python -m tests.benchmarks.replay
python -m tests.benchmarks.replay --only iterative
"""

import argparse
import os
import tempfile
from pathlib import Path

from sidecar.cli.main import run
from tests.support.histories import SESSIONS, make_histories
from tests.support.repositories import HERMETIC


def main() -> int:
    """Makes the repositories, joins the recordings and plays them; gives the command's exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", help="play the sessions of this name or kind only")
    chosen = parser.parse_args()
    os.environ.update(HERMETIC)
    with tempfile.TemporaryDirectory() as folder:
        joined = Path(folder, "sessions.jsonl")
        joined.write_bytes(b"\n".join(path.read_bytes() for path in sorted(SESSIONS.glob("*.jsonl"))))
        repositories = make_histories(Path(folder, "repositories"))
        only = ["--only", chosen.only] if chosen.only else []
        return run(["replay", str(joined), "--repositories", str(repositories), "--measure-baseline", *only])


if __name__ == "__main__":
    raise SystemExit(main())
