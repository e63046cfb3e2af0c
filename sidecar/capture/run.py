"""A run that ended, with all that was understood of it, on its way into the records."""

from dataclasses import dataclass

from sidecar.call import Call
from sidecar.capture.drafts.devlog_text import kept_plan
from sidecar.capture.effects.boundaries import Boundary
from sidecar.capture.effects.direction_change import NO_LINES, Lines
from sidecar.capture.effects.session_loss import Loss
from sidecar.capture.effects.tool_parts import Work
from sidecar.capture.effects.worktree_changes import Observed
from sidecar.capture.model import PostRunParams
from sidecar.capture.test_results.runner_output import RunnerOutcome
from sidecar.runs import CallRecord
from sidecar.settings.resolve import Settings
from sidecar.workspace import Workspace

REACHED = ("completed", "aborted", "error")
"""Outcomes that reached the provider, if its session is known."""


@dataclass
class Finished:
    """One run; `before` is its own pre-run, if there was one."""

    call: Call
    params: PostRunParams
    workspace: Workspace
    settings: Settings
    work: Work
    tests: tuple[RunnerOutcome, ...]
    """What each of its commands said of tests, in order."""
    before: CallRecord | None
    observed: Observed
    loss: Loss
    now_ms: int
    boundaries: tuple[Boundary, ...] = ()
    """The boundaries that its changes touch, against the commit it began at."""
    lines: Lines = NO_LINES
    """What is left of the conversation's work in the files it changed."""

    @property
    def reached(self) -> bool:
        """Whether the provider has got what the run was given."""
        return self.params.outcome in REACHED and self.params.session.after is not None

    @property
    def given(self) -> CallRecord | None:
        """The pre-run whose answer the host used, as its token tells; another one's packs never went out."""
        token = self.params.delivery_token
        return self.before if self.before is not None and self.before.delivery_token == token else None

    @property
    def is_shadow(self) -> bool:
        """Whether nothing was really sent."""
        return self.before.shadow if self.before is not None else self.settings.mode == "passive"

    @property
    def conclusion(self) -> str:
        """What the agent said last; all it said where its parts do not tell."""
        return self.work.conclusion or (self.params.assistant.text if self.params.assistant else "")

    @property
    def plan(self) -> str:
        """The plan the run presented, as it is kept; empty where there was none."""
        return kept_plan(self.work.plan or "")

    @property
    def run_ms(self) -> int:
        """How long the run took by the host's clock."""
        return max(0, int((self.params.finished_at - self.params.started_at).total_seconds() * 1000))

    @property
    def start_head(self) -> str | None:
        """The commit the worktree stood at when the run began; the present one where that is not known."""
        begun = self.before.record["head"] if self.before is not None else None
        state = self.observed.state
        return begun or (state.head if state is not None else None)
