"""Create `.venv` from requirements.lock: every package at its locked version, verified by its hash.

python3 build/setup.py
"""

from __future__ import annotations

import environment

if __name__ == "__main__":
    environment.ensure()
