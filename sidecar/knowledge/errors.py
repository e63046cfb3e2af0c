"""The error codes of a knowledge sync: in `data.code`, with `data.retryable`."""

from collections.abc import Sequence
from typing import Any

from sidecar.core.clean_text import count_noun
from sidecar.core.errors import SyncFailed

KNOWLEDGE_UNAVAILABLE = "KNOWLEDGE_UNAVAILABLE"
STATE_CORRUPTED = "STATE_CORRUPTED"
PARTIAL_FAILURE = "PARTIAL_FAILURE"
DELETION_STOPPED = "DELETION_STOPPED"


def knowledge_unavailable(message: str) -> SyncFailed:
    """The repository cannot be reached or read at the moment."""
    return SyncFailed(
        message,
        hint="Check `knowledge.repository` and its permissions.",
        data={"code": KNOWLEDGE_UNAVAILABLE, "retryable": True},
    )


def not_configured() -> SyncFailed:
    """No repository is configured; a retry cannot help."""
    return SyncFailed(
        "No knowledge repository is configured for this project.",
        hint="`settings/update` sets `knowledge.repository` to the folder or address of a git repository.",
        data={"code": KNOWLEDGE_UNAVAILABLE, "retryable": False},
    )


def no_such_ref(ref: str) -> SyncFailed:
    """The configured branch, tag or commit does not exist."""
    return SyncFailed(
        f"The knowledge repository has no branch, tag or commit `{ref}`.",
        hint="Check `knowledge.ref`.",
        data={"code": KNOWLEDGE_UNAVAILABLE, "retryable": False},
    )


def shutting_down() -> SyncFailed:
    """The process is shutting down and cancels the sync."""
    return SyncFailed("The sidecar is shutting down.", data={"code": "SHUTTING_DOWN", "retryable": True})


def state_corrupted(stored_as: str) -> SyncFailed:
    """The sync state was damaged. It is set aside and rebuilt from the pointers in memory."""
    return SyncFailed(
        "The knowledge sync's state was damaged; it was set aside and is rebuilt.",
        hint="Sync again: the pointers in memory are adopted.",
        data={"code": STATE_CORRUPTED, "retryable": True, "setAside": stored_as},
    )


def partial_failure(failed: Sequence[dict[str, str]], done: dict[str, Any]) -> SyncFailed:
    """Some items failed. The others are synced, and the next sync retries the failed ones."""
    return SyncFailed(
        f"{count_noun(len(failed), 'knowledge item')} failed; the others are synced.",
        hint="Correct the failed items as their problems say, then sync again.",
        data={"code": PARTIAL_FAILURE, "retryable": True, "failedItems": list(failed), "done": done},
    )


def deletion_stopped(deleted: int, total: int) -> SyncFailed:
    """The sync would delete so many pointers that a wrong configuration is more likely."""
    return SyncFailed(
        f"The sync would delete {deleted} of {count_noun(total, 'pointer')}, so it stopped before changing anything.",
        hint="Check `knowledge.repository` and `knowledge.scopes`; use `force` if the deletion is intended.",
        data={"code": DELETION_STOPPED, "retryable": False, "deleted": deleted, "pointers": total},
    )
