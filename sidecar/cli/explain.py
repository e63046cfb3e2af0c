"""`onecode-sidecar explain`: the items sent before a run, and why."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidecar.cli.common_arguments import (
    add_path_arguments,
    project_folder,
    project_params,
    require_users_shell,
    state_folder,
)
from sidecar.cli.in_process import InProcess, on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print
from sidecar.core.clock import utc_minute

_DISPOSITIONS = {"sent": "sent", "alreadyDelivered": "present", "trimmed": "trimmed", "muted": "muted"}
_STATUSES = {
    "pending": "the run's end is not recorded yet",
    "committed": "delivered to the agent",
    "dropped": "not delivered to the agent",
}
_REASONS = {
    "deadline": "nothing was ready at the deadline, perhaps because the repository was being indexed",
    "localModel": "the run uses a local model",
    "nothingToSend": "the session has everything",
    "off": "the mode is off",
    "passive": "the mode is passive, which only measures",
    "slashCommand": "the prompt is a slash command",
    "stateUnavailable": "the state could not be read or written",
}
"""Reasons for sending nothing, in words."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Shows what was sent before a run, item by item, and why; or overrides one item."
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "run", nargs="?", metavar="RUN", help="the run's id, as shown by `status`; default: the newest in the project"
    )
    shown.add_argument("--mute", metavar="ITEM", help="never send this item of the project again")
    shown.add_argument("--wrong", metavar="ITEM", help="the same, and retract the item where it was sent")
    shown.add_argument("--pin", metavar="ITEM", help="send this item to every session")
    shown.add_argument("--reset", metavar="ITEM", help="delete this item's override")
    parser.add_argument("--texts", action="store_true", help="also print the texts as sent")
    add_path_arguments(parser, "the project; default: that of the current folder, else any")


def run(arguments: argparse.Namespace) -> int:
    """Print the items and the disposition of each. A failure is one sentence on stderr."""
    return run_and_print("explain", arguments, lambda: _answer(arguments))


def report(answer: Mapping[str, Any], *, with_texts: bool) -> Iterator[str]:
    """Yield the lines about a run. Pure."""
    figures = answer["metadata"]
    yield f"{answer['runId']}, {utc_minute(answer['createdAt'])}, {answer['project']}, {answer['provider']}"
    if figures["rollout"] is not None:
        yield _rollout(figures["rollout"])
    why = _why_nothing(answer)
    if answer["action"] == "passthrough" and not answer["items"]:
        yield f"Nothing was sent: {why}."
        return
    delivery = _STATUSES[answer["status"]] if answer["action"] == "inject" else f"nothing was sent: {why}"
    yield f"{answer['action']}: {delivery}"
    new, whole = figures["wouldInjectBytes"], figures["baselineBytes"]
    yield f"{new} of {whole} bytes were new to the session, {figures['reusedPercent']:.0f} % were already there"
    yield f"freshness proof: {figures['proof'] or 'none'}; took {figures['elapsedMs']:.1f} ms"
    yield from _items(answer["items"])
    for entry in figures["trimmed"]:
        yield f"  omitted    {entry['item']}: {entry['reason']}"
    if answer["overrides"]:
        yield from _override_lines(answer["overrides"])
    if with_texts:
        yield from _texts(answer)


def _why_nothing(answer: Mapping[str, Any]) -> str:
    """Return why nothing was sent, in words."""
    late = [entry["item"] for entry in answer["metadata"]["trimmed"] if entry["reason"] == "deadline"]
    if answer["reason"] == "nothingToSend" and late:
        return f"{', '.join(late)} not ready at the deadline, and the session has the rest"
    return str(_REASONS.get(answer["reason"], answer["reason"]))


def _rollout(rollout: Mapping[str, Any]) -> str:
    """Return why the chat's mode may differ from the setting."""
    name = f" of experiment {rollout['experiment']}" if rollout["experiment"] else ""
    reason = {
        "chat": "the user chose it for this chat",
        "share": f"a {rollout['arm']} chat{name}, drawn at {rollout['share']} %",
        "suspension": "the rollout is suspended",
    }
    return f"mode {rollout['mode']}: {reason[rollout['decidedBy']]}"


def _items(items: list[Mapping[str, Any]]) -> Iterator[str]:
    width = max((len(item["item"]) for item in items), default=0)
    for item in items:
        facts = f"{_DISPOSITIONS[item['disposition']]:<9} {item['bytes']:>6} B  {item['item']:<{min(width, 60)}}"
        yield f"  {facts}  {item['why']}".rstrip()


def _texts(answer: Mapping[str, Any]) -> Iterator[str]:
    system = [answer["system"]] if answer["system"] else []
    for block in (*system, *answer["blocks"]):
        yield f"--- {block.get('kind', 'system')} {block['id']}"
        yield block["text"]


_OVERRIDES: dict[str, tuple[str, dict[str, bool]]] = {
    "mute": ("mute", {}),
    "wrong": ("mute", {"wrong": True}),
    "pin": ("pin", {}),
    "reset": ("mute", {"revoke": True}),
}
"""The method and its params by option."""


def _override(arguments: argparse.Namespace, option: str, item: str) -> CommandAnswer:
    """Change whether an item is sent, and show the project's overrides."""
    require_users_shell("change what is sent")
    method, params = _OVERRIDES[option]
    folder = project_folder(arguments.project)
    project = {"projectPath": str(folder)}
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request(f"continuity/{method}", {**project, "item": _item_name(item, folder), **params})
    return CommandAnswer(answer, list(_override_lines(answer["overrides"])))


def _item_name(name: str, project: Path) -> str:
    """Return an item's name; that of a file may be given as its path in the project."""
    from sidecar.packs.overrides import is_item_name

    file = project / name
    if is_item_name(name) or not file.is_file() or not file.is_relative_to(project):
        return name
    return f"context:{file.relative_to(project).as_posix()}"


def _override_lines(overrides: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "Your overrides:" if overrides else "There are no overrides."
    for entry in overrides:
        yield f"  {entry['override']:<8} {entry['item']}  {entry['why']}".rstrip()


def _newest(sidecar: InProcess) -> Any:
    """Explain the newest run of the current folder's project; without one, of any project."""
    try:
        return sidecar.request("continuity/explain", {"projectPath": str(project_folder(None))})
    except CommandFailed as error:
        if error.kind not in ("notFound", "workspaceUnavailable"):
            raise
    return sidecar.request("continuity/explain", {})


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    overridden = next(((name, item) for name in _OVERRIDES if (item := getattr(arguments, name))), None)
    if overridden is not None:
        return _override(arguments, *overridden)
    params = {"runId": arguments.run} if arguments.run else project_params(arguments.project)
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request("continuity/explain", params) if params else _newest(sidecar)
    return CommandAnswer(answer, list(report(answer, with_texts=arguments.texts)))
