"""`onecode-sidecar status`: processes, connected hosts, mode, each project's figures, the latest runs, the sizes."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.cli.common_arguments import add_state_argument, project_folder, state_folder
from sidecar.cli.hook_install import connected_events
from sidecar.cli.in_process import on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, columns_of, run_and_print
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import utc_minute
from sidecar.operations.number_format import format_bytes
from sidecar.runs.model import APP_NAME, TERMINAL_AGENTS, Provider

APP_CLIENT = "1code"
"""The client name that the app sends."""

_SOURCES = {
    "default": "default; while the app runs, its own setting is shown",
    "initialize": "from the running sidecar's `initialize`",
    "global": "set for all projects",
    "project": "set for the project",
    "environment": "from the environment",
}
"""The layers of settings, in words."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Shows the processes that use the sidecar's state, the mode, the latest runs, and sizes."
    add_state_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the status. A failure is one sentence on stderr."""
    return run_and_print("status", arguments, lambda: _answer(arguments))


def report(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about a state folder. Pure."""
    yield f"State:    {answer['stateDir']} (schema {answer['schema']}, sidecar {answer['version']})"
    yield f"Mode:     {answer['mode']}, {_SOURCES[answer['modeSource']]}"
    if answer["rollout"] is not None:
        yield f"Rollout:  {rollout_line(answer['rollout'])}"
    for label, process in zip(("Running:", *[""] * 99), answer["others"], strict=False):
        since = process["startedAt"][:16].replace("T", " ")
        details = (
            f"process {process['pid']}, version {process['version']}, started in mode {process['mode']} at {since} UTC"
        )
        yield f"{label:<9} {process['client']}, {details}"
    if not answer["others"]:
        yield "Running:  no sidecar"
    for label, host in zip(("Hosts:", *[""] * 99), answer["hosts"], strict=False):
        yield f"{label:<9} {host['name']:<11} {_connection(host)}"
    sizes = [f"{file['kind']} {format_bytes(file['bytes'])}" for file in answer["files"]]
    yield f"Files:    {', '.join(sizes)}; free disk space {format_bytes(answer['freeBytes'])}"
    caches = [f"{cache['name']} {format_bytes(cache['bytes'])} in {cache['entries']}" for cache in answer["caches"]]
    yield f"Caches:   {', '.join(caches)}"
    yield from _projects(answer["projects"])
    yield from _runs(answer)


def rollout_line(rollout: Mapping[str, Any]) -> str:
    """Return a rollout by share in one line."""
    chats = f"{count_noun(rollout['treated'], 'chat')} with packs, {rollout['control']:,} without"
    left = f", {rollout['left']} chosen by users" if rollout["left"] else ""
    name = f", experiment {rollout['experiment']}" if rollout["experiment"] else ""
    if rollout["suspended"]:
        stopped = f"suspended since {utc_minute(rollout['suspended']['at'])}"
        return f"{stopped}: {rollout['suspended']['reason']} Resume with `onecode-sidecar rollout --resume`."
    problem = f". {rollout['problem']}" if rollout["problem"] else ""
    return f"{rollout['share']} % of new chats{name}: {chats}{left}{problem}"


def _connection(host: Mapping[str, Any]) -> str:
    """Return whether a host is connected, and when its last run was."""
    seen = host["lastSeenAt"]
    last = f"last seen {utc_minute(seen)}" if seen else "never seen"
    if host["connected"]:
        trust = "" if seen or host["name"] != "Codex CLI" else ": trust its hooks with /hooks in `codex`"
        return f"connected, {last}{trust}"
    if host["connected"] is None:
        return f"settings not readable, {last}"
    if host["name"] == APP_NAME:
        return f"not connected, {last}"
    return f"not connected here, {last}" if seen else "not connected (`hook install`)"


def _hosts(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the hosts with whether each is connected: the app while it runs, an agent by its installed hooks.

    Hooks count that are installed for the user, or for the project of the current folder.
    """
    agents = {agent.name: provider for provider, agent in TERMINAL_AGENTS.items()}
    return [{**host, "connected": _is_connected(agents.get(host["name"]), answer)} for host in answer["hosts"]]


def _is_connected(agent: Provider | None, answer: Mapping[str, Any]) -> bool | None:
    if agent is None:
        return any(process["client"] == APP_CLIENT for process in answer["others"])
    try:
        return bool(connected_events(agent) or connected_events(agent, project_folder(None)))
    except CommandFailed:
        return None


def _projects(projects: list[Mapping[str, Any]]) -> Iterator[str]:
    if projects:
        yield ""
        yield f"{'project':<24} {'key':<16} {'mode':<7}  runs  hits  saved drafts memories"
    for project in projects:
        shares = f"{_percent(project['hitRate']):>5} {_percent(project['reduction']):>6}"
        yield (
            f"{(project['name'] or '?')[:24]:<24} {project['project']:<16} {project['mode']:<7} {project['runs']:>5}"
            f" {shares} {project['drafts']:>6} {project['memories']:>8}"
        )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _runs(answer: Mapping[str, Any]) -> Iterator[str]:
    names = {run["project"]: run["name"] or run["project"] for run in answer["projects"]}
    if not answer["lastRuns"]:
        return
    yield ""
    yield "Latest runs (details: `onecode-sidecar explain RUN`):"
    rows = [
        (
            run["at"][:16].replace("T", " "),
            names[run["project"]][:20],
            run["provider"],
            f"{run['newBytes']} B",
            _DELIVERIES[run["status"]] if run["action"] == "inject" else f"not sent ({run['reason']})",
            run["runId"],
        )
        for run in answer["lastRuns"]
    ]
    heads = ("started (UTC)", "project", "agent", "new", "outcome", "run")
    widths = [max(map(columns_of, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        gaps = [" " * (width - columns_of(cell)) for width, cell in zip(widths, row, strict=True)]
        cells = [gap + cell if head == "new" else cell + gap for head, gap, cell in zip(heads, gaps, row, strict=True)]
        yield f"  {'  '.join(cells)}".rstrip()


_DELIVERIES = {"pending": "end not recorded yet", "committed": "delivered", "dropped": "not delivered"}
"""Words for the status of a delivery."""


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        answer = sidecar.request("state/status", {})
    answer = {**answer, "hosts": _hosts(answer)}
    return CommandAnswer(answer, list(report(answer)))
