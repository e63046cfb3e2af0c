"""`onecode-sidecar session`: activates, shows and exits the session lock of the current project."""

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any, get_args

from sidecar.cli.common_arguments import add_verb, project_folder, project_params, state_folder
from sidecar.cli.in_process import InProcess, in_process, on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print, words_of_command_line
from sidecar.core.clock import SystemClock

AGENTS_HELP = "dev, architect, …; default: the last active one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = "Exit status: 0 success, 1 failure, 2 wrong usage, 3 no state, 4 markers damaged, 5 not allowed."
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    activated = add_verb(verbs, "activate", "activate or resume the session, as a bare /chati does")
    activated.add_argument("--agent", help=AGENTS_HELP)
    activated.add_argument("--ide", choices=_ides(), help="selects the file that gets the block")
    activated.add_argument("--language", choices=("en", "pt", "es", "fr"), help="the language of messages to the user")
    activated.add_argument("--force", action="store_true", help="repair damaged markers")
    add_verb(verbs, "status", "show the session and the files that contain its block")
    left = add_verb(verbs, "exit", "exit the session; it can be resumed")
    left.add_argument("--progress", metavar="TEXT", help="what is done and what comes next")
    left.add_argument("--remove-block", action="store_true", help="remove the block instead of marking it inactive")
    left.add_argument("--force", action="store_true", help="repair damaged markers, and exit even if the state is lost")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb and print its answer. A failure is one sentence on stderr and its own exit status."""
    return run_and_print("session", arguments, lambda: _done(arguments))


def _done(arguments: argparse.Namespace) -> CommandAnswer:
    answer = _answer(arguments)
    return CommandAnswer(answer, _lines(answer))


def _answer(arguments: argparse.Namespace) -> Any:
    project_params(arguments.project)  # refuses a folder that does not exist
    project = project_folder(arguments.project)
    params = {"cwd": str(_worktree(arguments.project)), "projectPath": str(project), **_params(arguments)}
    try:
        with on_users_state(state_folder(arguments.state_dir)) as sidecar:
            return _request(sidecar, arguments.verb, params)
    except CommandFailed as error:
        if arguments.verb == "exit" and arguments.force:
            return _without_state(params, error.message)
        hint = (
            f"{error.hint} `session exit --force` exits without the state." if arguments.verb == "exit" else error.hint
        )
        raise CommandFailed(error.message, kind=error.kind, hint=hint.strip()) from error


def _without_state(params: dict[str, Any], why: str) -> Any:
    """Exit with an empty state: the files are updated, even if the user's own state is lost."""
    with (
        tempfile.TemporaryDirectory(prefix="onecode-session-", ignore_cleanup_errors=True) as folder,
        in_process(Path(folder), SystemClock(), {}) as sidecar,
    ):
        answer = _request(sidecar, "exit", params)
    answer["warnings"].insert(0, f"{why} The files were updated without it.")
    return answer


def _request(sidecar: InProcess, verb: str, params: dict[str, Any]) -> Any:
    return sidecar.request(f"session/{verb}", params)


def _params(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the method's params from the arguments."""
    names = {"agent": "agent", "ide": "ide", "language": "language", "progress": "progress"}
    switches = {"force": "force", "remove_block": "removeBlock"}
    given = {name: getattr(arguments, own, None) for own, name in names.items()}
    return {name: value for name, value in given.items() if value is not None} | {
        name: True for own, name in switches.items() if getattr(arguments, own, False)
    }


def _capture_line(captured: Any) -> list[str]:
    """Return a line on the session's captured memories, if there are any."""
    counts = {"added": len(captured["added"]), "repeated": len(captured["repeated"])}
    counts["suppressed"] = captured["suppressed"]
    summary = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return [f"Memories: {summary}"] if summary else []


def _worktree(given: Path | None) -> Path:
    """Return the folder an IDE would open: the worktree that contains the current folder, or that folder."""
    here = Path(os.path.abspath(given)) if given is not None else Path.cwd()
    above = (folder for folder in (here, *here.parents) if (folder / ".git").exists())
    return here if given is not None else next(above, here)


def _ides() -> tuple[str, ...]:
    from sidecar.core.ide_rules_files import IdeName

    return get_args(IdeName)


def _in_terminal(confirmation: str) -> str:
    """Return a confirmation with commands in the place of messages to the agent, on which no hook acts."""
    command = "`onecode-sidecar session {}`"
    exits = confirmation.replace("/chati exit", command.format("exit"))
    return exits.replace("/chati", command.format("activate"))


def _lines(answer: Any) -> list[str]:
    """Return the answer as lines for people."""
    session = answer["session"]
    lines = [_in_terminal(answer["confirmation"])] if "confirmation" in answer else []
    lines.append(
        f"Session lock: {session['status'].upper()}" + (f", agent {session['agent']}" if session["agent"] else "")
    )
    lines += [f"Progress: {session['progress']}"] if session["progress"] else []
    lines += _capture_line(answer["captured"]) if answer.get("captured") else []
    files = [answer["block"]] if "block" in answer else answer["blocks"]
    lines += [f"  {file['state']:<10}{file['path']}" for file in files]
    return lines + [f"warning: {words_of_command_line(text)}" for text in answer["warnings"]]
