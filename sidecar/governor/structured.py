"""Gathers the structured state of a conversation from the records, and keeps it."""

from __future__ import annotations

import apsw

from sidecar.core.digests import short_id
from sidecar.governor.snapshot import Snapshot, as_kept, snapshot_of
from sidecar.runs import KeptSnapshot, artifacts, records, snapshots

RUNS = 50
"""How far back a conversation's runs are looked at."""

ARTIFACTS = 50


def structured_state(tx: apsw.Connection, sub_chat_id: str) -> Snapshot:
    """Gives what a conversation has reached, as of its last run."""
    state = records.sub_chat(tx, sub_chat_id)
    place = records.place_of(tx, sub_chat_id)
    if place is None:
        return snapshot_of(state, (), (), ())
    own = [
        artifact
        for kind in ("adr", "rejectedApproach")
        for artifact, is_whole in artifacts.listed(tx, place.project, None, kind, ARTIFACTS)
        if is_whole and artifact.provenance.get("subChatId") == sub_chat_id
    ]
    runs = records.runs_told(tx, sub_chat_id, RUNS)
    return snapshot_of(state, runs, records.failing_tests(tx, place.workspace), own)


def keep_snapshot(
    tx: apsw.Connection, sub_chat_id: str, run_id: str, reasons: tuple[str, ...], now_ms: int
) -> KeptSnapshot:
    """Keeps the structured state of a conversation as it is now; only its latest snapshots stay."""
    value = as_kept(structured_state(tx, sub_chat_id))
    kept = KeptSnapshot(short_id([sub_chat_id, run_id, now_ms, value]), sub_chat_id, run_id, now_ms, reasons, value)
    snapshots.put(tx, kept)
    return kept
