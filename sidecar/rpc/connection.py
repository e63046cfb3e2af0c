"""One client: what it may call when, what is in flight, and exactly one answer for each request."""

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import orjson

from sidecar.core.cancellation import Cancellation
from sidecar.core.clock import Clock
from sidecar.core.errors import (
    Busy,
    Cancelled,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    NotInitialized,
    SidecarError,
    TooLarge,
)
from sidecar.rpc.envelope import Batch, Envelope, Invalid, Notice, Request, RequestId, parse
from sidecar.rpc.framing import MAX_MESSAGE_BYTES, Refused
from sidecar.rpc.lanes import Lanes, Task
from sidecar.rpc.wire_errors import as_sidecar_error, error_object

_EARLY_MESSAGES = 256
_EARLY_BYTES = 64 * 1024 * 1024


class Host(Protocol):
    """What the connection asks of the application."""

    def initialize(self, params: Any) -> dict[str, Any]:
        """Opens everything and gives the handshake's result; raises InvalidParams."""

    def initialized(self) -> None:
        """Learns that the handshake was answered; the time to load the rest."""

    def new_call(self, incoming: "Incoming") -> object:
        """Makes the object a method receives as its first argument."""

    def new_incident_id(self) -> str:
        """Gives an id under which an unforeseen error can be found in the log."""

    def on_incident(self, error: BaseException, incident_id: str) -> None:
        """Writes an unforeseen error into the log."""

    def on_answer(self, incoming: "Incoming", error_code: int | None) -> None:
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
    """A request between its arrival and its answer."""

    __slots__ = ("answer", "cancellation", "has_answer", "id", "method", "params", "received_ms", "size", "task")

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
        self.cancellation = Cancellation()
        self.task: Task | None = None


