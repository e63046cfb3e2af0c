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
