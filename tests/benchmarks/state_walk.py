"""Random work in real repositories: after each step the state must equal that of a full scan.

    .venv/bin/python -m tests.benchmarks.state_walk --steps 2000 --seed 1

Prints the first differences, and the number of steps that could have shown one.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.benchmarks.programs import quiet_sidecar
from tests.support.random_walk import walk
from tests.support.repositories import HERMETIC

STEPS_A_REPOSITORY = 200


def main() -> int:
    """Walk through several repositories, one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ.update(HERMETIC)
    proofs: Counter[str] = Counter()
    watched, advanced, differences, done = 0, 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.client.initialize()
        while done < options.steps:
            walked = walk(
                sidecar,
                Path(folder),
                options.seed + done // STEPS_A_REPOSITORY,
                min(STEPS_A_REPOSITORY, options.steps - done),
            )
            done += walked.steps
            proofs += walked.proofs
            watched += walked.watched_before
            advanced += walked.advanced
            differences += walked.differences
            print(
                f"{done} steps, {watched} after a proven state, {advanced} derived from the previous one, "
                f"{dict(proofs)}, {len(differences)} differences"
            )
        sidecar.close()
    for difference in differences[:10]:
        print(difference)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
