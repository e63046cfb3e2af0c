"""Validation of `initialize` by hand: its params are needed before pydantic is loaded.

A test compares it with `connection_messages.InitializeParams`: both accept and reject the same params.
"""

from typing import Any, NamedTuple

from sidecar.core.errors import UNKNOWN, InvalidParams, loggable_name, sentence_about
from sidecar.settings.table import problems_with

PROTOCOL_VERSION = 1

_MEMBERS = frozenset(("protocolVersion", "clientInfo", "processId", "stateDir", "logDir", "settings", "capabilities"))


class Handshake(NamedTuple):
    """The params of `initialize`."""

    client_name: str
    client_version: str
    process_id: int | None
    state_dir: str
    log_dir: str | None
    settings: dict[str, Any]
    capabilities: dict[str, Any]


def read_initialize(params: object) -> Handshake:
    """Validate the params of `initialize`. Raise InvalidParams naming every invalid field."""
    if not isinstance(params, dict):
        raise InvalidParams("The params of `initialize` must be an object.")
    version = params.get("protocolVersion")
    if _is_int(version) and version != PROTOCOL_VERSION:
        raise InvalidParams(
            f"Protocol version {version} is not supported; this sidecar supports {PROTOCOL_VERSION}.",
            hint="Install matching versions of 1Code and the sidecar.",
            data={"supportedVersions": [PROTOCOL_VERSION]},
        )
    problems = _find_problems(params)
    if problems:
        fields = [{"path": path, "problem": problem} for path, problem in problems]
        raise InvalidParams(
            sentence_about(problems, len(problems)),
            hint="METHODS.md lists the params of initialize.",
            data={"errors": fields},
        )
    return Handshake(
        client_name=params["clientInfo"]["name"],
        client_version=params["clientInfo"]["version"],
        process_id=params.get("processId"),
        state_dir=params["stateDir"],
        log_dir=params.get("logDir"),
        settings=params.get("settings") or {},
        capabilities=params.get("capabilities", {}),
    )


def _find_problems(params: dict[str, Any]) -> list[tuple[str, str]]:
    problems = [(loggable_name(name), UNKNOWN) for name in params if name not in _MEMBERS]
    if not _is_int(params.get("protocolVersion")):
        problems.append(("protocolVersion", "must be a whole number"))
    client = params.get("clientInfo")
    if not isinstance(client, dict) or set(client) != {"name", "version"}:
        problems.append(("clientInfo", "must have a name and a version"))
    elif not all(isinstance(text, str) and 0 < len(text) <= 200 for text in client.values()):
        problems.append(("clientInfo", "must contain texts of 1 to 200 characters"))
    process_id = params.get("processId")
    if process_id is not None and not (_is_int(process_id) and 0 < process_id < 2**32):
        problems.append(("processId", "must be a process id"))
    if not _is_folder(params.get("stateDir")):
        problems.append(("stateDir", "must be the path of a folder"))
    if params.get("logDir") is not None and not _is_folder(params["logDir"]):
        problems.append(("logDir", "must be the path of a folder"))
    settings = params.get("settings")
    if settings is not None and not isinstance(settings, dict):
        problems.append(("settings", "must be an object"))
    elif settings:
        problems.extend(("settings", problem) for problem in problems_with(settings))
    if not isinstance(params.get("capabilities", {}), dict):
        problems.append(("capabilities", "must be an object"))
    return problems


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_folder(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 4096 and "\0" not in value
