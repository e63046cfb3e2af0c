"""Per-project overrides, stored in SQLite."""

from __future__ import annotations

import apsw

from sidecar.packs.overrides import Override, Overrides
from sidecar.storage.retention import Holding


def load_overrides(tx: apsw.Connection, project: str) -> Overrides:
    """Return a project's overrides, newest first."""
    rows = tx.execute(
        "SELECT item, kind, why, at_ms FROM continuity_overrides WHERE project = ? ORDER BY at_ms DESC, item",
        (project,),
    )
    return {item: Override(item, kind, why, at_ms) for item, kind, why, at_ms in rows}


def put_override(tx: apsw.Connection, project: str, override: Override) -> None:
    """Store the user's latest override of an item."""
    tx.execute(
        "INSERT OR REPLACE INTO continuity_overrides (project, item, kind, why, at_ms) VALUES (?, ?, ?, ?, ?)",
        (project, *override),
    )


def revoke(tx: apsw.Connection, project: str, item: str) -> None:
    """Delete the override of an item."""
    tx.execute("DELETE FROM continuity_overrides WHERE project = ? AND item = ?", (project, item))


HOLDINGS = (Holding("settings", "continuity_overrides", before="at_ms < ?2"),)
