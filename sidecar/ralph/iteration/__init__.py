"""One iteration: its prompt, the worktree's changes, its packs, and the checks before a promise counts."""

from sidecar.ralph.iteration.changes import (
    ABSENT,
    Snapshot,
    candidate_paths,
    changed_files,
    dirty_contents,
    uncommitted_files,
)
from sidecar.ralph.iteration.prompt import CONTEXT_HEADING, FailedCheck, PromptInputs, abort_reason, build_prompt

__all__ = [
    "ABSENT",
    "CONTEXT_HEADING",
    "FailedCheck",
    "PromptInputs",
    "Snapshot",
    "abort_reason",
    "build_prompt",
    "candidate_paths",
    "changed_files",
    "dirty_contents",
    "uncommitted_files",
]
