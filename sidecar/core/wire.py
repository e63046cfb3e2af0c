"""The base of every message model: frozen, strict, camelCase on the wire, no unknown fields."""

from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class WireModel(BaseModel):
    """A message or a part of one; validators are built when first needed (`defer_build`)."""

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
    """No members."""


Instant = Annotated[AwareDatetime, Field(strict=False)]
"""A moment as RFC 3339 text with an offset, for example `2026-03-01T09:30:00.000Z`."""

Identifier = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""An id the host made up: 1 to 200 characters without control characters; compared, never used as a path."""

FolderPath = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
"""An absolute path of a folder on this machine."""
