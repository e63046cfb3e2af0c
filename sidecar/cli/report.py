"""`onecode-sidecar report`: writes the report, and prints its summary and its path."""

import argparse
import webbrowser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sidecar.cli.common_arguments import ONE_OR_ALL, add_path_arguments, project_params, state_folder
from sidecar.cli.in_process import on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print

_VERDICTS = {"go": "targets met", "wait": "target missed", "moreData": "too little data"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Writes the measurements to one HTML file that needs no network, with the rollout's next step."
    parser.add_argument(
        "--days", type=int, default=30, metavar="N", help="number of days, including today; default: 30"
    )
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    add_path_arguments(parser, ONE_OR_ALL)


def run(arguments: argparse.Namespace) -> int:
    """Print the next step, a sentence per stage, and the file's path. A failure is one sentence on stderr."""
    return run_and_print("report", arguments, lambda: _answer(arguments))


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    params = {"days": arguments.days, **project_params(arguments.project)}
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request("state/report", params)
    if arguments.open and not webbrowser.open(Path(answer["path"]).as_uri()):
        raise CommandFailed("No browser was found.", hint=f"The report is {answer['path']}.")
    return CommandAnswer(answer, list(lines(answer)))


def lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the report's summary, the next step first. Pure."""
    yield answer["nextStep"]["sentence"]
    yield ""
    for stage in answer["stages"]:
        state = "on" if stage["enabled"] else "off"
        verdict = _VERDICTS[stage["verdict"]]
        reason = stage["sentence"].removeprefix(f"{verdict.capitalize()}: ")
        yield f"{stage['name']:<10} {state:<3}  {verdict:<15}  {reason}"
    yield ""
    yield f"Report: {answer['path']}"
