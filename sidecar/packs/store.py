"""The user's words on items, by project, in the state file."""

from __future__ import annotations

import apsw

from sidecar.packs.overrides import Wish, Wishes
from sidecar.storage.retention import Holding


def wishes_of(tx: apsw.Connection, project: str) -> Wishes:
    """Gives a project's wishes, the newest first."""
    rows = tx.execute(
        "SELECT item, word, why, at_ms FROM continuity_wishes WHERE project = ? ORDER BY at_ms DESC, item", (project,)
    )
    return {item: Wish(item, word, why, at_ms) for item, word, why, at_ms in rows}


def put(tx: apsw.Connection, project: str, wish: Wish) -> None:
    """Keeps the user's last word on an item."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_wishes (project, item, word, why, at_ms) VALUES (?, ?, ?, ?, ?)",
        (project, *wish),
    )


def take_back(tx: apsw.Connection, project: str, item: str) -> None:
    """Forgets what was said of an item."""
    tx.execute("DELETE FROM continuity_wishes WHERE project = ? AND item = ?", (project, item))


# The user's words on items, for removing them when they are named.


HOLDINGS = (Holding("settings", "continuity_wishes", before="at_ms < ?2"),)
