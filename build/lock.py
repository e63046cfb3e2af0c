"""Resolve requirements.lock again, for all platforms at once, from pyproject.toml.

python3 build/lock.py
"""

from __future__ import annotations

import argparse
import sys

import environment

RESOLVE = (
    "pip", "compile", "--universal", "--generate-hashes", "--python-version", "3.11", "--extra", "dev",
    "--no-header", "--no-emit-index-url", "--no-emit-find-links", "--quiet",
    "pyproject.toml", "--output-file", "requirements.lock",
)  # fmt: skip


def main() -> int:
    """Resolve with the environment's uv; locked versions stay unless pyproject.toml requires others."""
    environment.ensure()
    status = environment.run_tool([environment.program("uv"), *RESOLVE])
    if status == 0:
        environment.print_progress("lock: requirements.lock is up to date; run build/setup.py to install it.")
    return status


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    sys.exit(main())
