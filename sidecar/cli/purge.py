"""`onecode-sidecar purge`: removes stored data by project, age or kind, and shows what remains."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.cli.common_arguments import add_state_argument, folder_argument, state_folder
from sidecar.cli.in_process import on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print
from sidecar.operations.number_format import format_bytes

KINDS = (
    *("runs", "caches", "indexes", "metrics"),
    *("artifacts", "damagedArtifacts", "memories", "settings", "registry", "knowledge", "backups", "damaged", "logs"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Removes stored data by project, age or kind. Without --kind: runs, caches, indexes and metrics. Everything"
        " else is removed only when named."
    )
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--project", type=folder_argument, metavar="DIR", help="only data of this project")
    whose.add_argument(
        "--key", metavar="KEY", help="the same for a project whose folder no longer exists; `status` shows keys"
    )
    parser.add_argument("--older-than", type=int, metavar="DAYS", help="only data older than this")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind; repeatable")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be removed")
    add_state_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print what was removed and what remains. A failure is one sentence on stderr."""
    return run_and_print("purge", arguments, lambda: _answer(arguments))


def report(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield one line for each kind with any data. Pure."""
    verb = "to be removed" if answer["dryRun"] else "removed"
    for kind in answer["kinds"]:
        if kind["removed"] or kind["remaining"]:
            verb_of_rest = "remains" if kind["remaining"] == 1 else "remain"
            rest = f", {kind['remaining']} {verb_of_rest} ({kind['reason']})" if kind["remaining"] else ""
            yield f"{kind['kind']:<16} {kind['removed']} {verb}{rest}"
    if not answer["dryRun"]:
        freed = format_bytes(answer["freedBytes"])
        is_empty = not any(kind["removed"] for kind in answer["kinds"])
        yield f"Nothing was removed. Compacting the state file freed {freed}." if is_empty else f"Freed {freed}."


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    selection: dict[str, Any] = {
        "project": arguments.key,
        "olderThanDays": arguments.older_than,
        "kinds": arguments.kind,
        "projectPath": None if arguments.project is None else str(arguments.project.absolute()),
    }
    params = {name: value for name, value in selection.items() if value is not None}
    if not params:
        raise CommandFailed(
            "Name what to remove.",
            kind="invalidParams",
            hint="Use --project, --key, --older-than or --kind; --dry-run only shows.",
        )
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request("state/purge", {**params, "dryRun": arguments.dry_run}, patience=None)
    return CommandAnswer(answer, list(report(answer)))
