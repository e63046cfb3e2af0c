"""Effects of a run, read from its message parts, commands, transcript and repository."""

from sidecar.capture.effects.run_activity import (
    Loss,
    RunActivity,
    RunCommand,
    TextEdit,
    ToolFailure,
    activity_of,
    compacted_since,
    events_of_parts,
    loss_by_prompt,
    relative_to,
    transcript_errors,
)
from sidecar.capture.effects.shell_commands import commit_messages, is_lookup, only_displays, takes_work_back

__all__ = [
    "Loss",
    "RunActivity",
    "RunCommand",
    "TextEdit",
    "ToolFailure",
    "activity_of",
    "commit_messages",
    "compacted_since",
    "events_of_parts",
    "is_lookup",
    "loss_by_prompt",
    "only_displays",
    "relative_to",
    "takes_work_back",
    "transcript_errors",
]
