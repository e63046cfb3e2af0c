"""`onecode-sidecar knowledge`: plan and run syncs of the knowledge repository, and see where memory stands to it."""

import argparse
from typing import Any

from sidecar.cli.in_process import RequestFailed, on_users_state
from sidecar.cli.output import Said, told
from sidecar.cli.paths import add_verb, project_folder, state_folder

NOT_WELL = 1
"""The exit status of `doctor` where a check found an error, and of a sync where an item failed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.epilog = (
        "Exit status: 0 done, 1 failed or not well, 2 wrong usage, 3 no such thing. Setting: `knowledge.repository`"
        " (ONECODE_KNOWLEDGE_REPOSITORY)."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, text in (("plan", "show what a sync would do"), ("sync", "bring memory to the repository's head")):
        verb = add_verb(verbs, name, text)
        what = verb.add_mutually_exclusive_group()
        what.add_argument("--full", action="store_true", help="compare everything, not only what commits changed")
        what.add_argument("--item", metavar="ID", help="one item alone, as in company:adr-001 or adr-001")
        verb.add_argument("--max-items", type=int, metavar="N", help="at most so many items; the rest is pending")
        if name == "sync":
            verb.add_argument("--dry-run", action="store_true", help="plan only; nothing is written")
            verb.add_argument("--force", action="store_true", help="also delete more than half of twenty pointers")
    add_verb(verbs, "status", "show where memory stands to the repository, and the checkpoints")
    add_verb(verbs, "conflicts", "list where memory and repository disagree")
    resolved = add_verb(verbs, "resolve", "resolve conflicts as suggested, or otherwise")
    resolved.add_argument("--type", help="hash_mismatch, orphaned_pointer, …; unless given, all")
    resolved.add_argument("--item", metavar="ID", help="of one item; unless given, of all")
    resolved.add_argument("--resolution", help="update_memory, delete_memory, keep_memory, manual; needs --type")
    resolved.add_argument("--force", action="store_true", help="also delete more than half of twenty pointers")
    add_verb(verbs, "doctor", "look the sync over, and say what to do where something is not well")
    add_verb(verbs, "explain", "tell all that is known of an item").add_argument("item", metavar="ID")
    rolled = add_verb(verbs, "rollback", "put memory back to how it was before a sync")
    rolled.add_argument("checkpoint_id", metavar="CHECKPOINT", help="as `status` lists them")


def run(arguments: argparse.Namespace) -> int:
    """Does what was asked; a failure is one sentence on stderr and a status of its own."""
    return told("knowledge", arguments, lambda: _done(arguments))


def _done(arguments: argparse.Namespace) -> Said:
    params = {"cwd": str(project_folder(arguments.project)), **_said(arguments)}
    try:
        with on_users_state(state_folder(arguments.state_dir)) as sidecar:
            answer = sidecar.request(f"knowledge/{arguments.verb}", params)
    except RequestFailed as error:
        if "failedItems" in error.data:
            return _partly_done(error)
        raise
    return Said(answer, _LINES[arguments.verb](answer), 0 if answer.get("healthy", True) else NOT_WELL)


def _partly_done(error: RequestFailed) -> Said:
    """Tells of a sync that did what it could, and of each item that failed."""
    lines = [f"failed: {one['item']}: {one['problem']}" for one in error.data["failedItems"]]
    told = {"error": {"message": error.message, "data": dict(error.data)}}
    return Said(told, [*lines, error.message, *filter(None, [error.hint])], NOT_WELL)


def _said(arguments: argparse.Namespace) -> dict[str, Any]:
    """Gives what the arguments say to the method, each under its name there."""
    names = {"item": "item", "max_items": "maxItems", "type": "type", "resolution": "resolution",
             "checkpoint_id": "checkpointId", "dry_run": "dryRun", "force": "force"}  # fmt: skip
    given = {name: getattr(arguments, own, None) for own, name in names.items()}
    said = {name: value for name, value in given.items() if value is not None and value is not False}
    if arguments.verb in ("plan", "sync"):
        said["mode"] = "single" if arguments.item else "full" if arguments.full else "incremental"
    return said


def _planned(answer: Any) -> list[str]:
    lines = [f"{one['kind']:<14}{one['item']:<40} {one['reason']}" for one in answer["operations"]]
    lines += [f"pending       {ref}" for ref in answer["pending"]]
    lines += [f"parked        {ref}" for ref in answer["parked"]]
    if answer["stops"]:
        lines.append("A sync would stop: it deletes more than half of the pointers, which `sync --force` does.")
    return [*(lines or ["Nothing to do."]), *(f"warning: {text}" for text in answer["warnings"])]


def _synced(answer: Any) -> list[str]:
    if answer["checkpointId"] is None:
        return [*_planned(answer), f"{answer['mode']} at {answer['commit'][:12]}: nothing was written"]
    counts = ", ".join(f"{number} {name}" for name, number in answer["counts"].items())
    told = f"{answer['mode']} at {answer['commit'][:12]}: {counts}; checkpoint {answer['checkpointId']}"
    return [*_planned(answer), told]


def _status(answer: Any) -> list[str]:
    state = "in sync" if answer["inSync"] else "not in sync"
    lines = [
        f"{answer['repository']} at {answer['commit'][:12]}: {state}",
        f"{answer['items']} items, {answer['pointers']} pointers; last synced {answer['lastSyncAt'] or 'never'}",
    ]
    if answer["rollbackHoldsAt"]:
        lines.append("A rollback holds: no sync runs by itself until the head moves on or somebody syncs.")
    lines += [f"conflicts: {name} {number}" for name, number in answer["conflicts"].items()]
    lines += [f"failed: {one['item']} ({one['times']} times): {one['problem']}" for one in answer["failed"]]
    lines += [f"does not count: {scope}" for scope in answer["otherScopes"]]
    return lines + [
        f"checkpoint {one['id']} {one['at']} {one['mode']} {one['status']}" for one in answer["checkpoints"]
    ]


def _conflicts(answer: Any) -> list[str]:
    lines = [f"{one['type']:<18}{one['item']:<40} {one['reason']}" for one in answer["conflicts"]]
    return lines or ["No conflicts."]


def _explained(answer: Any) -> list[str]:
    lines = [f"{answer['item']}: {answer['file'] or 'not in the repository'}, {answer['status'] or 'gone'}"]
    lines += [f"pointer {one['path']} of {one['updatedAt']}" for one in answer["pointers"]]
    lines += _conflicts(answer)
    return lines + [f"a full sync: {one['kind']}. {one['reason']}" for one in answer["operations"]]


def _doctor(answer: Any) -> list[str]:
    checks = answer["checks"]
    return [
        f"{one['level']:<8}{one['name']:<12} {' '.join(filter(None, (one['told'], one['hint'])))}" for one in checks
    ]


def _rolled_back(answer: Any) -> list[str]:
    return [
        f"{answer['restored']} files are as they were.",
        *(f"changed since, left: {path}" for path in answer["left"]),
    ]


_LINES = {"plan": _planned, "sync": _synced, "status": _status, "conflicts": _conflicts, "resolve": _synced,
          "doctor": _doctor, "explain": _explained, "rollback": _rolled_back}  # fmt: skip
