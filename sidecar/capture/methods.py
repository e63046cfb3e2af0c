"""`continuity/postRun`."""

from sidecar.call import Call
from sidecar.capture.model import PostRunParams, PostRunResult
from sidecar.core.errors import Busy, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method


def post_run(call: Call, params: PostRunParams) -> PostRunResult:
    """Keeps a run that ended: its deliveries, the tests' outcome, a devlog draft, the pressure on the session.

    Idempotent by run id, and all of it in one transaction: once answered, nothing of it is lost.
    """
    # Loaded behind the way to a first answer, on which there is nothing to capture yet.
    from sidecar.capture import post_run as postrun

    return postrun.run(call, params)


METHODS = (
    method("continuity/postRun", post_run, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
)
