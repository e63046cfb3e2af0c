"""The iterative agent loop: runs an agent on one prompt until it gives its completion promise or a limit is reached."""

from sidecar.ralph.loop_folder import LoopFolder, add_user_context, clear_user_context
from sidecar.ralph.loop_policy import (
    FIRST_PAUSE_MS,
    IDLE_TIMEOUT_MS,
    MAX_BACKOFF_MS,
    MAX_PAUSE_MS,
    MAX_RESET_MS,
    RESET_MARGIN_MS,
    Limits,
    LoopUsage,
    backoff_ms,
    failure_limit_reached,
    format_duration,
    limit_reached,
    parse_duration_ms,
    pause_ms,
    wall_ms,
)
