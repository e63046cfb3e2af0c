"""`onecode-sidecar health`: whether the framework's files exist and are complete. Advisory: the exit status is 0."""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sidecar.cli.common_arguments import add_path_arguments, project_folder, state_folder
from sidecar.cli.in_process import InProcess, in_process, on_users_state
from sidecar.cli.output import INTERRUPTED, CommandAnswer, CommandFailed, hint_of_command_line, run_and_print
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import SystemClock

NO_REGISTRY = "This project has no registry yet ({path}), so there is nothing to check."

LINES = (
    ("Entities", "entities", "present"),
    ("Schemas", "schemas", "valid"),
    ("Constitution", "constitution", "articles"),
    ("Agents", "agents", "complete"),
    ("Templates", "templates", "valid"),
    ("Checksums", "checksums", "match"),
)
"""The lines of the summary: label, check, and the noun it counts."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Checks the files that the registry names. Advisory: the exit status is 0 whatever it finds, even if the check"
        " could not run."
    )
    add_path_arguments(parser)
    parser.add_argument("--fix", action="store_true", help="record the current checksums and count")
    parser.add_argument("--dry-run", action="store_true", help="only show what --fix would change")


def run(arguments: argparse.Namespace) -> int:
    """Print the summary and the findings, or why the check could not run. Return 0 unless it was interrupted."""
    status = run_and_print("health", arguments, lambda: _answer(arguments))
    return INTERRUPTED if status == INTERRUPTED else 0


def report(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the summary's lines, then the findings. Pure."""
    checks = {entry["name"]: entry for entry in answer["checks"]}
    problems = [entry for entry in answer["findings"] if entry["severity"] == "problem"]
    listed_notes = len(answer["findings"]) - len(problems)
    # Problems come first: with a note among the listed findings, all that are omitted are notes.
    notes = listed_notes + answer["omitted"] if listed_notes else 0
    at_least = "at least " if answer["omitted"] and not listed_notes else ""
    yield from ("chati.dev Health Check", "======================")
    for label, name, counted in LINES:
        unverified = f" ({notes} unverified)" if name == "checksums" and notes else ""
        yield f"{label + ':':<12} {checks[name]['passed']}/{checks[name]['total']} {counted}{unverified}"
    count = f"{at_least}{count_noun(len(problems), 'problem')}"
    yield f"{'Status:':<12} {'HEALTHY' if answer['healthy'] else f'NEEDS ATTENTION, {count}'}"
    for entry in problems:
        yield from ("", *_finding(entry))
    if at_least:
        yield from ("", f"{count_noun(answer['omitted'], 'more finding')}, not listed")
    if notes:
        yield from ("", f"{notes} without a checksum; --fix records them, --json lists them")
    yield from _fix_lines(answer["fix"])


def _finding(finding: Mapping[str, Any]) -> Iterator[str]:
    named = f" ({finding['id']})" if finding["id"] not in ("", finding["file"]) else ""
    yield f"{finding['file']}{named}: {finding['message']}"
    remedy = hint_of_command_line(finding["remedy"])
    yield from (f"  {remedy}",) if remedy else ()


def _fix_lines(fix: Mapping[str, Any] | None) -> Iterator[str]:
    if fix is None:
        return
    yield ""
    done = "Changed" if fix["written"] else "Would change" if fix["changes"] else "Nothing to change"
    yield done + (f" (backup: {fix['backup']})" if fix["backup"] else "")
    for change in fix["changes"]:
        yield f"  {change['id']} {change['field']}: {change['before'] or '-'} → {change['after'] or '-'}"


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    from sidecar.registry import OWN_REGISTRY

    project = project_folder(arguments.project)
    params = {"cwd": str(project), "fix": arguments.fix or arguments.dry_run, "dryRun": arguments.dry_run}
    with ExitStack() as stack:
        answer = _sidecar(stack, arguments.state_dir).request("registry/health", params)
    if answer["registry"] == OWN_REGISTRY and not (project / OWN_REGISTRY).exists():
        return CommandAnswer(answer, [NO_REGISTRY.format(path=OWN_REGISTRY)])
    return CommandAnswer(answer, list(report(answer)))


def _sidecar(stack: ExitStack, state_dir: Path | None) -> InProcess:
    """Open the user's state, or an empty one: the check concerns the project's files."""
    try:
        return stack.enter_context(on_users_state(state_folder(state_dir)))
    except CommandFailed:
        if state_dir is not None:
            raise
    folder = tempfile.TemporaryDirectory(prefix="onecode-health-", ignore_cleanup_errors=True)
    return stack.enter_context(in_process(Path(stack.enter_context(folder)), SystemClock(), {}))
