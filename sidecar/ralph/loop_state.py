"""The plan and the progress of a loop."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.ralph import loop_folder
from sidecar.ralph.agent.harnesses import AgentOptions, AgentProcess
from sidecar.ralph.iteration_prompt import FailedCheck
from sidecar.ralph.lock_and_stop import HeldLock, StopRequest
from sidecar.ralph.loop_folder import LoopFolder
from sidecar.ralph.loop_policy import Ending, Limits, LoopUsage, Stall
from sidecar.ralph.model import LoopStatus, RalphRunning, RalphStartParams, RalphState, RalphTotals
from sidecar.workspace import Workspace


@dataclass(frozen=True)
class LoopPlan:
    """A validated request."""

    params: RalphStartParams
    folder: LoopFolder
    cwd: Path
    """The agent's working folder."""
    workspace: Workspace
    """The whole worktree and its project."""
    limits: Limits
    options: AgentOptions
    environment: Mapping[str, str]


@dataclass
class LoopState:
    """A running loop; used by its own thread."""

    call: Call
    plan: LoopPlan
    stop: StopRequest
    started_at_ms: int
    started_ms: float
    pid: int
    number: int
    """Number of the last iteration that was started."""
    lock: HeldLock | None = None
    """None in a dry run."""
    usage: LoopUsage = field(default_factory=LoopUsage)
    stall: Stall = field(default_factory=Stall)
    failed_checks: list[FailedCheck] = field(default_factory=list)
    last_failure: str = ""
    fast_failures: int = 0
    pauses: int = 0
    totals: RalphTotals = field(
        default_factory=lambda: RalphTotals(
            iterations=0, failures=0, input_tokens=0, output_tokens=0, cost_usd=0.0, duration_ms=0
        )
    )
    running: RalphRunning | None = None
    paused_until_ms: int | None = None

    def record_agent(self, agent: AgentProcess | None) -> None:
        """Record the running agent or check in the lock, so that it can be ended if this process dies."""
        if self.lock is not None:
            self.lock.record_agent(agent)

    def elapsed_ms(self) -> float:
        """Return the milliseconds since the start of the loop."""
        return self.call.process.clock.monotonic_ms() - self.started_ms

    def save_state(self, status: LoopStatus = "running", reason: str = "", exit_code: int | None = None) -> None:
        """Write the loop's state; raise StateDegraded."""
        params, call = self.plan.params, self.call
        loop_folder.write_state(
            self.plan.folder,
            RalphState(
                change=params.change,
                status=status,
                reason=reason or "The loop is running.",
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

    def save_ending(self, ending: Ending) -> None:
        """Write the end of the loop; raise StateDegraded."""
        self.running = self.paused_until_ms = None
        self.save_state(ending.status, ending.reason, ending.exit_code)

    def wait(self, wait_ms: float) -> None:
        """Wait, at most until the loop is requested to stop."""
        self.stop.requested.wait(min(wait_ms / 1_000, threading.TIMEOUT_MAX))
