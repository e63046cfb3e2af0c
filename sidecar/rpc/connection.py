"""One client: which methods it may call when, what is in flight, and exactly one response for each request."""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from sidecar.core import json_text
from sidecar.core.clock import Clock
from sidecar.core.errors import Busy, Cancelled, InvalidParams, InvalidRequest, MethodNotFound, NotInitialized
from sidecar.rpc.envelope import (
    Batch,
    BatchResponse,
    Envelope,
    Invalid,
    Notice,
    RequestId,
    as_sidecar_error,
    error_object,
    parse,
    refusal,
    response,
)
from sidecar.rpc.framing import Refused
from sidecar.rpc.scheduler import Coalescer, PendingRequest, QueuedTask, Scheduler
from sidecar.system.safe_open import folded

if TYPE_CHECKING:
    from sidecar.rpc.dispatch import Dispatcher

MAX_IN_FLIGHT = 512
"""Maximum number of requests without a response, whether queued, running or waiting for an identical one."""

MAX_NAME_CHARACTERS = 400
"""At most this much of an unknown method's name is searched for secrets, before its beginning is shown."""

_EARLY_MESSAGES = 256
_EARLY_BYTES = 64 * 1024 * 1024


class Host(Protocol):
    """The application behind a connection."""

    def initialize(self, params: Any) -> dict[str, Any]:
        """Open everything and return the handshake's result. Raise InvalidParams."""

    def initialized(self) -> None:
        """Load the methods; called after the handshake's response was sent."""

    def on_request(self, request: PendingRequest) -> None:
        """React to a request before it is queued."""

    def new_call(self, request: PendingRequest) -> object:
        """Return the first argument of a method."""

    def new_incident_id(self) -> str:
        """Return the id under which the log lists an unexpected error."""

    def on_incident(self, error: BaseException, incident_id: str) -> None:
        """Log an unexpected error."""

    def on_response(self, request: PendingRequest, error_code: int | None) -> None:
        """Log a request's outcome."""


