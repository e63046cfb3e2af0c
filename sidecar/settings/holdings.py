"""What the user set, for removing it when it is named."""

from sidecar.storage.holding import Holding

HOLDINGS = (Holding("settings", "continuity_settings", before="updated_at_ms < ?2"),)
