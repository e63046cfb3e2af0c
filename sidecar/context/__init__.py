"""The provider's context window: what is left of it, what may be injected, and when a new session should start."""

from sidecar.context.brackets import BRACKETS, BUDGET_SHARES, Bracket, bracket_of, bracket_with_hysteresis
from sidecar.context.project_files import AgentProgress, agent_progress
from sidecar.context.restart_counters import Interaction, SessionRecord, with_compaction, with_interaction
from sidecar.context.restart_decision import SessionCounters, restart_criteria, session_counters
from sidecar.context.store import (
    compaction_count,
    delete_session_record,
    load_session_record,
    record_compaction,
    save_session_record,
)
