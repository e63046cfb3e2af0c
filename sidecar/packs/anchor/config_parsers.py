"""Build and settings files as tables; what cannot be understood is an empty one. Pure."""

import configparser
import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from sidecar.core.lazy_regex import regex

Table = Mapping[str, Any]

LATELY = 16
"""Several readers ask for one file after another: so many tables are kept as they were read."""

_STRING_OR_COMMENT = regex(r'("(?:\\.|[^"\\\n])*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = regex(r'("(?:\\.|[^"\\\n])*+"?)|,(?=\s*[}\]])')


@lru_cache(maxsize=LATELY)
def toml(text: str) -> Table:
    """Reads TOML."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # the library goes down into lists as deep as they are
        return {}


@lru_cache(maxsize=LATELY)
def json(text: str) -> Table:
    """Reads JSON, with comments and trailing commas as settings files have them."""
    bare = _TRAILING_COMMA.sub(lambda match: match[1] or "", _STRING_OR_COMMENT.sub(lambda match: match[1] or "", text))
    try:
        found = orjson.loads(bare)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=LATELY)
def ini(text: str) -> Table:
    """Reads an INI file; what stands before the first section is section `""`."""
    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string("[ ]\n" + text)
    except (configparser.Error, AttributeError):  # the library's own slip, where lines go on a key without a value
        return {}
    return {name.strip(): dict(parser[name]) for name in parser.sections()}


def within(table: Table, *names: str) -> Table:
    """Gives the table below such names; an empty one where there is none."""
    for name in names:
        found = table.get(name)
        table = found if isinstance(found, dict) else {}
    return table


def texts_in(value: object) -> list[str]:
    """Gives the texts of a list; of a text with several lines or parts, those."""
    if isinstance(value, str):
        return [part for part in re.split(r"[\s,]+", value.strip()) if part]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
