"""What a loop is to do, and how far it has come."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.ralph.agent.agent_result import Wanted
from sidecar.ralph.files import history
from sidecar.ralph.files.folder import Folder
from sidecar.ralph.files.stop_request import Stop
from sidecar.ralph.iteration.prompt import Verified
from sidecar.ralph.limits import Limits, Spent
from sidecar.ralph.model import LoopStatus, RalphRunning, RalphStartParams, RalphState, RalphTotals
from sidecar.ralph.outcome import Circle, Ending
from sidecar.workspace import Workspace


@dataclass(frozen=True)
class Plan:
    """What the user asked for."""

    params: RalphStartParams
    folder: Folder
    cwd: Path
    """Where the agent works."""
    workspace: Workspace
    """The whole worktree, and its project."""
    limits: Limits
    wanted: Wanted
    environment: Mapping[str, str]


@dataclass
class Course:
    """A loop under way; used by its own thread."""

    call: Call
    plan: Plan
    stop: Stop
    started_at_ms: int
    started_ms: float
    pid: int
    number: int
    """Of the last iteration that was begun."""
    spent: Spent = field(default_factory=Spent)
    circle: Circle = field(default_factory=Circle)
    failed_checks: list[Verified] = field(default_factory=list)
    last: str = ""
    fast_failures: int = 0
    pauses: int = 0
    totals: RalphTotals = field(
        default_factory=lambda: RalphTotals(
            iterations=0, failures=0, input_tokens=0, output_tokens=0, cost_usd=0.0, duration_ms=0
        )
    )
    running: RalphRunning | None = None
    paused_until_ms: int | None = None

    def elapsed_ms(self) -> float:
        """Milliseconds since the loop was started."""
        return self.call.process.clock.monotonic_ms() - self.started_ms

    def keep(self, status: LoopStatus = "running", reason: str = "", exit_code: int | None = None) -> None:
        """Writes how the loop stands; raises StateDegraded."""
        params, call = self.plan.params, self.call
        history.write_state(
            self.plan.folder,
            RalphState(
                change=params.change,
                status=status,
                reason=reason or "It is under way.",
                exit_code=exit_code,
                harness=params.harness,
                model=params.model,
                started_at=rfc3339(self.started_at_ms),
                updated_at=call.now(),
                iteration=self.number,
                running=self.running,
                paused_until=None if self.paused_until_ms is None else rfc3339(self.paused_until_ms),
                max_iterations=params.max_iterations,
                totals=self.totals,
                pid=self.pid,
            ),
        )

    def keep_ending(self, ending: Ending) -> None:
        """Writes that the loop has ended; raises StateDegraded."""
        self.running = self.paused_until_ms = None
        self.keep(ending.status, ending.reason, ending.exit_code)

    def wait(self, wait_ms: float) -> None:
        """Waits, unless the loop is asked to stop meanwhile."""
        self.stop.asked.wait(min(wait_ms / 1_000, threading.TIMEOUT_MAX))
