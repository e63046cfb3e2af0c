"""What was measured, for removing it; sums of days long gone have no age."""

from sidecar.storage.holding import Holding

HOLDINGS = (
    Holding("metrics", "continuity_metrics", before="day <> '' AND day < strftime('%Y-%m-%d', ?2 / 1000, 'unixepoch')"),
)
