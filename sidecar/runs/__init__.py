"""What happened: runs, the delivery ledger, test status, task state, artifacts."""

from sidecar.runs import artifacts, keys, ledger, records, snapshots
from sidecar.runs.maintenance import forget_old, forget_sub_chat, is_deleted
from sidecar.runs.model import (
    UNKNOWN,
    Artifact,
    CallRecord,
    Counters,
    FailingTests,
    Item,
    KeptSnapshot,
    Known,
    Pinned,
    Place,
    RunTold,
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
    "KeptSnapshot",
    "Known",
    "Pinned",
    "Place",
    "RunTold",
    "SessionKey",
    "SubChat",
    "Task",
    "artifacts",
    "forget_old",
    "forget_sub_chat",
    "is_deleted",
    "keys",
    "ledger",
    "records",
    "snapshots",
    "telling",
]
