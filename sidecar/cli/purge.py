"""`onecode-sidecar purge`: removes what is kept of a project, what is old, or kinds of it, and says what stays."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sidecar.cli.errors import CommandFailed
from sidecar.cli.in_process import on_users_state
from sidecar.cli.output import Said, told
from sidecar.cli.paths import state_folder
from sidecar.cli.status import size

KINDS = (
    *("runs", "caches", "indexes", "metrics"),
    *("artifacts", "damagedArtifacts", "memories", "settings", "registry", "knowledge", "backups", "damaged", "logs"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.description = (
        "Removes what is kept: of a project, what is older, or kinds of it. Runs, caches, indexes and metrics go where"
        " no kind is named; everything else goes only when it is."
    )
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--project", type=Path, metavar="DIR", help="only what is of this project")
    whose.add_argument("--key", metavar="KEY", help="the same of a project whose folder is gone; `status` names keys")
    parser.add_argument("--older-than", type=int, metavar="DAYS", help="only what is older than so many days")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind; may be repeated")
    parser.add_argument("--dry-run", action="store_true", help="only tell what would be removed")
    parser.add_argument("--state-dir", type=Path, metavar="DIR", help="the sidecar's state; the app's own unless given")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Prints what went and what stays; a failure is one sentence on stderr."""
    return told("purge", arguments, lambda: _said(arguments))


def report(answer: Mapping[str, Any]) -> Iterator[str]:
    """Gives a line for each kind of which there is anything. Pure."""
    verb = "would go" if answer["dryRun"] else "removed"
    for one in answer["kinds"]:
        if one["removed"] or one["kept"]:
            stays = f", {one['kept']} stay ({one['why']})" if one["kept"] else ""
            yield f"{one['kind']:<16} {one['removed']} {verb}{stays}"
    if not answer["dryRun"]:
        yield f"The state folder is smaller by {size(answer['freedBytes'])}."


def _said(arguments: argparse.Namespace) -> Said:
    asked: dict[str, Any] = {"project": arguments.key, "olderThanDays": arguments.older_than, "kinds": arguments.kind}
    if arguments.project is not None:
        asked["projectPath"] = str(arguments.project.absolute())
    params = {name: value for name, value in asked.items() if value is not None}
    if not params:
        raise CommandFailed(
            "Say what is to go.", hint="--project, --key, --older-than or --kind; --dry-run only tells."
        )
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request("state/purge", {**params, "dryRun": arguments.dry_run}, patience=None)
    return Said(answer, list(report(answer)))
