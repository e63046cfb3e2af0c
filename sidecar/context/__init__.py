"""The provider's context window: what is left of it, what may be injected, and when a new session should start."""

from sidecar.context.brackets import BRACKETS, BUDGET_SHARES, Bracket, bracket_of, bracket_with_hysteresis
from sidecar.context.project_files import AgentProgress, agent_progress
from sidecar.context.restart import SessionCounters, restart_criteria
from sidecar.context.store import compaction_count, record_compaction

__all__ = [
    "BRACKETS",
    "BUDGET_SHARES",
    "AgentProgress",
    "Bracket",
    "SessionCounters",
    "agent_progress",
    "bracket_of",
    "bracket_with_hysteresis",
    "compaction_count",
    "record_compaction",
    "restart_criteria",
]
