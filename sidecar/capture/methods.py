"""`continuity/postRun`."""

from sidecar.call import Call
from sidecar.capture.model import PostRunParams, PostRunResult
from sidecar.core.errors import Busy, InvalidParams, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method


def post_run(call: Call, params: PostRunParams) -> PostRunResult:
    """Store a finished run: its deliveries, test results, drafts and the pressure on its session.

    Idempotent by run id. Everything is written in one transaction, so an answered run is never lost.
    """
    # Imported here, because the first answer of a process needs none of it.
    from sidecar.capture.post_run import capture_run

    return capture_run(call, params)


METHODS = (
    method(
        "continuity/postRun",
        post_run,
        lane=Lane.WORKSPACE,
        errors=(InvalidParams, WorkspaceUnavailable, StateDegraded, Busy),
    ),
)
