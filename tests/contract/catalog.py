"""The published rows and files that the tests of this folder compare."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sidecar.app import load_full_catalog
from sidecar.method import Method, Notification

PUBLISHED = Path(__file__).resolve().parents[2] / "rpc_schema"
GOLDEN = Path(__file__).resolve().parent / "golden"
CATALOG = load_full_catalog()
ROWS: dict[str, Method | Notification] = {
    **{row.name: row for row in CATALOG.methods},
    **{row.name: row for row in CATALOG.notifications},
}


def golden_of(name: str) -> dict[str, Any]:
    """Return a row's golden messages: `{params: {valid, invalid}, result: {valid, invalid}}`, each by its purpose."""
    document: dict[str, Any] = json.loads((GOLDEN / file_name(name)).read_text(encoding="utf-8"))
    return document


def file_name(name: str) -> str:
    """Return a row's golden file: `settings/get` is in `settings.get.json`."""
    return name.replace("/", ".") + ".json"


def goldens() -> Iterator[tuple[str, str, bool, str, Any]]:
    """Yield every golden message as (row, part, whether it is valid, purpose, message)."""
    for name in ROWS:
        if not (GOLDEN / file_name(name)).exists():
            continue
        for part, messages in golden_of(name).items():
            for verdict, shown in messages.items():
                for title, message in shown.items():
                    yield name, part, verdict == "valid", title, message
