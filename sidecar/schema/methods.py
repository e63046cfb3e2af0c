"""`rpc.discover`: the sidecar describes itself. Made from the catalog's rows, so it cannot be one of them."""

from functools import cache

from sidecar.call import Call
from sidecar.core.wire import Empty
from sidecar.lifecycle import DiscoverResult
from sidecar.method import Lane, Method, Notification, method


def discover_method(methods: tuple[Method, ...], notifications: tuple[Notification, ...]) -> Method:
    """Makes the row of `rpc.discover`; its document lists the given rows and itself, and is computed once."""

    @cache
    def document() -> DiscoverResult:
        # Imported when first asked for: the schema generator is of no use at start.
        from sidecar.schema.definitions import Catalog
        from sidecar.schema.openrpc import openrpc

        return DiscoverResult.model_validate(openrpc(Catalog((*methods, row), notifications)))

    def discover(call: Call, params: Empty) -> DiscoverResult:  # noqa: ARG001  (every method takes both)
        """Answers with the OpenRPC document of this sidecar: every method, notification, schema and error."""
        return document()

    row = method("rpc.discover", discover, lane=Lane.SHARED)
    return row
