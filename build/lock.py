"""Resolves requirements.lock again, for all platforms at once, from what pyproject.toml asks for.

python3 build/lock.py
"""

from __future__ import annotations

import sys

import environment

RESOLVE = (
    "pip", "compile", "--universal", "--generate-hashes", "--python-version", "3.11", "--extra", "dev",
    "--no-header", "--no-emit-index-url", "--no-emit-find-links", "--quiet",
    "pyproject.toml", "--output-file", "requirements.lock",
)  # fmt: skip


def main() -> int:
    """Resolves with the environment's own uv; what is locked already stays unless pyproject.toml says otherwise."""
    environment.ensure()
    status = environment.run_tool([environment.program("uv"), *RESOLVE])
    if status == 0:
        environment.say("lock: requirements.lock is up to date; run build/setup.py to install it.")
    return status


if __name__ == "__main__":
    sys.exit(main())
