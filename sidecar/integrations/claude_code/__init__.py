"""Claude Code outside 1Code: its hooks call the sidecar."""

from sidecar.integrations.claude_code.settings_file import (
    EVENTS,
    SettingsUnreadable,
    installed_events,
    same_settings,
    with_hooks,
    without_hooks,
)

__all__ = [
    "EVENTS",
    "SettingsUnreadable",
    "installed_events",
    "same_settings",
    "with_hooks",
    "without_hooks",
]
