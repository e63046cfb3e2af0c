"""`onecode-sidecar rollout`: change, show and resume the rollout by share, with what its experiment shows."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.cli.common_arguments import ONE_OR_ALL, add_path_arguments, project_params, state_folder
from sidecar.cli.in_process import InProcess, RequestFailed, on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print
from sidecar.cli.status import rollout_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Shows which share of new chats receives packs while the mode is active, and changes it."
    parser.add_argument("--share", type=int, metavar="PERCENT", help="share of new chats that receive packs, 0 to 100")
    names = parser.add_mutually_exclusive_group()
    names.add_argument("--experiment", metavar="NAME", help="compare these chats with the others, under this name")
    names.add_argument("--end", action="store_true", help="end the experiment; arms and outcomes stay stored")
    parser.add_argument("--resume", action="store_true", help="end a suspension by the guard")
    add_path_arguments(parser, ONE_OR_ALL)


def run(arguments: argparse.Namespace) -> int:
    """Change what is named, and print the rollout. A failure is one sentence on stderr."""
    return run_and_print("rollout", arguments, lambda: _answer(arguments))


def report(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about a rollout. Pure."""
    rollout = answer["rollout"]
    yield "Every chat follows the mode." if rollout is None else rollout_line(rollout)
    experiment = answer["experiment"]
    if experiment is not None:
        yield experiment["advice"]["sentence"]
        yield from (f"  {outcome['sentence']}" for outcome in experiment["outcomes"] if outcome["chats"])
        leakage = experiment["leakage"]
        if leakage["storedMemories"] or leakage["storedArtifacts"] or leakage["controlChats"]:
            yield leakage["sentence"]


def _change(sidecar: InProcess, arguments: argparse.Namespace, params: dict[str, Any]) -> None:
    try:
        sidecar.request("settings/update", params)
    except RequestFailed as error:
        if arguments.share not in {0, 100} or arguments.end:
            raise
        raise CommandFailed(
            f"A share of {arguments.share} % leaves the running experiment no chats to compare.",
            kind=error.kind,
            hint=f"`onecode-sidecar rollout --end --share {arguments.share}` ends the experiment.",
        ) from error


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    project = project_params(arguments.project)
    changes: dict[str, Any] = {} if arguments.share is None else {"share": arguments.share}
    if arguments.experiment is not None or arguments.end:
        changes["experiment"] = arguments.experiment
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        if changes:
            _change(sidecar, arguments, {**project, "settings": {"rollout": changes}})
        if arguments.resume:
            sidecar.request("rollout/resume", project)
        answer = sidecar.request("rollout/status", project)
    return CommandAnswer(answer, list(report(answer)))
