"""Base class and shared field types of the wire messages: frozen, strict, camelCase, no unknown fields."""

import re
import sys
from types import ModuleType
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

# Pydantic's search for plugins reads the metadata of every installed package at the first validator: 20 ms and 33
# modules at each start, for code that must not run in this process anyway.
_NO_PLUGINS = ModuleType("pydantic.plugin._loader")
_NO_PLUGINS.get_plugins = tuple  # type: ignore[attr-defined]
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
