"""The messages of `rollout/…`, and what other results show of a rollout."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire_types import FolderPath, WireModel
from sidecar.daily_metrics import MetricsFigures


class RolloutSuspension(WireModel):
    """A stop of the rollout by its guard; the setting `mode` is unchanged."""

    reason: str
    at: str = Field(description="RFC 3339.")


class RolloutStatus(WireModel):
    """A rollout by share."""

    share: int = Field(description="Percent of new chats that are active while the mode is active.")
    experiment: str | None
    problem: str | None = Field(
        description="Why nothing is compared or sent, else null: layers of settings contradict each other, or the"
        " mode is not active."
    )
    suspended: RolloutSuspension | None = Field(
        description="While set, no chat receives packs unless its user chose so; `rollout/resume` ends it."
    )
    treated: int = Field(description="Chats that receive packs.")
    control: int = Field(description="Chats that receive what a chat receives in passive mode.")
    left: int = Field(description="Chats of either arm for which the user chose a mode; they no longer count.")


class RolloutParams(WireModel):
    """The rollout of one project, or that of all."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")


OutcomeVerdict = Literal["better", "worse", "noDifference", "unknown", "notMeasured"]


class ExperimentOutcome(WireModel):
    """Conclusion on one outcome of chats. Less is better, except for a rate: more means sooner."""

    name: str
    title: str
    unit: str
    scale: Literal["ratio", "rate", "difference", "share"] = Field(
        description="Scale of the effect: relative change of the typical value, relative change of the rate at which it"
        " happens, difference per chat, difference of shares of chats."
    )
    primary: bool = Field(description="Whether decisions are made by it.")
    chats: int = Field(description="Chats in which it was measured; the first ten of all only adjust.")
    treated: float | None = Field(description="Typical value of a chat with packs, in the unit; null for rates.")
    control: float | None = Field(description="The same without packs.")
    effect: float | None = Field(description="Null with too few chats.")
    low: float | None = Field(description="Lower end of the interval, which holds at every look at once.")
    high: float | None
    p_value: float | None = Field(description="Always valid; null where no decision is made by it.")
    verdict: OutcomeVerdict
    more_chats: int | None = Field(description="About the chats still needed to find a difference that matters.")
    sentence: str


class Advice(WireModel):
    """Advice on the share, and its reason."""

    verdict: Literal["raise", "hold", "off"]
    sentence: str


class Leakage(WireModel):
    """Stored results of treated chats, and the control chats that reached stored context by themselves."""

    stored_memories: int = Field(description="Memories that treated chats added; each capture is marked with its arm.")
    stored_artifacts: int = Field(description="Artifacts that treated chats left; `artifact/get` shows the mark.")
    control_chats: int = Field(description="Control chats that read stored memories or called the sidecar's tools.")
    leaked_chats: int = Field(description="Those of them that reached something that a treated chat stored.")
    sentence: str


class ExperimentResult(WireModel):
    """The comparison of chats with packs and chats without."""

    name: str
    shares: list[int] = Field(description="Shares in percent at which arms were drawn, each a stratum of its own.")
    treated: int = Field(description="Chats with packs whose day is over; they are compared.")
    control: int = Field(description="Chats without packs whose day is over.")
    waiting: int = Field(description="Chats of either arm whose day is not over, or without a recorded run.")
    left: int = Field(description="Chats for which the user chose a mode; they are not compared.")
    outcomes: list[ExperimentOutcome] = Field(description="Primary ones first.")
    advice: Advice
    leakage: Leakage


class RolloutResult(WireModel):
    """A rollout by share."""

    rollout: RolloutStatus | None = Field(description="Null if every chat receives what the mode says.")
    experiment: ExperimentResult | None = Field(description="What the experiment shows; null without one.")


class MetricsSummaryResult(WireModel):
    """The effect of active mode, and the effect passive mode would have had."""

    since_day: str = Field(description="The first day included, UTC.")
    active: MetricsFigures
    passive: MetricsFigures
    errors: dict[str, int] = Field(
        description="Requests answered with an error, by code and method, over all projects."
    )
    experiment: ExperimentResult | None = Field(description="The comparison that runs; null without an experiment.")
    measures: dict[str, float] = Field(description="Each measure's total over both modes, by name.")
