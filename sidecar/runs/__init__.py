"""Runs: pre-runs, finished runs, delivery ledger, test status, task state, artifacts."""

from typing import TYPE_CHECKING, Any

from sidecar.runs import artifact_store, run_records
from sidecar.runs import delivery_ledger as ledger
from sidecar.runs import ledger_entries as entries
from sidecar.runs.delivery_ledger import ResolvedSession, resolve_session, store_session
from sidecar.runs.maintenance import delete_old_runs, delete_sub_chat, is_deleted
from sidecar.runs.model import (
    NO_CONTENTS,
    ConversationPlace,
    DeliveredItem,
    FailingTests,
    PinnedAnchor,
    PressureCounters,
    RecentFile,
    RecentWork,
    RunSummary,
    SessionContents,
    SessionFacts,
    SessionKey,
    SessionTurn,
    SubChat,
    Task,
)
from sidecar.runs.pre_run_record import (
    Block,
    BlockKind,
    CallDetails,
    CallRecord,
    CallTexts,
    ItemRecord,
    PreRunMetadata,
    StateIds,
    SystemText,
    WorktreeBaseline,
)

if TYPE_CHECKING:
    from sidecar.runs.artifact_provenance import (
        AdrDetails,
        Artifact,
        ArtifactEvent,
        Boundary,
        CommitMark,
        Details,
        DevlogDetails,
        LineCounts,
        RejectedApproachDetails,
        RunsTally,
        Statements,
    )

_LOADED_LATER = frozenset(
    {
        "AdrDetails",
        "Artifact",
        "ArtifactEvent",
        "Boundary",
        "CommitMark",
        "Details",
        "DevlogDetails",
        "LineCounts",
        "RejectedApproachDetails",
        "RunsTally",
        "Statements",
    }
)


def __getattr__(name: str) -> Any:
    """Load the provenance of artifacts, which few first pre-runs need, at its first use."""
    if name not in _LOADED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sidecar.runs import artifact_provenance

    value = globals()[name] = getattr(artifact_provenance, name)
    return value
