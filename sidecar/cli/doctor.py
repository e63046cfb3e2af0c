"""`onecode-sidecar doctor`: problems of the sidecar's state and their remedies."""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, get_args

from sidecar.cli.common_arguments import add_path_arguments, project_folder, state_folder
from sidecar.cli.hook_install import connected_events, settings_path
from sidecar.cli.in_process import RequestFailed, in_process, on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print, words_of_command_line
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import SystemClock
from sidecar.operations.doctor import without_state
from sidecar.operations.model import DoctorFinding, StateDoctorResult
from sidecar.runs.model import Provider
from sidecar.storage.doctor_checks import Finding
from sidecar.system.environment import user_state_folder

UNHEALTHY = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Checks the sidecar's state and environment. Exit status 1 if there are problems."
    add_path_arguments(parser)
    parser.add_argument(
        "--fix", action="store_true", help="repair what can be repaired, after a backup of the state file"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what --fix would repair")


def run(arguments: argparse.Namespace) -> int:
    """Print each check with its findings. A failure is one sentence on stderr."""
    return run_and_print("doctor", arguments, lambda: _answer(arguments))


def report(answer: Mapping[str, Any], *, dry_run: bool) -> Iterator[str]:
    """Yield one line per check, followed by its findings. Pure."""
    for check in answer["checks"]:
        findings = [finding for finding in answer["findings"] if finding["check"] == check["name"]]
        repaired = " (repaired)" if findings and all(finding["fixed"] for finding in findings) else ""
        yield f"{check['level']:<8} {check['name']}{repaired}"
        for finding in findings:
            yield f"           {finding['message']}"
            yield f"           {'repaired' if finding['fixed'] else '→ ' + words_of_command_line(finding['remedy'])}"
    if answer["backup"]:
        yield f"Backup of the state: {answer['backup']}"
    if not answer["findings"]:
        yield "No problems found."
    elif not dry_run:
        yield _remaining(answer["findings"])
    else:
        number = sum(finding["fixable"] for finding in answer["findings"])
        yield f"--fix would repair {number} of {len(answer['findings'])}, after a backup of the state file."
    yield " · ".join(f"{name} {version}" for name, version in answer["versions"].items())


def _remaining(findings: Sequence[Mapping[str, Any]]) -> str:
    """Return a summary of the remaining findings."""
    remaining = [finding for finding in findings if not finding["fixed"]]
    counts = Counter(finding["level"] for finding in remaining)
    counts_text = [count_noun(number, level) for level, number in sorted(counts.items())]
    by_fix = sum(finding["fixable"] for finding in remaining)
    return (
        f"{', '.join(counts_text)} left{f'; `--fix` repairs {by_fix}' if by_fix else ''}."
        if remaining
        else "Everything is repaired."
    )


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    params = {
        "projectPath": str(project_folder(arguments.project)),
        "fix": arguments.fix or arguments.dry_run,
        "dryRun": arguments.dry_run,
    }
    project = params["projectPath"]
    try:
        with on_users_state(state_folder(arguments.state_dir)) as sidecar:
            answer = sidecar.request("state/doctor", params, patience=None)
    except RequestFailed as failure:
        if failure.method != "initialize":
            raise
        finding = Finding("error", failure.message, failure.hint or "Check the folder and its disk.")
        answer = _without_state(state_folder(arguments.state_dir), project, finding)
    except CommandFailed as failure:
        if arguments.state_dir is not None:
            raise
        answer = _without_state(user_state_folder(), project, Finding("warning", failure.message, failure.hint))
    answer = _with_agents_settings(answer, Path(project))
    lines = list(report(answer, dry_run=arguments.dry_run))
    return CommandAnswer(answer, lines, 0 if answer["healthy"] else UNHEALTHY)


def _with_agents_settings(answer: Mapping[str, Any], project: Path) -> Mapping[str, Any]:
    """Return the answer with a finding for each agent's settings file that the hooks' commands cannot read."""
    broken = {}
    for agent, folder in product(get_args(Provider), (None, project)):
        try:
            connected_events(agent, folder)
        except CommandFailed as failure:
            broken[settings_path(agent, folder)] = str(failure)
    findings = [
        DoctorFinding(
            check="settings",
            level="warning",
            message=f"{path}: {message}",
            remedy="Fix the file: the agent may not read it either, and `hook install` does not change it.",
            fixable=False,
            fixed=False,
        ).model_dump(by_alias=True)
        for path, message in broken.items()
    ]
    if not findings:
        return answer
    checks = [
        {**check, "level": "warning"} if check["name"] == "settings" and check["level"] != "error" else check
        for check in answer["checks"]
    ]
    return {**answer, "healthy": False, "checks": checks, "findings": [*answer["findings"], *findings]}


def _without_state(folder: Path, project: str, finding: Finding) -> Any:
    """Run the checks that need no state on an empty one. The first finding is why the user's is not used."""
    with (
        tempfile.TemporaryDirectory(prefix="onecode-doctor-", ignore_cleanup_errors=True) as empty,
        in_process(Path(empty), SystemClock(), {}) as sidecar,
    ):
        beside = StateDoctorResult.model_validate(sidecar.request("state/doctor", {"projectPath": project}))
    return without_state(beside, folder, finding).model_dump(mode="json", by_alias=True)
