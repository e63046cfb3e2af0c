"""The user's words on items, for removing them when they are named."""

from sidecar.storage.holding import Holding

HOLDINGS = (Holding("settings", "continuity_wishes", before="at_ms < ?2"),)
