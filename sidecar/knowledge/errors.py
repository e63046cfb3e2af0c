"""The specification's error codes: in `data.code`, with `data.retryable` (knowledge-sync.md, Sync Error Handling)."""

from collections.abc import Sequence
from typing import Any

from sidecar.core.errors import SyncFailed

KNOWLEDGE_UNAVAILABLE = "KNOWLEDGE_UNAVAILABLE"
STATE_CORRUPTED = "STATE_CORRUPTED"
PARTIAL_FAILURE = "PARTIAL_FAILURE"
DELETION_STOPPED = "DELETION_STOPPED"


def knowledge_unavailable(message: str) -> SyncFailed:
    """The repository cannot be reached or read just now."""
    return SyncFailed(
        message,
        hint="Check `knowledge.repository` and its permissions.",
        data={"code": KNOWLEDGE_UNAVAILABLE, "retryable": True},
    )


def not_configured() -> SyncFailed:
    """No repository is set, which no retry changes."""
    return SyncFailed(
        "No knowledge repository is set for this project.",
        hint="Set `knowledge.repository` to the folder or address of a git repository.",
        data={"code": KNOWLEDGE_UNAVAILABLE, "retryable": False},
    )


def no_such_ref(ref: str) -> SyncFailed:
    """The branch, tag or commit that the settings name is not there."""
    return SyncFailed(
        f"The knowledge repository has no branch, tag or commit `{ref}`.",
        hint="Check `knowledge.ref`.",
        data={"code": KNOWLEDGE_UNAVAILABLE, "retryable": False},
    )


def ending() -> SyncFailed:
    """The process ends, and with it what was under way."""
    return SyncFailed("The sidecar is ending.", data={"code": "ENDING", "retryable": True})


def state_corrupted(kept_as: str) -> SyncFailed:
    """The sync state was damaged; it is set aside and begins anew, from the pointers that memory has."""
    return SyncFailed(
        "The knowledge sync's state was damaged; it was set aside and begins anew.",
        hint="Sync again: the pointers in memory are taken over.",
        data={"code": STATE_CORRUPTED, "retryable": True, "setAside": kept_as},
    )


def partial_failure(failed: Sequence[dict[str, str]], done: dict[str, Any]) -> SyncFailed:
    """Some items failed; the others are synced, and what failed is tried again by the next sync."""
    return SyncFailed(
        f"{len(failed)} of the knowledge items failed; the others are synced.",
        hint="Mend what `failedItems` names, then sync again.",
        data={"code": PARTIAL_FAILURE, "retryable": True, "failedItems": list(failed), "done": done},
    )


def deletion_stopped(deleted: int, of: int) -> SyncFailed:
    """So many pointers would go that something else is likely wrong."""
    return SyncFailed(
        f"The sync would delete {deleted} of {of} pointers, and stopped before anything was done.",
        hint="Check `knowledge.repository` and `knowledge.scopes`; sync with `force` if it is meant.",
        data={"code": DELETION_STOPPED, "retryable": False, "deleted": deleted, "pointers": of},
    )
