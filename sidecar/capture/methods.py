"""`continuity/postRun`, and `artifact/…`."""

from sidecar.call import Call
from sidecar.capture import artifact_methods, commit_method, postrun
from sidecar.capture.model import PostRunParams, PostRunResult
from sidecar.core.errors import Busy, StateDegraded, WorkspaceUnavailable
from sidecar.method import Lane, method


def post_run(call: Call, params: PostRunParams) -> PostRunResult:
    """Keeps a run that ended: its deliveries, the tests' outcome, a devlog draft, the pressure on the session.

    Idempotent by run id, and all of it in one transaction: once answered, nothing of it is lost.
    """
    return postrun.run(call, params)


METHODS = (
    method("continuity/postRun", post_run, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
    *artifact_methods.METHODS,
    commit_method.ROW,
)
