"""Runs: pre-runs, finished runs, delivery ledger, test status, task state, artifacts."""

from sidecar.runs import artifacts, keys, ledger, records, snapshots
from sidecar.runs.call_record import CallRecord
from sidecar.runs.maintenance import delete_old_runs, delete_sub_chat, is_deleted
from sidecar.runs.model import (
    NO_CONTENTS,
    ConversationPlace,
    Counters,
    FailingTests,
    Item,
    PinnedAnchor,
    RunSummary,
    SessionContents,
    SessionKey,
    SubChat,
    Task,
)
from sidecar.runs.provenance import Artifact
from sidecar.runs.snapshots import Snapshot, StoredSnapshot, TouchedFile

__all__ = [
    "NO_CONTENTS",
    "Artifact",
    "CallRecord",
    "ConversationPlace",
    "Counters",
    "FailingTests",
    "Item",
    "PinnedAnchor",
    "RunSummary",
    "SessionContents",
    "SessionKey",
    "Snapshot",
    "StoredSnapshot",
    "SubChat",
    "Task",
    "TouchedFile",
    "artifacts",
    "delete_old_runs",
    "delete_sub_chat",
    "is_deleted",
    "keys",
    "ledger",
    "records",
    "snapshots",
]
