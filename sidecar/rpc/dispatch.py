"""Run a method and build its response, through jsonrpcserver's dispatcher. Loaded in the warm-up, not at start.

jsonrpcserver looks up the method, binds its arguments, calls it and builds the result or error; the row adds
validation (pydantic) and serialization. `envelope.py` parses and checks messages, with the standard's responses but
without the schema validator that jsonrpcserver would run on each message.

The package's own `__init__` compiles a JSON schema validator for the envelope (110 ms and 12 MB at every start), and
that of oslash loads twelve modules beside the one in use. So both packages are registered without running their
`__init__`, and their modules are imported from there unchanged.
"""

import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec, module_from_spec
from typing import Any, cast

import orjson
from pydantic import BaseModel, ValidationError

from sidecar.core.clean_text import visible, visible_json
from sidecar.core.errors import InvalidParams, MethodNotFound
from sidecar.core.wire_types import WireModel
from sidecar.method import Method, Notification
from sidecar.rpc.envelope import as_sidecar_error, error_object, invalid_params
from sidecar.rpc.scheduler import PendingRequest

if "jsonrpcserver" not in sys.modules:
    for _package in ("jsonrpcserver", "oslash"):
        _spec = find_spec(_package)
        assert _spec is not None
        sys.modules[_package] = module_from_spec(_spec)

from jsonrpcserver.codes import ERROR_INVALID_PARAMS, ERROR_METHOD_NOT_FOUND
from jsonrpcserver.dispatcher import dispatch_request
from jsonrpcserver.exceptions import JsonRpcError
from jsonrpcserver.request import Request
from jsonrpcserver.result import Success

_SIGNATURE = inspect.signature(lambda call, /, **params: (call, params))
"""The signature that all methods share; computing it for each would take 25 µs."""

_building = threading.Lock()


class Dispatcher:
    """Runs requests for a catalog's methods; holds no state between them."""

    def __init__(
        self,
        methods: Iterable[Method],
        notifications: Iterable[Notification],
        on_incident: Callable[[BaseException, str], None],
        new_incident_id: Callable[[], str],
        repair: Callable[[BaseException], bool] = lambda _: False,
    ) -> None:
        """`repair` removes the cause of an error and returns whether it did: then the method is called once more."""
        self._repair = repair
        self._on_incident = on_incident
        self._new_incident_id = new_incident_id
        self._methods = {row.name: row for row in methods if row.run}
        self._functions = {name: self._function_of(row) for name, row in self._methods.items()}
        self._notifications = {row.name: row for row in notifications if row.run}

    def lane_of(self, request: PendingRequest) -> str | None:
        """Return the lane of a request or notification; None for an unknown method."""
        rows: Mapping[str, Method | Notification] = self._notifications if request.is_notification else self._methods
        row = rows.get(request.method)
        return row.lane if row is not None else None

    def answer(self, call: object, method: str, params: Any) -> dict[str, Any]:
        """Run one request and return the response without its id: `{"result": …}` or `{"error": …}`."""
        request = Request(method, params, None)
        # The library's Either types are untyped: a Left carries an error, a Right a result.
        _, result = cast("Any", dispatch_request)(self._functions, call, request)
        if hasattr(result, "_value"):
            return {"result": result._value.result}  # noqa: SLF001  (the library offers no other way)
        error = result._error  # noqa: SLF001  (nor here)
        if error.code == ERROR_METHOD_NOT_FOUND:
            return {"error": error_object(MethodNotFound(f"There is no method {method[:80]!r}."))}
        if error.code == ERROR_INVALID_PARAMS and not isinstance(error.data, dict):
            return {"error": error_object(InvalidParams("The params must be an object."))}
        return {"error": {"code": error.code, "message": error.message, "data": error.data}}

    def notify(self, call: object, method: str, params: Any) -> None:
        """Run one notification. Raise whatever it raises."""
        row = self._notifications[method]
        cast("Callable[..., None]", row.run)(call, validated(row.params, params, method))

    def build(self, names: Iterable[str]) -> None:
        """Build the validators of some methods before their first call."""
        for name in names:
            row = self._methods.get(name)
            if row is not None:
                _build(row.params)
                _build(row.result)

    def _function_of(self, row: Method) -> Callable[..., Any]:
        method = cast("Callable[..., BaseModel]", row.run)

        def run(call: object, /, **params: Any) -> Any:
            try:
                return answer(call, params)
            except Exception as error:
                if not self._repair(error):
                    raise self._translated(error) from error
            try:
                return answer(call, params)
            except Exception as error:
                raise self._translated(error) from error

        def answer(call: object, params: Mapping[str, Any]) -> Any:
            result = method(call, validated(row.params, params, row.name))
            text = result.model_dump_json(by_alias=True)
            # As JSON text, which orjson embeds unchanged.
            return Success(orjson.Fragment(text if row.is_exact else visible_json(text)))

        run.__signature__ = _SIGNATURE  # pyrefly: ignore[missing-attribute]  # else computed for each request
        return run

    def _translated(self, error: Exception) -> JsonRpcError:
        known = as_sidecar_error(error, self._new_incident_id)
        if "incidentId" in known.data:
            self._on_incident(error, str(known.data["incidentId"]))
        wire = error_object(known)
        return JsonRpcError(wire["code"], visible(wire["message"]), wire["data"])


def validated(model: type[WireModel], params: Mapping[str, Any], method: str) -> WireModel:
    """Validate a method's params against their model. Raise InvalidParams naming each invalid field."""
    if not model.__pydantic_complete__:
        _build(model)
    try:
        return model.model_validate(params, by_alias=True, by_name=False)
    except ValidationError as error:
        members = [field.alias or name for name, field in model.model_fields.items()]
        raise invalid_params(error, method, members) from error


def _build(model: type[WireModel]) -> None:
    """Build a model's validator on first use; two threads never build the same one."""
    if not model.__pydantic_complete__:
        with _building:
            model.model_rebuild()
