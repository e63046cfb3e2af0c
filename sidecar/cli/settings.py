"""`onecode-sidecar settings`: show the settings, and change one for all projects or for one."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from sidecar.cli.common_arguments import ONE_OR_ALL, add_path_arguments, project_params, state_folder
from sidecar.cli.in_process import on_users_state
from sidecar.cli.output import CommandAnswer, CommandFailed, run_and_print
from sidecar.settings.table import list_entries, problem_with


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Shows every setting with its value, or one with its meaning, and changes one."
    parser.add_argument("name", nargs="?", metavar="NAME", help="one setting, such as knowledge.repository")
    parser.add_argument(
        "value",
        nargs="?",
        metavar="VALUE",
        help='its new value; for a list, entries separated by commas, or JSON: ["a", "b"]',
    )
    parser.add_argument(
        "--reset", action="store_true", help="remove the setting's value; the next layer's value applies"
    )
    add_path_arguments(parser, ONE_OR_ALL)


def run(arguments: argparse.Namespace) -> int:
    """Change what is named, and print the settings. A failure is one sentence on stderr."""
    return run_and_print("settings", arguments, lambda: _answer(arguments))


def report(settings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each setting, with its source where that is not the default. Pure."""
    width = max(len(setting["name"]) for setting in settings)
    for setting in settings:
        source = "" if setting["source"] == "default" else f"  ({setting['source']})"
        yield f"{setting['name']:<{width}}  {_shown(setting['value'])}{source}"


def _report_one(setting: Mapping[str, Any]) -> Iterator[str]:
    yield f"{setting['name']}: {_shown(setting['value'])} ({setting['source']})"
    yield f"Default: {_shown(setting['default'])}"
    yield setting["description"]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else orjson.dumps(value).decode()


_LIST_HINT = "`onecode-sidecar settings` lists all settings."


def _answer(arguments: argparse.Namespace) -> CommandAnswer:
    name, params = arguments.name, project_params(arguments.project)
    is_change = arguments.reset or arguments.value is not None
    if arguments.reset and (name is None or arguments.value is not None):
        problem = "needs the name of a setting" if name is None else "takes no value"
        raise CommandFailed(f"--reset {problem}.", kind="invalidParams", hint=_LIST_HINT)
    with on_users_state(state_folder(arguments.state_dir)) as sidecar:
        settings = sidecar.request("settings/get", params)["settings"]
        if name is None and not is_change:
            return CommandAnswer(settings, list(report(settings)))
        known = next((setting for setting in settings if setting["name"] == name), None)
        if known is None:
            raise CommandFailed(
                f"There is no setting `{name}`.",
                kind="invalidParams",
                hint=_LIST_HINT,
            )
        if is_change:
            value = None if arguments.reset else _parse(arguments.value, name)
            changed = sidecar.request("settings/update", {**params, "settings": _nested(name, value)})["settings"]
            known = next(setting for setting in changed if setting["name"] == name)
    return CommandAnswer(known, list(_report_one(known)))


def _parse(text: str, name: str) -> Any:
    """Return a setting's value: what the text means as JSON, else the text, else its entries, if that is accepted."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = text
    return next((form for form in (value, text, list_entries(text)) if not problem_with(name, form)), value)


def _nested(name: str, value: Any) -> dict[str, Any]:
    first, _, rest = name.partition(".")
    return {first: _nested(rest, value) if rest else value}
