"""`onecode-sidecar knowledge`: plans and runs syncs of the knowledge repository, and shows their status."""

import argparse
from pathlib import Path
from typing import Any

from sidecar.cli.common_arguments import add_verb, project_folder, state_folder
from sidecar.cli.in_process import RequestFailed, on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print, words_of_command_line
from sidecar.core.clean_text import count_noun
from sidecar.core.errors import SidecarError
from sidecar.knowledge.sync_doctor import lint_repository

UNHEALTHY = 1
"""Exit status of `doctor` when a check found an error, and of a sync when an item failed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = (
        "Exit status: 0 success, 1 failure, or errors found by `doctor` or `lint`, 2 wrong usage, 3 not found."
        " `onecode-sidecar settings knowledge.repository ADDRESS` names the repository."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, text in (("plan", "show what a sync would do"), ("sync", "bring memory to the repository's head")):
        verb = add_verb(verbs, name, text)
        what = verb.add_mutually_exclusive_group()
        what.add_argument("--full", action="store_true", help="compare everything, not only what commits changed")
        what.add_argument("--item", metavar="ID", help="one item, such as company:adr-001 or adr-001")
        verb.add_argument(
            "--max-items", type=int, metavar="N", help="maximum number of items; the rest remains pending"
        )
        if name == "sync":
            verb.add_argument("--dry-run", action="store_true", help="plan only; write nothing")
            verb.add_argument(
                "--force", action="store_true", help="also delete more than half of at least twenty pointers"
            )
    add_verb(verbs, "status", "show the sync status and the checkpoints")
    add_verb(verbs, "conflicts", "list conflicts between memory and repository")
    resolved = add_verb(verbs, "resolve", "resolve conflicts, as suggested or as given")
    resolved.add_argument("--type", help="hash_mismatch, orphaned_pointer, …; default: all")
    resolved.add_argument("--item", metavar="ID", help="of one item; default: all")
    resolved.add_argument(
        "--resolution", help="update_memory, delete_memory, keep_memory, manual, for this run; needs --type"
    )
    resolved.add_argument("--force", action="store_true", help="also delete more than half of at least twenty pointers")
    add_verb(verbs, "lint", "check the knowledge repository at --project, as in its own CI: types, layers, ids")
    add_verb(verbs, "doctor", "check the sync, and show remedies for problems")
    add_verb(verbs, "explain", "show everything known about an item").add_argument("item", metavar="ID")
    rolled = add_verb(verbs, "rollback", "restore memory to its state before a sync")
    rolled.add_argument("checkpoint_id", metavar="CHECKPOINT", help="as listed by `status`")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb and print its answer. A failure is one sentence on stderr and its own exit status."""
    return run_and_print("knowledge", arguments, lambda: _run_verb(arguments))


def _run_verb(arguments: argparse.Namespace) -> CommandAnswer:
    if arguments.verb == "lint":
        return _lint(project_folder(arguments.project))
    params = {"cwd": str(project_folder(arguments.project)), **_params(arguments)}
    try:
        with on_users_state(state_folder(arguments.state_dir)) as sidecar:
            answer = sidecar.request(f"knowledge/{arguments.verb}", params)
    except RequestFailed as error:
        if "failedItems" in error.data:
            return _partial_failure(error)
        raise
    lines = _LINES[arguments.verb](answer)
    if arguments.verb == "resolve" and arguments.resolution in ("keep_memory", "manual"):
        lines += _unresolved_lines(answer, arguments.type, arguments.resolution)
    return CommandAnswer(answer, lines, 0 if answer.get("healthy", True) else UNHEALTHY)


_WHERE_ITEMS_ARE = (
    "Items are Markdown files in adrs/, policies/, patterns/ and specs/ below company/, orgs/<id>/, teams/<id>/ and"
    " projects/<id>/."
)


def _lint(folder: Path) -> CommandAnswer:
    """Check the items at the head commit of a knowledge repository; no state and no settings are read."""
    try:
        commit, count, problems = lint_repository(str(folder))
    except SidecarError as error:
        raise CommandFailed(error.message, hint="--project names the repository; its HEAD is checked.") from error
    if not count and not problems:
        raise CommandFailed("The repository has no knowledge item at its HEAD.", hint=_WHERE_ITEMS_ARE)
    answer = {"commit": commit, "items": count, "problems": [problem._asdict() for problem in problems]}
    lines = [f"{problem.path}: {problem.problem}" for problem in problems]
    summary = f"{count_noun(count, 'item')}, {count_noun(len(problems), 'problem')}."
    return CommandAnswer(answer, [*lines, summary], UNHEALTHY if problems else 0)


def _partial_failure(error: RequestFailed) -> CommandAnswer:
    """Return the answer of a sync with failed items, one line each."""
    lines = [f"failed: {item['item']}: {item['problem']}" for item in error.data["failedItems"]]
    answer = {"error": {"message": error.message, "data": dict(error.data)}}
    return CommandAnswer(answer, [*lines, error.message, *filter(None, [error.hint])], UNHEALTHY)


