"""The point at which a session was compacted, so that it continues from there. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sidecar.core.clock import rfc3339
from sidecar.core.redact import redact
from sidecar.session import COMPACTIONS, PENDING, PROGRESS, SAVED_AT, TASK

MAX_SAVED = 4_000
"""Maximum characters of each text in the project's session file; our own state has the full text."""


class ResumePoint(NamedTuple):
    """The report before a compaction, and the outcome; None for what was not reported. Secrets are masked."""

    compaction_id: str
    at_ms: int
    """Time of the first report; repeated reports do not change it."""
    captured_until_ms: int
    """The session's messages up to this time were captured before."""
    agent: str | None = None
    mode: str | None = None
    task: str | None = None
    progress: str | None = None
    pending: tuple[str, ...] | None = None
    memories: tuple[str, ...] = ()
    """Ids of the memories captured then."""
    result: Mapping[str, Any] | None = None
    """The result, once everything was done."""


def mask_secrets(resume_point: ResumePoint) -> ResumePoint:
    """Mask secrets."""
    return resume_point._replace(
        task=None if resume_point.task is None else redact(resume_point.task),
        progress=None if resume_point.progress is None else redact(resume_point.progress),
        pending=None if resume_point.pending is None else tuple(redact(decision) for decision in resume_point.pending),
    )


def session_file_values(resume_point: ResumePoint, compactions: int) -> dict[str, str]:
    """Return the values for the project's session file; values that were not reported stay unchanged there."""
    pending = None if resume_point.pending is None else "\n".join(resume_point.pending)
    texts = {TASK: resume_point.task, PROGRESS: resume_point.progress, PENDING: pending}
    return {
        **{key: value[:MAX_SAVED] for key, value in texts.items() if value is not None},
        COMPACTIONS: str(compactions),
        SAVED_AT: rfc3339(resume_point.at_ms),
    }
