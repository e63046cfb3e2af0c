"""A request between its arrival and its answer, and what the connection asks of those it works with."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from sidecar.core.cancellation import Cancellation
from sidecar.rpc.envelope import Notice, Request, RequestId

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidecar.rpc.scheduler import Task


class Host(Protocol):
    """What the connection asks of the application."""

    def initialize(self, params: Any) -> dict[str, Any]:
        """Opens everything and gives the handshake's result; raises InvalidParams."""

    def initialized(self) -> None:
        """Learns that the handshake was answered; the time to load the rest."""

    def new_call(self, incoming: Incoming) -> object:
        """Makes the object a method receives as its first argument."""

    def new_incident_id(self) -> str:
        """Gives an id under which an unforeseen error can be found in the log."""

    def on_incident(self, error: BaseException, incident_id: str) -> None:
        """Writes an unforeseen error into the log."""

    def on_answer(self, incoming: Incoming, error_code: int | None) -> None:
        """Learns that a request was answered, for the log."""


class Routes(Protocol):
    """The methods of the product, once they are loaded."""

    def lane_of(self, method: str) -> str | None:
        """Names the lane of a request's method; None for an unknown one."""

    def lane_of_notice(self, method: str) -> str | None:
        """Names the lane of a notification; None for an unknown one."""

    def answer(self, call: object, method: str, params: Any) -> dict[str, Any]:
        """Runs a request."""

    def notify(self, call: object, method: str, params: Any) -> None:
        """Runs a notification."""


class Incoming:
    """One request or notification. `answer` is None for a notification."""

    __slots__ = (
        "answer",
        "cancellation",
        "company",
        "counted",
        "has_answer",
        "id",
        "method",
        "params",
        "received_ms",
        "size",
        "task",
    )

    def __init__(
        self,
        request: Request | Notice,
        received_ms: float,
        size: int,
        answer: Callable[[dict[str, Any]], None] | None,
    ) -> None:
        self.id: RequestId = request.id if isinstance(request, Request) else None
        self.method = request.method
        self.params = request.params
        self.received_ms = received_ms
        self.size = size
        self.answer = answer
        self.has_answer = False
        self.counted = False
        self.cancellation = Cancellation()
        self.company: Company | None = None
        self.task: Task | None = None


# Identical concurrent requests share one computation: the first computes, the others keep it company.


class Company:
    """Those who wait for one computation; the first one's params and cancellation are the computation's."""

    __slots__ = ("key", "members")

    def __init__(self, key: str, first: Incoming) -> None:
        self.key = key
        self.members = [first]


class Sharing:
    """The computations that may still be joined. `lock` is the one under which `has_answer` changes."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock
        self._companies: dict[str, Company] = {}

    def join(self, incoming: Incoming) -> Company | None:
        """Joins an identical request's computation; gives a new company where there is none, for its first to run."""
        key = _key(incoming.method, incoming.params)
        with self._lock:
            company = self._companies.get(key)
            if company is not None:
                incoming.params = None  # the first one's are computed with; a crowd costs no memory
                incoming.company = company
                company.members.append(incoming)
                return None
            incoming.company = self._companies[key] = Company(key, incoming)
            return incoming.company

    def part(self, company: Company) -> list[Incoming]:
        """Lets nobody join any more, and gives those who did."""
        with self._lock:
            self._forget(company)
            return company.members

    def leave(self, leaving: Incoming) -> Incoming | None:
        """Gives the request whose work nobody waits for once one is cancelled; the lock is held by the caller."""
        company = leaving.company
        if company is None:
            return leaving
        if any(not (one is leaving or one.has_answer) for one in company.members):
            if leaving is not company.members[0]:
                company.members.remove(leaving)
            return None
        self._forget(company)
        return company.members[0]

    def _forget(self, company: Company) -> None:
        if self._companies.get(company.key) is company:
            del self._companies[company.key]


def _key(method: str, params: Any) -> str:
    import orjson

    from sidecar.core.digests import digest_bytes

    return digest_bytes(orjson.dumps([method, params], option=orjson.OPT_SORT_KEYS))
