"""Build and configuration files as tables; unreadable text becomes an empty table. Pure."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from sidecar.core.lazy_regex import lazy_regex

Table = Mapping[str, Any]

CACHED_TABLES = 16
"""Number of parsed tables in the cache: several readers ask for the same file in a row."""

_STRING_OR_COMMENT = lazy_regex(r'("(?:\\.|[^"\\\n])*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = lazy_regex(r'("(?:\\.|[^"\\\n])*+"?)|,(?=\s*[}\]])')


@lru_cache(maxsize=CACHED_TABLES)
def parse_toml(text: str) -> Table:
    """Parse TOML."""
    import tomllib  # later: a first prompt whose anchor is cached needs neither parser

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # the library recurses into nested lists
        return {}


@lru_cache(maxsize=CACHED_TABLES)
def parse_json(text: str) -> Table:
    """Parse JSON, with comments and trailing commas as configuration files have them."""
    bare = _TRAILING_COMMA.sub(lambda match: match[1] or "", _STRING_OR_COMMENT.sub(lambda match: match[1] or "", text))
    try:
        value = orjson.loads(bare)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=CACHED_TABLES)
def parse_ini(text: str) -> Table:
    """Parse an INI file; lines before the first section form section `""`."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string("[ ]\n" + text)
    except (configparser.Error, AttributeError):  # a library bug: continuation lines of a key without a value
        return {}
    return {name.strip(): dict(parser[name]) for name in parser.sections()}


def subtable(table: Table, *names: str) -> Table:
    """Return the nested table under these names; empty where there is none."""
    for name in names:
        value = table.get(name)
        table = value if isinstance(value, dict) else {}
    return table


def strings_in(value: object) -> list[str]:
    """Return the strings of a list, or the parts of a string with several lines or words."""
    if isinstance(value, str):
        return [part for part in re.split(r"[\s,]+", value.strip()) if part]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
