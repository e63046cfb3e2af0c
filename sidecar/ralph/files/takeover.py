"""What a loop that was killed has left: its iteration is noted as lost, and its agent is ended."""

from sidecar.core.clock import Clock, rfc3339
from sidecar.ralph.files import history, state
from sidecar.ralph.files.folder import Folder
from sidecar.ralph.model import RalphIteration, RalphRunning
from sidecar.system.process_tree import end_marked


def take_over(folder: Folder, clock: Clock) -> int:
    """Puts in order what the last loop left, and gives the number of the last iteration; raises StateDegraded.

    Called by the lock's holder, so that the loop whose state says `running` is known to be dead.
    """
    before = state.read(folder)
    known = history.read(folder).last_number
    if before is None or before.status != "running" or before.running is None:
        return max(known, before.iteration if before is not None else 0)
    running = before.running
    # An agent or a check that outlived its loop would work beside the next one's.
    for kept in (folder.output_of(running.number), folder.check_of(running.number)):
        end_marked(str(kept), clock)
    if running.number > known:
        history.append(folder, _lost(running, clock.now_ms()))
    return max(known, running.number)


def _lost(running: RalphRunning, now_ms: int) -> RalphIteration:
    return RalphIteration(
        number=running.number,
        started_at=running.started_at,
        duration_ms=0,
        outcome="lost",
        exit_code=None,
        signal=None,
        promise_found=False,
        promise_accepted=False,
        verification=None,
        files_changed=None,
        files=[],
        commits=[],
        input_tokens=None,
        output_tokens=None,
        cost_usd=None,
        reason=f"The loop's process died meanwhile; noted at {rfc3339(now_ms)} by the next one.",
        ended_loop="The loop's process died.",
        output_bytes=0,
        continuity=None,
        warnings=[],
    )
