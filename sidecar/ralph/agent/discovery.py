"""Finds an agent's program as its own environment would, and asks it for its version."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sidecar.core.errors import AgentUnavailable
from sidecar.core.lazy_regex import regex
from sidecar.ralph.agent.agent_result import Version
from sidecar.ralph.agent.harnesses import HARNESSES

PROBE_SECONDS = 10.0
_VERSION = regex(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


def find_program(name: str, cwd: Path, environment: Mapping[str, str]) -> str:
    """Finds a program by its name or path; raises AgentUnavailable."""
    path = environment.get("PATH")
    place = str(cwd / name) if os.path.dirname(name) else name
    if (program := shutil.which(place, path=path)) is not None:
        return program
    if (there := shutil.which(place, os.F_OK, path=path)) is not None:
        raise AgentUnavailable(f"The agent {name} is not executable.", hint=f"Make it so: chmod +x {there}")
    raise AgentUnavailable(
        f"The agent {name} is not on this machine.",
        hint="Install it, add its folder to PATH, or choose another with --harness.",
    )


def version_of(harness: str, cwd: Path, environment: Mapping[str, str]) -> Version | None:
    """Asks an installed harness for its version; null for a custom one, and where it does not say.

    Raises AgentUnavailable for one that is not installed.
    """
    if harness not in HARNESSES:
        return None
    program = find_program(HARNESSES[harness][0].argv[0], cwd, environment)
    try:
        told = subprocess.run(
            (program, "--version"),
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return read_version(told.stdout.decode("utf-8", "replace"))


def read_version(text: str) -> Version | None:
    """Finds a version in words such as `2.1.34 (Claude Code)` or `codex-cli 0.46.0`."""
    found: re.Match[str] | None = _VERSION.search(text)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3] or 0))
