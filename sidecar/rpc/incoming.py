"""A request between its arrival and its answer, and what the connection asks of those it works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from sidecar.core.cancellation import Cancellation
from sidecar.rpc.envelope import Notice, Request, RequestId

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidecar.rpc.lanes import Task
    from sidecar.rpc.sharing import Company


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
