"""Set up, check and test; arguments go on to pytest.

    python3 build/test.py               checks and all tests, the expensive ones sampled
    python3 build/test.py --fast        the checks, and the tests that start no process
    python3 build/test.py --thorough    every case: simulations, soaks, all kill points, real agents
    python3 build/test.py -k handshake

The tests run in two processes per core, because many of them wait, the fast ones in one; `-n 0` runs them in one
process. The checks run beside them in the time that the tests leave, and report after them; the exit status is 1 if
only a check failed. A type check that passed with the same sources is not repeated, except by `--thorough`. A test that
hangs ends its process after five minutes, with the stack of each thread, and fails; but not with `--thorough`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import environment

HANG_SECONDS = 300
_END_AFTER_CRASH = ("--max-worker-restart", "0")  # a new process for the rest would wait for ever
_END_HANGS = ("-o", f"faulthandler_timeout={HANG_SECONDS}", "-o", "faulthandler_exit_on_timeout=true")


def main(arguments: list[str]) -> int:
    """Return pytest's exit status, or that of the checks if the tests passed."""
    if {"-h", "--help"} & set(arguments):
        print(__doc__)
        return 0
    environment.ensure()
    processes = (os.cpu_count() or 1) * (1 if "--fast" in arguments else 2)
    options = ["-n", str(processes), "--dist", "load", *_END_AFTER_CRASH]
    options += [] if "--thorough" in arguments else _END_HANGS
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would rewrite the assertions of every module again
    os.environ["HYPOTHESIS_NO_PLUGINS"] = "1"  # that of trio loads trio, an eighth of each process's start
    politely = ["nice", "-n", "5"] if shutil.which("nice") else []
    checks = [*politely, sys.executable, os.fspath(environment.ROOT / "build" / "check.py")]
    checks += [] if "--thorough" in arguments else ["--changed"]
    with subprocess.Popen(checks, stderr=subprocess.PIPE) as checking:
        tested = environment.run_tool([environment.program("python"), "-m", "pytest", *options, *arguments])
        _, report = checking.communicate()
    environment.print_progress(report.decode(errors="replace").rstrip())
    return tested or checking.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
