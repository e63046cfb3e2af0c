"""Memories as rules: what is proposed to the user, and what holds by the user's word."""

from sidecar.call import Process
from sidecar.core.text import one_line
from sidecar.memory.entry import Memory
from sidecar.memory.files.layout import SHARED
from sidecar.memory.store import proposing
from sidecar.memory.wording import accepted_rule
from sidecar.workspace import Workspace

VALIDATED = "validated"
"""The tag of a memory that the user accepted as a rule; one who takes it off takes the rule back."""

MAX_RULE = 300
MAX_ACCEPTED = 40


def rule_of(memory: Memory) -> str:
    """Gives a memory as a rule: what was said, in one line."""
    said = one_line(memory.text or memory.title, MAX_RULE + 1)
    return said if len(said) <= MAX_RULE else memory.title


def accepted_rules(process: Process, workspace: Workspace) -> tuple[str, ...]:
    """Gives the shared rules that the user accepted, word for word as they were accepted, the oldest first.

    A wording that was changed since waits for the user's word again, and a tag alone makes no rule.
    """
    with process.database.read() as tx:
        found = proposing.accepted(tx, workspace.project_key, SHARED, VALIDATED, MAX_ACCEPTED)
    return tuple(accepted_rule(rule_of(one), one.id) for one in found)
