"""A rollout: which chats receive packs, and the guard that suspends it.

The arm of a chat follows from the experiment's name and the chat's id alone, so every machine draws the same. It is
stored with the chat's first pre-run and stays; forks inherit it. Chats that had runs before, and loops, are not part of
a rollout.

The guard suspends a rollout when chats with packs fail or are aborted more often, or pre-runs are slow. A suspension is
stored beside the settings; `mode` stays as it is. Chats receive packs again after `rollout/resume`, and from then on
only later chats and runs count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import apsw
from blake3 import blake3

from sidecar.call import Call
from sidecar.core.clock import DAY_MS
from sidecar.core.lru_cache import LruCache
from sidecar.daily_metrics import DAYS
from sidecar.experiment import ArmChange, ChatFacts, StoredArm, store
from sidecar.runs import conversations, ledger
from sidecar.runs.model import RALPH_PREFIX
from sidecar.runs.pre_run_record import Arm, Mode, RolloutDecision
from sidecar.settings.resolve import GLOBAL, Settings, Suspension, put_suspension
from sidecar.settings.table import rollout_problem
from sidecar.storage.purgeable_rows import PurgeScope, remove_rows

if TYPE_CHECKING:
    from sidecar.experiment.outcomes import RunOutcome

NO_EXPERIMENT = ""
"""Name that arms are drawn with if the rollout has a share but no experiment."""

DRAWS = 10_000
"""Number of equally likely draws: a hundredth of a percent of the chats each."""


def arm_of(experiment: str, unit: str, share: int) -> Arm:
    """Return the arm of a chat at a share in percent; a larger share only moves chats from control to treated."""
    draw = int.from_bytes(blake3(f"{experiment}\0{unit}".encode("utf-8", "surrogatepass")).digest(8), "big") % DRAWS
    return "treated" if draw < share * DRAWS // 100 else "control"


CACHED_CHATS = 256


def create_cache() -> LruCache[tuple[str, str], StoredArm]:
    """Return an empty cache of arms by experiment and sub-chat, so that a pre-run does not read them again."""
    return LruCache(CACHED_CHATS)


class Placement(NamedTuple):
    """The effective settings of a chat, and why they differ from the project's."""

    settings: Settings
    decision: RolloutDecision | None = None
    change: ArmChange | None = None
    """To be stored with the pre-run; None if nothing is new."""


def place_chat(call: Call, chat: ChatFacts, settings: Settings) -> Placement:
    """Return how a chat takes part in the rollout. Nothing is stored."""
    if chat.choice is not None and not settings.is_switched_off:
        decision = RolloutDecision(mode=chat.choice, decided_by="chat")
        return Placement(settings.in_mode(chat.choice), decision, _leave(call, chat, settings))
    if settings.mode != "active" or chat.sub_chat_id.startswith(RALPH_PREFIX):
        return Placement(settings)
    arm, change = _arm(call, chat, settings)
    if settings.suspension is not None:
        decision = _decision("passive", "suspension", arm)
    elif arm is None:
        return Placement(settings)
    else:
        decision = _decision("active" if arm.arm == "treated" else "passive", "share", arm)
    return Placement(settings.in_mode(decision.mode), decision, change)


def mode_of_chat(call: Call, project: str, sub_chat_id: str) -> str:
    """Return the settings' mode for a chat: in a rollout by share, a control chat's is passive."""
    settings = call.process.settings(project)
    if settings.is_full_rollout:
        return settings.mode
    return place_chat(call, ChatFacts(sub_chat_id=sub_chat_id, project=project, provider=""), settings).settings.mode


def experiment_of(settings: Settings) -> str:
    """Return the name that arms are drawn with; empty without an experiment, and for one that cannot compare chats."""
    name, share = settings["rollout.experiment"], settings["rollout.share"]
    return NO_EXPERIMENT if name is None or rollout_problem(name, share) else str(name)


def _decision(mode: Mode, decided_by: Literal["share", "suspension"], arm: StoredArm | None) -> RolloutDecision:
    if arm is None:
        return RolloutDecision(mode=mode, decided_by=decided_by)
    experiment = None if arm.has_left else arm.experiment or None
    return RolloutDecision(mode=mode, decided_by=decided_by, arm=arm.arm, share=arm.share, experiment=experiment)


