"""Create `.venv` from requirements.lock: every package at its locked version, verified by its hash.

python3 build/setup.py
"""

from __future__ import annotations

import argparse

import environment

if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    environment.ensure()
