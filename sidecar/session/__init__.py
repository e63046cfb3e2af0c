"""The session lock: while it is active, every message goes to the agent, until the user gives an exit command."""

from sidecar.core.ide_rules_files import IdeName
from sidecar.session.managed_block import (
    ACTIVE_TEXT,
    INACTIVE_TEXT,
    AmbiguousBlock,
    block_state,
    strip_session_lock,
    user_content,
    with_block,
    without_block,
)
from sidecar.session.session_file import (
    AGENT,
    COMPACTIONS,
    LANGUAGE,
    PENDING,
    PROGRESS,
    SAVED_AT,
    TASK,
    SessionFileValues,
    UneditableFile,
    parse_session_file,
    read_session_file,
    replace_values,
    save_session_values,
)