def _arm(call: Call, chat: ChatFacts, settings: Settings) -> tuple[StoredArm | None, ArmChange | None]:
    """Return a chat's arm, None if it is not part of the rollout; and what is to be stored if the arm is new."""
    experiment, share = experiment_of(settings), int(settings["rollout.share"])
    cache = call.process.slices.assignments
    cached = cache.get((experiment, chat.sub_chat_id))
    if cached is not None:
        return cached, None
    with call.database.read() as tx:
        stored = store.arm_of_chat(tx, experiment, chat.sub_chat_id)
        if stored is None:
            return _new_arm(tx, chat, experiment, share)
    cache.put((experiment, chat.sub_chat_id), stored, 1)
    return stored, None


def _new_arm(
    tx: apsw.Connection, chat: ChatFacts, experiment: str, share: int
) -> tuple[StoredArm | None, ArmChange | None]:
    """Return the arm of a chat without one: that of its origin or of its chat, or else a new one.

    Chats that had runs before the rollout began have none, nor do their forks.
    """
    origins = {chat.forked_from} if chat.forked_from is not None else set[str]()
    if chat.session_id is not None:
        origins |= ledger.sub_chats_of(tx, chat.provider, chat.session_id)
    origins.discard(chat.sub_chat_id)
    inherited = [arm for origin in sorted(origins) if (arm := store.arm_of_chat(tx, experiment, origin)) is not None]
    unit = chat.chat_id or chat.sub_chat_id
    arm = inherited[0] if inherited else store.arm_of_unit(tx, experiment, unit)
    if arm is None:
        if share == FULL or any(
            conversations.has_runs(tx, name, chat.chat_id) for name in (chat.sub_chat_id, *origins)
        ):
            return None, None
        arm = StoredArm(experiment, unit, arm_of(experiment, unit, share), share, has_left=False)
    return arm, ArmChange(arm, chat)


FULL = 100
"""Share at which every chat is treated, and no arm is drawn."""


def unit_of_chat(tx: apsw.Connection, experiment: str, sub_chat_id: str) -> str | None:
    """Return the unit that a sub-chat's runs count for; None if it is in no arm, or has left."""
    arm = store.arm_of_chat(tx, experiment, sub_chat_id)
    return arm.unit if arm is not None and not arm.has_left else None


def _leave(call: Call, chat: ChatFacts, settings: Settings) -> ArmChange | None:
    """Return the change with which a chat leaves its experiment; None if it is in none."""
    experiment = experiment_of(settings)
    if not experiment:
        return None
    with call.database.read() as tx:
        arm = store.arm_of_chat(tx, experiment, chat.sub_chat_id)
    return ArmChange(arm._replace(has_left=True), chat) if arm is not None and not arm.has_left else None


def record_arm(call: Call, tx: apsw.Connection, change: ArmChange) -> None:
    """Store a chat's arm, with the transaction of its pre-run."""
    store.put_arm(tx, change, call.now_ms())
    call.process.slices.assignments.drop((change.arm.experiment, change.chat.sub_chat_id))


MAX_P_VALUE = 0.01
"""One-sided and always valid: a harmless rollout is suspended by chance in at most one of a hundred cases."""

SLOW_MS, RECENT_PRE_RUNS, MAX_SLOW = 800, 200, 0.05
"""The 95th percentile of the last pre-runs is above the limit if more than this share of them are."""

_REASONS = {
    "error": "Runs of chats with packs fail more often than those of chats without.",
    "aborted": "Users stop runs of chats with packs more often than those of chats without.",
}


def record_outcome(tx: apsw.Connection, call: Call, settings: Settings, outcome: RunOutcome) -> None:
    """Store a run's measurements, and suspend the rollout if they show harm. What is older than metrics is deleted."""
    if not has_earlier_run(tx, outcome.experiment, outcome.unit):
        remove_rows(tx, store.ROW_GROUPS, PurgeScope(None, call.now_ms() - DAYS * DAY_MS))
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
    from sidecar.experiment.outcomes import FAILED
    from sidecar.experiment.statistics import odds_p_value  # no pre-run needs them

    for name, outcomes in (("error", FAILED), ("aborted", ("aborted",))):
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