class Connection:
    """Receives messages one after another and sends answers from any thread."""

    def __init__(self, host: Host, send: Callable[[bytes], None], clock: Clock, lanes: Lanes) -> None:
        self._host = host
        self._send = send
        self._clock = clock
        self._lanes = lanes
        self._lock = threading.Lock()
        self._routes: Routes | None = None
        self._early: list[Incoming] = []
        self._early_bytes = 0
        self._in_flight: dict[RequestId, Incoming] = {}
        self._shared: dict[bytes, list[Incoming]] = {}
        self.initialized = False
        self.shut_down = False
        self.exit_code: int | None = None

    def receive(self, message: bytes | Refused) -> None:
        """Takes one message from the stream; never raises for what a client sent."""
        if isinstance(message, Refused):
            self._send_response(None, {"error": error_object(_refusal(message))})
            return
        parsed = parse(message)
        if parsed is None:
            return
        if isinstance(parsed, Batch):
            self._receive_batch(parsed, len(message))
        else:
            self._receive_one(parsed, len(message), self._sender(parsed))

    def ready(self, routes: Routes) -> None:
        """Learns the product's methods; what arrived since the handshake starts now, in order."""
        while True:
            with self._lock:
                early, self._early = self._early, []
                if not early:
                    self._routes = routes
                    return
            for incoming in early:
                self._start_guarded(routes, incoming)

    def abandon(self) -> None:
        """Asks everything in flight to stop, because the process is ending."""
        with self._lock:
            for incoming in self._in_flight.values():
                incoming.cancellation.set()

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification to the client."""
        self._send(orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def _receive_batch(self, batch: Batch, size: int) -> None:
        waiting = [item for item in batch.items if not isinstance(item, Notice)]
        gathered = _Gathered(len(waiting), self._send)
        for item in batch.items:
            answer = None if isinstance(item, Notice) else gathered.slot(item.id)
            self._receive_one(item, size // len(batch.items), answer)

    def _sender(self, envelope: Envelope) -> Callable[[dict[str, Any]], None] | None:
        if isinstance(envelope, Notice):
            return None
        request_id = envelope.id
        return lambda body: self._send_response(request_id, body)

    def _receive_one(self, envelope: Envelope, size: int, answer: Callable[[dict[str, Any]], None] | None) -> None:
        if isinstance(envelope, Invalid):
            if answer:
                answer({"error": error_object(envelope.error)})
            return
        incoming = Incoming(envelope, self._clock.monotonic_ms(), size, answer)
        try:
            self._admit(incoming)
        except Exception as error:
            self._fail(incoming, error)

    def _admit(self, incoming: Incoming) -> None:
        """Answers what belongs to the connection itself, and passes the rest to its lane."""
        if incoming.answer is None:
            self._take_notice(incoming)
            return
        if incoming.method == "initialize":
            self._initialize(incoming)
            return
        if not self.initialized:
            raise NotInitialized(
                f"`initialize` comes before {incoming.method[:80]!r}.", hint="Send `initialize` first."
            )
        if self.shut_down:
            raise InvalidRequest("The sidecar was asked to shut down.", hint="Send `exit`, then start it again.")
        if incoming.method == "ping":
            self._only_object(incoming.params)
            self._reply(incoming, {"result": {}})
        elif incoming.method == "shutdown":
            self._only_object(incoming.params)
            self.shut_down = True
            self._reply(incoming, {"result": {}})
        else:
            self._remember(incoming)
            self._start_or_keep(incoming)

    def _initialize(self, incoming: Incoming) -> None:
        if self.initialized:
            raise InvalidRequest("`initialize` was answered already.", hint="Start another process instead.")
        result = self._host.initialize(incoming.params)
        self.initialized = True
        self._reply(incoming, {"result": result})
        self._host.initialized()

    def _take_notice(self, incoming: Incoming) -> None:
        if incoming.method == "exit":
            self.exit_code = 0 if self.shut_down else 1
        elif incoming.method == "$/cancelRequest":
            self._cancel(incoming.params)
        elif self.initialized and not self.shut_down:
            self._start_or_keep(incoming)

    @staticmethod
    def _only_object(params: Any) -> None:
        if params:
            raise InvalidParams("This method takes no params.")

    def _remember(self, incoming: Incoming) -> None:
        if incoming.id is None:
            return
        with self._lock:
            if incoming.id in self._in_flight:
                raise InvalidRequest(f"A request with the id {incoming.id!r:.60} is in flight already.")
            self._in_flight[incoming.id] = incoming

    def _start_or_keep(self, incoming: Incoming) -> None:
        with self._lock:
            routes = self._routes
            if routes is None:
                if len(self._early) >= _EARLY_MESSAGES or self._early_bytes + incoming.size > _EARLY_BYTES:
                    raise _busy_starting()
                self._early.append(incoming)
                self._early_bytes += incoming.size
                return
        self._start(routes, incoming)

    def _start_guarded(self, routes: Routes, incoming: Incoming) -> None:
        if incoming.has_answer:
            return
        try:
            self._start(routes, incoming)
        except Exception as error:
            self._fail(incoming, error)

    def _start(self, routes: Routes, incoming: Incoming) -> None:
        if incoming.answer is None:
            lane = routes.lane_of_notice(incoming.method)
            if lane is None:
                return
            run = partial(self._run_notice, routes, incoming)
        else:
            lane = routes.lane_of(incoming.method)
            if lane is None:
                raise MethodNotFound(
                    f"There is no method {incoming.method[:80]!r}.", hint="`rpc.discover` lists the methods."
                )
            run = partial(self._run, routes, incoming)
        if lane == "job":
            self._lanes.start_job(run)
        elif lane == "shared" and incoming.answer is not None:
            self._start_shared(routes, incoming)
        else:
            key = _workspace_key(incoming.params) if lane == "workspace" else None
            incoming.task = Task(run, key, incoming.size)
            self._lanes.submit(incoming.task)

    def _run_notice(self, routes: Routes, incoming: Incoming) -> None:
        routes.notify(self._host.new_call(incoming), incoming.method, incoming.params)

    def _run(self, routes: Routes, incoming: Incoming) -> None:
        if incoming.has_answer:
            return
        try:
            body = routes.answer(self._host.new_call(incoming), incoming.method, incoming.params)
        except Exception as error:
            self._fail(incoming, error)
            return
        self._reply(incoming, body)

    def _start_shared(self, routes: Routes, incoming: Incoming) -> None:
        """Joins an identical request that is computing already, or starts computing."""
        key = orjson.dumps([incoming.method, incoming.params], option=orjson.OPT_SORT_KEYS)
        with self._lock:
            company = self._shared.get(key)
            if company is not None:
                company.append(incoming)
                return
            company = self._shared[key] = [incoming]
        try:
            incoming.task = Task(partial(self._run_shared, routes, key, company), None, incoming.size)
            self._lanes.submit(incoming.task)
        except SidecarError as error:
            for one in self._part(key, company):
                self._fail(one, error)

    def _run_shared(self, routes: Routes, key: bytes, company: list[Incoming]) -> None:
        first = company[0]
        try:
            body = routes.answer(self._host.new_call(first), first.method, first.params)
        except Exception as error:
            for one in self._part(key, company):
                self._fail(one, error)
            return
        for one in self._part(key, company):
            self._reply(one, body)

    def _part(self, key: bytes, company: list[Incoming]) -> list[Incoming]:
        """Lets nobody join any more, and gives those who did."""
        with self._lock:
            if self._shared.get(key) is company:
                del self._shared[key]
            return company

    def _cancel(self, params: Any) -> None:
        request_id = params.get("id") if isinstance(params, Mapping) else None
        if not isinstance(request_id, (str, int, float)) or isinstance(request_id, bool):
            return
        with self._lock:
            incoming = self._in_flight.get(request_id)
            if incoming is None:
                return
            key, company = next(
                ((key, company) for key, company in self._shared.items() if incoming in company), (b"", [incoming])
            )
            if all(one.has_answer or one is incoming for one in company):
                company[0].cancellation.set()
                self._shared.pop(key, None)
                if company[0].task is not None:
                    self._lanes.discard(company[0].task)
        self._fail(incoming, Cancelled("The request was cancelled."))

    def _fail(self, incoming: Incoming, error: BaseException) -> None:
        known = as_sidecar_error(error, self._host.new_incident_id)
        if "incidentId" in known.data:
            self._host.on_incident(error, str(known.data["incidentId"]))
        self._reply(incoming, {"error": error_object(known)})

    def _reply(self, incoming: Incoming, body: dict[str, Any]) -> None:
        """Sends the one answer a request gets; a second one, as after a cancellation, is dropped."""
        with self._lock:
            if incoming.has_answer:
                return
            incoming.has_answer = True
            if self._in_flight.get(incoming.id) is incoming:
                del self._in_flight[incoming.id]
        if incoming.answer is not None:
            incoming.answer(body)
        self._host.on_answer(incoming, body["error"]["code"] if "error" in body else None)

    def _send_response(self, request_id: RequestId, body: dict[str, Any]) -> None:
        payload = _response(request_id, body)
        if len(payload) > MAX_MESSAGE_BYTES:
            payload = _response(request_id, {"error": error_object(_too_large("The answer"))})
        self._send(payload)


class _Gathered:
    """Collects a batch's answers and sends them as one array when the last one is there."""

    def __init__(self, awaited: int, send: Callable[[bytes], None]) -> None:
        self._awaited = awaited
        self._send = send
        self._lock = threading.Lock()
        self._answers: list[dict[str, Any]] = []

    def slot(self, request_id: RequestId) -> Callable[[dict[str, Any]], None]:
        """Gives the function that takes one member's answer."""
        return lambda body: self._add({"jsonrpc": "2.0", "id": request_id, **body})

    def _add(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self._answers.append(answer)
            if len(self._answers) < self._awaited:
                return
        self._send(orjson.dumps(self._answers))


def _response(request_id: RequestId, body: dict[str, Any]) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, **body})


def _refusal(refused: Refused) -> SidecarError:
    if refused is Refused.TOO_LARGE:
        return _too_large("The message")
    return InvalidRequest(
        "The header has no usable Content-Length.", hint="Send `Content-Length: N`, an empty line, N bytes."
    )


def _too_large(what: str) -> TooLarge:
    return TooLarge(
        f"{what} is larger than {MAX_MESSAGE_BYTES // 2**20} MiB.",
        hint="Send less at once.",
        data={"limitBytes": MAX_MESSAGE_BYTES},
    )


def _busy_starting() -> SidecarError:
    return Busy("The sidecar is still starting.", hint="Try again in 300 ms.", data={"retryAfterMs": 300})


def _workspace_key(params: Any) -> str:
    cwd = params.get("cwd") if isinstance(params, Mapping) else None
    return cwd if isinstance(cwd, str) else ""
