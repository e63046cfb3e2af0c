"""What is kept of registries, for removing it."""

from sidecar.storage.holding import Holding

HOLDINGS = (
    Holding("caches", "continuity_registry_cache", "", "used_at_ms < ?2"),
    Holding("indexes", "continuity_registry_derived", before="derived_at_ms < ?2"),
    Holding("registry", "continuity_registry_decisions", before="at_ms < ?2"),
    Holding("registry", "continuity_registry_dismissed", before="at_ms < ?2"),
)
