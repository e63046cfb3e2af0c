"""Sync of pointer memories with a knowledge repository: plan the differences, apply them, roll them back."""

from sidecar.knowledge.apply_and_rollback import RateLimiter
from sidecar.knowledge.automatic_sync import RETRY_AFTER_MS, sync_when_due
from sidecar.knowledge.git_source import GitSource, SourceFile, mirror_folder, open_source
from sidecar.knowledge.item import (
    MAX_ITEM_BYTES,
    POINTER_FOLDER,
    Entry,
    Failure,
    Identity,
    Manifest,
    StoredPointer,
    UnreadableItem,
    item_location,
    parse_item,
    parse_ref,
    pointer_id,
    pointer_path,
)
from sidecar.knowledge.store import (
    QUARANTINE_AFTER,
    FailedItem,
    SyncedItem,
    SyncState,
    parse_state,
    serialize_state,
    sync_lock,
)
from sidecar.knowledge.sync_inputs import build_manifest, read_entry
from sidecar.knowledge.sync_plan import DELETION_GUARD_POINTERS, Plan, PlanRequest, fingerprint, plan
