"""Set up, check and test; arguments go on to pytest.

    python3 build/test.py               checks and all tests, the expensive ones sampled
    python3 build/test.py --fast        checks and the tests that start no process
    python3 build/test.py --thorough    every case: simulations, soaks, all kill points, real agents
    python3 build/test.py -k handshake

The tests run in two processes per core, because many of them wait, the fast ones in one; `-n 0` runs them in one
process. They run also if a check failed, so that one run reports everything; the exit status is then 1.
"""

from __future__ import annotations

import os
import sys

import check

import environment


def main(arguments: list[str]) -> int:
    """Return pytest's exit status, or that of the checks if the tests passed."""
    checked = check.main()
    if checked:
        environment.print_progress("check: failed, see above; the tests still run, and this command fails.")
    processes = (os.cpu_count() or 1) * (1 if "--fast" in arguments else 2)
    parallel = ("-n", str(processes), "--dist", "load")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would rewrite the assertions of every module again
    tested = environment.run_tool([environment.program("python"), "-m", "pytest", *parallel, *arguments])
    return tested or checked


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
