"""Settings → the table that the method reference and the README have. Pure."""

import json

from sidecar.schema.tables import grid
from sidecar.settings.kinds import KINDS, LISTS
from sidecar.settings.table import SETTINGS, Setting

BEGIN = "<!-- settings: `python3 build/generate.py` writes this table -->"
END = "<!-- end of settings -->"


def settings_table() -> str:
    """Gives a row for each setting, in the order of their declaration."""
    rows = [(f"`{row.name}`", _allowed(row), f"`{json.dumps(row.default)}`", _env(row), row.doc) for row in SETTINGS]
    return grid(("name", "value", "default", "environment", "meaning"), rows)


def with_settings(page: str) -> str:
    """Gives a page with the table between its marks made anew; ValueError where the marks are not there, once each."""
    before, marked, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (marked and ended) or BEGIN in rest or END in after:
        raise ValueError(f"The page needs `{BEGIN}` and `{END}`, once each.")
    return f"{before}{BEGIN}\n\n{settings_table()}\n\n{END}{after}"


def _allowed(row: Setting) -> str:
    match row.kind:
        case "choice":
            return ", ".join(row.choices)
        case "int":
            return f"whole number from {row.minimum:,}"
        case kind if kind in LISTS:
            return f"list: {LISTS[kind][2]}"
        case kind:
            return KINDS[kind][1]


def _env(row: Setting) -> str:
    return f"`{row.env}`" if row.env else ""
