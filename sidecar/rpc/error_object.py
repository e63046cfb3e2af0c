"""The one place where an exception becomes a JSON-RPC error object."""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from sidecar.core.errors import InternalError, InvalidParams, SidecarError, loggable_name

MAX_FIELD_ERRORS = 20


def error_object(error: SidecarError) -> dict[str, Any]:
    """Return `{code, message, data: {kind, hint?, …}}`."""
    data: dict[str, object] = {"kind": error.kind, **error.data}
    if error.hint:
        data["hint"] = error.hint
    return {"code": error.code, "message": error.message, "data": data}


def as_sidecar_error(error: BaseException, new_incident_id: Callable[[], str]) -> SidecarError:
    """Return the exception as one of ours; an unexpected one becomes an `InternalError` with an incident id."""
    if isinstance(error, SidecarError):
        return error
    incident_id = new_incident_id()
    return InternalError(
        f"Unexpected error (incident {incident_id}).",
        hint="The log contains the details under this incident id.",
        data={"incidentId": incident_id},
    )


def invalid_params(error: Any) -> InvalidParams:
    """Turn a pydantic ValidationError into one sentence and a list of `{path, problem}`, without the values."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    fields = [
        {"path": _path(item["loc"]), "problem": _PROBLEMS.get(item["type"]) or _after_its_path(item["msg"])}
        for item in errors[:MAX_FIELD_ERRORS]
    ]
    first = fields[0]
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidParams(f"`{first['path']}`: {first['problem']}{more}.", data={"errors": fields})


def _path(steps: tuple[str | int, ...]) -> str:
    return ".".join(str(step) if isinstance(step, int) else loggable_name(step) for step in steps) or "params"


def _after_its_path(problem: str) -> str:
    """Return pydantic's message as the words that follow the path: "should be a valid integer"."""
    for prefix in ("Value error, ", "Input ", "String ", "List "):
        problem = problem.removeprefix(prefix)
    return problem


_PROBLEMS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown",
    "union_tag_invalid": "has an unknown kind",  # pydantic's own message contains the value
}


def frames_of(error: BaseException) -> list[str]:
    """Return a traceback as `file:line function`, without messages and values, which may contain user text."""
    import traceback  # rarely needed and slow to import

    return [
        f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
