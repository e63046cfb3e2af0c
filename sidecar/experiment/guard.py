"""The guard of a rollout: suspends it when chats with packs fail or are aborted more often, or pre-runs are slow.

A suspension is stored beside the settings; `mode` stays as it is. Chats receive packs again after `rollout/resume`, and
from then on only later chats and runs count.
"""

from __future__ import annotations

import apsw

from sidecar.call import Call
from sidecar.core.clock import DAY_MS
from sidecar.experiment import store
from sidecar.experiment.outcomes import FAILED, RunOutcome
from sidecar.experiment.statistics import odds_p_value
from sidecar.metrics import DAYS
from sidecar.settings.resolve import GLOBAL, Settings, Suspension, put_suspension
from sidecar.storage.retention import PurgeScope, remove

MAX_P_VALUE = 0.01
"""One-sided and always valid: a harmless rollout is suspended by chance in at most one of a hundred cases."""

SLOW_MS, RECENT_PRE_RUNS, MAX_SLOW = 800, 200, 0.05
"""The 95th percentile of the last pre-runs is above the limit if more than this share of them are."""

_GUARDED = {"error": FAILED, "aborted": ("aborted",)}
_REASONS = {
    "error": "Runs of chats with packs fail more often than those of chats without.",
    "aborted": "Users stop runs of chats with packs more often than those of chats without.",
}


def record_outcome(tx: apsw.Connection, call: Call, settings: Settings, outcome: RunOutcome) -> None:
    """Store a run's measurements, and suspend the rollout if they show harm. What is older than metrics is deleted."""
    if not has_earlier_run(tx, outcome.experiment, outcome.unit):
        remove(tx, store.ROW_GROUPS, PurgeScope(None, call.now_ms() - DAYS * DAY_MS))
    store.put_outcome(tx, outcome)
    if settings.suspension is not None:
        return
    reason = _harm(tx, outcome, settings.resumed_at_ms)
    if reason:
        is_of_project = settings.resolved["rollout.experiment"].source == "project"
        put_suspension(tx, outcome.project if is_of_project else GLOBAL, Suspension(reason, call.now_ms()))
        call.log.warning("experiment.suspended")


def resume_rollout(tx: apsw.Connection, project: str, now_ms: int) -> None:
    """End the suspension of a project's rollout, and of that of all projects."""
    for scope in dict.fromkeys((GLOBAL, project)):
        put_suspension(tx, scope, Suspension("", now_ms))


def has_earlier_run(tx: apsw.Connection, experiment: str, unit: str) -> bool:
    """Whether a run of a chat was measured before."""
    return store.has_outcome(tx, experiment, unit)


def _harm(tx: apsw.Connection, outcome: RunOutcome, since_ms: int) -> str:
    """Return the harm that a run made evident; empty if none."""
    for name, outcomes in _GUARDED.items():
        if outcome.outcome in outcomes:
            events = store.first_events(tx, outcome.experiment, outcomes, since_ms)
            if odds_p_value(events) < MAX_P_VALUE:
                treated = sum(is_treated for is_treated, _ in events)
                return f"{_REASONS[name]} It happened in {treated} of them and in {len(events) - treated} others."
    if outcome.arm == "treated" and outcome.pre_run_ms is not None and outcome.pre_run_ms > SLOW_MS:
        count, slow = store.slow_pre_runs(tx, outcome.experiment, RECENT_PRE_RUNS, since_ms, SLOW_MS)
        if count == RECENT_PRE_RUNS and slow > MAX_SLOW * count:
            return f"{slow} of the last {count} pre-runs took longer than {SLOW_MS:g} ms."
    return ""
