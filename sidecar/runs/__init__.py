"""What happened: runs, the delivery ledger, test status, task state, artifacts."""

from sidecar.runs import keys
from sidecar.runs.store import artifacts, ledger, records
from sidecar.runs.values import (
    UNKNOWN,
    Artifact,
    CallRecord,
    Counters,
    FailingTests,
    Item,
    Known,
    Pinned,
    SessionKey,
    SubChat,
    Task,
)

__all__ = [
    "UNKNOWN",
    "Artifact",
    "CallRecord",
    "Counters",
    "FailingTests",
    "Item",
    "Known",
    "Pinned",
    "SessionKey",
    "SubChat",
    "Task",
    "artifacts",
    "keys",
    "ledger",
    "records",
]
