"""Effects of a run, read from its message parts, commands, transcript and repository."""

from sidecar.capture.effects.architectural_boundaries import by_path
from sidecar.capture.effects.run_activity import (
    STEP_CHARACTERS,
    Loss,
    RunCommand,
    ToolFailure,
    activity_of,
    compacted_since,
    loss_by_prompt,
    relative_to,
    transcript_errors,
    was_compacted,
)
from sidecar.capture.effects.shell_commands import files_read, may_write, only_displays

__all__ = [
    "STEP_CHARACTERS",
    "Loss",
    "RunCommand",
    "ToolFailure",
    "activity_of",
    "by_path",
    "compacted_since",
    "files_read",
    "loss_by_prompt",
    "may_write",
    "only_displays",
    "relative_to",
    "transcript_errors",
    "was_compacted",
]
