"""A request between its arrival and its response, and the sharing of one computation by identical requests."""

import threading
from typing import TYPE_CHECKING

from sidecar.core.cancellation import Cancellation
from sidecar.rpc.envelope import BatchResponse, Notice, Request, RequestId

if TYPE_CHECKING:
    from sidecar.rpc.scheduler import Task


class PendingRequest:
    """One request or notification."""

    __slots__ = (
        "batch",
        "cancellation",
        "expects_response",
        "followers",
        "id",
        "is_answered",
        "is_counted",
        "is_notification",
        "leader",
        "method",
        "params",
        "received_ms",
        "share_key",
        "size",
        "task",
    )

    def __init__(
        self,
        envelope: Request | Notice,
        received_ms: float,
        size: int,
        *,
        batch: BatchResponse | None = None,
        is_internal: bool = False,
    ) -> None:
        """`batch` collects the response if the request came in one. No client waits for an internal request."""
        self.is_notification = isinstance(envelope, Notice)
        self.expects_response = not (self.is_notification or is_internal)
        self.id: RequestId = envelope.id if isinstance(envelope, Request) else None
        self.method = envelope.method
        self.params = envelope.params
        self.received_ms = received_ms
        self.size = size
        self.batch = batch
        self.is_answered = False
        self.is_counted = False
        self.cancellation = Cancellation()
        self.task: Task | None = None
        self.share_key: str | None = None
        self.leader: PendingRequest | None = None
        self.followers: list[PendingRequest] = []


class Coalescer:
    """Coalesces identical in-flight requests: the first one, the leader, computes for all.

    The leader's params and cancellation are those of the computation. `lock` also guards `is_answered`.
    """

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self._leaders: dict[str, PendingRequest] = {}

    def join(self, request: PendingRequest) -> bool:
        """Join an identical request's computation; False if there is none, so that the request has to compute."""
        import orjson

        from sidecar.core.digests import digest_bytes

        key = digest_bytes(orjson.dumps([request.method, request.params], option=orjson.OPT_SORT_KEYS))
        with self._lock:
            leader = self._leaders.get(key)
            if leader is None:
                request.share_key = key
                self._leaders[key] = request
                return False
            request.params = None  # the leader's are used; many followers cost no memory
            request.leader = leader
            leader.followers.append(request)
            return True

    def finish(self, request: PendingRequest) -> list[PendingRequest]:
        """Close a computation to further requests; return those that wait for it."""
        if request.share_key is None:
            return [request]
        with self._lock:
            self._forget(request)
            return [request, *request.followers]

    def leave(self, request: PendingRequest) -> PendingRequest | None:
        """Return the request whose work is no longer needed after a cancellation; the caller holds the lock."""
        leader = request.leader or request
        if any(not (member is request or member.is_answered) for member in (leader, *leader.followers)):
            if request is not leader:
                leader.followers.remove(request)
            return None
        self._forget(leader)
        return leader

    def _forget(self, leader: PendingRequest) -> None:
        if leader.share_key is not None and self._leaders.get(leader.share_key) is leader:
            del self._leaders[leader.share_key]
