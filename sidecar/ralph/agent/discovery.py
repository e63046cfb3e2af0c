"""Finds an agent's program the way its own environment does, and reads its version."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sidecar.core.errors import AgentUnavailable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.ralph.agent.agent_result import Version
from sidecar.ralph.agent.harnesses import HARNESSES

PROBE_SECONDS = 10.0
_VERSION = lazy_regex(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


def find_program(name: str, cwd: Path, environment: Mapping[str, str]) -> str:
    """Return the path of a program given by name or path; raise AgentUnavailable."""
    path = environment.get("PATH")
    name_or_path = str(cwd / name) if os.path.dirname(name) else name
    if (program := shutil.which(name_or_path, path=path)) is not None:
        return program
    if (not_executable := shutil.which(name_or_path, os.F_OK, path=path)) is not None:
        raise AgentUnavailable(
            f"The agent {name} is not executable.", hint=f"Make it executable: chmod +x {not_executable}"
        )
    raise AgentUnavailable(
        f"The agent {name} is not installed.",
        hint="Install it, add its folder to PATH, or choose another with --harness.",
    )


def installed_version(harness: str, cwd: Path, environment: Mapping[str, str]) -> Version | None:
    """Return the version of an installed harness; null for a custom one or if it prints none.

    Raise AgentUnavailable if it is not installed.
    """
    if harness not in HARNESSES:
        return None
    program = find_program(HARNESSES[harness][0].argv[0], cwd, environment)
    try:
        completed = subprocess.run(
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
    return parse_version(completed.stdout.decode("utf-8", "replace"))


def parse_version(text: str) -> Version | None:
    """Return the version in a text such as `2.1.34 (Claude Code)` or `codex-cli 0.46.0`."""
    match: re.Match[str] | None = _VERSION.search(text)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3] or 0))
