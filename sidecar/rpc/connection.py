"""One client: what it may call when, what is in flight, and exactly one answer for each request."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from sidecar.core import json_text
from sidecar.core.clock import Clock
from sidecar.core.errors import Busy, Cancelled, InvalidParams, InvalidRequest, NotInitialized, SidecarError
from sidecar.rpc.envelope import Batch, Envelope, Gathered, Invalid, Notice, RequestId, parse, refusal, response
from sidecar.rpc.errors import as_sidecar_error, error_object
from sidecar.rpc.framing import Refused
from sidecar.rpc.pending_request import Host, Incoming, Routes, Sharing
from sidecar.rpc.scheduler import Lanes, Running

MAX_IN_FLIGHT = 512
"""Requests without an answer yet, whether queued, running or in the company of an identical one."""

_EARLY_MESSAGES = 256
_EARLY_BYTES = 64 * 1024 * 1024


class Connection:
    """Receives messages one after another and sends answers from any thread."""

    def __init__(self, host: Host, send: Callable[[bytes], None], clock: Clock, lanes: Lanes) -> None:
        self._host = host
        self._send = send
        self._clock = clock
        self._lanes = lanes
        self._lock = threading.Lock()
        self._sharing = Sharing(self._lock)
        self._running: Running | None = None
        self._is_complete = False
        self._early: list[Incoming] = []
        self._early_bytes = 0
        self._in_flight: dict[RequestId, Incoming] = {}
        self._in_flight_count = 0
        self.wants_all = threading.Event()
        """Set once a request waits for methods that are not among the first."""
        self.initialized = False
        self.shut_down = False
        self.exit_code: int | None = None

    def receive(self, message: bytes | Refused) -> None:
        """Takes one message from the stream; never raises for what a client sent."""
        if isinstance(message, Refused):
            self._send(response(None, {"error": error_object(refusal(message))}))
            return
        parsed = parse(message)
        if isinstance(parsed, Batch):
            self._receive_batch(parsed, len(message))
        elif parsed is not None:
            self._receive_one(parsed, len(message), self._sender(parsed))

    def ready(self, routes: Routes, *, complete: bool = True) -> None:
        """Learns the product's methods; what arrived for them since the handshake starts now, in order.

        Unless these are all, requests for others wait until it is called again.
        """
        running = Running(routes, self._host, self._lanes, self._sharing, reply=self.reply, fail=self.fail)
        while True:
            with self._lock:
                early = [one for one in self._early if complete or running.knows(one)]
                self._early = [one for one in self._early if not (complete or running.knows(one))]
                self._early_bytes = sum(one.size for one in self._early)
                if not early:
                    self._running, self._is_complete = running, complete
                    if self._early:
                        self.wants_all.set()
                    return
            for incoming in early:
                self._start_early(running, incoming)

    def is_quiet(self) -> bool:
        """Says whether every request so far has its answer."""
        return not self._in_flight_count

    def carry(self, own: Incoming) -> None:
        """Takes up work that no client asked for: it is in flight under its id, so that it can be cancelled."""
        with self._lock:
            self._in_flight[own.id] = own

    def abandon_own(self) -> None:
        """Asks what no client asked for to stop, because none will hear of it any more."""
        with self._lock:
            for incoming in self._in_flight.values():
                if incoming.answer is None:
                    incoming.cancellation.set()

    def abandon(self) -> None:
        """Asks everything in flight to stop, because the process is ending."""
        with self._lock:
            for incoming in self._in_flight.values():
                incoming.cancellation.set()

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification to the client."""
        self._send(json_text.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def reply(self, incoming: Incoming, body: dict[str, Any]) -> None:
        """Sends the one answer a request gets; a second one, as after a cancellation, is dropped."""
        with self._lock:
            if incoming.has_answer:
                return
            incoming.has_answer = True
            self._in_flight_count -= incoming.counted
            if self._in_flight.get(incoming.id) is incoming:
                del self._in_flight[incoming.id]
        if incoming.answer is not None:
            incoming.answer(body)
        self._host.on_answer(incoming, body["error"]["code"] if "error" in body else None)

    def fail(self, incoming: Incoming, error: BaseException) -> None:
        """Answers a request with an error; an unforeseen one also goes into the log."""
        known = as_sidecar_error(error, self._host.new_incident_id)
        if "incidentId" in known.data:
            self._host.on_incident(error, str(known.data["incidentId"]))
        self.reply(incoming, {"error": error_object(known)})

    def _receive_batch(self, batch: Batch, size: int) -> None:
        waiting = [item for item in batch.items if not isinstance(item, Notice)]
        gathered = Gathered(len(waiting), self._send)
        for item in batch.items:
            answer = None if isinstance(item, Notice) else gathered.slot(item.id)
            self._receive_one(item, size // len(batch.items), answer)

    def _sender(self, envelope: Envelope) -> Callable[[dict[str, Any]], None] | None:
        if isinstance(envelope, Notice):
            return None
        request_id = envelope.id
        return lambda body: self._send(response(request_id, body))

    def _receive_one(self, envelope: Envelope, size: int, answer: Callable[[dict[str, Any]], None] | None) -> None:
        if isinstance(envelope, Invalid):
            if answer:
                answer({"error": error_object(envelope.error)})
            return
        incoming = Incoming(envelope, self._clock.monotonic_ms(), size, answer)
        try:
            self._admit(incoming)
        except Exception as error:
            self.fail(incoming, error)

    def _admit(self, incoming: Incoming) -> None:
        """Answers what belongs to the connection itself, and passes the rest to its lane."""
        if incoming.answer is None:
            self._take_notice(incoming)
            return
        self._refuse_if_early_or_late(incoming)
        match incoming.method:
            case "initialize":
                self._initialize(incoming)
            case "ping":
                self._require_no_params(incoming.params)
                self.reply(incoming, {"result": {}})
            case "shutdown":
                self._require_no_params(incoming.params)
                self.shut_down = True
                self.reply(incoming, {"result": {}})
            case _:
                self._remember(incoming)
                self._start_or_keep(incoming)

    def _refuse_if_early_or_late(self, incoming: Incoming) -> None:
        if self.shut_down:
            raise InvalidRequest("The sidecar was asked to shut down.", hint="Send `exit`, then start it again.")
        if incoming.method != "initialize" and not self.initialized:
            raise NotInitialized(
                f"`initialize` comes before {incoming.method[:80]!r}.", hint="Send `initialize` first."
            )
        if incoming.id is not None and incoming.id in self._in_flight:
            raise InvalidRequest("A request with this id is in flight already.", hint="Give each request its own id.")

    def _initialize(self, incoming: Incoming) -> None:
        if self.initialized:
            raise InvalidRequest("`initialize` was answered already.", hint="Start another process instead.")
        result = self._host.initialize(incoming.params)
        self.initialized = True
        self.reply(incoming, {"result": result})
        self._host.initialized()

    def _take_notice(self, incoming: Incoming) -> None:
        if incoming.method == "exit":
            self.exit_code = 0 if self.shut_down else 1
        elif incoming.method == "$/cancelRequest":
            self._cancel(incoming.params)
        elif self.initialized and not self.shut_down:
            self._start_or_keep(incoming)

    @staticmethod
    def _require_no_params(params: Any) -> None:
        if params:
            raise InvalidParams("This method takes no params.")

    def _remember(self, incoming: Incoming) -> None:
        with self._lock:
            if self._in_flight_count >= MAX_IN_FLIGHT:
                raise _busy(f"The sidecar is busy: {self._in_flight_count} requests wait for their answer.")
            incoming.counted = True
            self._in_flight_count += 1
            if incoming.id is not None:
                self._in_flight[incoming.id] = incoming

    def _start_or_keep(self, incoming: Incoming) -> None:
        with self._lock:
            running = self._running
            if running is None or not (self._is_complete or running.knows(incoming)):
                if len(self._early) >= _EARLY_MESSAGES or self._early_bytes + incoming.size > _EARLY_BYTES:
                    raise _busy("The sidecar is still starting.")
                self._early.append(incoming)
                self._early_bytes += incoming.size
                if running is not None:
                    self.wants_all.set()
                return
        running.start(incoming)

    def _start_early(self, running: Running, incoming: Incoming) -> None:
        if incoming.has_answer:
            return
        try:
            running.start(incoming)
        except Exception as error:
            self.fail(incoming, error)

    def _cancel(self, params: Any) -> None:
        request_id = params.get("id") if isinstance(params, Mapping) else None
        if not isinstance(request_id, (str, int, float)) or isinstance(request_id, bool):
            return
        with self._lock:
            incoming = self._in_flight.get(request_id)
            if incoming is None:
                return
            unwanted = self._sharing.leave(incoming)
        if unwanted is not None:
            unwanted.cancellation.set()
            if unwanted.task is not None:
                self._lanes.discard(unwanted.task)
        self.fail(incoming, Cancelled("The request was cancelled."))


def _busy(why: str) -> SidecarError:
    return Busy(why, hint="Try again in 300 ms.", data={"retryAfterMs": 300})
