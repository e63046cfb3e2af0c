"""Adds our hooks to the settings of Claude Code or Codex CLI and removes them; only `hooks` is rewritten. Pure."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.runs.model import Provider

HOOK_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop")
"""The installed hooks."""

TIMEOUT_SECONDS = 5
"""The agent's timeout; our hooks end themselves within one second."""


class HookSettings(NamedTuple):
    """The file of an agent that our hooks are installed in, and their form. Both agents share its structure."""

    folder: str
    """Below the user's home, and below a project."""
    folder_variable: str
    """The environment variable that names another folder."""
    file: str
    writing_tools: str
    """Matcher of the tools that write files."""
    arguments: str
    """Added to each hook's command line."""


HOOK_SETTINGS: dict[Provider, HookSettings] = {
    "claude": HookSettings(
        ".claude", "CLAUDE_CONFIG_DIR", "settings.json", "Edit|MultiEdit|Write|NotebookEdit", arguments=""
    ),
    "codex": HookSettings(".codex", "CODEX_HOME", "hooks.json", "apply_patch", arguments=" codex"),
}

_OURS = lazy_regex(r"(?:onecode-sidecar(?:\.exe)?|sidecar)['\"]? hook (\w+)(?: codex)?$")
_BOM, _SPACE = "\ufeff", " \t\r\n"
_INDENT = lazy_regex(r"^([ \t]+)\"", re.MULTILINE)


class SettingsUnreadable(ValueError):
    """The file is not JSON in the form of the agent's settings; the message is one sentence."""


class Member(NamedTuple):
    """Position of a member in the settings' text."""

    name: str
    start: int
    value_start: int
    end: int


def with_hooks(text: str, program: str, agent: Provider = "claude") -> str:
    """Return the settings with each of our hooks once, run by `program`; existing ones are replaced."""
    settings, form = _read(text), HOOK_SETTINGS[agent]
    hooks = _hooks_of(_remove_hooks(settings))
    for event in HOOK_EVENTS:
        entry: dict[str, Any] = {"matcher": form.writing_tools} if event == "PostToolUse" else {}
        line = f"{program} hook {event}{form.arguments}"
        command = {"type": "command", "command": line, "timeout": TIMEOUT_SECONDS}
        hooks.setdefault(event, []).append({**entry, "hooks": [command]})
    return text if hooks == settings.get("hooks") else _replace_hooks(text, hooks)


def without_hooks(text: str) -> str:
    """Return the settings without our hooks, and without containers that become empty."""
    settings = _read(text)
    changed = _remove_hooks(settings)
    return text if changed == settings else _replace_hooks(text, changed.get("hooks"))


def installed_events(text: str) -> list[str]:
    """Return the events that have one of our hooks."""
    hooks = _hooks_of(_read(text))
    return [
        event
        for event, groups in hooks.items()
        if any(_is_ours(command) for group in groups for command in _commands(group))
    ]


def same_settings(text: str, other: str) -> bool:
    """Whether two files hold the same settings in the same order, however they are formatted."""
    return json.dumps(_read(text)) == json.dumps(_read(other))


def _read(text: str) -> dict[str, Any]:
    if not text.strip(_BOM + _SPACE):
        return {}
    try:
        settings = json.loads(text.removeprefix(_BOM))
    except (ValueError, RecursionError) as error:
        raise SettingsUnreadable(f"The settings are not JSON: {error}.") from error
    if not isinstance(settings, dict):
        raise SettingsUnreadable("The settings are not a JSON object.")
    _hooks_of(settings)
    return settings


def _hooks_of(settings: dict[str, Any]) -> dict[str, list[Any]]:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        raise SettingsUnreadable("The `hooks` member does not have the form that the agent expects.")
    return {event: list(groups) for event, groups in hooks.items()}


def _remove_hooks(settings: dict[str, Any]) -> dict[str, Any]:
    hooks = _hooks_of(settings)
    remaining = {event: _without_ours(groups) for event, groups in hooks.items()}
    non_empty = {event: groups for event, groups in remaining.items() if groups or not hooks[event]}
    if non_empty == hooks:
        return settings
    return {
        name: non_empty if name == "hooks" else value
        for name, value in settings.items()
        if name != "hooks" or non_empty
    }


def _without_ours(groups: Sequence[Any]) -> list[Any]:
    """Return the groups without our commands; a group with no other command is dropped."""
    remaining = []
    for group in groups:
        commands = _commands(group)
        others = [command for command in commands if not _is_ours(command)]
        if len(others) == len(commands):
            remaining.append(group)
        elif others:
            remaining.append({**group, "hooks": others})
    return remaining


def _commands(group: Any) -> list[Any]:
    commands = group.get("hooks") if isinstance(group, dict) else None
    return commands if isinstance(commands, list) else []


def _is_ours(command: Any) -> bool:
    text = command.get("command") if isinstance(command, dict) else None
    match = _OURS.search(text) if isinstance(text, str) else None
    return match is not None and match[1] in HOOK_EVENTS


def _replace_hooks(text: str, hooks: dict[str, Any] | None) -> str:
    """Write the hooks into the text or remove them; every other byte stays."""
    if not text.strip(_BOM + _SPACE):
        return _json({"hooks": hooks}, "  ", "\n") + "\n"
    line_end = "\r\n" if "\r\n" in text else "\n"
    match = _INDENT.search(text)
    indent = match[1] if match else "  "
    members = _members(text)
    index = next((number for number, member in enumerate(members) if member.name == "hooks"), None)
    if hooks is None:
        return text if index is None else _remove_member(text, members, index)
    value = _json(hooks, indent, line_end).replace(line_end, line_end + indent)
    if index is not None:
        return text[: members[index].value_start] + value + text[members[index].end :]
    member = f'{line_end}{indent}"hooks": {value}'
    if members:
        return f"{text[: members[-1].end]},{member}{text[members[-1].end :]}"
    after_brace = text.index("{") + 1
    return f"{text[:after_brace]}{member}{line_end}{text[after_brace:].lstrip(_SPACE)}"


def _remove_member(text: str, members: Sequence[Member], index: int) -> str:
    """Remove a member with the comma next to it."""
    if index > 0:
        return text[: members[index - 1].end] + text[members[index].end :]
    if len(members) > 1:
        return text[: members[0].start] + text[members[1].start :]
    return text[: text.index("{") + 1] + text[members[0].end :].lstrip(_SPACE)


def _members(text: str) -> list[Member]:
    """Return the members of the object in the text, which is known to be valid JSON."""
    decoder = json.JSONDecoder()
    position = _after_space(text, text.index("{") + 1)
    members = []
    while text[position] != "}":
        name, after = decoder.raw_decode(text, position)
        value_start = _after_space(text, _after_space(text, after) + 1)
        _, end = decoder.raw_decode(text, value_start)
        members.append(Member(name, position, value_start, end))
        position = _after_space(text, end)
        position = _after_space(text, position + 1) if text[position] == "," else position
    return members


def _after_space(text: str, position: int) -> int:
    while text[position] in _SPACE:
        position += 1
    return position


def _json(value: dict[str, Any], indent: str, line_end: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", line_end)
