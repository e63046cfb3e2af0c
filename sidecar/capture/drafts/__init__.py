"""Drafts of artifacts: devlog entry, decision record, rejected approach."""

from sidecar.capture.drafts.devlog import devlog as draft_devlog
from sidecar.capture.drafts.devlog import fixes, is_due

__all__ = [
    "draft_devlog",
    "fixes",
    "is_due",
]
