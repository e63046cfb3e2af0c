"""The messages of the settings. The patch's model is built from the table, so nothing is declared twice."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field, create_model

from sidecar.core.protected_branches import is_memory_branch
from sidecar.core.redact import redact
from sidecar.core.secret_formats import MAX_PATTERN_CHARACTERS, pattern_problem
from sidecar.core.wire_types import FolderPath, WireModel
from sidecar.settings.resolve import Layer
from sidecar.settings.table import (
    GROUPS,
    MAX_FOLDER_CHARACTERS,
    MAX_GLOB_CHARACTERS,
    MAX_GLOBS,
    MAX_PATTERNS,
    MAX_RESOLUTIONS,
    SETTINGS,
    Setting,
    is_duration,
    is_glob,
    is_name,
    is_ref,
    is_repository,
    is_resolution,
)


def _validate_branch(name: str) -> str:
    if not is_memory_branch(name):
        raise ValueError("must be the name of a branch that nobody works on")
    if redact(name) != name:
        raise ValueError("must not contain a secret")
    return name


def _validate_glob(value: str) -> str:
    if not is_glob(value):
        raise ValueError(f"must be a relative glob with forward slashes and at most {MAX_GLOB_CHARACTERS} characters")
    return value


def _validate_repository(value: str) -> str:
    if not is_repository(value):
        raise ValueError("must be an absolute folder, or an address such as https://host/path, without a password")
    return value


def _validate_ref(value: str) -> str:
    if not is_ref(value):
        raise ValueError("must be a branch, a tag or a commit")
    return value


def _validate_resolution(value: str) -> str:
    if not is_resolution(value):
        raise ValueError("must look like hash_mismatch=keep_memory or hash_mismatch@company:adr-1=manual")
    return value


def _validate_pattern(value: str) -> str:
    problem = pattern_problem(value)
    if problem:
        raise ValueError(f"is not accepted: the pattern {problem}")
    return value


def _validate_duration(value: str) -> str:
    if not is_duration(value):
        raise ValueError("must be a duration such as 6h, 90m, 1h30m or 1d")
    return value


def _validate_name(value: str) -> str:
    if not is_name(value):
        raise ValueError("must be letters, digits, dots, dashes and underscores, first a letter or digit")
    return value


def _type_of(row: Setting) -> Any:
    match row.kind:
        case "bool":
            return bool
        case "int":
            return Annotated[int, Field(ge=row.minimum, le=row.maximum)]
        case "choice":
            return Literal[row.choices]  # pyrefly: ignore[invalid-literal]  # the choices of a row
        case "globs":
            return Annotated[list[Annotated[str, AfterValidator(_validate_glob)]], Field(max_length=MAX_GLOBS)]
        case "resolutions":
            return Annotated[
                list[Annotated[str, AfterValidator(_validate_resolution)]], Field(max_length=MAX_RESOLUTIONS)
            ]
        case "patterns":
            pattern = Annotated[
                str, Field(min_length=1, max_length=MAX_PATTERN_CHARACTERS), AfterValidator(_validate_pattern)
            ]
            return Annotated[list[pattern], Field(max_length=MAX_PATTERNS)]
        case _:
            max_characters, validator = _TEXTS[row.kind]
            return Annotated[str, Field(min_length=1, max_length=max_characters), AfterValidator(validator)]


_TEXTS: dict[str, tuple[int, Callable[[str], str]]] = {
    "branch": (200, _validate_branch),
    "duration": (40, _validate_duration),
    "name": (40, _validate_name),
    "ref": (200, _validate_ref),
    "repository": (MAX_FOLDER_CHARACTERS, _validate_repository),
}
"""Kinds that are text: the maximum length and the validator."""


def _description(row: Setting) -> str:
    default = str(row.default).lower() if row.kind == "bool" else row.default
    default = "null" if default is None else "none" if default == () else default
    override = f" Environment: {row.env}." if row.env else ""
    return f"{row.doc} Default: {default}.{override}"


def _patch_model(title: str, rows: list[Setting]) -> Any:
    fields = {
        row.name.rsplit(".", 1)[-1]: (
            _type_of(row) | None,
            Field(default=None, description=_description(row), alias=row.name.rsplit(".", 1)[-1]),
        )
        for row in rows
    }
    return cast("Any", create_model)(title, __base__=WireModel, __module__=__name__, **fields)


def _groups() -> dict[str, Any]:
    return {
        group: (
            _patch_model(f"{group.capitalize()}Settings", [row for row in SETTINGS if row.name.startswith(group + ".")])
            | None,
            Field(default=None, description=f"The settings named {group}.*."),
        )
        for group in sorted(GROUPS)
    }


_Plain: Any = _patch_model("PlainSettings", [row for row in SETTINGS if "." not in row.name])
SettingsPatch: Any = cast("Any", create_model)(
    "SettingsPatch",
    __base__=_Plain,
    __module__=__name__,
    __doc__="A partial set of settings; null sets nothing.",
    **_groups(),
)


class SettingsGetParams(WireModel):
    """The settings to read."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, global.")


class SettingValue(WireModel):
    """One effective setting."""

    name: str = Field(description="Dotted name, such as `budgets.low`.")
    value: bool | int | str | list[str] | None = Field(description="The effective value.")
    source: Layer = Field(description="The layer the value comes from.")
    default: bool | int | str | list[str] | None = Field(description="The value if no layer sets one.")
    description: str = Field(description="The meaning of the setting.")


class SettingsGetResult(WireModel):
    """Every setting, in the order of the table."""

    settings: list[SettingValue]


class SettingsUpdateParams(WireModel):
    """A change to the global settings, or to those of one project."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, global.")
    settings: SettingsPatch = Field(
        description="The changes. Null removes a setting, so the layer below becomes effective."
    )
