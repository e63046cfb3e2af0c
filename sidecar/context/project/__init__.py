"""The project's own files: constitution, agents, pipeline, hand-offs."""

from sidecar.context.project.constitution import fit_rules, parse_agent_scope, summarize_rules
from sidecar.context.project.pipeline import (
    agent_score,
    next_agent,
    parse_handoff,
    parse_pipeline,
    pipeline_lines,
    previous_agent,
    resolve_mode,
)

__all__ = [
    "agent_score",
    "fit_rules",
    "next_agent",
    "parse_agent_scope",
    "parse_handoff",
    "parse_pipeline",
    "pipeline_lines",
    "previous_agent",
    "resolve_mode",
    "summarize_rules",
]
