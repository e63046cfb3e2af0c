"""Base class and shared field types of the wire messages: frozen, strict, camelCase, no unknown fields."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from sidecar.core.errors import MISSING, PARAMS, UNKNOWN, loggable_name, nested_form
from sidecar.core.lazy_regex import lazy_regex

# Pydantic's search for plugins reads the metadata of every installed package at the first validator: 20 ms and 33
# modules at each start, for code that must not run in this process anyway.
_NO_PLUGINS = ModuleType("pydantic.plugin._loader")
_NO_PLUGINS.get_plugins = tuple  # pyrefly: ignore[missing-attribute]
sys.modules.setdefault(_NO_PLUGINS.__name__, _NO_PLUGINS)


class WireModel(BaseModel):
    """A message or part of one; validators are built at first use (`defer_build`)."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,
    )


class Empty(WireModel):
    """A message without members."""


_RFC3339 = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$"


def _rfc3339(value: object) -> object:
    # Not strict, so that text is accepted at all; but that would also accept numbers and bare dates.
    if not isinstance(value, str) or not re.fullmatch(_RFC3339, value, re.ASCII):
        raise ValueError("must be RFC 3339 text with an offset")
    return value


Instant = Annotated[
    AwareDatetime, Field(strict=False, json_schema_extra={"pattern": _RFC3339}), BeforeValidator(_rfc3339)
]
"""A moment as RFC 3339 text with an offset, for example `2026-03-01T09:30:00.000Z`."""

MAX_TOKENS = 2**40
"""More than any run takes; sums still fit a database integer."""

Tokens = Annotated[int, Field(ge=0, le=MAX_TOKENS)]
"""A count of a provider's tokens."""

MAX_COUNT = 2**31 - 1
"""Maximum of what is counted one by one: items, iterations, positions in a list."""

Identifier = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""An id chosen by the host: 1 to 200 characters without control characters; compared, never used as a path."""

FolderPath = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
"""Absolute path of a folder on this machine."""


MAX_FIELD_ERRORS = 20


def param_problems(error: ValidationError, members: Iterable[str]) -> list[tuple[str, str]]:
    """Return the path and the problem of the first invalid members, without their values."""
    errors: Any = error.errors(include_url=False, include_input=False)
    names = list(members)
    return [(_path(item["loc"]), _problem_of(item, names)) for item in errors[:MAX_FIELD_ERRORS]]


def _path(steps: tuple[str | int, ...]) -> str:
    return ".".join(str(step) if isinstance(step, int) else loggable_name(step) for step in steps) or PARAMS


def _problem_of(item: Mapping[str, Any], members: Sequence[str]) -> str:
    """Return what is wrong as words that follow the path, such as "must be a whole number"."""
    kind, context = item["type"], item.get("ctx", {})
    if kind == "extra_forbidden" and "." in str(item["loc"][-1]):
        return UNKNOWN + nested_form(str(item["loc"][-1]))
    if kind == "extra_forbidden" and len(item["loc"]) == 1:
        import difflib  # rarely needed

        similar = difflib.get_close_matches(str(item["loc"][0]), members, 1, 0.75)
        return f"{UNKNOWN}; did you mean `{similar[0]}`" if similar else UNKNOWN
    if kind == "literal_error":
        return f"must be one of {', '.join(_QUOTED.findall(context['expected']))}"
    if kind == "string_pattern_mismatch":
        return next((text for part, text in _PATTERNS.items() if part in context["pattern"]), "has an unknown form")
    if kind in _SHORT and context["min_length"] == 1:
        return "must not be empty"
    if kind in _PROBLEMS:
        return _PROBLEMS[kind].format(
            **{name: value for name, value in context.items() if isinstance(value, int | float)}
        )
    problem: str = item["msg"]
    for prefix in ("Value error, ", "Input ", "String ", "List "):
        problem = problem.removeprefix(prefix)
    return problem.replace("should ", "must ", 1)


_QUOTED = lazy_regex(r"'([^']*)'")
_PATTERNS = {
    "]*[^\\x00-\\x20": "must be one line of text that is not blank, without control characters",
    "\\x1f": "must be one line of text without control characters",
    "\\x20": "must have no spaces, commas or quotes",
    "\\x00": "must not contain the character 0",
    "a-z0-9": "must consist of small letters, digits, dashes and underscores, first a letter or digit",
}
"""Problem of a text, by a part of the pattern that it does not match."""
_SHORT = ("string_too_short", "too_short")
_PROBLEMS = {
    "missing": MISSING,
    "extra_forbidden": UNKNOWN,
    "union_tag_invalid": "has an unknown kind",  # pydantic's own message contains the value
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}
"""Problems by pydantic's type of error."""
