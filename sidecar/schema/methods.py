"""`rpc.discover`: the sidecar describes itself. The row is made from the catalog, so it cannot be part of it."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from sidecar.call import Call
from sidecar.connection_methods import DiscoverResult
from sidecar.core.wire_types import Empty
from sidecar.method import Lane, Method, Notification, method

PUBLISHED = Path(__file__).resolve().parents[2] / "rpc_schema" / "openrpc.json"
"""The generated document. The built program has it at the same relative path."""


@cache
def published_method() -> Method | None:
    """Return a row of `rpc.discover` that answers with the published document and loads no slice.

    Return None if the document is not beside the program.
    """
    if not PUBLISHED.is_file():
        return None

    @cache
    def document() -> DiscoverResult:
        from sidecar.core.json_text import loads

        return DiscoverResult.model_validate(loads(PUBLISHED.read_bytes()))

    return _row(document)


def discover_method(methods: tuple[Method, ...], notifications: tuple[Notification, ...]) -> Method:
    """Return a row of `rpc.discover` whose document lists the given rows and itself. It is computed once."""

    @cache
    def document() -> DiscoverResult:
        # Imported on the first request: start-up does not need the schema generator.
        from sidecar.schema.definitions import Catalog, openrpc

        return DiscoverResult.model_validate(openrpc(Catalog((*methods, row), notifications)))

    row = _row(document)
    return row


def _row(document: Callable[[], DiscoverResult]) -> Method:
    def discover(call: Call, params: Empty) -> DiscoverResult:  # noqa: ARG001  (every method takes both)
        """Answers with the OpenRPC document of this sidecar: every method, notification, schema and error."""
        return document()

    return method("rpc.discover", discover, lane=Lane.SHARED)
