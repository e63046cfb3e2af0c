"""The list of all methods and notifications, and `rpc.discover`, which is made from it.

The methods that a pre-run needs can be loaded without the rest.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from pydantic import ConfigDict, Field

from sidecar.call import Call
from sidecar.core.wire_types import Empty, WireModel
from sidecar.method import Catalog, Lane, Method, method

PUBLISHED = Path(__file__).resolve().parents[1] / "rpc_schema" / "openrpc.json"
"""The generated document. The built program has it at the same relative path."""


class DiscoverResult(WireModel):
    """The OpenRPC document of this sidecar."""

    model_config = ConfigDict(extra="allow")

    openrpc: str = Field(description="The version of OpenRPC; the document's other members follow it.")


def core_methods() -> Catalog:
    """Load what a pre-run passes through, and the settings."""
    from sidecar.packs import methods as packs
    from sidecar.settings import methods as settings

    return Catalog((*packs.METHODS, *settings.METHODS), packs.NOTIFICATIONS)


def run_methods() -> Catalog:
    """Load what a run passes through, before and after it."""
    from sidecar import daily_metrics
    from sidecar.capture import methods as capture
    from sidecar.codebase import methods as codebase
    from sidecar.experiment import methods as experiment
    from sidecar.governor import methods as governor

    first = core_methods()
    rest = tuple(row for slice_ in (capture, governor, experiment, codebase, daily_metrics) for row in slice_.METHODS)
    return Catalog((*first.methods, *rest), first.notifications)


def all_methods() -> Catalog:
    """Load every slice."""
    from sidecar import connection_messages as connection
    from sidecar.capture import artifact_methods as artifacts
    from sidecar.context import methods as context
    from sidecar.integrations import agent_hooks
    from sidecar.knowledge import methods as knowledge
    from sidecar.memory import methods as memory
    from sidecar.operations import methods as operations
    from sidecar.ralph import methods as ralph
    from sidecar.registry import methods as registry
    from sidecar.session import methods as session

    first = run_methods()
    slices = (artifacts, context, session, memory, registry, knowledge, ralph, operations, agent_hooks)
    rest = tuple(row for slice_ in slices for row in slice_.METHODS)
    methods = (*connection.METHODS, *first.methods, *rest)
    notifications = (*connection.NOTIFICATIONS, *first.notifications, *knowledge.NOTIFICATIONS, *ralph.NOTIFICATIONS)
    return Catalog(methods, notifications)


def ralph_methods() -> Catalog:
    """Load only what a loop on the command line needs, to save memory."""
    from sidecar.ralph import methods as ralph
    from sidecar.settings import methods as settings

    return Catalog((*settings.METHODS, *ralph.METHODS), ralph.NOTIFICATIONS)


def hook_methods() -> Catalog:
    """Load what an agent's hook needs in a process of its own."""
    from sidecar.integrations import agent_hooks

    first = run_methods()
    return Catalog((*first.methods, *agent_hooks.METHODS), first.notifications)


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


def discover_method(catalog: Catalog) -> Method:
    """Return a row of `rpc.discover` whose document lists a catalog and itself. It is computed once."""

    @cache
    def document() -> DiscoverResult:
        # Imported on the first request: start-up does not need the schema generator.
        from sidecar.json_schemas import openrpc

        return DiscoverResult.model_validate(openrpc(catalog._replace(methods=(*catalog.methods, row))))

    row = _row(document)
    return row


def _row(document: Callable[[], DiscoverResult]) -> Method:
    def discover(call: Call, params: Empty) -> DiscoverResult:  # noqa: ARG001  (every method takes both)
        """Return the OpenRPC document of this sidecar: every method, notification, schema and error."""
        return document()

    return method("rpc.discover", discover, lane=Lane.SHARED)
