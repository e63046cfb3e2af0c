"""`onecode-sidecar status`: who works on the state, the mode, each project's figures, the last runs, the sizes."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sidecar.cli.in_process import on_users_state
from sidecar.cli.output import Said, told
from sidecar.cli.paths import state_folder

_SOURCES = {
    "default": "as nothing is set; what the app sets when it starts shows while it runs",
    "initialize": "as the running sidecar was told at its start",
    "global": "set for all projects",
    "project": "set for the project",
    "environment": "from the environment",
}
"""The layers of settings, as people are told of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.description = "Shows who works on the sidecar's state, the mode, what ran last, and how large all is."
    parser.add_argument("--state-dir", type=Path, metavar="DIR", help="the sidecar's state; the app's own unless given")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Prints the state; a failure is one sentence on stderr."""
    return told("status", arguments, lambda: _said(arguments))


def report(answer: Mapping[str, Any]) -> Iterator[str]:
    """Gives the lines about a state folder. Pure."""
    yield f"State:    {answer['stateDir']} (schema {answer['schema']}, sidecar {answer['version']})"
    yield f"Mode:     {answer['mode']}, {_SOURCES[answer['modeSource']]}"
    for label, one in zip(("Running:", *[""] * 99), answer["others"], strict=False):
        since = one["startedAt"][:16].replace("T", " ")
        told = f"process {one['pid']}, version {one['version']}, begun {one['mode']} at {since} UTC"
        yield f"{label:<9} {one['client']}, {told}"
    if not answer["others"]:
        yield "Running:  no sidecar works on it now"
    sizes = [f"{one['kind']} {size(one['bytes'])}" for one in answer["files"]]
    yield f"Files:    {', '.join(sizes)}; free on the disk {size(answer['freeBytes'])}"
    caches = [f"{one['name']} {size(one['bytes'])} in {one['entries']}" for one in answer["caches"]]
    yield f"Caches:   {', '.join(caches)}"
    yield from _projects(answer["projects"])
    yield from _runs(answer)


def size(number: int) -> str:
    """Gives bytes as people read them."""
    value = float(number)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def _projects(projects: list[Mapping[str, Any]]) -> Iterator[str]:
    if projects:
        yield ""
        yield f"{'project':<24} {'key':<16} {'mode':<7}  runs  hits  saved drafts memories"
    for one in projects:
        yield (
            f"{(one['name'] or '?')[:24]:<24} {one['project']:<16} {one['mode']:<7} {one['runs']:>5}"
            f" {_percent(one['hitRate']):>5} {_percent(one['reduction']):>6} {one['drafts']:>6} {one['memories']:>8}"
        )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _runs(answer: Mapping[str, Any]) -> Iterator[str]:
    names = {one["project"]: one["name"] or one["project"] for one in answer["projects"]}
    if answer["lastRuns"]:
        yield ""
        yield "Last runs (`onecode-sidecar explain RUN` tells more):"
    for one in answer["lastRuns"]:
        done = one["status"] if one["action"] == "inject" else f"not sent ({one['reason']})"
        told = (
            f"{names[one['project']][:20]:<20} {one['provider']:<6} {one['newBytes']:>6} B  {done:<22} {one['runId']}"
        )
        yield f"  {one['at'][:16].replace('T', ' ')}  {told}"


def _said(arguments: argparse.Namespace) -> Said:
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request("state/status", {})
    return Said(answer, list(report(answer)))
