"""Sets up, checks, and runs the tests; arguments go on to pytest.

    python3 build/test.py
    python3 build/test.py -k handshake

The tests run on all cores; `-n 0` runs them one after another. They run also when a check failed, so that one run
tells everything; the exit status is 1 then.
"""

from __future__ import annotations

import sys

import check

import environment

SIDE_BY_SIDE = ("-n", "auto", "--dist", "loadgroup")


def main(arguments: list[str]) -> int:
    """Gives pytest's exit status, or that of the checks when the tests passed."""
    checked = check.main()
    if checked:
        environment.say("check: failed, see above; the tests run all the same, and this command will fail.")
    tested = environment.run_tool([environment.program("python"), "-m", "pytest", *SIDE_BY_SIDE, *arguments])
    return tested or checked


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
