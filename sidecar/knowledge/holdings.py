"""What the knowledge sync left, for removing it; without its state a sync takes up what it finds."""

from sidecar.storage.holding import Holding

HOLDINGS = (
    Holding("indexes", "continuity_knowledge_items"),
    Holding("knowledge", "continuity_knowledge_state", before="at_ms < ?2"),
    Holding("knowledge", "continuity_knowledge_checkpoints", before="at_ms < ?2"),
    Holding("knowledge", "continuity_knowledge_journal", is_counted=False),
)