def _params(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the method's params from the arguments."""
    names = {"item": "item", "max_items": "maxItems", "type": "type", "resolution": "resolution",
             "checkpoint_id": "checkpointId", "dry_run": "dryRun", "force": "force"}  # fmt: skip
    given = {name: getattr(arguments, attribute, None) for attribute, name in names.items()}
    params = {name: value for name, value in given.items() if value is not None and value is not False}
    if arguments.verb in ("plan", "sync"):
        params["mode"] = "single" if arguments.item else "full" if arguments.full else "incremental"
    return params


def _plan_lines(answer: Any) -> list[str]:
    lines = [
        f"{operation['kind']:<14}{operation['item']:<40} {operation['reason']}" for operation in answer["operations"]
    ]
    lines += [f"pending       {ref}" for ref in answer["pending"]]
    lines += [f"quarantined   {ref}" for ref in answer["quarantined"]]
    if answer["needsForce"]:
        lines.append(
            "A sync would stop, as it deletes more than half of the pointers. `knowledge sync --force` deletes them."
        )
    return [*(lines or ["Nothing to do."]), *(f"warning: {text}" for text in answer["warnings"])]


def _sync_lines(answer: Any) -> list[str]:
    if answer["checkpointId"] is None:
        return [*_plan_lines(answer), f"{answer['mode']} at {answer['commit'][:12]}: nothing was written"]
    counts = ", ".join(f"{number} {name}" for name, number in answer["counts"].items())
    summary = f"{answer['mode']} at {answer['commit'][:12]}: {counts}; checkpoint {answer['checkpointId']}"
    return [*_plan_lines(answer), summary]


def _unresolved_lines(answer: Any, kind: str, resolution: str) -> list[str]:
    """Return a line for each conflict that was left as it is: a resolution holds for one run."""
    return [
        f"left as it is {conflict['item']:<40} The next sync applies {conflict['suggestedResolution']}, unless"
        f" `knowledge.resolutions` contains `{kind}={resolution}`."
        for conflict in answer["conflicts"]
        if (conflict["type"], conflict["resolution"]) == (kind, resolution)
    ]


def _status_lines(answer: Any) -> list[str]:
    state = "in sync" if answer["inSync"] else "not in sync"
    counts = f"{count_noun(answer['items'], 'item')}, {count_noun(answer['pointers'], 'pointer')}"
    lines = [
        f"{answer['repository']} at {answer['commit'][:12]}: {state}",
        f"{counts}; last complete sync: {answer['lastSyncAt'] or 'never'}",
    ]
    if answer["rollbackCommit"]:
        lines.append("It was rolled back: no automatic sync runs until the head moves or you run a sync.")
    lines += [f"conflicts: {name} {number}" for name, number in answer["conflicts"].items()]
    lines += [
        f"failed: {entry['item']} ({count_noun(entry['attempts'], 'time')}): {entry['problem']}"
        for entry in answer["failed"]
    ]
    lines += [f"not in use: {scope}" for scope in answer["otherScopes"]]
    return lines + [
        f"checkpoint {entry['id']} {entry['at']} {entry['mode']} {entry['status']}" for entry in answer["checkpoints"]
    ]


def _conflict_lines(answer: Any) -> list[str]:
    lines = [f"{conflict['type']:<18}{conflict['item']:<40} {conflict['reason']}" for conflict in answer["conflicts"]]
    return lines or ["No conflicts."]


def _explain_lines(answer: Any) -> list[str]:
    lines = [f"{answer['item']}: {answer['file'] or 'not in the repository'}, {answer['status'] or 'gone'}"]
    lines += [f"pointer {entry['path']} of {entry['updatedAt']}" for entry in answer["pointers"]]
    lines += _conflict_lines(answer)
    return lines + [f"a full sync: {entry['kind']}. {entry['reason']}" for entry in answer["operations"]]


def _doctor_lines(answer: Any) -> list[str]:
    return [
        f"{check['level']:<8}{check['name']:<12} {check['message']} {words_of_command_line(check['hint'])}".rstrip()
        for check in answer["checks"]
    ]


def _rollback_lines(answer: Any) -> list[str]:
    return [
        f"{count_noun(answer['restored'], 'file')} restored.",
        *(f"Not restored, because it was changed after the sync: {path}" for path in answer["skipped"]),
    ]


_LINES = {
    "plan": _plan_lines,
    "sync": _sync_lines,
    "status": _status_lines,
    "conflicts": _conflict_lines,
    "resolve": _sync_lines,
    "doctor": _doctor_lines,
    "explain": _explain_lines,
    "rollback": _rollback_lines,
}
"""Printer of each verb's answer."""