class Connection:
    """Receives messages one after another; sends responses from any thread."""

    def __init__(self, host: Host, send: Callable[[bytes], None], clock: Clock, scheduler: Scheduler) -> None:
        self._host = host
        self._send = send
        self._clock = clock
        self._scheduler = scheduler
        self._lock = threading.Lock()
        self._coalescer = Coalescer(self._lock)
        self._dispatcher: Dispatcher | None = None
        self._is_complete = False
        self._early: list[PendingRequest] = []
        self._early_bytes = 0
        self._in_flight: dict[RequestId, PendingRequest] = {}
        self._in_flight_count = 0
        self.needs_all_methods = threading.Event()
        """Set once a request waits for a method that is not loaded yet."""
        self.initialized = False
        self.shut_down = False
        self.exit_code: int | None = None

    def receive(self, message: bytes | Refused) -> None:
        """Handle one message of the stream; never raises for what a client sent."""
        if isinstance(message, Refused):
            self._send(response(None, {"error": error_object(refusal(message))}))
            return
        parsed = parse(message)
        if isinstance(parsed, Batch):
            batch = BatchResponse(sum(not isinstance(item, Notice) for item in parsed.items), self._send)
            for item in parsed.items:
                self._receive_one(item, len(message) // len(parsed.items), batch)
        elif parsed is not None:
            self._receive_one(parsed, len(message), None)

    def ready(self, dispatcher: "Dispatcher", *, complete: bool = True) -> None:
        """Set the loaded methods and start the requests that waited for them, in order.

        Unless these are all methods, requests for others wait until the next call.
        """
        while True:
            with self._lock:
                early = [request for request in self._early if complete or dispatcher.lane_of(request) is not None]
                self._early = [request for request in self._early if request not in early]
                self._early_bytes = sum(request.size for request in self._early)
                if not early:
                    self._dispatcher, self._is_complete = dispatcher, complete
                    if self._early:
                        self.needs_all_methods.set()
                    return
            for request in early:
                if not request.is_answered:
                    self._start(request, dispatcher)

    def is_idle(self) -> bool:
        """Whether every request so far has its response."""
        return not self._in_flight_count

    def track(self, internal: PendingRequest) -> None:
        """Register an internal request as in flight, so that a client can cancel it by its id."""
        with self._lock:
            self._in_flight[internal.id] = internal

    def cancel_internal(self) -> None:
        """Cancel internal requests, because no client will receive their progress."""
        with self._lock:
            for request in self._in_flight.values():
                if not request.expects_response:
                    request.cancellation.set()

    def cancel_all(self) -> None:
        """Cancel everything in flight, because the process is ending."""
        with self._lock:
            for request in self._in_flight.values():
                request.cancellation.set()

    def notify(self, method: str, params: Any) -> None:
        """Send a notification to the client."""
        self._send(json_text.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def reply(self, request: PendingRequest, body: dict[str, Any]) -> None:
        """Send a request's only response; a second one, as after a cancellation, is dropped."""
        with self._lock:
            if request.is_answered:
                return
            request.is_answered = True
            self._in_flight_count -= request.is_counted
            if request.batch is not None:
                request.batch.answered_ids.add(request.id)
            if self._in_flight.get(request.id) is request:
                del self._in_flight[request.id]
        if request.batch is not None:
            if request.expects_response:
                request.batch.add(request.id, body)
        elif request.expects_response:
            self._send(response(request.id, body))
        self._host.on_response(request, body["error"]["code"] if "error" in body else None)

    def fail(self, request: PendingRequest, error: BaseException) -> None:
        """Answer a request with an error; log an unexpected one."""
        known = as_sidecar_error(error, self._host.new_incident_id)
        if "incidentId" in known.data:
            self._host.on_incident(error, str(known.data["incidentId"]))
        self.reply(request, {"error": error_object(known)})

    def _receive_one(self, envelope: Envelope, size: int, batch: BatchResponse | None) -> None:
        if isinstance(envelope, Invalid):
            body = {"error": error_object(envelope.error)}
            if batch is not None:
                batch.add(envelope.id, body)
            else:
                self._send(response(envelope.id, body))
            return
        request = PendingRequest(envelope, self._clock.monotonic_ms(), size, batch=batch)
        try:
            if request.is_notification:
                self._receive_notification(request)
            else:
                self._receive_request(request)
        except Exception as error:
            self.fail(request, error)

    def _receive_request(self, request: PendingRequest) -> None:
        """Answer the connection's own methods; queue the others."""
        self._check_order(request)
        match request.method:
            case "initialize":
                result = self._host.initialize(request.params)
                self.initialized = True
                self.reply(request, {"result": result})
                self._host.initialized()
            case "ping" | "shutdown":
                if request.params:
                    raise InvalidParams("This method takes no params.")
                self.shut_down = request.method == "shutdown"
                self.reply(request, {"result": {}})
            case _:
                self._queue(request)

    def _receive_notification(self, request: PendingRequest) -> None:
        if request.method == "exit":
            self.exit_code = 0 if self.shut_down else 1
        elif request.method == "$/cancelRequest":
            self._cancel(request.params)
        elif self.initialized and not self.shut_down:
            self._queue(request)

    def _check_order(self, request: PendingRequest) -> None:
        if self.shut_down:
            raise InvalidRequest("The sidecar is shutting down.", hint="Send `exit`, then start it again.")
        if request.method == "initialize":
            if self.initialized:
                raise InvalidRequest("`initialize` was answered already.", hint="Start another process instead.")
        elif not self.initialized:
            raise NotInitialized(f"`initialize` comes before {request.method[:80]!r}.", hint="Send `initialize` first.")
        answered = request.batch.answered_ids if request.batch is not None else ()
        if request.id is not None and (request.id in self._in_flight or request.id in answered):
            raise InvalidRequest("A request with this id is in flight already.", hint="Give each request its own id.")

    def _queue(self, request: PendingRequest) -> None:
        """Start a request, or store it until its method is loaded. Raise Busy if there are too many."""
        self._host.on_request(request)
        with self._lock:
            if not request.is_notification:
                if self._in_flight_count >= MAX_IN_FLIGHT:
                    raise _busy(f"The sidecar is busy: {self._in_flight_count} requests are in flight.")
                request.is_counted = True
                self._in_flight_count += 1
                if request.id is not None:
                    self._in_flight[request.id] = request
            dispatcher = self._dispatcher
            if dispatcher is None or not (self._is_complete or dispatcher.lane_of(request) is not None):
                if len(self._early) >= _EARLY_MESSAGES or self._early_bytes + request.size > _EARLY_BYTES:
                    raise _busy("The sidecar is still starting.")
                self._early.append(request)
                self._early_bytes += request.size
                if dispatcher is not None:
                    self.needs_all_methods.set()
                return
        self._start(request, dispatcher)

    def _start(self, request: PendingRequest, dispatcher: "Dispatcher") -> None:
        """Hand a request or notification to the scheduler; a notification of an unknown method is ignored."""
        lane = dispatcher.lane_of(request)
        if lane is None:
            if not request.is_notification:
                from sidecar.core.redact import redact  # which a start without an error does not need

                hint, name = "`rpc.discover` lists the methods.", redact(request.method[:MAX_NAME_CHARACTERS])
                self.fail(request, MethodNotFound(f"There is no method {name[:80]!r}.", hint=hint))
            return
        try:
            run = partial(self._run, dispatcher, request)
            if lane in {"job", "loop"}:
                self._scheduler.start_job(run, request.method, is_loop=lane == "loop")
            elif lane != "shared" or request.is_notification or not self._coalescer.join(request):
                key = _workspace_key(request.params) if lane == "workspace" else None
                request.task = QueuedTask(run, key, request.size)
                self._scheduler.submit(request.task)
        except Exception as error:
            for member in self._coalescer.finish(request):
                self.fail(member, error)

    def _run(
        self, dispatcher: "Dispatcher", request: PendingRequest, before_answer: Callable[[], None] | None = None
    ) -> None:
        """Run a request and send its response; whatever a method raises becomes an error."""
        if request.is_answered and request.cancellation.is_set:
            return
        try:
            call = self._host.new_call(request)
            if request.is_notification:
                dispatcher.notify(call, request.method, request.params)
                return
            body = dispatcher.answer(call, request.method, request.params)
        except BaseException as error:
            if request.is_notification:
                self._host.on_incident(error, self._host.new_incident_id())
                return
            if before_answer is not None:
                before_answer()
            for member in self._coalescer.finish(request):
                self.fail(member, error)
            return
        if before_answer is not None:
            before_answer()
        for member in self._coalescer.finish(request):
            self.reply(member, body)

    def _cancel(self, params: Any) -> None:
        request_id = params.get("id") if isinstance(params, Mapping) else None
        if not isinstance(request_id, (str, int, float)) or isinstance(request_id, bool):
            return
        with self._lock:
            request = self._in_flight.get(request_id)
            if request is None:
                return
            unneeded = self._coalescer.leave(request)
        if unneeded is not None:
            unneeded.cancellation.set()
            if unneeded.task is not None:
                self._scheduler.discard(unneeded.task)
        self.fail(request, Cancelled("The request was cancelled."))


def _workspace_key(params: Any) -> str:
    """Return a workspace's key without disk access: two spellings of one folder have the same."""
    cwd = params.get("cwd") if isinstance(params, Mapping) else None
    if not isinstance(cwd, str) or not cwd:
        return ""
    key = os.path.normcase(os.path.normpath(cwd))
    return folded(key) if sys.platform == "darwin" else key


def _busy(reason: str) -> Busy:
    return Busy(reason, hint="Try again in 300 ms.", data={"retryAfterMs": 300})
