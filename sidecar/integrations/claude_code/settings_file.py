"""Claude Code's settings with our hooks in them, and without: only what stands under `hooks` is written anew. Pure."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidecar.core.lazy_regex import regex

EVENTS: dict[str, str | None] = {
    "SessionStart": None,
    "UserPromptSubmit": None,
    "PostToolUse": "Edit|MultiEdit|Write|NotebookEdit",
    "PreCompact": None,
    "Stop": None,
}
"""The hooks that are installed, each with the tools it is for."""

TIMEOUT_SECONDS = 5
"""When Claude Code ends a hook; ours end themselves within one second."""

_OURS = regex(r"(?:onecode-sidecar(?:\.exe)?|sidecar)['\"]? hook (\w+)$")
_MARK, _SPACE = "\ufeff", " \t\r\n"
_INDENT = regex(r"^([ \t]+)\"", re.MULTILINE)


class Unreadable(ValueError):
    """The file is not the JSON that Claude Code's settings are; the message is one sentence."""


class Member(NamedTuple):
    """Where a member of the settings stands in their text."""

    name: str
    begins: int
    value_begins: int
    ends: int


def with_hooks(text: str, program: str) -> str:
    """Gives the settings with each of our hooks once, run by `program`; those that are there already are renewed."""
    settings = _read(text)
    hooks = _hooks_of(_without(settings))
    for event, matcher in EVENTS.items():
        entry: dict[str, Any] = {"matcher": matcher} if matcher else {}
        command = {"type": "command", "command": f"{program} hook {event}", "timeout": TIMEOUT_SECONDS}
        hooks.setdefault(event, []).append({**entry, "hooks": [command]})
    return text if hooks == settings.get("hooks") else _spliced(text, hooks)


def without_hooks(text: str) -> str:
    """Gives the settings without our hooks, and without what is empty only for that."""
    settings = _read(text)
    changed = _without(settings)
    return text if changed == settings else _spliced(text, changed.get("hooks"))


def events_in(text: str) -> list[str]:
    """Names the events that one of our hooks is installed for."""
    hooks = _hooks_of(_read(text))
    return [event for event, groups in hooks.items() if any(_is_ours(one) for group in groups for one in _own(group))]


def is_same(text: str, other: str) -> bool:
    """Says whether two files hold the same settings in the same order, however they are written."""
    return json.dumps(_read(text)) == json.dumps(_read(other))


def _read(text: str) -> dict[str, Any]:
    if not text.strip(_MARK + _SPACE):
        return {}
    try:
        settings = json.loads(text.removeprefix(_MARK))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"The settings are not JSON: {error}.") from error
    if not isinstance(settings, dict):
        raise Unreadable("The settings are no JSON object.")
    _hooks_of(settings)
    return settings


def _hooks_of(settings: dict[str, Any]) -> dict[str, list[Any]]:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise Unreadable("What stands under `hooks` is not what Claude Code reads.")
    return {event: list(groups) for event, groups in hooks.items()}


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    hooks = _hooks_of(settings)
    kept = {event: _others(groups) for event, groups in hooks.items()}
    left = {event: groups for event, groups in kept.items() if groups or not hooks[event]}
    if left == hooks:
        return settings
    return {name: left if name == "hooks" else value for name, value in settings.items() if name != "hooks" or left}


def _others(groups: Sequence[Any]) -> list[Any]:
    """Gives the groups less our commands; one that held nothing else goes."""
    kept = []
    for group in groups:
        own = _own(group)
        others = [one for one in own if not _is_ours(one)]
        if len(others) == len(own):
            kept.append(group)
        elif others:
            kept.append({**group, "hooks": others})
    return kept


def _own(group: Any) -> list[Any]:
    commands = group.get("hooks") if isinstance(group, dict) else None
    return commands if isinstance(commands, list) else []


def _is_ours(command: Any) -> bool:
    text = command.get("command") if isinstance(command, dict) else None
    found = _OURS.search(text) if isinstance(text, str) else None
    return found is not None and found[1] in EVENTS


def _spliced(text: str, hooks: dict[str, Any] | None) -> str:
    """Writes the hooks into the text, or takes them out; every other byte stays."""
    if not text.strip(_MARK + _SPACE):
        return _text({"hooks": hooks}, "  ", "\n") + "\n"
    line_end = "\r\n" if "\r\n" in text else "\n"
    found = _INDENT.search(text)
    indent = found[1] if found else "  "
    members = _members(text)
    at = next((number for number, one in enumerate(members) if one.name == "hooks"), None)
    if hooks is None:
        return text if at is None else _cut(text, members, at)
    value = _text(hooks, indent, line_end).replace(line_end, line_end + indent)
    if at is not None:
        return text[: members[at].value_begins] + value + text[members[at].ends :]
    member = f'{line_end}{indent}"hooks": {value}'
    if members:
        return f"{text[: members[-1].ends]},{member}{text[members[-1].ends :]}"
    opened = text.index("{") + 1
    return f"{text[:opened]}{member}{line_end}{text[opened:].lstrip(_SPACE)}"


def _cut(text: str, members: Sequence[Member], at: int) -> str:
    """Takes a member out, with the comma that parted it from its neighbour."""
    if at > 0:
        return text[: members[at - 1].ends] + text[members[at].ends :]
    if len(members) > 1:
        return text[: members[0].begins] + text[members[1].begins :]
    return text[: text.index("{") + 1] + text[members[0].ends :].lstrip(_SPACE)


def _members(text: str) -> list[Member]:
    """Finds the members of the object that the text is; it was read before, so it is whole."""
    decoder = json.JSONDecoder()
    position = _after_space(text, text.index("{") + 1)
    members = []
    while text[position] != "}":
        name, after = decoder.raw_decode(text, position)
        value_begins = _after_space(text, _after_space(text, after) + 1)
        _, ends = decoder.raw_decode(text, value_begins)
        members.append(Member(name, position, value_begins, ends))
        position = _after_space(text, ends)
        position = _after_space(text, position + 1) if text[position] == "," else position
    return members


def _after_space(text: str, position: int) -> int:
    while text[position] in _SPACE:
        position += 1
    return position


def _text(value: dict[str, Any], indent: str, line_end: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", line_end)
