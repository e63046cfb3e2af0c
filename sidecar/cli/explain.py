"""`onecode-sidecar explain`: what a run was told, item by item, and why."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.cli.in_process import on_users_state
from sidecar.cli.output import Said, told
from sidecar.cli.paths import add_places, state_folder

_FATES = {"sent": "sent", "alreadyDelivered": "had it", "trimmed": "left out", "muted": "muted"}
_STATUSES = {
    "pending": "its end was not told yet",
    "committed": "it reached the agent",
    "dropped": "it did not reach the agent",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what the command takes."""
    parser.description = "Tells what was sent before a run, item by item, and why; the newest run unless one is named."
    parser.add_argument("run", nargs="?", metavar="RUN", help="the run's id, as `status` names it")
    parser.add_argument("--texts", action="store_true", help="print the texts too, as they were sent")
    add_places(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the items with what became of each; a failure is one sentence on stderr."""
    return told("explain", arguments, lambda: _said(arguments))


def report(answer: Mapping[str, Any], *, with_texts: bool) -> Iterator[str]:
    """Gives the lines about a run. Pure."""
    figures = answer["metadata"]
    yield f"{answer['runId']}, {answer['createdAt'][:16].replace('T', ' ')} UTC"
    if answer["action"] == "passthrough" and not answer["items"]:
        yield f"Nothing was sent: {answer['reason']}."
        return
    done = _STATUSES[answer["status"]] if answer["action"] == "inject" else f"nothing was sent ({answer['reason']})"
    yield f"{answer['action']}: {done}"
    new, whole = figures["wouldInjectBytes"], figures["baselineBytes"]
    yield f"{new} of {whole} bytes were new to the session, {figures['reusedPercent']:.0f} % it had"
    yield f"repository proven by {figures['proof'] or 'nothing'}; took {figures['elapsedMs']:.1f} ms"
    yield from _items(answer["items"])
    for one in figures["trimmed"]:
        yield f"  not taken  {one['item']}: {one['reason']}"
    if answer["wishes"]:
        yield "Your words:"
        yield from (f"  {one['word']:<8} {one['item']}  {one['why']}".rstrip() for one in answer["wishes"])
    if with_texts:
        yield from _texts(answer)


def _items(items: list[Mapping[str, Any]]) -> Iterator[str]:
    width = max((len(one["item"]) for one in items), default=0)
    for one in items:
        yield f"  {_FATES[one['fate']]:<9} {one['bytes']:>6} B  {one['item']:<{min(width, 60)}}  {one['why']}".rstrip()


def _texts(answer: Mapping[str, Any]) -> Iterator[str]:
    system = [answer["system"]] if answer["system"] else []
    for one in (*system, *answer["blocks"]):
        yield f"--- {one.get('kind', 'system')} {one['id']}"
        yield one["text"]


def _said(arguments: argparse.Namespace) -> Said:
    params = {"runId": arguments.run} if arguments.run else {}
    if not params and arguments.project is not None:
        params["projectPath"] = str(arguments.project.absolute())
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request("continuity/explain", params)
    return Said(answer, list(report(answer, with_texts=arguments.texts)))
