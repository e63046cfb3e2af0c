"""`onecode-sidecar doctor`: what is not well with the sidecar's state, and what to do about it."""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidecar.cli.in_process import RequestFailed, in_process, on_users_state
from sidecar.cli.output import Said, told
from sidecar.cli.paths import add_places, project_folder, state_folder
from sidecar.core.clock import SystemClock
from sidecar.core.findings import Finding
from sidecar.operations.doctor import without_state
from sidecar.operations.model import StateDoctorResult

NOT_WELL = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.description = "Looks at all the sidecar keeps and stands on. Status 1 when something is not well."
    add_places(parser)
    parser.add_argument("--fix", action="store_true", help="mend what can be mended, after a copy of the state file")
    parser.add_argument("--dry-run", action="store_true", help="with --fix: tell what would be mended")


def run(arguments: argparse.Namespace) -> int:
    """Prints each check and what was found; a failure is one sentence on stderr."""
    return told("doctor", arguments, lambda: _said(arguments))


def report(answer: Mapping[str, Any], *, dry_run: bool) -> Iterator[str]:
    """Gives the checks' lines, each with what it found. Pure."""
    for check in answer["checks"]:
        findings = [one for one in answer["findings"] if one["check"] == check["name"]]
        mended = " (mended)" if findings and all(one["fixed"] for one in findings) else ""
        yield f"{check['level']:<8} {check['name']}{mended}"
        for one in findings:
            yield f"           {one['message']}"
            yield f"           {'mended' if one['fixed'] else '→ ' + one['remedy']}"
    if answer["backup"]:
        yield f"The state as it was before: {answer['backup']}"
    if answer["findings"] and not dry_run:
        yield _counted(answer["findings"])
    if dry_run:
        number = sum(one["fixable"] for one in answer["findings"])
        yield f"--fix would mend {number} of {len(answer['findings'])}, after a copy of the state file."
    yield " · ".join(f"{name} {version}" for name, version in answer["versions"].items())


def _counted(findings: Sequence[Mapping[str, Any]]) -> str:
    """Sums up what is left to be done."""
    left = [one for one in findings if not one["fixed"]]
    counts = Counter(one["level"] for one in left)
    told = [f"{number} {level}{'s' if number > 1 else ''}" for level, number in sorted(counts.items())]
    by_fix = sum(one["fixable"] for one in left)
    return f"{', '.join(told)} left{f'; `--fix` mends {by_fix}' if by_fix else ''}." if left else "All is mended."


def _said(arguments: argparse.Namespace) -> Said:
    params = {"projectPath": str(project_folder(arguments.project)), "fix": arguments.fix, "dryRun": arguments.dry_run}
    folder = state_folder(arguments.state_dir)
    try:
        with on_users_state(folder) as sidecar:
            answer = sidecar.request("state/doctor", params, patience=None)
    except RequestFailed as failure:
        if failure.method != "initialize":
            raise
        answer = _without_state(folder, params["projectPath"], failure)
    lines = list(report(answer, dry_run=arguments.fix and arguments.dry_run))
    return Said(answer, lines, 0 if answer["healthy"] else NOT_WELL)


def _without_state(folder: Path, project: str, why: RequestFailed) -> Any:
    """Looks at what needs none, on an empty state of its own; that the user's cannot be opened is the first finding."""
    found = Finding("error", why.message, why.hint or "Look at the folder and its disk.")
    with (
        tempfile.TemporaryDirectory(prefix="onecode-doctor-", ignore_cleanup_errors=True) as empty,
        in_process(Path(empty), SystemClock(), {}) as sidecar,
    ):
        beside = StateDoctorResult.model_validate(sidecar.request("state/doctor", {"projectPath": project}))
    return without_state(beside, folder, found).model_dump(mode="json", by_alias=True)
